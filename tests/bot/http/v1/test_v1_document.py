"""The OpenAPI document says what is served: no more, no less, and no otherwise."""

import asyncio
import json
import os
import sys
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from bot.http.v1.openapi import codes, document, links
from bot.http.v1.problems import KINDS
from bot.http.v1.routes import ROUTES
from core.memory import Memory
from tests.support.http import key, listening
from tests.support.memories import add_person, page, put

HERE = Path(__file__).parent
EXAMPLES = int(os.environ.get("CLARIFY_SCHEMATHESIS_EXAMPLES", "2"))
"""As many more for each endpoint as one has time for."""
DOCUMENT = document(ROUTES, "1")


async def test_it_is_public_and_the_same_for_everybody(nobody, call):
    public, private = await nobody("GET", "/openapi.json"), await call("GET", "/openapi.json")
    assert (public.status, public.raw) == (200, private.raw)
    assert public.json["openapi"] == "3.1.0"
    assert public.json["paths"] == DOCUMENT["paths"]


def test_every_route_is_in_it_once():
    told = {(method, path) for path, methods in DOCUMENT["paths"].items() for method in methods}
    assert told == {(route.method.lower(), f"/v1{route.path}") for route in ROUTES}
    names = [route.handler.__name__ for route in ROUTES]
    assert len(names) == len(set(names))
    assert all(route.handler.__doc__ for route in ROUTES)


def test_what_it_refers_to_is_there_and_all_of_it_is_schemas():
    text = json.dumps(DOCUMENT)
    schemas = DOCUMENT["components"]["schemas"]
    named = {part.partition('"')[0] for part in text.split("#/components/schemas/")[1:]}
    assert named == schemas.keys()
    for schema in schemas.values():
        Draft202012Validator.check_schema(schema)


def test_each_code_belongs_to_an_endpoint_or_to_none_that_there_is():
    assert {code for route in ROUTES for code in codes(route)} == KINDS.keys() - {"NO_SUCH_ROUTE", "METHOD_NOT_ALLOWED"}


def test_what_was_made_leads_to_what_takes_it():
    by_name = {route.handler.__name__: route for route in ROUTES}
    assert set(links(by_name["generate"], ROUTES)) == {"get_trace", "save_answer"}
    assert links(by_name["save_answer"], ROUTES)["get_answer"]["parameters"] == {"id": "$response.body#/answerId"}
    assert set(links(by_name["make_watch"], ROUTES)) == {"get_watch", "mute_watch", "stop_watch", "list_fires"}


def _memory(memory: Memory) -> str:
    """Something to find, and a key that may do everything."""
    put(
        memory, "travel.md", page("Travel", {"Meals": "A meal may cost at most 40 EUR.", "Hotels": "A night: 120 EUR."})
    )
    return key(memory, person=add_person(memory, "Root", ("admin", "member", "steward")))


@pytest.mark.parametrize("phases", ["coverage", "fuzzing,stateful"])
async def test_schemathesis_finds_nothing(memory, phases, tmp_path):
    secret = _memory(memory)
    async with listening(memory) as base:
        found = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "schemathesis.cli", "--no-color", "--config-file", HERE / "schemathesis.toml"),
            *("run", f"{base}/openapi.json", "--url", base.removesuffix("/v1"), "--phases", phases, "--checks", "all"),
            *("--header", f"Authorization: Bearer {secret}", "--max-examples", str(EXAMPLES), "--seed", "1"),
            *("--generation-database", "none", "--warnings", "off"),
            cwd=tmp_path,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )
        told, _ = await found.communicate()
    said = told.decode()
    assert found.returncode == 0, said[-4000:]
    assert f"Tested: {len(ROUTES)}" in said
