"""The same inputs give the same plan: on both databases, in any process, whatever order things arrived in."""

import json
import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from core.planner.request import PlanRequest
from tests.support import plan_worlds
from tests.support.plan_worlds import FEW, PAGES, QUESTION, REQUESTS, filled, plans, reader, shuffled, told, told_but_tx

SEEDS = range(10)


@pytest.fixture
def standing(sqlite_url, postgres_url):
    """One library taken in twice, page by page at the same times, so that even every tx is the same."""
    for url in (sqlite_url, postgres_url):
        filled(url).close()
    return [sqlite_url, postgres_url]


def test_the_library_is_full_of_ties_that_a_cut_goes_through(sqlite_url):
    with filled(sqlite_url) as memory:
        by_meaning = memory.plan(PlanRequest(question=QUESTION), reader(memory))
        everything = plans(memory)[REQUESTS.index(PlanRequest(find="PASSAGE"))]
    weights = [span.weight for span in by_meaning.spans]
    assert len(set(weights)) < len(weights) < len(PAGES)
    assert everything.plan.stats.recall.query == FEW["planner"]["query_limit"]


def test_both_databases_say_the_same_to_the_bit(standing):
    said = []
    for url in standing:
        with plan_worlds.reopened(url) as memory:
            said.append(told(memory))
    assert said[0] == said[1]
    assert len(set(said[0][: len(REQUESTS)])) == len(REQUESTS), "and each request has a plan of its own"


@pytest.mark.parametrize("name", ["sqlite", "postgresql"])
def test_the_order_of_arrival_shows_in_nothing_but_a_tx(name, request, sqlite_url, tmp_path):
    with filled(f"sqlite:///{shutil.copy(sqlite_url.removeprefix('sqlite:///'), tmp_path / 'first.db')}") as memory:
        first = told_but_tx(memory)
    url = sqlite_url if name == "sqlite" else request.getfixturevalue("postgres_url")
    with filled(url, shuffled(3)) as memory:
        assert told_but_tx(memory) == first


def said_by_a_process(seed, own, standing):
    ran = subprocess.run(
        [sys.executable, "-m", plan_worlds.__name__, own, str(seed), *standing],
        env=os.environ | {"PYTHONHASHSEED": str(seed)},
        stdout=subprocess.PIPE,
        check=True,
        cwd=Path.cwd(),
    )
    return json.loads(ran.stdout)


def test_no_hash_seed_and_no_process_shows(standing, migrated_file, tmp_path):
    """Each process plans of what stands on both databases, and of what it took in itself in an order of its own."""
    with plan_worlds.reopened(standing[0]) as memory:
        exact, but_tx = told(memory), told_but_tx(memory)
    own = [f"sqlite:///{shutil.copy(migrated_file, tmp_path / f'{seed}.db')}" for seed in SEEDS]
    with ThreadPoolExecutor(2) as pool:
        said = list(pool.map(said_by_a_process, SEEDS, own, [standing] * len(SEEDS)))
    assert said == [[but_tx, [exact] * 2]] * len(SEEDS)
