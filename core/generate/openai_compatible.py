"""Language models behind an OpenAI-compatible server: `POST {base_url}/chat/completions`, by the official client.

Where a server is busy, fails or cannot be reached it is asked again, after as long as it asks for; all tries and waits
together have one time. The client's own logs are kept silent: they hold what was sent.
"""

import logging
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from ipaddress import ip_address
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit
from weakref import finalize

from pydantic import SecretStr

from core.clock import Deadline
from core.errors import GenerateUnavailable, InvalidConfig
from core.generate.completions import completion
from core.generate.providers import Completion, Message
from core.generate.tries import is_passing, pause
from core.ids import jitter

if TYPE_CHECKING:
    from openai import APIResponse, APIStatusError, OpenAI

_REFUSED = {
    400: "refuses the request (400): it may be longer than the model's window, which llm.context_window tells",
    401: "refuses the key (401): set CLARIFY_LLM__KEY",
    403: "refuses the key (403): it may not use this model",
    404: "knows no such model or address (404): llm.base_url ends in /v1, and llm.model is the name it goes by there",
    413: "finds the request too large (413): lower llm.budget_tokens",
    429: "is busy, or the quota is used up (429)",
}

_LABEL = re.compile(r"(?!-)[a-z0-9_-]{1,63}(?<!-)", re.IGNORECASE)
_OLDER_LIMIT, _NEWER_LIMIT = "max_tokens", "max_completion_tokens"


@dataclass(frozen=True, slots=True)
class LlmEndpoint:
    """`base_url` up to and including /v1. `retries`: further tries after the first.

    `timeout_secs`: for a whole answer, all tries together.
    """

    base_url: str
    key: SecretStr = field(default=SecretStr(""), repr=False)
    timeout_secs: float = 60
    retries: int = 2
    context_window: int | None = None

    def __post_init__(self) -> None:
        if not _is_address(self.base_url):
            raise InvalidConfig(
                "the base_url of a language model must be http(s)://HOST/v1, without a password or query"
            )
        key = self.key.get_secret_value()
        if not (key.isascii() and key.isprintable()) or " " in key:
            raise InvalidConfig("the key of the language model holds what no key can hold: copy it again")


def _is_address(url: str) -> bool:
    try:
        parts = urlsplit(url)
        is_whole = parts.scheme in {"http", "https"} and _is_host(parts.hostname or "") and parts.port != 0
    except ValueError:
        return False
    is_bare = "@" not in parts.netloc and not parts.query and not parts.fragment
    return is_whole and is_bare and url.isprintable() and " " not in url


def _is_host(host: str) -> bool:
    """Whether it is a number, or a name that can be looked up. Raises ValueError for what is neither, too."""
    labels = host.encode("idna").decode().removesuffix(".").split(".")
    if ":" in host or labels[-1].isdigit():
        return bool(ip_address(host))
    return all(map(_LABEL.fullmatch, labels))


