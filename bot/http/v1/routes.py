"""The one table of what `/v1` offers. Whatever serves it, documents it or tests it goes by these lines."""

from bot.http.v1 import evidence
from bot.http.v1.route import Pace, Route

_LOOKS = ("SEMANTIC_UNAVAILABLE", "INSUFFICIENT_EVIDENCE", "INVALID_QUERY", "MODEL_MISMATCH")

ROUTES: tuple[Route, ...] = (
    Route(
        "POST",
        "/memory/context",
        evidence.context,
        evidence.ContextTold,
        evidence.ContextAsked,
        problems=_LOOKS,
        pace=Pace.LONG,
    ),
    Route(
        "POST",
        "/memory/verify",
        evidence.verify,
        evidence.VerifyTold,
        evidence.VerifyAsked,
        problems=("VERIFY_UNAVAILABLE", "INVALID_QUERY", "NOT_FOUND"),
        pace=Pace.LONG,
    ),
    Route(
        "POST",
        "/generate",
        evidence.generate,
        evidence.AnswerTold,
        evidence.GenerateAsked,
        problems=(*_LOOKS, "GENERATE_UNAVAILABLE", "NOT_FOUND"),
        pace=Pace.LONG,
    ),
    Route("POST", "/query", evidence.query, evidence.QueryTold, evidence.QueryAsked, problems=_LOOKS, pace=Pace.LONG),
)
