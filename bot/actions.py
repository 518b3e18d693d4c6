"""Taps: from a button's nonce to a minted token, core's decision, and the card with its outcome in words."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import structlog
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from bot.delivery import Courier
from bot.memory_gateway import MemoryGateway
from bot.presenters import answer_card, answer_offer, answer_sources, present
from bot.tokens import mint
from cards.actions import Button
from cards.answer_updated import REFRESH_QUESTION
from cards.codec import from_json, to_json
from cards.model import Card, Item, Rows, with_nonce, with_outcome
from cards.notices import CADENCE_WORDS
from cards.phrases import plural
from core.access.card_tokens import CardWrite
from core.errors import CoreError, InvalidRequest
from core.ids import nonce as fresh_id
from core.model.answers import Answer, Refreshed
from core.model.card_states import CardState
from core.model.grants import ALL, CardAction
from core.model.notices import Outgoing
from core.model.preferences import MUTE_TIMES, OFF
from core.model.watching import Cadence
from core.model.work import Rewritten, Tapped

log = structlog.get_logger()

Change = Callable[[dict[str, Any], str], Rewritten]
"""From a stored card and its nonce to what it is to be."""

INACTIVE = "This card is no longer active. Ask again, or write “watching” to see what you follow."
REFRESHING = "Refreshing…"
NOT_SAID = "That is not said any more. The card has what there is to choose now."
_VOTED = {
    "pending": "Your choice counts.",
    "bound": "Your choice counts, and settles it.",
    "conflicted": "Your choice counts; people could not agree.",
}
_CHOSEN = {
    ("brief_day", "off"): "Stopped: no more weekly briefs. Write “brief on” to have them again.",
    ("mute", "off"): "Not muted: cards come again as things change.",
}


@dataclass(frozen=True, slots=True)
class Signer:
    """The bot's private key: it mints, core checks."""

    kid: str
    key: Ed25519PrivateKey


