"""The app's pictures are as Teams wants them, and those in the repository are what is drawn."""

import struct
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.channels.teams.icons import COLOR_SIZE, OUTLINE_SIZE, color_icon, outline_icon, size_of
from tests.support.node import FOLDER

ICONS = FOLDER.parents[1] / "manifests" / "teams"
GREEN, WHITE = (0x2F, 0x5D, 0x50), (255, 255, 255)


def pixels(png):
    """Its rows of (red, green, blue, alpha), after every checksum was looked at."""
    found, place = b"", 8
    while place < len(png):
        (length,) = struct.unpack(">I", png[place : place + 4])
        kind, data = png[place + 4 : place + 8], png[place + 8 : place + 8 + length]
        assert zlib.crc32(kind + data) == struct.unpack(">I", png[place + 8 + length : place + 12 + length])[0]
        found += data if kind == b"IDAT" else b""
        place += 12 + length
    (width, height), raw = size_of(png), zlib.decompress(found)
    assert len(raw) == height * (1 + 4 * width)
    rows = [raw[y * (1 + 4 * width) :][: 1 + 4 * width] for y in range(height)]
    assert {row[0] for row in rows} == {0}, "no row is filtered"
    return [[tuple(row[1 + 4 * x : 5 + 4 * x]) for x in range(width)] for row in rows]


@pytest.mark.parametrize(("name", "draw"), [("color.png", color_icon), ("outline.png", outline_icon)])
def test_the_file_in_manifests_is_what_is_drawn(name, draw):
    """Point by point: how tightly a picture is packed differs with the library."""
    assert pixels((ICONS / name).read_bytes()) == pixels(draw())


def test_the_coloured_one_is_opaque_and_its_sign_stands_in_the_middle_half():
    rows = pixels(color_icon())
    assert (len(rows), len(rows[0])) == (COLOR_SIZE, COLOR_SIZE) == (192, 192)
    assert {pixel[3] for row in rows for pixel in row} == {255}
    drawn = [(x, y) for y, row in enumerate(rows) for x, pixel in enumerate(row) if pixel[:3] != GREEN]
    assert all(48 <= x < 144 and 48 <= y < 148 for x, y in drawn)
    assert rows[96][60][:3] == WHITE
    assert rows[0][0][:3] == GREEN


def test_the_outline_is_white_on_nothing():
    rows = pixels(outline_icon())
    assert (len(rows), len(rows[0])) == (OUTLINE_SIZE, OUTLINE_SIZE) == (32, 32)
    assert {pixel[:3] for row in rows for pixel in row} == {WHITE}
    shades = [pixel[3] for row in rows for pixel in row]
    assert 100 < shades.count(255) < 500 < shades.count(0), "lines, and mostly nothing"
    edge = [*rows[0], *rows[-1], *(row[0] for row in rows), *(row[-1] for row in rows)]
    assert max(pixel[3] for pixel in edge) < 255, "nothing is cut off"


@given(st.binary(max_size=40), st.sampled_from([b"", b"\x89PNG\r\n\x1a\n", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"]))
def test_any_bytes_have_a_size_or_none(data, start):
    found = size_of(start + data)
    assert found is None or all(side >= 0 for side in found)
