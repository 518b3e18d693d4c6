"""Claims of a caller, held against what may be read."""

import json
from random import Random
from uuid import uuid4

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.clock import DAY
from core.embed.hashing import HashingEmbedder
from core.errors import InvalidQuery, InvalidRequest, NotFound, VerifyUnavailable
from core.graph.records import Record
from core.ids import derived
from core.model.spans import SpanRef
from core.model.verdicts import Gate, Reason, Support
from core.store.tables import Trace
from core.store.view import view
from core.verify.request import LONGEST_CLAIM, MOST_CLAIMS, Against, VerifyRequest
from tests.support.memories import NOW, add_person, page, put, rows, source_id

MEAL = "A meal may cost at most 40 EUR."
TRAVEL = page(
    "Travel", {"Meals": f"{MEAL} Receipts are kept for a year.", "Trains": "Trains are booked by the office."}
)


def verify(memory, who, *claims, **request):
    return memory.verify(VerifyRequest(claims, **request), who).results


def verify_one(memory, who, claim, **request):
    [result] = verify(memory, who, claim, **request)
    return result


class Counting(HashingEmbedder):
    """Remembers what it was given."""

    def __init__(self):
        self.texts = []

    def embed(self, texts):
        self.texts += texts
        return super().embed(texts)


class CountingLibrary:
    """Remembers of which spans the words were read in."""

    def __init__(self, library):
        self.library, self.sliced, self.read = library, [], []

    def slices(self, tx, spans):
        self.sliced += spans
        return self.library.slices(tx, spans)

    def units(self, tx, spans):
        self.read += spans
        return self.library.units(tx, spans)


@pytest.fixture
def counted_library(memory):
    counting = CountingLibrary(memory._engines.library)
    memory._engines.verify._library = counting
    return counting


# ── verdicts ──


def test_a_claim_in_the_documents_words_is_supported_by_the_very_sentence(memory, ada):
    put(memory, "travel.md", TRAVEL)
    result = verify_one(memory, ada, MEAL)
    assert (result.verdict, result.reason) == (Support.SUPPORTED, None)
    assert result.evidence[0].text == MEAL
    assert result.evidence[0].score == result.score == pytest.approx(1, abs=1e-3)


def test_a_number_of_the_next_sentence_bears_nothing(memory, ada):
    put(memory, "travel.md", page("Travel", {"Meals": f"{MEAL} The garage closes after 90 minutes."}))
    result = verify_one(memory, ada, "A meal may cost at most 90 EUR.")
    assert result.reason is Reason.NUMERIC_OR_DATE_MISMATCH


def test_a_number_that_differs_is_the_reason(memory, ada):
    put(memory, "travel.md", TRAVEL)
    result = verify_one(memory, ada, "A meal may cost at most 80 EUR.")
    assert (result.verdict, result.reason) == (Support.UNSUPPORTED, Reason.NUMERIC_OR_DATE_MISMATCH)
    assert result.signals.numeric_gate is Gate.CAPPED
    assert result.evidence[0].text == MEAL


def test_another_matter_is_insufficient_support_with_the_closest_words(memory, ada):
    put(memory, "travel.md", TRAVEL)
    result = verify_one(memory, ada, "Bicycles are repaired on Fridays.")
    assert (result.verdict, result.reason) == (Support.UNSUPPORTED, Reason.INSUFFICIENT_SUPPORT)
    assert 1 <= len(result.evidence) <= 3


def test_without_documents_no_evidence_is_found(memory, ada):
    result = verify_one(memory, ada, MEAL)
    assert (result.verdict, result.reason) == (Support.UNSUPPORTED, Reason.NO_EVIDENCE_FOUND)
    assert (result.score, result.evidence, result.signals) == (0.0, (), None)


def test_results_stand_in_the_order_of_the_claims(memory, ada):
    put(memory, "travel.md", TRAVEL)
    results = verify(memory, ada, "Pigs fly.", MEAL, "Trains are booked by the office.")
    assert [result.verdict.value for result in results] == ["unsupported", "supported", "supported"]
    assert [result.claim for result in results][1] == MEAL


