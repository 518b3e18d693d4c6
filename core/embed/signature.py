"""What an export takes and gives, or why it is none of sentences (pure).

Real ones differ: some take no token types, decoders take positions, some count in 32 bits; some give a sentence's
embedding, others a state for each token, some both.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np

SENTENCE = "sentence_embedding"
INPUTS = ("input_ids", "attention_mask", "token_type_ids", "position_ids")
_WHOLE_NUMBERS: Mapping[str, Any] = {"tensor(int64)": np.int64, "tensor(int32)": np.int32}


class Port(Protocol):
    """An input or output. A free axis of `shape` has a name or None, a fixed one its length."""

    @property
    def name(self) -> str: ...
    @property
    def type(self) -> str: ...
    @property
    def shape(self) -> Sequence[int | str | None]: ...


def inputs_of(ports: Sequence[Port]) -> Mapping[str, Any]:
    """The kind of number of each input. Raises ValueError saying what would be right."""
    strange = [port.name for port in ports if port.name not in INPUTS or port.type not in _WHOLE_NUMBERS]
    if strange or "input_ids" not in {port.name for port in ports}:
        raise ValueError(f"must take input_ids and only {', '.join(INPUTS)}, in whole numbers; takes {_shown(ports)}")
    if any(len(port.shape) != 2 or isinstance(port.shape[1], int) for port in ports):
        raise ValueError(
            f"must take (text, token) for any number of tokens, as with dynamic axes; takes {_shown(ports)}"
        )
    return {port.name: _WHOLE_NUMBERS[port.type] for port in ports}


def output_of(ports: Sequence[Port], further: str) -> str:
    """The sentence embedding where there is one, else the first output with a state for each token.

    `further`: a module that token states would have to go through yet. Raises ValueError saying what would be right.
    """
    by_token = [port.name for port in ports if len(port.shape) == 3]
    if any(port.name == SENTENCE and len(port.shape) == 2 for port in ports):
        return SENTENCE
    if not by_token:
        raise ValueError(
            f"must give {SENTENCE} (text, state) or token states (text, token, state); gives {_shown(ports)}"
        )
    if further:
        raise ValueError(f"gives token states, and modules.json has {further} after them; export {SENTENCE} with it")
    return by_token[0]


def _shown(ports: Sequence[Port]) -> str:
    return ", ".join(f"{port.name} {port.type} {list(port.shape)}" for port in ports)
