"""What an embeddings endpoint answered: vectors in the order of the texts, or what is wrong with them (pure)."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from core.embed.protocol import Vectors, unit
from core.errors import EmbedUnavailable

_CODE = re.compile(r"[a-z][a-z0-9_.]{1,39}")
"""A server's error code. Its sentences are not repeated: they may quote the key or the text."""

_LARGEST = 1e100
"""Its square is still a number, and so is the sum of many."""

_SAYINGS = {
    400: "it does not take the request: check the model, and whether its texts may be this long",
    401: "it does not take the key",
    403: "the key may not do this",
    404: "there is no such address or model",
    408: "it took too long",
    413: "the request is too long: lower batch_size",
    422: "it does not take the request: check the model, and lower batch_size",
    429: "too many requests, or the quota is used up",
}


def vectors(status: int, body: bytes, count: int) -> Vectors:
    """`count` unit vectors, all of one dimension. Raises EmbedUnavailable."""
    if status != 200:
        raise EmbedUnavailable(_refusal(status, body))
    rows = _in_order(_data(body), count)
    if not all(isinstance(row, list) and row for row in rows):
        raise EmbedUnavailable("an embedding is no list of numbers")
    if len(lengths := {len(row) for row in rows}) > 1:
        raise EmbedUnavailable(f"embeddings of one answer have {min(lengths)} and {max(lengths)} dimensions")
    return np.array([_row(row) for row in rows], dtype=np.float32)


def _refusal(status: int, body: bytes) -> str:
    """Why there are no vectors, without a word of the request."""
    said = _SAYINGS.get(status, "it has failed" if status >= 500 else "it does not answer as an embeddings endpoint")
    code = _code(body)
    return f"HTTP {status}{f' ({code})' if code else ''}: {said}"


def _code(body: bytes) -> str:
    try:
        error = json.loads(body)["error"]
        code = error.get("code") or error.get("type")
    except (ValueError, LookupError, TypeError, AttributeError):
        return ""
    return code if isinstance(code, str) and _CODE.fullmatch(code) else ""


def _data(body: bytes) -> Sequence[Any]:
    try:
        answer = json.loads(body)
    except (ValueError, RecursionError):
        raise EmbedUnavailable("the answer is not JSON") from None  # its error would hold the whole answer
    data = answer.get("data") if isinstance(answer, dict) else None
    if not isinstance(data, list):
        raise EmbedUnavailable('the answer has no list "data"')
    return data


def _in_order(data: Sequence[Any], count: int) -> list[Any]:
    """Embeddings by their index, whatever order they came in."""
    if len(data) != count:
        raise EmbedUnavailable(f"{len(data)} embeddings came for {count} texts")
    found = {one.get("index"): one.get("embedding") for one in data if isinstance(one, Mapping)}
    if set(found) != set(range(count)):
        raise EmbedUnavailable(f"the embeddings are not numbered from 0 to {count - 1}, each once")
    return [found[index] for index in range(count)]


def _row(row: Sequence[Any]) -> Vectors:
    if not all(type(number) in {int, float} for number in row):
        raise EmbedUnavailable("an embedding holds what is no number")
    if not all(abs(number) < _LARGEST for number in row):
        raise EmbedUnavailable("an embedding holds NaN or a number that is too large")
    return unit(np.array(row, dtype=np.float64))
