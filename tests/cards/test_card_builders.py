"""Each card says what happened, what is different, where it comes from, what to do, and how to stop it."""

from dataclasses import replace

import pytest

from cards.actions import Button, LinkButton, Option
from cards.answer import AnswerCitation
from cards.answer_updated import REFRESH_QUESTION, AnswerUpdatedContent, ChangedClaim, StaleAnswer, answer_updated
from cards.clarification import ClarificationContent, OptionWords, clarification
from cards.inline import flat, leaves
from cards.memory_change import MatchedWatch, MemoryChangeContent, memory_change
from cards.model import Card
from cards.phrases import ChangeLine, headline, plural, times
from cards.plain import to_plain

DAY = 86_400_000_000
LINE = ChangeLine(
    ("Orders", "Refund window"),
    "Handbook",
    "https://x.example/h",
    "Return within 14 days.",
    "Return within 30 days.",
    "changed",
    DAY * 400 + 1,
    DAY * 410,
)
WATCH = MatchedWatch("Refunds", "w1")
CLAIM = ChangedClaim("Return within 14 days.", "Return within 30 days.", "unsupported", ("Refunds",), "Handbook")
STALE = StaleAnswer("a1", "How long?", "stale", True, (CLAIM,), DAY * 400 + 1, "w9")


def title(card: Card) -> str:
    return flat(card.title)


def taps(card: Card) -> list[tuple[str, str, str | None]]:
    return [(b.label, b.target, b.arg) for b in card.actions if isinstance(b, Button)]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (LINE, "Refund window: 14 days → 30 days"),
        (replace(LINE, after="Return within 14 days, unopened."), "Refund window: added “unopened”"),
        (
            replace(LINE, before="Never return within 14 days.", after="return within 14 days."),
            "Refund window: dropped “Never”",
        ),
        (replace(LINE, before="a b c d e f", after="q r s t u v w x y z 1 2 3 4 5 6 7 8 9"), "Refund window changed"),
        (replace(LINE, kind="removed"), "Removed from Refund window"),
        (replace(LINE, kind="added"), "New in Refund window"),
        (replace(LINE, kind="removed", before="Refund window"), "Removed: Refund window"),
        (replace(LINE, kind="added", after="Refund window"), "New: Refund window"),
        (replace(LINE, section_path=("", "\u200b")), "Handbook: 14 days → 30 days"),
        (replace(LINE, section_path=(), source_name=" "), "A document: 14 days → 30 days"),
    ],
)
def test_a_change_is_said_in_its_own_words(line: ChangeLine, said: str) -> None:
    assert flat(headline(line)) == said


def test_a_change_answers_the_five_questions() -> None:
    card = memory_change(MemoryChangeContent((LINE,), (WATCH,), "n"))
    assert to_plain(card).split("\n") == [
        "Refund window: 14 days → 30 days",
        "",
        "• Handbook › Orders › Refund window",
        "  Before: Return within 14 days.",
        "  Now: Return within 30 days.",
        "  Valid from 15 Feb 1971 · Learned 5 Feb 1971, 00:00 UTC",
        "",
        "Why this card: You watch Refunds.",
        "",
        "[Open source: https://x.example/h] [Mute a day] [Mute a week] [Stop watching]",
    ]
    assert taps(card) == [("Mute a day", "w1", "1d"), ("Mute a week", "w1", "1w"), ("Stop watching", "w1", "stop")]


def test_one_change_seen_by_several_watches_is_one_card_that_names_each_once() -> None:
    watches = (WATCH, MatchedWatch("Prices", "w2"), MatchedWatch("Rules", shared=True))
    card = memory_change(MemoryChangeContent((LINE,), watches, "n", watch_target="s1"))
    reasons = "Why this card: you watch\n• Refunds\n  [Stop watching]\n• Prices\n  [Stop watching]\n\n"
    assert f"{reasons}Your team watches Rules. Write “mute 1d” to pause every card for a day." in to_plain(card)
    assert to_plain(card).count("Prices") == 1
    assert taps(card) == [("Watch this", "s1", None)]


def test_sixty_changes_show_five_and_count_the_rest() -> None:
    text = to_plain(memory_change(MemoryChangeContent((LINE,) * 60, (WATCH,), "n", more=5)))
    assert text.count("Before:") == 5
    assert "and 60 more" in text
    assert text.startswith("Refund window: 14 days → 30 days, and 64 more changes\n")


def test_a_card_of_many_watches_names_where_to_stop_the_rest() -> None:
    watches = tuple(MatchedWatch(f"W{number}", f"w{number}") for number in range(9))
    text = to_plain(memory_change(MemoryChangeContent((LINE,), watches, "n")))
    assert "and 5 more. Write “watching” to see them all." in text
    assert [f"W{number}" in text for number in range(9)] == [True] * 4 + [False] * 5


def test_removed_and_added_passages_show_the_side_they_have() -> None:
    removed = to_plain(memory_change(MemoryChangeContent((replace(LINE, kind="removed"),), (WATCH,), "n")))
    added = to_plain(memory_change(MemoryChangeContent((replace(LINE, kind="added"),), (WATCH,), "n")))
    assert "Removed: Return within 14 days." in removed
    assert "Now:" not in removed
    assert "Added: Return within 30 days." in added
    assert "Before:" not in added