class Actions:
    def __init__(self, gateway: MemoryGateway, courier: Courier, signer: Callable[[], Signer]) -> None:
        """`signer`: asked at each tap, since keys are rotated."""
        self._gateway = gateway
        self._memory = gateway.memory
        self._courier = courier
        self._signer = signer

    async def active(self, tenant_id: str, person_id: UUID, nonce: str) -> Tapped | None:
        """The card a tap came from; None unless it is theirs and the button is one of its own now."""
        card = await self._gateway.call(self._memory.messages.tapped, nonce)
        return card if card is not None and (card.tenant_id, card.person_id) == (tenant_id, person_id) else None

    async def tap(
        self,
        person_id: UUID,
        card: Tapped,
        action: CardAction,
        message_ref: str | None = None,
        show: Callable[[str], Awaitable[None]] | None = None,
    ) -> str:
        """Do what was tapped and show it on the card; the outcome in words.

        `card`: as it was when it was tapped. `message_ref`: where it stands. `show`: what shows the outcome, where the
        card is not simply to say it.
        """
        state = await self._gateway.call(self._memory.messages.state, card.tenant_id, card.message_id)
        if state in {None, CardState.REDACTED} or card.person_id != person_id:
            return INACTIVE
        if message_ref is not None:
            await self._gateway.call(self._memory.outcomes.witnessed, card.tenant_id, card.message_id, message_ref)
        if action.kind == "answer_refresh":  # before the job exists, so that its outcome cannot be overwritten
            await self._said(card, action, REFRESHING)
        try:
            result = await self._gateway.call(self._memory.redeem, self._token(card, action), action)
        except CoreError as refusal:
            log.info("tap.refused", tenant=card.tenant_id, kind=action.kind, code=refusal.code)
            if action.kind == "clarify_vote" and isinstance(refusal, InvalidRequest):
                await self._recomposed(card)
                return NOT_SAID
            return await self._refused(card, action, f"That could not be done: {refusal}")
        words = _outcome(action, result)
        if action.kind == "clarify_vote":
            await self._recomposed(card)
        elif words != REFRESHING:
            await (show(words) if show else self._said(card, action, words))
        return words

    async def _said(self, card: Tapped, action: CardAction, words: str) -> None:
        """The outcome on the card, the used button gone."""
        used, target = frozenset({action.kind}), "" if action.target == ALL else action.target
        await self._rewrite(card, lambda shown: with_outcome(shown, words, target=target, remove_kinds=used))

    async def _recomposed(self, card: Tapped) -> None:
        """The card as it is to be after a vote: what was chosen is among its words, which an erasure takes out."""
        await self._gateway.call(self._memory.delivery.renew, card.tenant_id, card.message_id, present)
        await self._courier.bring_up_to_date(card.tenant_id, card.message_id)

    async def _refused(self, card: Tapped, action: CardAction, words: str) -> str:
        """The reason on the card, whose buttons are made anew: what could not be done now may be done later."""

        def renewed(stored: dict[str, Any], nonce: str) -> Rewritten:
            shown = with_nonce(from_json(stored), nonce)
            again = (_refresh_again(action.target, nonce),) if action.kind == "answer_refresh" else ()
            return Rewritten(to_json(with_outcome(shown, words, target=action.target, actions=again)))

        rewrite = self._memory.messages.rewrite
        await self._show(await self._gateway.call(rewrite, card.tenant_id, card.message_id, renewed, renew=True))
        return words

    def _token(self, card: Tapped, action: CardAction) -> str:
        write = CardWrite(
            tenant=card.tenant_id,
            person_id=card.person_id,
            action_kind=action.kind,
            target_id=action.target,
            scope_fingerprint=card.fingerprint,
            generation_id=card.generation_id,
            arg=action.arg,
        )
        signer = self._signer()
        return mint(signer.key, signer.kid, write, self._memory.clock.now(), fresh_id())

    async def _rewrite(self, card: Tapped, change: Callable[[Card], Card]) -> None:
        def rewritten(stored: dict[str, Any], _: str) -> Rewritten:
            return Rewritten(to_json(change(from_json(stored))))

        outgoing = await self._gateway.call(self._memory.messages.rewrite, card.tenant_id, card.message_id, rewritten)
        await self._show(outgoing)

    async def _show(self, outgoing: Outgoing | None) -> None:
        if outgoing is not None:
            await self._courier.bring_up_to_date(outgoing.tenant_id, outgoing.message_id)

    async def refreshed(self, tenant_id: str, answer_id: UUID, message_id: UUID, refreshed: Refreshed) -> None:
        """Show what a refresh led to on the card it was asked from: the new answer, or the button back."""
        rewrite, found = self._memory.messages.rewrite, refreshed.answer
        if found is None:
            await self._restore(tenant_id, message_id, _not_refreshed(answer_id, refreshed))
            return

        def replaced(stored: dict[str, Any], nonce: str) -> Rewritten:
            card = from_json(stored)
            if speaks_of_several(card):
                words = "Refreshed: the new answer is below."
                return Rewritten(to_json(with_outcome(card, words, target=str(answer_id))))
            return Rewritten(to_json(_new_answer(found, nonce)), answer_offer(found), answer_sources(found))

        outgoing = await self._gateway.call(rewrite, tenant_id, message_id, replaced)
        await self._show(outgoing)
        if outgoing is not None and speaks_of_several(from_json(outgoing.card)):
            await self._post_beside(outgoing, refreshed.answer_id, found)

    async def not_refreshed(self, tenant_id: str, answer_id: UUID, message_id: UUID) -> None:
        """Put the button back on the card of a refresh that failed each time that it was tried."""
        await self._restore(tenant_id, message_id, _again(answer_id, "It could not be refreshed. You can try again."))

    async def _restore(self, tenant_id: str, message_id: UUID, change: Change) -> None:
        """The card as it is after a refresh without an answer; its old buttons are no longer active."""
        rewrite = self._memory.messages.rewrite
        await self._show(await self._gateway.call(rewrite, tenant_id, message_id, change, renew=True))

    async def _post_beside(self, outgoing: Outgoing, new_id: UUID, found: Answer) -> None:
        message_id = await self._gateway.call(
            self._memory.messages.post,
            outgoing.tenant_id,
            outgoing.person_id,
            outgoing.place,
            f"refreshed:{new_id}",
            "answer",
            lambda nonce: to_json(_new_answer(found, nonce)),
            answer_offer(found),
            answer_sources(found),
        )
        await self._courier.send(outgoing.tenant_id, message_id)


