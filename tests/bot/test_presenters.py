"""From core's values to cards: what is known is all said, nothing is made up, and each button has its target."""

from dataclasses import replace
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.presenters import (
    answer_card,
    answer_offer,
    answer_sources,
    below,
    brief_words,
    present,
    sentence_verdict,
    web_address,
)
from cards.codec import from_json
from cards.plain import to_plain
from core.clock import SECOND
from core.model.answers import Answer, Cited, Claim
from core.model.clarifying import ClarificationState, OpenQuestion
from core.model.evidence import BriefLine, ChangeLine, Passage, SectionChange
from core.model.grants import PermittedAction
from core.model.notices import AnswerMoved, AnswersNotice, BriefNotice, ChangeNotice, ClaimDiff, Reason
from core.model.preferences import Preferences
from core.model.spans import SpanRef
from core.model.verdicts import NO_EVIDENCE, Gate, Signals, Support, Verdict
from tests.support.bots import buttons

NONCE = "n" * 22
WHEN = 1_790_000_000 * SECOND
WORDS = st.text(min_size=1, max_size=60).filter(str.strip)


def uid(number):
    return UUID(int=number)


def line(*changes, ref=1, name="Travel", uri="travel.md"):
    return ChangeLine(uid(ref), name, uri, changes, WHEN, WHEN)


def moved_section(before, after, *path):
    return SectionChange(path or ("Travel", "Meals"), before, after)


MEALS = moved_section("A meal may cost 40 EUR.", "A meal may cost 55 EUR.")


def change_notice(*lines, more=0, names=("travel",)):
    reasons = tuple(Reason(uid(number), name) for number, name in enumerate(names, 100))
    return ChangeNotice(lines, more, reasons, WHEN)


def shown(notice):
    return from_json(present(notice, NONCE))


# ── memory change ──


def test_a_change_shows_both_states_its_place_and_why_it_came():
    text = to_plain(shown(change_notice(line(MEALS))))
    assert "Before: A meal may cost 40 EUR." in text
    assert "Now: A meal may cost 55 EUR." in text
    assert "Travel › Meals" in text
    assert "You watch travel" in text


@pytest.mark.parametrize(("before", "after", "absent"), [("", "New words.", "Before:"), ("Old words.", "", "Now:")])
def test_what_came_or_went_has_one_side_only(before, after, absent):
    text = to_plain(shown(change_notice(line(moved_section(before, after)))))
    assert (before or after) in text
    assert absent not in text


def test_what_changed_stands_before_what_came_or_went():
    notice = change_notice(
        line(moved_section("", "Came.", "Travel", "A"), moved_section("Went.", "", "Travel", "B"), MEALS)
    )
    assert to_plain(shown(notice)).startswith("Meals: 40 EUR → 55 EUR, and 2 more changes")


def test_a_passage_that_two_watches_found_is_told_once():
    """A watch on the section and one on the whole document see the same change under ids of their own."""
    text = to_plain(shown(change_notice(line(MEALS, ref=1), line(MEALS, ref=2), names=("meals", "travel"))))
    assert text.count("40 EUR.") == 1
    assert "more change" not in text
    assert "you watch\n• meals\n  [Stop watching]\n• travel\n" in text


def test_the_same_words_in_two_places_are_two_changes():
    there = moved_section(MEALS.before, MEALS.after, "Travel", "Dinners")
    elsewhere = line(MEALS, ref=2, name="Visitors", uri="visitors.md")
    assert to_plain(shown(change_notice(line(MEALS, there), elsewhere))).count("40 EUR.") == 3


def test_what_a_fire_left_out_is_counted():
    assert "and 7 more changes" in to_plain(shown(change_notice(line(MEALS), more=7)))


@pytest.mark.parametrize("names", [("travel",), ("travel", "meals")])
def test_every_watch_that_matched_can_be_stopped(names):
    card = shown(change_notice(line(MEALS), names=names))
    stops = {button.target for button in buttons(card) if (button.kind, button.arg) == ("watch_mute", "stop")}
    assert stops == {str(uid(number)) for number, _ in enumerate(names, 100)}
    assert {button.nonce for button in buttons(card)} == {NONCE}


@given(st.lists(st.tuples(WORDS, WORDS, WORDS), min_size=1, max_size=8), WORDS)
def test_any_text_makes_a_card_that_can_be_stored_and_shown(texts, name):
    changes = [moved_section(before, after, "Title", heading) for before, after, heading in texts]
    card = shown(change_notice(line(*changes, name=name), names=(name,)))
    assert from_json(present(change_notice(line(*changes, name=name), names=(name,)), NONCE)) == card
    assert card.fallback_text.strip()


# ── saved answer updated ──


def moved(number=1, **more):
    claim = ClaimDiff("A meal may cost 40 EUR.", "A meal may cost 55 EUR.", "affected", None)
    fields = {"status": "stale", "severity": "material", "claims": (claim,)} | more
    return AnswerMoved(uid(number), uid(number + 100), f"Question {number}?", saved_at=WHEN, **fields)


