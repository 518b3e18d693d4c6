"""A history taken in once, twice, or in parts ends in the same documents, each version at its own time."""

import json
import os
import subprocess
from contextlib import contextmanager

import pytest

from bot.config import SourceSettings
from bot.replay import replay_git, replay_versions
from core.clock import DAY, SECOND, ManualClock
from core.embed.hashing import HashingEmbedder
from core.errors import InvalidRequest
from core.memory import Memory
from core.model.principals import Principal
from core.planner.request import PlanRequest

DAY_ONE = 1_767_600_000 * SECOND
RULES = "".join(f"Rule {number} stands as it stood.\n\n" for number in range(20))


@pytest.fixture
def memory(tmp_path):
    with opened(tmp_path / "m.db") as memory:
        yield memory


@contextmanager
def opened(file):
    with Memory(f"sqlite:///{file}", embedder=HashingEmbedder(), clock=ManualClock(DAY_ONE + 100 * DAY)) as memory:
        memory.people.ensure_tenant("default", "Default")
        ada = memory.people.put("default", "Ada")
        memory.ada = memory.people.principal("default", ada)
        yield memory


class Repo:
    def __init__(self, path):
        self.path = path
        self.day = 0
        path.mkdir()
        self.run("init", "-q")

    def run(self, *words):
        at = f"{DAY_ONE // SECOND + self.day * 86_400} +0000"
        env = os.environ | {"GIT_AUTHOR_DATE": at, "GIT_COMMITTER_DATE": at}
        who = ("-c", "user.name=Ada", "-c", "user.email=ada@example.com")
        subprocess.run(["git", "-C", self.path, *who, *words], check=True, capture_output=True, env=env)

    def commit(self, **texts):
        for name, text in texts.items():
            file = self.path / f"{name}.md"
            if text is None:
                file.unlink()
            else:
                file.write_text(text)
        self.run("add", "-A")
        self.run("commit", "-q", "-m", "x")
        self.day += 1

    def move(self, old, new):
        self.run("mv", f"{old}.md", f"{new}.md")


@pytest.fixture
def repo(tmp_path):
    return Repo(tmp_path / "repo")


def source(repo, **more):
    return SourceSettings(name="hb", path=repo.path, readers=("everyone",), **more)


def replay(memory, repo, **more):
    return replay_git(memory, "default", repo.path, source(repo, **more))


def standing(memory):
    return {view.uri: view.source_id for view in memory.documents.standing("default")}


def said(memory, days, words="leave"):
    """What stood `days` after the first commit."""
    request = PlanRequest(question=words, valid_time=DAY_ONE + days * DAY + 1)
    return " ".join(span.text for span in memory.plan(request, memory.ada).spans)


def test_each_commit_holds_from_its_own_time(memory, repo):
    repo.commit(a="You have 28 days of leave.")
    repo.commit(a="You have 30 days of leave.")
    report = replay(memory, repo)
    assert (report.new, report.changed, report.removed) == (1, 1, 0)
    assert "28 days" in said(memory, 0)
    assert "30 days" in said(memory, 1)
    assert "28" not in said(memory, 1)


def test_a_second_replay_changes_nothing(memory, repo):
    repo.commit(a="You have 28 days of leave.", b=RULES)
    repo.commit(a="You have 30 days of leave.")
    repo.move("b", "c")
    repo.commit(c=RULES.replace("Rule 7", "Rule seven"))
    repo.commit(a=None)
    replay(memory, repo)
    before = standing(memory)
    report = replay(memory, repo)
    assert (report.new, report.changed, report.removed) == (0, 0, 0)
    assert standing(memory) == before
    assert list(before) == ["hb/c.md"]


def test_a_longer_history_goes_on_from_a_shorter_one(memory, repo):
    repo.commit(a=RULES)
    replay(memory, repo)
    before = standing(memory)["hb/a.md"]
    repo.move("a", "b")
    repo.commit(b=RULES.replace("Rule 7", "Rule seven"))
    report = replay(memory, repo)
    assert (report.new, report.changed) == (0, 1)
    assert standing(memory) == {"hb/b.md": before}


def test_a_name_used_anew_after_a_rename_is_another_document(memory, repo):
    repo.commit(a=RULES)
    repo.move("a", "b")
    repo.commit()
    repo.commit(a="Something else altogether.")
    replay(memory, repo)
    assert sorted(standing(memory)) == ["hb/a.md", "hb/b.md"]
    assert replay(memory, repo).changed == 0


def test_a_rename_onto_a_name_that_once_was_revives_that_document(memory, repo):
    repo.commit(a="Gone on the second day.", b=RULES)
    repo.commit(a=None)
    repo.move("b", "a")
    repo.commit()
    replay(memory, repo)
    assert list(standing(memory)) == ["hb/a.md"]
    assert "Gone" in said(memory, 0, "gone")
    assert "Rule 7" in said(memory, 2, "rule")


LAWS = RULES.replace("Rule", "Law")


def test_a_name_passed_on_between_two_replays_leads_to_the_right_documents(memory, repo):
    repo.commit(a=RULES, b=LAWS)
    replay(memory, repo)
    rules, laws = standing(memory)["hb/a.md"], standing(memory)["hb/b.md"]
    repo.move("a", "c")
    repo.commit()
    repo.move("b", "a")
    repo.commit()
    report = replay(memory, repo)
    assert standing(memory) == {"hb/a.md": laws, "hb/c.md": rules}
    assert (report.new, report.changed, report.removed) == (0, 0, 0)


