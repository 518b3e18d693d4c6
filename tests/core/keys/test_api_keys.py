"""API keys: shown once, kept as a hash, good for their roles in their tenant until they are revoked."""

from dataclasses import replace

import pytest
from sqlalchemy import event

from core.clock import DAY, SECOND
from core.errors import InvalidRequest, NotFound, UnknownKey
from core.ids import random_id
from core.model.principals import Principal
from core.model.watching import EventKind, ScopeType, TargetKind, WatchRequest
from core.planner.request import PlanRequest
from core.store.tables import ApiKey, Trace
from tests.support.memories import audited, page, put, rows, section

QUESTION = "What may a meal cost?"


def make(memory, *roles, tenant="default"):
    return memory.api_keys.create(tenant, "importer", roles or ("member",))


def refused(memory, secret):
    with pytest.raises(UnknownKey) as caught:
        memory.api_keys.principal_of(secret)
    return str(caught.value)


# ── made ──


def test_a_key_made_with_roles_names_its_tenant_and_those_and_no_person(memory):
    made = make(memory, "steward", "member", "steward")
    principal = memory.api_keys.principal_of(made.secret)
    assert principal == Principal("default", None, frozenset({"member", "steward"}), made.key_id)
    assert principal.actor == f"key:{made.key_id}"


def test_a_key_is_long_random_and_known_by_its_prefix(memory):
    secrets = {make(memory).secret for _ in range(20)}
    assert len(secrets) == 20
    assert {(secret[:8], len(secret)) for secret in secrets} == {("clarify_", 8 + 43)}, "256 bits in base 64"


def test_nothing_that_is_kept_shown_or_audited_holds_the_key(memory):
    made = make(memory)
    [row] = rows(memory, ApiKey)
    kept = [row.model_dump(), *(entry.model_dump() for entry in audited(memory)), memory.api_keys.all("default"), made]
    assert made.secret not in str(kept)
    assert made.secret.removeprefix("clarify_") not in str(kept)
    assert len(row.key_hash) == 32


def test_making_and_revoking_is_audited(memory, clock):
    made = memory.api_keys.create("default", "importer", ["member"], "person:7")
    clock.advance(SECOND)
    for _ in range(2):
        memory.api_keys.revoke("default", made.key_id)
    assert [(row.actor, row.action, row.target, row.detail) for row in audited(memory)] == [
        ("person:7", "key_made", f"key:{made.key_id}", {"roles": ["member"]}),
        ("operator", "key_revoked", f"key:{made.key_id}", {}),
    ]


@pytest.mark.parametrize(
    ("name", "roles", "words"),
    [
        ("", ["member"], "needs a name"),
        ("  ", ["member"], "needs a name"),
        ("x" * 101, ["member"], "needs a name"),
        ("a\nb", ["member"], "printable"),
        ("\x1b[31mred", ["member"], "printable"),
        ("nul\0", ["member"], "printable"),
        ("importer", [], "at least one role"),
        ("importer", ["everyone"], "names a reader"),
        ("importer", [f"person:{random_id()}"], "names a reader"),
        ("importer", [""], "no role"),
    ],
)
def test_what_is_no_key_says_what_would_be_one(memory, name, roles, words):
    with pytest.raises(InvalidRequest, match=words):
        memory.api_keys.create("default", name, roles)
    assert rows(memory, ApiKey) == []


# ── revoked and unknown ──


def test_a_revoked_key_is_refused_like_one_that_never_was(memory, clock):
    made, other = make(memory), make(memory)
    clock.advance(SECOND)
    memory.api_keys.revoke("default", made.key_id)
    never = "clarify_" + "A" * 43
    said = {refused(memory, secret) for secret in (made.secret, never, "", "clarify_", made.secret[:-1], "\udcff", "é")}
    assert said == {"The API key is not known here, or was revoked."}
    assert memory.api_keys.principal_of(other.secret).api_key == other.key_id
    assert [(key.key_id, key.revoked_at) for key in memory.api_keys.all("default")] == sorted(
        [(made.key_id, clock.now()), (other.key_id, 0)]
    )


def test_a_miss_costs_what_a_hit_costs(memory):
    made, gone = make(memory), make(memory)
    memory.api_keys.revoke("default", gone.key_id)
    asked = []
    event.listen(
        memory._database.engine, "before_cursor_execute", lambda _c, _u, statement, *_: asked.append(statement)
    )
    memory.api_keys.principal_of(made.secret)
    hit = list(asked)
    for secret in (gone.secret, "clarify_" + "A" * 43, "x"):
        asked.clear()
        refused(memory, secret)
        assert asked == hit


def test_the_key_of_another_tenant_is_not_there_to_be_revoked_or_listed(memory):
    memory.people.ensure_tenant("other", "Other")
    made = make(memory)
    with pytest.raises(NotFound):
        memory.api_keys.revoke("other", made.key_id)
    assert memory.api_keys.all("other") == []
    assert memory.api_keys.principal_of(made.secret).tenant_id == "default"
    assert memory.api_keys.principal_of(make(memory, tenant="other").secret).tenant_id == "other"


# ── of a person, and for a time ──


def key_of(memory, person, **more):
    return memory.api_keys.create("default", "script", person_id=person.person_id, **more)


