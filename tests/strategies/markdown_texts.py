"""Markdown texts whose words are known: `seen0q`, `seen1q` … must be citable, `gone0q`, `gone1q` … never."""

import re
from itertools import count

from hypothesis import strategies as st

_PIECES = [
    "# {v}",
    "### {v} <!-- {h} -->",
    "{v} {v}\n{v}",
    "{v} *{v}* `{v}` [{v}](http://a.example/x_(y))",
    "{v}\n=====",
    "- {v}\n- {v}\n  - {v}\n\n  {v}",
    "3) {v}\n4) {v}",
    "- - {v}",
    "- [x] {v}",
    "> {v}\n> {v}\n{v}",
    "```sh\n{v}\n# {v}\n```",
    "~~~\n<!-- {v} -->\n~~~",
    "    {v}",
    "| {v} | {v} |\n|---|---|\n| {v} | {v} |\n| {v} | {v} <!-- {h} --> |",
    "{v} | {v}\n--- | ---\n{v} | {v}",
    "<!-- {h} -->",
    "<!--\n{h}\n\n# {h}\n-->",
    "<!-- {h} --> {v}",
    "{v} <!-- {h} --> {v}",
    "{v} <!-- {h}\n{h} --> {v}",
    "<div>\n{v}\n<!-- {h} -->\n{v}\n</div>",
    "<div><!-- {h}\n\n# {h}\n\n- {h} --></div>",
    "<details><summary>{v}</summary>\n\n## {v}\n\n</details>",
    "<pre>\n# {v}\n</pre>",
    "`<!-- {v} -->`",
    "\\<!-- {v} -->",
    "![{v} <!-- {h} --> {v}](a.png)",
    "[^1]: {v}",
    "[ref{h}]: http://a.example/{h}",
    "- {v}\n\n  [ref{h}]: http://a.example/{h}\n\n  {v}",
    "***",
    "*",
    ">",
    "#",
    "{v}:",
    "&lt;{v}&gt;",
    "- " * 40 + "{v}",
    ">" * 80 + " {v}",
]


def _quoted(text: str) -> str:
    return "\n".join(f"> {line}" for line in text.split("\n"))


def _item(text: str) -> str:
    return "- " + "\n".join(f"  {line}" if line else "" for line in text.split("\n")).removeprefix("  ")


def _numbered(text: str) -> str:
    seen, gone = count(), count()
    return re.sub(r"\{([vh])\}", lambda found: f"seen{next(seen)}q" if found[1] == "v" else f"gone{next(gone)}q", text)


_bodies = st.recursive(
    st.sampled_from(_PIECES),
    lambda inner: st.one_of(
        st.lists(inner, min_size=1, max_size=5).map("\n\n".join), inner.map(_quoted), inner.map(_item)
    ),
    max_leaves=12,
)
_endings = st.sampled_from(["", "\n", "\n\n```\n{v}", "\n\n<!-- {v}\n\n{v}", "\n\n{v} <!-- {v}"])

known_texts = st.tuples(_bodies, _endings).map("".join).map(_numbered)
"""Texts made of pieces nested in each other, some ending in something never closed."""

odd_texts = st.text("ab1 \n\t#*_`[]()<>!-|:=~.\\&+\r\x0b\x0c\x1c\x85\u2028\u00a0e\u0301漢。🏽👩", max_size=120)
"""Anything at all out of the characters that mean something to a reader."""


def seen_words(text: str) -> list[str]:
    return re.findall(r"seen\d+q", text)
