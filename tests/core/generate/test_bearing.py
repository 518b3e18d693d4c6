"""Which words bear a sentence: the very unit, never a number of the next one, and nothing where nothing does."""

from collections.abc import Sequence
from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st

from core.embed.hashing import HashingEmbedder
from core.generate.bearing import Borne, bear, bear_unjudged
from core.generate.claims import Said
from core.model.ports import Unit
from core.model.spans import SpanRef
from core.model.verdicts import NO_EVIDENCE, Candidate, Support, Verdict
from core.verify.config import VerifyConfig
from core.verify.judge import judge


def units(*texts: str, source: int = 1, context: str = "") -> list[Unit]:
    return [Unit(SpanRef(UUID(int=source), 1, n * 100, n * 100 + 50), text, context) for n, text in enumerate(texts)]


def matcher(claims: Sequence[tuple[str, Sequence[str]]]) -> list[Verdict]:
    """The real one, over words alone."""
    embed = HashingEmbedder().embed
    return [
        judge(claim, [Candidate(text, float(embed([text])[0] @ embed([claim])[0])) for text in texts], VerifyConfig())
        for claim, texts in claims
    ]


MEALS = units("A meal may cost 40 EUR at most.", "Drinks are never paid.", "Receipts are kept for 10 years.")
HOTELS = units("A night in a hotel may cost 120 EUR at most.", source=2)
EVIDENCE = [MEALS, HOTELS]


def borne(text: str, *cites: int) -> Borne:
    [one] = bear([Said(text, cites)], EVIDENCE, matcher)
    return one


def words(one: Borne) -> list[str]:
    return [unit.said for unit in one.units]


def test_the_unit_that_bears_a_sentence_is_its_citation() -> None:
    one = borne("At most 40 EUR a meal may cost.", 1)
    assert words(one) == ["A meal may cost 40 EUR at most."]
    assert one.verdict is not None
    assert one.verdict.verdict is Support.SUPPORTED


def test_of_several_passages_those_that_bear_nothing_are_not_cited() -> None:
    assert words(borne("At most 40 EUR a meal may cost.", 2, 1)) == ["A meal may cost 40 EUR at most."]


def test_where_nothing_bears_it_what_was_meant_stays_cited() -> None:
    one = borne("Meals are a matter of taste.", 1, 2)
    assert len(one.units) == 2
    assert one.verdict is not None
    assert one.verdict.verdict is Support.UNSUPPORTED


def test_a_number_of_the_next_sentence_or_passage_bears_nothing() -> None:
    """Read together, each would hold every word and number of these."""
    both = units("A meal may cost 40 EUR at most.", "Parking: 10 EUR.")
    apart = [both[:1], units("Parking: 10 EUR.", source=2)]
    for evidence, cites in (([both], (1,)), (apart, (1, 2)), (apart, (2, 1))):
        [one] = bear([Said("A meal may cost 10 EUR at most.", cites)], evidence, matcher)
        assert one.verdict is not None
        assert one.verdict.verdict is not Support.SUPPORTED


def test_two_sentences_said_as_one_rest_on_both() -> None:
    rules = units("Drinks are never paid.", "Receipts reach the manager.")
    [one] = bear(
        [Said("Drinks are never paid, and receipts reach the manager.", (1,))],
        [rules],
        matcher,
    )
    assert sorted(words(one)) == [unit.said for unit in rules]
    assert one.verdict is not None
    assert one.verdict.verdict is Support.SUPPORTED


def test_headings_count_for_what_stands_beneath_them() -> None:
    beneath = units("40 EUR a day at most.", context="Travel > Meals abroad")
    [one] = bear([Said("Meals abroad: 40 EUR a day at most.", (1,))], [beneath], matcher)
    assert one.verdict is not None
    assert (one.verdict.verdict, words(one)) == (Support.SUPPORTED, ["40 EUR a day at most."])


def test_a_quote_is_known_however_it_is_marked_up_and_whatever_it_cites() -> None:
    for cites in ((), (1,), (2,), (2, 1)):
        one = borne("drinks  are NEVER paid", *cites)
        assert (one.quoted, one.verdict, words(one)) == (True, None, ["Drinks are never paid."])


def test_part_of_a_sentence_is_no_quote() -> None:
    assert not borne("Drinks are paid.", 1).quoted
    assert not borne("A meal may cost 40 EUR.", 1).quoted


def test_a_quote_that_two_documents_hold_cites_the_one_it_names() -> None:
    twice = [units("Drinks are never paid."), units("Drinks are never paid.", source=2)]
    for number in (1, 2):
        [one] = bear([Said("Drinks are never paid.", (number,))], twice, matcher)
        assert [unit.span.source_id.int for unit in one.units] == [number]


def test_without_a_citation_only_support_gives_one() -> None:
    assert words(borne("At most 120 EUR a hotel night may cost.")) == ["A night in a hotel may cost 120 EUR at most."]
    assert borne("A hotel night is a pleasure.") == Borne("A hotel night is a pleasure.", (), verdict=NO_EVIDENCE)


def test_without_a_matcher_what_is_cited_stays_so_and_has_no_verdict() -> None:
    said = [Said("Meals: 40 EUR.", (1,)), Said("Drinks are never paid.", ()), Said("Meals: 40 EUR.", ())]
    cited, quoted, uncited = bear_unjudged(said, EVIDENCE)
    assert (words(cited), cited.verdict) == (["A meal may cost 40 EUR at most."], None)
    assert quoted.quoted
    assert (uncited.units, uncited.verdict) == ((), None)


def test_a_passage_without_a_unit_bears_nothing() -> None:
    [one] = bear([Said("Drinks are never served.", (1,))], [[]], matcher)
    assert one == Borne("Drinks are never served.", (), verdict=NO_EVIDENCE)


texts = st.sampled_from([unit.said for unit in (*MEALS, *HOTELS)]) | st.text(min_size=1, max_size=20)
evidences = st.lists(st.lists(texts, max_size=3), max_size=3)


@given(st.lists(texts, max_size=4), evidences, st.data())
def test_every_sentence_is_kept_and_rests_on_units_of_the_evidence(
    said: list[str], evidence: list[list[str]], data: st.DataObject
) -> None:
    shown = [units(*group, source=n) for n, group in enumerate(evidence, 1)]
    numbers = st.lists(st.integers(1, len(shown)), unique=True, max_size=2) if shown else st.just([])
    sentences = [Said(text, tuple(data.draw(numbers))) for text in said]
    for found in (bear(sentences, shown, matcher), bear_unjudged(sentences, shown)):
        assert [one.text for one in found] == said
        for one in found:
            assert set(one.units) <= {unit for group in shown for unit in group}
            assert len(set(one.units)) == len(one.units)
            assert not (one.quoted and one.verdict)
