"""Plans and compactions written down straight from their rules, in the slowest way: every list is estimated anew.

Nothing here is taken from core.contextplan but its values, so that both can only be wrong alike by chance.
"""

from base64 import standard_b64encode
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import partial
from hashlib import sha256
from typing import Any

from core.contextplan import Compaction, Message, PayloadRevoked, Session, Window

Estimate = Callable[[Sequence[Message]], int]


class Refused(Exception):
    """With the kind of the error."""


# ── the window ──


def budget(window: Window) -> int:
    return window.max_tokens - window.reserve


def figures(window: Window) -> tuple[int, int]:
    """Trigger and target."""
    given, whole = window.compaction, budget(window)
    trigger = int(Fraction(whole * (given.trigger_percent if given.trigger_percent > 0 else 100), 100))
    target = int(Fraction(whole * (given.target_percent if given.target_percent > 0 else 10), 100))
    return trigger, given.target_tokens if given.target_tokens > 0 else target


def check(window: Window) -> None:
    for kind, broken in broken_rules(window.max_tokens, window.reserve, window.compaction):
        if broken:
            raise Refused(kind)


def broken_rules(most: int, reserve: int, given: Compaction) -> Iterator[tuple[str, bool]]:
    trigger = 100 if given.trigger_percent <= 0 else given.trigger_percent
    target = 10 if given.target_percent <= 0 else given.target_percent
    yield "max_tokens_not_positive", most <= 0
    yield "reserve_negative", reserve < 0
    yield "reserve_too_large", reserve >= most
    yield "trigger_percent_range", given.trigger_percent < 0 or given.trigger_percent > 100
    yield "target_percent_range", given.target_percent < 0 or given.target_percent > 100
    yield "target_percent_not_below_trigger", given.target_tokens == 0 and target >= trigger
    yield "target_tokens_negative", given.target_tokens < 0
    yield "recent_tail_negative", given.recent_tail < 0
    yield "recent_tail_too_large", given.recent_tail > 64
    for number, name in enumerate(given.preserve_names):
        yield "preserve_name_empty", name == ""
        yield "preserve_name_duplicate", name in given.preserve_names[:number]
    yield "target_tokens_not_below_budget", given.target_tokens > 0 and given.target_tokens >= most - reserve


# ── bytes ──


def characters(content: bytes) -> Iterator[str | None]:
    """Each character; None for each byte that is part of none."""
    at = 0
    while at < len(content):
        found = next((one for one in map(content[at:].__getitem__, map(slice, range(1, 5))) if is_character(one)), None)
        yield found.decode() if found else None
        at += len(found) if found else 1


def is_character(content: bytes) -> bool:
    try:
        return len(content.decode()) == 1
    except UnicodeDecodeError:
        return False


def stub(content: bytes) -> bytes:
    if len(content) <= 256:
        return content
    return b"".join(one.encode() for one in characters(content[:245]) if one) + b"...[elided]"


def quoted(content: bytes) -> str:
    """A JSON string as the key has it."""
    return '"' + "".join(map(escaped, characters(content))) + '"'


def escaped(character: str | None) -> str:
    short = {'"': r"\"", "\\": r"\\", "\n": r"\n", "\r": r"\r", "\t": r"\t", "\b": r"\b", "\f": r"\f"}
    if character is None:
        return r"\ufffd"
    if character in short:
        return short[character]
    return rf"\u{ord(character):04x}" if character < " " or character in "<>&\u2028\u2029" else character


# ── plan ──


def plan(payloads: Any, spool: Any, session: Session | None, window: Window, estimate: Estimate) -> tuple[Any, ...]:
    """Messages, elisions as tuples, and the last estimate. Raises Refused, and what the payloads raise."""
    if session is None:
        raise Refused("nil_session")
    check(window)
    messages: list[Message] = []
    elisions: list[tuple[str, str, int, str]] = []
    overflowed = False
    for event in reversed(session.events):
        try:
            payload = payloads.get(event.payload_ref)
        except PayloadRevoked:
            elisions.append((event.payload_ref, "revoked", 0, ""))
            continue
        if event.kind == "reasoning":
            elisions.append((payload.ref, "reasoning_redacted", 0, ""))
            continue
        whole, part = Message(event.role, payload.content), Message(event.role, stub(payload.content))
        if not overflowed and fits([whole, *messages], window, estimate):
            messages.insert(0, whole)
            continue
        overflowed = True
        if payload.retention == "compliance" and fits([part, *messages], window, estimate):
            messages.insert(0, part)
            line = "retention_expired", len(part.content)
        else:
            line = "window_overflow", 0
        elisions.append((payload.ref, *line, attempted(partial(spool.write, payload.subject_id, payload.content), "")))
    return messages, elisions, attempted(partial(estimate, messages), 0)


