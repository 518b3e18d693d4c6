"""The Teams of `make soak`: it counts its real limits, and of the calls that write one in ten goes wrong.

Of those that send, some are limited or to come again (429, 412), some refused for good (403, 413) or for now (404), and
of some nobody knows the end (5xx, cuts, time-outs), of which half are there all the same.
"""

import json
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from benchmarks.soak_process import Request
from bot.channels.settings import TeamsSettings
from bot.channels.teams.address import MESSAGES_PATH, Address
from cards.codec import from_json
from cards.teams import to_teams
from core.model.work import Place
from core.store.tables import CardMessage
from tests.fakes.teams_connector import SECRET, FakeConnector, fake_connector
from tests.fakes.teams_openid import TENANT_ID, FakeOpenId, fake_openid
from tests.fakes.teams_world import BOT, Message
from tests.support.teams_bot import Json, activity_of, executes, signed, tapping, teams_settings

FAULT_RATE = 0.1
AGAIN = (*("429:1",) * 5, *("412:PreconditionFailed",) * 2)
DOUBT = ("500:ServiceError", "502:html-stored", "504:html", "cut", "cut-stored", "silence", "silence-stored")
REFUSED = ("403:ConversationBlockedByUser", "413:MessageSizeTooBig", *("404:ConversationNotFound",) * 2)
NEVER_SPOKE = 10
"""Of so many people one was bound by an administrator, and has no chat with the bot yet."""


class TeamsSide:
    name = "teams"

    def __init__(self, teams: FakeConnector, openid: FakeOpenId, people: int) -> None:
        self._teams = teams
        self._openid = openid
        self.users = [f"00000000-cccc-4ccc-8ccc-{number:012}" for number in range(people)]
        self._users = {user: teams.world.add_user(user, f"P{user[-6:]}") for user in self.users}
        self.secrets = {"app_password": SECRET}
        faults = teams.faults
        faults.at_random("open", FAULT_RATE, AGAIN + DOUBT, seed=1)
        faults.at_random("update", FAULT_RATE, AGAIN + DOUBT, seed=1)
        faults.at_random("send", FAULT_RATE, AGAIN + DOUBT + REFUSED, seed=1)

    def settings(self) -> TeamsSettings:
        return teams_settings(self._teams, self._openid)

    def place(self, user: str) -> Place:
        return Place("teams", TENANT_ID, user)

    def address(self, user: str) -> Json | None:
        """Where they can be written to, if they ever spoke to the bot."""
        if int(user[-12:]) % NEVER_SPOKE == 1:
            return None
        known = self._users[user]
        return Address(self._teams.service_url, self._teams.world.chat(known), known.teams_id, BOT).to_row()

    def cards(self, user: str) -> list[str]:
        return [json.dumps(message.card, ensure_ascii=False) for message in self._messages(user)]

    def _messages(self, user: str) -> list[Message]:
        return list(self._teams.world.messages.get(self._users[user].conversation or "", ()))

    def words(self, user: str, text: str) -> Request:
        return self._signed(activity_of(self._teams, self._users[user], text=text))

    def tap(self, user: str, kind: str, arg: str = "") -> Request:
        """On the last card that has such a button."""
        for message in reversed(self._messages(user)):
            for execute in executes(message.card):
                if (execute["verb"], execute["data"].get("arg", "")) == (kind, arg):
                    return self._signed(tapping(self._teams, self._users[user], message, execute), waits=True)
        raise AssertionError(f"{user} has no card with {kind} {arg}")

    def _signed(self, activity: Json, *, waits: bool = False) -> Request:
        request = signed(self._teams, activity)
        return Request(MESSAGES_PATH, request.body, request.headers, waits)

    def says(self, answer: bytes) -> str:
        """What whoever tapped is shown at once."""
        return json.dumps(json.loads(answer)["value"], ensure_ascii=False)

    def calm(self) -> None:
        """From now on whatever goes wrong with a new card is known to have gone wrong: an answer is given once."""
        self._teams.faults.at_random("send", FAULT_RATE, AGAIN, seed=1)

    def calls(self) -> Counter[str]:
        return Counter(call.operation for call in self._teams.calls)

    def wrong(self, ledger: Sequence[CardMessage]) -> list[str]:
        """Each card in a chat is one of the ledger's, once; all that it says stand are there; no other place is met."""
        chats = {user.conversation for user in self._users.values()}
        asked = {call.path.split("/")[5] for call in self._teams.calls if call.operation in {"send", "update"}}
        elsewhere = [f"written to: {place}" for place in asked - chats]
        standing = Counter(row for user in self.users for row in self._rows(user, ledger))
        unknown = [f"{standing[None]} cards that the ledger knows nothing of"] * bool(standing[None])
        twice = [f"sent twice: {row}" for row, times in standing.items() if row and times > 1]
        lost = [
            f"not there: {row.message_id}" for row in ledger if row.state == "sent" and not standing[row.message_id]
        ]
        return elsewhere + unknown + twice + lost + self._teams.violations

    def _rows(self, user: str, ledger: Sequence[CardMessage]) -> Iterator[object]:
        """Which row each card of a chat is, by where it stands, or else, of one in doubt, by what it says; or None."""
        theirs = [row for row in ledger if row.place["user_id"] == user]
        refs = {row.message_ref: row.message_id for row in theirs if row.message_ref}
        says = {
            _said(to_teams(from_json(row.card))): row.message_id for row in theirs if row.card and not row.message_ref
        }
        for message in self._messages(user):
            where = f"{self._teams.service_url}|{self._users[user].conversation}|{message.activity_id}"
            yield refs.get(where) or says.get(_said(message.card))


def _said(card: Json) -> str:
    return json.dumps(card, sort_keys=True)


@contextmanager
def teams_side(people: int) -> Iterator[TeamsSide]:
    with fake_connector(limited=time.monotonic) as teams, fake_openid() as openid:
        yield TeamsSide(teams, openid, people)
