"""Webhooks are registered by operators, their secrets shown once and kept nowhere, and watches tell no others."""

import pytest

from core.errors import InvalidConfig, InvalidRequest, NotFound
from core.ids import random_id, random_key
from core.model.principals import ADMIN, Principal
from core.model.watching import EventKind, ScopeType
from core.store.tables import Watch
from core.webhooks.signing import secret_of, shown
from tests.core.webhooks.conftest import GONE, KEY, MEALS, OPERATING, SOURCE, URL, telling, travel
from tests.support.memories import add_person, audited, dump, rows, watch_request


def add(memory, name="ledger", url=URL, roles=("member",), **more):
    return memory.webhooks.add("default", name, url, roles, KEY, **more)


# ── the invariant ──


def test_webhook_target_must_be_registered(memory):
    travel(memory, 40)
    made = add(memory)
    for webhook_id in (random_id(), "", "ledger", URL, None):
        with pytest.raises(InvalidRequest, match="registered"):
            memory.watch(telling(webhook_id, MEALS), OPERATING)
    assert rows(memory, Watch) == []
    assert memory.watch(telling(made.webhook_id, MEALS), OPERATING).fresh


def test_nor_may_it_be_switched_off_removed_or_another_tenants(hooked):
    memory, hook = hooked.memory, hooked.made.webhook_id
    memory.people.ensure_tenant("other", "Other")
    other = memory.webhooks.add("other", "theirs", URL, ["member"], KEY).webhook_id
    with pytest.raises(InvalidRequest, match="registered"):
        memory.watch(telling(other, MEALS), OPERATING)
    hooked.change()
    hooked.work(GONE)
    with pytest.raises(InvalidRequest, match="switched off"):
        memory.watch(telling(hook, str(SOURCE), scope=ScopeType.SOURCE), OPERATING)
    memory.webhooks.remove("default", "ledger")
    with pytest.raises(InvalidRequest, match="registered"):
        memory.watch(telling(hook, MEALS), OPERATING)


# ── who lets it be told of what ──


@pytest.mark.parametrize("roles", [(), ("member",), ("steward", "member")])
def test_nobody_but_an_admin_lets_a_webhook_be_told(hooked, roles):
    person = add_person(hooked.memory, "Ada", roles=roles)
    key = Principal("default", None, frozenset(roles), random_id())
    for principal in (person, key):
        for hook in (hooked.made.webhook_id, random_id()):
            with pytest.raises(InvalidRequest, match="only an admin"):
                hooked.memory.watch(telling(hook, MEALS), principal)


def test_an_admin_by_chat_by_key_and_at_the_command_line_make_one_watch(hooked):
    person = add_person(hooked.memory, "Ada", roles=("member", ADMIN))
    key = Principal("default", None, frozenset({ADMIN}), random_id())
    request = telling(hooked.made.webhook_id, MEALS)
    views = [hooked.memory.watch(request, principal) for principal in (OPERATING, person, key)]
    assert [(view.watch_id, view.fresh) for view in views] == [(hooked.view.watch_id, False)] * 3
    assert [one.watch_id for one in hooked.memory.webhooks.watched("default", hooked.made.webhook_id)] == [
        hooked.view.watch_id
    ]
    assert hooked.memory.watches(person) == []


def test_a_webhook_is_told_of_what_its_roles_may_read_whoever_asks(memory):
    travel(memory, 40, readers=("board",))
    admin = add_person(memory, "Ada", roles=("board", ADMIN))
    blind, seeing = add(memory, "a"), add(memory, "b", roles=["board"])
    for scope, ref in ((ScopeType.ENTITY, MEALS), (ScopeType.SOURCE, str(SOURCE))):
        with pytest.raises(NotFound):
            memory.watch(telling(blind.webhook_id, ref, scope=scope), admin)
        assert memory.watch(telling(seeing.webhook_id, ref, scope=scope), OPERATING).fresh


@pytest.mark.parametrize("scope", [ScopeType.ANSWER, ScopeType.CLARIFICATION])
def test_it_is_not_told_of_peoples_answers_and_questions(hooked, scope):
    with pytest.raises(InvalidRequest, match="a webhook is told of"):
        hooked.memory.watch(telling(hooked.made.webhook_id, str(random_id()), scope=scope), OPERATING)


def test_it_may_be_told_of_a_label_without_a_single_node(hooked):
    request = telling(hooked.made.webhook_id, "PAY", scope=ScopeType.LABEL, events=(EventKind.FACT_CHANGED,))
    assert hooked.memory.watch(request, OPERATING).fresh


