r"""How people name a section: the uri of its document, `#`, and its headings, outermost first, with `/` between.

`handbook/travel.md#Travel/Meals`. A `/` or `\` that belongs to a heading has a `\` before it. Of sections with the same
headings the second ends in `#2`, the third in `#3`; where a last heading itself ends so, its `#` has a `\` before it.
So no two sections of a document are written alike. As uris may hold a `#` as well, a name can be read in several ways.
"""

from collections.abc import Iterator, Sequence
from difflib import get_close_matches

import regex

from core.model.documents import Section
from core.text.fold import normal

_OF_A_HEADING = regex.compile(r"[\\/]")
_LIKE_A_NUMBER = regex.compile(r"#(?=\d+\Z)")


def reference(uri: str, section: Section) -> str:
    """The name of a section; of what stands before the first heading, that of the document."""
    return f"{uri}#{written(section)}" if section.path else uri


def written(section: Section) -> str:
    """What stands behind the `#`."""
    headings = "/".join(_OF_A_HEADING.sub(r"\\\g<0>", heading) for heading in section.path)
    return _LIKE_A_NUMBER.sub(r"\#", headings) + (f"#{section.repeat + 1}" if section.repeat else "")


def readings(name: str) -> Iterator[tuple[str, str | None]]:
    """Each (uri, headings) that a name may mean, the longest uri first; None: the document itself."""
    yield name, None
    for place in range(len(name) - 1, -1, -1):
        if name[place] == "#":
            yield name[:place], name[place + 1 :]


def matching(headings: str, sections: Sequence[Section]) -> list[Section]:
    """The section that is written so, or else all that differ from it in case, white space and the like alone."""
    written_so = [section for section in sections if written(section) == headings]
    return written_so or [section for section in sections if _alike(written(section)) == _alike(headings)]


def near(headings: str, sections: Sequence[Section]) -> list[str]:
    """What somebody may have meant, likeliest first."""
    names = {_alike(written(section)): written(section) for section in reversed(sections)}
    return [names[found] for found in get_close_matches(_alike(headings), names, cutoff=0.4)]


def _alike(text: str) -> str:
    return " ".join(normal(text).split())
