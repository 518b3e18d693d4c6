"""One main job over Slack, Teams, the inbox and /v1 in one process, with all that is refused in it.

What nobody may read stands nowhere: not in the log, the numbers, the audit, what doctor says, or what a refusal says.
(`tests/e2e/test_nothing_leaks.py` has webhooks, a database and a model that fail.)
"""

import asyncio
import json
import re

import aiohttp
import pytest
from typer.testing import CliRunner

from bot.config import open_memory
from core.store.tables import Audit
from tests.e2e.test_two_platforms import ASKED, ada, slack, teams, world
from tests.fakes.slack_inbound import deliver
from tests.fakes.teams_connector import SECRET
from tests.support.logged import log
from tests.support.memories import page, rows
from tests.support.teams_bot import button, signed

pytestmark = pytest.mark.usefixtures("log")
__all__ = ["ada", "log", "slack", "teams", "world"]

QUESTION = f"{ASKED} quokka"
WORDS = ("EUR at most", "meal may", "quokka", "wombat", "@acme.example")
"""Of documents, of questions, of one document that nobody here may read, and of addresses."""


def planted_in(text, *secrets):
    found = re.finditer("|".join(map(re.escape, [*WORDS, *secrets])), text, re.IGNORECASE)
    return sorted({one[0].lower() for one in found})


async def asked_of(world, method, path, **more):
    """Status and body, as text."""
    url = f"http://127.0.0.1:{world.settings.http.port}{path}"
    async with aiohttp.ClientSession() as session, session.request(method, url, **more) as answer:
        return answer.status, await answer.text()


async def main_job(world, ada):
    """Ask and save in Slack; hear of the change and look at what was saved in Teams."""
    await world.in_slack(world.inbound.message("U1", QUESTION))
    await world.tap_in_slack(await world.slack_card("A meal may cost 40 EUR at most."), "answer_save")
    await world.slack_card("Saved. You will hear")
    await world.write(ada, "saved")
    await world.teams_card(ada, ASKED)
    world.revise(55)
    stale = await world.teams_card(ada, "Your saved answer")
    refresh = button(stale.card, "answer_refresh")
    for _ in range(2):
        await world.tap_execute(ada, stale, refresh)
    await world.teams_card(ada, "A meal may cost 55 EUR at most.")


async def refusals(world, ada, key):
    """What whoever is refused is told, on each way in."""
    forged = {"X-Slack-Signature": "v0=quokka"}
    url = f"http://127.0.0.1:{world.settings.http.port}/slack/events?wombat"
    reply = await deliver(world.slack, url, world.inbound.message("U1", QUESTION), headers=forged)
    token = signed(world.teams, world.activity(ada, text=QUESTION))
    broken = [(name, f"{value}quokka" if name.lower() == "authorization" else value) for name, value in token.headers]
    bearer = {"Authorization": f"Bearer {key}"}
    query = {"question": "What does wombat say?"}
    told = [
        (reply.status, str(reply)),
        await asked_of(world, "POST", "/teams/messages", data=token.body, headers=broken),
        await asked_of(world, "POST", "/v1/generate", json=query, headers={"Authorization": "Bearer quokka"}),
        await asked_of(world, "POST", "/v1/generate", data="{quokka", headers=bearer),
        await asked_of(world, "PUT", "/v1/sources/salaries.md", data=b"quokka", headers=bearer),
        await asked_of(world, "GET", "/v1/nowhere/quokka", headers=bearer),
    ]
    assert {status // 100 for status, _ in told} == {4}, told
    return "\n".join(body for _, body in told)


def doctor(world, monkeypatch, tmp_path):
    """What `doctor` prints of this database."""
    monkeypatch.setenv("CLARIFY_DATABASE", world.settings.database)
    monkeypatch.setenv("CLARIFY_KEYS", str(world.settings.keys))
    monkeypatch.setenv("CLARIFY_EMBEDDER", "hashing")
    monkeypatch.chdir(tmp_path)
    from bot.cli.entry import app

    return CliRunner().invoke(app, ["doctor"]).output


def secrets_of(world, *more):
    slack = world.settings.slack
    return [slack.bot_token.get_secret_value(), slack.signing_secret.get_secret_value(), SECRET, *more]


async def test_nothing_that_nobody_may_read_is_left_anywhere(world, ada, log, monkeypatch, tmp_path):
    with open_memory(world.settings) as memory:
        key = memory.api_keys.create("default", "a program", ["member"]).secret
        memory.ingest("salaries.md", page("Salaries", {"Ada": "A wombat earns 9 EUR."}), readers=["board"])
    await main_job(world, ada)
    told = await refusals(world, ada, key)
    numbers = (await asked_of(world, "GET", "/metrics"))[1]
    with open_memory(world.settings) as memory:
        audit = json.dumps([row.model_dump(mode="json") for row in rows(memory, Audit)])
    doctors = await asyncio.to_thread(doctor, world, monkeypatch, tmp_path)
    secrets = secrets_of(world, key)
    assert planted_in(told, *secrets) == []
    assert planted_in(log(), *secrets) == []
    assert planted_in(numbers, *secrets) == []
    assert planted_in(audit, *secrets) == []
    assert planted_in(doctors, *secrets) == []
    events = {json.loads(line)["event"] for line in log().splitlines()}
    assert {"delivery.ended", "slack.refused", "teams.refused", "http.request"} <= events, "else it proves nothing"
    assert {"answer_save", "key_made"} <= {one["action"] for one in json.loads(audit)}, "else it proves nothing"
    assert "delivery_outcomes" in numbers
