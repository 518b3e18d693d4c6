"""An answer that a model wrote: held against the words it cites, traced, and never more than text."""

import json
import logging
import re
import threading

import pytest

from core.errors import CoreError, GenerateUnavailable, InsufficientEvidence, InvalidRequest, NotFound, UnknownKey
from core.generate.prompt import UNKNOWN
from core.model.answers import Refreshed
from core.model.verdicts import Support
from core.planner.plan import EvidencePlan
from core.planner.request import PlanRequest
from core.store.tables import Trace
from tests.fakes.completions import USAGE, breaks, refuses, says, sends, told
from tests.support.embedders import MeddlingEmbedder
from tests.support.memories import add_person, dump, page, put, rows

ASKED = "What may a meal cost at most?"
KEY = "sk-very-secret"


def number_of(asked, words):
    """The number under which a passage with these words was shown."""
    return next(
        int(n) for n, text in re.findall(r'number="(\d+)">\n(.*?)\n</passage', told(asked), re.DOTALL) if words in text
    )


def cites(template, **words):
    """An answer that cites the passages which hold these words: `{meal}` stands for `[2]`."""
    return lambda asked: says(template.format(**{name: f"[{number_of(asked, w)}]" for name, w in words.items()}))(asked)


def bodies(memory):
    return [row.body for row in rows(memory, Trace)]


# ── claims and their words ──


def test_a_sentence_cites_the_very_words_that_bear_it_and_not_the_paragraph(handbook, fake, ada):
    fake.usually = cites("At most 40 EUR may be the cost of a meal {meal}.", meal="40 EUR")
    [claim] = handbook.generate(ASKED, ada).claims
    assert claim.text == "At most 40 EUR may be the cost of a meal."
    assert [passage.text for passage in claim.citations] == ["A meal may cost 40 EUR at most."]
    assert claim.verdict.verdict is Support.SUPPORTED
    assert not claim.quoted


def test_what_is_verbatim_evidence_is_quoted_and_not_judged(handbook, fake, ada):
    fake.usually = cites("A meal may cost **40 EUR** at most. {meal}", meal="40 EUR")
    [claim] = handbook.generate(ASKED, ada).claims
    assert (claim.quoted, claim.verdict, claim.severity) == (True, None, None)
    assert [passage.text for passage in claim.citations] == ["A meal may cost 40 EUR at most."]


def test_another_number_is_not_supported_and_that_is_material(handbook, fake, ada):
    """Though the very number stands in the next passage."""
    fake.usually = cites("A meal may cost 120 EUR at most {meal}.", meal="40 EUR")
    [claim] = handbook.generate(ASKED, ada).claims
    assert claim.verdict.verdict is Support.UNSUPPORTED
    assert claim.severity == "material"
    assert [passage.text for passage in claim.citations] == ["A meal may cost 40 EUR at most."]


def test_a_negation_that_is_not_there_is_material(handbook, fake, ada):
    fake.usually = cites("Drinks are paid {meal}.", meal="40 EUR")
    [claim] = handbook.generate(ASKED, ada).claims
    assert (claim.verdict.verdict, claim.severity) == (Support.UNSUPPORTED, "material")


def test_a_sentence_without_a_citation_gets_the_one_that_supports_it_or_none(handbook, fake, ada):
    fake.usually = says("At most 120 EUR may be the cost of a hotel night. The moon is a cheese. [99]")
    found, lost = handbook.generate(ASKED, ada).claims
    assert [passage.text for passage in found.citations] == ["A night in a hotel may cost 120 EUR at most."]
    assert found.verdict.verdict is Support.SUPPORTED
    assert (lost.citations, lost.verdict.verdict) == ((), Support.UNSUPPORTED)


def test_a_sentence_that_says_two_as_one_with_a_number_is_supported_in_part_at_most(handbook, fake, ada):
    fake.usually = cites("A meal may cost 40 EUR at most and drinks are never paid {meal}.", meal="40 EUR")
    [claim] = handbook.generate(ASKED, ada).claims
    assert [passage.text for passage in claim.citations] == ["A meal may cost 40 EUR at most."]
    assert claim.verdict.verdict is not Support.UNSUPPORTED
    assert claim.severity is None


