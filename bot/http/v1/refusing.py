"""Whatever goes wrong is a problem (RFC 9457), and nothing of what went wrong is in it."""

from collections.abc import Awaitable, Callable
from http import HTTPStatus

import structlog
from aiohttp import web

from bot.faults import described
from bot.http.v1.answering import of_problem
from bot.http.v1.problems import Problem, of_core
from bot.http.v1.route import Outcome
from core.errors import CoreError

log = structlog.get_logger()
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


@web.middleware
async def problems_for_all(request: web.Request, handler: Handler) -> web.StreamResponse:
    """The answer of a handler, or a problem."""
    try:
        return await handler(request)
    except Problem as problem:
        return _refusal(request, problem)
    except CoreError as error:
        return _refusal(request, of_core(error))
    except web.HTTPException as error:
        return _refusal(request, _of_http(error))
    except Exception as error:  # noqa: BLE001  # a bug is told to its finder by kind and place, and to nobody else
        log.error("http.failed", route=_canonical(request), error=described(error))
        return _refusal(request, Problem("INTERNAL"))


def response_of(outcome: Outcome) -> web.Response:
    return web.Response(status=outcome.status, body=outcome.body or None, headers=outcome.headers)


def _refusal(request: web.Request, problem: Problem) -> web.Response:
    """What is still to come of a body could be taken for the next request: the connection ends with this one."""
    response = response_of(of_problem(problem))
    if not request.content.is_eof():
        response.force_close()
    return response


def _canonical(request: web.Request) -> str:
    """Which endpoint, without what the address names."""
    resource = request.match_info.route.resource
    return resource.canonical if resource else ""


def _of_http(error: web.HTTPException) -> Problem:
    """What aiohttp says by itself."""
    if isinstance(error, web.HTTPMethodNotAllowed):
        allowed = ", ".join(sorted(error.allowed_methods))
        return Problem("METHOD_NOT_ALLOWED", f"It knows {allowed}.", headers={"Allow": allowed})
    return Problem("NO_SUCH_ROUTE" if error.status == HTTPStatus.NOT_FOUND else "INTERNAL")
