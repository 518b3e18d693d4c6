"""What is left of words that were erased. Pure."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

NOT_REDACTED = "not_redacted"
"""Why a card that was erased stands on its platform as it was: the platform refuses to change it."""
ERASED = "[erased]"
"""Stands where the words of an erased source, or of an erased person, stood."""


def answer_without(props: Mapping[str, Any], source_id: UUID) -> dict[str, Any]:
    """A saved answer's properties without a word of an erased source; which claims rested on it stays known.

    The whole text goes: it was made from all that it cites.
    """
    claims = [_claim_without(claim) if _cites(claim, source_id) else claim for claim in props["claims"]]
    erased = sorted({*props.get("erased", ()), str(source_id)})
    return {**props, "answerText": ERASED, "claims": claims, "erased": erased}


def answer_of_nobody(props: Mapping[str, Any]) -> dict[str, Any]:
    """A saved answer's properties without what its owner asked and what they were told."""
    return {**props, "question": ERASED, "answerText": ERASED, "claims": []}


def trace_without_words(body: Mapping[str, Any]) -> dict[str, Any]:
    """A trace's coordinates and numbers; nothing can be saved from it any more, and no guess at its words confirmed."""
    words = {"question": ERASED, "answerText": ERASED, "claims": [], "sections": []}
    return {name: words.get(name, value) for name, value in body.items() if name != "requestHash"}


def options_without_words(options: list[dict[str, Any]], source_id: UUID | None) -> list[dict[str, Any]]:
    """A clarification's options without those that rest on a source (None: on any); as many, so votes still count."""
    return [
        {"value": ERASED, "erased": True} if source_id is None or _rests_on(option, source_id) else option
        for option in options
    ]


def _rests_on(option: Mapping[str, Any], source_id: UUID) -> bool:
    return any(span[0] == str(source_id) for span in option.get("provenance", ()))


def _cites(claim: Mapping[str, Any], source_id: UUID) -> bool:
    """Also what a model wrote after it had read the source, where nothing it cites bears it."""
    return any(citation[0] == str(source_id) for citation in claim["citations"]) or str(source_id) in claim.get(
        "read", ()
    )


def _claim_without(claim: Mapping[str, Any]) -> dict[str, Any]:
    return {**claim, "text": ERASED, "after": "", "caveat": None, "severity": None, "erased": True}
