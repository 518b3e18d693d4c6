"""A long embedding says how far it is, gives the same vectors, and never keeps silent for long."""

from itertools import pairwise

import numpy as np
import pytest

from bot.cli.output import reading
from bot.config import Settings, open_memory
from bot.telling import Estimate, Telling
from core.clock import MINUTE, SECOND, ManualClock
from core.embed.hashing import HashingEmbedder
from core.embed.protocol import Asking, embed_question


class Other(HashingEmbedder):
    """One that embeds a question otherwise."""

    def embed_question(self, text):
        return -self.embed([text])[0]


@pytest.mark.parametrize("count", [0, 1, 64, 65, 200])
def test_the_vectors_are_those_of_the_embedder_and_every_slice_is_told(count):
    told, plain = [], HashingEmbedder()
    telling = Telling(plain, lambda *counts: told.append(counts))
    texts = [f"passage {number}" for number in range(count)]
    assert np.array_equal(telling.embed(texts), plain.embed(texts))
    assert (telling.model, telling.dim) == (plain.model, plain.dim)
    assert told[0] == (0, count)
    assert told[-1] == (count, count)
    assert max(after - before for (before, _), (after, _) in pairwise(told)) <= 64


@pytest.mark.parametrize("embedder", [HashingEmbedder(), Other()])
def test_a_question_is_embedded_as_the_embedder_does(embedder):
    telling = Telling(embedder, lambda *_: None)
    assert isinstance(telling, Asking)
    assert np.array_equal(embed_question(telling, "how long?"), embed_question(embedder, "how long?"))


def lines(total, pace, step=64):
    """What is said of an embedding at so many passages a second."""
    clock = ManualClock(1_790_000_000 * SECOND)
    estimate = Estimate(clock)
    found = [estimate.line(0, total)]
    for done in range(step, total + step, step):
        clock.advance(step * SECOND // pace)
        found.append(estimate.line(min(done, total), total))
    return [line for line in found if line]


def test_an_hour_is_announced_once_its_pace_is_known_and_told_of_at_each_tenth():
    said = lines(100_000, 25)
    assert said[0] == "128 of 100,000 passages embedded; about 66 minutes left"
    assert said[5] == "50,048 of 100,000 passages embedded; about 33 minutes left"
    assert len(said) == 10


def test_a_minute_of_work_is_done_without_a_word():
    assert lines(1000, 25) == []


def test_each_embedding_has_a_pace_of_its_own():
    clock = ManualClock(1_790_000_000 * SECOND)
    estimate = Estimate(clock)
    for _ in range(2):
        estimate.line(0, 10_000)
        clock.advance(10 * SECOND)
        assert estimate.line(100, 10_000) == "100 of 10,000 passages embedded; about 16 minutes left"
        clock.advance(99 * MINUTE)


def test_without_a_terminal_a_long_embedding_is_told_of_on_stderr(capsys):
    clock = ManualClock(1_790_000_000 * SECOND)
    with reading(clock) as (_, on_embedding):
        on_embedding(0, 10_000)
        clock.advance(10 * SECOND)
        on_embedding(100, 10_000)
    assert capsys.readouterr() == ("", "100 of 10,000 passages embedded; about 16 minutes left\n")


def test_a_memory_tells_what_it_embeds(tmp_path):
    told = []
    settings = Settings(database=f"sqlite:///{tmp_path / 'm.db'}", embedder="hashing", keys=tmp_path / "none")
    with open_memory(settings, on_embedding=lambda *counts: told.append(counts)) as memory:
        memory.people.ensure_tenant("default", "Default")
        memory.ingest("a.csv", b"City,Limit\nBern,5\nBasel,6\n", readers=["everyone"])
    assert told == [(0, 3), (3, 3)]
