"""Prometheus reads what the memory counted, under the seed's names."""

import aiohttp
from prometheus_client.parser import text_string_to_metric_families

from bot.http.metrics import metrics_route
from core.verify.request import VerifyRequest
from tests.support.memories import page, put
from tests.support.slack import on_loopback

NAMES = {
    *("context_calls", "context_planner_ms", "context_trace_writes", "context_tokens_packed"),
    *("verify_calls", "verify_embed_ms", "verify_candidate_spans", "verify_unavailable_count"),
    "verify_numeric_gate_capped_count",
}


async def test_what_was_counted_is_told_and_no_words_of_it(memory, ada):
    put(memory, "travel.md", page("Travel", {"Meals": "A meal may cost at most 40 EUR."}))
    memory.verify(VerifyRequest(["A meal may cost at most 41 EUR."]), ada)
    async with (
        on_loopback([metrics_route(memory.metrics.registry)]) as base,
        aiohttp.ClientSession() as session,
        session.get(f"{base}/metrics") as answer,
    ):
        told = await answer.text()
    families = {family.name: family for family in text_string_to_metric_families(told)}
    assert families.keys() >= NAMES
    counted = {s.name: s.value for family in families.values() for s in family.samples}
    assert counted["verify_calls_total"] == counted["verify_numeric_gate_capped_count_total"] == 1
    assert "meal" not in told
