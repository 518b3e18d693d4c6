"""Every card in every state, with words that mean no harm: for the preview page and for the tests."""

from collections.abc import Iterable
from dataclasses import replace
from html import escape

from cards.actions import Option
from cards.answer import AnswerCitation, AnswerContent, AnswerSentence, answer
from cards.answer_updated import AnswerUpdatedContent, ChangedClaim, StaleAnswer, answer_updated
from cards.clarification import ClarificationContent, OptionWords, clarification
from cards.home import HomeContent, home
from cards.html import card_css
from cards.memory_change import MatchedWatch, MemoryChangeContent, memory_change
from cards.model import Card, with_outcome
from cards.notices import (
    AnswerEntry,
    RestEntry,
    WatchChoice,
    WatchEntry,
    WhyContent,
    choose_watch,
    error,
    inactive,
    looking,
    mute_list,
    redacted,
    refreshing,
    resting,
    saved_list,
    stop_everything,
    unbound,
    watch_list,
    welcome,
    why,
)
from cards.phrases import ChangeLine
from cards.questions import QuestionLine, Stood
from cards.weekly_brief import BriefLine, WeeklyBriefContent, weekly_brief

_NONCE = "preview"
_MONDAY = 1_795_392_000_000_000  # 2026-11-23, a day
_LEARNED = _MONDAY + 32_643_000_000
_HANDBOOK = "https://wiki.example.org/handbook"

_REFUND = ChangeLine(
    section_path=("Orders", "Refund window"),
    source_name="Customer handbook",
    source_url=_HANDBOOK,
    before="Customers can return goods within 14 days of delivery, unopened and with the receipt.",
    after="Customers can return goods within 30 days of delivery, unopened and with the receipt.",
    kind="changed",
    learned=_LEARNED,
    valid_from=_MONDAY + 8 * 86_400_000_000,
)
_SHIPPING = ChangeLine(
    section_path=("Orders", "Shipping"),
    source_name="Customer handbook",
    source_url=_HANDBOOK,
    before="We ship to every country of the European Union.",
    after="We ship to every country of the European Union except Malta.",
    kind="changed",
    learned=_LEARNED,
)
_GIFTS = ChangeLine(
    ("Gift cards",), "Price list", None, "Gift cards cost 2 € to send by post.", "", "removed", _LEARNED
)
_PHONE = ChangeLine(
    ("Support hours",), "Price list", None, "", "The phone line is open on Saturdays from 9 to 12.", "added", _LEARNED
)
_HEBREW = ChangeLine(
    ("החזרות",), "מדריך", _HANDBOOK, "אפשר להחזיר תוך 14 ימים.", "אפשר להחזיר תוך 30 ימים.", "changed", _LEARNED
)
_CHINESE = ChangeLine(("退货",), "客户手册", _HANDBOOK, "退货期限为14天。", "退货期限为30天。", "changed", _LEARNED)
_SETTLED = QuestionLine(
    "Which orders may be returned?",
    ("Orders", "Refund window"),
    "Customer handbook",
    _HANDBOOK,
    Stood("pending", ("Unopened ones", "All of them")),
    Stood("bound", ("Unopened ones",)),
    _LEARNED,
)
_DISPUTED = replace(
    _SETTLED, section_path=(), source_name="", source_url=None, before=Stood("pending"), after=Stood("conflicted")
)
_ASKED_AGAIN = replace(_DISPUTED, before=_DISPUTED.after, after=Stood("pending", ("14 days", "30 days", "60 days")))
_WATCH = MatchedWatch("Refunds", "w1")
_QUESTION = "How long can customers return goods?"
_WATCHES = (WatchEntry("w1", "Refunds"), WatchEntry("w2", "Prices", "weekly", "muted until Friday"))
_SAVED = (
    AnswerEntry(_QUESTION, "stale", _LEARNED, "a1"),
    AnswerEntry("What does a gift card cost to send?", "invalidated", _LEARNED, "a3"),
    AnswerEntry("Where do we ship to?", "current", _MONDAY, "a2"),
)


