"""Real repositories, made with git itself."""

import os
import subprocess

import pytest

from bot.git import blobs, mirror
from bot.git_history import Added, Deleted, Modified, Renamed, Revision, git_history, held_files
from core.clock import SECOND
from core.errors import InvalidRequest

TEXT = "".join(f"line {number} of a document that is long enough to be recognised\n" for number in range(20))


class Repo:
    def __init__(self, path):
        self.path = path
        path.mkdir()
        self.run("init", "--quiet", "--initial-branch=main")

    def run(self, *arguments, at=1_600_000_000):
        who = {f"GIT_{role}_{what}": value for role in ("AUTHOR", "COMMITTER") for what, value in self.identity(at)}
        command = ["git", "-C", str(self.path), "-c", "commit.gpgsign=false", *arguments]
        done = subprocess.run(command, env=os.environ | who, check=True, capture_output=True)
        return done.stdout.decode().strip()

    def identity(self, at):
        return [("NAME", "writer"), ("EMAIL", "writer@example.org"), ("DATE", f"{at} +0200")]

    def write(self, name, text):
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def commit(self, at=1_600_000_000, **files):
        for name, text in files.items():
            self.write(name.replace("__", "/") + ".md", text)
        self.run("add", "--all", "--force")
        self.run("commit", "--quiet", "--allow-empty", "--message", "a change", at=at)
        return self.run("rev-parse", "HEAD")


def head_files(repo, commit=None):
    with blobs(repo) as read:
        for file in held_files(repo, commit):
            data = read(file.blob)
            assert len(data) == file.size
            yield file.path, data


@pytest.fixture
def repo(tmp_path):
    return Repo(tmp_path / "repo")


def changes(repo):
    return [revision.changes for revision in git_history(repo.path)]


def replay(revisions):
    state = {}
    for revision in revisions:
        for change in revision.changes:
            match change:
                case Deleted(path):
                    del state[path]
                case Renamed(old, new, data):
                    del state[old]
                    state[new] = data
                case Added(path, data) | Modified(path, data):
                    state[path] = data
    return state


def test_a_history_is_told_oldest_first_with_whole_texts(repo):
    first = repo.commit(at=1_600_000_000, a="one", d__b="two")
    second = repo.commit(at=1_600_000_060, a="uno")
    (repo.path / "d/b.md").unlink()
    third = repo.commit(at=1_600_000_120)
    assert list(git_history(repo.path)) == [
        Revision(first, 1_600_000_000 * SECOND, (Added("a.md", b"one"), Added("d/b.md", b"two"))),
        Revision(second, 1_600_000_060 * SECOND, (Modified("a.md", b"uno"),)),
        Revision(third, 1_600_000_120 * SECOND, (Deleted("d/b.md"),)),
    ]


def test_a_rename_is_followed_also_when_the_text_changed_a_little(repo):
    repo.commit(a=TEXT)
    repo.run("mv", "a.md", "b.md")
    repo.commit(b=TEXT + "one more line\n")
    assert changes(repo)[1] == (Renamed("a.md", "b.md", f"{TEXT}one more line\n".encode()),)


def test_another_text_under_another_name_is_not_a_rename(repo):
    repo.commit(a=TEXT)
    (repo.path / "a.md").unlink()
    repo.commit(b="nothing of the kind")
    assert changes(repo)[1] == (Deleted("a.md"), Added("b.md", b"nothing of the kind"))


def test_a_merge_brings_what_its_side_branch_changed_once(repo):
    repo.commit(a="one")
    repo.run("checkout", "--quiet", "-b", "side")
    repo.commit(s="draft")
    repo.commit(s="final")
    repo.run("checkout", "--quiet", "main")
    repo.commit(a="two")
    repo.run("merge", "--quiet", "--no-edit", "side")
    assert changes(repo) == [(Added("a.md", b"one"),), (Modified("a.md", b"two"),), (Added("s.md", b"final"),)]
    assert replay(git_history(repo.path)) == dict(head_files(repo.path))


def test_time_never_stands_still_or_runs_back(repo):
    """Else a later state would lie before an earlier one, and the earlier would be taken for today's."""
    for at in (1_600_000_100, 1_600_000_100, 1_500_000_000, 1_600_000_200):
        repo.commit(at=at, a=f"{at}")
    start = 1_600_000_100 * SECOND
    assert [revision.committed_at for revision in git_history(repo.path)] == [
        start,
        start + 1,
        start + 2,
        1_600_000_200 * SECOND,
    ]


