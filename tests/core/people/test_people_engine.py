"""People are renewed without losing what was decided about them meanwhile."""

import pytest

from core.clock import DAY
from core.errors import InsufficientEvidence, InvalidRequest, NotFound
from core.ids import random_id
from core.model.principals import person_reader
from core.model.work import Place
from core.planner.request import PlanRequest
from core.store.tables import Person
from tests.support.memories import add_person, change_row, put, rows
from tests.support.threads import at_once


def test_renewing_a_person_keeps_their_id_their_mute_and_their_state(memory, clock):
    first = memory.people.put("default", "Ada", email="ada@example.com")
    change_row(memory, Person, ("default", first), active=False, muted_until=clock.now() + DAY)
    again = memory.people.put("default", "Ada L.", email="ada@example.com", roles=["admin"], zone="Europe/Berlin")
    (person,) = rows(memory, Person)
    assert (again, person.display_name, person.roles, person.zone) == (first, "Ada L.", ["admin"], "Europe/Berlin")
    assert (person.active, person.muted_until) == (False, clock.now() + DAY)


def test_a_person_who_has_left_is_no_principal(memory, ada):
    change_row(memory, Person, ("default", ada.person_id), active=False)
    with pytest.raises(NotFound):
        memory.people.principal("default", ada.person_id)


def test_an_unknown_time_zone_says_what_would_be_right(memory):
    with pytest.raises(InvalidRequest, match="Europe/Berlin"):
        memory.people.put("default", "Ada", zone="Mars/Olympus")


def test_a_name_that_several_share_is_not_guessed_at(memory):
    for address in ("a@example.com", "b@example.com"):
        memory.people.put("default", "Ada", email=address)
    with pytest.raises(InvalidRequest, match="2 people"):
        memory.people.named("default", "Ada")
    assert memory.people.named("default", "a@example.com").display_name == "Ada"


def test_whoever_is_named_by_an_address_is_found_whatever_its_case(memory):
    first = memory.people.put("default", "Mem", email="Mem@example.com")
    assert memory.people.named("default", "mem@EXAMPLE.com").person_id == first
    assert memory.people.put("default", "Mem L.", email="mem@example.com", roles=["admin"]) == first
    assert [(one.display_name, one.roles) for one in memory.people.all("default")] == [("Mem L.", ("admin",))]


def test_an_address_that_only_folds_to_theirs_names_nobody(memory):
    kelvin = memory.people.put("default", "Kelvin", email="\u212a@example.com")
    for written in ("k@example.com", "K@example.com"):
        with pytest.raises(NotFound):
            memory.people.named("default", written)
    assert memory.people.put("default", "Kay", email="k@example.com") != kelvin
    assert memory.people.named("default", "\u212a@example.com").person_id == kelvin


def test_of_two_whose_addresses_differ_by_case_the_one_that_is_written_is_meant(memory):
    first = memory.people.put("default", "Mem", email="Mem@example.com")
    second = memory.people.put("default", "Mem", email="other@example.com")
    change_row(memory, Person, ("default", second), email="mem@example.com")
    found = [memory.people.named("default", address).person_id for address in ("Mem@example.com", "mem@example.com")]
    assert found == [first, second]
    with pytest.raises(InvalidRequest, match="2 people"):
        memory.people.named("default", "MEM@example.com")
    assert memory.people.put("default", "Mem", email="Mem@example.com") == first


def test_a_person_of_one_tenant_is_nobody_in_another(memory, ada):
    memory.people.ensure_tenant("other", "Other")
    with pytest.raises(NotFound):
        memory.people.principal("other", ada.person_id)
    assert add_person(memory, "Ada", tenant="other").person_id != ada.person_id


def test_one_person_added_and_bound_twice_at_once_is_one_person(memory):
    for name in "abcdefgh":
        ids = at_once(*[lambda: memory.people.put("default", name)] * 4)  # noqa: B023  # called before the next name
        assert len(set(ids)) == 1
        bound = at_once(*[lambda: memory.people.bind("default", ids[0], Place("local", "local", name))] * 4)  # noqa: B023
        assert bound == [None] * 4


# ── roles ──


def shown(memory, person_id):
    """What the next read of a person gives them."""
    try:
        planned = memory.plan(PlanRequest(question="meal"), memory.people.principal("default", person_id))
    except (InsufficientEvidence, NotFound):
        return set()
    return {span.text for span in planned.spans}


def test_a_change_of_roles_takes_effect_at_the_next_read(memory):
    for readers in ("member", "board"):
        put(memory, f"{readers}.md", f"A meal for the {readers}.\n".encode(), [readers])
    person_id = memory.people.put("default", "Ada")
    assert shown(memory, person_id) == {"A meal for the member."}
    memory.people.put("default", "Ada", roles=["member", "board"])
    assert shown(memory, person_id) == {"A meal for the member.", "A meal for the board."}
    memory.people.put("default", "Ada", roles=["board"])
    assert shown(memory, person_id) == {"A meal for the board."}
    memory.people.put("default", "Ada", roles=[])
    assert shown(memory, person_id) == set()


def test_whoever_is_let_go_reads_nothing_until_they_are_back(memory):
    put(memory, "open.md", b"A meal for everyone.\n")
    person_id = memory.people.put("default", "Ada")
    memory.people.set_active("default", person_id, active=False)
    assert shown(memory, person_id) == set()
    memory.people.set_active("default", person_id, active=True)
    assert shown(memory, person_id) == {"A meal for everyone."}


def test_what_is_not_named_stays_when_a_person_is_renewed(memory):
    first = memory.people.put("default", "Ada", roles=["admin"], zone="Europe/Berlin", locale="de")
    assert memory.people.put("default", "Ada") == first
    ada = memory.people.get("default", first)
    assert (ada.roles, ada.zone, ada.locale) == (("admin",), "Europe/Berlin", "de")
    new = memory.people.get("default", memory.people.put("default", "Bo"))
    assert (new.roles, new.zone, new.locale) == (("member",), "UTC", "en")


def test_nobody_is_given_a_role_that_reads_as_somebody_else(memory, bob):
    for role in (person_reader(bob.person_id), "everyone"):
        with pytest.raises(InvalidRequest, match="names a reader"):
            memory.people.put("default", "Ada", roles=[role])
    with pytest.raises(NotFound):
        memory.people.named("default", "Ada")


def test_nobody_lets_go_whom_nobody_knows(memory):
    with pytest.raises(NotFound):
        memory.people.set_active("default", random_id(), active=False)
