"""What every request passes and every response carries.

A page elsewhere may know this address, and a name elsewhere may point to it (DNS rebinding): so the Host must be ours
to the letter. Another port of this machine is the same site to a cookie: so whatever changes something must also come
from our own Origin, with a header that no foreign page can add without asking us first.
"""

from aiohttp import web

from bot.channels.inbox.page import notice_page
from bot.channels.inbox.wire import RefusalError

REQUEST_HEADER = "X-Clarify-Inbox"
SAFE_METHODS = {"GET", "HEAD"}

HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}


async def add_headers(_request: web.Request, response: web.StreamResponse) -> None:
    response.headers.update(HEADERS)


def check(request: web.Request, authority: str) -> None:
    """Raises RefusalError unless `request` was meant for `authority` and, if it changes something, comes from there."""
    if request.headers.getall("Host", []) != [authority]:
        raise RefusalError(421, f"This inbox answers to http://{authority} only: open it there.")
    if request.method in SAFE_METHODS:
        return
    if request.headers.get("Origin") != f"http://{authority}" or REQUEST_HEADER not in request.headers:
        raise RefusalError(403, "Only the inbox's own page may send this.")
    if request.content_type != "application/json":
        raise RefusalError(415, "Send JSON, with the content type application/json.")


def refused(request: web.Request, refusal: RefusalError) -> web.Response:
    """The sentence for whoever reads it: a page for a person, JSON for the page's own script."""
    if request.method in SAFE_METHODS:
        page = notice_page("This inbox stays closed", refusal.sentence)
        return web.Response(status=refusal.status, text=page, content_type="text/html")
    return web.json_response({"sentence": refusal.sentence}, status=refusal.status)