def test_hidden_paths_links_and_submodules_are_no_documents(repo):
    repo.write(".github/x.md", "hidden")
    repo.write("node_modules/y.md", "installed")
    (repo.path / "link.md").symlink_to("a.md")
    repo.run("update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},module")
    repo.write("a.md", "one")
    repo.run("add", "a.md", ".github", "node_modules", "link.md", "--force")
    repo.run("commit", "--quiet", "--message", "all kinds")
    assert changes(repo) == [(Added("a.md", b"one"),)]
    assert list(head_files(repo.path)) == [("a.md", b"one")]


def test_a_path_that_comes_out_of_hiding_is_added_and_one_that_goes_is_deleted(repo):
    repo.commit(a=TEXT)
    (repo.path / ".old").mkdir()
    repo.run("mv", "a.md", ".old/a.md")
    repo.commit()
    repo.run("mv", ".old/a.md", "b.md")
    repo.commit()
    assert changes(repo)[1:] == [(Deleted("a.md"),), (Added("b.md", TEXT.encode()),)]


def test_a_file_that_becomes_a_link_is_deleted(repo):
    repo.commit(a="one", b="two")
    (repo.path / "a.md").unlink()
    (repo.path / "a.md").symlink_to("b.md")
    repo.commit()
    assert changes(repo)[1] == (Deleted("a.md"),)


@pytest.mark.parametrize(
    "name", ["with space.md", "new\nline.md", "tab\t.md", "ü 漢字.md", "-rf.md", ":100644.md", '"q".md']
)
def test_any_name_is_a_name(repo, name):
    repo.write(name, "x")
    repo.commit()
    repo.write(name, "y")
    repo.commit()
    assert changes(repo) == [(Added(name, b"x"),), (Modified(name, b"y"),)]
    assert list(head_files(repo.path)) == [(name, b"y")]


def test_bytes_come_as_they_are(repo):
    data = bytes(range(256)) + b"\r\n\0\n"
    (repo.path / "a.bin").write_bytes(data)
    (repo.path / "empty.md").write_bytes(b"")
    repo.commit()
    assert dict(head_files(repo.path)) == {"a.bin": data, "empty.md": b""}


def test_settings_of_the_repository_change_nothing(repo):
    """A repository that somebody else wrote may ask for other diffs, quoted names and programs of its own."""
    repo.commit(ü=TEXT)
    repo.run("mv", "ü.md", "é.md")
    repo.commit()
    before = list(git_history(repo.path))
    for name, value in {
        "diff.renames": "false",
        "diff.external": "/bin/false",
        "core.quotePath": "true",
        "core.fsmonitor": "/bin/false",
        "log.showSignature": "true",
        "diff.noprefix": "true",
    }.items():
        repo.run("config", name, value)
    assert list(git_history(repo.path)) == before


def test_a_partial_clone_runs_no_program_to_fetch_what_it_lacks(repo, tmp_path):
    repo.commit(a=TEXT)
    blob = repo.run("rev-parse", "HEAD:a.md")
    (repo.path / ".git/objects" / blob[:2] / blob[2:]).unlink()
    (source := Repo(tmp_path / "source")).commit(a=TEXT)
    for name, value in {
        "core.repositoryFormatVersion": "1",
        "extensions.partialClone": "origin",
        "remote.origin.promisor": "true",
        "remote.origin.url": source.path.as_uri(),
        "remote.origin.uploadPack": f"touch {tmp_path}/ran; git-upload-pack",
    }.items():
        repo.run("config", name, value)
    for read in (git_history, held_files):
        with pytest.raises(InvalidRequest, match="lacks the object"):
            list(read(repo.path))
    assert not (tmp_path / "ran").exists()


def test_a_mirror_is_for_the_eyes_of_its_owner(repo, tmp_path):
    repo.commit(a="one")
    cache = mirror(repo.path.as_uri(), tmp_path / "some/cache").parent
    assert cache.stat().st_mode & 0o077 == 0


def test_a_repository_cannot_keep_its_renames_from_being_found(repo):
    others = TEXT.replace("line", "row")
    repo.commit(a=TEXT, b=others)
    repo.run("config", "diff.renameLimit", "1")
    repo.run("mv", "a.md", "c.md")
    repo.run("mv", "b.md", "d.md")
    repo.commit(c=TEXT + "more\n", d=others + "more\n")
    assert [type(change) for change in changes(repo)[1]] == [Renamed, Renamed]


def test_a_history_up_to_a_commit_ends_there(repo):
    first = repo.commit(a="one")
    repo.commit(a="two")
    assert [revision.commit for revision in git_history(repo.path, first)] == [first]
    assert list(head_files(repo.path, first)) == [("a.md", b"one")]


