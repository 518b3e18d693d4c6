"""The page as a person meets it, in headless Chromium, by mouse and by keyboard."""

import json
import re
from collections.abc import AsyncIterator, Awaitable
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page, Route, async_playwright, expect

from bot.channels.inbox import InboxMessage, InboxServer, PersonKey
from bot.channels.inbox.session import COOKIE_LIFE
from bot.channels.inbox.wire import TEXT_LIMIT
from cards.actions import Button, Choice, Option
from cards.html import to_html
from cards.inline import Plain
from cards.model import Card
from core.clock import DAY, HOUR, MINUTE, ManualClock
from tests.support.inboxes import inbox_over

CHROMIUM = Path("/usr/bin/chromium")
pytestmark = [
    pytest.mark.chromium,
    pytest.mark.asyncio(loop_scope="module"),  # one browser for all: to start it takes longer than most of them
    pytest.mark.skipif(not CHROMIUM.exists(), reason="no Chromium: get it with `apt-get install chromium`"),
]


def card(title: str, *buttons: str) -> str:
    """A fragment in the form that cards.html promises."""
    actions = f'<div class="card-actions">{"".join(buttons)}</div>' if buttons else ""
    return f'<article class="card" aria-label="{title}"><h2 class="card-title">{title}</h2>{actions}</article>'


def button(label: str, kind: str, **data: str) -> str:
    attributes = "".join(f' data-{name}="{value}"' for name, value in {"target": "t1", "nonce": "n1", **data}.items())
    return f'<button type="button" class="card-button" data-kind="{kind}"{attributes}>{label}</button>'


MUTE = button("Mute", "watch_mute", arg="1d")
REFRESH = button("Refresh answer", "answer_refresh", confirm="This asks the model again.")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def browser() -> AsyncIterator[Browser]:
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=CHROMIUM)
        yield browser
        await browser.close()


async def opened(page: Page, server: InboxServer, person: PersonKey) -> Page:
    await page.goto(server.link_for(person))
    await page.wait_for_url(f"http://127.0.0.1:{server.port}/")
    await page.wait_for_selector("main:not([aria-busy])")
    return page


@pytest_asyncio.fixture(loop_scope="module")
async def server(backend: Any, clock: ManualClock) -> AsyncIterator[InboxServer]:
    async with inbox_over(backend, clock) as running:
        yield running


@pytest_asyncio.fixture(loop_scope="module")
async def fresh(browser: Browser) -> AsyncIterator[Page]:
    """An empty page of a browser that knows nothing of any other test."""
    page = await browser.new_page()
    page.set_default_timeout(10_000)
    yield page
    await page.close()


@pytest_asyncio.fixture(loop_scope="module")
async def page(fresh: Page, server: InboxServer, alice: PersonKey) -> Page:
    """Alice's inbox. Reloading it would lose its mark."""
    page = await opened(fresh, server, alice)
    await page.evaluate("window.mark = 'not reloaded'")
    return page


async def tapped(page: Page, act: Awaitable[None]) -> None:
    async with page.expect_response("**/tap"):
        await act


async def focused(page: Page) -> str:
    return await page.evaluate("document.activeElement.textContent.trim() || document.activeElement.id")


