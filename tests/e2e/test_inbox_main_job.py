"""The main job as a person meets it: the real engine, the real inbox, headless Chromium."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import pytest
from playwright.async_api import Browser, Page, async_playwright, expect

from bot.demo import Demo, make_demo
from core.ids import random_key
from tests.support.embedders import remembering

CHROMIUM = Path("/usr/bin/chromium")
pytestmark = [
    pytest.mark.chromium,
    pytest.mark.skipif(not CHROMIUM.exists(), reason="no Chromium: get it with `apt-get install chromium`"),
]


@pytest.fixture(scope="module", autouse=True)
def _vectors_once() -> Iterator[None]:
    with remembering():
        yield


@pytest.fixture
async def story(tmp_path: Path) -> AsyncIterator[Demo]:
    """The sample handbook's first revision, asked, saved and watched."""
    story = make_demo(tmp_path / "demo", 0, lambda _: None)
    await story.begin()
    yield story
    story.bot.gateway.close()


@asynccontextmanager
async def working(story: Demo) -> AsyncIterator[None]:
    work = asyncio.create_task(story.bot.worker.run(0.1))
    yield
    work.cancel()
    with suppress(asyncio.CancelledError):
        await work


@pytest.fixture
async def revised(story: Demo, page: Page) -> AsyncIterator[None]:
    """The second revision arrives while the page is open, and the worker starts to tell of it."""
    await story.revise()
    async with working(story):
        yield


@pytest.fixture
async def page(story: Demo) -> AsyncIterator[Page]:
    server = story.bot.inbox_server(random_key())
    await server.start()
    async with async_playwright() as playwright:
        browser: Browser = await playwright.chromium.launch(executable_path=CHROMIUM)
        page = await browser.new_page(viewport={"width": 390, "height": 844})
        await page.goto(server.link_for(story.person))
        await page.wait_for_selector("main:not([aria-busy])")
        await page.evaluate("window.notReloaded = true")
        yield page
        assert await page.evaluate("window.notReloaded"), "the page was reloaded"
        await browser.close()
    await server.stop()


@pytest.mark.usefixtures("revised")
async def test_cards_arrive_without_reload_and_refresh_replaces_what_it_should(page: Page) -> None:
    stale = page.locator("article.card", has_text="2 saved answers may have changed")
    changed = page.locator("article.card", has_text="Hotels: 210 → 240")
    await expect(changed.locator("del", has_text="210")).to_be_visible(timeout=20_000)

    await stale.get_by_role("button", name="Refresh answer").first.click()
    dialog = page.get_by_role("dialog")
    await expect(dialog).to_contain_text("asks your question again")
    await dialog.get_by_role("button", name="Cancel").click()
    await expect(dialog).to_be_hidden()

    first = stale.locator(".card-item", has_text="parental leave")
    await first.get_by_role("button", name="Refresh answer").click()
    await dialog.get_by_role("button", name="Refresh answer").click()
    await expect(stale.locator(".card-outcome")).to_contain_text("Refreshed", timeout=20_000)
    await expect(page.locator("article.card", has_text="20 weeks of parental leave").last).to_be_visible()


@pytest.mark.usefixtures("revised")
async def test_a_watch_is_stopped_in_one_tap_and_a_second_tap_says_so(page: Page) -> None:
    changed = page.locator("article.card", has_text="Hotels: 210 → 240")
    await expect(changed).to_be_visible(timeout=20_000)
    await changed.evaluate("card => { window.old = card.querySelector('button[data-arg=stop]').cloneNode(true) }")
    await changed.get_by_role("button", name="Stop watching").click()
    await expect(changed.locator(".card-outcome")).to_contain_text("Stopped", timeout=20_000)
    await changed.evaluate("card => { card.append(window.old); window.old.click() }")
    await expect(changed.locator(".card-outcome")).to_contain_text("Stopped")


@pytest.mark.usefixtures("revised")
async def test_a_watch_is_muted_for_a_day_in_one_tap(page: Page) -> None:
    changed = page.locator("article.card", has_text="Hotels: 210 → 240")
    await changed.get_by_role("button", name="Mute a day").click(timeout=20_000)
    await expect(changed.locator(".card-outcome")).to_have_text("Muted for a day.", timeout=20_000)
    await page.get_by_role("textbox").fill("watching")
    await page.keyboard.press("Enter")
    await expect(page.locator("article.card", has_text="muted for now")).to_be_visible(timeout=20_000)


@pytest.mark.usefixtures("revised")
async def test_a_question_typed_here_is_answered_here(page: Page) -> None:
    await page.get_by_role("textbox").fill("How long are backups kept?")
    await page.keyboard.press("Enter")
    await expect(page.locator("article.card", has_text="35 days").last).to_be_visible(timeout=20_000)


@pytest.mark.usefixtures("revised")
async def test_a_button_whose_card_moved_on_explains_itself(page: Page) -> None:
    """The removed page's answer cannot be refreshed: its button comes back under a new nonce, the old one is dead."""
    stale = page.locator("article.card", has_text="2 saved answers may have changed")
    row = stale.locator(".card-item", has_text="sabbatical")
    await expect(row).to_be_visible(timeout=20_000)
    await row.evaluate("row => { window.old = row.querySelector('button').cloneNode(true) }")
    await row.get_by_role("button", name="Refresh answer").click()
    await page.get_by_role("dialog").get_by_role("button", name="Refresh answer").click()
    await expect(stale.locator(".card-outcome")).to_contain_text("stays as it is", timeout=20_000)
    await stale.evaluate("card => { card.append(window.old); window.old.click() }")
    await page.get_by_role("dialog").get_by_role("button", name="Refresh answer").click()
    await expect(page.get_by_text("This card is no longer active").first).to_be_visible()