def test_variables_of_a_surrounding_git_do_not_lead_elsewhere(repo, tmp_path, monkeypatch):
    """A hook runs with GIT_DIR set to the repository it belongs to."""
    repo.commit(a="one")
    other = Repo(tmp_path / "other")
    other.commit(b="two")
    monkeypatch.setenv("GIT_DIR", str(other.path / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(other.path))
    assert list(head_files(repo.path)) == [("a.md", b"one")]


def test_a_repository_without_commits_is_empty(repo):
    assert list(git_history(repo.path)) == []
    assert list(head_files(repo.path)) == []


def test_a_broken_head_is_an_error_and_not_an_empty_repository(repo):
    """Taken for empty, every document of the set would be retired."""
    repo.commit(a="one")
    (repo.path / ".git/HEAD").write_text("ref: refs/heads/gone\n")
    with pytest.raises(InvalidRequest, match=str(repo.path)):
        list(head_files(repo.path))


def test_a_missing_object_is_named(repo):
    repo.commit(a="one")
    blob = repo.run("rev-parse", "HEAD:a.md")
    (repo.path / ".git/objects" / blob[:2] / blob[2:]).unlink()
    with pytest.raises(InvalidRequest, match=f"lacks the object {blob}"):
        list(head_files(repo.path))


def test_a_history_may_be_left_half_read(repo):
    repo.commit(a="one")
    repo.commit(a="two")
    revisions = git_history(repo.path)
    assert next(revisions).changes == (Added("a.md", b"one"),)
    revisions.close()


@pytest.mark.parametrize("read", [git_history, head_files])
def test_a_folder_that_is_no_repository_is_named(tmp_path, read):
    with pytest.raises(InvalidRequest, match=f"{tmp_path}: .*not a git repository"):
        list(read(tmp_path))
    with pytest.raises(InvalidRequest, match="absent is not a folder"):
        list(read(tmp_path / "absent"))


def test_a_folder_inside_a_repository_is_not_that_repository(repo):
    """Its paths would mean other files than those that were named."""
    repo.commit(d__a="one")
    with pytest.raises(InvalidRequest, match="not a git repository"):
        list(head_files(repo.path / "d"))


def test_without_git_the_error_says_what_to_install(repo, monkeypatch, tmp_path):
    repo.commit(a="one")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(InvalidRequest, match="install git"):
        list(git_history(repo.path))


def test_a_mirror_is_cloned_once_and_then_follows(repo, tmp_path):
    repo.commit(a="one")
    url = repo.path.as_uri()
    first = mirror(url, tmp_path / "cache")
    assert list(git_history(first)) == list(git_history(repo.path))
    repo.commit(a="two")
    assert mirror(url, tmp_path / "cache") == first
    assert list(head_files(first)) == [("a.md", b"two")]


def test_a_mirror_follows_a_rewritten_history_and_another_default_branch(repo, tmp_path):
    repo.commit(a="one")
    repo.commit(a="two")
    folder = mirror(repo.path.as_uri(), tmp_path / "cache")
    repo.run("reset", "--quiet", "--hard", "HEAD~1")
    repo.commit(a="three")
    mirror(repo.path.as_uri(), tmp_path / "cache")
    assert dict(head_files(folder)) == {"a.md": b"three"}
    repo.run("checkout", "--quiet", "-b", "next")
    repo.commit(a="four")
    mirror(repo.path.as_uri(), tmp_path / "cache")
    assert dict(head_files(folder)) == {"a.md": b"four"}


def test_two_addresses_never_share_a_mirror(repo, tmp_path):
    other = Repo(tmp_path / "other")
    repo.commit(a="one")
    other.commit(b="two")
    cache = tmp_path / "cache"
    assert dict(head_files(mirror(repo.path.as_uri(), cache))) == {"a.md": b"one"}
    assert dict(head_files(mirror(other.path.as_uri(), cache))) == {"b.md": b"two"}


@pytest.mark.parametrize(
    "url",
    [
        "ftp://host/x.git",
        "ext::sh -c true",
        "git://host/x",
        "--upload-pack=true",
        "-x@host:path",
        "user@host:-path",
        "ssh://-oProxyCommand=true/x",
        "file:// /x",
        "x.git",
        "",
        "https://host/a b",
        "https://host/a\n",
    ],
)
def test_an_address_of_another_kind_is_refused_with_the_allowed_ones(url, tmp_path):
    with pytest.raises(InvalidRequest, match="http://, https://, ssh://, file://, or read user@host:path"):
        mirror(url, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_an_error_never_shows_the_password_in_an_address(tmp_path):
    for url in ("https://me:hunter2@127.0.0.1:9/x.git", "ftp://me:hunter2@host/x"):
        with pytest.raises(InvalidRequest) as caught:
            mirror(url, tmp_path)
        assert "hunter2" not in str(caught.value)


def test_a_remote_that_is_not_there_gives_gits_own_reason(tmp_path):
    with pytest.raises(InvalidRequest, match=r"fatal: .*nowhere"):
        mirror((tmp_path / "nowhere").as_uri(), tmp_path / "cache")
