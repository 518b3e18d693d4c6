"""What a tap carries: `{kind, target, nonce[, arg]}` and nothing else. No text, no person, no token."""

from dataclasses import dataclass, replace
from typing import Literal, TypeAlias, get_args

import regex

from cards.text import clean, is_blank, one_line

Kind = Literal[
    "watch_create", "watch_mute", "watch_pace", "answer_refresh", "answer_save", "clarify_vote", "preference_set"
]
Action: TypeAlias = "Button | LinkButton | Choice"

MOST_OPTIONS = 100
OPTION_IDS = 90  # target, nonce and arg together: an option's value, the JSON of the tap, then fits Slack's 150
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
        _check("button", self.kind, {"target": self.target, "nonce": self.nonce, "arg": self.arg})


@dataclass(frozen=True, slots=True)
class LinkButton:
    label: str
    url: str


@dataclass(frozen=True, slots=True)
class Option:
    """`arg` is what the tap carries, `label` what the person reads."""

    arg: str
    label: str


@dataclass(frozen=True, slots=True)
class Choice:
    """One of several, the present one shown; `chosen` None where it is none of them."""

    kind: Kind
    target: str
    nonce: str
    label: str
    options: tuple[Option, ...]
    chosen: str | None = None

    def __post_init__(self) -> None:
        args = [option.arg for option in self.options]
        _check("choice", self.kind, {"target": self.target, "nonce": self.nonce})
        for arg in args:
            _check("option", self.kind, {"arg": arg})
        if not 1 <= len(args) <= MOST_OPTIONS or len(set(args)) < len(args):
            raise ValueError(f"choice {self.target!r}: give 1 to {MOST_OPTIONS} options, each with an arg of its own")
        if self.chosen is not None and self.chosen not in args:
            raise ValueError(f"choice {self.target!r}: {self.chosen[:40]!r} is chosen; use one of {', '.join(args)}")
        length = len(self.target) + len(self.nonce) + max(map(len, args))
        if length > OPTION_IDS:
            raise ValueError(
                f"choice {self.target!r}: target, nonce and arg are {length} long; use at most {OPTION_IDS}"
            )


def _check(what: str, kind: str, ids: dict[str, str | None]) -> None:
    if kind not in get_args(Kind):
        raise ValueError(f"{what} kind {kind!r}: use one of {', '.join(get_args(Kind))}")
    for field, value in ids.items():
        if value is not None and not _TOKEN.fullmatch(value):
            raise ValueError(f"{what} {field} {value[:40]!r}: use 1 to 128 ASCII letters, digits or ._:~=+/-")


def label(action: Action) -> str:
    return "Choose" if is_blank(action.label) else one_line(action.label)


def option_label(option: Option) -> str:
    return option.arg if is_blank(option.label) else one_line(option.label)


def stated(choice: Choice) -> str:
    """A choice in words: what it is, and the present option where there is one."""
    now = next((option_label(option) for option in choice.options if option.arg == choice.chosen), "")
    return f"{label(choice)}: {now}" if now else label(choice)


def question(button: Button) -> str | None:
    """What to ask before acting, None where nothing is asked."""
    if button.confirm is None:
        return None
    return "Continue?" if is_blank(button.confirm) else clean(button.confirm)


def payload(action: Button | Choice, arg: str | None = None) -> dict[str, str]:
    """What a tap on `action` carries; for a choice, with the `arg` that was chosen."""
    carried = {"kind": action.kind, "target": action.target, "nonce": action.nonce}
    given = action.arg if isinstance(action, Button) else arg
    return carried if given is None else carried | {"arg": given}


def used(action: Action, kinds: frozenset[str], target: str | None) -> bool:
    """Whether `action` is one of `kinds`, on `target` where one is named."""
    return not isinstance(action, LinkButton) and action.kind in kinds and target in {None, action.target}


def renewed(action: Action, nonce: str) -> Action:
    return action if isinstance(action, LinkButton) else replace(action, nonce=nonce)