class TestCards:
    async def test_a_card_arrives_without_reload_and_is_announced(self, page, backend, alice) -> None:
        backend.card(alice, "m1", card("Refund window changed"), "Refund window: 14 days, now 30")
        await expect(page.get_by_role("heading", name="Refund window changed")).to_be_visible()
        await expect(page.locator("[aria-live=polite]")).to_have_text("Refund window: 14 days, now 30")
        assert await page.evaluate("window.mark") == "not reloaded"

    async def test_cards_that_were_there_before_are_shown_and_not_announced(
        self, fresh, server, backend, alice
    ) -> None:
        backend.card(alice, "m1", card("Old news"), "Old news")
        page = await opened(fresh, server, alice)
        await expect(page.get_by_role("heading", name="Old news")).to_be_visible()
        await expect(page.locator("#announcer")).to_be_empty()

    async def test_an_update_in_place_replaces_the_card_where_it_stands(self, page, backend, alice) -> None:
        backend.card(alice, "m1", card("Before", MUTE))
        backend.card(alice, "m2", card("Another"))
        await page.get_by_role("button", name="Mute").focus()
        backend.card(alice, "m1", card("After", button("Mute", "watch_mute", arg="1d", nonce="n2")), "Now it is after")
        await expect(page.locator(".card-title")).to_have_text(["After", "Another"])
        await expect(page.locator("#announcer")).to_contain_text("Now it is after")
        assert await focused(page) == "Mute"

    async def test_focus_stays_with_a_card_whose_button_went_away(self, page, backend, alice) -> None:
        backend.card(alice, "m1", card("Before", MUTE))
        await page.get_by_role("button", name="Mute").focus()
        backend.card(alice, "m1", card("Muted until tomorrow"))
        await expect(page.locator(".bubble:focus")).to_have_text("Muted until tomorrow")

    async def test_a_removed_message_leaves_the_page(self, page, backend, alice) -> None:
        backend.card(alice, "m1", card("Erased"))
        backend.card(alice, "m2", card("Kept"))
        await expect(page.locator(".entry")).to_have_count(2)
        backend.remove(alice, "m1")
        await expect(page.locator(".card-title")).to_have_text(["Kept"])

    async def test_days_and_times_are_those_of_the_persons_zone(self, page, backend, clock, alice) -> None:
        """23:30 UTC on 27 February is half past midnight on the 28th in Berlin."""
        for message_id, age in (("m1", 3 * DAY + 12 * HOUR + 30 * MINUTE), ("m2", DAY), ("m3", 0)):
            sent_at = clock.now() - age
            html = f'{card(message_id)}<time datetime="2020-01-01">of the card</time>'
            backend.put(alice, InboxMessage(message_id, sent_at, "bot", html, "", 1))
        await expect(page.locator(".day")).to_have_text([re.compile("Saturday,? 28 February"), "Yesterday", "Today"])
        await expect(page.locator(".when")).to_have_text(["00:30", "13:00", "13:00"])
        await expect(page.locator(".bubble time").first).to_have_text("of the card")

    async def test_whoever_reads_further_up_is_left_there_and_told_of_news(self, page, backend, alice) -> None:
        for number in range(30):
            backend.card(alice, f"m{number}", card(f"Card {number}"))
        await expect(page.get_by_role("heading", name="Card 29")).to_be_in_viewport()
        await page.evaluate("scrollTo(0, 0)")
        await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        backend.card(alice, "newest", card("The newest"))
        await page.get_by_role("button", name="New messages").click()
        await expect(page.get_by_role("heading", name="The newest")).to_be_in_viewport()
        await expect(page.get_by_role("button", name="New messages")).to_be_hidden()

    async def test_the_title_counts_what_came_while_nobody_looked(self, page, backend, alice) -> None:
        await page.evaluate("Object.defineProperty(document, 'visibilityState', {value: 'hidden', writable: true})")
        backend.card(alice, "m1", card("One"), "One")
        backend.card(alice, "m2", card("Two"), "Two")
        await expect(page).to_have_title("(2) Two")
        await page.evaluate(
            "document.visibilityState = 'visible'; document.dispatchEvent(new Event('visibilitychange'))"
        )
        assert await page.title() == "Clarify · Acme & Sons"


