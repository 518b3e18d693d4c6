"""What is deployed: an image without what it was built with, and a service that may touch only what is its own."""

import os
import re
import shutil
import subprocess
import tomllib
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread

import pytest

ROOT = Path(__file__).parents[2]
UNIT = ROOT / "deploy" / "clarify-bot.service"
BUILD_TOOLS = re.compile(r"\b(gcc|g\+\+|make|build-essential|python3?-dev|libpq-dev|cargo|pip install)\b")


def instructions():
    """Each instruction of the Dockerfile with its arguments, by stage."""
    text = re.sub(r"\\\n\s*", " ", (ROOT / "Dockerfile").read_text())
    stages = []
    for line in text.splitlines():
        word, _, rest = line.partition(" ")
        if word == "FROM":
            stages.append([])
        if word and not word.startswith("#"):
            stages[-1].append((word, rest))
    return stages


def of(stage, word):
    return [rest for name, rest in stage if name == word]


@pytest.fixture
def build():
    return instructions()[0]


@pytest.fixture
def final():
    return instructions()[-1]


def test_it_is_built_in_a_stage_of_its_own_from_the_python_that_is_supported(build, final):
    assert len(instructions()) == 2
    python = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["requires-python"].removeprefix(">=")
    assert [of(stage, "FROM")[0].split(" ")[0] for stage in (build, final)] == [f"python:{python}-slim"] * 2


def test_what_it_installs_is_pinned_also_what_builds_it(build):
    [environment] = of(build, "ENV")
    assert "PIP_CONSTRAINT=/src/constraints.txt" in environment.split(" ")
    names = [word for word, rest in build if word == "ENV" or "pip install" in rest]
    assert names[0] == "ENV", "before anything is installed"


def test_nothing_that_builds_and_no_source_is_in_the_image(final):
    assert not [rest for rest in of(final, "RUN") if BUILD_TOOLS.search(rest)]
    assert [rest for rest in of(final, "COPY") if not rest.startswith("--from=build /opt/clarify-bot ")] == []
    assert all("rm -rf /var/lib/apt/lists/*" in rest for rest in of(final, "RUN") if "apt-get install" in rest)


def test_it_runs_as_nobody_in_particular_in_a_volume_of_its_own(final):
    [user] = of(final, "USER")
    assert int(user.partition(":")[0]) > 0
    assert of(final, "VOLUME") == [f'["{of(final, "WORKDIR")[0]}"]']
    last_change = max(number for number, (word, _) in enumerate(final) if word == "RUN")
    assert last_change < [word for word, _ in final].index("USER")


def test_it_says_whether_it_is_ready_and_can_be_told_to_stop(final):
    [check] = of(final, "HEALTHCHECK")
    assert "/readyz" in check
    assert (of(final, "STOPSIGNAL"), of(final, "ENTRYPOINT"), of(final, "CMD")) == (
        ["SIGTERM"], ['["clarify-bot"]'], ['["run"]'],
    )  # fmt: skip
    assert all(form.startswith("[") for form in of(final, "ENTRYPOINT") + of(final, "CMD")), (
        "a shell would get the signal"
    )


def test_the_health_check_asks_the_port_that_is_served_and_fails_when_it_is_refused(final):
    [check], [port] = of(final, "HEALTHCHECK"), of(final, "EXPOSE")
    assert f"'CLARIFY_HTTP__PORT', '{port}'" in check
    assert f"CLARIFY_HTTP__PORT={port}" in of(final, "ENV")[0]
    refused = asked(check, {"CLARIFY_HTTP__PORT": "1"})
    assert (refused.returncode, b"Connection refused" in refused.stderr) == (1, True)


def test_the_health_check_asks_itself_and_no_proxy(final):
    [check] = of(final, "HEALTHCHECK")
    with HTTPServer(("127.0.0.1", 0), Ready) as server:
        Thread(target=server.handle_request).start()
        proxy = {"http_proxy": "http://127.0.0.1:1", "HTTP_PROXY": "http://127.0.0.1:1"}
        assert asked(check, {"CLARIFY_HTTP__PORT": str(server.server_port), **proxy}).returncode == 0


class Ready(BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200 if self.path == "/readyz" else 404)
        self.end_headers()

    def log_message(self, *_):
        """Say nothing."""


def asked(check, environment):
    [code] = re.findall(r'"-c", "(.+)"\]', check)
    return subprocess.run(["python3", "-c", code], env=os.environ | environment, capture_output=True, check=False)


def test_only_what_is_installed_goes_into_the_build(build):
    """A folder with settings, keys or a database cannot."""
    first, *allowed = [line for line in (ROOT / ".dockerignore").read_text().splitlines() if line[0] != "#"]
    named = {line.removeprefix("!") for line in allowed if line.startswith("!")}
    copied = {name for rest in of(build, "COPY") for name in rest.split(" ")[:-1]}
    assert (first, named) == ("*", copied)
    packages = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["build"]["targets"]["wheel"]
    assert set(packages["packages"]) <= named
    assert all((ROOT / name).exists() for name in named)


def service():
    lines = [line.partition("=") for line in UNIT.read_text().splitlines() if "=" in line and line[0] != "#"]
    return {name: value for name, _, value in lines}


def test_the_service_may_write_only_its_own_folder_and_is_given_time_to_end():
    told = service()
    assert {name: told[name] for name in ("NoNewPrivileges", "ProtectSystem", "ProtectHome", "PrivateTmp")} == {
        "NoNewPrivileges": "yes", "ProtectSystem": "strict", "ProtectHome": "yes", "PrivateTmp": "yes",
    }  # fmt: skip
    assert told["WorkingDirectory"] == f"/var/lib/{told['StateDirectory']}"
    assert told["User"] not in {"", "root"}
    assert (told["Restart"], told["CapabilityBoundingSet"]) == ("on-failure", "")
    assert int(told["TimeoutStopSec"]) > 20, "it needs up to that"


def test_systemd_takes_the_unit(tmp_path):
    """Where there is systemd: with a program and a user that are there."""
    text = re.sub(r"(?m)^ExecStart=.*", "ExecStart=/bin/true", UNIT.read_text())
    copy = tmp_path / "clarify-bot.service"
    copy.write_text(re.sub(r"(?m)^(User|Group)=.*", r"\1=root", text))
    if analyze := shutil.which("systemd-analyze"):
        done = subprocess.run([analyze, "verify", str(copy)], capture_output=True, text=True, check=False)
        assert (done.returncode, [line for line in done.stderr.splitlines() if copy.name in line]) == (0, [])
    assert len(service()) > 30
