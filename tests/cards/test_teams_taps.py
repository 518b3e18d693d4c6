"""What Teams sends when somebody taps: it is read as the card made it, and as nothing else."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cards.actions import Action, Button, Choice, Option
from cards.model import Card
from cards.teams import to_teams
from cards.teams_controls import Unchosen, read_tap
from tests.fakes.teams_cards import parts
from tests.strategies.card_content import buttons, short_texts

Json = dict[str, Any]
TAP = {"kind": "watch_mute", "target": "w1", "nonce": "n1", "arg": "1d"}
SET = {"kind": "preference_set", "target": "brief_day", "nonce": "n1", "arg": ""}
INPUT = "preference_set:brief_day"


def read(tap: Json, **other: Any) -> Button | Unchosen | None:
    return read_tap(tap["kind"], tap | other)


def test_a_tap_is_the_button_of_the_card_without_its_label() -> None:
    assert read(TAP) == Button("watch_mute", "w1", "n1", "", arg="1d")
    without = {name: value for name, value in TAP.items() if name != "arg"}
    assert read(without) == Button("watch_mute", "w1", "n1", "")


def test_what_was_chosen_arrives_under_the_name_of_its_input() -> None:
    assert read(SET | {INPUT: "friday"}) == Button("preference_set", "brief_day", "n1", "", arg="friday")


@pytest.mark.parametrize("none", [{}, {INPUT: ""}, {INPUT: None}])
def test_a_tap_that_sets_nothing_yet_is_a_case_of_its_own(none: Json) -> None:
    """A client sends nothing, or nothing to see, of an input that nobody touched."""
    assert read(SET | none) == Unchosen("preference_set", "brief_day", "n1")


def test_the_inputs_of_other_choices_are_not_meant() -> None:
    """Teams sends every input of a card with every tap on it, also on a button that sets the same to something else."""
    others = {"preference_set:brief_hour": "9", "watch_pace:brief_day": "daily", "brief_day": "monday"}
    assert read(SET | others) == Unchosen("preference_set", "brief_day", "n1")
    stop = SET | {"arg": "off"}
    assert read(stop | others | {INPUT: "friday"}) == read(stop)


@pytest.mark.parametrize(
    "wrong",
    [
        {"kind": "shout"},
        {"kind": None},
        {"kind": ["watch_mute"]},
        {"target": None},
        {"target": ""},
        {"target": "two words"},
        {"target": 7},
        {"target": "x" * 129},
        {"nonce": None},
        {"nonce": "n\n"},
        {"nonce": {"n": 1}},
        {"arg": " "},
        {"arg": 0},
        {"arg": True},
        {"arg": ["1d"]},
    ],
)
def test_what_no_card_could_have_offered_is_refused(wrong: Json) -> None:
    assert read_tap("watch_mute", TAP | wrong) is None


@pytest.mark.parametrize("chosen", [" ", "two words", ["friday"], {"arg": "friday"}, 7, True])
def test_what_no_choice_could_have_offered_is_refused(chosen: Any) -> None:
    assert read(SET | {INPUT: chosen}) is None


def test_a_tap_of_another_verb_is_refused() -> None:
    assert read_tap("watch_create", TAP) is None
    assert read_tap("", TAP) is None
    assert read_tap("watch_mute", {}) is None


def offered(actions: tuple[Action, ...]) -> list[Json]:
    """What the buttons of a card send."""
    return [part for part in parts(to_teams(Card((), (), actions, ()))) if part["type"] == "Action.Execute"]


@given(st.lists(buttons, max_size=4).map(tuple))
def test_every_button_of_any_card_is_read_as_what_it_is(actions: tuple[Action, ...]) -> None:
    taps = [read_tap(tap["verb"], tap["data"]) for tap in offered(actions)]
    plain = [(a.kind, a.target, a.nonce, a.arg) for a in actions if isinstance(a, Button)]
    assert [(t.kind, t.target, t.nonce, t.arg) for t in taps if isinstance(t, Button)] == plain
    settings = [(t.kind, t.target) for t in taps if isinstance(t, Unchosen)]
    assert settings == list(dict.fromkeys((a.kind, a.target) for a in actions if isinstance(a, Choice)))


def test_a_choice_and_a_button_of_the_same_thing_are_told_apart() -> None:
    choice = Choice("preference_set", "brief_day", "n1", "Brief", (Option("monday", "Monday"),), "monday")
    both = (Button("preference_set", "brief_day", "n1", "Renew"), choice)
    typed = {INPUT: "monday"}
    assert [read_tap(tap["verb"], tap["data"] | typed) for tap in offered(both)] == [
        Button("preference_set", "brief_day", "n1", ""),
        Button("preference_set", "brief_day", "n1", "", arg="monday"),
    ]


scalars = st.none() | st.booleans() | st.integers() | short_texts
anything = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=2) | st.dictionaries(short_texts, inner, max_size=2)
)
names = st.sampled_from(("kind", "target", "nonce", "arg", INPUT)) | short_texts


@given(short_texts, st.dictionaries(names, anything | st.sampled_from(list(TAP.values())), max_size=6))
def test_anything_at_all_is_read_or_refused(verb: str, data: Json) -> None:
    tap = read_tap(verb, data)
    assert tap is None or (tap.kind, tap.target, tap.nonce) == (data["kind"], data["target"], data["nonce"])