class TestTaps:
    async def test_a_tap_carries_what_its_button_says(self, page, backend, alice) -> None:
        backend.card(alice, "m1", card("Watched", MUTE))
        await tapped(page, page.get_by_role("button", name="Mute").click())
        [(person, tap)] = backend.taps
        assert person == alice
        assert (tap.message_id, tap.kind, tap.target, tap.nonce, tap.arg) == ("m1", "watch_mute", "t1", "n1", "1d")

    async def test_a_stale_taps_sentence_is_shown_beside_the_card_and_said(self, page, backend, alice) -> None:
        backend.outcome = "This card is no longer active."
        backend.card(alice, "m1", card("First", MUTE))
        backend.card(alice, "m2", card("Second"))
        await page.get_by_role("button", name="Mute").click()
        await expect(page.locator(".entry", has_text="First").locator(".outcome")).to_have_text(backend.outcome)
        await expect(page.locator("#announcer")).to_contain_text(backend.outcome)

    async def test_while_a_tap_is_under_way_its_card_takes_no_other(self, page, backend, alice) -> None:
        backend.gate.clear()
        backend.card(alice, "m1", card("Watched", MUTE, button("Watch this", "watch_create")))
        await page.get_by_role("button", name="Mute").press("Enter")
        for name in ("Mute", "Watch this"):
            await expect(page.get_by_role("button", name=name)).to_be_disabled()
            await page.get_by_role("button", name=name).dispatch_event("click")
        backend.gate.set()
        await expect(page.get_by_role("button", name="Mute")).to_be_enabled()
        assert await focused(page) == "Mute"
        assert len(backend.taps) == 1

    async def test_a_tap_that_does_not_go_through_says_so(self, page, backend, server, alice) -> None:
        backend.card(alice, "m1", card("Watched", MUTE))
        await page.route("**/tap", lambda route: route.abort())
        await page.get_by_role("button", name="Mute").click()
        await expect(page.locator(".outcome")).to_contain_text("did not go through")

    async def test_cards_as_they_are_really_rendered_can_be_tapped(self, page, backend, alice) -> None:
        """What cards.html writes is what this page reads."""
        buttons = (
            Button("answer_refresh", "a1", "n1", "Refresh answer", confirm="This asks again."),
            Button("watch_mute", "w1", "n1", "Mute a day", arg="1d"),
        )
        backend.card(alice, "m1", to_html(Card((Plain("It changed"),), (), buttons, (Plain("It changed"),))))
        await tapped(page, page.get_by_role("button", name="Mute a day").click())
        await page.get_by_role("button", name="Refresh answer").click()
        await expect(page.get_by_role("dialog")).to_have_accessible_description("This asks again.")
        await tapped(page, page.get_by_role("dialog").get_by_role("button", name="Refresh answer").click())
        taps = [(tap.kind, tap.target, tap.nonce, tap.arg) for _, tap in backend.taps]
        assert taps == [("watch_mute", "w1", "n1", "1d"), ("answer_refresh", "a1", "n1", None)]


DAYS = (Option("off", "Off"), Option("monday", "Monday"), Option("friday", "Friday"))


def preferences(brief_day: str | None) -> str:
    """A card of two choices as it is really rendered."""
    choices = (
        Choice("preference_set", "brief_day", "n1", "Weekly brief", DAYS, brief_day),
        Choice("preference_set", "quiet_from", "n1", "Quiet from", (Option("off", "Off"), Option("20", "20:00"))),
    )
    return to_html(Card((Plain("Your preferences"),), (), choices, (Plain("Your preferences"),)))


class TestChoices:
    @pytest_asyncio.fixture(loop_scope="module", autouse=True)
    async def shown(self, page, backend, alice) -> None:
        backend.card(alice, "m1", preferences("monday"))
        await expect(page.get_by_role("heading", name="Your preferences")).to_be_visible()

    async def test_the_present_option_is_shown_under_its_name(self, page) -> None:
        await expect(page.get_by_role("combobox", name="Weekly brief")).to_have_value("monday")
        await expect(page.get_by_role("combobox", name="Quiet from")).to_have_value("")

    async def test_what_was_chosen_is_sent_once_it_is_set_and_not_before(self, page, backend, alice) -> None:
        await page.get_by_role("combobox", name="Weekly brief").select_option("Friday")
        assert backend.taps == []
        await tapped(page, page.get_by_role("button", name="Set Weekly brief").click())
        [(person, tap)] = backend.taps
        sent = (tap.message_id, tap.kind, tap.target, tap.nonce, tap.arg)
        assert (person, sent) == (alice, ("m1", "preference_set", "brief_day", "n1", "friday"))

    async def test_the_keyboard_is_enough(self, page, backend) -> None:
        await page.get_by_role("combobox", name="Weekly brief").focus()
        await page.keyboard.press("ArrowDown")
        await page.keyboard.press("Tab")
        assert await focused(page) == "Set"
        await tapped(page, page.keyboard.press("Enter"))
        assert [tap.arg for _, tap in backend.taps] == ["friday"]

    async def test_nothing_chosen_sends_nothing_and_says_so(self, page, backend) -> None:
        await page.get_by_role("button", name="Set Quiet from").click()
        await expect(page.locator(".outcome")).to_have_text("Choose one first.")
        assert backend.taps == []

    async def test_an_update_shows_what_is_set_now_and_leaves_the_focus(self, page, backend, alice) -> None:
        await page.get_by_role("combobox", name="Weekly brief").focus()
        backend.card(alice, "m1", preferences("off"))
        await expect(page.get_by_role("combobox", name="Weekly brief")).to_have_value("off")
        await expect(page.get_by_role("combobox", name="Weekly brief")).to_be_focused()