def test_names_that_went_round_in_a_circle_lead_to_the_right_documents(memory, repo):
    repo.commit(a=RULES, b=LAWS)
    replay(memory, repo)
    rules, laws = standing(memory)["hb/a.md"], standing(memory)["hb/b.md"]
    for old, new in (("a", "c"), ("b", "a"), ("c", "b")):
        repo.move(old, new)
        repo.commit()
    replay(memory, repo)
    assert standing(memory) == {"hb/a.md": laws, "hb/b.md": rules}


@pytest.mark.parametrize("done", range(1, 6))
def test_a_replay_that_was_stopped_and_run_again_ends_as_one_that_was_not(memory, repo, tmp_path, done):
    class Stopped(Exception):
        pass

    def stop(count, _):
        if count == done:
            raise Stopped

    repo.commit(c=RULES)
    repo.commit(a=LAWS)
    repo.move("a", "e")
    repo.commit(e=LAWS.replace("Law 7", "Law seven"))
    repo.move("c", "a")
    repo.commit()
    repo.commit(e=None)
    with pytest.raises(Stopped):
        replay_git(memory, "default", repo.path, source(repo), on_progress=stop)
    replay(memory, repo)
    with opened(tmp_path / "whole.db") as whole:
        replay(whole, repo)
        assert standing(memory) == standing(whole)
        for day in range(6):
            assert said(memory, day, "law rule") == said(whole, day, "law rule")


def test_a_commit_that_was_taken_back_does_not_stay_the_present(memory, repo):
    repo.commit(a="You have 28 days of leave.")
    repo.commit(a="You have 30 days of leave.", b="A draft.")
    replay(memory, repo)
    repo.run("reset", "-q", "--hard", "HEAD~1")
    report = replay(memory, repo)
    assert (report.changed, report.removed) == (1, 1)
    assert list(standing(memory)) == ["hb/a.md"]
    assert "28 days" in said(memory, 100)
    assert replay(memory, repo).changed == 0


def test_a_commit_from_a_clock_ahead_of_ours_is_the_present_at_once(memory, repo):
    repo.commit(a="You have 28 days of leave.")
    repo.day = 4000
    repo.commit(a="You have 29 days of leave.")
    replay(memory, repo)
    assert "29 days" in said(memory, 100)
    repo.day = 2
    repo.commit(a="You have 30 days of leave.")
    replay(memory, repo)
    assert "30 days" in said(memory, 100)


def test_names_that_are_not_utf8_are_problems_and_never_one_document(memory, repo):
    for byte in (b"\xe8", b"\xe9"):
        (repo.path / os.fsdecode(b"caf" + byte + b".md")).write_text(f"Cup {byte!r}.")
    repo.commit(a="One.")
    report = replay(memory, repo)
    assert list(standing(memory)) == ["hb/a.md"]
    assert ["not UTF-8" in problem.reason for problem in report.problems] == [True, True]


def test_what_is_not_included_is_passed_over(memory, repo):
    repo.commit(a="One.", b="Two.")
    assert replay(memory, repo, include=("b*",)).new == 1
    assert list(standing(memory)) == ["hb/b.md"]


def test_a_folder_without_a_repository_is_refused(memory, tmp_path):
    with pytest.raises(InvalidRequest):
        replay_git(memory, "default", tmp_path, SourceSettings(name="hb", path=tmp_path, readers=("everyone",)))


# ── JSONL ──


def write(tmp_path, *rows):
    file = tmp_path / "versions.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return file


def row(text, day, path="a.md"):
    return {"path": path, "text": text, "committed_at": f"2026-01-{5 + day:02}T08:00:00+00:00"}


def test_rows_hold_from_their_times_whatever_their_order(memory, tmp_path):
    file = write(tmp_path, row("You have 30 days of leave.", 1), row("You have 28 days of leave.", 0))
    seen = []
    report = replay_versions(
        memory, "default", file, ["everyone"], "hb", on_progress=lambda *counts: seen.append(counts)
    )
    assert (report.new, report.changed) == (1, 1)
    assert seen[-1] == (2, 2)
    assert "28" in said(memory, 0)
    assert "30" in said(memory, 1)
    assert replay_versions(memory, "default", file, ["everyone"], "hb").unchanged == 2


def test_a_bad_row_is_a_problem_of_its_own(memory, tmp_path):
    file = write(tmp_path, row("nul \0 here", 0), row("Fine.", 1))
    report = replay_versions(memory, "default", file, ["everyone"], "hb")
    assert (report.new, [problem.relative for problem in report.problems]) == (1, ["a.md"])


def test_a_file_that_is_no_history_is_refused_with_its_line(memory, tmp_path):
    file = tmp_path / "versions.jsonl"
    file.write_text('{"path": "a.md"}\n')
    with pytest.raises(InvalidRequest, match="line 1"):
        replay_versions(memory, "default", file, ["everyone"], "hb")


def test_readers_reach_a_replayed_document(memory, tmp_path):
    replay_versions(memory, "default", write(tmp_path, row("You have 28 days.", 0)), ["steward"], "hb")
    view = memory.documents.standing("default")[0]
    assert view.readers == ("steward",)
    assert not Principal("default", memory.ada.person_id).keys & set(view.readers)
