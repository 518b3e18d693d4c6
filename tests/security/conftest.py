"""Two tenants, made once a worker."""

import pytest

from tests.support.two_tenants import two_tenants


@pytest.fixture(scope="session")
def two_tenants_made(tmp_path_factory, migrated_file):
    return two_tenants(tmp_path_factory.mktemp("tenants"), migrated_file)


@pytest.fixture
def sides(two_tenants_made, tmp_path):
    """A database with a tenant and one with another beside it, the test's own."""
    return two_tenants_made.copied(tmp_path)
