"""The main job and whatever can go wrong in it, by the whole process: its log and its numbers hold no words."""

import json
import re

import aiohttp
import pytest
from pydantic import SecretStr

from bot import webhook_key
from bot.config import LlmSettings, SourceSettings, open_memory
from core.model.principals import ADMIN, Principal
from core.model.watching import EventKind, ScopeType, WatchRequest
from core.store.tables import WatchFire
from tests.e2e.test_slack_main_job import ASKED, TEAM, action, running, settings, slack
from tests.fakes.completions import fake_completions, refuses
from tests.fakes.receiver import receiver
from tests.fakes.slack_inbound import deliver
from tests.support.logged import log
from tests.support.memories import document, without_table

__all__ = ["log", "settings", "slack"]

QUESTION = "What may a meal cost, asks quokka?"
WORDS = ("EUR at most", "meal may", "quokka", "axolotl", "acme.example", "narwhal")
"""Of a document, of questions, of an unreadable file, of addresses, and of what a model's server said."""


@pytest.fixture
def model():
    """A language model whose server fails, and repeats in its error what it was asked."""
    with fake_completions() as fake:
        fake.usually = lambda asked: refuses(500, f"narwhal {json.dumps(asked)}")(asked)
        yield fake


@pytest.fixture
async def hooked(settings):
    """The settings, with a webhook that is told of the document; what takes it; and its secret."""
    async with receiver() as taking:
        with open_memory(settings) as memory:
            key, more = webhook_key.ensure(settings.keys), {"allow_plain": True, "allow_private": True}
            made = memory.webhooks.add("default", "ledger", taking.url, ["member"], key, **more)
            target = {"kind": "webhook", "webhook_id": str(made.webhook_id)}
            scope = ScopeType.ENTITY, (document("travel.md"),), (EventKind.FACT_CHANGED,)
            memory.watch(WatchRequest("ledger", *scope, target), Principal("default", None, frozenset({ADMIN})))
        yield settings, taking, made.secret


def leaks(told, secrets):
    """What was planted and is in a text, each with the line it is in."""
    planted = [re.escape(one) for one in (*WORDS, *secrets)]
    return [line for line in told.splitlines() if re.search("|".join(planted), line, re.IGNORECASE)]


async def metrics(settings):
    async with (
        aiohttp.ClientSession() as session,
        session.get(f"http://127.0.0.1:{settings.http.port}/metrics") as told,
    ):
        return await told.text()


def secrets_of(settings, *more):
    slack = settings.slack
    return [slack.bot_token.get_secret_value(), slack.signing_secret.get_secret_value(), *more]


async def main_job(world):
    """Ask, save, hear of the change, refresh; and tap what the card no longer offers."""
    await world.hear(world.inbound.message("U1", ASKED))
    answer = await world.card("U1", 0, "40 EUR")
    await world.tap("U1", answer, "answer_save")
    await world.card("U1", 0, "Saved")
    world.revise(55)
    stale = await world.card("U1", 1, "55 EUR")
    taps = [world.inbound.tap("U1", stale, action(stale.blocks, "answer_refresh")) for _ in range(2)]
    for tap in taps:
        await world.hear(tap)
        await world.card("U1", 1, "A meal may cost 55 EUR at most.")


async def refused(world):
    """Somebody knocks who is not Slack, and says things."""
    request = world.inbound.message("U1", QUESTION)
    forged = {"X-Slack-Signature": "v0=quokka"}
    reply = await deliver(world.slack, f"{world.url}?quokka=1", request, headers=forged)
    assert reply.status == 401


async def database_fails(world, log):
    """Somebody asks while a table is away."""
    with open_memory(world.settings) as memory, without_table(memory, "inbox"):
        reply = await deliver(world.slack, world.url, world.inbound.message("U1", QUESTION))
        assert reply.status != 200, "or it would be lost"
        await world.until(lambda: "worker.step_failed" in log())


async def test_the_main_job_and_what_goes_wrong_in_it_leave_no_words_behind(hooked, slack, log, tmp_path):
    settings, taking, secret = hooked
    (tmp_path / "book").mkdir()
    (tmp_path / "book" / "axolotl.md").write_bytes(b"---\nvalid_from: axolotl\n---\naxolotl \xff")
    source = SourceSettings(name="book", path=tmp_path / "book", readers=("everyone",))
    settings = settings.model_copy(update={"sources": (source,)})
    async with running(settings, slack) as world:
        await main_job(world)
        await refused(world)
        await database_fails(world, log)
        await world.until(lambda: taking.requests)
        await world.until(lambda: any(fire.status == "delivered" for fire in world.memory_rows(WatchFire)))
        numbers = await metrics(settings)
    events = {json.loads(line)["event"] for line in log().splitlines()}
    happened = {"delivery.ended", "webhook.ended", "slack.refused", "slack.not_kept", "http.request", "source.synced"}
    assert happened <= events, "else this would prove nothing"
    assert leaks(log() + numbers, secrets_of(settings, secret)) == []


async def test_a_model_that_fails_leaves_no_words_behind(settings, slack, model, log):
    llm = LlmSettings(provider="openai", base_url=model.url, model="m", key=SecretStr("sk-narwhal"), retries=0)
    async with running(settings.model_copy(update={"llm": llm}), slack) as world:
        await world.hear(world.inbound.message("U1", f"{ASKED} quokka"))
        await world.until(lambda: model.asked)
        await world.until(lambda: "inbound.failed" in log() or world.acme.cards("U1"))
        numbers = await metrics(settings)
    assert leaks(log() + numbers, secrets_of(settings)) == []
    assert TEAM in log(), "names of places are there, by which an operator finds their way"


def test_what_is_planted_would_be_found():
    assert leaks("a\nA MEAL MAY cost\nb", ()) == ["A MEAL MAY cost"]
    assert leaks("token=s3cret", ["s3cret"]) == ["token=s3cret"]
