"""`clarify-bot run` is told to stop in the midst of its work: it ends in time, and nothing is held, lost or doubled."""

import os
import signal
import socket
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest

from bot import keys
from bot.stopping import GRACE_SECS
from core.clock import HOUR, ManualClock, SystemClock
from core.model.watching import ScopeType
from core.model.work import Place
from core.store.tables import CardMessage, Inbox, Job, NotifyDelivery
from tests.fakes.completions import fake_completions
from tests.fakes.slack import fake_slack
from tests.support.memories import open_memory, page, rows, section, watch_request

ROOT = Path(__file__).parents[2]
TEAM, PEOPLE = "T1", 10
RUN = "from bot.cli import main; main()"
PATIENCE_SECS = 40
IN_TIME_SECS = 20


def prices(amount):
    return page("Prices", {"Meals": f"A meal may cost {amount} EUR at most."})


def until(so):
    end = time.monotonic() + PATIENCE_SECS
    while not (found := so()):
        assert time.monotonic() < end
        time.sleep(0.02)  # another process's doing tells nobody
    return found


@pytest.fixture
def acme():
    with fake_slack() as slack:
        acme = slack.add_workspace(TEAM)
        for number in range(PEOPLE):
            acme.add_user(f"U{number}", f"P{number}", email=f"p{number}@acme.example")
        acme.url = slack.url
        yield acme
        assert slack.violations == []


@pytest.fixture
def loaded(acme, database_url):
    """A memory in which everybody has asked something, and watches something that has moved since, a while ago."""
    with closing(open_memory(database_url, ManualClock(SystemClock().now() - HOUR))) as memory:
        memory.people.ensure_tenant("default", "Default")
        memory.ingest("prices.md", prices(40), readers=["everyone"])
        for number in range(PEOPLE):
            person_id = memory.people.put("default", f"P{number}")
            place = Place("slack", TEAM, f"U{number}")
            memory.people.bind("default", person_id, place)
            person = memory.people.principal("default", person_id)
            memory.watch(watch_request(person, ScopeType.ENTITY, section("prices.md", "Prices", "Meals")), person)
            memory.inbound.receive("default", place, f"e{number}", "question", {"text": "What may a meal cost?"})
        memory.sweep()
        memory.ingest("prices.md", prices(50), readers=["everyone"])
        yield memory


@pytest.fixture
def start(acme, database_url, tmp_path):
    """Start a bot; it is killed in the end if it still runs."""
    keys.create(tmp_path / "keys")
    started = []

    def call(grace_secs=GRACE_SECS, **more):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = str(free.getsockname()[1])
        settings = {"HTTP__PORT": port, "SLACK__MODE": "socket", "SLACK__API_URL": acme.url} | {
            "SLACK__BOT_TOKEN": acme.token,
            "SLACK__APP_TOKEN": "xapp-1-A1-1-fake",
            "DATABASE": database_url,
            "KEYS": str(tmp_path / "keys"),
            "EMBEDDER": "hashing",
            "WATCH__SETTLE_SECS": "0",
            "WATCH__TICK_SECS": "1",
            "ANSWERS__MIN_COSINE": "0.05",
        }
        env = {f"CLARIFY_{name}": value for name, value in (settings | more).items()}
        command = [sys.executable, "-c", f"import bot.app; bot.app.GRACE_SECS = {grace_secs}; {RUN}", "run"]
        log = (tmp_path / f"log{len(started)}").open("wb")
        process = subprocess.Popen(
            command, env=os.environ | env | {"PYTHONPATH": str(ROOT)}, cwd=tmp_path, stdout=log, stderr=log
        )
        process.log = Path(log.name)
        log.close()
        started.append(process)
        return process

    yield call
    for process in started:
        process.kill()
        process.wait()


def ended(process, number=signal.SIGTERM):
    """Its exit code once it is told to stop, and how long it took."""
    begun = time.monotonic()
    process.send_signal(number)
    return process.wait(PATIENCE_SECS), time.monotonic() - begun


def held(memory):
    """Whatever somebody has in hand: nobody else would get at it until a lease runs out."""
    leases = [(Job, "leased"), (Inbox, "running"), (CardMessage, "sending")]
    return [row for table, state in leases for row in rows(memory, table) if row.state == state]


def told(memory):
    """Whether everything there was to tell was told."""
    cards, news = rows(memory, CardMessage), rows(memory, NotifyDelivery)
    events = [row for row in rows(memory, Inbox) if row.state != "done"]
    is_out = cards and all(card.state == "sent" for card in cards)
    return is_out and not events and len(news) == PEOPLE and all(row.state == "sent" for row in news)


def test_told_to_stop_under_load_it_ends_and_who_starts_next_loses_and_doubles_nothing(acme, loaded, start):
    process = start()
    until(lambda: sum(len(acme.cards(f"U{number}")) for number in range(PEOPLE)) >= 3)
    code, took = ended(process)
    assert (code, held(loaded)) == (0, []), process.log.read_text()
    assert took < IN_TIME_SECS
    assert not told(loaded), "else it had nothing left to do, and this would prove nothing"
    process = start()
    until(lambda: told(loaded))
    assert ended(process)[0] == 0
    assert [len(acme.cards(f"U{number}")) for number in range(PEOPLE)] == [2] * PEOPLE


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_what_does_not_end_by_itself_is_given_back_and_a_second_signal_ends_at_once(acme, loaded, start):
    """A model that never answers holds threads, which nothing can end."""
    with fake_completions() as model:
        silent = {"PROVIDER": "openai", "BASE_URL": model.url, "MODEL": "m", "KEY": "k", "RETRIES": "0"}
        model.usually = model.silent
        env = {f"LLM__{name}": value for name, value in silent.items()}
        process = start(grace_secs=1, **env)
        until(lambda: model.asked)
        code, took = ended(process)
        assert (code, held(loaded)) == (0, []), process.log.read_text()
        assert took < IN_TIME_SECS
        asked = len(model.asked)
        impatient = start(**env)  # which would wait for long
        until(lambda: len(model.asked) > asked)
        impatient.send_signal(signal.SIGTERM)
        until(lambda: "bot.stopping" in impatient.log.read_text())
        assert ended(impatient)[0] == 128 + signal.SIGTERM
