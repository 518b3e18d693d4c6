"""What every test may use."""

import os
from pathlib import Path

import pytest

DATA = Path(os.environ.get("CLARIFY_DATA", Path(__file__).parents[2] / "shared" / "data"))
VECTORS = Path(__file__).parent / "vectors"


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """The folder of real input; never part of the project."""
    if not DATA.is_dir():
        pytest.skip(f"no data folder at {DATA}: name one in CLARIFY_DATA")
    return DATA


@pytest.fixture(scope="session")
def vectors() -> Path:
    return VECTORS
