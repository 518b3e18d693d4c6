"""What can be said besides asking: a message that is a command gets a list or a notice instead of an answer."""

from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from uuid import UUID

import regex

from bot.home import page_of
from bot.memory_gateway import MemoryGateway
from bot.presenters import (
    answer_entry,
    brief_words,
    notice_card,
    question_choice,
    watch_entry,
    watch_offer,
    why_card,
)
from cards.limits import ROWS
from cards.model import Card
from cards.notices import WatchChoice, choose_watch, mute_list, notice, saved_list, stop_everything, watch_list
from cards.phrases import plural
from cards.text import is_blank
from core.delivery.grouping import offered
from core.errors import NotFound
from core.model.grants import ALL, PermittedAction
from core.model.ports import Composed
from core.model.preferences import MUTE_TIMES, OFF, Preferences
from core.model.principals import Principal
from core.model.threads import Said
from core.model.watching import FireView, WatchView
from core.model.work import NOTHING_OFFERED, Offer
from core.text.fold import fold

HELP = (
    "Ask me anything that your team has written down. I answer with the exact words and where they stand.\n"
    "watch <words>: choose something to watch\n"
    "watching, watching <word>: what you watch, how often you hear of it, and how to stop\n"
    "saved: the answers you saved\n"
    "brief: when your week’s changes come; brief on, brief off, brief now\n"
    "why: why the last card came\n"
    "mute 1h, mute tomorrow, mute 1d, mute 1w: pause every card; unmute: end it\n"
    "mute <word> 1d: pause what you watch by that name; stop all: end every watch\n"
    "preferences: when you hear, and where\n"
    "status: what I remember; whoami: who I think you are"
)
_ID = regex.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_SHORTEST_BEGINNING = 6
_QUESTIONS = 2
"""Questions that are offered at most, before the sections: the words name these, and only lead to those."""
_EVERYTHING = {"", "all", "everything"}
STOP_ALL = PermittedAction("watch_mute", ALL, ("stop",))
_BRIEF_HINT = "Write “brief on”, “brief off” or “brief now”."


@dataclass(frozen=True, slots=True)
class Reply:
    """`card` is made for the nonce it gets; `offer` is what its buttons permit; `source_ids` are what it quotes.

    `said`: an answer as the conversation remembers it; None where nothing was asked that goes on.
    """

    card: Callable[[str], Card]
    offer: Offer = NOTHING_OFFERED
    kind: str = "reply"
    source_ids: tuple[UUID, ...] = ()
    said: Said | None = None


Command = Callable[[Principal, str], Awaitable[Reply | None]]


