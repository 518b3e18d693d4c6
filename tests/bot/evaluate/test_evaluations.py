"""The harness on small data of its own: what it counts, and what it refuses."""

import json

import pytest

from bot.cli.entry import run
from bot.evaluate.claims import claims
from bot.evaluate.data import rows
from bot.evaluate.questions import Query
from bot.evaluate.ranking import GRID, Outcome, fit
from bot.evaluate.remembering import Remembering
from bot.evaluate.retrieval import retrieval
from bot.evaluate.staleness import Change, locate, staleness
from bot.sources import VersionRow
from core.config import AnswersConfig, MemoryConfig
from core.embed.hashing import HashingEmbedder
from core.errors import InvalidRequest, SemanticUnavailable
from core.verify.config import VerifyConfig

CONFIG = MemoryConfig()
PAGE = """# Leave

Everybody has {days} days of paid leave. Ask {whom} about it.

| Office | City |
|---|---|
| North | {city} |

{more}
"""


def ignore(_done, _total):
    pass


def write(folder, name, items):
    (folder / name).write_text("".join(json.dumps(item) + "\n" for item in items))


def page(days="28", whom="Robin", city="Oslo", more="Some words."):
    return PAGE.format(days=days, whom=whom, city=city, more=more)


def history(folder, texts, changes):
    times = [f"2026-01-{day:02}T00:00:00Z" for day in range(1, len(texts) + 1)]
    rows = [{"path": "leave.md", "text": text, "committed_at": at} for text, at in zip(texts, times, strict=True)]
    write(folder, "versions.jsonl", rows)
    write(folder, "questions.jsonl", [{"id": "q", "question": "How many days of paid leave does everybody have?"}])
    write(folder, "changes.jsonl", changes)


def change(name, first, old, new, *, changed, kind="number"):
    return {
        "id": name,
        "question_id": "q",
        "path": "leave.md",
        "from_version": first,
        "to_version": first + 1,
        "fact_changed": changed,
        "edit_kind": kind,
        "old": old,
        "new": new,
    }


# ── staleness ──


def measured(folder, embedder=None):
    return staleness(folder, embedder or HashingEmbedder(), CONFIG, ignore).to_json()


def test_changed_facts_are_stale_and_unchanged_ones_are_not(tmp_path):
    history(
        tmp_path,
        [page(), page(days="30"), page(days="30", more="Other words."), page(days="30", city="Bergen")],
        [
            change("days@1", 1, "28 days of paid leave", "30 days of paid leave", changed=True),
            change("city@1", 1, "| North | Oslo |", "| North | Oslo |", changed=False, kind="edit_elsewhere"),
            change("days@2", 2, "30 days of paid leave", "30 days of paid leave", changed=False, kind="edit_elsewhere"),
            change("city@3", 3, "North | Oslo", None, changed=True, kind="removed"),
        ],
    )
    found = measured(tmp_path)
    assert (found["changed"], found["missed"]) == (2, [])
    assert (found["unchanged"], found["false_alarms"]) == (2, [])
    assert (found["refreshed"], found["refreshed_right"]) == (2, 2)
    assert (found["replaced"], found["replaced_shows_new"]) == (1, 1)
    assert (found["removed"], found["removed_not_said"]) == (1, 1)
    assert found["by_edit_kind"] == {
        "changed: number": {"stale": 1},
        "changed: removed": {"stale": 1},
        "unchanged: edit_elsewhere": {"current": 2},
    }


def test_a_wrong_label_shows_as_missed_and_as_a_false_alarm(tmp_path):
    history(
        tmp_path,
        [page(), page(days="30")],
        [
            change("miss", 1, "Ask Robin about it", "x", changed=True),
            change("alarm", 1, "28 days of paid leave", "x", changed=False),
        ],
    )
    found = measured(tmp_path)
    assert (found["missed"], found["false_alarms"]) == (["miss"], ["alarm"])


