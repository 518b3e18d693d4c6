"""Tiny ONNX exports, written byte by byte, in the shapes that real sentence models come in.

A token's state is its word's row of a table, and its place's where positions are taken; a sentence's is their mean.
"""

import json
import struct
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from tokenizers import Tokenizer, models, pre_tokenizers

WORDS = ["[UNK]", "the", "leave", "is", "paid", "query:", "passage:", "office", "opens"]
DIM = 8
TABLE = np.random.default_rng(7).normal(size=(len(WORDS), DIM)).astype(np.float32)
PLACES = np.random.default_rng(8).normal(size=(300, DIM)).astype(np.float32)

_FLOAT, _INT32, _INT64 = 1, 6, 7
_EXTERNAL = 1


def _number(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])


def _field(number: int, value: int | str | bytes) -> bytes:
    """A protobuf field: a whole number, or bytes with their length."""
    if isinstance(value, int):
        return _number(number << 3) + _number(value)
    data = value.encode() if isinstance(value, str) else value
    return _number(number << 3 | 2) + _number(len(data)) + data


def _port(name: str, kind: int, shape: Sequence[int | str]) -> bytes:
    axes = b"".join(_field(1, _field(1 if isinstance(axis, int) else 2, axis)) for axis in shape)
    return _field(1, name) + _field(2, _field(1, _field(1, kind) + _field(2, axes)))


def _tensor(name: str, values: np.ndarray[Any, Any], kept_in: str | None) -> bytes:
    head = b"".join(_field(1, axis) for axis in values.shape) + _field(2, _FLOAT) + _field(8, name)
    if kept_in is None:
        return head + _field(9, values.tobytes())
    entries = {"location": kept_in, "offset": "0", "length": str(values.nbytes)}
    external = b"".join(_field(13, _field(1, key) + _field(2, value)) for key, value in entries.items())
    return head + external + _field(14, _EXTERNAL)


def _node(kind: str, inputs: Sequence[str], output: str, **attributes: int | list[int]) -> bytes:
    given = b"".join(_field(5, _attribute(name, value)) for name, value in attributes.items())
    return b"".join(_field(1, name) for name in inputs) + _field(2, output) + _field(4, kind) + given


def _attribute(name: str, value: int | list[int]) -> bytes:
    if isinstance(value, int):
        return _field(1, name) + _field(3, value) + _field(20, 2)
    return _field(1, name) + b"".join(_field(8, one) for one in value) + _field(20, 7)


def export(
    inputs: Mapping[str, int] | None = None,
    outputs: Sequence[str] = ("last_hidden_state",),
    *,
    tokens: int | str = "tokens",
    kept_in: str | None = None,
    table: np.ndarray[Any, Any] = TABLE,
) -> bytes:
    """`inputs`: their kinds of number. `kept_in`: the file that the table lies in."""
    given = {"input_ids": _INT64, "attention_mask": _INT64} if inputs is None else inputs
    nodes = [_node("Gather", ["table", "input_ids"], "words")]
    if "position_ids" in given:
        nodes += [_node("Gather", ["places", "position_ids"], "where"), _node("Add", ["words", "where"], "states")]
    else:
        nodes += [_node("Identity", ["words"], "states")]
    made = {
        "sentence_embedding": _node("ReduceMean", ["states"], "sentence_embedding", axes=[1], keepdims=0),
        "last_hidden_state": _node("Identity", ["states"], "last_hidden_state"),
        "token_embeddings": _node("Identity", ["states"], "token_embeddings"),
        "pooler_output": _node("ReduceMax", ["states"], "pooler_output", axes=[1], keepdims=0),
    }
    graph = b"".join(_field(1, node) for node in [*nodes, *(made[name] for name in outputs)]) + _field(2, "tiny")
    graph += _field(5, _tensor("table", table, kept_in)) + _field(5, _tensor("places", PLACES, None))
    graph += b"".join(_field(11, _port(name, kind, ["texts", tokens])) for name, kind in given.items())
    shapes = {name: ["texts", "tokens", DIM] if name in {"last_hidden_state", "token_embeddings"} else ["texts", DIM]
              for name in outputs}  # fmt: skip
    graph += b"".join(_field(12, _port(name, _FLOAT, shape)) for name, shape in shapes.items())
    return _field(1, 8) + _field(8, _field(1, "") + _field(2, 13)) + _field(7, graph)


def tokenizer(**more: int) -> str:
    """A tokenizer of whole words; `truncation` and `padding`: as some files bring them along."""
    made = Tokenizer(models.WordLevel({word: place for place, word in enumerate(WORDS)}, unk_token="[UNK]"))
    made.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    if "truncation" in more:
        made.enable_truncation(more["truncation"], direction="left")
    if "padding" in more:
        made.enable_padding(length=more["padding"])
    return str(made.to_str())


def model_folder(folder: Path, files: Mapping[str, bytes | str | object]) -> Path:
    """A folder with these files, and a tokenizer where none is given; what is neither text nor bytes is JSON."""
    for name, content in {"tokenizer.json": tokenizer(), **files}.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        data = content if isinstance(content, bytes | str) else json.dumps(content)
        path.write_bytes(data if isinstance(data, bytes) else data.encode())
    return folder


def weights() -> bytes:
    return struct.pack(f"<{TABLE.size}f", *TABLE.ravel())
