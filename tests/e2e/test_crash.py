"""Whatever happens to a bot, and whenever, it tells everybody everything, once.

What counts is what the platform accepted: each fire once for each person, each question answered by one card, each
tap's outcome on the card it was tapped on. A bot is killed at each of its moments, on PostgreSQL at every other; of
whatever else happens to it, a share of the moments is tried, other ones each time, unless CLARIFY_EVERY_MOMENT is set
(`make crash`): then all of them, and both sides of every commit.
"""

import os
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from shutil import copy
from typing import Any

import pytest

from core.clock import HOUR
from tests.e2e.crash_told import Told
from tests.e2e.crash_trial import LATER, Bots, Trial
from tests.e2e.crash_worlds import WORLDS, build
from tests.fakes.platform_channel import Room, platform
from tests.support.connections import keeping
from tests.support.postgres import Postgres, emptied

EVERY_MOMENT = bool(os.environ.get("CLARIFY_EVERY_MOMENT"))
SHARE = 1 if EVERY_MOMENT else 40
"""One in so many moments is tried where not each is."""
pytestmark = pytest.mark.timeout(3600 if EVERY_MOMENT else 400)

DATABASES = ("sqlite", "postgresql")
Trials = Callable[[str, str], Trial]
Outcome = tuple[Any, Any]
"""What was found, and what must be."""
Way = Callable[[Trial, int], Outcome]


@pytest.fixture(scope="module")
def trials(postgres: Postgres, migrated_file: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Trials]:
    """Trials by database and world, each prepared by the first test that needs it."""
    made: dict[tuple[str, str], Trial] = {}
    folder = tmp_path_factory.mktemp("crash")
    bots = Bots()

    def trial(database: str, world: str) -> Trial:
        if (database, world) not in made:
            url = rows if database == "postgresql" else f"sqlite:///{copy(migrated_file, folder / f'{world}.db')}"
            made[database, world] = _prepared(bots, Room(f"{address}/world{len(made)}"), url, world)
        return made[database, world]

    with platform() as address, postgres.database("migrated") as rows, keeping(rows):
        yield trial
        bots.stop()


def _prepared(bots: Bots, room: Room, url: str, world: str) -> Trial:
    if url.startswith("postgresql"):
        emptied(url)
    for card in build(world, url):
        room.post(card.delivery_key, card.place.user_id, card.card)
    return Trial(bots, room, url, both_sides=EVERY_MOMENT)


def killed(trial: Trial, moment: int) -> Outcome:
    return trial.killed(moment), trial.expected


def answers_lost(trial: Trial, moment: int) -> Outcome:
    return trial.killed_with_answers_lost(moment), trial.expected


def no_history(trial: Trial, moment: int) -> Outcome:
    return _without_a_history(trial, trial.killed_without_a_history(moment, "none", deaf=False))


def history_unread(trial: Trial, moment: int) -> Outcome:
    return _without_a_history(trial, trial.killed_without_a_history(moment, "unread", deaf=False))


def answers_lost_and_no_history(trial: Trial, moment: int) -> Outcome:
    return _without_a_history(trial, trial.killed_without_a_history(moment, "none", deaf=True))


def _without_a_history(trial: Trial, found: Told) -> Outcome:
    """A card that may be out is not sent again; what it was to tell has been told since."""
    again = {card: times for card, times in found.news.cards.items() if times > 1}
    return (found.news.fires, again), (trial.expected.news.fires, {})


def restarted_an_hour_back(trial: Trial, moment: int) -> Outcome:
    return trial.killed(moment, [-HOUR, *LATER]).news, trial.expected.news


def set_back_an_hour(trial: Trial, moment: int) -> Outcome:
    return trial.set_back(moment).news, trial.expected.news


def one_of_two_killed(trial: Trial, moment: int) -> Outcome:
    """Not the texts: who is told of what in which card depends on which bot came first."""
    return trial.one_of_two_killed(moment).news, trial.expected.news


def overtaken(trial: Trial, moment: int) -> Outcome:
    return trial.overtaken(moment).news, trial.expected.news


WAYS: tuple[Way, ...] = (
    answers_lost,
    no_history,
    history_unread,
    answers_lost_and_no_history,
    restarted_an_hour_back,
    set_back_an_hour,
    one_of_two_killed,
    overtaken,
)
CASES = list(product(WAYS, DATABASES))


def wrong(trial: Trial, way: Way, moments: range) -> dict[int, Outcome]:
    outcomes = {moment: way(trial, moment) for moment in moments}
    return {moment: outcome for moment, outcome in outcomes.items() if outcome[0] != outcome[1]}


@pytest.mark.parametrize("world", WORLDS)
@pytest.mark.parametrize("database", DATABASES)
def test_killed_at_any_moment_it_tells_everything_once(database, world, trials):
    """On PostgreSQL every other moment, unless each is wanted: the commits are the same."""
    trial = trials(database, world)
    step = 1 if EVERY_MOMENT or database == "sqlite" else 2
    assert wrong(trial, killed, range(1, trial.moments + 1, step)) == {}


@pytest.mark.parametrize(("way", "database"), CASES)
def test_whatever_else_happens_it_tells_everything_once(way, database, trials):
    begin = 1 + CASES.index((way, database)) * 9 % SHARE
    for trial in [trials(database, world) for world in WORLDS]:
        moments = range(begin, trial.moments + 1, SHARE)
        assert wrong(trial, way, moments) == {}
        begin += len(moments) * SHARE - trial.moments


@pytest.mark.parametrize("database", DATABASES)
@pytest.mark.parametrize("way", [answers_lost, answers_lost_and_no_history])
def test_with_every_answer_lost_a_bot_that_is_never_killed_tells_everything_once(way, database, trials):
    trial = trials(database, "news")
    never = trial.moments * 2
    assert wrong(trial, way, range(never, never + 1)) == {}
