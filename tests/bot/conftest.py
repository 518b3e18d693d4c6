"""The bot over a memory of its own and a platform that runs in another process.

That every engine behaves alike on both databases is proven with the engines; here SQLite is enough, and
CLARIFY_BOT_TESTS_ON=postgresql runs the same tests on the other.
"""

import os
import signal
from collections.abc import Iterator
from itertools import count

import pytest

from core.memory import Memory
from core.model.principals import Principal
from core.model.work import Place
from tests.fakes.platform_channel import PLATFORM, PlatformChannel, Room, platform
from tests.support.bots import Chat, Parts, parts_over
from tests.support.memories import page, put

_rooms = count()


@pytest.fixture
def database_url(request: pytest.FixtureRequest) -> str:
    other = os.environ.get("CLARIFY_BOT_TESTS_ON") == "postgresql"
    url: str = request.getfixturevalue("postgres_url" if other else "sqlite_url")
    return url


@pytest.fixture
def in_a_terminal() -> Iterator[None]:
    """Whatever the tests themselves were started by: under nohup nothing minds a terminal that closes."""
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    yield
    signal.signal(signal.SIGHUP, before)


@pytest.fixture(scope="session")
def platform_address() -> Iterator[str]:
    with platform() as address:
        yield address


@pytest.fixture
def room(platform_address: str) -> Room:
    """The platform as this test sees it, empty."""
    return Room(f"{platform_address}/room{next(_rooms)}")


@pytest.fixture
def channel(room: Room) -> PlatformChannel:
    return PlatformChannel(room.url, timeout_secs=2)


@pytest.fixture
def memory(reopen) -> Memory:
    """A memory whose news settles at once."""
    return reopen(watch={"settle_secs": 0})


@pytest.fixture
def parts(memory: Memory, channel: PlatformChannel) -> Iterator[Parts]:
    wired = parts_over(memory, {PLATFORM: channel})
    yield wired
    wired.gateway.stop()


def _person(memory: Memory, name: str) -> Principal:
    person_id = memory.people.put("default", name, zone="Europe/Berlin")
    memory.people.bind("default", person_id, Place(PLATFORM, "room", name))
    return memory.people.principal("default", person_id)


@pytest.fixture
def ada(memory: Memory) -> Principal:
    return _person(memory, "Ada")


@pytest.fixture
def bob(memory: Memory) -> Principal:
    return _person(memory, "Bob")


@pytest.fixture
def adas(parts: Parts, room: Room, ada: Principal) -> Chat:
    """Ada's conversation with the bot."""
    return Chat(parts, room, ada, "Ada")


@pytest.fixture
def bobs(parts: Parts, room: Room, bob: Principal) -> Chat:
    return Chat(parts, room, bob, "Bob")


def handbook(meals: int = 40, hotels: int = 150) -> bytes:
    words = {"Meals": f"A meal may cost {meals} EUR at most.", "Hotels": f"A night may cost {hotels} EUR at most."}
    return page("Travel", words)


@pytest.fixture
def revise(memory: Memory):
    """Write the handbook, or what it says from now on."""
    return lambda **amounts: put(memory, "travel.md", handbook(**amounts))
