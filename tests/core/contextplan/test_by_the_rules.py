"""Plans and compactions are those of the rules, followed word for word in the slowest way, whatever they are given."""

from dataclasses import asdict

from hypothesis import given, settings
from hypothesis import strategies as st

from core.contextplan import (
    ByteEstimator,
    Calibrated,
    Compaction,
    ContextPlanError,
    ContextPlanner,
    Event,
    Message,
    Session,
    TokenEstimator,
    ToolCall,
    Window,
    compact,
    stub_content,
)
from tests.fakes.estimators import RULES, Costed, EstimateFailed, Figured, largest, size
from tests.fakes.payloads import FakePayloads, FakeSpool
from tests.strategies.conversations import KINDS, POISON, RETENTIONS, SUBJECTS
from tests.support import naive_contextplan as naive

NOWHERE = "nowhere"
MANY = settings(max_examples=150)

scraps = st.sampled_from([
    b"\xf0\x9f", b"\xe6\xbc", b"\xff", b"\xed\xa0\x80", b"\xc0\xaf", b"\xf4\x90\x80\x80", b"\xef\xbf\xbd", b"\x80",
    "\u2028<&>".encode(), b'\x00\x08\x0c\x1f\x7f\n"\\', "漢".encode(), "👩‍🚀".encode(), POISON,
])  # fmt: skip
contents = st.one_of(
    st.sampled_from([b"", b"a", b"w" * 40]),
    st.binary(max_size=12),
    st.lists(scraps, max_size=4).map(b"".join),
    st.tuples(st.integers(235, 262), st.lists(scraps, max_size=5)).map(lambda two: b"w" * two[0] + b"".join(two[1])),
)
percents = st.sampled_from([-1, 0, 0, 0, 1, 9, 10, 11, 50, 99, 100, 101])
compactions = st.builds(
    Compaction,
    percents,
    percents,
    st.sampled_from([0, 0, 0, -1, 1, 20, 90]),
    st.sampled_from([0, 0, 1, 2, 3, 64, 65, -1]),
    st.lists(st.sampled_from(["ada", "bob", "ada", "bob", ""]), max_size=2).map(tuple),
)
any_windows = st.builds(Window, st.integers(-3, 300), st.integers(-2, 40), compactions)


