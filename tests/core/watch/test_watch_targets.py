"""Whom a watch tells: its owner; and others where a steward sets it, under their own rights."""

from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.clock import HOUR, MINUTE
from core.errors import InvalidRequest, NotFound
from core.model.nodes import SECTION
from core.model.watching import ScopeType, TargetKind, WatchRequest
from core.store.tables import NotifyDelivery, Source
from core.watch.target import HeardBy, heard_by
from tests.support.deliveries import Worker
from tests.support.memories import CHANGES, add_person, change_row, page, put, rows, section, source_id

PERSONS = st.lists(st.uuids(), max_size=4)
ROLES = st.lists(st.sampled_from(["member", "steward", "admin"]), max_size=3)


def for_person(person_id):
    return {"kind": TargetKind.PERSON, "person_id": str(person_id)}


def shared(**audience):
    return {"kind": TargetKind.SHARED, "audience": audience}


def watch(memory, owner, target, scope=ScopeType.LABEL, ref=SECTION):
    return memory.watch(WatchRequest("theirs", scope, (ref,), CHANGES, target, debounce_secs=0), owner)


@pytest.fixture
def grace(memory):
    return add_person(memory, "Grace", ["steward"])


def travel(meals):
    return page("Travel", {"Meals": f"Meals cost at most {meals} EUR."})


# ── what a target names ──


@given(PERSONS, ROLES)
def test_a_target_names_whom_it_lists_each_once(persons, roles):
    target = shared(persons=[str(person) for person in persons * 2], roles=roles)
    if persons or roles:
        assert heard_by(target) == HeardBy(frozenset(persons), frozenset(roles))
    else:
        with pytest.raises(InvalidRequest, match="nobody"):
            heard_by(target)


@given(st.uuids())
def test_a_person_target_names_its_person(person):
    assert heard_by(for_person(person)) == HeardBy(frozenset({person}))


@pytest.mark.parametrize(
    "target",
    [
        for_person("Ada"),
        {"kind": TargetKind.PERSON},
        {"kind": TargetKind.SHARED},
        {"kind": TargetKind.SHARED, "audience": ["member"]},
        shared(),
        shared(roles="member"),
        shared(roles=[7]),
        shared(persons=["Ada"]),
        shared(roles=["everyone"]),
        shared(channel=["general"]),
    ],
    ids=str,
)
def test_what_names_nobody_that_there_can_be_is_refused_and_says_so(memory, grace, target):
    with pytest.raises(InvalidRequest):
        watch(memory, grace, target)


# ── who may set it ──


def test_a_steward_sets_another_person_who_is_told_under_their_own_rights(memory, grace, bob):
    put(memory, "travel.md", travel(40), ["member", "steward"])
    memory.sweep()
    watch(memory, grace, for_person(bob.person_id), ScopeType.ENTITY, section("travel.md", "Travel", "Meals"))
    worker = Worker(memory)
    for meals, readers, expected in ((45, ["member", "steward"], [bob.person_id]), (50, ["steward"], [])):
        memory.clock.advance(HOUR)
        put(memory, "travel.md", travel(meals), readers)
        change_row(memory, Source, ("default", source_id("travel.md")), readers=readers)
        memory.sweep()
        memory.clock.advance(MINUTE)
        assert [card.person_id for card in worker.send()] == expected
    assert sorted((row.state, row.reason) for row in rows(memory, NotifyDelivery)) == [
        ("sent", None),
        ("skipped", "not_authorised"),
    ]


@pytest.mark.parametrize("target", [shared(roles=["member"]), shared(roles=["member"], persons=[])], ids=str)
def test_a_steward_alone_lets_others_be_told(memory, ada, grace, target):
    with pytest.raises(InvalidRequest, match="only a steward"):
        watch(memory, ada, target)
    assert watch(memory, grace, target).fresh


def test_a_list_of_people_is_no_way_around(memory, ada, bob, grace):
    for persons in ([bob], [ada, bob]):
        target = shared(persons=[str(one.person_id) for one in persons])
        with pytest.raises(InvalidRequest, match="only a steward"):
            watch(memory, ada, target)
        assert watch(memory, grace, target).fresh
    assert watch(memory, ada, shared(persons=[str(ada.person_id)])).fresh


def test_whoever_is_not_there_cannot_be_told(memory, grace, bob):
    memory.people.ensure_tenant("other", "Other")
    abroad = add_person(memory, "Eve", tenant="other")
    memory.people.set_active("default", bob.person_id, False)
    for person_id in (UUID(int=7), abroad.person_id, bob.person_id):
        for target in (for_person(person_id), shared(persons=[str(person_id)])):
            with pytest.raises(NotFound):
                watch(memory, grace, target)
