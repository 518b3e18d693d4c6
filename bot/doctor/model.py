"""What `doctor` asks of the language model's server: whether it is there, takes the key, and has the model.

It is asked for its list of models, which costs nothing; a server that keeps none is not asked anything more.
"""

import json
from http import HTTPStatus
from typing import Any

from aiohttp import ClientError, ClientSession, ClientTimeout

from bot.channels.remedies import trouble
from bot.config import LLM_KEY, Settings, make_llm
from bot.doctor.finding import Finding
from core.errors import InvalidConfig

_NAME, _MOST = "llm", 5
_TIMEOUT = ClientTimeout(total=5)
_WAY = "look at llm.base_url, and whether this machine reaches it"


async def examine(settings: Settings, session: ClientSession) -> Finding:
    if settings.llm.provider == "extractive":
        return Finding(_NAME, True, "none is asked: answers are the documents' own words")
    try:
        make_llm(settings)
    except InvalidConfig as error:
        return Finding(_NAME, False, str(error), "do what it says, and see docs/language-models.md")
    key = settings.llm.key.get_secret_value().strip()
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    url = f"{settings.llm.base_url.rstrip('/')}/models"
    try:
        async with session.get(url, headers=headers, timeout=_TIMEOUT, allow_redirects=False) as response:
            return _judged(settings.llm.model, response.status, await response.read())
    except (ClientError, TimeoutError, OSError, ValueError) as error:  # ValueError: what is no address
        return Finding(_NAME, False, f"{url} cannot be asked: {trouble(error).means}", _WAY)


def _judged(model: str, status: int, raw: bytes) -> Finding:
    if status in {HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN}:
        return Finding(
            _NAME, False, f"its server refuses the key (HTTP {status})", f"set {LLM_KEY} to a key that is good there"
        )
    models = _models(raw) if status == HTTPStatus.OK else None
    if models is None:
        words = f"its server answers, and lists no models (HTTP {status}): whether it has {model!r} was not seen"
        return Finding(_NAME, None, words, 'try it: `clarify-bot ask "…"`')
    if model not in models:
        others = ", ".join(models[:_MOST]) + (", …" if len(models) > _MOST else "")
        return Finding(
            _NAME, False, f"its server has no model {model!r}", f"set llm.model to one it has: {others or 'none'}"
        )
    return Finding(_NAME, True, f"its server takes the key, and has the model {model!r}")


def _models(raw: bytes) -> list[str] | None:
    """As the API of OpenAI lists them; None for what is no such list."""
    try:
        body: Any = json.loads(raw)
    except ValueError:
        return None
    listed = body.get("data") if isinstance(body, dict) else None
    if not isinstance(listed, list):
        return None
    return [one["id"] for one in listed if isinstance(one, dict) and isinstance(one.get("id"), str)]