def test_every_citation_lies_in_the_plan_and_slices_to_its_words(handbook, fake, ada):
    """Whatever numbers a model writes."""
    fake.usually = says("A meal costs something [1-99]. A night does [0][7][2024]. 【1】 Drinks are paid [2, 1, 5].")
    answer = handbook.generate(ASKED, ada)
    planned = handbook.plan(PlanRequest(question=ASKED, model="small"), ada)
    assert answer.plan_hash == planned.plan_hash
    for passage in [passage for claim in answer.claims for passage in claim.citations]:
        span = passage.span
        assert any(
            (one.source_id, one.source_version_tx) == (span.source_id, span.source_version_tx)
            and one.start <= span.start < span.end <= one.end
            and one.text.encode()[span.start - one.start : span.end - one.start].decode() == passage.text
            for one in planned.spans
        )


def test_a_model_that_does_not_know_leads_to_the_nearest_passages(handbook, fake, ada):
    fake.usually = says(f"`{UNKNOWN}`")
    answer = handbook.generate(ASKED, ada)
    assert (answer.known, answer.text, answer.claims) == (False, "", ())
    assert len(answer.nearest) > 0
    assert bodies(handbook)[0]["claims"] == []


def test_what_nothing_is_near_to_is_not_asked_and_costs_nothing(reopen, llm, fake, ada, handbook):
    answer = reopen(llm=llm(), answers={"min_cosine": 0.99}).generate(ASKED, ada)
    assert (answer.known, answer.usage.prompt_tokens, fake.asked) == (False, 0, [])


@pytest.mark.parametrize("find", [None, "PASSAGE"])
def test_a_question_that_cannot_be_encoded_is_refused_before_anybody_is_asked(handbook, reopen, llm, fake, ada, find):
    without_vectors = reopen(embedder=None, llm=llm()) if find else handbook
    with pytest.raises(InvalidRequest, match="question must be Unicode text"):
        without_vectors.generate("What may a meal \ud800 cost?", ada, find=find)
    assert fake.asked == []


# ── the trace ──


def test_the_trace_has_model_usage_verdicts_and_the_coordinates_of_what_was_shown(handbook, fake, ada):
    fake.usually = cites("A meal may cost 120 EUR {meal}. Trains fly.", meal="40 EUR")
    answer = handbook.generate(ASKED, ada)
    [body] = bodies(handbook)
    assert body["model"] == answer.model == "small"
    assert body["usage"] == {"promptTokens": USAGE["prompt_tokens"], "completionTokens": USAGE["completion_tokens"]}
    assert body["planHash"] == answer.plan_hash
    assert (body["grounded"], body["question"], body["answerText"]) == (True, ASKED, answer.text)
    wrong, lost = body["claims"]
    assert (wrong["verdict"]["verdict"], wrong["verdict"]["signals"]["numericGate"]) == ("unsupported", "capped")
    assert (wrong["severity"], wrong["clarifications"]) == ("material", [])
    assert (lost["citations"], lost["quoted"], lost["severity"]) == ([], False, None)
    shown = set(re.findall(r'number="(\d+)"', told(fake.asked[0])))
    assert len(body["coordinates"]) == len(shown)


def test_what_a_server_does_not_say_of_usage_is_estimated_and_called_so(handbook, fake, ada):
    fake.usually = says("Drinks are never paid.", usage=None)
    answer = handbook.generate(ASKED, ada)
    assert answer.usage.estimated
    assert answer.usage.prompt_tokens > 100
    assert bodies(handbook)[0]["usage"]["estimated"] is True


@pytest.mark.parametrize(
    "bad",
    [
        breaks, refuses(429), refuses(500), refuses(401, f"bad key {KEY}"), sends(b"{"), sends({"choices": []}),
        says("A meal", "length"), says(""), says(None, refusal="no"), says(None, tool_calls=[{}]), says("x" * 200_000),
    ],
)  # fmt: skip
def test_a_provider_that_fails_leaves_nothing_behind(handbook, fake, ada, bad):
    before = dump(handbook)
    fake.usually = bad
    with pytest.raises(GenerateUnavailable):
        handbook.generate(ASKED, ada)
    assert dump(handbook) == before


