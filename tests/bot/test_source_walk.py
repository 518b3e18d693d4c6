import inspect
import json
import os
import sys
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.sources import Found, Problem, is_skipped, walk
from core.errors import InvalidRequest

NOBODY = 65_534


def make(root, *names):
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)


def found(root, include=None):
    return [item.relative for item in walk(root, include) if isinstance(item, Found)]


def problems(root):
    return {item.relative: item.reason for item in walk(root) if isinstance(item, Problem)}


def test_files_come_in_order_of_their_names_whatever_order_they_were_made_in(tmp_path):
    make(tmp_path, "z.md", "b/2.md", "b/10.md", "a.md", "B.md")
    assert found(tmp_path) == ["B.md", "a.md", "b/10.md", "b/2.md", "z.md"]


def test_a_file_is_described_whole(tmp_path):
    make(tmp_path, "a b/ü.md")
    path = tmp_path / "a b" / "ü.md"
    assert list(walk(tmp_path)) == [Found(path.as_uri(), "a b/ü.md", path, 9)]


def test_hidden_entries_and_installed_packages_are_never_read(tmp_path):
    make(tmp_path, ".git/config", ".env", "a/.cache/x", "node_modules/p/README.md", "a/node_modules/q.md", "a/k.md")
    assert list(walk(tmp_path)) == list(walk(tmp_path, ["*.md"]))
    assert found(tmp_path) == ["a/k.md"]


def test_a_set_that_lies_in_a_hidden_folder_is_read_when_it_is_named(tmp_path):
    make(tmp_path, ".notes/a.md")
    assert found(tmp_path / ".notes") == ["a.md"]


def test_a_single_file_is_a_set_of_one(tmp_path):
    make(tmp_path, "a.md", "b.md")
    assert found(tmp_path / "a.md") == ["a.md"]


@pytest.mark.parametrize(
    ("include", "expected"),
    [
        (["*.md"], ["a.md", "d/b.md", "d/e/c.md"]),
        (["**/*.md"], ["a.md", "d/b.md", "d/e/c.md"]),
        (["d/*"], ["d/b.md", "d/e/c.md", "d/x.txt"]),
        (["*.txt", "a.*"], ["a.md", "d/x.txt"]),
        (["*.MD"], []),
        ([], []),
    ],
)
def test_include_patterns_cross_slashes(tmp_path, include, expected):
    make(tmp_path, "a.md", "d/b.md", "d/e/c.md", "d/x.txt")
    assert found(tmp_path, include) == expected


def test_a_loop_of_links_ends(tmp_path):
    make(tmp_path, "d/a.md")
    (tmp_path / "d" / "up").symlink_to(tmp_path)
    (tmp_path / "self").symlink_to("self")
    assert found(tmp_path) == ["d/a.md"]
    assert set(problems(tmp_path)) == {"self"}


def test_a_link_to_a_file_of_the_set_is_read_under_its_own_name(tmp_path):
    make(tmp_path, "docs/index.md")
    (tmp_path / "README.md").symlink_to("docs/index.md")
    assert found(tmp_path) == ["README.md", "docs/index.md"]


def test_a_link_that_leads_out_of_the_set_is_not_followed(tmp_path):
    """Whoever may read the set would otherwise read whatever the disk holds."""
    make(tmp_path, "secret.txt", "set/a.md")
    (tmp_path / "set" / "b.md").symlink_to(tmp_path / "secret.txt")
    assert found(tmp_path / "set") == ["a.md"]
    assert "leads out" in problems(tmp_path / "set")["b.md"]


@pytest.mark.parametrize("hidden", [".env", ".git/config", "node_modules/p/x.md"])
def test_a_link_to_what_is_hidden_shows_none_of_it(tmp_path, hidden):
    make(tmp_path, "a.md", hidden)
    (tmp_path / "b.md").symlink_to(hidden)
    assert found(tmp_path) == ["a.md"]
    assert "hidden" in problems(tmp_path)["b.md"]


def test_a_set_in_a_hidden_folder_may_link_within_itself(tmp_path):
    make(tmp_path, ".notes/a.md")
    (tmp_path / ".notes" / "b.md").symlink_to("a.md")
    assert found(tmp_path / ".notes") == ["a.md", "b.md"]


def test_folders_in_folders_are_walked_however_deep(tmp_path):
    """Each level would cost a frame, and the walk of a hostile folder end in RecursionError."""
    make(tmp_path, "d/" * 150 + "a.md")
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(len(inspect.stack()) + 100)
    try:
        assert found(tmp_path) == ["d/" * 150 + "a.md"]
    finally:
        sys.setrecursionlimit(limit)


def test_what_cannot_be_read_is_a_problem_and_the_rest_is_read(tmp_path):
    make(tmp_path, "a.md", "z.md")
    (tmp_path / "gone.md").symlink_to("nowhere")
    os.mkfifo(tmp_path / "pipe.md")
    assert found(tmp_path) == ["a.md", "z.md"]
    assert problems(tmp_path) == {
        "gone.md": "cannot be read: No such file or directory",
        "pipe.md": "not a regular file",
    }


def test_a_problem_is_told_even_where_the_patterns_would_leave_it_out(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    assert [item.relative for item in walk(tmp_path, ["*.md"])] == ["pipe"]


def test_a_name_that_is_not_utf8_is_a_problem_that_can_be_printed(tmp_path):
    Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9.md")).write_text("x")
    ((relative, reason),) = problems(tmp_path).items()
    assert relative.encode()
    assert "not UTF-8" in reason


def as_anybody(look):
    """What `look` returns to a user without rights of its own: nothing is unreadable to root."""
    if os.geteuid() != 0:
        return look()
    reader, writer = os.pipe()
    if os.fork() == 0:
        os.setgid(NOBODY)
        os.setuid(NOBODY)
        os.write(writer, json.dumps(look()).encode())
        os._exit(0)
    os.close(writer)
    os.wait()
    with os.fdopen(reader, "rb") as answer:
        return json.load(answer)


def test_a_file_or_folder_without_permission_is_a_problem():
    with tempfile.TemporaryDirectory() as name:  # pytest's own folders are closed to others
        folder = Path(name)
        folder.chmod(0o755)
        make(folder, "a.md", "d/b.md", "c.md")
        (folder / "a.md").chmod(0)
        (folder / "d").chmod(0)
        try:
            assert as_anybody(lambda: sorted(problems(folder))) == ["a.md", "d"]
        finally:
            (folder / "d").chmod(0o700)


def test_a_path_that_does_not_exist_is_named(tmp_path):
    with pytest.raises(InvalidRequest, match="nothing-here does not exist"):
        list(walk(tmp_path / "nothing-here"))


PARTS = st.lists(st.sampled_from(["a", "b.md", "docs"]), min_size=1)


@given(PARTS, st.sampled_from([".git", ".env", "node_modules"]), st.integers(0, 9))
def test_one_hidden_part_anywhere_hides_the_path(parts, hidden, place):
    assert not is_skipped("/".join(parts))
    parts.insert(place % (len(parts) + 1), hidden)
    assert is_skipped("/".join(parts))
