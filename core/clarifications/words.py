"""Which options may be chosen, by what has become of their words."""

from collections.abc import Sequence
from typing import Any

from core.clarifications.conflicts import Statement, live
from core.model.evidence import Standing
from core.model.ports import Library
from core.model.spans import SpanRef


def alive(library: Library, tx: Any, options: Sequence[Statement], now: int) -> list[int]:
    """The numbers of the options that may be chosen at `now`, whoever may read them."""
    spans = list(dict.fromkeys(span for one in options for span in one.spans))
    every = {span.source_id for span in spans}
    return live(options, library.resolve(tx, spans, every, now))


def standing(library: Library, tx: Any, spans: Sequence[SpanRef], now: int) -> list[SpanRef]:
    """Where these words stand at `now`, whoever may read them; nothing unless all of them do."""
    resolved = library.resolve(tx, spans, {span.source_id for span in spans}, now)
    stands = all(resolved[span].standing is Standing.CURRENT for span in spans)
    return [place for span in spans if (place := resolved[span].span) is not None] if stands else []
