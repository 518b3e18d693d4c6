"""Running the `git` program: on repositories that somebody else wrote, so without their hooks, helpers and surprises.

Variables of a surrounding git (a hook that starts us, say) would point git at another repository and are dropped; so is
the search for a repository in the folders above the one that was named. Only `mirror` reaches another repository: a
partial clone fetches what it lacks by whichever program its own settings name, so all else may use no protocol.
"""

import hashlib
import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from core.errors import InvalidRequest

SCHEMES = ("http", "https", "ssh", "file")

_URL = re.compile(r"(?P<scheme>[a-z][a-z0-9+.-]*)://[^\s-]\S*|\w[\w.-]*@\w[\w.-]*:[^\s/-]\S*", re.ASCII)
_SECRET = re.compile(r"(?<=://)[^/@\s]*@")
_SETTINGS = {
    "core.fsmonitor": "false",
    "core.hooksPath": os.devnull,
    "http.lowSpeedLimit": "1000",
    "http.lowSpeedTime": "60",
}


def git(repo: Path, *arguments: str, stdin: bytes = b"", protocols: Sequence[str] = ()) -> bytes:
    """What the command printed. Raises InvalidRequest with git's own last words, less any password.

    `protocols`: by which it may reach other repositories.
    """
    command, around = _command(repo, *arguments), _environment(repo, protocols)
    done = subprocess.run(command, input=stdin, capture_output=True, env=around, check=False)  # noqa: S603 - no shell, no option from outside
    if done.returncode != 0:
        raise InvalidRequest(f"{repo}: {_last_words(done.stderr)}")
    return done.stdout


def head(repo: Path) -> str | None:
    """The commit HEAD stands at; None in a repository that has no commits yet.

    Raises InvalidRequest where HEAD is broken: taking that for an empty repository would retire every document in it.
    """
    if not repo.is_dir():
        raise InvalidRequest(f"{repo} is not a folder; name the folder of a git repository")
    try:
        return git(repo, "rev-parse", "--verify", "HEAD^{commit}").decode().strip()
    except InvalidRequest:
        if git(repo, "for-each-ref", "--count=1"):
            raise
        return None


@contextmanager
def blobs(repo: Path) -> Iterator[Callable[[bytes], bytes]]:
    """A function from a blob's id to its content, answered by one process for as long as the block lasts."""
    pipe = subprocess.PIPE
    with subprocess.Popen(  # noqa: S603 - no shell, no option from outside
        _command(repo, "cat-file", "--batch"),
        stdin=pipe,
        stdout=pipe,
        stderr=subprocess.DEVNULL,
        env=_environment(repo),
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        requests, answers = process.stdin, process.stdout

        def read(blob: bytes) -> bytes:
            requests.write(blob + b"\n")
            requests.flush()
            answer = answers.readline().split()
            if len(answer) != 3:
                raise lacking(repo, blob)
            data = answers.read(int(answer[2]))
            answers.read(1)
            return data

        yield read


def lacking(repo: Path, blob: bytes) -> InvalidRequest:
    return InvalidRequest(f"{repo} lacks the object {blob.decode()}: it is damaged, or a partial clone")


def mirror(url: str, cache: Path) -> Path:
    """A bare repository under `cache` whose HEAD is the remote's HEAD of now, cloned or brought up to date.

    Raises InvalidRequest: an address of another kind, or git's own reason.
    """
    match = _URL.fullmatch(url)
    if match is None or match["scheme"] not in (*SCHEMES, None):
        raise InvalidRequest(
            f"{_SECRET.sub('', url)!r} is no address to clone from; it must start with "
            f"{', '.join(f'{scheme}://' for scheme in SCHEMES)}, or read user@host:path",
        )
    repo = cache / f"{hashlib.sha256(url.encode()).hexdigest()[:16]}.git"
    cache.mkdir(mode=0o700, parents=True, exist_ok=True)
    repo.mkdir(mode=0o700, exist_ok=True)
    git(repo, "init", "--quiet", "--bare", "--template=", "--initial-branch=current")
    fetch = ("fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--", url, "+HEAD:refs/heads/current")
    git(repo, *fetch, protocols=SCHEMES)
    return repo


def _command(repo: Path, *arguments: str) -> list[str]:
    program = shutil.which("git")
    if program is None:
        raise InvalidRequest("the program git is not on the PATH; install git to read repositories")
    settings = [word for name, value in _SETTINGS.items() for word in ("-c", f"{name}={value}")]
    return [program, *settings, "-C", str(repo), *arguments]


def _environment(repo: Path, protocols: Sequence[str] = ()) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    return kept | {
        "GIT_CEILING_DIRECTORIES": str(repo.resolve().parent),
        "GIT_ALLOW_PROTOCOL": ":".join(protocols),
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_SSH_COMMAND": os.environ.get("GIT_SSH_COMMAND", "ssh -o BatchMode=yes -o ConnectTimeout=20"),
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_NO_REPLACE_OBJECTS": "1",
        "LC_ALL": "C",
    }


def _last_words(stderr: bytes) -> str:
    lines = _SECRET.sub("", stderr.decode(errors="replace")).strip().splitlines() or ["git failed without a word"]
    return next((line for line in lines if line.startswith("fatal:")), lines[-1])
