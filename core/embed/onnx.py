"""Sentence embeddings from an ONNX export on the CPU.

One text at a time with the memory arena off: a batch pads every text to its longest, which costs four times the memory
and gains nothing, and a text alone gives the same bits whatever it is asked with. A text's vector is what the export
calls its sentence embedding, or else is pooled from its token states; at length 1. Texts are cut at 256 tokens where no
file of the model says otherwise: that is the length the MiniLM sentence models were trained and published with; beyond
it their means grow vague, and blocks are seldom longer. What the tokenizer's file says of cutting and padding is reset.
"""

from collections.abc import Sequence
from functools import cached_property
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from core.embed.files import ModelFiles
from core.embed.protocol import Vectors, unit
from core.embed.recipe import Pooling
from core.embed.signature import INPUTS, inputs_of, output_of
from core.errors import InvalidConfig

if TYPE_CHECKING:
    from tokenizers import Encoding, Tokenizer

States = npt.NDArray[np.float64]


class OnnxEmbedder:
    """Opens the files at first use, once, from whichever thread comes first; then any number of threads may embed."""

    def __init__(self, files: ModelFiles) -> None:
        self._files = files
        self._lock = Lock()
        self._loaded: _Network | None = None

    @cached_property
    def model(self) -> str:
        return f"{self._files.name}-{self._files.digest[:12]}"

    @property
    def dim(self) -> int:
        return self._files.dim or self._network().dim

    def embed(self, texts: Sequence[str]) -> Vectors:
        network = self._network()
        rows = [network.embed(self._files.recipe.document + text) for text in texts]
        return np.array(rows, dtype=np.float32).reshape(len(rows), network.dim)

    def embed_question(self, text: str) -> Vectors:
        return self._network().embed(self._files.recipe.question + text)

    def _network(self) -> "_Network":
        with self._lock:
            if self._loaded is None:
                self._loaded = _Network(self._files)
            return self._loaded


class _Network:
    def __init__(self, files: ModelFiles) -> None:
        self._files = files
        self._tokenizer = _tokenizer(files)
        self._session = _session(files)
        try:
            self._inputs = inputs_of(self._session.get_inputs())
            self._output = output_of(self._session.get_outputs(), files.recipe.further)
        except ValueError as error:
            raise InvalidConfig(f"{files.model.path}: {error}") from error
        self.dim = len(self.embed("the " * files.recipe.max_tokens))  # as long as any: a model may have fewer places

    def embed(self, text: str) -> Vectors:
        # A lone surrogate, half an emoji from a broken client, has no UTF-8 and would stop the tokenizer.
        encoding = self._tokenizer.encode(text.encode("utf-8", "replace").decode())
        if not encoding.ids:
            return np.zeros(self.dim, dtype=np.float32)
        states = self._run(encoding)
        return unit(states if states.ndim == 1 else _pooled(states, self._files.recipe.pooling))

    def _run(self, encoding: "Encoding") -> States:
        """The sentence's embedding, or a row a token."""
        places = range(len(encoding.ids))
        given = dict(zip(INPUTS, (encoding.ids, encoding.attention_mask, encoding.type_ids, places), strict=True))
        feed = {name: np.array([given[name]], dtype=kind) for name, kind in self._inputs.items()}
        try:
            states: States = self._session.run([self._output], feed)[0][0].astype(np.float64)
        except Exception as error:  # onnxruntime's errors share no other base
            raise InvalidConfig(
                f"{self._files.model.path}: cannot be run on {len(places)} tokens; {self._files.tokenizer.path} must "
                f"belong to it, and max_seq_length must not be over what it takes ({_first_line(error)})"
            ) from error
        if not np.isfinite(states).all():
            raise InvalidConfig(f"{self._files.model.path}: gives NaN; take an export of another precision")
        return states


def _pooled(states: States, pooling: Pooling) -> States:
    """One text has no padding, so every token counts. A mean's divisor vanishes in `unit`."""
    if pooling is Pooling.MEAN:
        row: States = np.sum(states, axis=0)  # without BLAS, whose order may differ with the threads
    else:
        row = states[0 if pooling is Pooling.FIRST else -1]
    return row


def _tokenizer(files: ModelFiles) -> "Tokenizer":
    from tokenizers import Tokenizer

    try:
        tokenizer = Tokenizer.from_buffer(files.tokenizer.read())
    except ValueError as error:
        raise InvalidConfig(f"{files.tokenizer.path}: is no tokenizer ({error})") from error
    tokenizer.no_padding()
    tokenizer.enable_truncation(files.recipe.max_tokens)
    return tokenizer


def _session(files: ModelFiles) -> Any:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.enable_cpu_mem_arena = False
    options.log_severity_level = 3
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    folder = str(files.model.path.parent.resolve())
    options.add_session_config_entry("session.model_external_initializers_file_folder_path", folder)
    data = files.model.read()
    for file in files.weights:
        file.check()
    try:
        return onnxruntime.InferenceSession(data, options, providers=["CPUExecutionProvider"])
    except Exception as error:  # onnxruntime's errors share no other base
        raise InvalidConfig(f"{files.model.path}: is no ONNX model that can be run ({_first_line(error)})") from error


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0][:200]
