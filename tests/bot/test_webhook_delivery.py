"""From a change to a signed request, by the worker: once, or again under one id where it may not have arrived."""

import asyncio
import json

import pytest
from standardwebhooks.webhooks import Webhook, WebhookVerificationError
from structlog.testing import capture_logs

from bot import webhook_key
from bot.webhooks import WebhookSender, send
from core.clock import HOUR, MINUTE, SECOND, SystemClock
from core.ids import random_key
from core.jobs.kinds import Audience, JobKind
from core.model.principals import ADMIN, Principal
from core.model.watching import EventKind, ScopeType, WatchRequest
from core.store.tables import Job, WatchFire
from tests.fakes.platform_channel import PLATFORM
from tests.fakes.receiver import receiver
from tests.support.bots import parts_over
from tests.support.memories import document, page, put, rows, watch_request

OPERATING = Principal("default", None, frozenset({ADMIN}))


class Told:
    """A worker, a receiver, and a document that the receiver is told of."""

    def __init__(self, memory, folder, taking):
        self.memory, self.taking, self.keys = memory, taking, folder / "keys"
        self.worker = parts_over(memory, {}, keys=self.keys).worker
        memory.clock.ts = SystemClock().now()  # receivers compare with theirs
        self.revise(40)
        self.made = self.register("ledger", taking.url)
        memory.clock.advance(SECOND)

    def register(self, name, url):
        hooks, key = self.memory.webhooks, webhook_key.ensure(self.keys)
        made = hooks.add("default", name, url, ["member"], key, allow_plain=True, allow_private=True)
        target = {"kind": "webhook", "webhook_id": str(made.webhook_id)}
        request = WatchRequest(name, ScopeType.ENTITY, (document("travel.md"),), (EventKind.FACT_CHANGED,), target)
        self.memory.watch(request, OPERATING)
        return made

    def revise(self, meals):
        put(self.memory, "travel.md", page("Travel", {"Meals": f"Meals cost at most {meals} EUR."}), ["member"])
        self.memory.sweep()

    def fires(self):
        return {(fire.status, fire.reason) for fire in rows(self.memory, WatchFire)}

    def lease(self, owner="dies"):
        [job] = self.memory.jobs.lease(Audience.CLARIFY, [JobKind.NOTIFY_WEBHOOK], owner)
        return job

    def verified(self, request):
        return Webhook(self.made.secret).verify(request.body, request.headers)


@pytest.fixture
async def told(memory, tmp_path):
    async with receiver() as taking:
        yield Told(memory, tmp_path, taking)


async def test_a_change_is_told_once_and_verified_by_the_library_of_the_convention(told):
    told.revise(55)
    await told.worker.settle()
    [request] = told.taking.requests
    [fire] = rows(told.memory, WatchFire)
    assert told.verified(request)["data"]["fire_id"] == str(fire.fire_id) == request.headers["webhook-id"]
    assert told.fires() == {("delivered", None)}
    request.body += b" "
    with pytest.raises(WebhookVerificationError):
        told.verified(request)


async def test_while_a_secret_is_renewed_receivers_of_either_are_content(told):
    renewed = told.memory.webhooks.renew("default", "ledger", webhook_key.load(told.keys))
    told.revise(55)
    await told.worker.settle()
    [request] = told.taking.requests
    assert told.verified(request) == Webhook(renewed.secret).verify(request.body, request.headers)


async def test_killed_after_sending_and_before_recording_it_is_sent_twice_under_one_id(told):
    told.revise(55)
    parcel = told.memory.webhooks.take(told.lease(), webhook_key.load(told.keys))
    assert (await send(parcel, told.memory.clock)).status == 204
    told.memory.clock.advance(61 * SECOND)
    await told.worker.settle()
    assert len(told.taking.requests) == 2
    assert len(set(told.taking.ids)) == 1
    assert [told.verified(request)["type"] for request in told.taking.requests] == ["watch.fired"] * 2
    assert told.fires() == {("delivered", None)}


