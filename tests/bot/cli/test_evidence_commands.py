"""`context` and `verify` as typed."""

import json

import pytest

MEAL = "A meal may cost at most 40 EUR."


@pytest.fixture
def library(set_up, tmp_path):
    """Two documents, and one person who may read one of them."""
    for name, readers, words in (("open", "everyone", MEAL), ("board", "board", "The board dines for 90 EUR.")):
        folder = tmp_path / name
        folder.mkdir()
        (folder / f"{name}.md").write_text(f"# {name.capitalize()}\n\n## Meals\n\n{words}\n")
        set_up("ingest", str(folder), "--readers", readers)
    set_up("person", "add", "Ada")
    return set_up


def test_context_shows_passages_best_first_and_what_they_cost(library):
    said = library("context", "What may a meal cost?")
    assert said.splitlines()[0].endswith(f"open/open.md#Open/Meals: {MEAL}")
    assert said.splitlines()[-1].split()[0] == str(len(said.splitlines()) - 2)
    assert "90 EUR" not in said


def test_context_is_json_for_a_machine(library):
    found = json.loads(library("context", "What may a meal cost?", "--max-spans", "1", "--json"))
    assert list(found) == ["items", "openQuestions", "stats", "traceId"]
    assert (len(found["items"]), found["stats"]["spans"]) == (1, {"requested": 1, "applied": 1})


def test_context_takes_a_label_and_conditions_without_a_question(library):
    where = json.dumps([{"prop": "title", "op": "eq", "value": "Meals"}])
    found = json.loads(library("context", "--find", "SECTION", "--where", where, "--json"))
    assert MEAL in {item["text"] for item in found["items"]}
    assert {item["source"]["name"] for item in found["items"]} == {"Open"}


def test_verify_says_what_the_wording_bears(library):
    said = library("verify", MEAL, "A meal may cost at most 80 EUR.", "Bicycles are repaired on Fridays.")
    verdicts = [line.strip() for line in said.splitlines() if "wording" in line]
    assert verdicts[0] == "supported by the wording (1.00)"
    assert verdicts[1].startswith("not supported by the wording (")
    assert "numeric or date mismatch" in verdicts[1]
    assert verdicts[2].startswith("not supported by the wording (")
    assert "insufficient support" in verdicts[2]
    assert "true" not in said
    assert f"closest: {MEAL}" in said


def test_verify_is_json_for_a_machine_and_an_unsupported_claim_is_no_failure(library):
    found = json.loads(library("verify", "Pigs fly.", "--json"))
    assert found["results"][0]["verdict"] == "unsupported"


def test_verify_holds_claims_against_a_document_that_is_named(library):
    found = json.loads(library("verify", MEAL, "--source", "open/open.md", "--json"))
    assert found["results"][0]["verdict"] == "supported"


@pytest.mark.parametrize(
    ("arguments", "code", "complaint"),
    [
        (["context"], 2, "nothing to look for"),
        (["context", "x", "--max-tokens", "0"], 2, "--max-tokens"),
        (["context", MEAL, "--max-tokens", "1"], 1, "fits the budget of tokens"),
        (["verify", "\udcff"], 2, "not text in UTF-8"),
        (["context", "x", "--where", "{"], 2, "--where is no JSON"),
        (["context", "x", "--where", "{}"], 2, "must be a JSON list"),
        (["context", "x", "--where", '[{"prop": "a", "prop": "b"}]'], 2, "same name twice"),
        (["verify", " "], 2, "claims[0] is blank"),
        (["verify", MEAL, "--source", "nowhere.md"], 1, "no document nowhere.md that whoever asks can read"),
        (["verify", MEAL, "--source", "board/board.md"], 1, "no document board/board.md that whoever asks can read"),
        (["verify", MEAL, "--source", "open/open.md", "--find", "SECTION"], 2, "not both"),
    ],
)
def test_what_is_off_is_said(library, arguments, code, complaint):
    assert complaint in library(*arguments, code=code)


def test_verify_without_a_model_says_that_it_cannot(library, monkeypatch):
    monkeypatch.setenv("CLARIFY_EMBEDDER", "none")
    assert "embedding model" in library("verify", MEAL, code=1)
