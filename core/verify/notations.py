"""Notations that say the same, written as one: `½` is 0.5, noon 12:00, `Distance (km): 35` 35 km, weekdays Monday to
Friday. What is ambiguous stays as it is written.
"""

import regex

from core.verify.currencies import CODES
from core.verify.units import UNIT_NAMES

_MONEY = r"(?:€|[$£¥₹]|\b(?:eur|usd|gbp|chf|euros?|dollars?|francs?|pln|sek|nok|dkk|czk)\b)"
_DAYS = {
    "monday": "mon",
    "tuesday": "tue|tues",
    "wednesday": "wed",
    "thursday": "thu|thur|thurs",
    "friday": "fri",
    "saturday": "sat",
    "sunday": "sun",
}
_DAY_OF = {name: day for day, names in _DAYS.items() for name in (day, *names.split("|"))}
_DAY = "|".join(sorted((*_DAY_OF, *(f"{day}s" for day in _DAYS)), key=len, reverse=True))
_BESIDE = r"\.? ?(?:-|to|through|until|and|or|&|,|/) ?"
_SHORT_DAYS = regex.compile(
    r"\b(?P<name>mon|tues?|thu(?:rs?)?|fri)\b\.?"
    rf"|\b(?P<name>wed|sat|sun)\b(?={_BESIDE}(?:{_DAY})\b)\.?"
    rf"|(?<=\b(?:{_DAY}){_BESIDE})(?P<name>wed|sat|sun)\b\.?"
    r"|(?<=\b(?:on|every|each) )(?P<name>wed|sat|sun)\b(?! \p{L})\.?"
)
_UNIT = "|".join(sorted((*map(regex.escape, UNIT_NAMES - {"min"}), "%"), key=len, reverse=True))
_PERIODS = {f"{period}s" for period in ("second", "minute", "day", "night", "week", "month", "year")}
_BARE = "|".join(sorted(CODES | {"%", "gb", "mb", "kb", "tb", "km", "kg", "cm", "mm", "kw", "kwh"} | _PERIODS))
_GLUED = r"(?:km|cm|mm|kg|mg|ml|[kmgt]b|ms|[kmg]wh?|[km]?hz|ghz|h|hrs?|mins?|secs?|lbs?|oz)"
_CELL = r"(?P<cell>(?:\p{L}++ ){0,3}(?:[<>≤≥~] ?)?-?\d[\d.,']*+(?: ?(?:-|to) ?\d[\d.,']*+)?)"
_HEADED = regex.compile(
    rf"(?: [(\[](?:in )?(?P<unit>{_UNIT})s?(?: (?P<scale>thousand|million|billion)s?)?"
    r"(?P<per>(?:/| per )\p{L}++)?[)\]]"
    rf"|(?:,| in) (?P<unit>{_UNIT})s?| (?P<unit>{_BARE})(?=:))"
    rf"(?P<title>[^():|·.;\d]{{0,30}}): ?{_CELL}(?! ?(?:{_UNIT})|[\p{{L}}\d:/-])"
)
_NOT_COUNTED = r"(?<!\d |\b(?:one|two|three|four|five|six|seven|eight|nine|ten) )"
_REWRITTEN: tuple[tuple[regex.Pattern[str], str], ...] = (
    (regex.compile(r"(?<=\d)'(?=\d{3}(?!\d))"), ""),
    (regex.compile(r"\b(?:12 )?noon\b"), "12:00"),
    (regex.compile(r"\b(?:12 )?midnight\b"), "00:00"),
    (regex.compile(r"\bcentral european (?:standard |summer )?time\b"), "cet"),
    (regex.compile(r"\bcoordinated universal time\b"), "utc"),
    (regex.compile(r"\bgreenwich mean time\b"), "gmt"),
    (regex.compile(r"\bbritish summer time\b"), "bst"),
    (regex.compile(r"\bindian standard time\b"), "ist"),
    (regex.compile(r"(?<=\d)(?=°[cf]\b)"), " "),
    (regex.compile(r"°c\b"), "celsius"),
    (regex.compile(r"°f\b"), "fahrenheit"),
    (regex.compile(r"\b(?:(?:an?|one|1) )?fortnight\b"), "2 weeks"),
    (regex.compile(rf"(?<=(?<![\p{{L}}\d.,-])\d[\d.,]{{0,12}})(?={_GLUED}\b)"), " "),
    (regex.compile(rf"{_NOT_COUNTED}\bweekdays?\b"), "monday to friday"),
    (regex.compile(rf"{_NOT_COUNTED}\bweekends?\b"), "saturday to sunday"),
)
_FRACTION = regex.compile(r"(?<![\d.,/])(?:(\d{1,6}) )?(\d)\u2044(\d)(?!\d)")
_SPACED = regex.compile(
    rf"(?<=(?:{_MONEY}) ?)\d{{1,3}}(?: \d{{3}})++(?!\d)"
    rf"|(?<![\d.,] ?)\d{{1,3}}(?: \d{{3}})++(?=(?:[.,]\d\d?)? ?{_MONEY})"
    rf"|(?<![\p{{L}}\d.,] ?)\d{{1,3}}(?: \d{{3}})*+(?<= 000)(?= (?:{_UNIT}))"
)
_EUROPEAN = regex.compile(r"(?<![\d.,])(?:\d{1,3}(?:\.\d{3})++|\d{1,3}),\d\d(?![.,]?\d)")
_WHOLE_EUROPEAN = regex.compile(
    rf"(?<={_MONEY} ?)\d{{1,3}}(?:\.\d{{3}}){{2,}}+(?![.,]?\d)|(?<![\d.,])\d{{1,3}}(?:\.\d{{3}}){{2,}}+(?= ?{_MONEY})"
)
_ONE_IN = regex.compile(r"\b(?:1|one) (?:in|out of) (?:every )?(\d{1,3})\b(?! ?(?:%|st|nd|rd|th)\b)(?= \p{L}|$|[.,;])")


def respelled(folded: str) -> str:
    """Of folded text, in one notation each."""
    for pattern, put in _REWRITTEN:
        folded = pattern.sub(put, folded)
    folded = _FRACTION.sub(_decimal, folded)
    folded = _SPACED.sub(lambda found: found[0].replace(" ", ""), folded)
    folded = _EUROPEAN.sub(lambda found: found[0].replace(".", "").replace(",", "."), folded)
    folded = _WHOLE_EUROPEAN.sub(lambda found: found[0].replace(".", ""), folded)
    folded = _SHORT_DAYS.sub(lambda found: _DAY_OF[found["name"]], folded)
    return _HEADED.sub(_with_unit, folded)


def shares(folded: str) -> str:
    """`1 in 5` as 20%, where it comes out even; of text whose numbers are digits."""
    return _ONE_IN.sub(_share, folded)


def _decimal(found: regex.Match[str]) -> str:
    whole, part, of = int(found[1] or 0), int(found[2]), int(found[3])
    eighths = of and 1000 * part % of == 0
    return f"{whole + part / of:g}" if eighths else found[0]


def _share(found: regex.Match[str]) -> str:
    of = int(found[1])
    return f"{100 // of}%" if of and 100 % of == 0 else f"1/{of}" if of else found[0]


def _with_unit(found: regex.Match[str]) -> str:
    scale = f" {found['scale']}" if found["scale"] else ""
    unit = "%" if found["unit"] == "%" else f"{scale} {found['unit']}"
    return f"{found['title']}: {found['cell']}{unit}{found['per'] or ''}"
