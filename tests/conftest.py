"""What every test may use."""

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from bot.tokens import mint
from core.access.card_tokens import CardWrite
from core.clock import ManualClock
from core.ids import nonce
from core.memory import Memory
from core.model.principals import Principal
from core.store.database import Database
from core.store.migrate import upgrade
from tests.support.connections import keeping, share_connections
from tests.support.garbage import pytest_collection
from tests.support.listening import Ear, listen
from tests.support.logged import pytest_runtest_protocol
from tests.support.memories import KEY, KEY_ID, NOW, add_person, open_memory
from tests.support.once import share_migrations, share_statements
from tests.support.postgres import Postgres, emptied, running
from tests.support.skips import pytest_sessionfinish
from tests.support.workers import keep_compiled, pytest_collection_modifyitems, pytest_xdist_auto_num_workers

__all__ = [
    "pytest_collection",
    "pytest_collection_modifyitems",
    "pytest_runtest_protocol",
    "pytest_sessionfinish",
    "pytest_xdist_auto_num_workers",
]

keep_compiled()
share_connections()
share_statements()
share_migrations()
listen()

_QUIET: dict[str, Any] = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
settings.register_profile("here", max_examples=25, **_QUIET)
settings.register_profile("deep", max_examples=1000, **_QUIET)
settings.load_profile("here")

DATA = Path(os.environ.get("CLARIFY_DATA", Path(__file__).parents[2] / "shared" / "data"))
VECTORS = Path(__file__).parent / "vectors"


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(Ear(), "ear")


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """The folder of real input; never part of the project."""
    if not DATA.is_dir():
        pytest.skip(f"no data folder at {DATA}: name one in CLARIFY_DATA")
    return DATA


@pytest.fixture(scope="session")
def vectors() -> Path:
    return VECTORS


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(NOW)


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    """One server a worker, started by the first test that needs it."""
    with running() as server:
        yield server


@pytest.fixture(scope="session")
def postgres_database(postgres: Postgres) -> Iterator[str]:
    with postgres.database("migrated") as url, keeping(url):
        yield url


@pytest.fixture
def postgres_url(postgres_database: str) -> Iterator[str]:
    """A migrated PostgreSQL database without a row, the test's own for as long as it runs."""
    yield postgres_database
    emptied(postgres_database)


@pytest.fixture(scope="session")
def migrated_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A migrated SQLite file, to be copied."""
    file = tmp_path_factory.mktemp("migrated") / "memory.db"
    database = Database(f"sqlite:///{file}", ManualClock(NOW))
    upgrade(database)
    database.close()
    return file


@pytest.fixture
def sqlite_url(migrated_file: Path, tmp_path: Path) -> str:
    """A migrated SQLite database of the test's own."""
    return f"sqlite:///{shutil.copy(migrated_file, tmp_path / 'memory.db')}"


@pytest.fixture(params=["sqlite", "postgresql"])
def database_url(request: pytest.FixtureRequest) -> str:
    """What holds of one database must hold of the other: every test that asks for this runs on both."""
    url: str = request.getfixturevalue("sqlite_url" if request.param == "sqlite" else "postgres_url")
    return url


@pytest.fixture
def reopen(database_url: str, clock: ManualClock) -> Iterator[Callable[..., Memory]]:
    """Open the test's database; again, or with other settings or another embedder, as often as called."""
    opened: list[Memory] = []

    def _open(**settings: object) -> Memory:
        opened.append(open_memory(database_url, clock, **settings))
        opened[-1].people.ensure_tenant("default", "Default")
        return opened[-1]

    yield _open
    for memory in opened:
        memory.close()


@pytest.fixture
def memory(reopen: Callable[..., Memory]) -> Memory:
    """A memory with one tenant, `default`."""
    return reopen()


@pytest.fixture
def ada(memory: Memory) -> Principal:
    """A member who can be written to."""
    return add_person(memory, "Ada")


@pytest.fixture
def bob(memory: Memory) -> Principal:
    return add_person(memory, "Bob")


@pytest.fixture
def mint_token(clock: ManualClock) -> Callable[[CardWrite], str]:
    """A token for one tap, signed with the key that every test's memory knows."""
    return lambda write: mint(KEY, KEY_ID, write, clock.now(), nonce())