@st.composite
def windows(draw: st.DrawFn, weight: int) -> Window:
    """As likely as not just so large that it matters; now and then not valid."""
    if draw(st.integers(0, 5)) == 0:
        return draw(any_windows)
    budget = max(2, draw(st.sampled_from([weight, weight - 1, weight * 3 // 4, weight // 2, weight // 3])))
    target = draw(st.sampled_from([0, 1, budget // 4, budget // 2, budget * 3 // 4, budget - 1]))
    tail, names = draw(st.sampled_from([0, 1, 2, 3, 64])), draw(st.sampled_from([(), ("ada",), ("bob", "ada")]))
    trigger = draw(st.sampled_from([0, 100, 99, 60, 11]))
    return Window(budget + 5, 5, Compaction(trigger, draw(st.sampled_from([0, 1, 9])), target, tail, names))


def ends(messages) -> st.SearchStrategy:
    return st.integers(0, max(0, len(messages) - 1)).map(lambda start: messages[start:])


def weight_of(messages, estimator) -> int:
    try:
        return min(estimator.estimate(messages), 2_000)
    except EstimateFailed:
        return 50


@st.composite
def estimators(draw: st.DrawFn) -> TokenEstimator:
    """Additive and saying so or not, of other kinds, failing now and then; corrected or not."""
    overhead, fails = draw(st.sampled_from([0, 0, 7])), draw(st.sampled_from([(), (), (0,), (1, 4), (2, 6, 7)]))
    poison = draw(st.sampled_from([None, None, POISON]))
    made: TokenEstimator = draw(
        st.sampled_from([
            ByteEstimator(overhead),
            Costed(size, overhead, poison),
            Costed(lambda _: 1, overhead, poison),
            Costed(lambda message: 20 - size(message), overhead, poison),
            *(Figured(rule, overhead, fails) for rule in RULES.values()),
            Figured(lambda messages: largest(messages) - 3 * len(messages), overhead, fails),
        ])
    )  # fmt: skip
    if draw(st.booleans()):
        made = Calibrated(made, factor=draw(st.floats(0.5, 2)))
    return made


# ── plan ──

events = st.tuples(
    contents, st.sampled_from(["user", "assistant", "tool"]), st.sampled_from(KINDS), st.sampled_from(RETENTIONS),
    st.sampled_from(SUBJECTS),
)  # fmt: skip


@st.composite
def stored(draw: st.DrawFn) -> tuple[FakePayloads, Session]:
    """With words that repeat, some revoked, and now and then an event without any."""
    payloads, made = FakePayloads(), []
    for content, role, kind, retention, subject_id in draw(st.lists(events, max_size=12)):
        made.append(Event(payloads.put(content, retention, subject_id), role, kind))
        if draw(st.integers(0, 7)) == 0:
            payloads.revoke(made[-1].payload_ref)
    if draw(st.integers(0, 19)) == 0:
        made.insert(draw(st.integers(0, len(made))), Event(NOWHERE, "user", draw(st.sampled_from(KINDS))))
    return payloads, Session(made)


spools = st.tuples(st.sampled_from([10, 60, 300, 5_000]), st.sampled_from([10, 300, 5_000]), st.booleans())


@MANY
@given(stored(), estimators(), spools, st.data())
def test_a_plan_is_that_of_the_rules_and_so_is_what_it_spools(stored, estimator, limits, data):
    (payloads, session), ours, theirs = stored, FakeSpool(*limits), FakeSpool(*limits)
    whole = [
        Message(one.role, payloads.held[one.payload_ref].content)
        for one in session.events
        if one.payload_ref != NOWHERE
    ]
    window = data.draw(windows(weight_of(data.draw(ends(whole)), estimator)))
    assert planned(payloads, session, window, estimator, ours) == expected(payloads, session, window, estimator, theirs)
    assert (ours.contents, ours.owners) == (theirs.contents, theirs.owners)


def planned(payloads, session, window, estimator, spool):
    try:
        found = ContextPlanner(payloads, spool).plan(session, window, estimator)
    except ContextPlanError as error:
        return error.kind
    return list(found.messages), [tuple(asdict(one).values()) for one in found.elisions], found.estimated_tokens


def expected(payloads, session, window, estimator, spool):
    try:
        return naive.plan(payloads, spool, session, window, estimator.estimate)
    except naive.Refused as refused:
        return str(refused)
    except ContextPlanError as error:
        return error.kind


@MANY
@given(contents, st.integers(0, 300))
def test_a_stub_is_that_of_the_rules(content, more):
    assert stub_content(content + b"w" * more) == naive.stub(content + b"w" * more)
    assert stub_content(b"w" * more + content * 2) == naive.stub(b"w" * more + content * 2)


# ── window ──


@MANY
@given(any_windows)
def test_the_figures_of_any_window_are_those_of_the_rules_and_so_is_what_is_wrong_with_it(window):
    assert (window.budget, window.compact_trigger, window.compact_target) == (
        naive.budget(window),
        *naive.figures(window),
    )
    assert refusal(window.validate) == refusal(lambda: naive.check(window))


def refusal(check):
    try:
        check()
    except ContextPlanError as error:
        return error.kind
    except naive.Refused as refused:
        return str(refused)
    return None


# ── compact ──

ids = st.sampled_from(["a", "b", "", "é"])
calls = st.builds(ToolCall, ids, st.none() | st.binary(max_size=4), st.sampled_from(["", "search"]))
messages = st.builds(
    Message,
    st.sampled_from(["user", "assistant", "assistant", "tool", "tool", "system"]),
    contents,
    st.sampled_from(["", "", "", "", "", "ada", "bob"]),
    ids,
    st.lists(calls, max_size=2).map(tuple),
)


@MANY
@given(st.lists(messages, max_size=14), estimators(), st.data())
def test_a_compaction_is_that_of_the_rules(conversation, estimator, data):
    window = data.draw(windows(weight_of(data.draw(ends(conversation)), estimator)))
    assert compacted(conversation, window, estimator) == by_the_rules(conversation, window, estimator)


def compacted(conversation, window, estimator):
    try:
        found = compact(conversation, window, estimator)
    except ContextPlanError as error:
        return error.kind
    places = {id(message): place for place, message in enumerate(conversation)}
    figures = {name: getattr(found, name) for name in type(found).__slots__}
    return figures | {name: [places[id(one)] for one in figures[name]] for name in ("kept", "dropped")}


def by_the_rules(conversation, window, estimator):
    try:
        return naive.compact(conversation, window, estimator.estimate)
    except naive.Refused as refused:
        return str(refused)