# ── saved answers ──


def saved(memory, fake, ada):
    fake.usually = cites("A meal may cost 40 EUR at most. {meal} Trains fly.", meal="40 EUR")
    return memory.save_answer(memory.generate(ASKED, ada).trace_id, ada)


def test_an_uncited_sentence_is_saved_with_the_answer_and_cannot_go_stale(handbook, fake, ada):
    answer_id = saved(handbook, fake, ada)
    put(handbook, "travel.md", page("Travel", {"Meals": "A meal may cost 50 EUR at most. Drinks are never paid."}))
    handbook.check_answer(answer_id)
    assert [(claim.text, claim.state) for claim in handbook.answer(answer_id, ada).claims] == [
        ("A meal may cost 40 EUR at most.", "affected"),
        ("Trains fly.", "ok"),
    ]


def test_erasing_a_source_takes_its_words_out_of_sentences_that_do_not_cite_it_too(handbook, fake, ada):
    """A model read it, and may have said its words beside any number."""
    erased = put(
        handbook, "secret.md", page("Secret", {"Meals": "A meal may cost 40 EUR at most with the quokka card."})
    )
    fake.usually = cites("A meal may cost 40 EUR at most. {meal} The quokka is a card. A quokka pays {drinks}.",
                         meal="never paid", drinks="never paid")  # fmt: skip
    answer_id = handbook.save_answer(handbook.generate(ASKED, ada).trace_id, ada)
    assert "quokka" in dump(handbook)
    handbook.erase(erased.source_id, "asked to")
    assert "quokka" not in dump(handbook)
    assert handbook.answer(answer_id, ada).claims[0].text == "A meal may cost 40 EUR at most."


@pytest.mark.parametrize(
    ("said", "verdict"),
    [
        ("A meal may cost 40 EUR at most with quokka approval", Support.SUPPORTED),
        ("A meal may cost 40 EUR at most and quokka approval is needed beforehand", Support.PARTIAL),
    ],
)
def test_erasing_a_source_takes_its_words_out_of_sentences_that_another_supports(handbook, fake, ada, said, verdict):
    """A sentence may be borne by one document and hold a word that stands in another alone."""
    erased = put(handbook, "secret.md", page("Secret", {"Meals": "A meal is approved by the quokka."}))
    fake.usually = cites(f"{said} {{meal}}.", meal="40 EUR")
    answer = handbook.generate(ASKED, ada)
    assert [(claim.verdict.verdict, claim.quoted) for claim in answer.claims] == [(verdict, False)]
    answer_id = handbook.save_answer(answer.trace_id, ada)
    handbook.erase(erased.source_id, "asked to")
    assert "quokka" not in dump(handbook)
    assert handbook.answer(answer_id, ada).status == "invalidated"


def test_a_refresh_whose_provider_fails_leaves_the_old_answer_as_it_was(handbook, fake, ada):
    answer_id = saved(handbook, fake, ada)
    before = dump(handbook)
    fake.usually = refuses(503)
    with pytest.raises(GenerateUnavailable):
        handbook.refresh_answer(answer_id, ada)
    assert dump(handbook) == before
    assert handbook.answer(answer_id, ada).superseded_by is None


def test_a_refresh_that_finds_no_answer_leaves_the_old_one_too(handbook, fake, ada):
    answer_id = saved(handbook, fake, ada)
    fake.usually = says(UNKNOWN)
    assert handbook.refresh_answer(answer_id, ada).answer is None
    assert handbook.answer(answer_id, ada).status == "current"


@pytest.mark.parametrize(
    "nonsense", ["A bear of the sea sings {meal}.", "Trains fly.", "A meal may cost 900 EUR {meal}."]
)
def test_a_refresh_that_says_nothing_the_evidence_bears_leaves_the_old_answer(handbook, fake, ada, nonsense):
    answer_id = saved(handbook, fake, ada)
    before = handbook.answer(answer_id, ada)
    fake.usually = cites(nonsense, meal="40 EUR")
    assert handbook.refresh_answer(answer_id, ada) == Refreshed(answer_id, None, already=False)
    assert handbook.answer(answer_id, ada) == before


