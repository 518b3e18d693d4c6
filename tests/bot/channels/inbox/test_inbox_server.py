"""What a real server on loopback gives to whom, and what it refuses."""

import asyncio
import gzip
import json
from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import pytest
from yarl import URL

from bot.channels.inbox import InboxServer, ListenError, PersonKey, Tap
from bot.channels.inbox.session import COOKIE_LIFE, LINK_LIFE
from bot.channels.inbox.wire import BODY_LIMIT, TEXT_LIMIT
from core.clock import SystemClock
from core.errors import LimitReached, StoreUnavailable

SECRET = bytes(range(32))
TAP = {"event_id": "e1", "message_id": "m1", "nonce": "n1", "kind": "watch_mute", "target": "w1", "arg": "1d"}


async def sign_in(client: aiohttp.ClientSession, server: InboxServer, person: PersonKey) -> None:
    assert (await client.get(server.link_for(person))).status == 200


async def updates(response: aiohttp.ClientResponse) -> AsyncIterator[dict[str, Any]]:
    async for line in response.content:
        if line.startswith(b"data: "):
            yield json.loads(line.removeprefix(b"data: "))


def shown(update: dict[str, Any]) -> list[tuple[str, str]]:
    return [(message["message_id"], message["html"]) for message in update["messages"]]


class TestLinks:
    async def test_a_link_opens_the_inbox_of_its_person_once(self, client, server, alice) -> None:
        link = server.link_for(alice)
        assert (await client.get(link)).status == 200
        assert "Alice Example" in await (await client.get("/")).text()
        again = await client.get(link)
        assert again.status == 410
        assert "used already" in (said := await again.text())
        assert "starts clarify-bot again" in said

    async def test_the_opening_page_moves_on_by_itself(self, client, server, alice) -> None:
        """A redirect from another site would arrive at the inbox without its Strict cookie."""
        response = await client.get(server.link_for(alice))
        assert response.headers["Refresh"] == "0; url=/"

    async def test_looking_at_a_link_without_opening_it_does_not_use_it(self, client, server, alice) -> None:
        link = server.link_for(alice)
        assert (await client.head(link)).status == 405
        assert (await client.get(link)).status == 200

    async def test_an_expired_link_is_refused(self, client, server, alice, clock) -> None:
        link = server.link_for(alice)
        clock.advance(LINK_LIFE)
        assert (await client.get(link)).status == 410
        assert (await client.get("/")).status == 401

    @pytest.mark.parametrize("token", ["0" * 64, "..", "%00", "%2e%2e%2fetc", "%C3%BC", "%FF", "x" * 5000])
    async def test_a_forged_link_is_refused(self, client, origin, token) -> None:
        response = await client.get(URL(f"{origin}/enter/{token}", encoded=True))
        assert response.status in {404, 410}

    async def test_the_cookie_is_out_of_reach_of_scripts_and_other_sites(self, client, server, alice) -> None:
        response = await client.get(server.link_for(alice))
        [cookie] = response.headers.getall("Set-Cookie")
        parts = {part.strip().lower() for part in cookie.split(";")[1:]}
        assert {"httponly", "samesite=strict", "path=/", "max-age=43200"} <= parts
        assert str(server.port) in cookie.split("=")[0]


