"""The app's package, which an admin uploads: a zip of manifest and pictures, for the same app the same bytes."""

import json
from collections.abc import Mapping
from io import BytesIO
from zipfile import ZIP_STORED, ZipFile, ZipInfo

from bot.channels.manifests import Json
from bot.channels.teams.icons import COLOR_SIZE, OUTLINE_SIZE, color_icon, outline_icon, size_of
from bot.channels.teams.manifest import COLOR_FILE, OUTLINE_FILE, problems

MANIFEST_FILE = "manifest.json"
SIZES = {COLOR_FILE: COLOR_SIZE, OUTLINE_FILE: OUTLINE_SIZE}
_UNIX, _READABLE = 3, 0o100644 << 16

Files = Mapping[str, bytes]


def as_text(made: Json) -> str:
    return json.dumps(made, indent=2, ensure_ascii=False) + "\n"


def contents(made: Json) -> Files:
    """The files of a package, by their names."""
    return {MANIFEST_FILE: as_text(made).encode(), COLOR_FILE: color_icon(), OUTLINE_FILE: outline_icon()}


def contents_problems(files: Files) -> list[str]:
    """What is wrong with the files of a package, a sentence each, whatever they may hold."""
    try:
        found = json.loads(files.get(MANIFEST_FILE, b"null"))
    except ValueError:
        return [f"{MANIFEST_FILE} must be JSON"]
    return [*problems(found), *(words for name in SIZES for words in _picture(name, files.get(name, b"")))]


def pack(files: Files) -> bytes:
    """The zip. Its files stand at its top, as Teams wants them, and bear the oldest time that a zip knows."""
    whole = BytesIO()
    with ZipFile(whole, "w", ZIP_STORED) as package:
        for name, data in files.items():
            entry = ZipInfo(name)
            entry.create_system, entry.external_attr = _UNIX, _READABLE
            package.writestr(entry, data)
    return whole.getvalue()


def _picture(name: str, png: bytes) -> list[str]:
    size = SIZES[name]
    return [] if size_of(png) == (size, size) else [f"{name} must be a PNG of {size} by {size}"]
