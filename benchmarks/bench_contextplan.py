"""A conversation in a window, as it grows: the time of each event, of each message, and the memory of a plan.

Every size is measured with a window that holds all of it and with one that holds a tenth, so that neither what is kept
nor what is left out may cost more where there is more of it. The collector of cycles stands still meanwhile, as under
timeit: whether one of its passes over the whole process falls into a plan says nothing of the plan. Lines without a
goal say what it adds. Memory is that of one window over sessions of different lengths, with words that are made when
they are read: what a longer one adds is a line for each event left out.
"""

import gc
import tracemalloc
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
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
    "contextplan, memory": 128,
}
QUICK = {"sizes": (1_000, 10_000)}
SIZES = (1_000, 10_000, 100_000)
ESTIMATORS: dict[str, TokenEstimator] = {"bytes": ByteEstimator(), "calibrated bytes": Calibrated(ByteEstimator())}
ROUNDS = {1_000: 25, 10_000: 9}
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
    kinds += [partial(_compactions, named) for named in (False, True)]
    with _no_collector():
        lines = [line for kind in kinds for line in kind(sizes)]
    return [*lines, *_collected(sizes), _ten_thousand(), _memory(sizes[-1])]


@contextmanager
def _no_collector() -> Iterator[None]:
    gc.disable()
    yield
    gc.enable()


def _plans(name: str, estimator: TokenEstimator, share: int, sizes: Sequence[int]) -> Iterator[Line]:
    kept = "all of it" if share == 1 else f"1/{share} of it"
    for size, ratio, secs in _growth(
        sizes, lambda size: partial(_plan, _session(size), BYTES, size // share, estimator)
    ):
        yield f"contextplan, event of {size:,}, {kept}, {name}", ratio, f"× that of {sizes[0]:,}; {secs * 1e6:.2f} µs"


def _compactions(named: bool, sizes: Sequence[int]) -> Iterator[Line]:
    """`named`: every tenth message is preserved, so that what must stay grows with the conversation."""
    kept = "1/10 of it preserved" if named else "its end kept"
    for size, ratio, secs in _growth(sizes, lambda size: partial(_compact, _conversation(size), named=named)):
        yield f"contextplan, message of {size:,}, {kept}", ratio, f"× that of {sizes[0]:,}; {secs * 1e6:.2f} µs"


def _growth(sizes: Sequence[int], work_on: Callable[[int], Callable[[], object]]) -> Iterator[tuple[int, float, float]]:
    """Of each size: the cost of one, as a ratio to that of the first size and in seconds."""
    base = 0.0
    for size in sizes:
        progress(f"contextplan: {size:,}")
        work = work_on(size)
        secs = median(cpu(work) for _ in range(ROUNDS.get(size, 3))) / size
        base = base or secs
        yield size, secs / base, secs


def _collected(sizes: Sequence[int]) -> Iterator[Line]:
    for size, ratio, secs in _growth(sizes, lambda size: partial(_plan, _session(size), BYTES, size, ByteEstimator())):
        note = f"× that of {sizes[0]:,}; {secs * 1e6:.2f} µs"
        yield f"contextplan, with the collector of cycles, event of {size:,}", ratio, note


def _ten_thousand() -> Line:
    work = partial(_plan, _session(10_000), BYTES, 10_000, ByteEstimator())
    return "contextplan, 10,000 events, all of them kept", median(cpu(work) for _ in range(9)) * 1e3, "ms"


def _memory(size: int) -> Line:
    """Of a window that keeps the same events of a tenth of the session and of all of it."""
    progress("contextplan: memory")
    few, many = (_peak(_session(events)) for events in (size // 10, size))
    added = (many - few) / (size - size // 10)
    note = f"bytes an event of {LARGE_BYTES:,} bytes that is left out; {few / 1e6:.1f} MB of {size // 10:,} events"
    return f"contextplan, memory of {size:,} events", added, f"{note}, {many / 1e6:.1f} MB of all"


def _peak(session: Session) -> int:
    tracemalloc.start()
    _plan(session, LARGE_BYTES, WINDOW_EVENTS * LARGE_BYTES // BYTES, ByteEstimator())
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return peak


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


def _compact(messages: Sequence[Message], *, named: bool) -> None:
    tokens = len(messages) * TOKENS
    names = ("preserved",) if named else ()
    result = compact(messages, Window(tokens, 0, Compaction(50, 40, 0, 64, names)), ByteEstimator())
    assert result.compacted
