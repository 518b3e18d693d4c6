"""What an answer leaves behind: the body of its trace. Pure."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from core.model.answers import Answer, Claim
from core.model.spans import SpanRef
from core.model.verdicts import Signals, Verdict


def trace_body(answer: Answer, planned: Sequence[SpanRef], said: Sequence[UUID] = ()) -> dict[str, Any]:
    """`planned`: the evidence that was read for it. `said`: the events whose words the question is."""
    return {
        "question": answer.question,
        "answerText": answer.text,
        "planHash": answer.plan_hash,
        "model": answer.model,
        "usage": {
            "promptTokens": answer.usage.prompt_tokens,
            "completionTokens": answer.usage.completion_tokens,
            **({"estimated": True} if answer.usage.estimated else {}),
        },
        "grounded": answer.grounded,
        "bestCosine": round(answer.best_cosine, 6),
        "coordinates": [_coordinates(span) for span in planned],
        "claims": [_claim(claim, answer) for claim in answer.claims],
        "sections": [[str(cited.node_id), cited.title] for cited in answer.sections],
        **({"said": list(map(str, said))} if said else {}),
    }


def _claim(claim: Claim, answer: Answer) -> dict[str, Any]:
    """`read`, of what is no quote: the sources whose words it may hold, whatever bears it, so that erasing finds it."""
    return {
        "text": claim.text,
        "citations": [_coordinates(passage.span) for passage in claim.citations],
        "quoted": claim.quoted,
        "verdict": claim.verdict and verdict_json(claim.verdict),
        "severity": claim.severity,
        "clarifications": [str(question.clarification_id) for question in claim.questions],
        **({} if claim.quoted else {"read": sorted(map(str, answer.read))}),
    }


def verdict_json(verdict: Verdict) -> dict[str, Any]:
    return {
        "verdict": verdict.verdict.value,
        "score": round(verdict.score, 6),
        "reason": verdict.reason and verdict.reason.value,
        "signals": verdict.signals and _signals(verdict.signals),
    }


def _signals(signals: Signals) -> dict[str, Any]:
    return {
        "lexical": round(signals.lexical, 6),
        "cosine": round(signals.cosine, 6),
        "numericGate": signals.numeric_gate.value,
        "negation": signals.negation.value,
    }


def _coordinates(span: SpanRef) -> list[str | int]:
    return [str(span.source_id), span.source_version_tx, span.start, span.end]
