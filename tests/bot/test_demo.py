"""The demo plays the main job through, and its exit code says whether a card came."""

import asyncio
import json
import re
import socket
from pathlib import Path

import pytest

from bot import demo as story
from bot.channels.inbox.server import ListenError
from bot.sample import questions
from tests.support.embedders import remembering

_WHEN = re.compile(r"\d+ \w+ \d{4}, \d\d:\d\d UTC")
ASKED = {question.id: question for question in questions()}


@pytest.fixture(scope="module", autouse=True)
def vectors_once():
    with remembering():
        yield


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    """One whole demo: its exit code, what it said, and the cards that came."""
    said = []
    folder = tmp_path_factory.mktemp("demo") / "here"
    (folder / "keys").mkdir(parents=True)
    (folder / "left over").write_text("from a demo before")
    code = asyncio.run(story.demo(once=True, as_json=False, say=said.append, folder=folder))
    assert not (folder / "left over").exists()
    start = next((number for number, line in enumerate(said) if "cards arrived" in line), len(said))
    return code, said[: start + 1], said[start + 1 :]


def test_it_ends_well_and_says_what_it_does(played):
    code, said, _ = played
    assert code == 0
    assert said[0].startswith("Reading the handbook")
    assert sum("tapping [Save answer]" in line for line in said) == len(story._SAVED)
    assert sum("tapping [Watch this]" in line for line in said) == len(story._WATCHED)


@pytest.mark.parametrize("name", story._WATCHED)
def test_what_is_watched_and_changed_is_shown_as_it_was_and_is(name, played):
    question = ASKED[name]
    old, new = (next(re.finditer(r"\d+", words)).group() for words in (question.old, question.new))
    both_sides = re.compile(rf"Before: .*\b{old}\b.*\n\s+Now: .*\b{new}\b")
    assert sum(len(both_sides.findall(card)) for card in played[2]) == 1


@pytest.mark.parametrize("name", story._SAVED)
def test_a_saved_answer_is_told_of_exactly_when_its_words_changed(name, played):
    question = ASKED[name]
    assert any(question.question in card for card in played[2]) == question.changed


def test_nothing_is_told_twice(played):
    _, said, cards = played
    assert f"\n{len(cards)} cards arrived" in said[-1]
    text = "\n".join(cards)
    assert [name for name in story._SAVED if text.count(ASKED[name].question) > 1] == []


def test_a_card_of_it_stands_in_the_readme(played):
    readme = (Path(__file__).parents[2] / "README.md").read_text("utf-8")
    shown = re.search(r"^```\n(.*?)\n```$", readme, re.DOTALL | re.MULTILINE)[1]
    assert _WHEN.sub("…", shown) in {_WHEN.sub("…", card.strip()) for card in played[2]}


async def test_json_is_one_line_with_the_same_cards_and_no_card_is_said_aside(tmp_path, capsys, played):
    said = []
    assert await story.demo(once=True, as_json=True, say=said.append, folder=tmp_path / "demo") == 0
    [line] = [line for line in capsys.readouterr().out.splitlines() if line.startswith("{")]
    cards = json.loads(line)["cards"]
    assert cards
    assert all(card["title"] and card["text"] for card in cards)
    texts = [_WHEN.sub("…", card["text"].strip()) for card in cards]
    assert texts == [_WHEN.sub("…", card.strip()) for card in played[2]]
    assert not any("cards arrived" in line for line in said)


async def test_it_fails_when_no_card_came(monkeypatch, tmp_path):
    """As it would if the handbook never changed."""

    async def unchanged(_):
        return None

    monkeypatch.setattr(story.Demo, "revise", unchanged)
    said = []
    assert await story.demo(once=True, as_json=False, say=said.append, folder=tmp_path / "demo") == 1
    assert "\n0 cards arrived:\n" in said


async def test_a_taken_port_is_told_before_another_demo_loses_its_folder(tmp_path):
    (tmp_path / "demo").mkdir()
    (tmp_path / "demo" / "demo.db").write_text("somebody's")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(ListenError, match=f"{port}.*--port"):
            await story.demo(once=False, as_json=False, say=print, port=port, folder=tmp_path / "demo")
    assert (tmp_path / "demo" / "demo.db").read_text() == "somebody's"
