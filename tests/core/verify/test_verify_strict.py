"""A missed change is worse than a false alarm: what cannot be shown to be the same stays affected."""

import json

import pytest
from hypothesis import given

from core.ingest.units import units
from core.model.verdicts import Candidate, Gate, Reason, Support
from core.text.numbers import numbers, polarity, qualifiers
from core.text.sentences import sentences
from core.verify.strict import still_says
from tests.core.ingest.test_lineage_edits import HARMFUL, document, outcome
from tests.strategies.claims import CANDIDATES, TEXTS

CLAIM = "Send the signed form to the travel team within 5 days."


def says(sentence, claim=CLAIM):
    return still_says(claim, [Candidate(sentence, 0.9)])


@pytest.mark.parametrize(
    "sentence",
    [
        CLAIM,
        "**Send** the signed [form](https://example.org) to the travel team within five days",
        "Please send your signed forms to our travel team, within 5 days!",
        "Everybody sends the signed form to the travel team within 5 days.",
        "Send the signed form to the travel team within 5 days; keep a copy.",
        "Send the signed form to the travel team within 5 days, and keep a copy.",
        "Bring the receipt, and send the signed form to the travel team within 5 days.",
    ],
)
def test_the_same_statement_in_other_words_around_it_is_cleared(sentence):
    found = says(sentence)
    assert (found.verdict, found.best, found.reason) == (Support.SUPPORTED, 0, None)


EITHER = "For meetings of which size is there a meeting licence or extension?"
LICENCE, EXTENSION = (f"We have one meeting {word} for over 100 people." for word in ("license", "extension"))


def same(question, claim=LICENCE, sentence=EXTENSION):
    return still_says(claim, [Candidate(sentence, 0.9)], question).verdict is Support.SUPPORTED


def test_what_the_question_took_for_one_is_one():
    assert same(EITHER)
    assert same(EITHER, EXTENSION, LICENCE)


@pytest.mark.parametrize(
    ("question", "why"),
    [
        ("", "nothing was asked"),
        ("For meetings of which size is there a meeting licence?", "one of them was asked about"),
        ("Is there a meeting licence or extension?", "no number is asked for"),
        ("How many of what have we, a licence or extension?", "it asks which"),
        ("How many of what have we, licence or extension?", "it asks which"),
        ("For which size is there a licence or a room, and what extension?", "another pair"),
    ],
)
def test_what_the_question_kept_apart_is_apart(question, why):
    assert not same(question), why


def test_a_number_of_words_taken_for_one_still_has_to_be_the_same():
    assert not same(EITHER, sentence=EXTENSION.replace("100", "200"))


def test_values_are_compared_and_not_how_they_are_written():
    claim = "The cap of 5 million euros holds from 5 January 2026."
    assert says("The cap of 5,000,000 euros holds from Jan 5, 2026.", claim).verdict is Support.SUPPORTED


@pytest.mark.parametrize(
    ("sentence", "why"),
    [
        ("Send the signed form to the travel team within 10 days.", "another number"),
        ("Send the signed form to the travel team.", "a number gone"),
        ("Send the signed form to the travel team within 5 days or 7.", "a number more"),
        ("Do not send the signed form to the travel team within 5 days.", "a negation"),
        ("Never send the signed form to the travel team within 5 days.", "another negation"),
        ("Send the signed form to the payroll team within 5 days.", "another word"),
        ("Send the signed form to the team within 5 days.", "a word gone"),
        ("Send the signed form to the travel team within 5 days until 2020.", "an end"),
        ("Draft: send the signed form to the travel team within 5 days.", "a draft"),
        ("Send the signed form to the former travel team within 5 days.", "a former one"),
        ("Send the signed form to the travel team within 5 days, except in Alaska.", "an exception"),
        ("Send the travel team to the signed form within 5 days.", "the words turned round"),
        ("~~Send the signed form to the travel team within 5 days.~~", "struck through"),
        ("", "nothing"),
        ("Contractors send the signed form to the travel team within 5 days.", "only some do"),
        ("Send the signed form of a visitor to the travel team within 5 days.", "only of some"),
        ("In Alaska, send the signed form to the travel team within 5 days.", "only there"),
        ("For visitors: send the signed form to the travel team within 5 days.", "for others"),
        ("Send the signed form to the Berlin travel team within 5 days.", "another team"),
        ("Send the signed form to the travel team within 5 working days.", "other days"),
        ("Send the signed form to the travel team within 5 days, and for visitors at once.", "more of the same clause"),
        ("Send the signed form to the travel team within 5 days; applies to visitors.", "for others, joined"),
        ("Send the signed form to the travel team within 5 days, and never later.", "a negation, joined"),
        ("Send the signed form to the travel team within 5 days; keep 2 copies.", "a number, joined"),
        ("Send the signed form to the travel team, and do so within 5 days of the trip.", "the number parted from it"),
        ("Send the signed form to the travel team within 5 days?", "asked, not said"),
        ("You can send the signed form to the travel team within 5 days.", "a permission"),
        ("You must send the signed form to the travel team within 5 days.", "an obligation"),
        ("Somebody said: send the signed form to the travel team within 5 days.", "hearsay"),
        ("Send the travel form to the signed team within 5 days.", "words changed places"),
    ],
)
def test_whatever_differs_keeps_it_affected(sentence, why):
    assert says(sentence).verdict is Support.UNSUPPORTED, why


