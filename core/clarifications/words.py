"""Which options may be chosen, by what has become of their words."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from core.clarifications.conflicts import Statement, live
from core.model.evidence import Resolution, Standing
from core.model.ports import Library
from core.model.spans import SpanRef


def alive(library: Library, tx: Any, options: Sequence[Statement], now: int) -> list[int]:
    """The numbers of the options that may be chosen at `now`, whoever may read them."""
    return live(options, resolved(library, tx, options, now))


def resolved(library: Library, tx: Any, options: Iterable[Statement], now: int) -> Mapping[SpanRef, Resolution]:
    """What has become of all words that options rest on, whoever may read them: one look for however many."""
    spans = list(dict.fromkeys(span for one in options for span in one.spans))
    return library.resolve(tx, spans, {span.source_id for span in spans}, now)


def standing(library: Library, tx: Any, spans: Sequence[SpanRef], now: int) -> list[SpanRef]:
    """Where these words stand at `now`, whoever may read them; nothing unless all of them do."""
    found = library.resolve(tx, spans, {span.source_id for span in spans}, now)
    stands = all(found[span].standing is Standing.CURRENT for span in spans)
    return [place for span in spans if (place := found[span].span) is not None] if stands else []
