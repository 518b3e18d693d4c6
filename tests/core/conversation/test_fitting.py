"""A thread in what a prompt leaves to it: the newest first, measured as it will be sent, with a line for the rest."""

from collections.abc import Sequence
from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st

from core.contextplan import ByteEstimator, ElisionReason
from core.conversation.payloads import Told
from core.conversation.planning import fitted
from core.model.threads import Line, Room

ME = UUID(int=7)


def told(number: int, text: str, **more: object) -> Told:
    content = text.encode()
    values = {"role": "user", "kind": "message", "retention": "standard"} | more
    return Told(UUID(int=number), f"e{number}", content=content, size=len(content), person_id=ME, **values)


def room(spare: int, a_line: int = 20) -> Room:
    """Every byte is a token, and so are the tags around a line."""

    def _spare(lines: Sequence[Line]) -> int:
        return spare - sum(len(line.text.encode()) + a_line for line in lines)

    return Room(10_000, 9_000, _spare)


texts = st.text(max_size=60) | st.sampled_from(["x" * 300, "東京" * 40, "🧑‍🚀" * 20])
events = st.builds(
    dict, text=texts, kind=st.sampled_from(["message", "reasoning"]), withheld=st.booleans(),
    retention=st.sampled_from(["standard", "compliance"]), role=st.sampled_from(["user", "assistant", "tool"]),
)  # fmt: skip


@given(st.lists(events, max_size=25), st.integers(-500, 4000))
def test_whatever_was_said_what_goes_in_fits_and_every_other_event_has_its_reason(said: list[dict], spare: int) -> None:
    all_told = [told(number, **one) for number, one in enumerate(said, 1)]
    there = room(spare)
    found = fitted(all_told, there, ByteEstimator())
    assert there.spare(found.lines) >= min(spare, 0)
    assert not found.lines or there.spare(found.lines) >= 0
    whole = [one for one in all_told if str(one.ref) not in {elision.ref for elision in found.elisions}]
    stubs = [elision for elision in found.elisions if elision.kept]
    assert len(found.lines) == len(whole) + len(stubs) == len(found.shown)
    assert not any(one.withheld or one.kind == "reasoning" for one in found.shown)
    assert [line.role for line in found.lines] == [one.role for one in found.shown]


def test_with_room_for_all_nothing_is_left_out_and_the_order_is_kept():
    found = fitted([told(1, "a"), told(2, "b", role="assistant")], room(1000), ByteEstimator())
    assert found.lines == (Line("user", "a"), Line("assistant", "b"))
    assert found.elisions == ()
    assert found.left_out == ()


def test_an_estimate_that_is_too_low_is_found_out_and_the_oldest_goes():
    """Four bytes a token, says the estimate; here every byte is one."""
    all_told = [told(number, f"{number:03}" * 33) for number in range(1, 30)]
    found = fitted(all_told, room(1000), ByteEstimator())
    assert 5 <= len(found.lines) <= 8
    assert [one.ref.int for one in found.shown] == list(range(30 - len(found.lines), 30))
    assert {elision.reason for elision in found.elisions} == {ElisionReason.WINDOW_OVERFLOW}
    assert found.left_out == tuple(all_told[: -len(found.lines)][::-1])


def test_where_evidence_left_nothing_nothing_goes_in_and_all_is_accounted_for():
    found = fitted(
        [told(1, "a"), told(2, "b", withheld=True), told(3, "c", kind="reasoning")], room(-5), ByteEstimator()
    )
    assert found.lines == ()
    assert [elision.reason.value for elision in found.elisions] == ["reasoning_redacted", "revoked", "window_overflow"]
