"""Conversations in small windows: few sizes, ids and names, so that much overflows, repeats and belongs together."""

from dataclasses import dataclass

from hypothesis import strategies as st

from core.contextplan import ByteEstimator, Calibrated, Compaction, Event, Message, Session, ToolCall, Window
from tests.fakes.estimators import Costed, size
from tests.fakes.payloads import FakePayloads

IDS = st.sampled_from(["a", "b", "c", ""])
NAMES = ["ada", "bob"]
POISON = b"poison"
RETENTIONS = ["session", "compliance", "Compliance"]
KINDS = ["message", "reasoning", "Reasoning", ""]
SUBJECTS = ["one", "other"]

texts = st.sampled_from(["", "a", "é", "漢字", "<&>", "a few words", "x" * 40]).map(str.encode)
contents = st.one_of(texts, st.binary(max_size=12), st.integers(0, 400).map(lambda length: b"w" * length))


@dataclass(frozen=True)
class Said:
    """An event and what stands behind it."""

    content: bytes
    role: str
    kind: str
    retention: str
    subject_id: str
    revoked: bool


@st.composite
def talks(draw: st.DrawFn, max_size: int = 12) -> list[Said]:
    """No two say the same, so that every message and every elision is known by its words."""
    length = draw(st.integers(0, max_size))
    return [
        Said(
            b"%d:" % number + draw(contents),
            draw(st.sampled_from(["user", "assistant", "tool"])),
            draw(st.sampled_from(KINDS)),
            draw(st.sampled_from(RETENTIONS)),
            draw(st.sampled_from(SUBJECTS)),
            draw(st.integers(0, 7)) == 0,
        )
        for number in range(length)
    ]


def held(talk: list[Said]) -> tuple[FakePayloads, Session]:
    """The talk as a store and a session have it."""
    payloads, events = FakePayloads(), []
    for said in talk:
        ref = payloads.put(said.content, said.retention, said.subject_id)
        events.append(Event(ref, said.role, said.kind))
        if said.revoked:
            payloads.revoke(ref)
    return payloads, Session(events)


calls = st.builds(ToolCall, IDS, st.none() | st.binary(max_size=4), st.sampled_from(["search", "read"]))
roles = st.sampled_from(["user", "assistant", "assistant", "tool", "tool", "system"])
messages = st.builds(
    Message, roles, contents, st.sampled_from(["", "", "", *NAMES]), IDS, st.lists(calls, max_size=3).map(tuple)
)


@st.composite
def conversations(draw: st.DrawFn, max_size: int = 10) -> list[Message]:
    """With a user somewhere, and with answers behind calls more often than chance would put them there."""
    some = draw(st.lists(st.one_of(messages.map(lambda message: [message]), exchanges()), max_size=max_size))
    place = draw(st.integers(0, len(some)))
    some.insert(place, [Message("user", draw(contents))])
    return [message for group in some for message in group]


@st.composite
def exchanges(draw: st.DrawFn) -> list[Message]:
    """Calls, and answers to some of them or to others."""
    asked = tuple(draw(st.lists(calls, min_size=1, max_size=3)))
    answered = draw(st.permutations([call.id for call in asked])) + draw(st.lists(IDS, max_size=1))
    count = draw(st.integers(0, len(answered)))
    return [
        Message("assistant", draw(texts), tool_calls=asked),
        *(Message("tool", draw(texts), tool_call_id=answer) for answer in answered[:count]),
    ]


@st.composite
def windows(draw: st.DrawFn) -> Window:
    """Valid, from one token to more than any conversation here has."""
    budget = draw(st.one_of(st.integers(1, 60), st.integers(1, 1500)))
    reserve = draw(st.integers(0, 50))
    trigger = draw(st.integers(2, 100))
    return Window(
        budget + reserve,
        reserve,
        Compaction(
            trigger,
            draw(st.integers(1, trigger - 1)),
            draw(st.integers(0, budget - 1)),
            draw(st.sampled_from([0, 1, 2, 3, 5, 64])),
            draw(st.lists(st.sampled_from(NAMES), unique=True, max_size=2).map(tuple)),
        ),
    )


@st.composite
def additive_estimators(draw: st.DrawFn) -> Costed:
    """By size, by tokens or a message a token; any overhead; some cannot estimate messages that say `poison`."""
    price = draw(st.sampled_from([size, ByteEstimator().cost, lambda _: 1, lambda message: len(message.content) // 9]))
    return Costed(price, draw(st.integers(0, 30)), draw(st.sampled_from([None, None, POISON, b"1"])))


def calibrated(estimator: Costed, actual: int) -> Calibrated:
    """One that has seen a hundred estimated tokens turn out to be so many."""
    made = Calibrated(estimator, alpha=0.7)
    made.observe(100, actual)
    return made