def test_a_watch_that_is_ended_tells_no_more_and_may_be_made_again(hooked):
    memory = hooked.memory
    for _ in range(2):
        memory.webhooks.unwatch("default", "ledger", hooked.view.watch_id)
        assert memory.webhooks.watched("default", hooked.made.webhook_id) == []
        hooked.change()
        assert hooked.work() == 0
        with pytest.raises(NotFound, match="no watch"):
            memory.webhooks.unwatch("default", "ledger", hooked.view.watch_id)
        assert memory.watch(telling(hooked.made.webhook_id, MEALS), OPERATING).fresh
    hooked.change()
    assert hooked.work() == 1


def test_a_persons_watch_is_not_a_webhooks_to_end(hooked):
    ada = add_person(hooked.memory, "Ada")
    own = hooked.memory.watch(watch_request(ada, ScopeType.ENTITY, MEALS), ada)
    with pytest.raises(NotFound):
        hooked.memory.webhooks.unwatch("default", "ledger", own.watch_id)
    assert len(hooked.memory.watches(ada)) == 1


# ── registering ──


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"name": " "}, "needs a name"),
        ({"name": "x" * 101}, "needs a name"),
        ({"roles": ()}, "at least one role"),
        ({"roles": ("everyone",)}, "names a reader"),
        ({"roles": (f"person:{random_id()}",)}, "names a reader"),
        ({"url": "http://example.com/"}, "--allow-plain"),
        ({"url": "https://127.0.0.1/"}, "--allow-private"),
    ],
)
def test_what_is_no_webhook_says_what_would_be_one(memory, more, words):
    with pytest.raises(InvalidRequest, match=words):
        add(memory, **more)
    assert memory.webhooks.all("default") == []


def test_a_name_is_one_webhooks_and_free_again_when_it_is_removed(memory):
    first = add(memory)
    with pytest.raises(InvalidRequest, match="already"):
        add(memory, " ledger ")
    memory.webhooks.remove("default", "ledger")
    second = add(memory)
    assert first.webhook_id != second.webhook_id
    assert first.secret != second.secret


def test_the_secret_is_shown_once_and_nothing_that_is_kept_or_audited_holds_it(memory):
    made = add(memory)
    assert made.secret == shown(secret_of(KEY, made.webhook_id, 1))
    renewed = memory.webhooks.renew("default", "ledger", KEY)
    kept = dump(memory) + str([memory.webhooks.all("default"), made, renewed])
    for new in (made, renewed):
        raw = secret_of(KEY, made.webhook_id, 1 if new is made else 2)
        for form in (new.secret, new.secret.removeprefix("whsec_"), raw.hex(), repr(raw)[2:-1]):
            assert form not in kept
    assert KEY.hex() not in kept


def test_another_key_file_is_noticed_before_anything_is_signed(hooked):
    hooked.change()
    [job] = hooked.leased()
    for call in (
        lambda key: hooked.memory.webhooks.take(job, key),
        lambda key: hooked.memory.webhooks.trial("default", "ledger", key),
        lambda key: hooked.memory.webhooks.renew("default", "ledger", key),
    ):
        with pytest.raises(InvalidConfig, match="another key file"):
            call(random_key())
    assert hooked.take(job) is not None


def test_what_there_is_not_is_not_found(memory):
    hooks = memory.webhooks
    for call in (hooks.named, hooks.enable, hooks.remove):
        with pytest.raises(NotFound, match="no webhook named 'nobody'"):
            call("default", "nobody")
    for call in (hooks.renew, hooks.trial):
        with pytest.raises(NotFound):
            call("default", "nobody", KEY)


def test_webhooks_are_a_tenants_own(memory):
    memory.people.ensure_tenant("other", "Other")
    add(memory)
    assert memory.webhooks.all("other") == []
    with pytest.raises(NotFound):
        memory.webhooks.named("other", "ledger")


def test_what_an_operator_does_is_audited_without_the_address(hooked, clock):
    memory, hook = hooked.memory, hooked.made.webhook_id
    for step in (
        lambda: memory.webhooks.renew("default", "ledger", KEY, "person:7"),
        lambda: memory.webhooks.enable("default", "ledger"),
        lambda: memory.webhooks.unwatch("default", "ledger", hooked.view.watch_id),
        lambda: memory.webhooks.remove("default", "ledger"),
    ):
        clock.advance(1)
        step()
    told = [(row.actor, row.action, row.target, row.detail) for row in audited(memory) if "webhook" in row.action]
    watch = {"watch_id": str(hooked.view.watch_id)}
    assert sorted(told[:2], key=str) == [
        ("operator", "webhook_added", f"webhook:{hook}", {"roles": ["member"]}),
        ("operator", "webhook_watched", f"webhook:{hook}", watch),
    ]
    assert told[2:] == [
        ("person:7", "webhook_secret_renewed", f"webhook:{hook}", {}),
        ("operator", "webhook_unwatched", f"webhook:{hook}", watch),
        ("operator", "webhook_removed", f"webhook:{hook}", {}),
    ]
