"""Text in an Adaptive Card: what documents and people wrote is shown literally, wherever it stands.

TextRun parses no Markdown, so all text goes there, but Teams expands no dates in it; a line with a moment therefore
becomes one TextBlock, whose Markdown characters are escaped. What no escape covers is broken by a word joiner, which
nobody sees: `{{` (date functions, read in every text), `<` before a letter (tags), `&` (entities), addresses (links of
themselves), and what means something at the start of a line; at the end of a piece too, because the next piece may go
on with what was begun.
"""

from collections.abc import Iterator
from typing import Any

import regex

from cards.inline import Code, Date, Leaf, Link, Piece, Plain, Words, leaves, spelled
from cards.text import WORD_JOINER, clean, is_blank

Json = dict[str, Any]

_FUNCTION = regex.compile(r"[{$](?=\{|\Z)")
_TAG_OR_ENTITY = regex.compile(r"<(?=[\p{L}/!?]|\Z)|&(?=[#\p{L}]|\Z)")
_MARKDOWN = regex.compile(r"[\\*_\[\]~`]")
_ADDRESS = regex.compile(r":(?=//)|(?<=www)(?=\.)|@", regex.IGNORECASE)
_LINE_START = regex.compile(r"^(?=[#>+\s-]|\d+[.)])", regex.MULTILINE)


def literal(text: str) -> str:
    """For a TextRun or a label: nothing in it is expanded."""
    return _FUNCTION.sub(lambda found: found[0] + WORD_JOINER, text)


def unmarked(text: str) -> str:
    """For a plain text that a client may take for HTML: no tag or entity either."""
    return _TAG_OR_ENTITY.sub(lambda found: found[0] + WORD_JOINER, literal(text))


def escape_markdown(text: str) -> str:
    """For a TextBlock: nothing in it is markup, an address, an entity, a tag or a function."""
    return _LINE_START.sub(WORD_JOINER, _escaped(text))


def _escaped(text: str) -> str:
    joined = _ADDRESS.sub(lambda found: found[0] + WORD_JOINER, unmarked(text))
    return _MARKDOWN.sub(r"\\\g<0>", joined)


def lines(words: Words, *, subtle: bool = False, spacing: str = "Default") -> Iterator[Json]:
    """One element a paragraph: a newline inside a run is not kept by every client."""
    style: Json = {"isSubtle": True} if subtle else {}
    for index, paragraph in enumerate(paragraphs(words)):
        gap = spacing if index == 0 else "Small"
        if any(isinstance(leaf, Date) and leaf.style == "moment" for leaf, _ in paragraph):
            yield {"type": "TextBlock", "wrap": True, "spacing": gap, **style, "text": _dated(paragraph)}
        else:
            shown = [run(leaf, style | ({"weight": "Bolder"} if bold else {})) for leaf, bold in paragraph]
            yield {"type": "RichTextBlock", "spacing": gap, "inlines": shown}


Paragraph = list[tuple[Leaf, bool]]


def paragraphs(words: Words) -> list[Paragraph]:
    """What is in each line, of the lines in which there is something to see."""
    found: list[Paragraph] = [[]]
    for leaf, bold in leaves(words):
        first, *rest = _by_line(leaf)
        found[-1].append((first, bold))
        found += [[(part, bold)] for part in rest]
    return [kept for kept in map(_visible, found) if kept]


def _by_line(leaf: Leaf) -> list[Leaf]:
    if isinstance(leaf, Plain):
        return [Plain(text) for text in clean(leaf.text).split("\n")]
    return [Piece(text) for text in leaf.text.split("\n")] if isinstance(leaf, Piece) else [leaf]


def _visible(paragraph: Paragraph) -> Paragraph:
    kept = [(leaf, bold) for leaf, bold in paragraph if spelled(leaf)]
    return [] if is_blank("".join(spelled(leaf) for leaf, _ in kept)) else kept


def run(leaf: Leaf, style: Json) -> Json:
    run: Json = {"type": "TextRun", "text": literal(spelled(leaf)), **style}
    if isinstance(leaf, Code):
        run["fontType"] = "Monospace"
    if isinstance(leaf, Link):
        run["selectAction"] = {"type": "Action.OpenUrl", "url": leaf.url}
    return run


def _dated(paragraph: Paragraph) -> str:
    pieces = (_token(leaf) if isinstance(leaf, Date) else _escaped(spelled(leaf)) for leaf, _ in paragraph)
    return _LINE_START.sub(WORD_JOINER, "".join(pieces))


def _token(date: Date) -> str:
    if date.style == "day":
        return date.words()
    at = f"{date.at().replace(microsecond=0, tzinfo=None).isoformat()}Z"
    return f"{{{{DATE({at},SHORT)}}}}, {{{{TIME({at})}}}}"