_RESTING = (
    RestEntry("w1", "Refunds", "It rests, since you may no longer read what it is on.", "When you may, it goes on."),
    RestEntry("w2", "Prices", "It rests, since its query no longer works.", "Stop it, and make it anew."),
    RestEntry("w3", "Hotels", "It could not tell you anything for a while.", "It goes on by now.", goes_on=True),
)


def gallery() -> list[tuple[str, Card]]:
    return [*_changes(), *_answers_updated(), *_briefs(), *_answers(), *_questions(), *_homes(), *_lists(), *_notices()]


def _changes() -> list[tuple[str, Card]]:
    one = memory_change(MemoryChangeContent((_REFUND,), (_WATCH,), _NONCE))
    several = (_WATCH, MatchedWatch("Everything about orders", "w2"), MatchedWatch("Shipping", "w3"))
    team = (MatchedWatch("Support rules", shared=True),)
    muted = with_outcome(
        one, "Muted for a week. It picks up again on 30 November.", remove_kinds=frozenset({"watch_mute"})
    )
    return [
        ("Change: one", one),
        ("Change: muted", muted),
        (
            "Change: several",
            memory_change(MemoryChangeContent((_REFUND, _SHIPPING, _GIFTS, _PHONE), several, _NONCE, 12)),
        ),
        (
            "Change: two in one source, also from a team’s watch",
            memory_change(MemoryChangeContent((_REFUND, _SHIPPING), (*several[:2], *team), _NONCE)),
        ),
        ("Change: a question settled", memory_change(MemoryChangeContent((_SETTLED,), (_WATCH,), _NONCE))),
        (
            "Change: questions beside a passage",
            memory_change(MemoryChangeContent((_DISPUTED, _ASKED_AGAIN, _REFUND), several[:2], _NONCE)),
        ),
        ("Change: removed", memory_change(MemoryChangeContent((_GIFTS,), (_WATCH,), _NONCE))),
        ("Change: added, from a team’s watch", memory_change(MemoryChangeContent((_PHONE,), team, _NONCE, 0, "s1"))),
        ("Change: late", memory_change(MemoryChangeContent((_SHIPPING,), (_WATCH,), _NONCE, late_since=_LEARNED))),
        ("Change: right to left", memory_change(MemoryChangeContent((_HEBREW,), (_WATCH,), _NONCE))),
        ("Change: no spaces", memory_change(MemoryChangeContent((_CHINESE,), (_WATCH,), _NONCE))),
    ]


def _answers_updated() -> list[tuple[str, Card]]:
    stale = ChangedClaim(
        _REFUND.before, _REFUND.after, "unsupported", _REFUND.section_path, _REFUND.source_name, _HANDBOOK
    )
    moved = ChangedClaim(_SHIPPING.before, _SHIPPING.after, "partial", ("Shipping",), "Customer handbook", _HANDBOOK)
    gone = ChangedClaim(_GIFTS.before, "", "gone", ("Gift cards",), "Price list")
    wrong = StaleAnswer("a1", _QUESTION, "stale", True, (stale,), _LEARNED, "w9")
    changed = StaleAnswer("a2", "Where do we ship to?", "partially_stale", False, (moved,), _LEARNED, "w8")
    parted = StaleAnswer("a4", "How do orders work?", "partially_stale", True, (stale, gone), _LEARNED, "w6")
    lost = StaleAnswer("a3", "What does a gift card cost to send?", "invalidated", False, (gone,), _LEARNED, "w7")
    first = answer_updated(AnswerUpdatedContent((wrong,), _NONCE))
    kinds = frozenset({"answer_refresh"})
    return [
        ("Saved answer: may be wrong", first),
        ("Saved answer: refreshing", with_outcome(first, "Refreshing…", target="a1", remove_kinds=kinds)),
        ("Saved answer: changed", answer_updated(AnswerUpdatedContent((changed,), _NONCE))),
        ("Saved answer: lost its source", answer_updated(AnswerUpdatedContent((lost,), _NONCE))),
        ("Saved answer: several sentences", answer_updated(AnswerUpdatedContent((parted,), _NONCE))),
        ("Saved answer: several", answer_updated(AnswerUpdatedContent((wrong, changed, lost), _NONCE, 4))),
    ]