class TestSessions:
    @pytest.mark.parametrize("path", ["/", "/events"])
    async def test_without_a_session_nothing_is_shown(self, client, backend, alice, path) -> None:
        backend.card(alice, "m1", "for Alice alone")
        response = await client.get(path)
        assert response.status == 401
        assert "Alice" not in await response.text()

    @pytest.mark.parametrize("value", ["", "x", "a.b", '"quoted"', "\x80", "e30=.0", "." * 4000])
    async def test_a_forged_cookie_is_no_session(self, origin, server, value) -> None:
        headers = {"Cookie": f"clarify_inbox_{server.port}={value}"}
        async with aiohttp.ClientSession(origin) as stranger:
            assert (await stranger.get("/", headers=headers)).status == 401

    async def test_nobody_sees_or_hears_of_anothers_messages(self, client, server, backend, alice, bob) -> None:
        backend.card(alice, "m1", "for Alice alone")
        await sign_in(client, server, bob)
        async with client.get("/events") as response:
            stream = updates(response)
            assert (await anext(stream))["messages"] == []
            backend.card(alice, "m2", "for Alice too")
            backend.card(bob, "m3", "for Bob")
            assert shown(await anext(stream)) == [("m3", "for Bob")]

    async def test_words_and_taps_are_those_of_the_cookies_person(self, client, server, backend, alice, bob) -> None:
        await sign_in(client, server, alice)
        await client.post("/ask", json={"event_id": "q1", "text": "Why?", "person_id": str(bob.person_id)})
        await client.post("/tap", json=TAP)
        assert backend.asked == {(alice, "q1"): "Why?"}
        assert backend.taps == [(alice, Tap(**TAP))]

    async def test_an_ended_session_is_refused_and_its_open_stream_ends(
        self, client, server, backend, clock, alice
    ) -> None:
        await sign_in(client, server, alice)
        async with client.get("/events") as response:
            stream = updates(response)
            await anext(stream)
            clock.advance(COOKIE_LIFE)
            backend.card(alice, "m1", "too late")
            assert [update async for update in stream] == []
        assert (await client.post("/ask", json={"event_id": "q", "text": "?"})).status == 401

    async def test_names_are_text_in_the_page(self, client, server, bob) -> None:
        await sign_in(client, server, bob)
        page = await (await client.get("/")).text()
        assert "Bob &lt;b&gt;Example&lt;/b&gt;" in page
        assert "Acme &amp; Sons" in page


