"""Evidence pools: few sources, few coordinates, so that spans meet, nest, stagger and tie often."""

from uuid import UUID

from hypothesis import strategies as st

from core.planner import Candidate, SpanClass

SOURCES = [UUID(int=number << 96 | 7) for number in (3, 1, 2)]
KINDS = ["heading", "paragraph", "cell", "code", "body"]

weights = st.one_of(st.sampled_from([0.0, -0.0, 0.5, 1.0]), st.floats(0, 10, allow_nan=False))
overlaps = st.one_of(st.sampled_from([0.0, 0.3, 0.5, 0.8, 1.0]), st.floats(0, 1))


@st.composite
def candidates(draw: st.DrawFn) -> Candidate:
    start = draw(st.integers(0, 40))
    return Candidate(
        source_id=draw(st.sampled_from(SOURCES)),
        source_version_tx=draw(st.sampled_from([5, 6])),
        start=start,
        end=start + draw(st.integers(1, 15)),
        kind=draw(st.sampled_from(KINDS)),
        span_class=draw(st.sampled_from(SpanClass)),
        weight=draw(weights),
        tokens=draw(st.integers(0, 30)),
        text=draw(st.sampled_from(["", "a", "b"])),
    )


def pools(max_size: int = 60) -> st.SearchStrategy[list[Candidate]]:
    """Pools as pooling leaves them: each coordinate once."""
    return st.lists(candidates(), max_size=max_size, unique_by=lambda candidate: candidate.span)


@st.composite
def lines(draw: st.DrawFn) -> list[tuple[int, int]]:
    """Distinct spans on one line: scattered, staggered, or nested into one another."""
    size = draw(st.integers(1, 50))
    step, length = draw(st.integers(1, 12)), draw(st.integers(1, 40))
    shape = draw(st.sampled_from(["scattered", "staggered", "nested", "mixed"]))
    scattered = st.tuples(st.integers(0, 60), st.integers(1, 30)).map(lambda span: (span[0], span[0] + span[1]))
    some = {*draw(st.lists(scattered, max_size=size))}
    staggered = {(step * number, step * number + length) for number in range(size)}
    nested = {(number, 3 * size - number) for number in range(size)}
    chosen = {"scattered": some, "staggered": staggered, "nested": nested, "mixed": some | staggered | nested}
    return sorted(chosen[shape])