def _briefs() -> list[tuple[str, Card]]:
    lines = (
        BriefLine(_REFUND, material=True),
        BriefLine(_SHIPPING, watch_target="s2"),
        BriefLine(_PHONE, watch_target="s3"),
        BriefLine(_GIFTS),
    )
    asked = (BriefLine(_SETTLED, material=True), BriefLine(_ASKED_AGAIN, watch_target="q1", watch_arg="clarification"))
    teams = tuple(replace(line, watch_target=f"s{number}") for number, line in enumerate(lines))
    watches = ("Refunds", "Prices")
    week = WeeklyBriefContent(lines, _NONCE, 3, watches)
    return [
        ("Brief: week", weekly_brief(week)),
        ("Brief: week, with saved answers", weekly_brief(replace(week, answers=_SAVED[:2]))),
        ("Brief: week, from a team’s watches", weekly_brief(WeeklyBriefContent(teams, _NONCE, 0, ("Support rules",)))),
        ("Brief: week, with questions", weekly_brief(replace(week, lines=(*asked, *lines)))),
        ("Brief: week, saved answers alone", weekly_brief(WeeklyBriefContent((), _NONCE, answers=_SAVED[:1]))),
        ("Brief: day", weekly_brief(WeeklyBriefContent(lines[:2], _NONCE, 0, watches, "day"))),
    ]


def _answers() -> list[tuple[str, Card]]:
    quoted = AnswerSentence(_REFUND.after, (1,), "quoted")
    cited = AnswerCitation("Customer handbook", _HANDBOOK, _REFUND.section_path, _REFUND.after)
    longer = replace(cited, quote=f"{_REFUND.after} Sale items cannot be returned.")
    other = AnswerCitation("Price list", None, ("Gift cards",), "Gift cards are never refunded.")
    names = ("Refund window", "Shipping", "Gift cards", "Support hours")
    plain = answer(AnswerContent(_QUESTION, (quoted,), (cited,), "g1", _NONCE, names))
    doubtful = (quoted, AnswerSentence("Gift cards can be returned too.", (2,), "unsupported"))
    written = (
        AnswerSentence("You can return goods within 30 days of delivery.", (1,), "supported"),
        AnswerSentence("Sale items are an exception.", (1,), "partial"),
        AnswerSentence("Gift cards are refunded within 14 days.", (2,), "differs"),
        AnswerSentence("Keep the receipt.", (), "uncited"),
    )
    guess = (AnswerSentence("Most shops allow two weeks.", (), "uncited"),)
    opened = ("Does the window start on delivery or on purchase?",)
    return [
        ("Answer: quoted", plain),
        (
            "Answer: saved",
            with_outcome(plain, "Saved. You hear when its sources move.", remove_kinds=frozenset({"answer_save"})),
        ),
        (
            "Answer: with doubts",
            answer(AnswerContent(_QUESTION, doubtful, (cited, other), "g2", _NONCE, names[:1], open_questions=opened)),
        ),
        (
            "Answer: written by a model",
            answer(AnswerContent(_QUESTION, written, (longer, other), "g6", _NONCE, names[:2])),
        ),
        (
            "Answer: in part of a passage",
            answer(AnswerContent(_QUESTION, (quoted,), (longer,), "g5", _NONCE, names[:1])),
        ),
        ("Answer: a guess", answer(AnswerContent(_QUESTION, guess, (), "g3", _NONCE, ungrounded=True))),
        ("Answer: not found", answer(AnswerContent(_QUESTION, (), (other,), "g4", _NONCE))),
    ]


