"""A memory with two documents, one of them for the board alone, and the keys of three."""

import pytest

from tests.support.http import key
from tests.support.mcp import serving
from tests.support.memories import page, put

MEALS = "A meal may cost at most 40 EUR."
FEES = "A seat on the board is paid 900 EUR."
ASKED = {
    "memory.context": {"question": "What may a meal cost?"},
    "memory.verify": {"claims": [MEALS]},
    "memory.ask": {"question": "What may a meal cost?"},
}


@pytest.fixture
def pages(memory):
    put(memory, "travel.md", page("Travel", {"Meals": MEALS}))
    put(memory, "board.md", page("Board", {"Fees": FEES}), ["board"])


@pytest.fixture
def member(memory, pages):
    return key(memory, "member")


@pytest.fixture
def board(memory, pages):
    return key(memory, "member", "board")


@pytest.fixture
def stranger(memory, pages):
    """A key with every right, of another tenant."""
    memory.people.ensure_tenant("other", "Other")
    return key(memory, "member", "board", "admin", tenant="other")


@pytest.fixture
async def address(memory, pages):
    async with serving(memory) as there:
        yield there
