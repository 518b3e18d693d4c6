"""Tests make much that lives long and little that goes round in circles: the search for garbage costs a tenth of all.

What collecting made, half a million objects, lives to the end and is never looked through again; what tests make is
looked through when there is much of it, and not after every few hundred objects.
"""

import gc
from collections.abc import Generator

import pytest


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.set_threshold(10_000, 10, 50)
        gc.enable()
