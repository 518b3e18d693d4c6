"""An embeddings endpoint: unit vectors in the order of the texts, or one sentence that says what is wrong with it."""

import json
import math
import traceback
from typing import ClassVar

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import SecretStr
from urllib3 import Retry

from core.embed.answers import vectors
from core.embed.endpoint import Endpoint, EndpointEmbedder
from core.embed.hashing import HashingEmbedder
from core.errors import CoreError, EmbedUnavailable, InvalidConfig, ModelMismatch
from core.maintenance import reembed
from core.planner.request import PlanRequest
from tests.fakes.embeddings import breaks, fake_endpoint, good, refuses, rows, says
from tests.support.memories import add_person, page, put
from tests.support.threads import at_once

KEY, TEXTS = "sk-very-secret", ["the private words of a memo", "leave is paid", "the office opens"]


class Noted(Retry):
    """Waits for nothing, and notes what it would have waited for."""

    waits: ClassVar[list[float]] = []

    def sleep(self, response=None):
        asked = None if response is None else self.get_retry_after(response)
        Noted.waits.append(self.get_backoff_time() if asked is None else asked)


@pytest.fixture
def fake():
    Noted.waits.clear()
    with fake_endpoint() as running:
        yield running


@pytest.fixture
def make(fake):
    """An embedder that asks the fake; every connection it opened is closed in the end."""
    made = []

    def _make(**more):
        endpoint = Endpoint(more.pop("url", fake.url), "small", SecretStr(more.pop("key", KEY)), **more)
        made.append(EndpointEmbedder(endpoint, Noted))
        return made[-1]

    yield _make
    for embedder in made:
        embedder._pool.clear()


def one(**row):
    """An answer about one text."""
    return says([{"index": 0, "embedding": [0.6, 0.8]} | row])


# ── what comes of a good answer ──


def test_rows_are_of_length_one_in_the_order_of_the_texts(fake, make):
    found = make().embed(TEXTS)
    assert found.dtype == np.float32
    assert np.allclose(found, HashingEmbedder().embed(TEXTS), atol=1e-6)
    assert fake.asked == [(TEXTS, f"Bearer {KEY}")]


def test_rows_go_by_their_index(fake, make):
    fake.script = [lambda texts: says(rows(texts)[::-1])(texts)]
    assert np.allclose(make().embed(TEXTS), HashingEmbedder().embed(TEXTS), atol=1e-6)


def test_without_a_key_none_is_sent_and_any_form_of_the_address_will_do(fake, make):
    for url in (fake.url, f"{fake.url}/", f"{fake.url}/embeddings"):
        make(key="", url=url).embed(["x"])
    assert fake.asked == [(["x"], None)] * 3


def test_texts_go_in_batches(fake, make):
    many = [f"text {number}" for number in range(7)]
    assert make(batch_size=3).embed(many).shape == (7, 256)
    assert [len(texts) for texts, _ in fake.asked] == [3, 3, 1]


def test_no_text_is_asked_for_twice_and_gives_the_same_bits(fake, make):
    """The server's second answer would differ in its last digits."""
    fake.script = [one(), one(embedding=[0.60001, 0.8])]
    embedder = make()
    first = embedder.embed(["question"])
    assert embedder.embed(["question"]).tobytes() == first.tobytes()
    assert embedder.embed(["question", "question"]).tobytes() == first.tobytes() * 2
    assert len(fake.asked) == 1


def test_what_was_not_asked_for_lately_is_forgotten_and_no_text_is_kept(make):
    embedder = make(batch_size=500)
    embedder.embed([f"text {number}" for number in range(2100)])
    assert len(embedder._recent._rows) == 2048
    assert all(len(digest) == 32 for digest in embedder._recent._rows)
    assert embedder._recent.get("text 0") is None
    assert embedder._recent.get("text 2099") is not None


@pytest.mark.parametrize("blank", ["", "  \n"])
def test_blank_text_is_never_sent_and_resembles_nothing(fake, make, blank):
    assert not make().embed([blank, "x", blank])[[0, 2]].any()
    assert not make().embed([blank]).any()
    assert all(blank not in texts for texts, _ in fake.asked)


def test_no_text_gives_no_row_and_half_an_emoji_goes_through(make):
    embedder = make()
    assert embedder.embed(["\ud83d half"]).shape == (1, 256)
    assert embedder.embed([]).shape == (0, 256)


