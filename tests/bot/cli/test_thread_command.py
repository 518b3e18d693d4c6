"""`context --thread --explain`: what of a conversation would be told, and why the rest would not."""

import json
from pathlib import Path
from uuid import UUID

import pytest

from bot.cli.options import memory_of, settings_of
from core.model.threads import ASSISTANT, REASONING, USER, Said, Turn, thread_of
from core.model.work import Place

PLACE = Place("slack", "T1", "U1", "1.0")
THREAD = str(thread_of("default", PLACE))


@pytest.fixture
def spoken(set_up):
    """A conversation of Ada's, who is known beside Bob; said in the tables, and not yet asked about."""
    for name in ("Ada", "Bob"):
        set_up("person", "add", name)
    settings = settings_of(None)
    with memory_of(settings) as memory:
        ada = memory.people.named(settings.tenant, "Ada").person_id
        said = [
            Said(USER, "old words " * 4000, retention="compliance"),
            Said(USER, "What of meals?"),
            Said(ASSISTANT, "thinking", kind=REASONING),
            Said(ASSISTANT, "From what she may not read.", source_ids=[UUID(int=9)]),
        ]
        memory.conversation.append(settings.tenant, ada, PLACE, Turn("e1", said))
    return set_up


def test_it_says_what_goes_in_what_does_not_and_why(spoken):
    shown = spoken("context", "--thread", THREAD, "--as", "Ada", "--explain")
    assert "user: What of meals?" in shown
    assert "its beginning alone, of 40000 bytes" in shown
    assert "what a model thought" in shown
    assert "withdrawn, or from what may not be read" in shown
    assert "From what she may not read" not in shown
    assert "3 of 4 not whole" in shown


def test_it_is_json_for_a_machine_with_reasons_and_tokens(spoken):
    found = json.loads(spoken("context", "--thread", THREAD, "--as", "Ada", "--explain", "--json"))
    reasons = [event["reason"] for event in found["events"]]
    assert reasons == ["retention_expired", "", "reasoning_redacted", "revoked"]
    assert [bool(event["tokens"]) for event in found["events"]] == [True, True, False, False]
    assert sum(event["tokens"] for event in found["events"]) == found["used"] <= found["budget"]
    assert found["thread_id"] == THREAD


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("--thread", THREAD, "--as", "Bob", "--explain"), 1, "the newest of theirs: none"),
        (("--thread", str(UUID(int=1)), "--as", "Ada", "--explain"), 1, THREAD),
        (("--thread", "mine", "--as", "Ada", "--explain"), 2, "a UUID"),
        (("--thread", THREAD, "--as", "Ada"), 2, "go together"),
        (("--explain", "--as", "Ada"), 2, "go together"),
        (("--thread", THREAD, "--as", "Ada", "--explain", "--max-tokens", "10"), 2, "takes no --max-tokens"),
        (("--thread", THREAD, "--as", "Ada", "--explain", "--max-spans", "1"), 2, "takes no --max-spans"),
        (
            ("--thread", THREAD, "--as", "Ada", "--explain", "--find", "X", "--where", "[]"),
            2,
            "takes no --find or --where",
        ),
    ],
)
def test_a_conversation_is_shown_to_its_own_person_and_a_wrong_call_says_what_would_be_right(
    spoken, arguments, code, words
):
    refusal = spoken("context", *arguments, code=code)
    assert words in refusal
    assert "meals" not in refusal


# ── with a language model ──


@pytest.fixture
def modelled(spoken, completions, monkeypatch):
    """A language model that is set up with no more than it needs."""
    spoken("ingest", str(written("Travel", "A meal may cost 40 EUR at most.")), "--readers", "everyone")
    for name, value in (("PROVIDER", "openai"), ("BASE_URL", completions.url), ("MODEL", "small")):
        monkeypatch.setenv(f"CLARIFY_LLM__{name}", value)
    return spoken


def written(title, words):
    file = Path("travel.md")
    file.write_text(f"# {title}\n\n## Meals\n\n{words}\n", "utf-8")
    return file


@pytest.mark.parametrize("question", [(), ("What may a meal cost?",), (" ",), ("Who won the cup?",)])
def test_a_conversation_is_explained_with_a_language_model_with_a_question_or_none(modelled, completions, question):
    shown = modelled("context", *question, "--thread", THREAD, "--as", "Ada", "--explain")
    assert "user: What of meals?" in shown
    assert "tokens for small; 3 of 4 not whole" in shown
    assert completions.asked == [], "it is told to nobody"


def test_a_question_and_its_evidence_take_their_room(modelled):
    def budget(*question):
        found = modelled("context", *question, "--thread", THREAD, "--as", "Ada", "--explain", "--json")
        return json.loads(found)["budget"]

    assert budget("What may a meal cost?") < budget("?") < budget()


@pytest.mark.parametrize("question", [(), ("What may a meal cost?",)])
def test_with_a_language_model_an_unknown_id_lists_their_conversations_too(modelled, question):
    unknown = ("context", *question, "--thread", str(UUID(int=1)), "--explain")
    assert THREAD in modelled(*unknown, "--as", "Ada", code=1)
    assert "the newest of theirs: none" in modelled(*unknown, "--as", "Bob", code=1)