class Commands:
    def __init__(self, gateway: MemoryGateway) -> None:
        self._gateway = gateway
        self._memory = gateway.memory
        self._table: dict[str, tuple[Command, bool]] = {
            "help": (self._help, False),
            "watch": (self._watch, True),
            "watching": (self._watching, True),
            "saved": (self._saved, False),
            "brief": (self._brief, True),
            "why": (self._why, True),
            "mute": (self._mute, True),
            "unmute": (self._unmute, True),
            "stop": (self._stop, True),
            "preferences": (self._preferences, False),
            "status": (self._status, False),
            "whoami": (self._whoami, False),
        }

    async def reply(self, tenant_id: str, person_id: UUID, text: str) -> Reply | None:
        """The reply to a command, or to a message without words; None for what is a question."""
        if is_blank(text):
            return _said("I read words only", "Files, pictures and recordings tell me nothing.", "Write your question.")
        word, rest = _split(text)
        command, takes_words = self._table.get(word, (None, False))
        if command is None or (rest and not takes_words):
            return None
        principal = await self._gateway.call(self._memory.people.principal, tenant_id, person_id)
        return await command(principal, rest)

    async def _help(self, _: Principal, __: str) -> Reply:
        return _said("What you can say", HELP)

    async def _watch(self, principal: Principal, words: str) -> Reply:
        if not words:
            return _said("Watch what?", "Write “watch” and a few words of it.", "For example: watch travel expenses.")
        questions = await self._gateway.call(self._memory.find_questions, words, principal)
        sections = await self._gateway.at_length(self._memory.find_sections, words, principal)
        of_sections = (WatchChoice(str(section.node_id), section.title) for section in sections)
        choices = (*map(question_choice, questions[:_QUESTIONS]), *of_sections)[:ROWS]
        more = len(questions) + len(sections) - len(choices)
        return Reply(lambda nonce: choose_watch(words, choices, nonce, more), Offer(tuple(map(_to_watch, choices))))

    async def _watching(self, principal: Principal, words: str) -> Reply:
        watches = await self._named(principal, words)
        if words and not watches:
            return _unknown(words)
        now, stops_all = self._memory.clock.now(), not words and len(watches) > 1
        entries, more = tuple(watch_entry(view, now) for view in watches[:ROWS]), len(watches[ROWS:])
        each = watch_offer(watches[:ROWS], now)
        offer = Offer((*each, STOP_ALL) if stops_all else each)
        return Reply(lambda nonce: watch_list(entries, nonce, more, stops_all=stops_all, named=words), offer)

    async def _named(self, principal: Principal, words: str) -> list[WatchView]:
        owned = await self._gateway.call(self._memory.watches, principal)
        return [view for view in owned if fold(words) in fold(view.name)]

    async def _stop(self, principal: Principal, words: str) -> Reply | None:
        """To end every watch, or those by a name; other words make it a question. “watching” may stand before them."""
        first, rest = _split(words)
        words = rest if first == "watching" else words
        everything = _bare(words) in _EVERYTHING
        watches = await self._named(principal, "" if everything else words)
        if not everything:
            return await self._watching(principal, words) if watches else None
        if not watches:
            return await self._watching(principal, "")
        return Reply(lambda nonce: stop_everything(len(watches), nonce), Offer((STOP_ALL,)))

    async def _saved(self, principal: Principal, _: str) -> Reply:
        answers = await self._gateway.call(self._memory.answers, principal)
        entries = tuple(map(answer_entry, answers))
        return Reply(lambda _: saved_list(entries))

    async def _brief(self, principal: Principal, words: str) -> Reply | None:
        """The brief by now, or when it comes; other words make it a question."""
        match _bare(words):
            case "now":
                return _preview(await self._gateway.call(self._memory.briefs.preview, principal))
            case "on" | "off" as choice:
                await self._let_brief(principal, comes=choice == "on")
            case other if other:
                return None
        chosen = await self._chosen(principal)
        person = await self._gateway.call(self._memory.people.get, principal.tenant_id, principal.person_id)
        return _said("Your weekly brief", brief_words(chosen, person.zone), _BRIEF_HINT)

    async def _let_brief(self, principal: Principal, *, comes: bool) -> None:
        """Where briefs come already, the day stays as it was chosen."""
        if comes and (await self._chosen(principal)).brief_day is not None:
            return
        day = self._memory.config.watch.brief_weekday if comes else OFF
        await self._gateway.call(self._memory.prefer, principal, "brief_day", day)

    async def _chosen(self, principal: Principal) -> Preferences:
        return await self._gateway.call(self._memory.people.preferences, principal.tenant_id, principal.person_id)

    async def _why(self, principal: Principal, words: str) -> Reply | None:
        """Why the last card came, or the one of a fire by its id; other words than an id make it a question."""
        begins = words.lower()
        if begins and not _begins_id(begins):
            return None
        recent = await self._gateway.call(self._memory.recent_fires, principal)
        fire = await self._first_told(principal, [one for one in recent if str(one).startswith(begins)])
        if fire is None:
            if begins and not any(map(str.isdigit, begins)):  # a word, such as facade
                return None
            what = f"I know of no news {words} for you." if words else "You have not been told of any change yet."
            return _said("Nothing to explain", what, "Write “watching” to see what you follow.")
        found = fire
        return Reply(lambda _: why_card(found, principal.person_id))

    async def _first_told(self, principal: Principal, fire_ids: Sequence[UUID]) -> FireView | None:
        """The first of these that may be explained: what somebody else watches they must be able to read still."""
        for fire_id in fire_ids:
            with suppress(NotFound):
                return await self._gateway.call(self._memory.explain_fire, fire_id, principal)
        return None

    async def _mute(self, principal: Principal, words: str) -> Reply:
        name, _, choice = words.lower().rpartition(" ")
        known = MUTE_TIMES.get(choice)
        if known is None:
            said = f"“{words}” is not a time I know." if words else "Every card waits until then."
            hint = "Write “mute 1h”, “mute tomorrow”, “mute 1d” or “mute 1w”."
            return _said("For how long?", said, hint)
        if name.strip() not in _EVERYTHING:
            return await self._mute_named(principal, name.strip(), choice)
        await self._gateway.call(self._memory.mute_for, principal, choice)
        return _said(f"Muted {known.words}", "Cards wait until then and come as one.", "Write “unmute” to end it now.")

    async def _mute_named(self, principal: Principal, name: str, choice: str) -> Reply:
        """What is watched by a name, each with a button that mutes it."""
        watches = await self._named(principal, name)
        if not watches:
            return _unknown(name)
        now, words = self._memory.clock.now(), MUTE_TIMES[choice].words
        entries, more = tuple(watch_entry(view, now) for view in watches[:ROWS]), len(watches[ROWS:])
        offer = Offer(tuple(PermittedAction("watch_mute", entry.target, (choice,)) for entry in entries))
        return Reply(lambda nonce: mute_list(entries, choice, words, nonce, more), offer)

    async def _unmute(self, principal: Principal, words: str) -> Reply | None:
        """To end the mute of every card, or those of watches by a name; other words make it a question."""
        if _bare(words) not in _EVERYTHING:
            return await self._watching(principal, words) if await self._named(principal, words) else None
        await self._gateway.call(self._memory.mute_all, principal, 0)
        return _said("Not muted", "Cards come again as things change.")

    async def _preferences(self, principal: Principal, _: str) -> Reply:
        page = await page_of(self._gateway, principal)
        return Reply(page.card, page.offer)

    async def _status(self, principal: Principal, _: str) -> Reply:
        status = await self._gateway.call(self._memory.status, principal.tenant_id)
        words = f"I remember {plural(status.documents, 'document')} with {plural(status.passages, 'passage')}."
        return _said("What I remember", words, "Ask me anything about them.")

    async def _whoami(self, principal: Principal, _: str) -> Reply:
        person = await self._gateway.call(self._memory.people.get, principal.tenant_id, principal.person_id)
        roles = ", ".join(person.roles) or "none"
        return _said(person.display_name, f"Your roles: {roles}. Your time zone: {person.zone}.")


