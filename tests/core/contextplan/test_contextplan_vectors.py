"""Every published vector of fitting a conversation into a window, byte for byte; additive estimators both ways."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from core.contextplan import (
    ByteEstimator,
    Calibrated,
    Compaction,
    CompactResult,
    ContextPlanError,
    ContextPlanner,
    Event,
    Message,
    PlanResult,
    Session,
    TokenEstimator,
    ToolCall,
    Window,
    compact,
    stub_content,
)
from core.contextplan.key import preimage
from tests.fakes.estimators import RULES, Costed, EstimateFailed, Figured, size
from tests.fakes.payloads import FakePayloads, FakeSpool

COUNTS = {"calibrated": 87, "compact": 170, "plan": 160, "stub": 110, "window": 130}


def cases(vectors: Path, family: str) -> list[dict[str, Any]]:
    return json.loads((vectors / "contextplan" / f"{family}.json").read_text())["cases"]


def window(row: dict[str, Any]) -> Window:
    names = tuple(row["preserve_names"] or ())
    figures = {name: row[name] for name in ("trigger_percent", "target_percent", "target_tokens", "recent_tail")}
    return Window(row["max_tokens"], row["reserve"], Compaction(**figures, preserve_names=names))


def estimators(row: dict[str, Any]) -> Iterator[TokenEstimator]:
    """The case's estimator, and, where it is additive, one that says so."""
    yield Figured(RULES[row["kind"]], row["overhead"], row["fail_at_counts"])
    if not row["fail_at_counts"] and row["kind"] != "max":
        yield ByteEstimator(row["overhead"]) if row["kind"] == "std" else Costed(size, row["overhead"])


def content(row: dict[str, str]) -> bytes:
    return bytes.fromhex(row["hex"]) if "hex" in row else row["text"].encode()


def test_no_vector_was_lost(vectors):
    assert {family: len(cases(vectors, family)) for family in COUNTS} == COUNTS


# ── stub and window ──


def test_stubs(vectors, subtests):
    for case in cases(vectors, "stub"):
        with subtests.test(case["name"]):
            given = bytes.fromhex(case["input_hex"])
            stub = stub_content(given)
            assert stub.hex() == case["output_hex"]
            assert len(stub) == case["output_len"]
            assert (stub == given) == case["unchanged"]


def test_windows(vectors, subtests):
    for case in cases(vectors, "window"):
        with subtests.test(case["name"]):
            made = window(case["window"])
            figures = {"budget": made.budget, "compact_trigger": made.compact_trigger}
            figures |= {"compact_target": made.compact_target, "error": validated(made)}
            assert figures == case["expect"]


def validated(made: Window) -> str | None:
    try:
        made.validate()
    except ContextPlanError as error:
        return error.kind
    return None


# ── calibrated ──


def test_calibrations(vectors, subtests):
    for case in cases(vectors, "calibrated"):
        with subtests.test(case["name"]):
            raw: list[int | None] = []
            calibrated = Calibrated(Figured(lambda _, raw=raw: given(raw[-1])), case["alpha"])
            for op in case["ops"]:
                assert step(calibrated, op, raw) == op


def given(raw: int | None) -> int:
    if raw is None:
        raise EstimateFailed
    return raw


def step(calibrated: Calibrated, op: dict[str, Any], raw: list[int | None]) -> dict[str, Any]:
    """The operation as it went."""
    if op["op"] == "observe":
        calibrated.observe(op["estimated"], op["actual"])
        return op | {"factor_after": calibrated.factor}
    raw.append(op["raw"])
    try:
        return {"op": "estimate", "raw": op["raw"], "result": calibrated.estimate([])}
    except EstimateFailed:
        return {"op": "estimate", "raw": op["raw"], "error": op["error"]}


# ── plan ──


def test_plans(vectors, subtests):
    for case in cases(vectors, "plan"):
        for number, estimator in enumerate(estimators(case["estimator"])):
            with subtests.test(f"{case['name']}, {number}"):
                payloads, refs = stored(case["payloads"])
                assert planned(case, payloads, refs, estimator) == expected_of(case, case["expect"])
                for place in case.get("then_revoke", ()):
                    payloads.revoke(refs[place])
                if "expect_after" in case:
                    assert planned(case, payloads, refs, estimator) == expected_of(case, case["expect_after"])


def stored(rows: Sequence[dict[str, Any]]) -> tuple[FakePayloads, list[str]]:
    payloads, refs = FakePayloads(), []
    for row in rows:
        refs.append(payloads.put(content(row["content"]), row["retention"], row["subject_id"]))
        if row["revoked"]:
            payloads.revoke(refs[-1])
    return payloads, refs