class TestConfirming:
    @pytest_asyncio.fixture(loop_scope="module", autouse=True)
    async def asked(self, page, backend, alice) -> None:
        backend.card(alice, "m1", card("Your saved answer may be wrong", REFRESH))
        await page.get_by_role("button", name="Refresh answer").press("Enter")
        await expect(page.get_by_role("dialog", name="Refresh answer?")).to_be_visible()

    async def test_the_dialog_says_what_it_asks_and_nothing_was_sent(self, page, backend) -> None:
        await expect(page.get_by_role("dialog")).to_have_accessible_description("This asks the model again.")
        assert backend.taps == []

    async def test_escape_cancels_and_the_focus_returns(self, page, backend) -> None:
        await page.keyboard.press("Escape")
        await expect(page.get_by_role("dialog")).to_be_hidden()
        assert await focused(page) == "Refresh answer"
        assert backend.taps == []

    async def test_enter_on_yes_confirms(self, page, backend) -> None:
        await page.keyboard.press("Tab")
        await tapped(page, page.keyboard.press("Enter"))
        assert [tap.kind for _, tap in backend.taps] == ["answer_refresh"]
        assert await focused(page) == "Refresh answer"

    async def test_escape_is_no_also_after_an_earlier_yes(self, page, backend) -> None:
        await tapped(page, page.get_by_role("dialog").get_by_role("button", name="Refresh answer").click())
        await expect(page.get_by_role("button", name="Refresh answer")).to_be_enabled()
        await page.get_by_role("button", name="Refresh answer").click()
        await page.keyboard.press("Escape")
        await expect(page.get_by_role("dialog")).to_be_hidden()
        assert len(backend.taps) == 1

    @pytest.mark.parametrize("key", ["Tab", "Shift+Tab"])
    async def test_the_focus_stays_in_the_dialog(self, page, key) -> None:
        visited = []
        for _ in range(5):
            visited.append(await focused(page))
            await page.keyboard.press(key)
        assert visited == ["Cancel", "Refresh answer", "Cancel", "Refresh answer", "Cancel"]

    async def test_a_card_that_changed_meanwhile_is_not_tapped(self, page, backend, alice) -> None:
        backend.card(alice, "m1", card("Changed once more", REFRESH))
        await expect(page.locator(".card-title")).to_have_text("Changed once more")
        await page.get_by_role("dialog").get_by_role("button", name="Refresh answer").click()
        await expect(page.locator(".outcome")).to_have_text("This card has just changed. Look at it once more.")
        assert backend.taps == []


