"""What the first sentences of answers hold, on small documents of its own."""

import json
from uuid import UUID

import pytest

from bot.cli.entry import run
from bot.evaluate.answers import Fact, answers, holds
from core.config import AnswersConfig, MemoryConfig
from core.embed.hashing import HashingEmbedder
from core.errors import InvalidRequest, SemanticUnavailable
from core.model.answers import Claim
from core.model.evidence import Passage
from core.model.spans import SpanRef

ANY = MemoryConfig(answers=AnswersConfig(min_cosine=0.0))
LEAVE = "# Leave\n\nEverybody has {days} days of paid leave.\n"
ROOMS = "# Rooms\n\nThe rooms are on the {floor} floor.\n"


def ignore(_done, _total):
    pass


def write(folder, name, items):
    (folder / name).write_text("".join(json.dumps(item) + "\n" for item in items))


def question(name, asked, path, by_version):
    facts = {number: {"quote": quote, "answer": answer} for number, (quote, answer) in by_version.items()}
    return {"id": name, "question": asked, "path": path, "by_version": facts}


@pytest.fixture
def folder(tmp_path):
    texts = [("leave.md", LEAVE.format(days=days)) for days in (26, 28)] + [("leave.md", "# Leave\n\nSee elsewhere.\n")]
    texts += [("rooms.md", ROOMS.format(floor=floor)) for floor in ("first", "second")]
    times = [f"2026-01-{day:02}T00:00:00Z" for day in range(1, len(texts) + 1)]
    rows = [{"path": path, "text": text, "committed_at": at} for (path, text), at in zip(texts, times, strict=True)]
    write(tmp_path, "versions.jsonl", rows)
    days = {1: ("said in no version", "said in no version"), 2: ("28 days of paid leave", "28")}
    floors = {1: ("on the first floor", "first floor"), 2: ("on the second floor", "second floor")}
    asked = [
        question("days", "How many days of paid leave does everybody have?", "leave.md", days),
        question("floor", "On which floor are the rooms?", "rooms.md", floors),
    ]
    write(tmp_path, "questions.jsonl", asked)
    return tmp_path


def test_each_question_is_asked_of_the_newest_version_that_holds_its_answer(folder):
    found = answers(folder, HashingEmbedder(), ANY, ignore).to_json()
    assert (found["questions"], found["first_two"]["hits"]) == (2, 2)
    assert (found["missed"], found["refused"]) == ([], [])


def test_an_answer_that_was_not_given_is_missed_and_one_that_was_refused_is_named(folder):
    wrong = question(
        "days", "How many days of paid leave does everybody have?", "leave.md", {2: ("30 days", "30 days")}
    )
    write(folder, "questions.jsonl", [wrong])
    found = answers(folder, HashingEmbedder(), ANY, ignore).to_json()
    assert (found["missed"], found["refused"], found["anywhere"]["hits"]) == (["days"], [], 0)
    strict = MemoryConfig(answers=AnswersConfig(min_cosine=0.99))
    write(folder, "questions.jsonl", [{**wrong, "question": "what about the parking lot"}])
    assert answers(folder, HashingEmbedder(), strict, ignore).to_json()["refused"] == ["days"]


@pytest.mark.parametrize("by_version", [{}, {"4": {"quote": "x", "answer": "x"}}, {"0": {"quote": "x", "answer": "x"}}])
def test_a_question_of_no_such_version_is_refused(folder, by_version):
    write(folder, "questions.jsonl", [{"id": "q", "question": "x", "path": "leave.md", "by_version": by_version}])
    with pytest.raises(InvalidRequest, match=r"q: by_version must name versions of 'leave\.md'"):
        answers(folder, HashingEmbedder(), ANY, ignore)


def test_measuring_answers_needs_a_model(folder):
    with pytest.raises(SemanticUnavailable):
        answers(folder, None, ANY, ignore)


def claim(said, cited=None):
    span = SpanRef(UUID(int=1), 1, 0, 1)
    return Claim(said, (Passage(span, cited or said, (), "a.md", "a.md"),), quoted=True)


@pytest.mark.parametrize(
    ("said", "cited", "fact"),
    [
        ("It takes 60 minutes.", None, Fact(quote="_Est. time: 60 minutes_", answer="60 minutes")),
        ("It takes 2 days.", "It takes **2**\ndays.", Fact(quote="takes **2** days", answer="2")),
        ("Ask in #travel.", "Ask in [#travel](https://example.org).", Fact(quote="Ask in [#travel]", answer="x")),
    ],
)
def test_a_fact_is_shown_by_its_answer_as_words_or_by_its_quotation(said, cited, fact):
    assert holds([claim(said, cited)], fact)


@pytest.mark.parametrize(
    ("said", "fact"),
    [
        ("It takes 160 minutes.", Fact(quote="takes 60 minutes", answer="60 minutes")),
        ("There are 2 more forms.", Fact(quote="one of the 2 units", answer="2")),
    ],
)
def test_other_words_and_a_mere_digit_show_nothing(said, fact):
    assert not holds([claim(said)], fact)


def test_the_command_prints_for_people_and_for_machines(folder, monkeypatch, capsys):
    monkeypatch.chdir(folder)
    monkeypatch.setenv("CLARIFY_EMBEDDER", "hashing")
    monkeypatch.setenv("CLARIFY_ANSWERS__MIN_COSINE", "0.0")
    assert run(["eval", "answers", "--data", "."]) == 0
    assert "in the first two: 2 of 2, 1.00" in capsys.readouterr().out
    assert run(["eval", "answers", "--data", ".", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["first"]["hits"] == 2