@pytest.mark.parametrize(
    "good", ["A meal may cost 40 EUR at most.", "40 EUR at most may be the cost of a meal {meal}.",
             "A meal may cost 40 EUR at most and quokka approval is needed beforehand {meal}. Trains fly."]
)  # fmt: skip
def test_a_refresh_of_which_the_evidence_bears_a_sentence_supersedes_the_old_answer(handbook, fake, ada, good):
    answer_id = saved(handbook, fake, ada)
    fake.usually = cites(good, meal="40 EUR")
    refreshed = handbook.refresh_answer(answer_id, ada)
    assert handbook.answer(answer_id, ada).superseded_by == refreshed.answer_id


def test_what_rests_on_nothing_cannot_be_saved(handbook, fake, ada):
    fake.usually = says("Trains fly.")
    with pytest.raises(InvalidRequest, match="rests on nothing"):
        handbook.save_answer(handbook.generate(ASKED, ada).trace_id, ada)


# ── without evidence ──


def test_without_evidence_nobody_is_asked(memory, fake, ada):
    with pytest.raises(InsufficientEvidence):
        memory.generate(ASKED, ada)
    assert fake.asked == []


def test_a_guess_that_was_allowed_is_marked_wherever_it_goes(memory, fake, ada):
    fake.usually = says("Perhaps 40 EUR [1].")
    answer = memory.generate(ASKED, ada, allow_ungrounded=True)
    assert (answer.known, answer.grounded, answer.plan_hash) == (True, False, EvidencePlan.empty_hash(6000))
    assert [(claim.text, claim.citations) for claim in answer.claims] == [("Perhaps 40 EUR.", ())]
    [body] = bodies(memory)
    assert (body["grounded"], body["coordinates"]) == (False, [])
    assert "passage" not in told(fake.asked[0]).lower().replace(UNKNOWN.lower(), "")


def test_evidence_is_used_also_where_a_guess_would_be_allowed(handbook, fake, ada):
    fake.usually = says("Drinks are never paid.")
    assert handbook.generate(ASKED, ada, allow_ungrounded=True).grounded


def test_without_a_model_for_it_there_is_no_guess(reopen, ada):
    answer = reopen().generate(ASKED, ada, allow_ungrounded=True)
    assert (answer.known, answer.grounded) == (False, False)


def test_without_an_embedding_model_a_query_finds_evidence_and_nothing_is_verified(handbook, reopen, llm, fake, ada):
    fake.usually = cites("At most 40 EUR a meal {meal}. A meal may cost 40 EUR at most.", meal="40 EUR")
    answer = reopen(embedder=None, llm=llm()).generate(ASKED, ada, find="PASSAGE")
    said, quoted = answer.claims
    assert (said.verdict, said.quoted) == (None, False)
    assert [passage.text for passage in said.citations] == ["A meal may cost 40 EUR at most."]
    assert quoted.quoted


# ── rights ──


def test_each_cites_only_what_they_may_read(memory, fake, ada, bob):
    put(memory, "all.md", page("Travel", {"Meals": "A meal may cost 40 EUR at most."}))
    put(memory, "own.md", page("Board", {"Meals": "A meal may cost 900 EUR at most."}), [f"person:{bob.person_id}"])
    fake.usually = says("A meal may cost 40 EUR at most. [1][2][3] A meal may cost 900 EUR at most. [1][2][3]")
    for person, allowed in ((ada, {"all.md"}), (bob, {"all.md", "own.md"})):
        answer = memory.generate(ASKED, person)
        assert {p.source_uri for claim in answer.claims for p in claim.citations} == allowed
    assert "900" not in told(fake.asked[0])
    assert "900" in told(fake.asked[1])


