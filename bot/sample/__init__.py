"""The handbook of a company that does not exist, in two revisions, and questions whose answers it holds."""

import tomllib
from dataclasses import dataclass
from importlib.resources import files
from typing import Literal

Revision = Literal["first", "second"]


@dataclass(frozen=True, slots=True)
class Question:
    """`words` answer it in the first revision of `page`. Where `changed`, `old` became `new`, or went."""

    id: str
    question: str
    page: str
    words: str
    changed: bool
    old: str = ""
    new: str = ""


def pages(revision: Revision) -> dict[str, bytes]:
    """Markdown by file name."""
    folder = files(__name__) / revision
    return {page.name: page.read_bytes() for page in sorted(folder.iterdir(), key=lambda page: page.name)}


def questions() -> list[Question]:
    text = (files(__name__) / "questions.toml").read_text(encoding="utf-8")
    return [Question(**table) for table in tomllib.loads(text)["question"]]
