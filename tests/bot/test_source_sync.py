"""A set is kept in step with its folder or repository, and one bad file never stops it."""

import os
import subprocess

import pytest

from bot.config import SourceSettings
from bot.sources import Problem
from bot.sync import LARGEST, _gone, _Place, sync
from core.clock import HOUR, ManualClock
from core.embed.hashing import HashingEmbedder
from core.errors import InvalidRequest
from core.memory import Memory

START = 1_790_000_000_000_000


@pytest.fixture
def clock():
    return ManualClock(START)


@pytest.fixture
def memory(tmp_path, clock):
    with Memory(f"sqlite:///{tmp_path / 'm.db'}", embedder=HashingEmbedder(), clock=clock) as memory:
        memory.people.ensure_tenant("default", "Default")
        yield memory


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "docs"
    (folder / "sub").mkdir(parents=True)
    (folder / "leave.md").write_text("# Leave\n\nYou have 28 days of leave.\n")
    (folder / "sub" / "money.md").write_text("# Money\n\nMoney is paid on the 25th.\n")
    return folder


def of(folder, **more):
    return SourceSettings(name="hb", path=folder, readers=("everyone",), **more)


def step(memory, clock, source, **more):
    clock.advance(HOUR)
    report = sync(memory, "default", source, **more)
    return report.new, report.changed, report.unchanged, report.removed


def uris(memory):
    return [view.uri for view in memory.documents.standing("default", "hb")]


def ids(memory):
    return {view.uri: view.source_id for view in memory.documents.standing("default", "hb")}


def test_pages_and_tables_are_taken_in_and_known_when_they_move(memory, clock, folder):
    (folder / "sub" / "travel.html").write_text("<title>Travel</title><p>Meals cost at most 40 EUR.")
    (folder / "limits.CSV").write_text("City;Limit\nBern;5\n")
    (folder / "levels.tsv").write_text("Level\tDays\nA\t5\n")
    assert step(memory, clock, of(folder)) == (5, 0, 0, 0)
    before = ids(memory)
    (folder / "sub" / "travel.html").rename(folder / "trips.xhtml")
    assert step(memory, clock, of(folder)) == (0, 0, 5, 0)
    assert ids(memory)["hb/trips.xhtml"] == before["hb/sub/travel.html"]


def test_a_folder_becomes_documents_under_the_sets_name(memory, clock, folder):
    assert step(memory, clock, of(folder)) == (2, 0, 0, 0)
    assert uris(memory) == ["hb/leave.md", "hb/sub/money.md"]
    assert step(memory, clock, of(folder)) == (0, 0, 2, 0)


def test_a_changed_file_is_changed_and_a_gone_file_is_removed(memory, clock, folder):
    step(memory, clock, of(folder))
    (folder / "leave.md").write_text("# Leave\n\nYou have 30 days of leave.\n")
    (folder / "sub" / "money.md").unlink()
    assert step(memory, clock, of(folder)) == (0, 1, 0, 1)
    assert uris(memory) == ["hb/leave.md"]
    assert step(memory, clock, of(folder)) == (0, 0, 1, 0)


def test_the_same_text_under_a_new_path_is_the_same_document(memory, clock, folder):
    step(memory, clock, of(folder))
    before = ids(memory)["hb/leave.md"]
    (folder / "leave.md").rename(folder / "sub" / "holidays.md")
    assert step(memory, clock, of(folder)) == (0, 0, 2, 0)
    assert ids(memory)["hb/sub/holidays.md"] == before


def test_a_copy_is_a_document_of_its_own_while_the_first_stands(memory, clock, folder):
    step(memory, clock, of(folder))
    (folder / "copy.md").write_bytes((folder / "leave.md").read_bytes())
    assert step(memory, clock, of(folder)) == (1, 0, 2, 0)
    assert len(set(ids(memory).values())) == 3


def test_empty_files_are_never_taken_for_one_another(memory, clock, folder):
    (folder / "a.md").write_text("\n")
    step(memory, clock, of(folder))
    (folder / "a.md").rename(folder / "b.md")
    assert step(memory, clock, of(folder)) == (1, 0, 2, 1)


def test_a_retired_name_is_not_taken_over_by_a_moved_text(memory, clock, folder):
    step(memory, clock, of(folder))
    retired, moved = ids(memory)["hb/leave.md"], (folder / "sub" / "money.md").read_bytes()
    (folder / "leave.md").unlink()
    step(memory, clock, of(folder))
    (folder / "sub" / "money.md").unlink()
    (folder / "leave.md").write_bytes(moved)
    assert step(memory, clock, of(folder))[3] == 1
    assert ids(memory) == {"hb/leave.md": retired}


def test_bad_files_are_reported_and_stop_nothing(memory, clock, folder):
    (folder / "photo.png").write_bytes(b"\x89PNG\0\0")
    (folder / "latin.txt").write_bytes("naïve".encode("latin-1"))
    with (folder / "huge.md").open("wb") as file:
        file.truncate(LARGEST + 1)
    report = sync(memory, "default", of(folder))
    assert report.new == 2
    reasons = {problem.relative: problem.reason for problem in report.problems}
    assert sorted(reasons) == ["huge.md", "latin.txt", "photo.png"]
    words = {"photo.png": "NUL", "huge.md": str(LARGEST), "latin.txt": "byte 2"}
    assert all(word in reasons[name] for name, word in words.items())