def planned(case: dict[str, Any], payloads: FakePayloads, refs: Sequence[str], estimator: TokenEstimator) -> Any:
    """What a plan came to, in the words of the vectors."""
    spool = spool_of(case["spool"])
    session = None if case.get("nil_session") else Session([event(row, refs) for row in case["events"]])
    try:
        result = ContextPlanner(payloads, spool).plan(session, window(case["window"]), estimator)
    except ContextPlanError as error:
        return {"error": error.kind, "messages": [], "elisions": [], "estimated_tokens": 0}
    return {
        "error": None,
        "messages": result.messages,
        "elisions": list(elisions(result, payloads, spool)),
        "estimated_tokens": result.estimated_tokens,
    }


def event(row: dict[str, Any], refs: Sequence[str]) -> Event:
    ref = row["payload_ref"] if row["payload"] is None else refs[row["payload"]]
    return Event(ref, row["role"], row["kind"])


def spool_of(row: dict[str, Any] | None) -> FakeSpool | None:
    if row is None:
        return None
    spool = FakeSpool(row["max_grant_bytes"], row["store_bytes"], row["fail_put"])
    for grant in row["pre_grants"]:
        spool.write(grant["principal"], content(grant["content"]))
    return spool


def elisions(result: PlanResult, payloads: FakePayloads, spool: FakeSpool | None) -> Iterator[dict[str, Any]]:
    for elision in result.elisions:
        status = payloads.status(elision.ref)
        loadable = spool is not None and elision.spool_ref in loadable_for(spool, status.subject_id)
        about = {"subject_id": status.subject_id, "size": status.size, "spool_loadable": loadable}
        yield asdict(elision) | about


def loadable_for(spool: FakeSpool, subject_id: str) -> set[str]:
    return {ref for ref in spool.contents if can_load(spool, subject_id, ref)}


def can_load(spool: FakeSpool, subject_id: str, ref: str) -> bool:
    try:
        return spool.load(subject_id, ref) == spool.contents[ref]
    except KeyError:
        return False


def expected_of(case: dict[str, Any], expect: dict[str, Any]) -> dict[str, Any]:
    """An error has no messages; each message and elision is that of its event."""
    if expect["error"]:
        return expect
    messages = tuple(Message(row["role"], said(case, row)) for row in expect["messages"])
    rows = [{name: value for name, value in row.items() if name != "event"} for row in expect["elisions"]]
    return expect | {"messages": messages, "elisions": rows}


def said(case: dict[str, Any], row: dict[str, Any]) -> bytes:
    payload = case["payloads"][case["events"][row["event"]]["payload"]]
    return content(row["content"] if row["stub"] else payload["content"])


# ── compact ──


def test_compactions(vectors, subtests):
    for case in cases(vectors, "compact"):
        for number, estimator in enumerate(estimators(case["estimator"])):
            with subtests.test(f"{case['name']}, {number}"):
                messages, made = [message(row) for row in case["messages"]], window(case["window"])
                expect = {name: value for name, value in case["expect"].items() if not name.startswith("key_")}
                assert compacted(messages, made, estimator) == expect


def test_what_the_keys_are_made_of(vectors, subtests):
    for case in cases(vectors, "compact"):
        if "key_preimage" in case["expect"]:
            with subtests.test(case["name"]):
                kept = [message(case["messages"][place]) for place in case["expect"]["kept"]]
                assert preimage(kept, window(case["window"])).decode() == case["expect"]["key_preimage"]


def message(row: dict[str, Any]) -> Message:
    calls = tuple(ToolCall(call["id"], arguments(call), call["name"]) for call in row["tool_calls"])
    return Message(row["role"], content(row["content"]), row["name"], row["tool_call_id"], calls)


def arguments(call: dict[str, Any]) -> bytes | None:
    return None if call["arguments"] is None else content(call["arguments"])


def compacted(messages: Sequence[Message], made: Window, estimator: TokenEstimator) -> dict[str, Any]:
    nothing: dict[str, Any] = dict.fromkeys(("before_tokens", "after_tokens", "trigger_tokens", "target_tokens"), 0)
    try:
        return {"error": None} | in_places(compact(messages, made, estimator), messages)
    except ContextPlanError as error:
        return nothing | {"error": error.kind, "kept": [], "dropped": [], "compacted": False, "key": ""}


def in_places(result: CompactResult, messages: Sequence[Message]) -> dict[str, Any]:
    place = {id(each): number for number, each in enumerate(messages)}
    figures = {name: getattr(result, name) for name in CompactResult.__slots__}
    return figures | {name: [place[id(each)] for each in figures[name]] for name in ("kept", "dropped")}
