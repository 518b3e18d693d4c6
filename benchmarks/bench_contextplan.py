"""A conversation in a window, as it grows: the time of each event, of each message, and the memory of a plan.

Every size is measured with a window that holds all of it and with one that holds a tenth, so that neither what is kept
nor what is left out may cost more where there is more of it. The collector of cycles works as it does in any process,
and sizes take turns, so that what else the machine does weighs on all alike. Memory is that of one window over sessions
of different lengths, with words that are made when they are read: what a longer one adds is a line for each event left
out, while a plan is made and after.
"""

import tracemalloc
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import median

from benchmarks.support import Line, cpu, progress
from core.contextplan import (
    ByteEstimator,
    Calibrated,
    Compaction,
    ContextPlanner,
    Event,
    Message,
    Payload,
    PayloadNotFound,
    PayloadStatus,
    PlanResult,
    Session,
    TokenEstimator,
    ToolCall,
    Window,
    compact,
)

GOALS = {
    "contextplan, 10,000 events": 100,
    "contextplan, event of": 1.5,
    "contextplan, message of": 1.5,
    "contextplan, memory": 64,
}
QUICK = {"sizes": (1_000, 10_000)}
SIZES = (1_000, 10_000, 100_000)
ESTIMATORS: dict[str, TokenEstimator] = {"bytes": ByteEstimator(), "calibrated bytes": Calibrated(ByteEstimator())}
ROUNDS = 5
A_ROUND = 20_000
"""Events that are measured of each size, at least."""
KEPT = {
    "its end kept": Compaction(50, 40, 0, 64),
    "1/10 of it preserved": Compaction(50, 40, 0, 64, ("preserved",)),
    "all of it kept": Compaction(),
}
TURN = 4
"""Messages of a turn: a question, a call, its answer, and what is said of it."""
BYTES, LARGE_BYTES = 160, 2_000
TOKENS = 4 + BYTES // 4
WINDOW_EVENTS = 500


@dataclass(frozen=True, slots=True)
class Words:
    """A payload store that makes what it is asked for; one in ten leaves a stub."""

    size: int

    def get(self, ref: str) -> Payload:
        return Payload(ref, ref.encode().ljust(self.size), "session" if int(ref) % 10 else "compliance", "somebody")

    def status(self, ref: str) -> PayloadStatus:
        raise PayloadNotFound(ref)


def run(sizes: Sequence[int] = SIZES) -> list[Line]:
    kinds = [partial(_plans, name, estimator, share) for name, estimator in ESTIMATORS.items() for share in (1, 10)]
    kinds += [partial(_compactions, kept) for kept in KEPT]
    lines = [line for kind in kinds for line in kind(sizes)]
    return [*lines, _ten_thousand(), *_memory(sizes[-1])]


def _plans(name: str, estimator: TokenEstimator, share: int, sizes: Sequence[int]) -> Iterator[Line]:
    kept = "all of it" if share == 1 else f"1/{share} of it"
    for size, ratio, secs in _growth(
        sizes, lambda size: partial(_plan, _session(size), BYTES, size // share, estimator)
    ):
        yield f"contextplan, event of {size:,}, {kept}, {name}", ratio, f"× that of {sizes[0]:,}; {secs * 1e6:.2f} µs"


def _compactions(kept: str, sizes: Sequence[int]) -> Iterator[Line]:
    for size, ratio, secs in _growth(sizes, lambda size: partial(_compact, _conversation(size), KEPT[kept])):
        yield f"contextplan, message of {size:,}, {kept}", ratio, f"× that of {sizes[0]:,}; {secs * 1e6:.2f} µs"


def _growth(sizes: Sequence[int], work_on: Callable[[int], Callable[[], object]]) -> Iterator[tuple[int, float, float]]:
    """Of each size: the cost of one, as a ratio to that of the first size and in seconds."""
    progress(f"contextplan: {', '.join(f'{size:,}' for size in sizes)}")
    works = {size: work_on(size) for size in sizes}
    rounds = [{size: _secs(work, size) for size, work in works.items()} for _ in range(ROUNDS)]
    for size in sizes:
        yield size, median(one[size] / one[sizes[0]] for one in rounds), median(one[size] for one in rounds)


def _secs(work: Callable[[], object], size: int) -> float:
    times = max(1, A_ROUND // size)
    return sum(cpu(work) for _ in range(times)) / (times * size)


def _ten_thousand() -> Line:
    work = partial(_plan, _session(10_000), BYTES, 10_000, ByteEstimator())
    return "contextplan, 10,000 events, all of them kept", median(cpu(work) for _ in range(9)) * 1e3, "ms"


def _memory(size: int) -> Iterator[Line]:
    """Of a window that keeps the same events of a tenth of the session and of all of it."""
    progress("contextplan: memory")
    few, many = (_held(_session(events)) for events in (size // 10, size))
    for when, less, more in zip(("while it is made", "when it is made"), few, many, strict=True):
        note = f"bytes an event of {LARGE_BYTES:,} bytes left out; {less / 1e6:.1f} MB of {size // 10:,} events"
        added = (more - less) / (size - size // 10)
        yield f"contextplan, memory of {size:,} events, {when}", added, f"{note}, {more / 1e6:.1f} MB of all"


def _held(session: Session) -> tuple[int, int]:
    """Bytes: the most while a session is planned, and with its plan in hand."""
    tracemalloc.start()
    plan = _plan(session, LARGE_BYTES, WINDOW_EVENTS * LARGE_BYTES // BYTES, ByteEstimator())
    held, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert plan.elisions
    return peak, held


def _session(size: int) -> Session:
    return Session([Event(str(number), "user", "message") for number in range(size)])


def _plan(session: Session, size: int, events: int, estimator: TokenEstimator) -> PlanResult:
    return ContextPlanner(Words(size)).plan(session, Window(events * TOKENS + TOKENS, TOKENS), estimator)


def _conversation(size: int) -> list[Message]:
    return [_message(number) for number in range(size)]


def _message(number: int) -> Message:
    content, call = str(number).encode().ljust(BYTES), str(number // TURN)
    match number % TURN:
        case 0:
            return Message("user", content, name="preserved" if number % 10 == 0 else "")
        case 1:
            return Message("assistant", content, tool_calls=(ToolCall(call, b"{}", "search"),))
        case 2:
            return Message("tool", content, tool_call_id=call)
        case _:
            return Message("assistant", content, name="preserved" if number % 10 == 0 else "")


def _compact(messages: Sequence[Message], compaction: Compaction) -> None:
    compact(messages, Window(len(messages) * TOKENS + 1, 0, compaction), ByteEstimator())
