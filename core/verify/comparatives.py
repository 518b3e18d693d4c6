"""What the words around a number make of it: `more than 5` is no 5 but everything above it.

A comparative compares ("more than 4,700 came": 4,812 bears it out), sets a limit ("up to 500 people": the limit itself
is what is said, and another limit is another statement), or says that a number is rough. Only the words that touch a
number are read; where none of these stands, the number is meant as it is.
"""

from collections.abc import Mapping
from enum import StrEnum

import regex

REACH = 48
"""Characters on either side of a number in which the words that touch it lie."""


class Bound(StrEnum):
    EXACT = "exact"
    MORE = "more than"
    LEAST = "at least"
    LESS = "less than"
    MOST = "at most"
    ABOUT = "about"
    BEFORE = "before"
    AFTER = "after"
    BETWEEN = "between"
    RANGE = "from … to"
    DURING = "during"

    @property
    def is_range(self) -> bool:
        return self in {Bound.BETWEEN, Bound.RANGE}

    @property
    def is_above(self) -> bool:
        return self in {Bound.MORE, Bound.LEAST, Bound.AFTER}

    @property
    def is_below(self) -> bool:
        return self in {Bound.LESS, Bound.MOST, Bound.BEFORE}

    @property
    def is_limit(self) -> bool:
        return self in {Bound.LEAST, Bound.MOST, Bound.BEFORE, Bound.AFTER}

    @property
    def is_closed(self) -> bool:
        """Whether the number itself is within."""
        return self in {Bound.LEAST, Bound.MOST}


_AHEAD = {
    Bound.MOST: r"(?:no|not|never) (?:more|greater|higher|larger|longer|later|older) than|at (?:the )?(?:very )?most|"
    r"up to|as (?:many|much|long|late) as|maximum of|(?:not|never|cannot|\p{L}{1,8}n't) (?:to )?exceed(?:ing)?|"
    r"not over|(?:equal to|equal) (?:and|or) (?:under|below|less than)|"
    r"(?:under|below|less than) or equal to|<=|≤",
    Bound.LEAST: r"(?:no|not|never) (?:less|fewer|lower|smaller|shorter|earlier|younger) than|"
    r"at (?:the )?(?:very )?least|minimum of|not (?:under|below)|"
    r"(?:equal to|equal) (?:and|or) (?:over|above|more than|greater than)|"
    r"(?:over|above|more than|greater than) or equal to|>=|≥",
    Bound.MORE: r"(?:more|greater|higher|larger|bigger|longer|older|farther|further) than|over|above|beyond|"
    r"in excess of|upwards? of|exceed(?:s|ed|ing)?|(?:sur|out)pass(?:es|ed|ing)?|>",
    Bound.LESS: r"(?:less|fewer|lower|smaller|shorter|younger) than|under|below|short of|<",
    Bound.ABOUT: r"about|around|roughly|approximately|approx[.]?|circa|ca[.]|some|nearly|almost|close to|estimated|~",
    Bound.BEFORE: r"before|prior to|earlier than|ahead of",
    Bound.AFTER: r"after|later than",
    Bound.BETWEEN: r"between|anywhere from",
}
_BEHIND = {
    Bound.LEAST: r"(?:or|and) (?:more|above|higher|over|longer|later|older|greater|up)|at (?:the )?(?:very )?least|\+",
    Bound.MOST: r"(?:or|and) (?:less|fewer|below|lower|under|shorter|earlier|younger)|at (?:the )?(?:very )?most|max",
    Bound.ABOUT: r"or (?:so|thereabouts)",
}


def _named(phrases: Mapping[Bound, str]) -> str:
    return "|".join(f"(?P<{bound.name}>{words})" for bound, words in phrases.items())


_FILLER = r"(?:(?:an?|the|only|just|about|around|roughly|approximately) )?(?:(?:total|sum|minimum|maximum) of )?"
_BEFORE = regex.compile(rf"(?<![\p{{L}}\d'-])(?:{_named(_AHEAD)}) ?{_FILLER}$")
_AFTER = regex.compile(rf"(?: [\p{{L}}-]++){{0,2}}? ?(?:{_named(_BEHIND)})(?![\p{{L}}\d])")
_PICKING = regex.compile(
    r"(?<!\p{L})(?:with|without|for|that|which|who|whose|if|when|whenever|where|unless|any|each|every|all)"
    r"(?: [\p{L}'-]++){0,2} $"
)


def bound_of(ahead: str, behind: str) -> tuple[Bound, bool]:
    """What a number is made by the folded text before and after it, and whether that picks out what is spoken of.

    In "trainings that cost less than 3,000" the bound tells which trainings; another bound would tell of others.
    """
    if found := _BEFORE.search(ahead):
        return Bound[str(found.lastgroup)], bool(_PICKING.search(ahead[: found.start()]))
    found = _AFTER.match(behind)
    return (Bound[str(found.lastgroup)] if found else Bound.EXACT), False


class Side(StrEnum):
    """Of which end of a time a date or hour tells: since then, or until then."""

    NEITHER = ""
    START = "start"
    END = "end"


_SIDES = regex.compile(
    r"\b(?:(?P<START>since|from|starting|beginning|effective)|(?P<END>until|till|through|by|ends?|ending|expires))"
    r"(?: (?:on|at|the|around|about))? $"
)


def side_of(ahead: str) -> Side:
    found = _SIDES.search(ahead)
    return Side[str(found.lastgroup)] if found else Side.NEITHER
