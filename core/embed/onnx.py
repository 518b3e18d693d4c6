"""Sentence embeddings from an ONNX export on the CPU.

One text at a time with the memory arena off: a batch pads every text to its longest, which costs four times the memory
and gains nothing, and a text alone gives the same bits whatever it is asked with. A text's vector is the mean of its
token states under the attention mask, at length 1. Texts are cut at 256 tokens: that is the length the MiniLM sentence
models were trained and published with; beyond it their means grow vague, and blocks are seldom longer.
"""

import hashlib
from collections.abc import Sequence
from functools import cached_property
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np

from core.embed.files import ModelFiles
from core.embed.protocol import Vectors, unit
from core.errors import InvalidConfig

if TYPE_CHECKING:
    from tokenizers import Tokenizer

MAX_TOKENS = 256
_INPUTS = ("input_ids", "attention_mask", "token_type_ids")


class OnnxEmbedder:
    """Opens the files at first use, once, from whichever thread comes first; then any number of threads may embed."""

    def __init__(self, files: ModelFiles) -> None:
        self._files = files
        self._lock = Lock()
        self._loaded: _Network | None = None

    @cached_property
    def model(self) -> str:
        decides = f"{self._files.model.sha256} {self._files.tokenizer.sha256} {MAX_TOKENS}"
        return f"{self._files.name}-{hashlib.sha256(decides.encode()).hexdigest()[:12]}"

    @property
    def dim(self) -> int:
        return self._files.dim or self._network().dim

    def embed(self, texts: Sequence[str]) -> Vectors:
        network = self._network()
        rows = [network.embed(text) for text in texts]
        return np.array(rows, dtype=np.float32).reshape(len(rows), network.dim)

    def _network(self) -> "_Network":
        with self._lock:
            if self._loaded is None:
                self._loaded = _Network(self._files)
            return self._loaded


class _Network:
    def __init__(self, files: ModelFiles) -> None:
        self._tokenizer = _tokenizer(files)
        self._session = _session(files)
        self._inputs = [given.name for given in self._session.get_inputs()]
        self._output = self._session.get_outputs()[0].name
        _check_shape(files, self._inputs, self._session.get_outputs()[0].shape)
        self.dim = len(self.embed(""))

    def embed(self, text: str) -> Vectors:
        # A lone surrogate, half an emoji from a broken client, has no UTF-8 and would stop the tokenizer.
        encoding = self._tokenizer.encode(text.encode("utf-8", "replace").decode())
        given = dict(zip(_INPUTS, (encoding.ids, encoding.attention_mask, encoding.type_ids), strict=True))
        feed = {name: np.array([given[name]], dtype=np.int64) for name in self._inputs}
        states = self._session.run([self._output], feed)[0][0].astype(np.float64)
        # Summed without BLAS, whose order may differ with the threads; the mean's divisor vanishes in `unit`.
        return unit(np.sum(states * np.array(encoding.attention_mask)[:, np.newaxis], axis=0))


def _tokenizer(files: ModelFiles) -> "Tokenizer":
    from tokenizers import Tokenizer

    try:
        tokenizer = Tokenizer.from_buffer(files.tokenizer.read())
    except ValueError as error:
        raise InvalidConfig(f"{files.tokenizer.path}: is no tokenizer ({error})") from error
    tokenizer.no_padding()
    tokenizer.enable_truncation(MAX_TOKENS)
    return tokenizer


def _session(files: ModelFiles) -> Any:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.enable_cpu_mem_arena = False
    options.log_severity_level = 3
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    data = files.model.read()
    try:
        return onnxruntime.InferenceSession(data, options, providers=["CPUExecutionProvider"])
    except Exception as error:  # onnxruntime's errors share no other base
        raise InvalidConfig(f"{files.model.path}: is no ONNX model that can be run ({error})") from error


def _check_shape(files: ModelFiles, inputs: list[str], output: list[int | str]) -> None:
    strange = [name for name in inputs if name not in _INPUTS]
    if strange or len(output) != 3:
        raise InvalidConfig(
            f"{files.model.path}: must take only {', '.join(_INPUTS)} and give token states (text, token, state); "
            f"it takes {', '.join(inputs)} and gives {output}"
        )
