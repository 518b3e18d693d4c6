"""Cards that the bot puts somewhere, and what stands there."""

from typing import Any
from uuid import UUID

from core.memory import Memory
from core.model.card_states import CardState
from core.model.notices import Outgoing
from core.model.principals import Principal
from core.model.work import Place, Rewritten
from core.store.tables import CardMessage

PLATFORM = "fake"


def place(user: str, workspace: str = "A", thread: str | None = None) -> Place:
    return Place(PLATFORM, workspace, user, thread)


def connect(memory: Memory, *workspaces: str, trusted: bool = False) -> None:
    """Let the bot into workspaces."""
    for workspace in workspaces:
        memory.workspaces.connect("default", PLATFORM, workspace, workspace, {}, trusted=trusted)


def member(memory: Memory, name: str, *workspaces: str, **more: Any) -> Principal:
    """A person who is a user, by that name, of each of these workspaces; seen last in the last of them."""
    person_id = memory.people.put("default", name, **more)
    for workspace in workspaces or ("A",):
        memory.people.bind("default", person_id, place(name, workspace))
        memory.clock.advance(1)  # type: ignore[attr-defined]  # a ManualClock
    return memory.people.principal("default", person_id)


def saying(words: str) -> Any:
    """A card that says so, to be made for its nonce."""
    return lambda nonce: {"words": words, "nonce": nonce}


def post(
    memory: Memory, where: Place, subject: str = "event", words: str = "first", kind: str = "answer", **more: Any
) -> UUID:
    """Put a card for whoever is bound there; its id."""
    person_id = memory.people.at("default", where)
    assert person_id is not None
    return memory.messages.post("default", person_id, where, subject, kind, saying(words), **more)


def take(memory: Memory, message_id: UUID) -> Outgoing | None:
    """A card in hand, as a courier takes it."""
    return memory.delivery.take("default", message_id, lambda notice, nonce: {"notice": str(notice), "nonce": nonce})


def standing(memory: Memory, where: Place, subject: str = "event", **more: Any) -> Outgoing:
    """A card that was sent, as it was in hand."""
    card = take(memory, post(memory, where, subject, **more))
    assert card is not None
    assert memory.outcomes.sent(card, f"ref-{card.message_id}")
    return card


def updating(memory: Memory, message_id: UUID) -> Outgoing | None:
    """A card that stands, as it is to be shown; of one that may not be seen any more nothing is left."""
    return memory.outcomes.updating("default", message_id, lambda _: {"words": "withdrawn"})


def rewrite(memory: Memory, message_id: UUID, words: str, *, renew: bool = False) -> Outgoing | None:
    """Let a card that stands say something else."""
    return memory.messages.rewrite("default", message_id, lambda _, n: Rewritten(saying(words)(n)), renew=renew)


def message(memory: Memory, message_id: UUID) -> CardMessage:
    """The ledger's row of a card."""
    with memory._database.read("default") as tx:
        return tx.session.get_one(CardMessage, ("default", message_id))


def state(memory: Memory, message_id: UUID) -> CardState | None:
    return memory.messages.state("default", message_id)


def ids(waiting: Any) -> list[UUID]:
    return [one.message_id for one in waiting]