def fits(messages: Sequence[Message], window: Window, estimate: Estimate) -> bool:
    try:
        return estimate(messages) <= budget(window)
    except Exception:  # noqa: BLE001  # whatever it fails with
        return False


def attempted(call: Callable[[], Any], otherwise: Any) -> Any:
    try:
        return call()
    except Exception:  # noqa: BLE001  # as above
        return otherwise


# ── compact ──


def compact(messages: Sequence[Message], window: Window, estimate: Estimate) -> dict[str, Any]:
    """The places of what is kept and dropped, and the figures. Raises Refused."""
    check(window)
    if not messages:
        raise Refused("no_messages")
    if all(message.role != "user" for message in messages):
        raise Refused("no_objective")
    trigger, target = figures(window)
    before = estimated(messages, estimate)
    everything = list(range(len(messages)))
    kept, after = everything, before
    if before >= trigger:
        kept, after = chosen(messages, window, target, estimate)
    return {
        "kept": kept,
        "dropped": [place for place in everything if place not in kept],
        "before_tokens": before,
        "after_tokens": after,
        "trigger_tokens": trigger,
        "target_tokens": target,
        "compacted": before >= trigger,
        "key": key([messages[place] for place in kept], window),
    }


def estimated(messages: Sequence[Message], estimate: Estimate) -> int:
    try:
        return estimate(messages)
    except Exception:  # noqa: BLE001  # as above
        raise Refused("estimate_failed") from None


def chosen(messages: Sequence[Message], window: Window, target: int, estimate: Estimate) -> tuple[list[int], int]:
    units = units_of(messages)
    kept = sorted(mandatory(messages, units, window.compaction.preserve_names))
    after = estimated([messages[place] for place in kept], estimate)
    if after > budget(window):
        raise Refused("retention_overflow")
    room = window.compaction.recent_tail if window.compaction.recent_tail > 0 else 8
    for unit in reversed(units):
        if unit[0] in kept:
            continue
        if len(unit) > room:
            break
        more = sorted([*kept, *unit])
        grown = estimated([messages[place] for place in more], estimate)
        if grown > target:
            break
        kept, after, room = more, grown, room - len(unit)
    return kept, after


def units_of(messages: Sequence[Message]) -> list[list[int]]:
    units: list[list[int]] = []
    for place, message in enumerate(messages):
        first = messages[units[-1][0]] if units else message
        ids = [call.id for call in first.tool_calls] if first.role == "assistant" else []
        if message.role == "tool" and message.tool_call_id in ids:
            units[-1].append(place)
        else:
            units.append([place])
    return units


def mandatory(messages: Sequence[Message], units: Sequence[list[int]], names: Sequence[str]) -> set[int]:
    needed = [unit for unit in units if any(messages[place].name in names for place in unit)]
    needed += [unit for unit in units[:1] if messages[0].role == "system"]
    needed += [unit for unit in units if any(messages[place].role == "user" for place in unit)][-1:]
    needed += [unit for unit in units if is_complete([messages[place] for place in unit])][-1:]
    return {place for unit in needed for place in unit}


def is_complete(unit: Sequence[Message]) -> bool:
    calls = unit[0].tool_calls if unit[0].role == "assistant" else ()
    answered = [message.tool_call_id for message in unit[1:]]
    return bool(calls) and all(call.id in answered for call in calls)


def key(kept: Sequence[Message], window: Window) -> str:
    trigger, target = figures(window)
    told = ",".join(map(told_as, kept))
    head = f'"algorithm":"context-compact-v1","budget":{budget(window)}'
    body = f'{{{head},"trigger_tokens":{trigger},"target_tokens":{target},"messages":[{told}]}}'
    return "context-compact-v1:sha256:" + sha256(body.encode()).hexdigest()


def told_as(message: Message) -> str:
    role, call_id, name = (quoted(text.encode()) for text in (message.role, message.tool_call_id, message.name))
    calls = ",".join(
        f'{{"id":{quoted(one.id.encode())},"arguments":{arguments(one.arguments)}}}' for one in message.tool_calls
    )
    tail = f',"tool_calls":[{calls}]' if message.tool_calls else ""
    return f'{{"role":{role},"content":{quoted(message.content)},"tool_call_id":{call_id},"name":{name}{tail}}}'


def arguments(given: bytes | None) -> str:
    return "null" if given is None else f'"{standard_b64encode(given).decode()}"'
