"""The bundled handbook: its questions stand on words that are really there, and its pages hold together."""

import re
from pathlib import PurePosixPath

import pytest

from bot.sample import Question, Revision, pages, questions

REVISIONS: tuple[Revision, ...] = ("first", "second")
QUESTIONS = questions()


def visible(revision: Revision, page: str) -> str:
    """Text without emphasis, wrapping and link targets; empty where the page is gone."""
    text = pages(revision).get(page, b"").decode()
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)
    return " ".join(re.sub(r"\*+|(?<!\w)_|_(?!\w)", "", text).split())


def each(*, changed: bool) -> list[Question]:
    return [question for question in QUESTIONS if question.changed is changed]


def named(question: Question) -> str:
    return question.id


@pytest.mark.parametrize("question", QUESTIONS, ids=named)
def test_the_words_that_answer_stand_once_in_the_first_revision(question: Question) -> None:
    assert visible("first", question.page).count(question.words) == 1


@pytest.mark.parametrize("question", each(changed=False), ids=named)
def test_an_unchanged_answer_stands_in_the_second_revision_of_an_edited_page(question: Question) -> None:
    assert question.words in visible("second", question.page)
    assert pages("first")[question.page] != pages("second")[question.page]
    assert (question.old, question.new) == ("", "")


@pytest.mark.parametrize("question", each(changed=True), ids=named)
def test_old_words_left_and_new_words_came(question: Question) -> None:
    before, after = visible("first", question.page), visible("second", question.page)
    assert question.old
    assert question.old in before
    assert question.old not in after
    assert question.new in after
    assert not question.new or question.new not in before


def test_questions_are_of_every_kind() -> None:
    ids = [question.id for question in QUESTIONS]
    assert len(set(ids)) == len(ids)
    assert len(each(changed=False)) >= 4
    gone = [question for question in each(changed=True) if not question.new]
    assert {question.page in pages("second") for question in gone} == {True, False}


def test_every_page_that_stays_was_edited() -> None:
    first, second = pages("first"), pages("second")
    assert set(second) < set(first)
    assert all(first[name] != text for name, text in second.items())
    assert len(second) >= 15


@pytest.mark.parametrize("revision", REVISIONS)
def test_relative_links_lead_to_pages_and_headings(revision: Revision) -> None:
    texts = {name: raw.decode() for name, raw in pages(revision).items()}
    for name, text in texts.items():
        for target, anchor in re.findall(r"\]\(([^)#]*)#?([^)]*)\)", text):
            linked = PurePosixPath(target).name or name
            assert linked in texts, (name, target)
            headings = [
                line.lstrip("# ").lower().replace(" ", "-") for line in texts[linked].splitlines() if line[:1] == "#"
            ]
            assert not anchor or anchor in headings, (name, target, anchor)


@pytest.mark.parametrize("revision", REVISIONS)
def test_addresses_are_reserved_for_examples(revision: Revision) -> None:
    text = b"".join(pages(revision).values()).decode()
    assert set(re.findall(r"@([\w.-]+\w)", text)) == {"example.com"}
    assert "http" not in text


@pytest.mark.parametrize("revision", REVISIONS)
def test_pages_are_what_they_show_off(revision: Revision) -> None:
    """Tables, fences, nested lists, front matter, CJK and accented words: the demo meets what real pages hold."""
    text = "\n".join(raw.decode() for raw in pages(revision).values())
    for sign in (r"^\| --- \|", r"^\s*```sh$", r"^ {3}- ", r"^---$", "京都", "Zürich"):
        assert re.search(sign, text, re.MULTILINE), sign
