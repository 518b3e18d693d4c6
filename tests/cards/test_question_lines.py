"""What came of a question has a line of its own on a card: what was asked, how it stood, and how it stands now."""

from dataclasses import replace

from cards.inline import flat
from cards.memory_change import MatchedWatch, MemoryChangeContent, memory_change
from cards.phrases import ChangeLine
from cards.plain import to_plain
from cards.questions import QuestionLine, Stood
from cards.weekly_brief import BriefLine, WeeklyBriefContent, weekly_brief

URL = "https://wiki.example.org/day"
SETTLED = QuestionLine(
    "When does lunch begin?",
    ("Lunch",),
    "The day",
    URL,
    Stood("pending", ("At noon", "At one")),
    Stood("bound", ("At one",)),
    1_795_392_000_000_001,
)
RECORD = replace(SETTLED, question="Sources disagree on price", section_path=(), source_name="", source_url=None)
DISPUTED = replace(RECORD, after=Stood("conflicted"))
AGAIN = replace(RECORD, before=DISPUTED.after, after=Stood("pending", ("40", "55", "60")))
CHANGE = ChangeLine(("Fees",), "Prices", None, "It costs 2 EUR.", "It costs 3 EUR.", "changed", 5)


def changed(*lines):
    return memory_change(MemoryChangeContent(lines, (MatchedWatch("Lunch", "w1"),), "n"))


def week(*lines):
    return weekly_brief(WeeklyBriefContent(lines, "n"))


def test_a_card_says_what_was_asked_what_came_of_it_and_where_that_stands():
    card = changed(SETTLED)
    text = to_plain(card)
    assert flat(card.title) == "When does lunch begin? Settled: At one"
    assert "Before: Open: At noon or At one" in text
    assert "Now: Settled: At one" in text
    assert "The day" in text
    assert "Lunch" in text
    assert URL in text
    assert "Open source" in text


def test_each_state_has_its_words_and_a_value_that_may_not_be_read_has_none():
    for line, words in (
        (DISPUTED, "In dispute"),
        (AGAIN, "Asked again: 40, 55 or 60"),
        (replace(SETTLED, after=Stood("bound")), "Settled"),
        (replace(SETTLED, after=Stood("bound", (" ",))), "Settled"),
    ):
        card = changed(line)
        assert flat(card.title).endswith(f". {words}") or flat(card.title).endswith(f"? {words}")
        assert f"Now: {words}\n" in to_plain(card)


def test_a_question_about_no_document_names_none_and_ends_as_a_sentence():
    text = to_plain(changed(DISPUTED))
    assert "Sources disagree on price. In dispute" in text
    assert "A document" not in text
    assert "Open source" not in text


def test_a_very_long_question_leaves_room_for_what_came_of_it():
    card = changed(replace(SETTLED, question="Why " * 200))
    assert flat(card.title).endswith("Settled: At one")
    assert len(card.fallback_text) <= 150
    assert "Settled: At one" in card.fallback_text


def test_questions_and_passages_share_a_card():
    card = changed(SETTLED, CHANGE)
    assert flat(card.title) == "When does lunch begin? Settled: At one, and 1 more change"
    assert "It costs 3 EUR." in to_plain(card)


def test_a_brief_has_a_question_in_one_line_under_its_document():
    same = replace(CHANGE, source_name="The day", source_url=URL)
    (rows, *_) = week(BriefLine(SETTLED, material=True), BriefLine(same)).shown_blocks
    assert [flat(row.heading) for row in rows.rows] == [
        "Important: When does lunch begin? Settled: At one",
        "Fees: 2 EUR → 3 EUR",
    ]


def test_a_brief_puts_questions_about_no_document_together():
    card = week(BriefLine(DISPUTED, material=True), BriefLine(AGAIN))
    (rows, *_) = card.shown_blocks
    assert flat(rows.title) == "Questions"
    assert len(rows.rows) == 2


def test_a_brief_counts_questions_apart_from_numbers_that_changed():
    text = to_plain(week(BriefLine(SETTLED, material=True), BriefLine(CHANGE, material=True), BriefLine(AGAIN)))
    assert "A number or a “not” changed in 1 of them. 1 question settled or in dispute." in text


def test_a_brief_offers_to_watch_a_question_and_says_that_it_is_one():
    card = week(BriefLine(SETTLED, watch_target="q1", watch_arg="clarification"), BriefLine(CHANGE, watch_target="s1"))
    offered = [(one.target, one.arg) for one in card.every_action if one.kind == "watch_create"]
    assert sorted(offered) == [("q1", "clarification"), ("s1", None)]
