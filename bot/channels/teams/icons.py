"""The app's two pictures, drawn here: a speech bubble with a tick in it.

A point's shade comes from its distance to the shapes, which is negative inside them: half a pixel on each side of an
edge is shaded in between. Shapes stand on a grid of 32 by 32, whose middle is the middle of a picture.
PNG: https://www.w3.org/TR/png-3/
"""

import struct
import zlib
from collections.abc import Callable
from functools import cache
from math import hypot

COLOR_SIZE, OUTLINE_SIZE = 192, 32
SIGNATURE = b"\x89PNG\r\n\x1a\n"
ACCENT = "#2f5d50"

Pixel = tuple[int, int, int, int]
_GREEN, _WHITE = (0x2F, 0x5D, 0x50), (0xFF, 0xFF, 0xFF)
_MIDDLE = 16.0
_RGBA = 6


@cache
def color_icon() -> bytes:
    """In full colour, the bubble on half of its width, as Teams wants it: it rounds the corners itself."""
    scale = 4.8

    def pixel(x: float, y: float) -> Pixel:
        ground = _mixed(_GREEN, _WHITE, _cover(_bubble(x, y), scale))
        return (*_mixed(ground, _GREEN, _cover(_tick(x, y), scale)), 255)

    return _picture(COLOR_SIZE, scale, pixel)


@cache
def outline_icon() -> bytes:
    """White lines on nothing, the bubble on the whole width."""
    scale = 1.4

    def pixel(x: float, y: float) -> Pixel:
        lines = min(abs(_bubble(x, y)) - 0.7, _tick(x, y))
        return (*_WHITE, round(255 * _cover(lines, scale)))

    return _picture(OUTLINE_SIZE, scale, pixel)


def size_of(png: bytes) -> tuple[int, int] | None:
    """Width and height of a picture; None for what is no PNG."""
    if not png.startswith(SIGNATURE) or png[12:16] != b"IHDR" or len(png) < 24:
        return None
    width, height = struct.unpack(">II", png[16:24])
    return width, height


def _picture(size: int, scale: float, pixel: Callable[[float, float], Pixel]) -> bytes:
    places = [_MIDDLE + (step + 0.5 - size / 2) / scale for step in range(size)]
    rows = b"".join(b"\0" + bytes(part for x in places for part in pixel(x, y)) for y in places)
    head = struct.pack(">IIBBBBB", size, size, 8, _RGBA, 0, 0, 0)
    return SIGNATURE + _chunk(b"IHDR", head) + _chunk(b"IDAT", zlib.compress(rows, 9)) + _chunk(b"IEND", b"")


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def _cover(distance: float, scale: float) -> float:
    """How much of a pixel a shape covers."""
    return min(max(0.5 - distance * scale, 0.0), 1.0)


def _mixed(ground: tuple[int, int, int], paint: tuple[int, int, int], cover: float) -> tuple[int, int, int]:
    red, green, blue = (round(below + (above - below) * cover) for below, above in zip(ground, paint, strict=True))
    return red, green, blue


def _bubble(x: float, y: float) -> float:
    """A box with round corners, 20 by 13, and a tail under its left half."""
    across, down = abs(x - 16) - 7, abs(y - 15.5) - 3.5
    box = hypot(max(across, 0.0), max(down, 0.0)) + min(max(across, down), 0.0) - 3
    tail = max(12 - x, 20 - y, (4.5 * (x - 12) + 5 * (y - 26.5)) / hypot(4.5, 5))
    return min(box, tail)


def _tick(x: float, y: float) -> float:
    return min(_to_line(x, y, (10.5, 15.6), (13.9, 18.8)), _to_line(x, y, (13.9, 18.8), (21.3, 12.4))) - 1.2


def _to_line(x: float, y: float, start: tuple[float, float], end: tuple[float, float]) -> float:
    run, rise = end[0] - start[0], end[1] - start[1]
    part = ((x - start[0]) * run + (y - start[1]) * rise) / (run * run + rise * rise)
    part = min(max(part, 0.0), 1.0)
    return hypot(x - start[0] - part * run, y - start[1] - part * rise)