def test_the_json_is_the_seeds(memory, ada):
    put(memory, "travel.md", TRAVEL)
    found = memory.verify(VerifyRequest([MEAL, "Pigs fly."]), ada).to_json()
    supported, unsupported = found["results"]
    assert list(supported) == ["claim", "verdict", "score", "evidence", "signals"]
    assert list(unsupported) == ["claim", "verdict", "score", "unsupportedReason", "evidence", "signals"]
    assert list(supported["evidence"][0]) == ["sourceId", "sourceVersionTx", "start", "end", "text", "score"]
    assert list(supported["signals"]) == ["lexical", "cosine", "numericGate", "negation"]
    assert json.loads(json.dumps(found)) == found


def test_cited_coordinates_slice_to_the_evidence(memory, ada):
    put(memory, "travel.md", TRAVEL)
    evidence = verify_one(memory, ada, MEAL).evidence[0]
    assert TRAVEL[evidence.span.start : evidence.span.end].decode() == evidence.text


def test_a_table_row_is_read_with_its_header(memory, ada):
    put(memory, "rates.md", b"# Rates\n\n| City | Night (EUR) |\n|---|---|\n| Oslo | 180 |\n| Bern | 210 |\n")
    right, swapped = verify(memory, ada, "Bern night: 210 EUR", "Bern night: 180 EUR")
    assert (right.verdict, right.evidence[0].text) == (Support.SUPPORTED, "Bern — Night (EUR): 210")
    assert swapped.score < right.score


def test_a_heading_bears_nothing(memory, ada):
    put(memory, "travel.md", page("Travel", {"Pigs fly": "Trains are booked by the office."}))
    result = verify_one(memory, ada, "Pigs fly.")
    assert result.verdict is Support.UNSUPPORTED
    assert [evidence.text for evidence in result.evidence] == ["Trains are booked by the office."]


@pytest.mark.parametrize("words", [f"~~{MEAL}~~", f"Meals are free. ~~{MEAL}~~", f"<del>\n\n{MEAL}\n\n</del>"])
def test_what_is_struck_through_bears_nothing(memory, ada, words):
    put(memory, "travel.md", page("Travel", {"Meals": words, "Trains": "Trains are booked by the office."}))
    result = verify_one(memory, ada, MEAL)
    assert result.verdict is not Support.SUPPORTED
    assert MEAL not in {evidence.text for evidence in result.evidence}


def test_headings_take_no_candidates_place(reopen):
    memory = reopen(verify={"candidates": 2})
    headings = "".join(f"## A meal at 40 EUR, part {n}\n\n" for n in range(2))
    put(memory, "travel.md", f"{headings}## Rules\n\n{MEAL} {'Something else is said. ' * 5}\n".encode())
    assert verify_one(memory, add_person(memory, "Ada"), MEAL).verdict is Support.SUPPORTED


# ── against ──


def test_what_may_not_be_read_bears_nothing_and_is_not_shown(memory, ada):
    put(memory, "travel.md", TRAVEL, readers=["board"])
    result = verify_one(memory, ada, MEAL)
    assert result.reason is Reason.NO_EVIDENCE_FOUND
    assert verify_one(memory, add_person(memory, "Bea", roles=("board",)), MEAL).verdict is Support.SUPPORTED


@pytest.mark.parametrize("hidden", [True, False])
def test_a_source_that_may_not_be_read_is_not_found_like_one_that_is_not_there(memory, ada, hidden):
    put(memory, "travel.md", TRAVEL, readers=["board"])
    asked = source_id("travel.md") if hidden else uuid4()
    with pytest.raises(NotFound, match=f"no source {asked} that you can read"):
        verify_one(memory, ada, MEAL, against=Against(source_ids=[asked]))


def test_pinned_sources_alone_bear_a_claim(memory, ada):
    put(memory, "travel.md", TRAVEL)
    put(memory, "other.md", page("Other", {"Meals": "Meals are at noon."}))
    pinned = {uri: Against(source_ids=[source_id(uri)]) for uri in ("travel.md", "other.md")}
    assert verify_one(memory, ada, MEAL, against=pinned["travel.md"]).verdict is Support.SUPPORTED
    other = verify_one(memory, ada, MEAL, against=pinned["other.md"])
    assert {evidence.span.source_id for evidence in other.evidence} == {source_id("other.md")}


