"""The guard over what every test writes down hears each kind of leak on each road, and nothing where there is none.

(`tests/support/leaks.py` says what a leak is, `tests/support/listening.py` what is heard.)
"""

import contextlib
import json
import logging
import subprocess
import sys
import threading
import warnings
from types import SimpleNamespace
from uuid import UUID

import pytest
import structlog
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from hypothesis import given
from hypothesis import strategies as st
from prometheus_client import CollectorRegistry, Counter
from pydantic import BaseModel, SecretStr

from core.access.card_tokens import CardWrite
from core.errors import CoreError
from core.ids import api_key, random_key
from core.model.work import Place
from core.planner.request import PlanRequest
from core.verify.request import VerifyRequest
from core.webhooks.signing import secret_of, shown
from tests.fakes.teams_connector import SECRET as TEAMS_SECRET
from tests.strategies.markdown_pages import sentences
from tests.support.leaks import SHAPES, Leaks
from tests.support.listening import LEAKS, Ear
from tests.support.logged import log

__all__ = ["log"]

SALARY = "Quentin's salary is 9000 EUR a month, and nobody is to know."
WORDS = "words of a document or a person"
FIRE = UUID(int=7)
PEM = Ed25519PrivateKey.generate().private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()
MADE = {
    "an API key": api_key(),
    "a Slack token": "xoxb-emulated",
    "a webhook's secret": shown(secret_of(random_key(), FIRE, 1)),
    "a key of a language model": "sk-narwhal",
    "a bearer token": "Authorization: Bearer abcdef0123",
    "an inbox link": f"http://127.0.0.1:8081/enter/{random_key().hex()}",
    "a password in an address": "postgresql+psycopg://bot:hunter2@db.internal/memory",
    "a private key": PEM,
    "an e-mail address": "ada.lovelace+bot@acme.example",
}
INNOCENT = {
    "event": "delivery.ended",
    "outcome": "sent",
    "person": UUID(int=3),
    "reason": "the file memory.db was replaced while the bot ran",
    "error": "UnicodeEncodeError at worker.py:212",
    "database": "postgresql+psycopg://bot:***@db.internal/memory",
    "at": "http://127.0.0.1:8080/v1/generate",
    "uri": "handbook/quentin's-salary-is-9000.md",
}
log_line = structlog.get_logger()


def found(*values, put=(), secrets=()):
    leaks = Leaks(put=dict.fromkeys(put), secrets=dict.fromkeys(secrets))
    leaks.hear("a line", values)
    return leaks.found()


# ── what a leak is ──


@pytest.mark.parametrize("kind", MADE)
def test_every_kind_of_secret_is_known_by_its_shape(kind):
    assert f"{kind} in a line" in found("sent", f"it said {MADE[kind]}, twice")


def test_the_token_of_a_card_is_known_by_its_shape(mint_token):
    names = ("action_kind", "target_id", "scope_fingerprint", "generation_id")
    write = CardWrite(tenant="default", person_id=FIRE, **dict.fromkeys(names, "x"))
    assert found(mint_token(write)) == ["a JWT in a line"]


def test_each_shape_was_tried():
    assert SHAPES.keys() == {*MADE, "a JWT"}


def test_what_a_bot_writes_every_day_is_no_leak():
    assert found(*INNOCENT.values(), put=[SALARY]) == []


@given(page=st.lists(sentences(), min_size=1).map(" ".join), data=st.data())
def test_any_long_run_of_words_is_found_however_it_is_written(page, data):
    words = page.split()
    start = data.draw(st.integers(0, len(words) - 1))
    run = words[start : start + 8]
    written = f"at <{', '.join(run).upper()}> it fell"
    is_long = len(run) >= 3 and sum(map(len, run)) >= 16
    assert bool(found(written, put=[page.encode()])) or not is_long


@pytest.mark.parametrize(
    "text", ["给昆汀的工资每个月是九千欧元请不要告诉任何人", "クエンティンの給料は毎月9000ユーロです"]
)
def test_words_without_spaces_are_found_too(text):
    assert found(f"got {text}", put=[text]) == [f"{WORDS} in a line"]