def _unknown(words: str) -> Reply:
    return _said("You watch nothing like that", f"None of your watches is named “{words}”.", "Write “watching”.")


def _bare(words: str) -> str:
    """Small, and without the dot or the exclamation mark at their end."""
    return words.lower().rstrip("!.")


def _begins_id(words: str) -> bool:
    return len(words) >= _SHORTEST_BEGINNING and _ID.fullmatch(words, partial=True) is not None


def _to_watch(choice: WatchChoice) -> PermittedAction:
    return PermittedAction("watch_create", choice.target, (choice.arg,) if choice.arg else ())


def _preview(found: Composed | None) -> Reply:
    if found is None:
        return _said("Nothing new", "Nothing that you can read has changed since your last brief.", _BRIEF_HINT)
    return Reply(lambda nonce: notice_card(found.notice, nonce), offered(found.notice), source_ids=found.source_ids)


def _split(text: str) -> tuple[str, str]:
    """The first word, small, and the rest; nothing for words that end in a question mark: they are a question."""
    word, rest = (*text.split(maxsplit=1), "", "")[:2]
    rest = rest.strip()
    return ("", "") if rest.endswith("?") else (word.lower() if rest else word.lower().rstrip("?!."), rest)


def _said(title: str, text: str, hint: str = "") -> Reply:
    return Reply(lambda _: notice(title, text, hint))