def test_the_dimension_is_known_from_the_first_answer_on(fake, make):
    embedder = make()
    assert embedder.dim is None
    embedder.embed(["x"])
    assert embedder.dim == 256
    fake.script = [one()]
    with pytest.raises(EmbedUnavailable, match="2 dimensions; must be 256"):
        embedder.embed(["y"])


def test_two_first_answers_at_once_must_agree(fake, make):
    fake.script = [one(), one(embedding=[1, 2, 3])]
    embedder = make()
    ended = at_once(lambda: embedder.embed(["x"]), lambda: embedder.embed(["y"]))
    assert sum(isinstance(one, EmbedUnavailable) for one in ended) == 1


# ── what is wrong with a bad one ──


def raises(embedder, words):
    """The error, in which no key and no text stands, wherever one looks."""
    with pytest.raises(EmbedUnavailable, match=words) as caught:
        embedder.embed(TEXTS[:1])
    shown = "".join(traceback.format_exception(caught.value)) + repr(embedder._endpoint)
    assert KEY not in shown
    assert TEXTS[0] not in shown.replace("embed(TEXTS[:1])", "")
    assert "http://127.0.0.1" in str(caught.value)
    return caught.value


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (one(embedding=[0.1, math.nan]), "NaN"),
        (one(embedding=[1e200, 1]), "too large"),
        (one(embedding=[10**400, 1]), "too large"),
        (one(embedding=[math.inf, 1]), "NaN or"),
        (one(embedding=["0.1", 1]), "no number"),
        (one(embedding=[True, 1]), "no number"),
        (one(embedding=[]), "no list of numbers"),
        (one(embedding="AACAPwAAAEA="), "no list of numbers"),
        (one(embedding=None), "no list of numbers"),
        (one(index=1), "numbered from 0 to 0"),
        (one(index=None), "numbered from 0 to 0"),
        (says([]), "0 embeddings came for 1 texts"),
        (says([1]), "numbered"),
        (says([{"index": 0, "embedding": [1]}] * 2), "2 embeddings came for 1 texts"),
        (says("x"), 'no list "data"'),
        (lambda _: (200, {}, b"[]"), 'no list "data"'),
        (lambda _: (200, {}, b"<html>Sign in</html>"), "not JSON"),
        (lambda _: (200, {}, b"\xff"), "not JSON"),
        (lambda _: (200, {}, b"[" * 100_000), "not JSON"),
        (refuses(301, location="https://elsewhere.example/v1/embeddings"), "HTTP 301: it does not answer as"),
        (refuses(400), "HTTP 400: it does not take the request"),
        (
            refuses(401, {"error": {"message": f"Incorrect key: {KEY}", "code": "invalid_api_key"}}),
            "invalid_api_key.*key",
        ),
        (refuses(403, {"error": {"message": "no", "code": f"{KEY} {TEXTS[0]}"}}), r"HTTP 403: the key may not"),
        (refuses(404, {"error": "x"}), "no such address or model"),
        (refuses(418, ["?"]), "HTTP 418: it does not answer as"),
    ],
)
def test_a_bad_answer_is_named_and_not_asked_for_again(fake, make, answer, words):
    fake.script = [answer]
    raises(make(), words)
    assert (len(fake.asked), Noted.waits) == (1, [])


def test_embeddings_of_several_lengths_are_refused():
    data = [{"index": 0, "embedding": [1, 0]}, {"index": 1, "embedding": [1, 0, 0]}]
    with pytest.raises(EmbedUnavailable, match="2 and 3 dimensions"):
        vectors(200, json.dumps({"data": data}).encode(), 2)


SHAPES = st.recursive(
    st.none() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["data", "index", "embedding", "error", "code"]), inner)
    ),
    max_leaves=8,
)


@given(st.integers(199, 201) | st.integers(0, 999), st.binary(max_size=60) | SHAPES.map(json.dumps).map(str.encode))
def test_whatever_comes_it_is_unit_vectors_or_an_error_of_ours(status, body):
    try:
        found = vectors(status, body, 1)
    except CoreError:
        return
    assert found.shape[0] == 1
    assert np.isfinite(found).all()


# ── what may pass ──


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 504])
def test_what_may_pass_is_tried_again_with_growing_patience(fake, make, status):
    fake.script = [refuses(status)] * 3
    assert make().embed(["x"]).shape == (1, 256)
    assert [round(wait, 1) for wait in Noted.waits] == [0.0, 1.0, 2.0]


def test_a_wait_that_the_server_asks_for_is_kept_up_to_our_patience(fake, make):
    fake.script = [refuses(429, Retry_After="7"), refuses(503, Retry_After="3600")]
    make().embed(["x"])
    assert Noted.waits == [7, 30]


