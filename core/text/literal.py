"""Words written as the markup that says exactly them: the inverse of core.text.markup.

For words that come from a format without that markup. Only what would be read as markup is escaped, so that most words
stay as they are. Pipes alone cannot be kept from reading as the edges of cells.
"""

import re

_MARKUP = re.compile(
    r"(?P<run>\*++|_++)"
    r"|\\(?=[!-/:-@\[-`{-~]|\Z)|[`\[]|~(?=~)|(?<=~)~"
    r"|<(?!\s)|&(?=\#?\w{1,32};)|\{(?=[%{:\#.])"
)
_LINE_START = re.compile(
    r"(?P<number>\d{1,9}+(?=[.)](?:[ \t]|\Z)))"
    r"|(?=\#{1,6}+(?:[ \t]|\Z)|[-+*](?:[ \t]|\Z)|>|\+{3}|~{3}|[-=:|*_][-=:|*_ \t]*+\Z)"
)


def literal(words: str) -> str:
    """`words` with inline markup in them as text, whatever stands beside them but a link after `!`: a picture."""
    return _MARKUP.sub(_escaped, words)


def literal_line(line: str) -> str:
    """A line whose beginning opens no heading, item, quote, rule, fence or table."""
    found = _LINE_START.match(line)
    return line if found is None else line[: found.end()] + "\\" + line[found.end() :]


def _escaped(found: re.Match[str]) -> str:
    return "".join("\\" + char for char in found[0]) if not found["run"] or _may_mark(found) else found[0]


def _may_mark(found: re.Match[str]) -> bool:
    """A run between white space marks nothing, nor does one inside a name or a product."""
    before, after = _char(found.string, found.start() - 1), _char(found.string, found.end())
    if before.isspace() and after.isspace():
        return False
    inside = before.isalnum() and after.isalnum()
    return not (inside and (found[0][0] == "_" or (before.isdigit() and after.isdigit())))


def _char(text: str, at: int) -> str:
    return text[at : at + 1] if at >= 0 else ""