def test_a_late_card_says_once_when_it_happened() -> None:
    other = replace(LINE, learned=1, valid_from=None)
    text = to_plain(memory_change(MemoryChangeContent((LINE, other), (), "n", late_since=LINE.learned)))
    assert "This card is late. It happened on 5 Feb 1971, 00:00 UTC." in text
    assert "Learned 5 Feb 1971" not in text
    assert "  Valid from 15 Feb 1971\n" in text
    assert "  Learned 1 Jan 1970, 00:00 UTC\n" in text


def test_the_last_step_of_each_place_is_bold() -> None:
    lines = (LINE, replace(LINE, section_path=()))
    first, second = memory_change(MemoryChangeContent(lines, (WATCH,), "n")).blocks[0].rows
    assert [bold for _, bold in leaves(first.heading)] == [False] * 4 + [True]
    assert [(leaf.label, bold) for leaf, bold in leaves(second.heading)] == [("Handbook", True)]


def test_both_times_are_shown_where_known() -> None:
    assert flat(times(None, 1)) == "Learned 1 Jan 1970, 00:00 UTC"
    assert flat(times(DAY, 1)) == "Valid from 2 Jan 1970 · Learned 1 Jan 1970, 00:00 UTC"


@pytest.mark.parametrize(
    ("stale", "said", "severity"),
    [
        (STALE, "Your saved answer may be wrong", "material"),
        (replace(STALE, material=False), "Your saved answer has changed", "normal"),
        (replace(STALE, status="invalidated"), "Your saved answer lost its source", "material"),
    ],
)
def test_the_title_of_a_stale_answer_says_how_bad_it_is(stale: StaleAnswer, said: str, severity: str) -> None:
    card = answer_updated(AnswerUpdatedContent((stale,), "n"))
    assert (title(card), card.severity) == (said, severity)
    assert card.fallback_text == f"{said}: How long?"


def test_a_stale_answer_shows_old_words_new_words_verdict_and_status() -> None:
    card = answer_updated(AnswerUpdatedContent((STALE,), "n"))
    text = to_plain(card)
    for said in (
        "You asked: How long?",
        "You saved: Return within 14 days.",
        "Source now says: Return within 30 days.",
        "None of it matches its sources any more.",
    ):
        assert said in text
    assert "No longer supported by the wording" not in text
    refresh, stop = card.actions
    assert (refresh.kind, refresh.style, refresh.confirm) == ("answer_refresh", "primary", REFRESH_QUESTION)
    assert (stop.kind, stop.target, stop.arg) == ("watch_mute", "w9", "stop")


@pytest.mark.parametrize(
    ("status", "verdict", "note"),
    [
        ("stale", "unsupported", ""),
        ("stale", "gone", "Its source was removed"),
        ("stale", "unchecked", "The wording could not be checked"),
        ("partially_stale", "unsupported", ""),
        ("partially_stale", "supported", "Supported by the wording"),
        ("invalidated", "gone", ""),
        ("pending", "pending", ""),
        ("conflicted", "conflicted", ""),
        ("pending", "conflicted", "An open question has conflicting answers"),
    ],
)
def test_a_verdict_is_said_where_the_status_does_not_say_it(status: str, verdict: str, note: str) -> None:
    claim = replace(CLAIM, verdict=verdict)
    rows = answer_updated(AnswerUpdatedContent((replace(STALE, status=status, claims=(claim,)),), "n")).blocks[1]
    assert flat(rows.rows[0].note) == note


@pytest.mark.parametrize(
    ("status", "style"),
    [
        ("stale", "primary"),
        ("partially_stale", "primary"),
        ("invalidated", "normal"),
        ("pending", "normal"),
        ("conflicted", "normal"),
        ("current", "normal"),
    ],
)
def test_only_a_refresh_that_can_help_is_urged(status: str, style: str) -> None:
    card = answer_updated(AnswerUpdatedContent((replace(STALE, status=status),), "n"))
    assert card.actions[0].style == style


def test_a_superseded_answer_cannot_be_refreshed_and_an_unwatched_one_not_stopped() -> None:
    card = answer_updated(AnswerUpdatedContent((replace(STALE, status="superseded", watch_target=None),), "n"))
    assert card.actions == ()
    assert "5 Feb 1971, 00:00 UTC. Write “mute 1d” to pause every card for a day." in to_plain(card)


def test_several_answers_share_a_card_with_a_row_and_a_button_each() -> None:
    many = tuple(replace(STALE, target=f"a{number}", material=number == 0) for number in range(7))
    card = answer_updated(AnswerUpdatedContent(many, "n", more=13))
    text = to_plain(card)
    assert title(card) == "20 saved answers may have changed"
    assert text.count("[Refresh answer]") == 5
    assert "and 15 more. Write “saved” to see them all." in text
    assert text.count("It may be wrong") == 1
    assert "“watching”" in text


