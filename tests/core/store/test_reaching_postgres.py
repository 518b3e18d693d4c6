"""A PostgreSQL that vanishes from the network is given up in time, by whoever works and by whoever listens."""

from contextlib import closing

import pytest

from core.errors import InvalidConfig
from core.store.database import Database, tenants
from tests.support.connections import keeping_none

IN_TIME = {
    "connect_timeout": "5",
    "keepalives_idle": "30",
    "keepalives_interval": "10",
    "keepalives_count": "3",
    "tcp_user_timeout": "60000",
}


@pytest.fixture(autouse=True)
def _new_connections(postgres_database):
    with keeping_none():
        yield


def settings_of(url, clock):
    """Of a connection that works, and of one that listens."""
    with closing(Database(url, clock)) as database, closing(database.bell()) as bell:
        bell.wait(0)
        with database.engine.connect() as working:
            return [one.info.get_parameters() for one in (working.connection.dbapi_connection, bell._connection)]


def test_a_server_that_vanished_holds_nobody_longer_than_a_minute(postgres_url, clock):
    for settings in settings_of(postgres_url, clock):
        assert settings.items() >= IN_TIME.items()


def test_what_the_address_says_of_it_goes_first(postgres_url, clock):
    for settings in settings_of(f"{postgres_url}&connect_timeout=9&tcp_user_timeout=0", clock):
        assert settings.items() >= (IN_TIME | {"connect_timeout": "9", "tcp_user_timeout": "0"}).items()


@pytest.mark.parametrize("option", ["connect_timeout=words", "nonsense=1"])
def test_an_option_that_is_none_is_told_as_one_and_the_password_is_not(option, clock):
    with (
        closing(Database(f"postgresql://ada:hidden@127.0.0.1:1/x?{option}", clock)) as database,
        pytest.raises(InvalidConfig, match=option.split("=")[0]) as told,
    ):
        tenants(database)
    assert "hidden" not in str(told.value)
