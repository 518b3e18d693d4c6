"""Which currency is meant: ISO 4217 codes that are no English words, and whose dollars or crowns."""

import regex

_LISTED = (
    "eur usd gbp jpy chf inr cad aud cny dkk sek nok isk pln czk huf ron bgn uah rub brl mxn ars clp zar krw sgd hkd "
    "twd nzd thb idr myr php vnd aed sar qar kwd bhd omr jod ils egp ngn kes ghs mad tnd pkr bdt lkr"
)
CODES = frozenset(_LISTED.split())
_FAMILIES = {"krone": {"dkk", "sek", "nok", "isk"}, "pound": {"gbp", "egp"}}
_BEFORE_SIGN = {
    "us": "usd",
    "c": "cad",
    "ca": "cad",
    "a": "aud",
    "au": "aud",
    "hk": "hkd",
    "s": "sgd",
    "nz": "nzd",
    "mx": "mxn",
    "r": "brl",
    "nt": "twd",
}
_WHOSE = {
    "us": "usd",
    "u.s.": "usd",
    "american": "usd",
    "canadian": "cad",
    "australian": "aud",
    "hong kong": "hkd",
    "singapore": "sgd",
    "new zealand": "nzd",
    "taiwan": "twd",
}
_CODE_AHEAD = regex.compile(rf"(?<![\p{{L}}\d])(?:{'|'.join(sorted(CODES))})(?= ?$)")
_LETTERS_AHEAD = regex.compile(rf"(?<![\p{{L}}\d])(?:{'|'.join(_BEFORE_SIGN)})$")
_DOLLARS = regex.compile(rf" ({'|'.join(map(regex.escape, _WHOSE))}) dollars?\b")


def code_ahead(ahead: str) -> str | None:
    """The code at the end of the folded text before a number."""
    found = _CODE_AHEAD.search(ahead)
    return found[0] if found else None


def whose_dollars(behind: str) -> str | None:
    """Those of the folded text after a number: 50 Canadian dollars."""
    found = _DOLLARS.match(behind)
    return _WHOSE[found[1]] if found else None


def dollars(currency: str, ahead: str) -> str:
    """Those of `C$` and `HK$` are others than those of `$`."""
    found = _LETTERS_AHEAD.search(ahead) if currency == "usd" else None
    return _BEFORE_SIGN[found[0]] if found else currency


def same_measure(one: str, other: str) -> bool:
    """Crowns may be those of any of their countries, and pounds a currency's."""
    return one == other or other in _FAMILIES.get(one, ()) or one in _FAMILIES.get(other, ())
