"""Labelled passages and questions: queries*.jsonl name the passages that answer, unanswerable.jsonl asks in vain."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bot.evaluate.data import Row, rows
from core.errors import InvalidRequest


class PassageRow(Row):
    id: str
    text: str
    path: str = ""
    heading: str = ""


class Query(Row):
    id: str
    query: str
    relevant: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Labelled:
    passages: list[PassageRow]
    files: dict[str, list[Query]]
    unanswerable: list[Query]

    @classmethod
    def read(cls, folder: Path) -> "Labelled":
        passages = rows(folder / "passages.jsonl", PassageRow)
        files = {file.name: rows(file, Query) for file in sorted(folder.glob("queries*.jsonl"))}
        if not files:
            raise InvalidRequest(f"{folder} holds no queries*.jsonl; each is a file of questions to judge by itself")
        _check({passage.id for passage in passages}, files)
        none = folder / "unanswerable.jsonl"
        data = cls(passages, files, rows(none, Query) if none.exists() else [])
        if twice := [name for name, count in Counter(query.id for query in data.all_queries).items() if count > 1]:
            raise InvalidRequest(f"{folder}: two questions have the id {twice[0]!r}; each needs an id of its own")
        return data

    @property
    def answerable(self) -> list[Query]:
        return [query for queries in self.files.values() for query in queries]

    @property
    def all_queries(self) -> list[Query]:
        return self.answerable + self.unanswerable


def _check(known: set[str], files: Mapping[str, Sequence[Query]]) -> None:
    for name, queries in files.items():
        for query in queries:
            if not query.relevant or not set(query.relevant) <= known:
                raise InvalidRequest(f"{name}: {query.id}: relevant must name passages that passages.jsonl holds")