class TestAsking:
    async def test_a_question_is_there_at_once_and_its_answer_follows_it(self, page, backend, alice) -> None:
        backend.gate.clear()
        await page.get_by_role("textbox").fill("  How long do refunds take?\n<b>Really</b>  ")
        await page.keyboard.press("Enter")
        await expect(page.locator(".person .bubble")).to_have_text("How long do refunds take?\n<b>Really</b>")
        await expect(page.get_by_text("Looking…", exact=True).first).to_be_visible()
        assert backend.asked == {}
        async with page.expect_response("**/ask"):
            await page.title()  # the browser listens from this answer on, and the gate is not the browser's
            backend.gate.set()
        [(_, event_id)] = backend.asked
        backend.answer(alice, event_id, card("Five days"))
        await expect(page.get_by_role("heading", name="Five days")).to_be_visible()
        await expect(page.locator(".looking:visible")).to_have_count(0)
        await expect(page.locator(".person")).to_have_count(1)
        await expect(page.get_by_role("textbox")).to_have_value("")

    @pytest.mark.parametrize(("name", "count"), [("Enter", 1), ("Shift+Enter", 0)])
    async def test_enter_sends_and_shift_enter_starts_a_line(self, page, name, count) -> None:
        await page.get_by_role("textbox").fill("one")
        await page.keyboard.press(name)
        await expect(page.get_by_role("textbox")).to_have_value("" if count else "one\n")
        await expect(page.locator(".person")).to_have_count(count)

    async def test_enter_that_ends_a_word_of_an_input_method_does_not_send(self, page) -> None:
        await page.get_by_role("textbox").fill("にほん")
        await page.get_by_role("textbox").dispatch_event("keydown", {"key": "Enter", "isComposing": True})
        await expect(page.get_by_role("textbox")).to_have_value("にほん")

    async def test_blank_text_asks_nothing(self, page, backend) -> None:
        await page.get_by_role("textbox").fill(" \n ")
        await page.get_by_role("button", name="Send").click()
        await expect(page.locator(".entry")).to_have_count(0)
        assert backend.asked == {}

    async def test_a_question_that_did_not_go_through_can_be_sent_again_and_is_asked_once(
        self, page, backend, alice
    ) -> None:
        """The first try arrives and its answer is lost: both tries carry one id."""

        async def lose_the_answer(route: Route) -> None:
            await route.fetch()
            await route.abort()

        await page.route("**/ask", lose_the_answer)
        await page.get_by_role("textbox").fill("Why?")
        await page.keyboard.press("Enter")
        await page.get_by_text("did not go through").first.wait_for()
        await page.unroute("**/ask")
        async with page.expect_response("**/ask") as answered:
            await page.get_by_role("button", name="Try again").click()
        assert (await answered.value).status == 202
        await expect(page.locator(".person")).to_have_count(1)
        assert list(backend.asked.values()) == ["Why?"]

    async def test_an_empty_inbox_offers_questions_that_ask_themselves(self, page, backend, alice) -> None:
        await page.get_by_role("button", name="Who approves discounts over 20 %?").click()
        await expect(page.locator(".person .bubble")).to_have_text("Who approves discounts over 20 %?")
        await expect(page.get_by_role("heading", name="Ask what your team decided")).to_be_hidden()

    async def test_the_composer_stops_where_the_server_would(self, page) -> None:
        assert await page.get_by_role("textbox").get_attribute("maxlength") == str(TEXT_LIMIT)


class TestConnection:
    async def test_after_a_restart_the_page_catches_up_and_doubles_nothing(self, page, server, backend, alice) -> None:
        backend.card(alice, "m1", card("Before"))
        await expect(page.get_by_role("heading", name="Before")).to_be_visible()
        await server.stop()
        await expect(page.get_by_text("Connection lost")).to_be_visible()
        backend.card(alice, "m1", card("Before, updated"))
        backend.card(alice, "m2", card("Meanwhile"))
        await server.start()
        await page.get_by_role("button", name="Reconnect now").click()
        await expect(page.locator(".card-title")).to_have_text(["Before, updated", "Meanwhile"])
        await expect(page.get_by_text("Connection lost")).to_be_hidden()
        assert await page.evaluate("window.mark") == "not reloaded"

    async def test_an_ended_session_says_what_to_do(self, page, backend, clock, alice) -> None:
        clock.advance(COOKIE_LIFE)
        backend.pulse(alice)
        await page.get_by_role("button", name="Reconnect now").click()
        await expect(page.get_by_text("You are signed out here. Ask for a new link")).to_be_visible()
        await expect(page.get_by_role("button", name="Reconnect now")).to_be_hidden()

    async def test_a_link_on_another_site_opens_the_inbox(self, fresh, server, alice) -> None:
        """A Strict cookie is not sent along a redirect that began elsewhere."""
        html = f'<a href="{server.link_for(alice)}">open</a>'
        await fresh.route("http://chat.example/", lambda route: route.fulfill(body=html, content_type="text/html"))
        await fresh.goto("http://chat.example/")
        await fresh.get_by_role("link").click()
        await expect(fresh.get_by_text("Alice Example")).to_be_visible()