async def test_two_workers_send_a_message_once(told):
    other = parts_over(told.memory, {}, owner="other", keys=told.keys).worker
    for number in range(3):
        told.revise(55 + number)
        await asyncio.gather(told.worker.settle(), other.settle())
        told.memory.clock.advance(HOUR)
    assert len(told.taking.ids) == len(set(told.taking.ids)) == len(rows(told.memory, WatchFire)) == 3


@pytest.mark.parametrize("answer", [302, 400, 404, 500, 503, "reset", "nonsense"])
async def test_what_does_not_arrive_is_sent_again_under_one_id(told, answer):
    told.taking.script.extend([answer, answer])
    told.revise(55)
    for _ in range(4):
        await told.worker.settle()
        told.memory.clock.advance(2 * MINUTE)
    assert len(told.taking.ids) == 3
    assert len(set(told.taking.ids)) == 1
    assert told.fires() == {("delivered", None)}


async def test_silence_is_a_failure_after_a_while(told):
    told.taking.script.append("silence")
    told.revise(55)
    gateway = parts_over(told.memory, {}).gateway
    await WebhookSender(gateway, told.keys, timeout_secs=0.2).deliver(told.lease())
    gateway.stop()
    assert told.fires() == {("fired", "failing:timed_out")}


async def test_too_many_requests_wait_as_long_as_is_asked(told):
    told.taking.script.append((429, {"retry-after": "600"}))
    told.revise(55)
    for wait in (599 * SECOND, SECOND):
        await told.worker.settle()
        assert len(told.taking.requests) == 1
        told.memory.clock.advance(wait)
    await told.worker.settle()
    assert len(told.taking.requests) == 2
    assert told.fires() == {("delivered", None)}


async def test_gone_is_said_in_the_log_once_without_the_address(told):
    told.taking.script.append(410)
    told.revise(55)
    with capture_logs() as logs:
        await told.worker.settle()
    [off] = [log for log in logs if log["event"] == "webhook.disabled"]
    assert (off["log_level"], off["outcome"]) == ("error", "http_410")
    assert "127.0.0.1" not in str(logs)
    assert told.made.secret not in str(logs)
    told.memory.clock.advance(HOUR)
    told.revise(56)
    await told.worker.settle()
    assert len(told.taking.requests) == 1
    assert told.fires() == {("skipped", "gone"), ("skipped", "webhook_disabled")}


async def test_a_card_does_not_wait_for_a_webhook_that_does_not_answer(told, channel, room, ada):
    told.memory.watch(watch_request(ada, ScopeType.ENTITY, document("travel.md")), ada)
    told.memory.clock.advance(SECOND)
    told.taking.script.append("silence")
    told.revise(55)
    parts = parts_over(told.memory, {PLATFORM: channel}, keys=told.keys)
    running = asyncio.create_task(parts.worker.run(0.05))
    while not (told.taking.requests and room.messages()):  # noqa: ASYNC110  # another process has it
        await asyncio.sleep(0.01)
    assert ("fired", None) in told.fires(), "the card was sent while the webhook is still waited for"
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    parts.gateway.stop()


@pytest.mark.parametrize("key", [None, random_key()], ids=["none", "another"])
async def test_without_the_right_key_nothing_is_sent_and_it_goes_on_when_that_is_back(told, key):
    path = told.keys / webhook_key.NAME
    good = path.read_bytes()
    path.unlink()
    if key:
        path.write_bytes(key)
        path.chmod(0o600)
    told.revise(55)
    await told.worker.settle()
    assert told.taking.requests == []
    [job] = [job for job in rows(told.memory, Job) if job.kind == JobKind.NOTIFY_WEBHOOK]
    assert (job.state, job.error.partition(" ")[0]) == ("ready", "invalid_config")
    path.write_bytes(good)
    path.chmod(0o600)
    told.memory.clock.advance(MINUTE)
    await told.worker.settle()
    assert len(told.taking.requests) == 1


async def test_a_body_holds_no_word_of_a_document_and_no_name(told):
    told.revise(4711)
    await told.worker.settle()
    [request] = told.taking.requests
    for word in (b"4711", b"Meals", b"ravel", b"ledger", b"default"):
        assert word not in request.body
    assert set(json.loads(request.body)) == {"type", "timestamp", "data"}