def test_of_what_was_put_in_a_few_words_that_anybody_uses_are_no_leak():
    assert found("nobody is to", "a month and", put=[SALARY]) == []


def test_what_is_found_does_not_say_what_it_was():
    assert found(MADE["an e-mail address"], SALARY, put=[SALARY]) == [
        "an e-mail address in a line",
        f"{WORDS} in a line",
    ]


# ── what is heard ──


class Given(BaseModel):
    secret: SecretStr


class Unasked(Exception):
    """As a library's: with the words in it."""


def raises():
    raise Unasked(SALARY)


def test_an_event_is_heard_whatever_the_configuration_and_wherever_the_words_are(memory):
    memory.ingest("salaries.md", SALARY.encode(), readers=["board"])
    with structlog.testing.capture_logs():
        log_line.info("a.captured", words=SALARY)
    log_line.warning("a.nested", more={"said": [SALARY]})
    with structlog.contextvars.bound_contextvars(words=SALARY):
        log_line.info("a.context")
    log_line.bind(words=SALARY).debug("a.bound")
    log_line.info(SALARY)
    assert [one.removeprefix(f"{WORDS} in ") for one in LEAKS.found()] == [
        "a.captured", "a.nested", "a.context", "a.bound", SALARY,
    ]  # fmt: skip


def test_of_an_error_only_what_the_bot_writes_of_it_is_heard(memory):
    memory.ingest("salaries.md", SALARY.encode(), readers=["board"])
    try:
        raises()
    except Unasked as error:
        log_line.exception("a.failed")
        log_line.error("b.failed", reason=str(error))
    assert LEAKS.found() == [f"{WORDS} in b.failed"]


def test_a_library_is_heard_as_python_writes_it_until_the_bot_writes_only_the_place(memory, request):
    memory.ingest("salaries.md", SALARY.encode(), readers=["board"])
    library = logging.getLogger("a.library")
    library.info("got %s", SALARY)
    library.warning("got %s", SALARY)
    assert LEAKS.found() == [f"{WORDS} in a record of a.library"]
    try:
        raises()
    except Unasked:
        library.exception("failed")
    assert LEAKS.found() == [f"{WORDS} in a record of a.library"]
    request.getfixturevalue("log")
    library.warning("got %s", SALARY)
    assert LEAKS.found() == []


def test_a_warning_that_is_shown_is_heard():
    with warnings.catch_warnings(record=True):
        warnings.simplefilter("always")
        warnings.warn(MADE["an e-mail address"], stacklevel=1)
    assert LEAKS.found() == ["an e-mail address in a warning"]


def test_a_label_is_heard_when_it_is_made():
    asked = Counter("asked", "Questions.", ["who"], registry=CollectorRegistry())
    asked.labels(MADE["an e-mail address"]).inc()
    asked.labels(who="member").inc()
    assert LEAKS.found() == ["an e-mail address in a label of asked"]


def test_another_process_is_heard_on_its_stderr():
    line = json.dumps({"event": "a.failed", "to": MADE["an e-mail address"]})
    subprocess.run([sys.executable, "-c", f"import sys; sys.stderr.write({line!r})"], capture_output=True, check=True)
    assert LEAKS.found() == ["an e-mail address in a line of stderr"]


def test_another_process_is_heard_in_the_file_that_its_stderr_is_until_the_test_ends(tmp_path):
    with (tmp_path / "errors").open("wb") as errors:
        script = "import sys; sys.stderr.write('xoxb-1')"
        for streams in ({"stderr": errors}, {"stdout": errors, "stderr": subprocess.STDOUT}):
            subprocess.run([sys.executable, "-c", script], check=True, **streams)
            assert reported(Ear()) == ("passed", None)
            assert reported(Ear(), "teardown") == ("failed", "Written down: a Slack token in a line of stderr")
    assert reported(Ear(), "teardown") == ("passed", None)


def test_another_thread_is_heard():
    thread = threading.Thread(target=lambda: log_line.info("a.thread", to=MADE["an e-mail address"]))
    thread.start()
    thread.join()
    assert LEAKS.found() == ["an e-mail address in a.thread"]


