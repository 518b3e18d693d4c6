"""The Slack of `make soak`: 5 % of the calls that write are limited, 2 % cut, 1 % end with HTTP 500."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from pydantic import SecretStr

from benchmarks.soak_process import Request
from bot.channels.settings import SlackSettings
from core.model.work import Place
from core.store.tables import CardMessage
from tests.fakes.slack import FakeSlack, fake_slack
from tests.fakes.slack_inbound import Inbound, SlackRequest, sign

TEAM = "T1"
FAULTS = (*("ratelimited:1",) * 5, "cut", "cut-stored", "500-stored")
FAULT_RATE = 0.08


class SlackSide:
    name = "slack"

    def __init__(self, slack: FakeSlack, people: int) -> None:
        self._slack = slack
        self._workspace = slack.add_workspace(TEAM)
        self._inbound = Inbound(slack, TEAM)
        self.users = [f"U{number}" for number in range(people)]
        for user in self.users:
            self._workspace.add_user(user, user)
        for method in ("chat.postMessage", "chat.update"):
            self._workspace.faults.at_random(method, FAULT_RATE, FAULTS, seed=1)
        self.secrets = {"bot_token": self._workspace.token, "signing_secret": slack.signing_secret}

    def settings(self) -> SlackSettings:
        secrets = {name: SecretStr(value) for name, value in self.secrets.items()}
        given = {"mode": "http", "api_url": self._slack.url, "public_url": "https://bot.example.com"}
        return SlackSettings.model_validate(given | secrets)

    def place(self, user: str) -> Place:
        return Place("slack", TEAM, user)

    def address(self, user: str) -> None:
        """None is kept: Slack knows a user by their id."""

    def cards(self, user: str) -> list[str]:
        return [json.dumps(card.blocks, ensure_ascii=False) for card in self._workspace.cards(user)]

    def words(self, user: str, text: str) -> Request:
        return self._signed(self._inbound.message(user, text))

    def tap(self, user: str, kind: str, arg: str = "") -> Request:
        """On the last card that has such a button."""
        for card in reversed(self._workspace.cards(user)):
            for element in _buttons(card.blocks):
                value = json.loads(element["value"])
                if (value["kind"], value.get("arg", "")) == (kind, arg):
                    return self._signed(self._inbound.tap(user, card, element["action_id"]))
        raise AssertionError(f"{user} has no card with {kind} {arg}")

    def _signed(self, request: SlackRequest) -> Request:
        headers = sign(self._slack, request.body) | {"Content-Type": request.content_type}
        return Request("/slack/events", request.body.encode(), headers)

    def says(self, _answer: bytes) -> None:
        """An acknowledgement says nothing: the card does, later."""

    def calm(self) -> None:
        """Whatever goes wrong can be told: there is a history to look into."""

    def calls(self) -> Counter[str]:
        return Counter(call.method for call in self._workspace.received)

    def wrong(self, _ledger: Sequence[CardMessage]) -> list[str]:
        cards = [card for user in self.users for card in self._workspace.cards(user)]
        times = Counter(card.metadata["event_payload"]["key"] for card in cards if card.metadata)
        twice = [f"sent twice: {key}" for key, count in times.items() if count > 1]
        return twice + self._slack.violations


def _buttons(blocks: Iterable[dict[str, Any]]) -> Iterable[dict[str, Any]]:
    for block in blocks:
        held = [*block.get("elements", ()), *([block["accessory"]] if "accessory" in block else ())]
        yield from (element for element in held if element.get("type") == "button" and "value" in element)


@contextmanager
def slack_side(people: int) -> Iterator[SlackSide]:
    with fake_slack() as slack:
        yield SlackSide(slack, people)
