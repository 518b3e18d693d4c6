"""`jobs`: what waits, what was given up, and trying it again."""

import json
from uuid import UUID

import pytest

from bot.config import load, open_memory
from core.jobs.kinds import FENCE, JobKind
from core.store import jobs

NOBODYS = str(UUID(int=7))
CHECK = JobKind.CHECK_ANSWER


@pytest.fixture
def cli(set_up, monkeypatch):
    monkeypatch.setenv("COLUMNS", "250")
    return set_up


@pytest.fixture
def settings(cli):
    return load(None)


def given_up(settings, *causes):
    """Jobs that are dead; their ids."""
    with open_memory(settings) as memory:
        with memory._database.write(settings.tenant) as tx:
            ids = [jobs.enqueue(tx, CHECK, FENCE[CHECK], "s", cause, {"answer_id": "a1"}, 0) for cause in causes]
        memory.jobs._max_attempts = 1
        for job in memory.jobs.lease(FENCE[CHECK], [CHECK], "w", len(ids)):
            memory.jobs.fail(job, "ValueError at model.py:7")
    return [str(job_id) for job_id in ids]


def listed(cli, *options):
    return [job["job_id"] for job in json.loads(cli("jobs", "list", "--json", *options))]


def test_what_was_given_up_is_listed_shown_and_tried_again(cli, settings):
    [job_id] = given_up(settings, "one")
    table = cli("jobs", "list")
    for word in (job_id, CHECK, "dead", "ValueError at model.py:7"):
        assert word in table
    shown = cli("jobs", "show", job_id)
    assert "answer id: a1\n" in shown
    assert "last error: ValueError at model.py:7\n" in shown
    assert job_id in cli("jobs", "retry", job_id)
    assert json.loads(cli("jobs", "show", job_id, "--json"))["state"] == "ready"
    [entry] = [entry for entry in json.loads(cli("audit", "--json")) if entry["action"] == "job_retried"]
    assert (entry["actor"], entry["target"]) == ("operator", f"job:{job_id}")


def test_a_list_is_narrowed_by_state_kind_and_number(cli, settings):
    ids = given_up(settings, "one", "two")
    assert set(listed(cli)) == set(listed(cli, "--state", "dead", "--kind", CHECK)) == set(ids)
    assert listed(cli, "--state", "ready") == listed(cli, "--kind", "notify:watch") == []
    assert len(listed(cli, "--limit", "1")) == 1


def test_all_that_are_dead_are_tried_again(cli, settings):
    ids = given_up(settings, "one", "two")
    assert cli("jobs", "retry", "--all-dead") == "Jobs to be tried once more: 2\n"
    assert set(listed(cli, "--state", "ready")) == set(ids)
    assert cli("jobs", "retry", "--all-dead") == "Jobs to be tried once more: 0\n"


@pytest.mark.parametrize("command", ["show", "retry"])
def test_an_id_nobody_knows_fails_and_one_that_is_none_is_wrong_use(cli, command):
    assert f"there is no job {NOBODYS}" in cli("jobs", command, NOBODYS, code=1)
    assert "'seven' is not the id of a job: `clarify-bot jobs list` shows them" in cli("jobs", command, "seven", code=2)


def test_a_job_that_is_not_dead_is_not_tried_again(cli, settings):
    [job_id] = given_up(settings, "one")
    cli("jobs", "retry", job_id)
    assert "a job that is ready cannot retry" in cli("jobs", "retry", job_id, code=2)


@pytest.mark.parametrize("arguments", [[], [NOBODYS, "--all-dead"]])
def test_which_to_try_again_must_be_said_in_one_way(cli, arguments):
    assert "name one job by its id, or --all-dead" in cli("jobs", "retry", *arguments, code=2)


@pytest.mark.parametrize("option", [("--state", "tired"), ("--kind", "tea"), ("--limit", "0")])
def test_a_list_of_what_there_is_not_is_wrong_use(cli, option):
    cli("jobs", "list", *option, code=2)
