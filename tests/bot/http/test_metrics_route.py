"""Prometheus reads what the memory counted and what waits, under the seed's names, and no words of it."""

import threading
from math import isnan

import aiohttp
import pytest
from prometheus_client.parser import text_string_to_metric_families

from bot.http.metrics import metrics_route
from bot.memory_gateway import MemoryGateway
from core.clock import SECOND
from core.model.watching import ScopeType
from core.verify.request import VerifyRequest
from tests.support.memories import page, place_of, put, section, watch_request, without_table
from tests.support.slack import on_loopback

SEED_NAMES = {
    *("context_calls", "context_planner_ms", "context_trace_writes", "context_tokens_packed"),
    *("verify_calls", "verify_embed_ms", "verify_candidate_spans", "verify_unavailable_count"),
    "verify_numeric_gate_capped_count",
}


@pytest.fixture
async def told(memory):
    """What /metrics says now: its text, and each number by its name and labels."""
    gateway = MemoryGateway(memory)

    async def ask():
        async with aiohttp.ClientSession() as session, session.get(f"{base}/metrics") as answer:
            text = await answer.text()
        families = {family.name: family for family in text_string_to_metric_families(text)}
        samples = [sample for family in families.values() for sample in family.samples]
        return text, families, {(sample.name, *sample.labels.values()): sample.value for sample in samples}

    async with on_loopback([metrics_route(gateway)]) as base:
        yield ask
    gateway.stop()


async def test_what_was_counted_is_told_and_no_words_of_it(memory, ada, told):
    put(memory, "travel.md", page("Travel", {"Meals": "A meal may cost at most 40 EUR."}))
    memory.verify(VerifyRequest(["A meal may cost at most 41 EUR."]), ada)
    text, families, numbers = await told()
    assert families.keys() >= SEED_NAMES
    assert numbers["verify_calls_total",] == numbers["verify_numeric_gate_capped_count_total",] == 1
    assert "meal" not in text


async def test_what_waits_is_counted_at_the_moment_it_is_asked(memory, ada, told, clock):
    put(memory, "travel.md", page("Travel", {"Meals": "A meal may cost at most 40 EUR."}))
    memory.watch(watch_request(ada, ScopeType.ENTITY, section("travel.md", "Travel", "Meals")), ada)
    assert (await told())[2]["sweep_lag_seconds",] == pytest.approx(1, abs=0.01), "no sweep has ever been here"
    memory.sweep()
    assert (await told())[2]["sweep_lag_seconds",] == 0
    put(memory, "travel.md", page("Travel", {"Meals": "A meal may cost at most 50 EUR."}))
    clock.advance(60 * SECOND)
    assert (await told())[2]["sweep_lag_seconds",] == pytest.approx(61, abs=0.01)
    memory.sweep()
    memory.inbound.receive("default", place_of(ada.person_id), "e1", "question", {"text": "help"})
    memory.messages.post("default", ada.person_id, place_of(ada.person_id), "s", "notice", lambda _: {})
    numbers = (await told())[2]
    assert numbers["sweep_lag_seconds",] == 0
    assert numbers["queue_depth", "notify:watch", "ready"] == 1
    assert (numbers["events_open", "ready"], numbers["cards_open", "pending"], numbers["store_up",]) == (1, 1, 1)
    [event] = memory.inbound.lease()
    memory.inbound.finish(event, "done")
    assert ("events_open", "ready") not in (await told())[2], "what is done with waits no more"


async def test_a_database_that_does_not_answer_leaves_no_old_numbers_behind(memory, ada, told):
    memory.inbound.receive("default", place_of(ada.person_id), "e1", "question", {"text": "help"})
    assert ("events_open", "ready") in (await told())[2]
    with without_table(memory, "feed"):
        numbers = (await told())[2]
    assert numbers["store_up",] == 0
    assert ("events_open", "ready") not in numbers
    assert isnan(numbers["sweep_lag_seconds",])
    assert numbers["verify_calls_total",] == 0, "what the process itself has counted it can still say"


async def test_a_database_that_hangs_is_told_before_prometheus_gives_up(memory, monkeypatch):
    waiting = threading.Event()
    monkeypatch.setattr(memory, "backlog", waiting.wait)
    gateway = MemoryGateway(memory)
    async with (
        on_loopback([metrics_route(gateway, patience_secs=0.01)]) as base,
        aiohttp.ClientSession() as session,
        session.get(f"{base}/metrics") as answer,
    ):
        assert "store_up 0.0" in (await answer.text()).splitlines()
    waiting.set()
    gateway.stop()
