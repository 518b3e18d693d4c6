"""A number that a page says is the one in the code, or in the settings as they come."""

import pytest

from bot import demo, memory_gateway, webhooks
from bot.config import EndpointSettings, Settings
from bot.http.v1.limits import LIMITS
from core.access.card_tokens import LEEWAY_SECS, LIFETIME_SECS
from core.clock import DAY, HOUR, MINUTE
from core.embed import endpoint
from core.generate import extractive
from core.jobs.backoff import wait
from core.reembed.engine import BATCH
from core.retention.periods import KEPT, Spent
from core.store.database import BUSY_TIMEOUT_MS
from core.webhooks import replies
from tests.support.guides import Guide

USUAL = Settings()
WATCH, PLANNER, VERIFY = USUAL.watch, USUAL.planner, USUAL.verify

SAID = [
    ("watches.md", "settles for half a minute before a card is made (`watch.settle_secs`)", WATCH.settle_secs, 30),
    ("watches.md", "a watch gathers for five minutes", WATCH.debounce_default_secs, 300),
    ("watches.md", "Beyond fifty changes (`watch.max_events_per_fire`)", WATCH.max_events_per_fire, 50),
    ("webhooks.md", "Answer with 2xx within ten seconds", webhooks.TIMEOUT_SECS, 10),
    ("webhooks.md", "nothing is sent to it before then (a day at most)", replies.LONGEST_WAIT, DAY),
    ("webhooks.md", "nothing is sent to it for a minute", replies.REST, MINUTE),
    ("webhooks.md", "nothing was taken for five days", replies.PATIENCE, 5 * DAY),
    ("embedders.md", "is asked again, four times,", EndpointSettings().retries, 4),
    ("embedders.md", "waits of at most 30 seconds", endpoint._PATIENCE_SECS, 30),
    ("embedders.md", "the last 2,048 texts", endpoint._REMEMBERED, 2048),
    ("embedders.md", "kept, 64 texts at a time", BATCH, 64),
    ("language-models.md", "lies aside for 30 days", KEPT[Spent.SPOOLED], 30 * DAY),
    ("language-models.md", "Conversations are kept 90 days", KEPT[Spent.SAID], 90 * DAY),
    ("api.md", "100 of all callers at once", LIMITS.callers_at_once, 100),
    ("scaling.md", "events after a week", KEPT[Spent.EVENTS], 7 * DAY),
    ("scaling.md", "jobs after a month", KEPT[Spent.JOBS], 30 * DAY),
    ("scaling.md", "nobody saved after 90 days", KEPT[Spent.TRACES], 90 * DAY),
    ("scaling.md", "a token is good for 120 seconds with five of leeway", (LIFETIME_SECS, LEEWAY_SECS), (120, 5)),
    ("scaling.md", "eight calls under way at most", memory_gateway._LONG, 8),
    ("scaling.md", "for a minute at a time", WATCH.lease_secs, 60),
    ("troubleshooting.md", "more than two minutes lie between", LIFETIME_SECS, 120),
    ("troubleshooting.md", "for over half a minute", BUSY_TIMEOUT_MS, 30_000),
    ("concepts.md", "once, within two minutes", LIFETIME_SECS, 120),
    ("tuning.md", "| as configured: 0.5, 10 |", (PLANNER.lexical_weight, PLANNER.bm25_half), (0.5, 10)),
    ("tuning.md", "It stays at 0.2", PLANNER.semantic_min_sim, 0.2),
    ("tuning.md", "| **0.41** (keeps nine in ten) |", USUAL.answers.min_cosine, 0.41),
    ("tuning.md", "the demo's has 0.5", demo._NEAR, 0.5),
    (
        "matcher.md",
        "| **chosen** | **0.3** | **0.2** | **0.62** | **0.39** |",
        (VERIFY.beta, VERIFY.numeric_cap, VERIFY.supported, VERIFY.partial),
        (0.3, 0.2, 0.62, 0.39),
    ),
]


@pytest.mark.parametrize(("page", "words", "is_so", "said"), SAID, ids=[f"{page}: {words}" for page, words, *_ in SAID])
def test_a_number_is_said_as_it_is(page, words, is_so, said):
    assert words in " ".join(Guide.of(page).text.split())
    assert is_so == said


def test_a_message_to_a_webhook_is_tried_for_as_long_as_is_said():
    assert "`watch.max_attempts` times, over one to three hours" in Guide.of("webhooks.md").text
    shortest, longest = (sum(wait(n, luck) for n in range(1, WATCH.max_attempts)) for luck in (0.0, 0.999))
    assert HOUR < shortest <= longest < 3 * HOUR


def test_the_sum_by_which_a_sentence_is_chosen_is_that_of_the_code():
    words = " ".join(Guide.of("tuning.md").text.split())
    factors = (extractive._MEANING, extractive._PASSAGE, extractive._KIND, extractive._WORDS)
    assert factors == (1, 1.5, 0.5, 0.3)
    assert "cosine + 1.5 × its passage's weight, the heaviest being 1, + 0.5 if it holds what is asked for" in words
    assert "+ 0.3 × its share of the question's words" in words
    assert (extractive._NEARLY, extractive.MAX_SENTENCES) == (0.3, 4)
    assert "Those within 0.3 of the best are said too, four at most" in words
