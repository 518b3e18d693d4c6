"""What somebody typed, out of what Slack made of it: https://docs.slack.dev/messaging/formatting-message-text

Everything between `<` and `>` is Slack's own, since what people type there arrives as `&lt;` and `&gt;`.
"""

import re

from cards.text import clean

_MADE = re.compile(r"<([^<>]*)>|&(amp|lt|gt);")
_ENTITY = re.compile(r"&(amp|lt|gt);")
_MEANT = {"amp": "&", "lt": "<", "gt": ">"}
_SIGNS = {"@": "@", "#": "#", "!": "@"}


def spoken(text: str) -> str:
    """Plain words: links by their labels, people and channels by their names, or else their ids."""
    return clean(_MADE.sub(_typed, text)).strip()


def _typed(found: re.Match[str]) -> str:
    return _MEANT[found[2]] if found[2] else _named(found[1])


def _named(made: str) -> str:
    target, _, label = made.partition("|")
    sign = _SIGNS.get(target[:1], "")
    name = label or (target[1:].rpartition("^")[2] if sign else re.sub(r"^(mailto|tel):", "", target))
    name = _ENTITY.sub(lambda entity: _MEANT[entity[1]], name)
    return name if name.startswith(sign) or target.startswith("!date^") else sign + name