@pytest.mark.parametrize(
    ("claim", "sentence"),
    [
        ("The term moved from 30 to 45 days.", "The term moved from 45 to 30 days."),
        ("Plan B is approved.", "Plan C is approved."),
        ("Fax is not accepted.", "Fax is accepted."),
        ("The draft plan holds.", "The plan holds."),
        ("It is 5.", "The fee is 5."),
        ("Meals cost at most 40 EUR.", "Meals cost at least 40 EUR."),
        ("Two managers sign the form.", "Managers sign the form in two copies."),
        ("Two managers sign forms.", "Managers sign two forms."),
        ("5 apples cost 3 EUR.", "3 apples cost 5 EUR."),
        ("| Chair | 300 EUR |", "| 300 EUR | Chair |"),
        ("run -d now", "run -D now"),
        ("run --fast now", "run now"),
        ("Receipts above 40 EUR are kept.", "Receipts below 40 EUR are kept."),
        ("Expenses under 40 EUR need a receipt.", "Expenses over 40 EUR need a receipt."),
        ("You must lock the door.", "You can lock the door."),
        ("You pay for lunch.", "We pay for lunch."),
        ("Your fee is waived.", "Our fee is waived."),
        ("Ask us about leave.", "Ask them about leave."),
        ("Bring the form and the receipt.", "Bring the form or the receipt."),
        ("All visitors sign in.", "Some visitors sign in."),
        ("Any manager signs it.", "Both managers sign it."),
        ("Turn the heating off.", "Turn the heating up."),
        ("The door is open.", "Is the door open?"),
        ("Ask Robin about leave.", "Ask Kim about leave."),
        ("The office is in Berlin.", "The office is in Munich."),
        ("Refunds of tickets take 14 days.", "Refunds take 14 days."),
        ("Ask the team in Rome.", "Ask the team in Rome; closed."),
        ("", ""),
    ],
)
def test_a_change_is_seen_in_short_sentences_too(claim, sentence):
    assert says(sentence, claim).verdict is Support.UNSUPPORTED


def test_one_sentence_must_say_it_all():
    halves = [Candidate("Send the signed form to the travel team.", 0.9), Candidate("Within 5 days.", 0.5)]
    found = still_says(CLAIM, halves)
    assert (found.verdict, found.best) == (Support.UNSUPPORTED, 0)


def test_the_sentence_that_says_it_is_found_among_others():
    found = still_says(CLAIM, [Candidate("Send the form.", 0.9), Candidate(CLAIM, 0.8)])
    assert (found.verdict, found.best) == (Support.SUPPORTED, 1)


def test_a_changed_number_is_told_apart_from_other_changes():
    """It is what makes a stale claim material."""
    found = says("Send the signed form to the travel team within 10 days.")
    assert (found.reason, found.signals.numeric_gate) == (Reason.NUMERIC_OR_DATE_MISMATCH, Gate.CAPPED)
    assert says("Do not send the signed form to the travel team within 5 days.").signals.negation is Gate.CAPPED
    assert says("Send the signed form to payroll within 5 days.").reason is Reason.INSUFFICIENT_SUPPORT


def test_a_passage_that_is_gone_leaves_no_evidence():
    assert still_says(CLAIM, []).reason is Reason.NO_EVIDENCE_FOUND


@pytest.mark.parametrize(
    ("claim", "sentence"),
    [
        ("All visitors sign in.", "Every visitor signs in."),
        ("You shall lock the door.", "You must lock the door."),
        ("Bring the form.", "Bring your form."),
        ("Bring your form.", "Please bring the form."),
        ("Contact the office in Rome.", "Reach the office in Rome."),
        ("Ask in the Rome channel.", "Find us in the Rome channel."),
        ("Is the door open?", "Is the door open?"),
    ],
)
def test_what_says_the_same_is_cleared_in_short_sentences_too(claim, sentence):
    assert says(sentence, claim).verdict is Support.SUPPORTED


@pytest.mark.parametrize("case", HARMFUL)
def test_no_edit_that_may_change_what_holds_is_cleared(case):
    """Where words are found no more, what then stands on the page is read: all of it, whatever its place."""
    old, new, cited = HARMFUL[case]
    if outcome(old, new, cited).state == "gone":
        page = document(new)
        current = [Candidate(page.text.encode()[unit.start : unit.end].decode(), 0.0) for unit in units(page)]
        assert still_says(cited, current).verdict is Support.UNSUPPORTED


@given(TEXTS, CANDIDATES)
def test_what_is_cleared_has_the_same_numbers_negations_and_qualifiers(claim, candidates):
    found = still_says(claim, candidates)
    assert found.verdict is not Support.PARTIAL
    if found.verdict is Support.SUPPORTED:
        text = candidates[found.best].text
        assert [numbers(text), polarity(text), qualifiers(text)] == [
            numbers(claim),
            polarity(claim),
            qualifiers(claim),
        ]


@pytest.mark.data
def test_no_real_change_of_a_fact_is_ever_cleared(data_dir):
    """For each labelled edit, the old sentence against every sentence of the new document."""
    folder = data_dir / "handbook"
    texts = {
        (row["path"], row["version"]): row["text"]
        for row in map(json.loads, (folder / "versions.jsonl").read_text().splitlines())
    }
    edits = [json.loads(line) for line in (folder / "changes.jsonl").read_text().splitlines()]
    changed = [edit for edit in edits if edit["fact_changed"]]
    cleared = []
    for edit in changed:
        old, new = (texts[edit["path"], edit[side]] for side in ("from_version", "to_version"))
        cited = next((old[a:b] for a, b in sentences(old) if edit["old"] in old[a:b]), edit["old"])
        current = [Candidate(new[a:b], 0.0) for a, b in sentences(new)]
        if still_says(cited, current).verdict is Support.SUPPORTED:
            cleared.append(edit["id"])
    assert len(changed) == 60
    assert cleared == []
