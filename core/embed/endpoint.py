"""Sentence embeddings from an OpenAI-compatible endpoint: `POST {url}/embeddings`.

A server may give other bits for the same text from one day to the next. What is stored was asked for once and stays as
it is. Whoever asks the same question again within a process gets the same bits, since the last few thousand texts are
remembered by their digest; across processes two plans of one question may differ in their last digits. Rounding would
hide most of that and not all, and would look like a promise.
"""

import hashlib
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from threading import Lock
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import numpy as np
from pydantic import SecretStr

from core.embed.answers import vectors
from core.embed.protocol import Vectors
from core.errors import EmbedUnavailable, InvalidConfig

if TYPE_CHECKING:
    from urllib3 import BaseHTTPResponse, PoolManager, Retry

_AGAIN = (408, 429, 500, 502, 503, 504)
_PATIENCE_SECS = 30
"""The longest wait before another try, also where the server asks for more: somebody may be waiting for an answer."""
_REMEMBERED = 2048


@dataclass(frozen=True, slots=True)
class Endpoint:
    """`url` up to and including /v1. `retries`: further tries after the first."""

    url: str
    model: str
    key: SecretStr = field(default=SecretStr(""), repr=False)
    batch_size: int = 64
    timeout_secs: float = 30
    retries: int = 4

    def __post_init__(self) -> None:
        if not _is_address(self.url):
            raise InvalidConfig(
                "the url of an embeddings endpoint must be http(s)://HOST/v1, without a password or query"
            )
        key = self.key.get_secret_value()
        if not (key.isascii() and key.isprintable()) or " " in key:
            raise InvalidConfig("the key of the embeddings endpoint holds what no key can hold: copy it again")

    @property
    def name(self) -> str:
        """Vectors of one model at one host may be compared."""
        return f"{self.model}@{urlsplit(self.url).netloc.lower()}"


def _is_address(url: str) -> bool:
    try:
        parts = urlsplit(url)
        is_whole = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False
    return is_whole and "@" not in parts.netloc and not parts.query and not parts.fragment


class EndpointEmbedder:
    """Any number of threads may embed. Every failure is an EmbedUnavailable that names the endpoint and no text."""

    def __init__(self, endpoint: Endpoint, retry: "type[Retry] | None" = None) -> None:
        self._endpoint = endpoint
        self._retry = retry
        self._recent = _Recent()
        self._dim: int | None = None
        self._lock = Lock()

    @property
    def model(self) -> str:
        return self._endpoint.name

    @property
    def dim(self) -> int | None:
        return self._dim

    def embed(self, texts: Sequence[str]) -> Vectors:
        said = [text.encode("utf-8", "replace").decode() for text in texts]  # half an emoji has no UTF-8
        asked = [text for text in dict.fromkeys(said) if text.strip()]
        found = {text: row for text in asked if (row := self._recent.get(text)) is not None}
        for batch in _batches((text for text in asked if text not in found), self._endpoint.batch_size):
            found |= dict(zip(batch, self._ask(batch), strict=True))
        if self._dim is None:
            self._ask(["dimension"])
        nothing = np.zeros(self._dim or 0, dtype=np.float32)  # such a server refuses a blank text
        return np.array([found.get(text, nothing) for text in said], dtype=np.float32).reshape(
            len(said), self._dim or 0
        )

    def _ask(self, texts: Sequence[str]) -> Vectors:
        response = self._post({"model": self._endpoint.model, "input": list(texts)})
        try:
            rows = self._checked(vectors(response.status, response.data, len(texts)))
        except EmbedUnavailable as error:
            raise EmbedUnavailable(f"the embeddings endpoint {self._endpoint.url}: {error}") from None
        self._recent.put(texts, rows)
        return rows

    def _checked(self, rows: Vectors) -> Vectors:
        """The first answer says the dimension, and every later one must agree."""
        with self._lock:
            self._dim = self._dim or rows.shape[1]
        if rows.shape[1] != self._dim:
            raise EmbedUnavailable(f"embeddings have {rows.shape[1]} dimensions; must be {self._dim}")
        return rows

    def _post(self, body: dict[str, Any]) -> "BaseHTTPResponse":
        from urllib3.exceptions import HTTPError

        key = self._endpoint.key.get_secret_value()
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        url = self._endpoint.url.rstrip("/").removesuffix("/embeddings") + "/embeddings"
        try:
            return self._pool.request("POST", url, json=body, headers=headers, redirect=False)
        except HTTPError as error:
            kind = type(getattr(error, "reason", None) or error).__name__
            raise EmbedUnavailable(
                f"the embeddings endpoint {self._endpoint.url} cannot be reached ({kind}): check that it runs, its "
                "address and your network"
            ) from None

    @cached_property
    def _pool(self) -> "PoolManager":
        from urllib3 import PoolManager, Retry

        retry = (self._retry or Retry)(
            self._endpoint.retries,
            status_forcelist=_AGAIN,
            allowed_methods=None,
            backoff_factor=0.5,
            backoff_max=_PATIENCE_SECS,
            retry_after_max=_PATIENCE_SECS,
            raise_on_status=False,
        )
        return PoolManager(retries=retry, timeout=self._endpoint.timeout_secs)


class _Recent:
    """The vectors of the texts that were asked for last, by digest, so that no text stays."""

    def __init__(self) -> None:
        self._rows: OrderedDict[bytes, Vectors] = OrderedDict()
        self._lock = Lock()

    def get(self, text: str) -> Vectors | None:
        digest = _digest(text)
        with self._lock:
            if digest not in self._rows:
                return None
            self._rows.move_to_end(digest)
            return self._rows[digest]

    def put(self, texts: Iterable[str], rows: Vectors) -> None:
        with self._lock:
            self._rows |= {_digest(text): row for text, row in zip(texts, rows, strict=True)}
            while len(self._rows) > _REMEMBERED:
                self._rows.popitem(last=False)


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode()).digest()


def _batches(texts: Iterable[str], size: int) -> Iterator[list[str]]:
    source = iter(texts)
    while batch := list(islice(source, size)):
        yield batch