def test_words_that_stand_nowhere_are_not_judged(tmp_path):
    history(tmp_path, [page(), page(days="30")], [change("x", 1, "no such words", "x", changed=True)])
    found = measured(tmp_path)
    assert (found["unlocated"], found["changed"]) == (["x"], 0)


def test_without_a_model_nothing_is_asked_anew(tmp_path):
    history(tmp_path, [page(), page(days="30")], [change("x", 1, "28 days", "30 days", changed=True)])
    found = staleness(tmp_path, None, CONFIG, ignore).to_json()
    assert (found["missed"], found["refreshed"]) == ([], 0)


def test_a_version_that_is_not_there_is_refused(tmp_path):
    history(tmp_path, [page()], [change("x", 1, "28 days", "30 days", changed=True)])
    with pytest.raises(InvalidRequest, match="versions 1 to 1, not 2"):
        measured(tmp_path)


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("28 days", "Everybody has 28 days of paid leave."),
        ("28   days of\npaid", "Everybody has 28 days of paid leave."),
        ("leave. Ask", "Everybody has 28 days of paid leave. Ask Robin about it."),
        ("**28** days", "Everybody has 28 days of paid leave."),
        ("North | Oslo", "| North | Oslo |"),
        ("gone", None),
    ],
)
def test_a_quotation_is_the_sentence_or_row_that_holds_the_words(words, found):
    text = page()
    place = locate(VersionRow("leave.md", text, 0), words)
    assert (place and text.encode()[place[0] : place[1]].decode()) == found


def test_a_heading_is_quoted_only_where_no_sentence_holds_the_words():
    text = "# Oslo\n\nOur office in Oslo is small.\n\n## Bergen\n"
    assert locate(VersionRow("a.md", text, 0), "Oslo")[0] == text.index("Our")
    assert locate(VersionRow("a.md", text, 0), "Bergen")[0] == text.index("Bergen")


def test_a_label_may_cut_through_markup():
    text = "_Takes 10 minutes at most_ of your time.\n"
    assert locate(VersionRow("a.md", text, 0), "_Takes 10 minutes") is not None


# ── retrieval ──


def library(folder):
    write(
        folder,
        "passages.jsonl",
        [
            {"id": "a#1", "heading": "Leave", "text": "Everybody has 28 days of paid leave."},
            {"id": "a#2", "heading": "Offices", "text": "The northern office is in Oslo."},
            {"id": "b#1", "text": "Laptops are replaced every three years."},
        ],
    )
    write(
        folder,
        "queries.jsonl",
        [
            {"id": "q1", "query": "how many days of paid leave?", "relevant": ["a#1"]},
            {"id": "q2", "query": "where is the northern office?", "relevant": ["a#2"]},
        ],
    )
    write(folder, "queries_chat.jsonl", [{"id": "c1", "query": "new laptop when?", "relevant": ["b#1", "a#1"]}])
    write(folder, "unanswerable.jsonl", [{"id": "u1", "query": "Who won the cup?"}])


def test_each_file_of_questions_is_reported_by_itself(tmp_path):
    library(tmp_path)
    seen = []
    report = retrieval(tmp_path, HashingEmbedder(), CONFIG, lambda *counts: seen.append(counts))
    assert report.passages == 3
    assert {name: one.questions for name, one in report.configured.items()} == {
        "queries.jsonl": 2,
        "queries_chat.jsonl": 1,
    }
    assert report.configured["queries.jsonl"].recall_at_5.value == 1
    assert set(report.held_out) == set(report.by_meaning) == set(report.configured)
    assert report.fitted in GRID
    assert seen[-1] == (3 + 3 + len(GRID),) * 2