def test_what_was_taken_away_while_the_model_wrote_is_not_written_down(handbook, fake, ada):
    """And the model's answer is not in the way of whoever takes it away."""

    def _meanwhile(asked):
        handbook.remove("travel.md")
        put(handbook, "travel.md", page("Travel", {"Meals": "A meal may cost 40 EUR at most."}), ["role:steward"])
        return says("A meal may cost 40 EUR at most. [1]")(asked)

    fake.usually = _meanwhile
    with pytest.raises(NotFound, match="ask again"):
        handbook.generate(ASKED, ada)
    assert bodies(handbook) == []


def _loses_a_role(memory, person):
    memory.people.put("default", "Bo", roles=("member",))


def _leaves(memory, person):
    memory.people.set_active("default", person.person_id, active=False)


@pytest.mark.parametrize(("ended", "says_why"), [(_loses_a_role, "ask again"), (_leaves, "nothing here")])
def test_a_right_that_ends_while_the_model_writes_is_not_used_any_more(memory, fake, ended, says_why):
    bo = add_person(memory, "Bo", roles=("member", "board"))
    put(memory, "board.md", page("Board", {"Meals": "A meal of the board may cost 900 EUR at most."}), ["board"])

    def _meanwhile(asked):
        ended(memory, bo)
        return says("A meal of the board may cost 900 EUR at most. [1]")(asked)

    fake.usually = _meanwhile
    with pytest.raises(NotFound, match=says_why):
        memory.generate(ASKED, bo)
    assert bodies(memory) == []


def test_a_key_that_is_revoked_while_the_model_writes_gets_no_answer(handbook, fake):
    made = handbook.api_keys.create("default", "importer", ["member"])

    def _meanwhile(asked):
        handbook.api_keys.revoke("default", made.key_id)
        return says("Drinks are never paid. [1]")(asked)

    fake.usually = _meanwhile
    with pytest.raises(UnknownKey):
        handbook.generate(ASKED, handbook.api_keys.principal_of(made.secret))
    assert bodies(handbook) == []


def test_a_slow_model_holds_nobody_up(handbook, fake, ada):
    """Another writes while the model thinks, on both databases."""
    wrote = threading.Event()

    def _slowly(asked):
        put(handbook, "other.md", page("Other", {"Dogs": "Dogs are welcome."}))
        wrote.set()
        return says("Drinks are never paid.")(asked)

    fake.usually = _slowly
    assert handbook.generate(ASKED, ada).known
    assert wrote.is_set()


def test_no_transaction_is_open_while_what_was_said_is_judged(handbook, reopen, llm, fake, ada):
    """An embedding model may be far away and slow, too."""
    embedder, judged = MeddlingEmbedder(), []
    memory = reopen(embedder=embedder, llm=llm())
    pool = memory._database.engine.pool
    embedder.meddle = lambda: judged.append(pool.checkedout()) if fake.asked else None
    fake.usually = cites("At most 40 EUR may be the cost of a meal {meal}.", meal="40 EUR")
    memory.generate(ASKED, ada)
    assert set(judged) == {0}


# ── the key ──


def test_the_key_is_in_no_error_no_log_and_no_trace(reopen, llm, fake, ada, handbook, caplog):
    caplog.set_level(logging.DEBUG)
    from pydantic import SecretStr

    memory = reopen(llm=llm(endpoint={"key": SecretStr(KEY), "retries": 1}))
    fake.script = [refuses(401, f"bad key {KEY}")]
    with pytest.raises(CoreError) as refused:
        memory.generate(ASKED, ada)
    fake.usually = says("Drinks are never paid.")
    memory.generate(ASKED, ada)
    assert fake.headers[0]["authorization"] == f"Bearer {KEY}"
    said = f"{refused.value}{refused.value.__cause__}{caplog.text}{json.dumps(bodies(memory))}{memory.__dict__}"
    assert KEY not in said
    assert ASKED not in caplog.text
    assert "A meal may cost" not in str(refused.value)


def test_two_people_may_ask_at_once(handbook, fake, ada):
    bob = add_person(handbook, "Bert")
    fake.usually = says("Drinks are never paid.")
    from tests.support.threads import at_once

    answers = at_once(*(lambda who=who: handbook.generate(ASKED, who) for who in (ada, bob) * 3))
    assert len({answer.trace_id for answer in answers}) == 6
