"""A run of words in a page, written as Markdown: white space as a browser shows it, links, and what is struck out."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import quote

from core.text.literal import literal, literal_line

_SPACES = re.compile(r"[ \t\n\r\f]+")
_BREAK = re.compile(r"\n{2,}")
_DROPPED = re.compile(r"[\x00-\x1f\x7f]+")
_RUNS = re.compile(r"(?:javascript|vbscript|file|data):", re.IGNORECASE)
_ENCODED = re.compile(r"[\s<>\\|`\"]|&(?=\#?\w{1,32};)")
_BALANCED = re.compile(r"(?:[^()]|\([^()]*+\))*+")
_LONGEST_TARGET = 2000


@dataclass(frozen=True, slots=True)
class Style:
    """`target`: where a link leads; `link` tells neighbouring links to one place apart."""

    target: str = ""
    link: int = 0
    struck: bool = False


class Words:
    """Takes words in order; white space that runs on counts once, and none at the ends."""

    def __init__(self) -> None:
        self._forget()

    def _forget(self) -> None:
        self._pieces: list[tuple[Style, list[str]]] = []
        self._apart = True

    def add(self, text: str, style: Style) -> None:
        words = _SPACES.sub(" ", text)
        words = words[1:] if self._apart and words.startswith(" ") else words
        if words:
            self._piece(style).append(words)
            self._apart = words.endswith(" ")

    def end_line(self) -> None:
        self._pieces.append((Style(), ["\n"]))
        self._apart = True

    def _piece(self, style: Style) -> list[str]:
        if not self._pieces or self._pieces[-1][0] != style or self._pieces[-1][1] == ["\n"]:
            self._pieces.append((style, []))
        return self._pieces[-1][1]

    def paragraphs(self) -> list[str]:
        """The Markdown of the words so far, which are then forgotten; an empty line ends a paragraph."""
        if not self._pieces:
            return []
        text = "".join(_written((style, "".join(words)) for style, words in self._pieces))
        self._forget()
        lines = "\n".join(line.strip(" ") for line in text.split("\n")).strip("\n")
        return ["\n".join(map(literal_line, each.split("\n"))) for each in _BREAK.split(lines) if each.strip()]


def _written(pieces: Iterator[tuple[Style, str]]) -> list[str]:
    written: list[str] = []
    for style, words in pieces:
        core = words.strip(" ")
        if not core or _is_permalink(style, core):
            written.append(words if not core else "")
            continue
        if style.target and written and written[-1].endswith("!"):
            written[-1] = written[-1][:-1] + r"\!"
        start = words.index(core)
        written.append(words[:start] + _marked(core, style) + words[start + len(core) :])
    return written


def _is_permalink(style: Style, words: str) -> bool:
    """The sign beside a heading that links to the heading itself."""
    return style.target.startswith("#") and not any(map(str.isalnum, words))


def _marked(words: str, style: Style) -> str:
    if words == "\n":
        return words
    text = literal(words)
    if style.struck:
        text = f"<del>{text}</del>"
    return "[" + text.replace("]", r"\]") + f"]({style.target})" if style.target else text


def target(address: str) -> str:
    """A link's address as Markdown writes it; empty where a link leads nowhere, or would run something."""
    shown = _DROPPED.sub("", address).strip()
    if not shown or len(shown) > _LONGEST_TARGET or _RUNS.match(shown):
        return ""
    encoded = _ENCODED.sub(lambda found: quote(found[0], safe=""), shown)
    return encoded if _BALANCED.fullmatch(encoded) else encoded.replace("(", "%28").replace(")", "%29")
