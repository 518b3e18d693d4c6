"""Questions that go on from the ones before: "and in Berlin?". Pure.

A few words that do not say what they ask are asked together with what was asked before. Only they: who writes a whole
question means another one. And what was found for both must hold each content word of the new one, or it would answer
the question before once more. What it is in other words or another language is lost then, and nothing is made up.
"""

from collections.abc import Sequence

import regex

from core.generate.nearness import held
from core.model.threads import Before
from core.text.terms import terms

LOOKED_BACK = 8
"""Questions before this one among which the one is looked for that said what all of them are about."""
_FEW_TERMS = 4
_LINKS = regex.compile(
    r"[¿¡\s]*(?:and|or|but|so|also|then|what about|how about|what if|same|und|oder|aber|auch|wie (?:ist|sieht) es|et|ou"
    r"|mais|y|o|pero|qué tal|e|ma|那么?|那麼|じゃあ?|では|それでは|그럼|그러면)(?:\b|(?=\p{Han}|\p{Kana}|\p{Hangul}))",
    regex.IGNORECASE,
)
_ASKS = regex.compile(
    r"\W*(?:what|what's|who|whom|whose|when|where|which|why|how|is|are|was|were|do|does|did|can|could|may|must|should|will"
    r"|would|has|have|had|was|wer|wem|wen|wessen|wann|wo|wohin|woher|welche[rsnm]?|warum|wieso|wie|ist|sind|war|hat|haben"
    r"|kann|können|darf|dürfen|muss|müssen|soll|sollen|wird|werden|gibt|qui|que|quoi|quand|où|quel(?:le)?s?|pourquoi"
    r"|comment|combien|est-ce|quién|qué|cuándo|dónde|cuál(?:es)?|por qué|cómo|cuánt[oa]s?)\b",
    regex.IGNORECASE,
)
_POINTS_BACK = regex.compile(
    r"\b(?:it|its|that|this|these|those|they|them|their|there|he|she|him|her|one|ones|else|dies(?:e[rsnm]?)?|dort|dafür"
    r"|dazu|davon|damit|darüber|ihn|ihm|ihnen|deren|dessen)\b",
    regex.IGNORECASE,
)
_ASIDE = regex.compile(
    r"(?:呢|吗|嗎|の場合は|では|は|는|은)\s*[?？]?\s*$|^\s*(?:那么?|那麼|じゃあ?|では|それでは|그럼|그러면)\s*[、,，]?"
    r"|\bhow (?:long|much|many|often|far|soon)\b",
    regex.IGNORECASE,
)
"""What is no content of a question, though it looks so: particles, and what asks for a measure."""


def goes_on(question: str) -> bool:
    """Whether a question is one only together with what was asked before."""
    if len(_own_terms(question)) > _FEW_TERMS:
        return False
    return bool(_LINKS.match(question) or _POINTS_BACK.search(question) or not _ASKS.match(question))


def gone_on_from(question: str, before: Sequence[Before]) -> Sequence[Before]:
    """Of a question that goes on: the one that said what it is about, and the one just before; of any other, none.

    `before`: the newest first.
    """
    if not (before and goes_on(question)):
        return ()
    first = next((number for number, asked in enumerate(before) if not goes_on(asked.text)), len(before) - 1)
    return before[first], *before[:first][:1]


def together(question: str, before: Sequence[Before]) -> str:
    """A question after those that it goes on from."""
    return " ".join([*(asked.text for asked in before), question])


def bears_out(question: str, found: list[str]) -> bool:
    """Whether what was found speaks of everything that is new in a question that goes on."""
    wanted = set(_own_terms(question))
    return not wanted or held(wanted, "\n".join(found)) == 1


def _own_terms(question: str) -> list[str]:
    return terms(_ASIDE.sub("", question))
