"""Documents: put, taken away and listed. Only an admin's key writes; to any other there is nothing to write to."""

import re
from typing import Annotated, Literal
from urllib.parse import quote
from uuid import UUID

from pydantic import Field

from bot.http.v1.paging import PageAsked, page, part
from bot.http.v1.problems import Problem
from bot.http.v1.route import Call, Document, Nothing, Reply
from bot.http.v1.shapes import NAME, Asked, Reader, Told, Ts
from core.errors import InvalidRequest, NotFound
from core.model.principals import ADMIN, Principal, reader_name

LONGEST_URI = 1024
URI_SCHEMA = {
    "type": "string",
    "minLength": 1,
    "maxLength": LONGEST_URI,
    "pattern": NAME,
    "description": "A document's name; no part of it between slashes is . or ..",
}
_DOTS = re.compile(r"(?:.*/)?\.\.?(?:/.*)?", re.DOTALL)
_FORMS = ("multipart/", "application/x-www-form-urlencoded")
_UNKNOWN = "application/octet-stream"


class PutAsked(Asked):
    """`readers`: names of roles, `person:<id>` or `everyone`. `validStart`: since when it says so; without it, now."""

    readers: Annotated[list[Reader], Field(min_length=1, max_length=20)]
    valid_start: Ts | None = None


class SourcePut(Told):
    """What became of a document; `sections`: how many were written."""

    source_id: UUID
    outcome: Literal["new", "changed", "unchanged"]
    version_tx: int
    sections: int


class SourceTold(Told):
    """A document that stands now. `readers` are told to an admin."""

    source_id: UUID
    uri: str
    title: str
    version_tx: int
    readers: list[str] | None = None


class SourcesTold(Told):
    """By uri."""

    sources: list[SourceTold]
    next_cursor: str | None


def put_source(call: Call[Document, PutAsked]) -> Reply:
    """Take a document in, or its next version; the same text again changes nothing. For an admin's key."""
    uri, asked, sent = _writable(call.at, call.principal), call.query, call.body
    if not sent.data:
        raise Problem("INVALID_REQUEST", "The body is empty: it is the document. DELETE takes one away.")
    done = call.memory.ingest(
        uri,
        sent.data,
        readers=_readers(asked.readers),
        tenant=call.principal.tenant_id,
        media_type=_media_type(sent.media_type),
        valid_start=asked.valid_start,
        actor=call.principal.actor,
    )
    told = SourcePut.model_validate(done, from_attributes=True)
    return Reply(told, 201 if done.outcome == "new" else 200, f"/sources/{quote(uri, safe='')}")


def remove_source(call: Call[None, Nothing]) -> Reply:
    """Let a document stand no more, from now on; its history stays, and a version to come. For an admin's key."""
    who = call.principal
    call.memory.remove(_writable(call.at, who), tenant=who.tenant_id, actor=who.actor)
    return Reply(None, 204)


def list_sources(call: Call[None, PageAsked]) -> Reply:
    """The documents that the key may read; to an admin's, all of them."""
    who = call.principal
    found = call.memory.documents.part(who, part("sources", call.query, str))
    shown, after = page("sources", found, lambda one: (one.uri,), call.query)
    told = [
        SourceTold(
            source_id=one.source_id,
            uri=one.uri,
            title=one.title,
            version_tx=one.version_tx,
            **({"readers": list(one.readers)} if ADMIN in who.roles else {}),
        )
        for one in shown
    ]
    return Reply(SourcesTold(sources=told, next_cursor=after))


def _writable(uri: str, principal: Principal) -> str:
    """Raises NotFound for whoever is no admin; Problem INVALID_REQUEST for what no document can be called."""
    if ADMIN not in principal.roles:
        raise NotFound
    if len(uri) > LONGEST_URI or not re.fullmatch(NAME, uri):
        detail = f"A uri has 1 to {LONGEST_URI} characters, single spaces at most, and no control characters."
        raise Problem("INVALID_REQUEST", detail)
    if _DOTS.fullmatch(uri):
        raise Problem("INVALID_REQUEST", "No part of a uri is . or ..: on its way, an address loses such parts.")
    return uri


def _readers(names: list[str]) -> list[str]:
    """Raises InvalidRequest."""
    for number, name in enumerate(names):
        if "," in name:
            raise InvalidRequest(f"{name!r} is no reader; for several repeat readers=…", at=("readers", number))
    return [reader_name(name, ("readers", number)) for number, name in enumerate(names)]


def _media_type(sent: str) -> str | None:
    """None: its name decides. Raises Problem UNSUPPORTED_MEDIA_TYPE for a form."""
    if sent.lower().startswith(_FORMS):
        raise Problem("UNSUPPORTED_MEDIA_TYPE", "Send the document itself, not a form: with curl, by --upload-file.")
    return None if sent.lower().startswith(_UNKNOWN) else sent or None