class TestGuard:
    @pytest.mark.parametrize("path", ["/", "/events", "/static/inbox.js", "/ask"])
    @pytest.mark.parametrize(
        "host", ["evil.example", "localhost", "127.0.0.1", "127.0.0.1:1", "127.0.0.1.evil.example"]
    )
    async def test_a_request_meant_for_another_host_is_refused(self, client, server, alice, path, host) -> None:
        """A name elsewhere may resolve to this machine."""
        await sign_in(client, server, alice)
        method = "POST" if path == "/ask" else "GET"
        response = await client.request(method, path, headers={"Host": host})
        assert response.status == 421

    @pytest.mark.parametrize("path", ["/ask", "/tap"])
    @pytest.mark.parametrize(
        "foreign", ["http://evil.example", "null", "http://127.0.0.1", "https://{}", "http://{}.x"]
    )
    async def test_a_change_from_another_origin_is_refused(self, client, server, backend, alice, path, foreign) -> None:
        await sign_in(client, server, alice)
        origin = foreign.format(f"127.0.0.1:{server.port}")
        response = await client.post(path, json=TAP | {"text": "?"}, headers={"Origin": origin})
        assert response.status == 403
        assert (backend.asked, backend.taps) == ({}, [])

    @pytest.mark.parametrize("missing", ["Origin", "X-Clarify-Inbox"])
    async def test_a_change_needs_both_marks_of_our_own_page(self, client, server, origin, alice, missing) -> None:
        await sign_in(client, server, alice)
        async with aiohttp.ClientSession(origin, cookie_jar=client.cookie_jar) as bare:
            headers = {name: value for name, value in client.headers.items() if name != missing}
            response = await bare.post("/ask", json={"event_id": "q", "text": "?"}, headers=headers)
        assert response.status == 403

    @pytest.mark.parametrize("content_type", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"])
    async def test_what_a_form_could_send_is_refused(self, client, server, alice, content_type) -> None:
        await sign_in(client, server, alice)
        response = await client.post("/ask", data=b"{}", headers={"Content-Type": content_type})
        assert response.status == 415

    @pytest.mark.parametrize("path", ["/", "/static/inbox.js", "/nowhere", "/enter/unknown", "/events"])
    async def test_every_response_forbids_foreign_and_inline_code_and_keeps_nothing(self, client, path) -> None:
        headers = (await client.get(path)).headers
        policy = dict(part.strip().split(" ", 1) for part in headers["Content-Security-Policy"].split(";"))
        assert policy.pop("default-src") == "'none'"
        assert set(policy.values()) <= {"'self'", "'none'"}
        assert policy["frame-ancestors"] == policy["base-uri"] == policy["form-action"] == "'none'"
        assert headers["Cache-Control"] == "no-store"
        assert headers["Referrer-Policy"] == "no-referrer"
        assert headers["X-Content-Type-Options"] == "nosniff"


class TestBodies:
    @pytest.fixture(autouse=True)
    async def signed_in(self, client, server, alice) -> None:
        await sign_in(client, server, alice)

    @pytest.mark.parametrize("path", ["/ask", "/tap"])
    @pytest.mark.parametrize(
        "body", [b"", b"{", b"[]", b"null", b"\xff\xfe", b"[" * 20_000, b'{"event_id": 1}', b'{"event_id":"\\ud800"}']
    )
    async def test_a_malformed_body_is_a_400_with_a_sentence(self, client, path, body) -> None:
        response = await client.post(path, data=body, headers={"Content-Type": "application/json"})
        assert response.status == 400
        assert (await response.json())["sentence"].endswith(".")

    @pytest.mark.parametrize("encode", [bytes, gzip.compress])
    async def test_an_oversized_body_is_a_413_also_when_it_was_packed(self, client, encode) -> None:
        body = encode(b" " * (BODY_LIMIT + 1))
        packed = {"Content-Encoding": "gzip"} if encode is gzip.compress else {}
        response = await client.post("/ask", data=body, headers={"Content-Type": "application/json", **packed})
        assert response.status == 413
        assert "too long" in (await response.json())["sentence"]

    async def test_a_body_that_is_not_packed_as_it_says_is_a_400(self, client) -> None:
        headers = {"Content-Type": "application/json", "Content-Encoding": "gzip"}
        assert (await client.post("/ask", data=b"plain", headers=headers)).status == 400

    async def test_an_unknown_charset_does_not_matter(self, client) -> None:
        headers = {"Content-Type": "application/json; charset=nonsense"}
        assert (await client.post("/ask", data=b'{"event_id":"q","text":"?"}', headers=headers)).status == 202

    async def test_the_longest_question_fits_whatever_its_script(self, client, backend, alice) -> None:
        text = "\N{PILE OF POO}" * TEXT_LIMIT
        assert (await client.post("/ask", json={"event_id": "q", "text": text})).status == 202
        assert backend.asked[alice, "q"] == text

    async def test_a_repeated_question_is_asked_once(self, client, backend, alice) -> None:
        for _ in range(2):
            assert (await client.post("/ask", json={"event_id": "q", "text": "Why?"})).status == 202
        assert len(await backend.messages(alice)) == 1

    @pytest.mark.parametrize("sentence", ["This card is no longer active.", None])
    async def test_a_taps_sentence_comes_back_to_whoever_tapped(self, client, backend, sentence) -> None:
        backend.outcome = sentence
        response = await client.post("/tap", json=TAP)
        assert (response.status, await response.json()) == (202, {"sentence": sentence})

    @pytest.mark.parametrize("path", ["/ask", "/tap"])
    @pytest.mark.parametrize("error", [LimitReached("You asked 20 questions this hour."), StoreUnavailable()])
    async def test_cores_refusal_reaches_the_person_in_words(self, client, backend, path, error) -> None:
        backend.failure = error
        response = await client.post(path, json=TAP | {"text": "?"})
        assert (response.status, await response.json()) == (409, {"sentence": str(error)})


class TestStream:
    @pytest.fixture(autouse=True)
    async def signed_in(self, client, server, alice) -> None:
        await sign_in(client, server, alice)

    async def test_a_page_is_sent_the_whole_inbox_and_then_what_changes(self, client, backend, alice) -> None:
        backend.card(alice, "m1", "one")
        async with client.get("/events") as response:
            assert response.content_type == "text/event-stream"
            stream = updates(response)
            assert shown(await anext(stream)) == [("m1", "one")]
            backend.card(alice, "m2", "two")
            assert shown(await anext(stream)) == [("m2", "two")]
            backend.card(alice, "m1", "one, updated")
            change = await anext(stream)
            assert shown(change) == [("m1", "one, updated")]
            assert change["messages"][0]["revision"] == 2
            assert change["order"] == ["m1", "m2"]

    async def test_a_reconnecting_page_loses_nothing_and_doubles_nothing(self, client, backend, alice) -> None:
        backend.card(alice, "m1", "one")
        async with client.get("/events") as response:
            await anext(updates(response))
        backend.card(alice, "m1", "one, updated")
        backend.card(alice, "m2", "two")
        async with client.get("/events") as response:
            update = await anext(updates(response))
        assert shown(update) == [("m1", "one, updated"), ("m2", "two")]
        assert update["order"] == ["m1", "m2"]

    async def test_a_removed_message_leaves_the_order(self, client, backend, alice) -> None:
        backend.card(alice, "m1", "one")
        backend.card(alice, "m2", "two")
        async with client.get("/events") as response:
            stream = updates(response)
            await anext(stream)
            backend.remove(alice, "m1")
            change = await anext(stream)
        assert (change["order"], change["messages"]) == (["m2"], [])

    async def test_a_pulse_carries_the_status_line_and_the_time(self, client, backend, clock, alice) -> None:
        async with client.get("/events") as response:
            stream = updates(response)
            await anext(stream)
            backend.status = "Synced just now"
            clock.advance(5)
            backend.pulse(alice)
            change = await anext(stream)
        assert change["person"]["status"] == "Synced just now"
        assert change["now"] == clock.now()

    async def test_a_page_that_is_gone_is_unsubscribed_at_the_next_change(self, client, backend, alice) -> None:
        async with client.get("/events") as response:
            await anext(updates(response))
            response.close()
        while backend.subscribers:
            backend.pulse(alice)
            await asyncio.sleep(0)

    async def test_a_store_that_fails_ends_the_stream_so_that_the_page_asks_again(
        self, client, backend, alice, monkeypatch
    ) -> None:
        async with client.get("/events") as response:
            stream = updates(response)
            await anext(stream)

            async def unavailable(_person: PersonKey) -> None:
                raise StoreUnavailable

            monkeypatch.setattr(backend, "messages", unavailable)
            backend.pulse(alice)
            assert [update async for update in stream] == []

    async def test_stopping_ends_open_streams_within_a_second(self, client, server) -> None:
        async with client.get("/events") as response:
            stream = updates(response)
            await anext(stream)
            async with asyncio.timeout(1):
                await server.stop()
            assert [update async for update in stream] == []


class TestListening:
    async def test_a_port_in_use_is_one_clear_error(self, backend, server) -> None:
        second = InboxServer(backend, SystemClock(), SECRET, port=server.port)
        with pytest.raises(ListenError, match=rf"port {server.port} on 127.0.0.1 is in use: stop .* inbox.port"):
            await second.start()

    async def test_a_stopped_inbox_gives_its_port_back(self, backend) -> None:
        first = InboxServer(backend, SystemClock(), SECRET, port=0)
        await first.start()
        await first.stop()
        second = InboxServer(backend, SystemClock(), SECRET, port=first.port)
        await second.start()
        await second.stop()

    @pytest.mark.parametrize("host", ["0.0.0.0", "192.0.2.1", "::"])
    def test_an_address_others_could_reach_is_refused(self, backend, host) -> None:
        with pytest.raises(ValueError, match="listens on this machine alone"):
            InboxServer(backend, SystemClock(), SECRET, host=host)

    async def test_the_ipv6_loopback_has_its_own_links(self, backend, alice) -> None:
        server = InboxServer(backend, SystemClock(), SECRET, host="::1", port=0)
        try:
            await server.start()
        except ListenError as error:
            assert "::1" in str(error), "a machine without IPv6 is told so"  # noqa: PT017  # the rest needs IPv6
            return
        async with aiohttp.ClientSession() as client:
            assert (await client.get(server.link_for(alice))).status == 200
        await server.stop()

    @pytest.mark.parametrize(
        "name", ["inbox.html", "notice.html", "server.py", "..%2Fserver.py", "%2e%2e", "card.css2"]
    )
    async def test_only_the_pages_own_files_are_served(self, client, origin, name) -> None:
        assert (await client.get(URL(f"{origin}/static/{name}", encoded=True))).status == 404

    @pytest.mark.parametrize(
        ("name", "content_type"),
        [
            ("inbox.js", "text/javascript"),
            ("inbox.css", "text/css"),
            ("card.css", "text/css"),
            ("icon.svg", "image/svg+xml"),
        ],
    )
    async def test_static_files_say_what_they_are(self, client, name, content_type) -> None:
        response = await client.get(f"/static/{name}")
        assert (response.status, response.content_type) == (200, content_type)