@pytest.mark.parametrize("spoil", ["binary", "loop"])
def test_a_file_that_can_no_longer_be_read_is_not_taken_for_gone(memory, clock, folder, spoil):
    step(memory, clock, of(folder))
    bad = folder / "leave.md"
    bad.unlink()
    if spoil == "binary":
        bad.write_bytes(b"\0")
    else:
        bad.symlink_to(bad)
    report = sync(memory, "default", of(folder))
    assert (report.removed, len(report.problems)) == (0, 1)
    assert "hb/leave.md" in uris(memory)


@pytest.mark.parametrize(
    ("unread", "gone"), [("sub", {"hb/leave.md"}), (".", set()), ("su", {"hb/leave.md", "hb/sub/money.md"})]
)
def test_documents_of_an_unreadable_folder_stay(memory, clock, folder, unread, gone):
    step(memory, clock, of(folder))
    assert _gone(memory, "default", of(folder), _Place({}, (Problem(unread, "permission denied"),))) == gone


def test_a_place_that_is_not_there_retires_nothing(memory, clock, folder, tmp_path):
    step(memory, clock, of(folder))
    folder.rename(tmp_path / "elsewhere")
    with pytest.raises(InvalidRequest, match="does not exist"):
        sync(memory, "default", of(folder))
    assert len(uris(memory)) == 2


def test_naming_one_file_of_a_set_retires_no_other(memory, clock, folder):
    step(memory, clock, of(folder))
    (folder / "leave.md").write_text("# Leave\n\nYou have 31 days.\n")
    assert step(memory, clock, of(folder / "leave.md")) == (0, 1, 0, 0)
    assert len(uris(memory)) == 2


def test_only_what_is_included_is_held(memory, clock, folder):
    (folder / "notes.txt").write_text("Notes.")
    assert step(memory, clock, of(folder, include=("*.md",))) == (2, 0, 0, 0)
    assert step(memory, clock, of(folder, include=("*.txt",))) == (1, 0, 0, 2)


def test_sets_do_not_touch_each_other(memory, clock, folder, tmp_path):
    step(memory, clock, of(folder))
    other = tmp_path / "other"
    other.mkdir()
    (other / "a.md").write_text("Something else.")
    source = SourceSettings(name="second", path=other, readers=("steward",))
    assert step(memory, clock, source) == (1, 0, 0, 0)
    assert len(memory.documents.standing("default")) == 3


def test_the_time_of_the_check_is_remembered_though_nothing_changed(memory, clock, folder):
    step(memory, clock, of(folder))
    step(memory, clock, of(folder))
    assert memory.status("default").synced_at == START + 2 * HOUR


def test_readers_follow_the_set(memory, clock, folder):
    step(memory, clock, of(folder))
    sync(memory, "default", SourceSettings(name="hb", path=folder, readers=("steward",)))
    assert {view.readers for view in memory.documents.standing("default")} == {("steward",)}


def test_progress_ends_at_all(memory, clock, folder):
    seen = []
    sync(memory, "default", of(folder), on_progress=lambda done, total: seen.append((done, total)))
    assert seen == [(0, 2), (1, 2), (2, 2)]


# ── git ──


def run(repo, *words):
    day = {"GIT_AUTHOR_DATE": "2026-01-05T09:00:00Z", "GIT_COMMITTER_DATE": "2026-01-05T09:00:00Z"}
    who = ("-c", "user.name=Ada", "-c", "user.email=ada@example.com")
    subprocess.run(["git", "-C", repo, *who, *words], check=True, capture_output=True, env=os.environ | day)


def commit(repo):
    run(repo, "add", "-A")
    run(repo, "commit", "-q", "-m", "x")


@pytest.fixture
def repo(folder):
    run(folder, "init", "-q")
    commit(folder)
    return folder


def remote(repo):
    return SourceSettings(name="hb", git=repo.as_uri(), readers=("everyone",))


def test_a_repository_is_read_at_its_head(memory, clock, repo, tmp_path):
    cache = tmp_path / "cache"
    assert step(memory, clock, remote(repo), cache=cache) == (2, 0, 0, 0)
    (repo / "leave.md").write_text("# Leave\n\nNot committed.\n")
    assert step(memory, clock, remote(repo), cache=cache) == (0, 0, 2, 0)
    commit(repo)
    assert step(memory, clock, remote(repo), cache=cache) == (0, 1, 1, 0)


def test_a_rename_with_an_edit_is_followed_where_git_knows_it(memory, clock, repo, tmp_path):
    cache = tmp_path / "cache"
    lines = "".join(f"Rule {number} stands as it stood.\n\n" for number in range(20))
    (repo / "leave.md").write_text(lines)
    commit(repo)
    step(memory, clock, remote(repo), cache=cache)
    before = ids(memory)["hb/leave.md"]
    run(repo, "mv", "leave.md", "time off.md")
    (repo / "time off.md").write_text(lines.replace("Rule 7", "Rule seven"))
    commit(repo)
    assert step(memory, clock, remote(repo), cache=cache) == (0, 1, 1, 0)
    assert ids(memory)["hb/time off.md"] == before


def test_a_huge_file_of_a_repository_is_a_problem_that_names_its_size(memory, clock, repo, tmp_path):
    with (repo / "huge.bin").open("wb") as file:
        file.truncate(LARGEST + 1)
    commit(repo)
    clock.advance(HOUR)
    report = sync(memory, "default", remote(repo), cache=tmp_path / "cache")
    assert (report.new, [problem.relative for problem in report.problems]) == (2, ["huge.bin"])
    assert str(LARGEST + 1) in report.problems[0].reason


def test_an_address_of_an_unknown_scheme_is_refused(memory, tmp_path):
    source = SourceSettings(name="hb", git="gopher://example.org/x", readers=("everyone",))
    with pytest.raises(InvalidRequest, match="no address to clone from"):
        sync(memory, "default", source, cache=tmp_path)
