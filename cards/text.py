"""What may be done to text that people and documents wrote, before a card shows it.

Text is data, so it is shown as it is, less what cannot be seen: control, direction and default-ignorable characters
are dropped, for they can hide words, reverse them or break a terminal. Some invisible characters carry meaning and
stay where they do: joiners inside emoji and in scripts that join, one variation selector after a visible character,
the tags of a subdivision flag. Whoever measures does so after escaping, in the platform's own unit, and text is only
ever cut between grapheme clusters. Text much longer than its place is cut to `beginning` before anything else, so that
the work is bounded by what is shown.
"""

from collections.abc import Callable, Iterator
from urllib.parse import urlsplit

import regex

ELLIPSIS = "…"
FIRST_STRONG_ISOLATE, POP_ISOLATE = "\u2068", "\u2069"
WORD_JOINER = "\u2060"
LONGEST_URL = 1_500
CODE_POINTS_PER_SHOWN = 8

Measure = Callable[[str], int]

_NEWLINE = regex.compile(r"\r\n?|[\u0085\u2028\u2029\x0b\x0c]")
_UNENCODABLE = regex.compile(r"[\ud800-\udfff]")
_HIDDEN = regex.compile(r"[\p{DI}\p{Cc}\uFFF9-\uFFFB--[\n\t]]", regex.VERSION1)
_HIDDEN_NOT_KEPT = regex.compile(
    r"""
    (?:
        \U0001F3F4[\U000E0030-\U000E0039\U000E0061-\U000E007A]{1,6}\U000E007F
      | (?<=[\p{Extended_Pictographic}\p{Emoji_Modifier}\uFE0F\u20E3\U000E007F])\u200D(?=\p{Extended_Pictographic})
      | (?<=[\p{M}\p{Arabic}\p{Syriac}\p{Mongolian}\p{Nko}--\p{DI}])[\u200C\u200D](?=[\p{L}\p{M}])
      | (?<=\p{Han})[\U000E0100-\U000E01EF]
      | (?<=[^\s\p{DI}])[\uFE00-\uFE0F]
    )(*SKIP)(*FAIL)
    | [\p{DI}\p{Cc}\uFFF9-\uFFFB--[\n\t]]
    """,
    regex.VERBOSE | regex.VERSION1,
)
_GAP = regex.compile(r"[\p{Zs}\n\t\r\x0b\x0c\x85\u2028\u2029][\s\p{DI}\p{Cc}\uFFF9-\uFFFB]++")
# For each of a row of flags, `\X` alone goes back to where the row begins.
_CLUSTER = regex.compile(r"\p{RI}{2}(?=\p{RI})|\X")
_ENDED = regex.compile(r"[.!?…。！？][\p{Pe}\p{Pf}\"'\u2069]*\Z")
_BLANK = regex.compile(r"[\s\u2800]*")
_RIGHT_TO_LEFT = regex.compile(r"[\p{Bidi_Class=R}\p{Bidi_Class=AL}]")
_URL = regex.compile(r"https?://[^\s\\<>\"'`|{}^]+", regex.IGNORECASE)


def clean(text: str) -> str:
    """The visible part of `text`; lines end in a newline, halves of surrogate pairs become U+FFFD."""
    if text.isprintable() and text.isascii():
        return text
    text = _UNENCODABLE.sub("\ufffd", _NEWLINE.sub("\n", text))
    while _HIDDEN.search(text):
        shorter = _HIDDEN_NOT_KEPT.sub("", text)
        if shorter == text:
            break
        text = shorter  # what leaned on a character that is gone goes too
    return text


def beginning(text: str, limit: int) -> str:
    """As much of `text` as can matter where `limit` characters of it are shown: beyond is only what nobody sees."""
    return text[: limit * CODE_POINTS_PER_SHOWN]


def beginning_of_line(text: str, limit: int) -> str:
    """The same where it is shown as one line: white space counts once there, with what is hidden in it."""
    return beginning(_GAP.sub(" ", text, count=limit * CODE_POINTS_PER_SHOWN), limit)


def one_line(text: str) -> str:
    """`text` cleaned, every run of white space one space, none at the ends."""
    return " ".join(clean(text).split())


def is_blank(text: str) -> bool:
    return _BLANK.fullmatch(clean(text)) is not None


def clusters(text: str) -> Iterator[str]:
    """What a reader takes for one character each."""
    return (found[0] for found in _CLUSTER.finditer(text))


def ended(text: str) -> bool:
    """Whether `text` ends as a sentence does, an ellipsis among them."""
    return _ENDED.search(text) is not None


def isolate(text: str) -> str:
    """Right-to-left text must not reorder the sentence it stands in."""
    return f"{FIRST_STRONG_ISOLATE}{text}{POP_ISOLATE}" if _RIGHT_TO_LEFT.search(text) else text


def shown(text: str) -> str:
    """`text` as every surface shows it, before that surface's own escaping."""
    return isolate(clean(text))


def utf16_length(text: str) -> int:
    """Characters as JavaScript counts them: never fewer than Python does, so safe for a platform that says neither."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def truncate(text: str, limit: int, measure: Measure = utf16_length) -> str:
    """The longest start of `text`, whole clusters and an ellipsis, that measures at most `limit`.

    `measure` must be additive over clusters, as every escaper here is.
    """
    if measure(text) <= limit:
        return text
    room, kept = limit - measure(ELLIPSIS), 0
    for cluster in clusters(text):
        room -= measure(cluster)
        if room < 0:
            break
        kept += len(cluster)
    return text[:kept].rstrip() + ELLIPSIS if limit >= measure(ELLIPSIS) else ""


def safe_link(url: str | None) -> str | None:
    """`url` if it is plain http(s) with a host and no user name in front of it; else None."""
    if not url or len(url) > LONGEST_URL or clean(url) != url or not _URL.fullmatch(url):
        return None
    try:
        parts = urlsplit(url)
        usable = bool(parts.hostname) and "@" not in parts.netloc and (parts.port is None or parts.port > 0)
    except ValueError:
        return None
    return url if usable else None
