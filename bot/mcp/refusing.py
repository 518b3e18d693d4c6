"""What is refused before it is read as MCP: an error of JSON-RPC, since clients of MCP read nothing else and would say
that something went wrong. The status stays, and where `/v1` has a problem for it, that is the error's data.
"""

import json
from typing import Any

from aiohttp import web

from bot.http.v1.problems import MEDIA_TYPE
from bot.http.v1.refusing import Handler

REFUSED = -32000
"""The first of the codes that JSON-RPC leaves to servers."""
_NAMES = "`hosts` under [mcp] in the settings names those that it may be called by"
_HINTS = {421: _NAMES, 403: _NAMES}


@web.middleware
async def errors_for_all(request: web.Request, handler: Handler) -> web.StreamResponse:
    """The answer of a handler, or an error of JSON-RPC."""
    answer = await handler(request)
    if isinstance(answer, web.Response) and answer.status >= 400 and answer.content_type != "application/json":
        error = _of_problem(answer) if answer.content_type == MEDIA_TYPE else _of_words(answer)
        answer.headers.popall("Content-Length", None)  # the SDK's own, of what is not sent
        answer.text = json.dumps({"jsonrpc": "2.0", "id": None, "error": {"code": REFUSED, **error}})
        answer.content_type = "application/json"
    return answer


def _of_problem(answer: web.Response) -> dict[str, Any]:
    problem = json.loads(answer.text or "{}")
    return {"message": f"{problem['code']}: {problem.get('detail', problem['title'])}", "data": problem}


def _of_words(answer: web.Response) -> dict[str, Any]:
    """What the SDK says of a request's headers."""
    hint = _HINTS.get(answer.status)
    return {"message": f"{answer.text}: {hint}" if hint else answer.text}