def test_a_passage_is_found_by_the_name_of_its_file_and_its_heading(tmp_path):
    texts = [{"id": f"{name}#1", "path": f"it/{name}.md", "text": "Every three years."} for name in ("desks", "phones")]
    write(tmp_path, "passages.jsonl", [*texts, {"id": "c#1", "heading": "Chairs", "text": "Every three years."}])
    asked = {"phones": "phones#1", "chairs": "c#1"}
    write(tmp_path, "queries.jsonl", [{"id": word, "query": word, "relevant": [key]} for word, key in asked.items()])
    report = retrieval(tmp_path, HashingEmbedder(), CONFIG, ignore)
    assert report.configured["queries.jsonl"].mrr_at_10.value == 1


def test_meaning_alone_leaves_the_words_out(tmp_path):
    """The embedder knows no word of the question, so that only the words' leg can tell the passages apart."""

    class Vague(HashingEmbedder):
        def embed(self, texts):
            return super().embed(["same" for _ in texts])

    texts = ["Laptops.", "Phones.", "Chairs."]
    write(tmp_path, "passages.jsonl", [{"id": text, "text": text} for text in texts])
    write(tmp_path, "queries.jsonl", [{"id": text, "query": text, "relevant": [text]} for text in texts])
    report = retrieval(tmp_path, Vague(), CONFIG, ignore)
    assert report.configured["queries.jsonl"].mrr_at_10.value == 1
    assert report.by_meaning["queries.jsonl"].mrr_at_10.value < 1


def test_refusals_are_counted_at_both_thresholds(tmp_path):
    library(tmp_path)
    config = MemoryConfig(answers=AnswersConfig(min_cosine=0.99))
    refusals = retrieval(tmp_path, HashingEmbedder(), config, ignore).refusals
    assert refusals.configured.unanswerable_refused == 1
    assert refusals.configured.answerable_refused == 3
    assert (refusals.fitted.answerable_refused, refusals.fitted.unanswerable_refused) == (0, 1)
    assert refusals.auc == 1


def outcomes(**ranks):
    return {name: Outcome(rank) for name, rank in ranks.items()}


def test_a_question_is_judged_under_weights_fitted_without_its_family():
    """Under the weights (0, 1) q1 and its paraphrase are perfect; q2 alone speaks for (1, 1)."""
    files = {"f": [Query(id=name, query="", relevant=(key,)) for name, key in (("q1", "a"), ("q1b", "a"), ("q2", "b"))]}
    grid = {(0.0, 1.0): outcomes(q1=1, q1b=1, q2=9), (1.0, 1.0): outcomes(q1=8, q1b=9, q2=1)}
    best, held_out = fit(files, grid, next(iter(grid)))
    assert best == (0.0, 1.0)
    assert {name: outcome.rank for name, outcome in held_out.items()} == {"q1": 8, "q1b": 9, "q2": 9}


def test_each_file_counts_the_same_in_the_fit():
    files = {
        "long": [Query(id=f"l{n}", query="", relevant=(f"l{n}",)) for n in range(9)],
        "short": [Query(id="s", query="", relevant=("s",))],
    }
    many = {f"l{n}": 1 for n in range(9)}
    grid = {
        (0.0, 1.0): outcomes(**many, s=None),
        (1.0, 1.0): outcomes(**dict.fromkeys(many, 2), s=1),
    }
    assert fit(files, grid, next(iter(grid)))[0] == (1.0, 1.0)


def test_a_rank_counts_within_its_depth_only():
    assert [Outcome(6).within(k) for k in (5, 6, 10)] == [False, True, True]
    assert [Outcome(rank).reciprocal for rank in (4, 10, 11, None)] == [0.25, 0.1, 0, 0]


def test_no_text_is_embedded_twice():
    class Counting(HashingEmbedder):
        seen = 0

        def embed(self, texts):
            self.seen += len(texts)
            return super().embed(texts)

    counting = Counting()
    remembering = Remembering(counting)
    first = remembering.embed(["a word", "two words", "a word"])
    again = remembering.embed(["two words", "a word"])
    assert counting.seen == 2
    assert (first[0] == again[1]).all()
    assert remembering.embed([]).shape == (0, counting.dim)


