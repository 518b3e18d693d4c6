"""The numbers by which one part waits for another are held to each other, and to the settings as they come."""

from bot import stopping
from bot.config import Settings
from bot.http.v1.holding import EVERY_SECS
from bot.http.v1.limits import LIMITS
from bot.memory_gateway import _AT_THE_DOOR, _AT_THE_GATE, _BRIEF, _LONG
from core.clock import SECOND
from core.generate.openai_compatible import LlmEndpoint
from core.requests.views import LEASE
from core.store.database import BUSY_TIMEOUT_MS


def test_a_language_model_is_given_up_before_who_waits_for_its_answer():
    """Twice: the last thing that comes of a body may take as long again as all before it."""
    assert 2 * Settings().llm.timeout_secs <= LIMITS.answer_secs
    assert LlmEndpoint("http://127.0.0.1/v1").timeout_secs == Settings().llm.timeout_secs


def test_a_name_is_held_through_a_database_that_is_locked_for_a_while():
    assert 2 * EVERY_SECS + BUSY_TIMEOUT_MS / 1000 < LEASE / SECOND


def test_a_look_up_is_given_up_before_a_platform_or_a_probe_would_notice():
    assert LIMITS.caller_secs < LIMITS.body_secs < LIMITS.answer_secs


def test_what_is_long_leaves_threads_to_people_who_ask_in_a_chat():
    assert LIMITS.long_of_one_key < LIMITS.long_at_once < _LONG


def test_each_thread_has_a_connection():
    """SQLAlchemy's own pool: five, and ten more. One thread waits for work by a connection of its own."""
    assert _BRIEF + _LONG + _AT_THE_DOOR + _AT_THE_GATE <= 5 + 10


def test_stopping_ends_in_time():
    assert stopping.GRACE_SECS + 2 * stopping.CLOSE_SECS < stopping.AT_THE_LATEST_SECS < 20