def test_a_key_of_a_person_is_they_with_the_roles_they_hold_now(memory, bob):
    made = key_of(memory, bob)
    assert memory.api_keys.principal_of(made.secret) == replace(bob, api_key=made.key_id)
    memory.people.put("default", "Bob", roles=["admin"])
    assert memory.api_keys.principal_of(made.secret).roles == {"admin"}
    assert memory.watches(memory.api_keys.principal_of(made.secret)) == []


def test_a_key_of_a_person_ends_with_them(memory, bob):
    made, elsewhere = key_of(memory, bob), make(memory)
    memory.people.set_active("default", bob.person_id, active=False)
    never = refused(memory, "clarify_" + "A" * 43)
    assert refused(memory, made.secret) == never
    with pytest.raises(UnknownKey):
        memory.generate(QUESTION, replace(bob, api_key=made.key_id), allow_ungrounded=True)
    assert memory.api_keys.principal_of(elsewhere.secret)
    memory.people.set_active("default", bob.person_id, active=True)
    memory.api_keys.revoke("default", made.key_id)
    assert refused(memory, made.secret) == never


def test_a_key_is_good_until_its_time_is_over_and_then_like_one_that_never_was(memory, clock):
    made = memory.api_keys.create("default", "script", ["member"], keep_for=DAY)
    clock.advance(DAY - 1)
    assert memory.api_keys.principal_of(made.secret).api_key == made.key_id
    clock.advance(1)
    assert refused(memory, made.secret) == refused(memory, "clarify_" + "A" * 43)
    [listed] = memory.api_keys.all("default")
    assert (listed.expires_at, listed.revoked_at) == (clock.now(), 0)


def test_whoever_was_let_in_by_a_key_reads_nothing_more_from_its_end_on(memory, clock):
    """A program that stays connected is let in once; a request may wait its turn for longer than its key lasts."""
    put(memory, "travel.md", page("Travel", {"Meals": "A meal may cost 40 EUR at most."}))
    made = memory.api_keys.create("default", "script", ["member"], keep_for=DAY)
    let_in = memory.api_keys.principal_of(made.secret)
    assert memory.context(PlanRequest(QUESTION), let_in).items
    clock.advance(DAY)
    with pytest.raises(UnknownKey):
        memory.context(PlanRequest(QUESTION), let_in)


@pytest.mark.parametrize(
    ("more", "error", "words"),
    [
        ({"person_id": random_id}, NotFound, "no person"),
        ({"person_id": random_id, "roles": ["member"]}, InvalidRequest, "none of its own"),
        ({"roles": ["member"], "keep_for": 0}, InvalidRequest, "for some time"),
        ({"roles": ["member"], "keep_for": 100 * 365 * DAY + 1}, InvalidRequest, "at most 100 years"),
        ({"roles": ["member"], "keep_for": 2**80}, InvalidRequest, "at most 100 years"),
    ],
)
def test_what_is_no_key_of_anybody_says_why(memory, more, error, words):
    given = {name: value() if callable(value) else value for name, value in more.items()}
    with pytest.raises(error, match=words):
        memory.api_keys.create("default", "script", **given)
    assert rows(memory, ApiKey) == []


def test_a_key_of_somebody_of_another_tenant_cannot_be_made(memory, bob):
    memory.people.ensure_tenant("other", "Other")
    with pytest.raises(NotFound):
        memory.api_keys.create("other", "script", person_id=bob.person_id)


# ── what a key may do ──


@pytest.fixture
def pages(memory):
    for name, readers in (("open", ["everyone"]), ("board", ["board"]), ("staff", ["member"])):
        put(memory, f"{name}.md", page(name, {"Meals": f"A meal may cost 40 EUR, says {name}."}), readers)


@pytest.mark.parametrize(
    ("roles", "names"), [(["member"], {"open", "staff"}), (["board"], {"open", "board"}), (["x"], {"open"})]
)
def test_a_key_reads_by_its_roles(memory, pages, roles, names):
    principal = memory.api_keys.principal_of(make(memory, *roles).secret)
    read = " ".join(span.text for span in memory.plan(PlanRequest(question=QUESTION), principal).spans)
    assert {name for name in ("open", "board", "staff") if name in read} == names


def test_a_key_may_ask_and_its_trace_is_no_persons(memory, pages):
    principal = memory.api_keys.principal_of(make(memory).secret)
    answer = memory.generate(QUESTION, principal)
    assert answer.claims
    assert [(row.trace_id, row.person_id) for row in rows(memory, Trace)] == [(answer.trace_id, None)]


def test_a_key_of_nobody_owns_nothing_and_is_told_so(memory, pages, ada):
    principal = memory.api_keys.principal_of(make(memory).secret)
    trace_id = memory.generate(QUESTION, principal).trace_id
    target = {"kind": TargetKind.PERSON, "person_id": str(ada.person_id)}
    request = WatchRequest(
        "mine", ScopeType.ENTITY, (section("open.md", "open", "Meals"),), (EventKind.FACT_CHANGED,), target
    )
    for owning in (
        lambda: memory.save_answer(trace_id, principal),
        lambda: memory.watch(request, principal),
        lambda: memory.answers(principal),
        lambda: memory.watches(principal),
        lambda: memory.recent_fires(principal),
        lambda: memory.mute_all(principal, 0),
        lambda: memory.prefer(principal, "brief_day", "fri"),
    ):
        with pytest.raises(InvalidRequest, match="stands for no person"):
            owning()
