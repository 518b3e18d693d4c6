"""The words of one thread as somebody may read them at this moment: where a plan reads, and leaves what is too much.

What was revoked, and an answer that quotes what may not be read today or was erased, is denied alike. Whoever plans
again reads anew, so that rights which ended between two plans count in the second. A plan writes down what it leaves
out right after it has read it: so a spooled payload is of the event that was read last, whatever others say the same.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from core.contextplan import Event, Message, Payload, PayloadNotFound, PayloadRevoked, PayloadStatus, Session, ToolCall


@dataclass(frozen=True, slots=True)
class Told:
    """An event of a thread. `withheld`: its words are for nobody, or for others than who reads."""

    ref: UUID
    event_id: str
    role: str
    kind: str
    retention: str
    content: bytes
    size: int
    person_id: UUID
    source_ids: frozenset[UUID] = frozenset()
    calls: Sequence[str] = ()
    answers: str = ""
    withheld: bool = False

    @property
    def message(self) -> Message:
        """As a compaction weighs it: with what ties tool calls together."""
        calls = tuple(ToolCall(call, None) for call in self.calls)
        return Message(self.role, self.content, tool_call_id=self.answers, tool_calls=calls)


def session_of(told: Sequence[Told]) -> Session:
    return Session([Event(str(one.ref), one.role, one.kind) for one in told])


@dataclass(slots=True)
class ThreadPayloads:
    """A `PayloadStore` and a `Spool` of one plan. `left_out`: the events whose words are to be spooled, as found."""

    by_ref: Mapping[str, Told]
    left_out: list[Told] = field(default_factory=list)
    _read_last: Told | None = None

    @classmethod
    def of(cls, told: Collection[Told]) -> "ThreadPayloads":
        return cls({str(one.ref): one for one in told})

    def get(self, ref: str) -> Payload:
        told = self._found(ref)
        if told.withheld:
            raise PayloadRevoked
        self._read_last = told
        return Payload(ref, told.content, told.retention, str(told.person_id))

    def status(self, ref: str) -> PayloadStatus:
        told = self._found(ref)
        return PayloadStatus(ref, told.retention, str(told.person_id), told.size, told.withheld)

    def write(self, subject_id: str, content: bytes) -> str:
        """Raises PayloadNotFound for what is not what was read last."""
        told = self._read_last
        if told is None or (str(told.person_id), told.content) != (subject_id, content):
            raise PayloadNotFound
        self.left_out.append(told)
        return str(told.ref)

    def _found(self, ref: str) -> Told:
        if ref not in self.by_ref:
            raise PayloadNotFound
        return self.by_ref[ref]
