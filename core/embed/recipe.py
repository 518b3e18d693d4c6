"""How a folder's model is meant to be used, as far as the standard files of sentence models say so.

`1_Pooling/config.json` says how token states become one vector, `sentence_bert_config.json` how long a text may be,
`config_sentence_transformers.json` what is put before a question and before a text, `modules.json` what else there is.
What no file says is as with MiniLM: the mean, 256 tokens, and nothing before anything.
"""

import json
from collections.abc import Mapping
from dataclasses import astuple, dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Any

from core.errors import InvalidConfig

MAX_TOKENS = 256
_MOST_TOKENS = 1024
"""Memory grows with its square, and blocks are seldom longer."""
_LEAST_TOKENS = 8
_PLAIN_MODULES = {"Transformer", "Pooling", "Normalize"}


class Pooling(StrEnum):
    MEAN = "mean"
    FIRST = "cls"
    LAST = "lasttoken"


@dataclass(frozen=True, slots=True)
class Recipe:
    """`further`: a module after the pooling, without which token states are no embeddings."""

    pooling: Pooling = Pooling.MEAN
    max_tokens: int = MAX_TOKENS
    question: str = ""
    document: str = ""
    further: str = ""

    @property
    def words(self) -> str:
        """All that decides the vectors; the length alone where nothing else was said."""
        return (
            str(self.max_tokens) if self == replace(MINILM, max_tokens=self.max_tokens) else json.dumps(astuple(self))
        )


MINILM = Recipe()


def recipe_of(folder: Path) -> Recipe:
    """Raises InvalidConfig naming the file that cannot be followed."""
    prompts = folder / "config_sentence_transformers.json"
    return Recipe(
        _pooling(folder / "1_Pooling" / "config.json"),
        _length(folder / "sentence_bert_config.json"),
        _prompt(prompts, "query"),
        _prompt(prompts, "document") or _prompt(prompts, "passage"),
        _further(folder / "modules.json"),
    )


def _pooling(file: Path) -> Pooling:
    """Older files have a flag for each mode, newer ones name it."""
    config = _json(file, dict)
    flags = [name.removeprefix("pooling_mode_") for name, is_on in config.items() if is_on is True and "_mode_" in name]
    modes = [name.removesuffix("_tokens").removesuffix("_token") for name in flags] or [
        config.get("pooling_mode", "mean")
    ]
    if len(modes) > 1 or modes[0] not in tuple(Pooling):
        raise InvalidConfig(f"{file}: pooling by {' and '.join(map(str, modes))}; must be one of {', '.join(Pooling)}")
    return Pooling(modes[0])


def _length(file: Path) -> int:
    length = _json(file, dict).get("max_seq_length") or MAX_TOKENS
    if type(length) is not int or length < _LEAST_TOKENS:
        raise InvalidConfig(f"{file}: max_seq_length is {length!r}; must be a whole number from {_LEAST_TOKENS} on")
    return min(length, _MOST_TOKENS)


def _prompt(file: Path, name: str) -> str:
    prompts = _json(file, dict).get("prompts") or {}
    prompt = (prompts.get(name) or "") if isinstance(prompts, Mapping) else None
    if not isinstance(prompt, str):
        raise InvalidConfig(f"{file}: prompts must be an object of texts by name")
    return prompt


def _further(file: Path) -> str:
    kinds = [str(module.get("type")) for module in _json(file, list) if isinstance(module, Mapping)]
    return next((kind for kind in kinds if kind.rpartition(".")[2] not in _PLAIN_MODULES), "")


def _json(file: Path, kind: type) -> Any:
    """What the file holds; empty where there is none."""
    if not file.exists():
        return kind()
    try:
        found = json.loads(file.read_bytes())
    except (OSError, ValueError, RecursionError) as error:
        raise InvalidConfig(f"{file}: cannot be read as JSON ({type(error).__name__})") from error
    if not isinstance(found, kind):
        raise InvalidConfig(f"{file}: must hold a JSON {'object' if kind is dict else 'list'}")
    return found