def _questions() -> list[tuple[str, Card]]:
    options = (Option("0", "On delivery"), Option("1", "On purchase"))
    why = "somebody on your team asks about “Refund window”."
    asked = ClarificationContent("c1", "When does the refund window start?", why, options, _NONCE)
    prices = (Option("0", "14 days"), Option("1", "30 days"))
    words = tuple(
        OptionWords(option.label, AnswerCitation(name, url, ("Orders", "Refund window"), quote))
        for option, name, url, quote in (
            (prices[0], "Price list", None, _REFUND.before),
            (prices[1], "Customer handbook", _HANDBOOK, _REFUND.after),
        )
    )
    disputed = "Sources disagree on “window” of this refund rule. Which is right?"
    differ = ClarificationContent("c2", disputed, "documents differ.", prices, _NONCE, words=words)
    settled = replace(differ, state="bound", may_vote=False, voted=True, chosen="14 days", settled="30 days")
    stuck = replace(asked, state="conflicted", may_vote=False, voted=True)
    return [
        ("Clarification: asked", clarification(asked)),
        ("Clarification: answered", clarification(replace(asked, voted=True, chosen="On delivery"))),
        ("Clarification: documents differ", clarification(differ)),
        ("Clarification: settled", clarification(settled)),
        ("Clarification: nobody could agree", clarification(stuck)),
    ]


def _homes() -> list[tuple[str, Card]]:
    known = "I remember 12 documents with 340 passages."
    new = HomeContent("Ada", (), 0, (), 0, "monday", "9", "off", "off", "", "Europe/Lisbon", _NONCE, known)
    settled = replace(new, watches=_WATCHES, more_watches=4, answers=_SAVED, quiet_from="20", quiet_until="8")
    return [
        ("Home", home(settled)),
        ("Home: nothing yet", home(new)),
        ("Home: muted, without a brief", home(replace(new, brief_day="off", muted="Muted until 1 December, 9:00."))),
    ]


def _lists() -> list[tuple[str, Card]]:
    choices = (
        WatchChoice("s1", "Refund window", "A section of Customer handbook"),
        WatchChoice("s2", "Price list", "A document"),
    )
    return [
        ("Watching", watch_list(_WATCHES, _NONCE, 3)),
        ("Watching, with a way to stop all", watch_list(_WATCHES, _NONCE, 3, stops_all=True)),
        ("Watching nothing", watch_list((), _NONCE)),
        ("Stop everything", stop_everything(12, _NONCE)),
        ("Choose what to mute", mute_list(_WATCHES, "1d", "for a day", _NONCE, 2)),
        ("Watches rest", resting(_RESTING, _NONCE)),
        ("Watches go on", resting(_RESTING[-1:], _NONCE)),
        ("Saved answers", saved_list(_SAVED)),
        ("Saved nothing", saved_list(())),
        ("Choose what to watch", choose_watch("refunds", choices, _NONCE)),
        ("Choose, nothing found", choose_watch("lunar tides", (), _NONCE)),
    ]


def _notices() -> list[tuple[str, Card]]:
    events = ("Changed: Customer handbook › Refund window", "Removed: Price list › Gift cards")
    reasons = WhyContent(_LEARNED, ("Refunds", "Prices"), events, "Sent to you in Slack a minute later.")
    return [
        ("Looking it up", looking()),
        ("Why you were notified", why(reasons)),
        ("Refreshing", refreshing(_QUESTION)),
        ("Redacted", redacted()),
        ("No longer active", inactive()),
        ("Error", error("The documents could not be reached.", "Nothing was lost. Ask again in a minute.")),
        ("Welcome", welcome("Ada")),
        ("Not bound", unbound("Ask your administrator to add your e-mail address.")),
    ]


def preview_page(rendered: Iterable[tuple[str, str]]) -> str:
    """A whole page of cards, given as (state, HTML of the card)."""
    cards = "".join(f'<section><p class="page-state">{escape(state)}</p>{html}</section>' for state, html in rendered)
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Cards</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<style>{card_css()}</style></head>"
        f'<body class="page"><main class="page-cards"><h1>Cards</h1>{cards}</main></body></html>'
    )