HOSTILE = [
    "<script>hacked = 1</script>",
    "<img src=x onerror='hacked = 1'>",
    "<svg onload='hacked = 1'><animate onbegin='hacked = 1' attributeName=x></svg>",
    "<iframe srcdoc='<script>parent.hacked = 1</script>'></iframe>",
    "<iframe src='javascript:parent.hacked = 1'></iframe>",
    "<img src='http://elsewhere.example/pixel'>",
    "<link rel=stylesheet href='http://elsewhere.example/x.css'>",
    "<style>body { background: url(http://elsewhere.example/x) }</style>",
    "<meta http-equiv=refresh content='0;url=http://elsewhere.example/'>",
    "<base href='http://elsewhere.example/'>",
    "<object data='http://elsewhere.example/x'></object>",
    "<form action='http://elsewhere.example/'><button id=bait>Go</button></form>",
    "<a id=bait href='javascript:hacked = 1'>Go</a>",
    "<button id=bait onclick='hacked = 1'>Go</button>",
]


class TestHostileContent:
    """Cards are safe before they come here; should one not be, the page is the second lock."""

    @pytest.mark.parametrize("html", HOSTILE)
    async def test_nothing_in_a_message_runs_or_calls_elsewhere(self, page, backend, alice, html) -> None:
        called = []
        await page.route(
            "http://elsewhere.example/**", lambda route: (called.append(route.request.url), route.abort())[1]
        )
        backend.card(alice, "m1", f"{html}<p>end of message</p>")
        await expect(page.get_by_text("end of message")).to_be_visible()
        if await page.locator("#bait").count():
            await page.locator("#bait").dispatch_event("click")
        backend.card(alice, "m2", card("Still here"))
        await expect(page.get_by_role("heading", name="Still here")).to_be_visible()
        assert await page.evaluate("[window.hacked, window.mark]") == [None, "not reloaded"]
        assert called == []

    async def test_words_around_the_messages_are_text(self, page, backend, alice) -> None:
        backend.status = backend.outcome = "<img src=x onerror='hacked = 1'>"
        backend.suggestions = (backend.status,)
        backend.pulse(alice)
        await expect(page.locator("#status")).to_have_text(backend.status)
        await expect(page.locator("#suggestions")).to_have_text(backend.status)
        backend.card(alice, "m1", card("A card", MUTE), backend.status)
        await page.get_by_role("button", name="Mute").click()
        await expect(page.locator(".outcome")).to_have_text(backend.outcome)
        await page.get_by_role("textbox").fill(backend.status)
        await page.keyboard.press("Enter")
        await expect(page.locator(".person .bubble")).to_have_text(backend.status)
        assert await page.locator("img[src=x]").count() == 0