@pytest.mark.parametrize("label", ["SECTION", "DOCUMENT"])
def test_found_nodes_alone_bear_a_claim_with_all_that_is_part_of_them(memory, ada, label):
    put(memory, "travel.md", page("Travel", {"Meals": MEAL}))
    put(memory, "other.md", page("Other", {"Trains": "Trains are at noon."}))
    title = {"SECTION": ("Meals", "Trains"), "DOCUMENT": ("Travel", "Other")}[label]
    verdicts = [
        verify_one(memory, ada, MEAL, against=Against(label, [{"prop": "title", "op": "eq", "value": name}])).verdict
        for name in title
    ]
    assert verdicts == [Support.SUPPORTED, Support.UNSUPPORTED]


def test_a_record_bears_a_claim_with_the_words_it_rests_on(memory, ada):
    result = put(memory, "travel.md", f"{MEAL} A night may cost 90 EUR.\n".encode())
    record = derived("record", "meal")
    memory.put_node(
        Record(record, "LIMIT", {"kind": "meal"}, provenance=[SpanRef(result.source_id, result.version_tx, 0, 31)])
    )
    against = Against("LIMIT", [{"prop": "kind", "op": "eq", "value": "meal"}])
    assert verify_one(memory, ada, MEAL, against=against).verdict is Support.SUPPORTED
    assert verify_one(memory, ada, "A night may cost 90 EUR.", against=against).verdict is Support.UNSUPPORTED


def test_found_nothing_is_no_evidence(memory, ada):
    put(memory, "travel.md", TRAVEL)
    assert verify_one(memory, ada, MEAL, against=Against("NOTHING")).reason is Reason.NO_EVIDENCE_FOUND


def test_claims_are_held_against_what_was_so_at_another_time(memory, ada):
    put(memory, "travel.md", TRAVEL, valid_start=NOW - 9 * DAY)
    put(memory, "travel.md", page("Travel", {"Meals": "A meal may cost at most 55 EUR."}), valid_start=NOW - DAY)
    assert verify_one(memory, ada, MEAL).verdict is Support.UNSUPPORTED
    assert verify_one(memory, ada, MEAL, valid_time=NOW - 2 * DAY).verdict is Support.SUPPORTED


# ── requests that are off ──


@pytest.mark.parametrize(
    ("claims", "said"),
    [
        ([], "claims holds 0; it must hold 1 to"),
        ([MEAL] * (MOST_CLAIMS + 1), f"claims holds {MOST_CLAIMS + 1}"),
        ([MEAL, " \n"], r"claims\[1\] is blank"),
        (MEAL, "claims is one text; it must be a list"),
        ([MEAL, "a meal \ud800"], r"claims\[1\] must be Unicode text"),
        (["a" * (LONGEST_CLAIM + 1)], r"claims\[0\] has 1001 characters; it must have at most 1000"),
    ],
)
def test_claims_that_are_off_are_named(claims, said):
    with pytest.raises(InvalidRequest, match=said):
        VerifyRequest(claims)


def test_sources_and_conditions_are_not_both_taken():
    with pytest.raises(InvalidRequest, match="not both"):
        Against("SECTION", (), [uuid4()])
    with pytest.raises(InvalidRequest, match="source_ids is empty"):
        Against(source_ids=[])


@pytest.mark.parametrize(
    ("broken", "said"),
    [
        (lambda text: Against(find=text), "find"),
        (lambda text: Against(where=[{"value": [text]}]), "where"),
        (lambda text: VerifyRequest([MEAL], model=text), "model"),
    ],
)
def test_text_that_cannot_be_encoded_is_named_before_any_work(broken, said):
    for text in ("a\0b", "a\udfffb"):
        with pytest.raises(InvalidRequest, match=f"{said} must be Unicode text"):
            broken(text)


def test_a_condition_that_is_off_is_named(memory, ada):
    with pytest.raises(InvalidQuery, match=r"where\[0\]"):
        verify_one(memory, ada, MEAL, against=Against("SECTION", [{"prop": "title", "op": "about", "value": "x"}]))


# ── models ──


def unavailable(memory, who, **request):
    before = memory.metrics.registry.get_sample_value("verify_unavailable_count_total")
    with pytest.raises(VerifyUnavailable) as refused:
        verify_one(memory, who, MEAL, **request)
    assert memory.metrics.registry.get_sample_value("verify_unavailable_count_total") == before + 1
    return str(refused.value)


def test_without_a_model_there_is_no_verdict_by_words_alone(reopen):
    memory = reopen(embedder=None)
    assert "embedding model" in unavailable(memory, add_person(memory, "Ada"))


