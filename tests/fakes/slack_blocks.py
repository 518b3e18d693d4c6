"""What Slack takes as blocks: the kinds this bot uses, strictly, and the limits across them."""

import json
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator
from slack_sdk.models.blocks import Block

Json = dict[str, Any]
_FILE = Path(__file__).parents[1] / "cards" / "slack_blocks.schema.json"
_SCHEMA = json.loads(_FILE.read_text())
_BLOCK = Draft202012Validator({"$defs": _SCHEMA["$defs"], "$ref": "#/$defs/block"})
MOST_IN_MESSAGE, MOST_IN_HOME = 50, 100


def problems(blocks: Any, most: int) -> list[str]:
    """Why Slack would refuse these blocks; empty when it would not."""
    if not isinstance(blocks, list) or not all(isinstance(block, dict) for block in blocks):
        return ["blocks: not a list of objects"]
    too_many = [f"blocks: {len(blocks)} of at most {most}"] if len(blocks) > most else []
    return too_many + _twice(blocks) + [found for block in blocks for found in _wrong(block)]


def elements(blocks: list[Json]) -> list[tuple[str, Json]]:
    """Everything that can be tapped or chosen, with the id of its block."""
    inner = [(block, part) for block in blocks for part in (*block.get("elements", ()), block.get("accessory"))]
    return [(block["block_id"], part) for block, part in inner if isinstance(part, dict) and "action_id" in part]


def _twice(blocks: list[Json]) -> list[str]:
    names = [block.get("block_id") for block in blocks]
    taps = [part["action_id"] for _, part in elements([block for block in blocks if "block_id" in block])]
    return [f"{one!r} is there twice" for ids in (names, taps) for one in set(ids) if one and ids.count(one) > 1]


def _wrong(block: Json) -> list[str]:
    found = [f"{block.get('block_id')}: {error.message}" for error in _BLOCK.iter_errors(block)]
    if found:
        return found
    parsed = Block.parse(block)
    if parsed is None:
        return [f"{block.get('type')!r} is no kind of block"]
    parsed.validate_json()
    return []
