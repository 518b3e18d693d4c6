from dataclasses import replace
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.model.grants import CardAction, Grant, PermittedAction, fingerprint

GRANT = Grant(
    tenant="acme",
    person_id=UUID(int=7),
    actions=(PermittedAction("watch_mute", "w-1", ("1h", "1d")), PermittedAction("answer_refresh", "a-1")),
    generation_id="g-1",
    delivery_key="d-1",
)


def test_the_fingerprint_does_not_depend_on_the_order_of_actions_or_arguments():
    turned = replace(
        GRANT,
        actions=(PermittedAction("answer_refresh", "a-1"), PermittedAction("watch_mute", "w-1", ("1d", "1h"))),
    )
    assert fingerprint(turned) == fingerprint(GRANT)


@given(st.permutations([PermittedAction(kind, target) for kind in "ab" for target in "xyz"]))
def test_any_order_of_actions_is_the_same_grant(actions):
    ordered = replace(GRANT, actions=tuple(sorted(actions, key=str)))
    assert fingerprint(replace(GRANT, actions=tuple(actions))) == fingerprint(ordered)


@pytest.mark.parametrize(
    "other",
    [
        replace(GRANT, tenant="other"),
        replace(GRANT, person_id=UUID(int=8)),
        replace(GRANT, generation_id="g-2"),
        replace(GRANT, delivery_key="d-2"),
        replace(GRANT, actions=GRANT.actions[:1]),
        replace(GRANT, actions=(*GRANT.actions, PermittedAction("watch_create", "a-1"))),
        replace(GRANT, actions=(PermittedAction("watch_mute", "w-1", ("1h",)), GRANT.actions[1])),
        replace(GRANT, actions=(PermittedAction("watch_mute", "w-2", ("1h", "1d")), GRANT.actions[1])),
    ],
)
def test_every_field_counts_in_the_fingerprint(other):
    assert fingerprint(other) != fingerprint(GRANT)


@pytest.mark.parametrize(
    ("action", "allowed"),
    [
        (CardAction("watch_mute", "w-1", "1h"), True),
        (CardAction("watch_mute", "w-1", "1w"), False),
        (CardAction("watch_mute", "w-1"), False),
        (CardAction("watch_mute", "w-2", "1h"), False),
        (CardAction("watch_stop", "w-1", "1h"), False),
    ],
)
def test_an_action_with_arguments_allows_exactly_one_of_them(action, allowed):
    assert GRANT.actions[0].allows(action) is allowed


@pytest.mark.parametrize(("arg", "allowed"), [(None, True), ("", False), ("1h", False)])
def test_an_action_without_arguments_allows_none(arg, allowed):
    assert GRANT.actions[1].allows(CardAction("answer_refresh", "a-1", arg)) is allowed