class OpenAiCompatibleProvider:
    """Any number of threads may ask. Every failure is a GenerateUnavailable that names the server and no text."""

    def __init__(self, endpoint: LlmEndpoint) -> None:
        self._endpoint = endpoint
        self._limit = _OLDER_LIMIT

    def complete(self, messages: Sequence[Message], model: str, max_tokens: int) -> Completion:
        try:
            return completion(self._sent(messages, model, max_tokens), max_tokens)
        except GenerateUnavailable as problem:
            host = urlsplit(self._endpoint.base_url).netloc
            message = f"the language model {model} at {host} did not answer: {problem}"
            raise GenerateUnavailable(message, passing=problem.passing) from None

    def count(self, model: str, text: str) -> int | None:  # noqa: ARG002 - such servers do not say how they count
        return None

    def context_window(self, model: str) -> int | None:  # noqa: ARG002 - nor this; whoever set the model up does
        return self._endpoint.context_window

    def _sent(self, messages: Sequence[Message], model: str, max_tokens: int) -> bytes:
        """The body of its response. Raises GenerateUnavailable, whatever went wrong."""
        from openai import APIConnectionError, APIStatusError, APITimeoutError

        try:
            return self._tried(messages, model, max_tokens)
        except (APITimeoutError, TimeoutError):
            message = f"nothing came within {self._endpoint.timeout_secs:g} seconds"
            raise GenerateUnavailable(message, passing=True) from None
        except APIConnectionError:
            message = "it cannot be reached: check that it runs, its address and your network"
            raise GenerateUnavailable(message, passing=True) from None
        except APIStatusError as error:
            reason = _REFUSED.get(error.status_code, f"failed ({error.status_code})")
            raise GenerateUnavailable(f"it {reason}", passing=is_passing(error.status_code)) from None
        except Exception as error:  # noqa: BLE001  # the client lets some of what is beneath it through, with the text
            raise GenerateUnavailable(f"its client failed ({type(error).__name__})") from None

    def _tried(self, messages: Sequence[Message], model: str, max_tokens: int) -> bytes:
        """Again where that may help, as often as was set, until the time is over."""
        from openai import APIConnectionError, APIStatusError

        deadline, tried = Deadline(self._endpoint.timeout_secs), 0
        while True:
            try:
                return self._body(messages, model, max_tokens, deadline)
            except (APIConnectionError, APIStatusError) as error:
                said = (error.status_code, error.response.headers) if isinstance(error, APIStatusError) else (None, {})
                wait = pause(tried, *said, jitter())
                if wait is None or tried == self._endpoint.retries or not deadline.rest(wait):
                    raise
            tried += 1

    def _body(self, messages: Sequence[Message], model: str, max_tokens: int, deadline: Deadline) -> bytes:
        from openai import APIStatusError

        limit = self._limit  # of this request, whatever another thread learns meanwhile
        try:
            return self._asked(messages, model, {limit: max_tokens}, deadline)
        except APIStatusError as error:
            if limit != _OLDER_LIMIT or not _wants_another_limit(error):
                raise
        self._limit = _NEWER_LIMIT
        return self._asked(messages, model, {_NEWER_LIMIT: max_tokens}, deadline)

    def _asked(self, messages: Sequence[Message], model: str, limit: dict[str, int], deadline: Deadline) -> bytes:
        from openai import Omit

        said: list[Any] = [{"role": message.role, "content": message.text} for message in messages]
        more: dict[str, Any] = dict(limit)
        if not self._endpoint.key.get_secret_value():
            more["extra_headers"] = {"Authorization": Omit()}
        create = self._client.chat.completions.with_streaming_response.create
        with create(model=model, messages=said, timeout=deadline.left(), **more) as response:
            return _read(response, deadline)

    @cached_property
    def _client(self) -> "OpenAI":
        from openai import DefaultHttpxClient, Omit, OpenAI

        for name in ("openai", "httpx", "httpx2", "httpcore", "httpcore2"):
            logging.getLogger(name).setLevel(logging.WARNING)
        http = DefaultHttpxClient(follow_redirects=False)
        finalize(self, http.close)
        # What the environment holds for others is none of this server's: an organization, a project, a key.
        nothing: dict[str, Any] = {"OpenAI-Organization": Omit(), "OpenAI-Project": Omit()}
        return OpenAI(
            api_key=self._endpoint.key.get_secret_value() or "none",
            base_url=self._endpoint.base_url,
            max_retries=0,  # else it would wait for as long as a server asks for
            default_headers=nothing,
            http_client=http,
        )


def _read(response: "APIResponse[Any]", deadline: Deadline) -> bytes:
    """Whole, and in time: a server that sends a space now and then would keep the client waiting for ever."""
    from openai import APIConnectionError

    found = bytearray()
    try:
        for chunk in response.iter_bytes():
            found += chunk
            deadline.left()
    except Exception:  # noqa: BLE001  # as the client takes whatever breaks beneath it
        deadline.left()
        raise APIConnectionError(request=response.http_request) from None
    return bytes(found)


def _wants_another_limit(error: "APIStatusError") -> bool:
    """Whether it is one of the models that know the limit by its newer name alone."""
    return error.status_code == 400 and _NEWER_LIMIT in error.response.text
