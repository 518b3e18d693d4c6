"""Mail addresses and channels: where somebody is reached is told by every character."""

import regex

from core.text.fold import normal, plain

# Each begins where no character of its own kind stands before it, so that no run is read more than once.
_ADDRESS = regex.compile(r"(?<![\w.+-])[\w.+-]++@[\w-]++(?:\.[\w-]++)++|(?<![\w#&/])#(?=\p{L})[\w-]++")
_WRITTEN = regex.compile(r"[\w.+@-]++")


def addresses(text: str) -> list[str]:
    """In the text's order, channels without their sign."""
    return [found[0].lstrip("#") for found in _ADDRESS.finditer(normal(plain(text)))]


def written(text: str) -> frozenset[str]:
    """Whatever of a text might be an address."""
    return frozenset(found[0].strip(".-") for found in _WRITTEN.finditer(normal(plain(text))))
