"""Who may read what, by names alone."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import InvalidRequest
from core.ids import derived
from core.model.principals import EVERYONE, Principal, person_reader, role_names, visible_to

ADA, BOB, KEY = (derived("p", name) for name in ("ada", "bob", "key"))
NAMES = st.sampled_from(["member", "admin", EVERYONE, person_reader(ADA), person_reader(BOB)])
ROLES = st.frozensets(st.sampled_from(["member", "admin", "board"]))


@given(ROLES, st.lists(NAMES))
def test_a_person_reads_by_a_role_by_name_or_with_everyone(roles, readers):
    admits = bool(roles & set(readers)) or EVERYONE in readers or person_reader(ADA) in readers
    assert visible_to(Principal("t", ADA, roles), readers) == admits


@given(ROLES, st.lists(NAMES))
def test_a_key_reads_by_a_role_or_with_everyone_and_as_nobody(roles, readers):
    admits = bool(roles & set(readers)) or EVERYONE in readers
    assert visible_to(Principal("t", None, roles, KEY), readers) == admits


@given(st.lists(st.sampled_from(["member", "admin", "Leitung", "研究"])))
def test_roles_come_in_order_each_once(names):
    assert role_names(names) == sorted(set(names))


@given(st.uuids(), st.booleans())
def test_no_role_admits_its_holder_as_somebody_else(person_id, first):
    names = [person_reader(person_id), "member"] if first else ["member", person_reader(person_id)]
    with pytest.raises(InvalidRequest, match="names a reader"):
        role_names(names)


@pytest.mark.parametrize("name", ["", " ", "member ", "\tmember", EVERYONE, "person:"])
def test_what_is_no_role_is_refused(name):
    with pytest.raises(InvalidRequest, match="is no role"):
        role_names(["member", name])


def test_whose_things_a_keys_are_is_no_question():
    assert Principal("t", ADA).person_id == ADA
    with pytest.raises(InvalidRequest, match="this API key stands for no person"):
        _ = Principal("t", None, frozenset(), KEY).person_id


def test_an_actor_is_a_person_or_a_key():
    assert Principal("t", ADA).actor == f"person:{ADA}"
    assert Principal("t", None, frozenset(), KEY).actor == f"key:{KEY}"
