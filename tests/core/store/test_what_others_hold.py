"""What another process has in an unfinished transaction is waited for or left alone. On PostgreSQL, where it can be."""

from concurrent.futures import ThreadPoolExecutor, wait
from threading import Event

import pytest

from core.clock import SECOND
from core.ids import random_id
from core.model.card_states import CardState
from core.model.threads import event_ref
from core.model.watching import ScopeType, Suspension
from core.model.work import PLACEHOLDER
from core.store import inbox, messages, traces, watches
from core.store.database import ANY_TENANT
from tests.support.memories import dump, open_memory, watch_request
from tests.support.posting import connect, member, place, post, saying, updating

ADAS = place("Ada")


@pytest.fixture
def memory(postgres_url, clock):
    memory = open_memory(postgres_url, clock)
    memory.people.ensure_tenant("default", "Default")
    connect(memory, "A")
    yield memory
    memory.close()


@pytest.fixture
def ada(memory):
    return member(memory, "Ada").person_id


def test_while_an_event_is_being_taken_the_next_of_its_user_waits(memory, ada, clock):
    """The first is locked, and read as ready still: whoever looks past it must not take what comes after."""
    for number in range(2):
        memory.inbound.receive("default", ADAS, f"e{number}", "question", {})
        clock.advance(1)
    with memory._database.write(ANY_TENANT) as tx:
        assert len(inbox.lease(tx, clock.now() + SECOND, 1)) == 1
        assert memory.inbound.lease(1) == []


def test_an_answer_waits_for_whoever_is_taking_its_placeholder_and_is_shown_after_it(memory, ada):
    """Else it would be put on a card that was never sent, and what was sent would stand there for ever."""
    said = Event()

    def answer(nonce):
        said.set()
        return saying("the answer")(nonce)

    card = post(memory, ADAS, words="Looking…", kind=PLACEHOLDER)
    with ThreadPoolExecutor() as pool:
        with memory._database.write("default") as tx:
            row = messages.locked(tx, card)
            row.state, row.attempts, row.fence = CardState.SENDING, 1, 1
            tx.flush()
            answering = pool.submit(memory.messages.post, "default", ada, ADAS, "event", "answer", answer)
            said.wait(0.3)  # long enough for an answer that does not wait to go wrong
        answering.result()
    memory.outcomes.sent(messages.outgoing(row), "ref")
    assert updating(memory, card).card["words"] == "the answer"


def test_whoever_mutes_a_watch_waits_for_its_card_first_as_whoever_takes_one_locks_that_first(memory, ada):
    """Else each would hold what the other waits for, and the database would end one of them."""
    me = memory.people.principal("default", ada)
    watch = memory.watch(watch_request(me, ScopeType.LABEL, "SECTION"), me)
    muted = Event()

    def mute():
        with memory._database.write("default") as tx:
            memory._engines.watch.mute(tx, watch.watch_id, me, tx.now + SECOND)
        muted.set()

    with memory._database.write("default") as tx:
        card = messages.new(tx, ada, ADAS, "fires:one", "memory_change").message_id
    with ThreadPoolExecutor() as pool:
        with memory._database.write("default") as tx:
            messages.locked(tx, card)
            muting = pool.submit(mute)
            assert not muted.wait(0.3)  # long enough to lock all that it can
            assert watches.suspend(tx, watches.get(tx, watch.watch_id), Suspension.NOT_READABLE)
        muting.result()


def test_a_withdrawal_waits_for_whoever_writes_a_trace_and_takes_its_words_too(memory):
    """Else a trace that was looked at before would be kept with the words, and nobody would come for them."""
    person = member(memory, "Bob")
    memory.inbound.receive("default", place("Bob"), "e0", "question", {"text": "secret"})
    said = [str(event_ref("default", inbox.key(place("Bob"), "e0"), 0))]
    with ThreadPoolExecutor() as pool:
        with memory._database.write("default") as tx:
            tx.compose()
            traces.add(tx, random_id(), "generate", person, {"question": "secret", "said": said})
            withdrawing = pool.submit(memory.conversation.withdraw, "default", place("Bob"), "e0", None)
            wait([withdrawing], 0.3)  # long enough for one that does not wait to go wrong
        assert withdrawing.result()
    assert "secret" not in dump(memory)