@pytest.mark.parametrize("secret", [TEAMS_SECRET, "correct horse battery"])
def test_a_secret_is_looked_for_from_when_settings_are_given_it(secret):
    Given.model_validate({"secret": secret})
    log_line.info("a.request", body=f"client_secret={secret}&scope=x")
    log_line.info("b.request", secret=Given(secret=SecretStr(secret)))
    assert LEAKS.found() == ["a secret of the settings in a.request"]


def asks(memory, who, words):
    """Whatever a person's words come in by."""
    place = Place("local", "local", str(who.person_id))
    return {
        "a question": lambda: memory.generate(words, who),
        "a plan": lambda: memory.plan(PlanRequest(words), who),
        "a context": lambda: memory.context(PlanRequest(words), who),
        "a claim": lambda: memory.verify(VerifyRequest([words]), who),
        "a message": lambda: memory.inbound.receive("default", place, "e1", "question", {"text": words}),
    }


@pytest.mark.parametrize("road", ["a question", "a plan", "a context", "a claim", "a message"])
def test_what_people_say_is_looked_for_on_each_road_that_it_comes_by(memory, ada, road):
    with contextlib.suppress(CoreError):
        asks(memory, ada, SALARY)[road]()
    log_line.info("a.question", about=SALARY[:40])
    assert LEAKS.found() == [f"{WORDS} in a.question"]


def test_what_is_written_down_on_purpose_is_not_heard_for_as_long_as_somebody_says_why():
    with LEAKS.unheard("this test's own"):
        log_line.info("a.purpose", to=MADE["an e-mail address"])
    assert LEAKS.found() == []
    log_line.info("b.purpose", to=MADE["an e-mail address"])
    assert LEAKS.found() == ["an e-mail address in b.purpose"]


# ── which test fails ──


def reported(ear, when="call", sections=(), outcome="passed"):
    """What becomes of the report of a phase."""
    report = SimpleNamespace(outcome=outcome, failed=outcome == "failed", sections=list(sections), longrepr=None)
    hook = ear.pytest_runtest_makereport(SimpleNamespace(when=when))
    next(hook)
    with contextlib.suppress(StopIteration):
        hook.send(report)
    return report.outcome, report.longrepr


def test_the_test_that_leaks_fails_and_names_the_kind_alone_and_the_next_one_does_not():
    ear = Ear()
    log_line.info("a.failed", to=MADE["an e-mail address"])
    assert reported(ear) == ("failed", "Written down: an e-mail address in a.failed")
    assert reported(ear) == ("passed", None)


def test_what_a_child_left_on_the_tests_own_stderr_counts_once():
    said = [("Captured stderr setup", "xoxb-1"), ("Captured stdout call", "xoxb-1"), ("Captured stderr call", "sk-1")]
    assert reported(Ear(), sections=said) == ("failed", "Written down: a key of a language model in a line of stderr")


def test_a_test_that_failed_anyway_says_why_it_did():
    log_line.info("a.failed", to=MADE["an e-mail address"])
    assert reported(Ear(), outcome="failed") == ("failed", None)


def test_what_a_fixture_put_in_is_looked_for_until_its_module_ends_and_what_a_test_did_until_it_ends(memory):
    def is_known(text):
        log_line.info("a.line", text=text)
        return LEAKS.found() != []

    ear, kept = Ear(), dict(LEAKS.put)
    ear.pytest_collection_finish()
    ear.pytest_runtest_logstart(("a.py", 1, ""))
    memory.ingest("of_a_fixture.md", b"The fixture has axolotls in it.", readers=["everyone"])
    reported(ear, "setup")
    memory.ingest("of_a_test.md", b"The test has narwhals in it.", readers=["everyone"])
    assert is_known("fixture has axolotls")
    assert is_known("test has narwhals")
    ear.pytest_runtest_logfinish()
    assert not is_known("test has narwhals")
    ear.pytest_runtest_logstart(("a.py", 9, ""))
    assert is_known("fixture has axolotls")
    ear.pytest_runtest_logstart(("b.py", 1, ""))
    assert not is_known("fixture has axolotls")
    assert LEAKS.put == kept
