"""What a tap carries: `{kind, target, nonce[, arg]}` and nothing else. No text, no person, no token."""

from dataclasses import dataclass, replace
from typing import Literal, TypeAlias, get_args

import regex

from cards.text import clean, is_blank, one_line

Kind = Literal["watch_create", "watch_mute", "answer_refresh", "answer_save", "clarify_vote", "preference_set"]
Action: TypeAlias = "Button | LinkButton"

_TOKEN = regex.compile(r"[A-Za-z0-9._:~=+/-]{1,128}")


@dataclass(frozen=True, slots=True)
class Button:
    """`confirm` is the question to ask first; `label` is at most three words unless a person wrote it."""

    kind: Kind
    target: str
    nonce: str
    label: str
    arg: str | None = None
    style: Literal["primary", "normal"] = "normal"
    confirm: str | None = None

    def __post_init__(self) -> None:
        if self.kind not in get_args(Kind):
            raise ValueError(f"button kind {self.kind!r}: use one of {', '.join(get_args(Kind))}")
        for field, value in (("target", self.target), ("nonce", self.nonce), ("arg", self.arg)):
            if value is not None and not _TOKEN.fullmatch(value):
                raise ValueError(f"button {field} {value[:40]!r}: use 1 to 128 ASCII letters, digits or ._:~=+/-")


@dataclass(frozen=True, slots=True)
class LinkButton:
    label: str
    url: str


def label(action: Action) -> str:
    return "Choose" if is_blank(action.label) else one_line(action.label)


def question(button: Button) -> str | None:
    """What to ask before acting, None where nothing is asked."""
    if button.confirm is None:
        return None
    return "Continue?" if is_blank(button.confirm) else clean(button.confirm)


def payload(button: Button) -> dict[str, str]:
    carried = {"kind": button.kind, "target": button.target, "nonce": button.nonce}
    return carried if button.arg is None else carried | {"arg": button.arg}


def used(action: Action, kinds: frozenset[str], target: str | None) -> bool:
    """Whether `action` is one of `kinds`, on `target` where one is named."""
    return isinstance(action, Button) and action.kind in kinds and target in {None, action.target}


def renewed(action: Action, nonce: str) -> Action:
    return replace(action, nonce=nonce) if isinstance(action, Button) else action
