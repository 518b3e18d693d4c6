"""Pages in headless Chromium: opened once, looked at, and left as pictures beside their files."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Page, async_playwright

CHROMIUM = Path("/usr/bin/chromium")
UNSEEN = str.maketrans("", "", "\u2060\u2068\u2069")
PICTURE_PX = 4_000
SIZE = """before => [
  document.body.scrollWidth + 32,
  document.querySelector(before)?.offsetTop ?? document.body.scrollHeight + 32,
]"""

needs_chromium = [
    pytest.mark.chromium,
    pytest.mark.skipif(not CHROMIUM.exists(), reason="no Chromium: get it with `apt-get install chromium`"),
]


@asynccontextmanager
async def opened(file: Path, complaints: list[str], **context: Any) -> AsyncIterator[Page]:
    """The page of a file; into `complaints` goes what it says on its console, and all it asks for but itself."""
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=CHROMIUM)
        page = await browser.new_page(viewport={"width": 1020, "height": 900}, **context)
        page.on("console", lambda said: complaints.append(said.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("request", lambda asked: complaints.append(asked.url[:99]) if asked.url != file.as_uri() else None)
        await page.goto(file.as_uri())
        yield page
        await browser.close()


async def pictures(page: Page, folder: Path, name: str, before: str = "no-such-element") -> None:
    """The page in slices, as far as the first element that `before` selects."""
    width, height = await page.evaluate(SIZE, before)
    for top in range(0, height, PICTURE_PX):
        await page.set_viewport_size({"width": width, "height": min(PICTURE_PX, height - top)})
        await page.evaluate("top => window.scrollTo(0, top)", top)
        await page.screenshot(path=folder / f"{name}-{top:06}.png")


def words(text: str) -> str:
    """What a reader sees of it, spaced once."""
    return " ".join(text.translate(UNSEEN).split())