def test_a_clarification_asks_with_one_button_an_option() -> None:
    options = tuple(Option(str(number), f"Option {number}") for number in range(7))
    card = clarification(
        ClarificationContent("c1", "Which one?", "two sources differ.", (Option("x", " "), *options), "n")
    )
    assert title(card) == "Which one?"
    assert [label for label, _, _ in taps(card)] == [*(f"Option {number}" for number in range(5)), "Don’t know"]
    assert {(kind.kind, kind.target) for kind in card.actions} == {("clarify_vote", "c1")}
    assert taps(card)[-1][2] == "dont_know"
    assert "Why you are asked: two sources differ." in to_plain(card)
    assert "Your choice counts as one vote" in to_plain(card)


ASKED = ClarificationContent("c1", "Which one?", "", (Option("0", "This one"),), "n")


def test_who_has_answered_sees_what_they_chose_and_can_choose_anew() -> None:
    for chosen, words in (("This one", "You chose: This one"), (None, "You said that you do not know.")):
        card = clarification(replace(ASKED, voted=True, chosen=chosen))
        assert words in to_plain(card)
        assert [label for label, _, _ in taps(card)] == ["This one", "Don’t know"]
    assert "You" not in to_plain(clarification(ASKED)).replace("Your choice", "").replace("you can", "")


def test_who_may_no_longer_read_what_they_chose_did_not_say_that_they_do_not_know() -> None:
    text = to_plain(clarification(replace(ASKED, voted=True, chosen=None, withheld=True)))
    assert "You chose what you may no longer read." in text
    assert "do not know" not in text


@pytest.mark.parametrize(
    ("state", "settled", "words"),
    [
        ("bound", "That one", "Settled: That one"),
        ("bound", None, "Settled."),
        ("conflicted", None, "People could not agree on this: a steward settles it."),
    ],
)
def test_a_question_that_is_over_says_what_came_of_it_and_not_how_to_answer(state, settled, words) -> None:  # type: ignore[no-untyped-def]
    card = clarification(replace(ASKED, state=state, settled=settled, may_vote=False, voted=True, chosen="This one"))
    assert to_plain(card) == f"Which one?\n\n{words}\nYou chose: This one"
    assert card.fallback_text == "A question you were asked: Which one?"


def test_the_words_of_each_option_stand_under_its_name() -> None:
    said = OptionWords("30 days", AnswerCitation("Handbook", None, ("Refunds",), "Refunds take 30 days."))
    assert "[1] 30 days: Handbook › Refunds" in to_plain(clarification(replace(ASKED, words=(said,))))
    assert "and 2 more" in to_plain(clarification(replace(ASKED, words=(said,) * 7)))


def test_an_option_too_long_for_a_button_is_written_out() -> None:
    long = "the day on which the parcel was handed over at the door"
    text = to_plain(clarification(ClarificationContent("c", "When?", "", (Option("0", long),), "n")))
    assert f"1. {long}" in text


def test_options_that_a_button_cuts_off_alike_are_told_apart_by_their_numbers() -> None:
    options = [f"The notice period for employees in Zurich is {number} months" for number in ("two", "three")]
    card = clarification(ClarificationContent("c", "Which?", "", tuple(map(Option, "057", (*options, "Neither"))), "n"))
    assert [(label.partition(" ")[0], arg) for label, _, arg in taps(card)][:2] == [("1.", "0"), ("2.", "5")]
    assert len({label for label, _, _ in taps(card)}) == 4
    for number, option in enumerate(options, start=1):
        assert f"{number}. {option}" in to_plain(card)


def test_an_answer_whose_source_is_gone_is_not_struck_out_from_end_to_end() -> None:
    gone = replace(CLAIM, now="", verdict="gone")
    rows = answer_updated(AnswerUpdatedContent((replace(STALE, claims=(gone,)),), "n")).blocks[1]
    assert not any(bold for _, bold in leaves(rows.rows[0].before))


def test_open_source_leads_only_where_the_source_says() -> None:
    card = memory_change(MemoryChangeContent((replace(LINE, source_url=None),), (WATCH,), "n"))
    assert not [action for action in card.actions if isinstance(action, LinkButton)]


def test_open_source_says_which_by_being_the_only_one() -> None:
    def opened(*lines: ChangeLine) -> list[str]:
        actions = memory_change(MemoryChangeContent(lines, (WATCH,), "n")).actions
        return [action.url for action in actions if isinstance(action, LinkButton)]

    assert opened(LINE, replace(LINE, section_path=("Fees",))) == ["https://x.example/h"]
    assert opened(LINE, replace(LINE, source_url="https://x.example/p")) == []
    assert opened(LINE, replace(LINE, source_url=None)) == []
    assert opened() == []


def test_no_full_stop_follows_an_ellipsis() -> None:
    long = MatchedWatch("word " * 30, "w1")
    assert "You watch word" in (text := to_plain(memory_change(MemoryChangeContent((LINE,), (long,), "n"))))
    assert "…\n" in text
    assert "…." not in text


def test_counts_read_as_words() -> None:
    assert [plural(number, "change") for number in (0, 1, 2)] == ["0 changes", "1 change", "2 changes"]