def test_a_claim_under_another_model_is_refused_naming_both(memory, ada):
    put(memory, "travel.md", TRAVEL)
    said = unavailable(memory, ada, model="other-model")
    assert "other-model" in said
    assert HashingEmbedder.model in said


def test_documents_that_were_embedded_under_another_model_meanwhile_bear_no_verdict(memory, ada, reopen):
    class Other(HashingEmbedder):
        @property
        def model(self):
            return "another"

    put(reopen(embedder=Other()), "travel.md", TRAVEL)
    assert "reembed" in unavailable(memory, ada)


@pytest.mark.parametrize("name", [HashingEmbedder.model, HashingEmbedder.model.rpartition("-")[0]])
def test_the_documents_own_model_may_be_named(memory, ada, name):
    put(memory, "travel.md", TRAVEL)
    assert verify_one(memory, ada, MEAL, model=name).verdict is Support.SUPPORTED


def test_the_configured_model_goes_before_the_requested(reopen):
    memory = reopen(verify={"embed_model": "other-model"})
    assert "other-model" in unavailable(memory, add_person(memory, "Ada"), model=HashingEmbedder.model)


# ── what is kept ──


def test_the_trace_holds_verdicts_and_coordinates_and_no_words(memory, ada):
    put(memory, "travel.md", TRAVEL)
    verified = memory.verify(VerifyRequest([MEAL]), ada)
    [trace] = [trace for trace in rows(memory, Trace) if trace.kind == "verification"]
    assert (trace.trace_id, trace.person_id) == (verified.trace_id, ada.person_id)
    [result] = trace.body["results"]
    assert (result["verdict"], result["signals"]["numericGate"]) == ("supported", "pass")
    assert result["evidence"][0]["sourceId"] == str(source_id("travel.md"))
    assert not {"meal", "EUR", "cost", "Receipts"} & set(json.dumps(trace.body).replace('"', " ").split())


def test_calls_are_counted(memory, ada):
    put(memory, "travel.md", TRAVEL)
    verify(memory, ada, MEAL, "A meal may cost at most 80 EUR.")

    def counted(name):
        return memory.metrics.registry.get_sample_value(name)

    assert counted("verify_calls_total") == 1
    assert counted("verify_numeric_gate_capped_count_total") == 1
    assert counted("verify_candidate_spans_total") >= 4
    assert counted("verify_embed_ms_count") == 1


# ── what the model reads ──


def test_only_sentences_that_could_win_are_read_by_the_model(reopen):
    embedder = Counting()
    memory = reopen(embedder=embedder)
    ada = add_person(memory, "Ada")
    put(memory, "long.md", page("Long", {f"Part {n}": f"A meal of kind {n} is one of many. " * 3 for n in range(40)}))
    put(memory, "travel.md", TRAVEL)
    embedder.texts.clear()
    assert verify_one(memory, ada, MEAL).verdict is Support.SUPPORTED
    assert embedder.texts == [MEAL, MEAL]


WORDS = ["meal", "cost", "most", "eur", "train", "night", "receipt", "forty", "ninety", "not", "never"]
SENTENCES = st.lists(st.sampled_from(WORDS), min_size=2, max_size=7).map(lambda words: " ".join(words) + ".")


def test_reading_only_what_could_win_gives_the_verdict_of_reading_all(memory, ada):
    """A library of every kind of sentence that claims are then made of, small enough to be among the candidates."""
    dice = Random(5)
    made = [" ".join(dice.choices(WORDS, k=dice.randint(2, 7))).capitalize() + "." for _ in range(40)]
    data = page("A", {f"Part {n}": " ".join(made[n : n + 4]) for n in range(0, 40, 4)})
    result = put(memory, "a.md", data)
    whole = SpanRef(result.source_id, result.version_tx, 0, len(data))
    with memory._database.read("default") as tx:
        said = [unit.said for unit in memory._engines.library.units(tx, [whole])[whole]]

    @settings(max_examples=40)
    @given(SENTENCES)
    def agrees(claim):
        found = verify_one(memory, ada, claim)
        with memory._database.read("default") as tx:
            weight = memory._engines.verify.weight(view(tx, ada, memory.clock.now()), [claim])
        [every] = memory._engines.verify.judge(weight, [(claim, said)])
        assert found.verdict is every.verdict
        assert found.score == pytest.approx(every.score, abs=1e-6) or found.verdict is Support.UNSUPPORTED
        assert found.score <= every.score + 1e-6

    agrees()
