"""The Answer card says what the documents say, where it stands, and how far to trust it."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cards.actions import Button
from cards.answer import (
    ANSWER_CHARS,
    MARKS,
    AnswerCitation,
    AnswerContent,
    AnswerSentence,
    SentenceVerdict,
    answer,
)
from cards.inline import flat, leaves
from cards.model import Card, with_outcome
from cards.plain import to_plain
from cards.text import clean, is_blank
from tests.strategies.card_content import texts


def taps(card: Card) -> list[tuple[str, str]]:
    return [(button.label, button.style) for button in card.actions if isinstance(button, Button)]


ANSWER = AnswerContent(
    question="How long?",
    sentences=(AnswerSentence("30 days.", (1,), "quoted"),),
    citations=(AnswerCitation("Handbook", None, ("Refunds",), "30 days."),),
    target="g1",
    nonce="n",
    watch_names=("Refunds", "Shipping", "Fees", "Hours"),
)


def of(*verdicts: SentenceVerdict) -> AnswerContent:
    """An answer of sentences with these verdicts: `S1 word`, `S2 word`, …"""
    numbered = enumerate(verdicts, 1)
    said = tuple(AnswerSentence(f"S{n} word.", () if v == "uncited" else (1,), v) for n, v in numbered)
    return replace(ANSWER, sentences=said)


def test_an_answer_quotes_cites_and_names_what_it_would_watch() -> None:
    card = answer(ANSWER)
    assert to_plain(card).split("\n") == [
        "30 days. [1]",
        "",
        "[1] Handbook › Refunds",
        "",
        "Quoted word for word.",
        "",
        "“Watch this” follows Refunds, Shipping and 2 more.",
        "",
        "[Save answer] [Watch this]",
    ]
    assert card.fallback_text == "30 days."


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (replace(ANSWER, ungrounded=True), "Careful. No document backs this answer: treat it as a guess."),
        (replace(ANSWER, open_questions=("From when?",)), "Still open: From when?"),
        (of("uncited"), "Careful. There is no source for this."),
        (of("unsupported"), "Careful. The wording of the source does not support this."),
        (of("unchecked", "unchecked"), "Careful. Nothing could check this against the source."),
        (of("differs"), "Careful. A number, a date or a “not” differs from the source in this."),
        (of("uncited", "quoted"), "Careful. There is no source for one sentence."),
        (of("uncited", "uncited", "quoted"), "Careful. There is no source for 2 sentences."),
        (
            of("uncited", "unsupported", "differs", "supported"),
            (
                "Careful. A number, a date or a “not” differs from the source in one sentence. The wording of the "
                "source does not support one sentence. There is no source for one sentence."
            ),
        ),
    ],
)
def test_doubts_are_said_in_words(content: AnswerContent, said: str) -> None:
    text = to_plain(answer(content))
    assert f"\n\n{said}\n\n" in text
    assert ("Quoted word for word" in text) is (content.sentences == ANSWER.sentences)


def test_a_note_that_is_no_doubt_is_said_without_a_warning() -> None:
    text = to_plain(answer(replace(ANSWER, note="Asked again today.")))
    assert "Asked again today." in text
    assert "Careful" not in text


def test_an_answer_is_told_in_a_notification_without_its_numbers() -> None:
    sentences = (AnswerSentence("30 days.", (1, 2), "quoted"), AnswerSentence("Unopened.", (), "quoted"))
    assert answer(replace(ANSWER, sentences=sentences)).fallback_text == "30 days. Unopened."


def test_an_answer_that_was_not_found_says_so_and_shows_what_is_near() -> None:
    card = answer(replace(ANSWER, sentences=()))
    text = to_plain(card)
    assert text.startswith("I couldn’t find an answer in the documents you can read.\n\nThe nearest passages:\n\n[1]")
    assert card.actions == ()


def test_a_saved_answer_offers_no_second_save() -> None:
    assert taps(answer(replace(ANSWER, saved=True, watch_names=()))) == []


@pytest.mark.parametrize(
    "content",
    [
        replace(ANSWER, ungrounded=True),
        replace(ANSWER, open_questions=("From when?",)),
        replace(ANSWER, sentences=(*ANSWER.sentences, AnswerSentence("x", (), "uncited"))),
    ],
)
def test_what_is_in_doubt_is_not_urged_to_be_saved(content: AnswerContent) -> None:
    assert taps(answer(content)) == [("Save answer", "normal"), ("Watch this", "normal")]
    sure = replace(content, ungrounded=False, open_questions=("\u200b",), sentences=ANSWER.sentences)
    assert taps(answer(sure)) == [("Save answer", "primary"), ("Watch this", "normal")]


@pytest.mark.parametrize("verdict", sorted(MARKS))
def test_what_is_no_quote_says_beside_it_how_far_its_source_bears_it(verdict: SentenceVerdict) -> None:
    lines = to_plain(answer(of("quoted", verdict))).split("\n")
    assert lines[0] == "S1 word. [1]"
    assert lines[1] == f"S2 word.{'' if verdict == 'uncited' else ' [1]'} ({MARKS[verdict]})"
    assert "What has no mark is quoted word for word." in lines


def test_no_mark_says_that_anything_is_true() -> None:
    assert not any(word in words for words in MARKS.values() for word in ("true", "correct", "verified", "false"))


def bold(content: AnswerContent) -> list[str]:
    return [flat((leaf,)) for leaf, is_bold in leaves(answer(content).blocks[0].words) if is_bold]


def test_a_mark_stands_out_where_nothing_bears_the_sentence_and_only_there() -> None:
    assert bold(of("quoted", "supported", "partial")) == []
    assert bold(of("supported", "unsupported", "differs", "unchecked", "uncited")) == [
        f"({MARKS[verdict]})" for verdict in ("unsupported", "differs", "unchecked", "uncited")
    ]


def test_what_is_supported_is_no_reason_to_be_careful() -> None:
    assert "Careful" not in to_plain(answer(of("supported", "partial", "quoted")))
    assert taps(answer(of("supported", "quoted")))[0] == ("Save answer", "primary")
    assert taps(answer(of("supported", "partial")))[0] == ("Save answer", "normal")


def test_a_guess_is_called_one_once_and_cannot_be_saved() -> None:
    card = answer(replace(of("uncited", "uncited"), ungrounded=True, citations=(), watch_names=()))
    assert to_plain(card) == "S1 word. S2 word.\n\nCareful. No document backs this answer: treat it as a guess."
    assert card.fallback_text == "A guess: S1 word. S2 word."
    assert taps(card) == []


def test_a_notification_does_not_leave_out_that_something_is_in_doubt() -> None:
    assert answer(of("unsupported", "quoted")).fallback_text.startswith("Careful, in part without support: S1 word.")
    assert answer(of("supported")).fallback_text == "S1 word."


def test_doubts_and_open_questions_stand_on_lines_of_their_own() -> None:
    content = replace(of("unsupported"), note="Old.", open_questions=("", "X?", "Y?", "Z?"))
    said = "Careful. The wording of the source does not support this. Old."
    assert f"\n\n{said}\nStill open: X?\nStill open: Y?\n\n" in to_plain(answer(content))


@given(st.lists(st.tuples(texts, st.sampled_from(sorted(MARKS))), min_size=1, max_size=4))
def test_a_sentence_never_takes_the_mark_of_another(said: list[tuple[str, SentenceVerdict]]) -> None:
    """Whatever a sentence holds, line breaks and marks of its own too, as many marks stand there as are due."""
    sentences = tuple(AnswerSentence(text[:200], (), verdict) for text, verdict in said)
    blocks = answer(replace(ANSWER, sentences=sentences)).blocks
    shown = [verdict for text, verdict in said if not is_blank(clean(text[:200]))]
    found = [flat((leaf,)) for leaf, _ in leaves(blocks[0].words)] if shown else []
    assert [leaf for leaf in found if leaf[1:-1] in MARKS.values()] == [f"({MARKS[verdict]})" for verdict in shown]


def quotes(content: AnswerContent) -> list[str]:
    return [flat(item.quote) for item in answer(content).blocks[1].items]


def cited(*texts_: str, quote: str) -> AnswerContent:
    sentences = tuple(AnswerSentence(text, (1,), "quoted") for text in texts_)
    return replace(ANSWER, sentences=sentences, citations=(replace(ANSWER.citations[0], quote=quote),))


@pytest.mark.parametrize(
    ("content", "shown"),
    [
        (cited("30 days.", quote="30\n days.\u200b"), ""),
        (cited("30 days.", "Unopened.", quote="30 days. Unopened."), ""),
        (cited("退货。", "退款。", quote="退货。退款。"), ""),
        (cited("30 days.", quote="30 days. Unopened."), "30 days. Unopened."),
        (cited("30 days", quote="30 days."), "30 days."),
        (replace(cited(quote="30 days."), sentences=(AnswerSentence("30 days.", (), "quoted"),)), "30 days."),
    ],
)
def test_what_the_answer_says_word_for_word_is_not_quoted_again(content: AnswerContent, shown: str) -> None:
    assert quotes(content) == [shown]


def test_a_source_of_an_answer_too_long_to_be_shown_whole_is_quoted() -> None:
    """Its sentence may be behind the cut."""
    assert quotes(cited("word " * 600, "30 days.", quote="30 days.")) == ["30 days."]


def test_nothing_found_quotes_whatever_is_near() -> None:
    assert "    “30 days.”" in to_plain(answer(replace(ANSWER, sentences=())))


def test_what_watch_this_would_follow_is_told_until_it_is_tapped() -> None:
    after = with_outcome(answer(ANSWER), "You watch 4 sections.", remove_kinds=frozenset({"watch_create"}))
    assert "“Watch this”" not in to_plain(after)
    assert "Quoted word for word." in to_plain(after)


def test_a_doubt_far_behind_the_cut_is_told_too() -> None:
    sentences = (*[AnswerSentence("word " * 500, (1,), "quoted")] * 3, AnswerSentence("Cash.", (), "uncited"))
    text = to_plain(answer(replace(ANSWER, sentences=sentences)))
    assert "There is no source for one sentence." in text
    assert "Quoted word for word." not in text


@pytest.mark.parametrize("length", [*range(40), 470, 2_400, 2_500, 9_000])
def test_a_doubtful_sentence_that_is_cut_keeps_its_mark(length: int) -> None:
    """Without it, it would pass for a quote."""
    first = AnswerSentence("a" * (ANSWER_CHARS - 150 + length), (1,), "quoted")
    last = AnswerSentence("b" * 300, (), "differs")
    text = to_plain(answer(replace(ANSWER, sentences=(first, last))))
    told = text.partition("\n\n")[0].split("\n")[-1]
    assert told.startswith("b") == told.endswith(MARKS["differs"] + ")")
    assert told.startswith("b") or told.endswith("…"), "and that there is more is seen"


@given(st.lists(st.tuples(st.integers(1, 3_000), st.sampled_from(list(MARKS))), min_size=1, max_size=6))
def test_a_shown_sentence_has_its_own_mark_and_there_is_room_for_all_that_is_shown(
    lengths: list[tuple[int, SentenceVerdict]],
) -> None:
    said = tuple(AnswerSentence("b" * length, (1,), verdict) for length, verdict in lengths)
    shown = to_plain(answer(replace(ANSWER, sentences=said))).partition("\n\n")[0]
    lines = [line for line in shown.split("\n") if line != "…"]
    assert all(line.endswith(f"({MARKS[one.verdict]})") for line, one in zip(lines, said, strict=False))
    assert len("\n".join(lines)) <= ANSWER_CHARS


@given(texts, st.sampled_from(("\u200b", "👩‍👩‍👧‍👦", "x")))
def test_of_a_text_without_end_only_the_beginning_is_looked_at(text: str, more: str) -> None:
    """The same card comes of what fills its place and of a hundred thousand times as much."""

    def card(endless: str) -> Card:
        place = AnswerCitation(endless, None, (endless,), endless)
        said = AnswerSentence(endless, (1,), "unsupported")
        return answer(replace(ANSWER, sentences=(said,) * 2, citations=(place,), watch_names=(endless,)))

    long = f"{text}{more * 8 * ANSWER_CHARS}"
    assert card(long) == card(long + "z" * 100_000)