def speaks_of_several(card: Card) -> bool:
    """Whether a card lists several saved answers: one's refresh must not take the others away."""
    rows = [row for block in card.blocks if isinstance(block, Rows) for row in block.rows]
    return len([row for row in rows if isinstance(row, Item)]) > 1


def _new_answer(found: Answer, nonce: str) -> Card:
    words = "Refreshed. The answer you saved before stays as it was quoted."
    return with_outcome(answer_card(found, nonce, saved=True), words)


def _not_refreshed(answer_id: UUID, refreshed: Refreshed) -> Change:
    if not refreshed.already:
        return _again(answer_id, "Nothing in the documents answers this now. Your saved answer stays as it is.")

    def told(stored: dict[str, Any], nonce: str) -> Rewritten:
        words = "You have a newer answer to this already: write “saved” to see it."
        return Rewritten(to_json(with_outcome(with_nonce(from_json(stored), nonce), words, target=str(answer_id))))

    return told


def _again(answer_id: UUID, words: str) -> Change:
    """The words on the card, and the button to be tapped again."""

    def restored(stored: dict[str, Any], nonce: str) -> Rewritten:
        card, target = with_nonce(from_json(stored), nonce), str(answer_id)
        again = (_refresh_again(target, nonce),)
        return Rewritten(to_json(with_outcome(card, words, target=target, actions=again)))

    return restored


def _refresh_again(target: str, nonce: str) -> Button:
    return Button("answer_refresh", target, nonce, "Refresh answer", confirm=REFRESH_QUESTION)


def _outcome(action: CardAction, result: dict[str, Any]) -> str:
    match action.kind:
        case "watch_create":
            names = _listed(result["watching"])
            return f"Watching {names}." if result["fresh"] else f"You already watch {names}."
        case "watch_mute" | "watch_pace":
            return _paced(result) if "cadence" in result else _muted(action.arg or "", result)
        case "answer_save":
            return "Saved. You will hear when its words change." if result["fresh"] else "You have saved this already."
        case "answer_refresh":
            return "You have a newer answer to this already." if result["newer"] else REFRESHING
        case "clarify_vote" | "preference_set":
            return _chosen(result)
    return "Done."


def _muted(arg: str, result: dict[str, Any]) -> str:
    if "stopped" in result:
        return f"Stopped {plural(result['stopped'], 'watch', 'watches')}: you watch nothing any more."
    if arg == OFF:
        return "Not muted: its cards come again."
    return f"Muted {MUTE_TIMES[arg].words}." if arg in MUTE_TIMES else "Stopped. You will not hear of it again."


def _paced(result: dict[str, Any]) -> str:
    when = " Write “brief” to see when." if result["cadence"] == Cadence.WEEKLY else ""
    return f"You hear of “{result['name']}” {CADENCE_WORDS[result['cadence']]} from now on.{when}"


def _chosen(result: dict[str, Any]) -> str:
    if "counted" in result:
        return _VOTED[result["state"]] if result["counted"] else "This was settled before you chose."
    return _CHOSEN.get((result["name"], result["value"]), "Set, from now on.")


def _listed(names: list[str]) -> str:
    quoted = [f"“{name}”" for name in names[:2]]
    rest = len(names) - len(quoted)
    return ", ".join(quoted) + (f" and {rest} more" if rest else "")
