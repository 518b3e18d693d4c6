"""`ask` with a language model: what it says, what bears each sentence, and in JSON everything."""

import json

import pytest

from tests.fakes.completions import refuses, says, told

ASKED = "What may a meal cost at most?"
KEY = "sk-very-secret"


@pytest.fixture
def ask(set_up, completions, tmp_path, monkeypatch):
    """`ask` in a folder with one page and one person, over a model on loopback."""
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "travel.md").write_text("# Travel\n\n## Meals\n\nA meal may cost 40 EUR at most. Drinks are never paid.\n")
    for name, value in {
        "PROVIDER": "openai",
        "BASE_URL": completions.url,
        "MODEL": "small",
        "KEY": KEY,
        "RETRIES": "0",
    }.items():
        monkeypatch.setenv(f"CLARIFY_LLM__{name}", value)
    monkeypatch.setenv("CLARIFY_ANSWERS__MIN_COSINE", "0.05")
    set_up("person", "add", "Ada")
    set_up("ingest", "docs", "--readers", "everyone")
    return lambda *more, code=0: set_up("ask", ASKED, *more, code=code)


def test_each_sentence_has_its_numbers_and_what_bears_it(ask, completions):
    completions.usually = says(
        "A meal may cost 40 EUR at most [1]. At most 40 EUR may a meal cost [1]. "
        "A meal may cost 55 EUR [1]. Trains fly."
    )
    lines = ask().splitlines()
    assert lines[:4] == [
        "A meal may cost 40 EUR at most. [1]",
        "At most 40 EUR may a meal cost. [1] (supported by the wording)",
        "A meal may cost 55 EUR. [1] (not supported by the wording: a number, a date or a “not” differs)",
        "Trains fly. (no source)",
    ]
    assert "[1] Travel > Meals" in "\n".join(lines)
    assert completions.headers[0]["authorization"] == f"Bearer {KEY}"


def test_json_has_model_usage_plan_and_verdicts(ask, completions):
    completions.usually = says("A meal may cost 55 EUR [1]. Trains fly.")
    found = json.loads(ask("--json"))
    assert (found["model"], found["grounded"], found["known"]) == ("small", True, True)
    assert found["usage"] == {"prompt_tokens": 211, "completion_tokens": 17, "estimated": False}
    assert found["plan_hash"].startswith("b3:")
    wrong, lost = found["claims"]
    assert (wrong["severity"], wrong["verdict"]["signals"]["numeric_gate"]) == ("material", "capped")
    assert (wrong["quoted"], wrong["questions"], lost["citations"]) == (False, [], [])


def test_a_guess_is_asked_for_and_called_one(ask, completions, set_up):
    completions.usually = says("Perhaps 40 EUR.")
    asked = ("ask", "?!", "--allow-ungrounded")
    assert "treat it as a guess" in set_up(*asked)
    assert json.loads(set_up(*asked, "--json"))["grounded"] is False
    assert "do not know" in set_up("ask", "?!")
    assert all("travel" not in told(one).lower() for one in completions.asked)


def test_a_model_that_does_not_know_shows_what_is_near(ask, completions):
    assert ask().startswith("I do not know: ")
    assert json.loads(ask("--json"))["known"] is False


def test_a_model_that_fails_is_one_sentence_without_the_key(ask, completions):
    completions.usually = refuses(401, f"bad key {KEY}")
    complaint = ask(code=1)
    assert "set CLARIFY_LLM__KEY" in complaint
    assert KEY not in complaint