class TestForEverybody:
    async def fill(self, page: Page, backend: Any, alice: PersonKey) -> None:
        backend.outcome = "An outcome that is as long as an outcome may well be, and then a little longer."
        backend.status = "Synced 2 minutes ago from a source with averyveryverylongnamewithoutanyspaceinit"
        wide = card("W" * 120, MUTE, REFRESH, button("x" * 80, "clarify_vote", arg="1"))
        backend.card(alice, "m1", wide + preferences("off"))
        await page.get_by_role("button", name="Mute").click()
        await expect(page.locator(".outcome")).to_be_visible()
        await page.get_by_role("textbox").fill("x" * 300)
        await page.keyboard.press("Enter")
        await expect(page.locator(".person")).to_be_visible()

    @pytest.mark.parametrize("width", [320, 390, 1280])
    async def test_nothing_scrolls_sideways(self, page, backend, alice, width) -> None:
        await page.set_viewport_size({"width": width, "height": 800})
        assert await page.evaluate("document.scrollingElement.scrollWidth") == width
        await self.fill(page, backend, alice)
        assert await page.evaluate("document.scrollingElement.scrollWidth") == width

    async def test_every_control_has_a_name(self, page, backend, alice) -> None:
        session = await page.context.new_cdp_session(page)
        for act in (lambda: self.fill(page, backend, alice), page.get_by_role("button", name="Refresh answer").click):
            tree = await session.send("Accessibility.getFullAXTree")
            controls = [
                node
                for node in tree["nodes"]
                if _role(node) in {"button", "combobox", "link", "textbox", "dialog", "list"}
            ]
            assert {"button", "link", "textbox"} & {_role(node) for node in controls}
            assert [node for node in controls if not node["name"]["value"].strip()] == []
            await act()
        assert json.dumps(await session.send("Accessibility.getFullAXTree")).count('"Refresh answer?"')

    async def test_the_first_tab_offers_to_skip_to_the_question(self, page, backend, alice) -> None:
        backend.card(alice, "m1", card("Watched", MUTE))
        await page.keyboard.press("Tab")
        await expect(page.get_by_role("link", name="Skip to your question")).to_be_in_viewport()
        await page.keyboard.press("Enter")
        await expect(page.get_by_role("textbox")).to_be_focused()

    async def test_whoever_tabs_sees_where_they_are_and_is_not_behind_the_composer(self, page, backend, alice) -> None:
        for number in range(20):
            backend.card(alice, f"m{number}", card(f"Card {number}", MUTE))
        await expect(page.locator(".entry")).to_have_count(20)
        await page.evaluate("scrollTo(0, 0)")
        await page.keyboard.press("Tab")
        for _ in range(20):
            await page.keyboard.press("Tab")
            style, top, bottom, composer = await page.evaluate("""() => {
              const box = document.activeElement.getBoundingClientRect();
              const style = getComputedStyle(document.activeElement).outlineStyle;
              return [style, box.top, box.bottom, document.querySelector(".composer").getBoundingClientRect().top];
            }""")
            assert style != "none"
            assert 0 <= top < bottom <= composer

    @pytest.mark.parametrize(("motion", "moves"), [("reduce", False), ("no-preference", True)])
    async def test_nothing_moves_for_whoever_asked_for_stillness(self, page, backend, motion, moves) -> None:
        await page.emulate_media(reduced_motion=motion)
        await page.get_by_role("textbox").fill("Why?")
        await page.keyboard.press("Enter")
        await expect(page.locator(".looking")).to_be_visible()
        assert (await page.evaluate("document.getAnimations().length") > 0) is moves

    @pytest.mark.parametrize("scheme", ["light", "dark"])
    async def test_text_stands_out_from_its_ground_in_both_schemes(self, page, backend, alice, scheme) -> None:
        """4.5 to 1, as WCAG 2.2 asks of text."""
        await page.emulate_media(color_scheme=scheme)
        pairs = [(text, ground) for text in ("ink", "soft", "accent") for ground in ("page", "card")]
        pairs += [("accent-ink", "accent"), ("mine-ink", "mine"), ("warn", "warn-back"), ("warn", "page")]
        style = "getComputedStyle(document.documentElement)"
        for text, ground in pairs:
            colours = await page.evaluate(f"['--{text}', '--{ground}'].map((name) => {style}.getPropertyValue(name))")
            assert _contrast(*colours) >= 4.5, (text, ground)

    async def test_the_page_breaks_none_of_its_own_rules(self, fresh, server, backend, alice) -> None:
        """No error and no violation of the policy in ordinary use."""
        complaints: list[str] = []
        fresh.on("console", lambda message: complaints.append(message.text))
        fresh.on("pageerror", lambda error: complaints.append(str(error)))
        page = await opened(fresh, server, alice)
        await self.fill(page, backend, alice)
        await page.get_by_role("button", name="Refresh answer").click()
        await page.keyboard.press("Escape")
        assert complaints == []


def _role(node: dict[str, Any]) -> str:
    return "" if node["ignored"] else str(node["role"]["value"])


def _contrast(*colours: str) -> float:
    def luminance(colour: str) -> float:
        channels = [int(colour.strip()[at : at + 2], 16) / 255 for at in (1, 3, 5)]
        linear = [value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4 for value in channels]
        return sum(weight * value for weight, value in zip((0.2126, 0.7152, 0.0722), linear, strict=True))

    darker, lighter = sorted(map(luminance, colours))
    return (lighter + 0.05) / (darker + 0.05)
