"""A served memory with two documents, and callers: a person, an admin, a program of roles."""

import aiohttp
import pytest

from tests.support.http import Caller, key, listening
from tests.support.memories import add_person, page, put


@pytest.fixture
def pages(memory):
    put(
        memory, "travel.md", page("Travel", {"Meals": "A meal may cost at most 40 EUR.", "Hotels": "A night: 120 EUR."})
    )
    put(memory, "board.md", page("Board", {"Fees": "A seat on the board is paid 900 EUR."}), ["board"])


@pytest.fixture
async def base(memory, pages):
    async with listening(memory) as address:
        yield address


@pytest.fixture
async def nobody(base):
    """A caller without a key."""
    async with aiohttp.ClientSession() as session:
        yield Caller(session, base)


@pytest.fixture
def robot(nobody, memory):
    """A program that reads by the role of a member."""
    return nobody.as_(key(memory, "member"))


@pytest.fixture
def call(nobody, memory, ada):
    """Ada, by a key of her own."""
    return nobody.as_(key(memory, person=ada))


@pytest.fixture
def admin(nobody, memory):
    """An admin, by a key of their own."""
    return nobody.as_(key(memory, person=add_person(memory, "Admin", ("admin", "member"))))