def test_a_moved_answer_shows_what_was_saved_and_what_stands_now():
    text = to_plain(shown(AnswersNotice((moved(),), WHEN)))
    for words in ("Your saved answer may be wrong", "Question 1?", "You saved: A meal may cost 40 EUR.", "55 EUR."):
        assert words in text


def test_a_moved_answer_can_be_refreshed_and_its_watch_stopped():
    card = shown(AnswersNotice((moved(),), WHEN))
    assert {(b.kind, b.target, b.arg) for b in buttons(card)} == {
        ("answer_refresh", str(uid(1)), None),
        ("watch_mute", str(uid(101)), "stop"),
    }


@pytest.mark.parametrize(
    ("claim", "words"),
    [
        ({"state": "affected", "caveat": None}, "None of it matches its sources any more"),
        ({"state": "invalidated", "caveat": None}, "Its source was removed"),
        ({"state": "affected", "caveat": "no model"}, "The wording could not be checked"),
        ({"state": "affected", "caveat": "clarification:decided"}, "An open question about it has been answered"),
        ({"state": "pending", "caveat": None}, "Waiting for an open question"),
        ({"state": "conflicted", "caveat": None}, "An open question has conflicting answers"),
    ],
)
def test_the_verdict_on_a_claim_in_words(claim, words):
    claims = (ClaimDiff("Old words.", "New words.", **claim),)
    assert words in to_plain(shown(AnswersNotice((moved(claims=claims),), WHEN)))


def test_what_is_not_material_is_not_called_wrong():
    text = to_plain(shown(AnswersNotice((moved(severity=None),), WHEN)))
    assert text.startswith("Your saved answer has changed")


def test_several_answers_share_a_card_with_a_refresh_each():
    card = shown(AnswersNotice((moved(1), moved(2)), WHEN))
    assert to_plain(card).startswith("2 saved answers may have changed")
    assert [button.target for button in buttons(card) if button.kind == "answer_refresh"] == [str(uid(1)), str(uid(2))]


# ── answers ──


# ── the brief ──


def test_a_brief_says_each_change_in_one_line_and_how_many_passages_it_reached():
    hotels = moved_section("A night may cost 150 EUR.", "A night may cost 160 EUR.", "Travel", "Hotels")
    lines = (BriefLine(line(MEALS, hotels, hotels), 9, uid(5), material=True), BriefLine(line(hotels, name="Fares"), 8))
    text = to_plain(card := shown(BriefNotice(lines, 45, (moved(),), ("travel",))))
    assert text.startswith("Your week in memory: 47 changes")
    assert "Important: Meals: 40 EUR → 55 EUR" in text
    assert "and 2 more passages" in text
    assert "and 45 more" in text
    assert moved().question in text
    assert [(b.kind, b.target, b.arg) for b in buttons(card)] == [
        ("watch_create", str(uid(5)), None),
        ("preference_set", "brief_day", "off"),
    ]


@pytest.mark.parametrize(
    ("chosen", "words"),
    [
        (Preferences(None, 540), "It is off."),
        (Preferences(4, 0), "It comes on Fridays at 0:00, UTC time, if anything has changed."),
    ],
)
def test_when_a_brief_comes_is_said_in_words(chosen, words):
    assert brief_words(chosen, "UTC") == words


def passage(number, source=1, text="A meal may cost 40 EUR.", uri="travel.md"):
    span = SpanRef(uid(source), WHEN, number * 100, number * 100 + 50)
    return Passage(span, text, ("Travel", "Meals"), "Travel", uri)


SECTIONS = (Cited(uid(9), "Meals"),)


def answer_of(*cited, nearest=()):
    claims = tuple(Claim(f"Sentence {n}.", passages, quoted=True) for n, passages in enumerate(cited, 1))
    return Answer(uid(5), "What?", "Sentence.", claims, SECTIONS if claims else (), nearest, "hash", 0.5)


def test_each_sentence_cites_its_passages_by_number_and_a_passage_has_one():
    one, two = passage(1), passage(2, source=2)
    text = to_plain(answer_card(answer_of((one,), (two, one)), NONCE))
    assert "Sentence 1. [1]" in text
    assert "Sentence 2. [2] [1]" in text
    assert text.count("› Meals") == 2


@given(st.lists(st.lists(st.integers(1, 6), min_size=1, max_size=4, unique=True), min_size=1, max_size=5))
def test_every_number_in_an_answer_is_in_its_list_of_sources(cited):
    answer = answer_of(*(tuple(passage(n, source=n) for n in numbers) for numbers in cited))
    text = to_plain(answer_card(answer, NONCE))
    distinct = {number for numbers in cited for number in numbers}
    assert all(f"[{number}]" in text for number in range(1, len(distinct) + 1))
    assert f"[{len(distinct) + 1}]" not in text
    assert set(answer_sources(answer)) == {uid(number) for number in distinct}