@pytest.mark.parametrize(
    ("name", "items", "words"),
    [
        ("queries.jsonl", [{"id": "q1", "query": "x", "relevant": ["z"]}], "q1: relevant must name passages"),
        ("queries.jsonl", [{"id": "q1", "query": "x"}], "q1: relevant must name passages"),
        ("queries.jsonl", [{"id": "c1", "query": "x", "relevant": ["a#1"]}], "two questions have the id 'c1'"),
        ("passages.jsonl", [{"id": "a"}], "line 1: text: Field required"),
        ("passages.jsonl", [], "holds no rows"),
    ],
)
def test_labels_that_do_not_hold_together_are_refused(tmp_path, name, items, words):
    library(tmp_path)
    write(tmp_path, name, items)
    with pytest.raises(InvalidRequest, match=words):
        retrieval(tmp_path, HashingEmbedder(), CONFIG, ignore)


def test_a_folder_without_questions_is_refused(tmp_path):
    write(tmp_path, "passages.jsonl", [{"id": "a", "text": "x"}])
    with pytest.raises(InvalidRequest, match=r"queries\*\.jsonl"):
        retrieval(tmp_path, HashingEmbedder(), CONFIG, ignore)


# ── claims ──

PAIRS = [
    {"claim": "Everybody has 28 days of leave.", "evidence": "Everybody has 28 days of leave.", "label": "SUPPORTS"},
    {"claim": "Everybody has 30 days of leave.", "evidence": "Everybody has 28 days of leave.", "label": "REFUTES"},
    {"claim": "The office is in Oslo.", "evidence": "The office is in Oslo.", "label": "SUPPORTS", "source": "s"},
    {"claim": "The office is in Oslo.", "evidence": "We like tea.", "label": "NOT ENOUGH INFO", "source": "s"},
]


def test_measuring_by_meaning_needs_a_model(tmp_path):
    for measure in (
        lambda: claims(tmp_path, None, VerifyConfig(), ignore),
        lambda: retrieval(tmp_path, None, CONFIG, ignore),
    ):
        with pytest.raises(SemanticUnavailable):
            measure()


# ── rows, and the commands ──


@pytest.mark.parametrize("line", ["{", "[]", "\udcff", "null"])
def test_a_row_that_is_none_is_refused_with_its_line(tmp_path, line):
    (tmp_path / "x.jsonl").write_text(f"\n{line}\n", errors="surrogateescape")
    with pytest.raises(InvalidRequest, match="line 2"):
        rows(tmp_path / "x.jsonl", Change)


def test_the_commands_print_for_people_and_for_machines(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CLARIFY_EMBEDDER", "hashing")
    library(tmp_path)
    history(tmp_path, [page(), page(days="30")], [change("x", 1, "28 days", "30 days", changed=True)])
    (tmp_path / "pairs").mkdir()
    write(tmp_path / "pairs", "pairs.jsonl", PAIRS)
    for name, words, folder in (
        ("staleness", "missed 0 of 1", "."),
        ("retrieval", "recall@5", "."),
        ("claims", "AUC", "pairs"),
    ):
        assert run(["eval", name, "--data", folder]) == 0
        assert words in capsys.readouterr().out
        assert run(["eval", name, "--data", folder, "--json"]) == 0
        assert isinstance(json.loads(capsys.readouterr().out), dict)


def test_weights_that_gain_less_than_a_question_do_not_move_the_standing_ones():
    """One place in a rank of one of twenty questions is noise; a quarter of them found is none."""
    files = {"f": [Query(id=f"q{n}", query="", relevant=(f"q{n}",)) for n in range(20)]}
    found = {f"q{n}": 1 for n in range(20)}
    standing, other = (0.5, 10.0), (0.4, 30.0)
    grid = {standing: outcomes(**found | {"q0": 2}), other: outcomes(**found)}
    assert fit(files, grid, standing)[0] == standing
    grid = {standing: outcomes(**found | {f"q{n}": None for n in range(5)}), other: outcomes(**found)}
    assert fit(files, grid, standing)[0] == other