def test_in_the_end_it_gives_up_and_says_why(fake, make):
    fake.script = [refuses(429, {"error": {"message": TEXTS[0], "type": "insufficient_quota"}})] * 9
    raises(make(retries=2), r"HTTP 429 \(insufficient_quota\): too many requests")
    assert len(fake.asked) == 3
    fake.script = [refuses(500)] * 9
    raises(make(retries=0), "HTTP 500: it has failed")


def test_a_broken_connection_is_tried_again_and_then_named(fake, make):
    fake.script = [breaks, good]
    assert make().embed(["x"]).shape == (1, 256)
    fake.script = [breaks] * 3
    raises(make(retries=2), r"cannot be reached \(ProtocolError\): check that it runs")


def test_silence_has_an_end(fake, make):
    fake.script = [fake.silent, fake.silent]
    raises(make(retries=1, timeout_secs=0.05), r"cannot be reached \(ReadTimeoutError\)")
    assert len(Noted.waits) == 1


def test_nobody_there_is_said(make):
    raises(make(url="http://127.0.0.1:1/v1", retries=1), r"cannot be reached \(NewConnectionError\)")


def test_a_header_that_cannot_be_read_is_said(fake, make):
    fake.script = [refuses(429, Retry_After="soon")]
    raises(make(), "InvalidHeader")


@pytest.mark.parametrize("every", [2, 3])
def test_an_endpoint_that_fails_all_the_time_is_as_good_as_one_that_does_not(fake, make, every):
    bad = [refuses(429), breaks, refuses(500), refuses(503, Retry_After="0")]
    fake.script = [good if number % every else bad[number // every % len(bad)] for number in range(1, 60)]
    many = [f"words {number} of a text" for number in range(40)]
    found = make(batch_size=3).embed(many)
    assert np.allclose(found, HashingEmbedder().embed(many), atol=1e-6)


# ── in a memory ──


def test_a_memory_is_named_after_the_endpoint_and_reopens_without_asking_it(fake, make, reopen, clock):
    memory = reopen(embedder=make())
    put(memory, "leave.md", page("Leave", {"Parents": "Leave is paid for 16 weeks."}))
    ada, asked = add_person(memory, "Ada"), len(fake.asked)
    again = reopen(embedder=make())
    assert len(fake.asked) == asked
    assert again.plan(PlanRequest("paid leave for parents"), ada).best_cosine > 0.5
    with pytest.raises(ModelMismatch, match=r"small@127\.0\.0\.1:\d+ \(256 dimensions\).*hashing-256-v1.*reembed"):
        reopen()


def test_an_endpoint_that_changed_its_dimension_is_found_out_and_mended(fake, make, reopen, database_url, clock):
    memory = reopen(embedder=make())
    put(memory, "leave.md", page("Leave", {"Parents": "Leave is paid for 16 weeks."}))
    ada = add_person(memory, "Ada")
    fake.answer = lambda _path, body, _key: says(
        [row | {"embedding": row["embedding"][:128]} for row in rows(body["input"])]
    )(body["input"])
    changed = reopen(embedder=make())
    with pytest.raises(ModelMismatch, match=r"\(256 dimensions\).*\(128 dimensions\).*reembed"):
        changed.plan(PlanRequest("paid leave"), ada)
    with pytest.raises(ModelMismatch, match=r"\(256 dimensions\).*\(128 dimensions\).*reembed"):
        put(changed, "new.md", page("New", {"Parents": "Leave."}))
    reembed(database_url, make(), clock=clock)
    assert reopen(embedder=make()).plan(PlanRequest("paid leave for parents"), ada).spans


# ── how it is named ──


@pytest.mark.parametrize(
    "url",
    [
        "",
        "api.example.com/v1",
        "ftp://x/v1",
        "https://",
        "https://u:p@x/v1",
        "https://x/v1?k=1",
        "http://[::1",
        "http://x:y/v1",
    ],
)
def test_an_address_that_is_none_is_refused(url):
    with pytest.raises(InvalidConfig, match=r"must be http\(s\)://HOST/v1"):
        Endpoint(url, "small")


def test_the_name_says_which_vectors_may_be_compared():
    names = {Endpoint(url, model).name for url in ("https://A.example/v1", "http://b:80/v1") for model in ("m", "n")}
    assert names == {"m@a.example", "n@a.example", "m@b:80", "n@b:80"}