def test_an_answer_offers_to_save_it_and_to_watch_what_it_cites():
    found = answer_of((passage(1),))
    offer = answer_offer(found)
    assert offer.actions == (PermittedAction("answer_save", str(uid(5))), PermittedAction("watch_create", str(uid(5))))
    assert offer.generation_id == str(uid(5))
    assert {(b.kind, b.target) for b in buttons(answer_card(found, NONCE))} == {
        (action.kind, action.target) for action in offer.actions
    }


def test_what_is_saved_already_offers_no_save_button():
    assert [b.kind for b in buttons(answer_card(answer_of((passage(1),)), NONCE, saved=True))] == ["watch_create"]


def test_what_is_not_known_shows_the_nearest_passages_and_offers_nothing():
    unknown = answer_of(nearest=(passage(1), passage(2, source=2)))
    card = answer_card(unknown, NONCE)
    assert "I couldn’t find an answer" in to_plain(card)
    assert "[2] Travel › Meals" in to_plain(card)
    assert (buttons(card), answer_offer(unknown).actions) == ([], ())
    assert answer_sources(unknown) == [uid(1), uid(2)]


def test_an_unsupported_sentence_is_not_shown_as_quoted():
    found = answer_of((passage(1),))
    found = replace(found, claims=(replace(found.claims[0], quoted=False, verdict=judged(Support.UNSUPPORTED)),))
    text = to_plain(answer_card(found, NONCE))
    assert "not supported by the wording" in text
    assert "Quoted word for word" not in text


# ── places ──


@pytest.mark.parametrize(
    ("path", "title", "expected"),
    [
        (("Travel", "Meals"), "Travel", ("Meals",)),
        (("Meals",), "Travel", ("Meals",)),
        (("Travel",), "Travel", ()),
        (("Travel", "Travel"), "Travel", ("Travel",)),
        ((), "Travel", ()),
    ],
)
def test_a_page_that_begins_with_its_title_says_it_once(path, title, expected):
    assert below(path, title) == expected


@pytest.mark.parametrize("uri", ["javascript:alert(1)", "file:///etc/passwd", "handbook/travel.md", "ftp://x", ""])
def test_only_web_addresses_become_links(uri):
    assert web_address(uri) is None
    assert "Open source" not in to_plain(shown(change_notice(line(MEALS, uri=uri))))


def test_a_web_address_becomes_a_link():
    assert web_address("https://wiki.example/travel") == "https://wiki.example/travel"
    assert "Open source" in to_plain(shown(change_notice(line(MEALS, uri="https://wiki.example/travel"))))


# ── what a model wrote ──

SIGNALS = Signals(0.5, 0.5, Gate.PASS, Gate.PASS)


def judged(support, signals=SIGNALS):
    return Verdict(support, 0.5, None, 0, signals)


@pytest.mark.parametrize(
    ("claim", "said"),
    [
        (Claim("S.", (passage(1),), quoted=True), "quoted"),
        (Claim("S.", (passage(1),), quoted=False, verdict=judged(Support.SUPPORTED)), "supported"),
        (Claim("S.", (passage(1),), quoted=False, verdict=judged(Support.PARTIAL)), "partial"),
        (Claim("S.", (passage(1),), quoted=False, verdict=judged(Support.UNSUPPORTED)), "unsupported"),
        (
            Claim(
                "S.",
                (passage(1),),
                quoted=False,
                verdict=judged(Support.UNSUPPORTED, replace(SIGNALS, negation=Gate.CAPPED)),
            ),
            "differs",
        ),
        (Claim("S.", (passage(1),), quoted=False), "unchecked"),
        (Claim("S.", (), quoted=False, verdict=NO_EVIDENCE), "uncited"),
        (Claim("S.", (), quoted=False), "uncited"),
    ],
)
def test_what_is_said_beside_a_claim_follows_from_its_verdict(claim, said):
    assert sentence_verdict(claim) == said


def test_a_card_remembers_every_source_that_a_model_read():
    """Its words may be anywhere in what it wrote."""
    found = replace(answer_of((passage(1),)), read=frozenset({uid(1), uid(7)}))
    assert answer_sources(found) == [uid(1), uid(7)]


def test_what_cites_nothing_offers_nothing_and_a_guess_says_that_it_is_one():
    guess = replace(answer_of(()), grounded=False, sections=(), claims=(Claim("S.", (), quoted=False),))
    assert answer_offer(guess).actions == ()
    assert buttons(answer_card(guess, NONCE)) == []
    assert "treat it as a guess" in to_plain(answer_card(guess, NONCE))


def test_what_is_open_about_cited_words_is_asked_once():
    asked = OpenQuestion(uid(3), ClarificationState.PENDING, "40 or 50?")
    found = answer_of((passage(1),), (passage(1),))
    found = replace(found, claims=tuple(replace(claim, questions=(asked,)) for claim in found.claims))
    assert to_plain(answer_card(found, NONCE)).count("Still open: 40 or 50?") == 1
