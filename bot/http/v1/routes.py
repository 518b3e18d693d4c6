"""The one table of what `/v1` offers. Whatever serves it, documents it or tests it goes by these lines."""

from functools import partial

from bot.http.v1 import answers, documents, evidence, fires, generation, nodes, questions, verdicts, watches
from bot.http.v1.paging import PageAsked
from bot.http.v1.route import Document, Pace, Route

_EMBEDS = ("EMBED_UNAVAILABLE", "MODEL_MISMATCH")
_LOOKS = ("SEMANTIC_UNAVAILABLE", "INSUFFICIENT_EVIDENCE", "INVALID_QUERY", *_EMBEDS)
_VERIFIES = ("VERIFY_UNAVAILABLE", "INVALID_QUERY", "NOT_FOUND", *_EMBEDS)
_GENERATES = (*_LOOKS, "GENERATE_UNAVAILABLE", "NOT_FOUND")
_INGESTS = ("UNREADABLE_DOCUMENT", "ERASED", *_EMBEDS)
_WATCHES = ("NOT_FOUND", "PERSON_REQUIRED", "LIMIT_REACHED", "INVALID_QUERY", "MODEL_MISMATCH")
_OWNED = ("PERSON_REQUIRED",)
"""People own watches, and admins see to those of webhooks."""
_MADE = (201, 200)

get = partial(Route, "GET")
post = partial(Route, "POST")
long = partial(post, pace=Pace.LONG)

ROUTES: tuple[Route, ...] = (
    long("/memory/context", evidence.context, evidence.ContextTold, evidence.ContextAsked, problems=_LOOKS),
    long(
        "/memory/verify",
        verdicts.verify,
        verdicts.VerifyTold,
        verdicts.VerifyAsked,
        problems=_VERIFIES,
        query_at=("against",),
    ),
    long("/generate", generation.generate, generation.AnswerTold, generation.GenerateAsked, problems=_GENERATES),
    long("/query", nodes.query, nodes.QueryTold, nodes.QueryAsked, problems=_LOOKS),
    get("/trace/{id}", answers.get_trace, answers.TraceTold),
    post(
        "/answers",
        answers.save_answer,
        answers.AnswerMade,
        answers.SaveAsked,
        statuses=(201,),
        problems=("NOT_FOUND",),
        personal=True,
        creates=True,
    ),
    get("/answers", answers.list_answers, answers.AnswersTold, query=PageAsked, personal=True),
    get("/answers/{id}", answers.get_answer, answers.SavedTold, personal=True),
    long(
        "/answers/{id}/refresh",
        answers.refresh_answer,
        answers.RefreshTold,
        statuses=_MADE,
        problems=_GENERATES,
        personal=True,
        creates=True,
    ),
    post(
        "/watches",
        watches.make_watch,
        watches.WatchMade,
        watches.WatchAsked,
        statuses=_MADE,
        problems=_WATCHES,
        query_at=("scopeRefs", 0),
        creates=True,
    ),
    get("/watches", watches.list_watches, watches.WatchesTold, query=PageAsked, problems=_OWNED),
    get("/watches/{id}", watches.get_watch, watches.WatchTold, problems=_OWNED),
    Route("PATCH", "/watches/{id}", watches.mute_watch, watches.WatchTold, watches.MuteAsked, problems=_OWNED),
    Route("DELETE", "/watches/{id}", watches.stop_watch, None, statuses=(204,), problems=_OWNED),
    get("/watches/{id}/fires", fires.list_fires, fires.FiresTold, query=PageAsked, problems=_OWNED),
    get("/sources", documents.list_sources, documents.SourcesTold, query=PageAsked),
    Route(
        "PUT",
        "/sources/{uri}",
        documents.put_source,
        documents.SourcePut,
        Document,
        documents.PutAsked,
        statuses=_MADE,
        problems=_INGESTS,
        pace=Pace.LONG,
    ),
    Route("DELETE", "/sources/{uri}", documents.remove_source, None, statuses=(204,), pace=Pace.LONG),
    post(
        "/clarifications",
        questions.open_clarification,
        questions.OpenedTold,
        questions.OpenAsked,
        statuses=_MADE,
        problems=("NOT_FOUND",),
        creates=True,
    ),
    get("/clarifications", questions.list_clarifications, questions.ClarificationsTold, query=PageAsked),
    get("/clarifications/{id}", questions.get_clarification, questions.ClarificationTold),
    post("/clarifications/{id}/votes", questions.vote, questions.VotedTold, questions.VoteAsked, personal=True),
    post("/clarifications/{id}/override", questions.override, questions.SettledTold, questions.OverrideAsked),
    post("/clarifications/{id}/conflict", questions.mark_conflicted, questions.SettledTold),
)
