"""What a card is to say: what is different, for this reader, between what they were last shown and now."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from core.answers.status import AnswerStatus, ClaimState
from core.delivery.grouping import ANSWERS, changes
from core.errors import NotFound
from core.model.answers import readable_claims
from core.model.evidence import BriefLine, ChangeLine, SectionChange
from core.model.node_ids import document_id
from core.model.nodes import DOCUMENT, SAVED_ANSWER, Node
from core.model.notices import (
    AnswerMoved,
    AnswersNotice,
    BriefNotice,
    ChangeNotice,
    ClaimDiff,
    QuestionLine,
    Reason,
)
from core.model.ports import Composed, Library, News
from core.model.principals import Principal, visible_to
from core.model.watching import Cadence, Event, ScopeType
from core.notices.properties import head_changes, record_changes, record_name
from core.store import deliveries, messages, sources, watches
from core.store.briefs import Heard
from core.store.database import ReadTx, WriteTx
from core.store.tables import Watch, WatchFire
from core.store.versions import NODES
from core.store.view import View, view
from core.watch.brief import COMPARED, Fired, Line, Moved, arranged, fold, untold
from core.watch.match import CLARIFICATION

Fires = Sequence[tuple[WatchFire, Watch]]
Moment = tuple[int, int]
"""(valid, tx), looked up once a card: what is written meanwhile is the next card's to tell."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """A thing, and the time over which it is told. `seen`: its reader knows it as it was at the beginning."""

    ref_type: str
    ref_id: UUID
    since: int
    until: Moment
    seen: bool = False

    @property
    def node_id(self) -> UUID:
        return document_id(self.ref_id) if self.ref_type == "source" else self.ref_id

    @property
    def begin(self) -> Moment:
        return self.since, self.since


class NoticesEngine:
    def __init__(self, library: Library, questions: News) -> None:
        self._library = library
        self._questions = questions

    def compose(self, tx: WriteTx, principal: Principal, kind: str, fires: Fires) -> Composed | None:
        """The notice of these fires as the principal may see it now; None when nothing is different.

        Raises NotFound when something is, and the principal may see none of it.
        """
        begun, now = _begun(fires), (tx.present(tx.now), tx.last_tx)
        shown = messages.last_shown(tx, principal.person_id, {ref_id for _, ref_id in begun})
        if kind == ANSWERS:
            return self._answers(tx, principal, fires, shown, now)
        waits = _begun(list(watches.fires(tx, deliveries.of_briefs(tx, principal.person_id)).values()))
        begun = {ref: min(since, waits.get(ref, since)) for ref, since in begun.items()}  # the brief tells it no more
        stretches = [Stretch(*ref, shown.get(ref[1], since), now, seen=True) for ref, since in begun.items()]
        return self._changes(tx, principal, fires, stretches)

    # ── memory change ──

    def _changes(
        self, tx: WriteTx, principal: Principal, fires: Fires, stretches: Sequence[Stretch]
    ) -> Composed | None:
        asked, found = view(tx, principal, tx.now), list(self._lines(tx, stretches))
        settled = self._settled(tx, principal, fires, stretches)
        lines = [(_from(nodes), line) for _, nodes, line in found if all(map(asked.admits, nodes))]
        questions = sorted((line for line in settled if line), key=lambda line: (-line.change_tx, line.order))
        if not lines and not questions:
            if found or settled:
                raise NotFound
            return None
        ordered = sorted((line for _, line in lines), key=lambda line: (-line.learned, line.order))
        told = {line.ref_id for line in ordered} | {line.ref_id for line in questions}
        happened_at = max([line.learned for line in ordered] + [line.change_tx for line in questions])
        truncated = sum(fire.truncated for fire, _ in fires)
        notice = ChangeNotice(
            tuple(ordered), truncated, _reasons(fires, told, principal), happened_at, tuple(questions)
        )
        quoted = set().union(*(quoted for quoted, _ in lines), *(line.source_ids for line in questions))
        return Composed(notice, tuple((ref_id, stretches[0].until[1]) for ref_id in sorted(told)), tuple(quoted))

    def _settled(
        self, tx: ReadTx, principal: Principal, fires: Fires, stretches: Sequence[Stretch]
    ) -> list[QuestionLine | None]:
        """What has come of each question, with when it last moved; None for one that the principal may not read."""
        windows = [(one.ref_id, one.since, one.until[1]) for one in stretches if one.ref_type == CLARIFICATION]
        if not windows:
            return []
        last = {event.ref_id: event.change_tx for event in sorted(_every(fires), key=lambda event: event.change_tx)}
        found = self._questions.moved(tx, principal, windows, stretches[0].until[0])
        return [line and replace(line, change_tx=last[line.ref_id]) for line in found.values()]

    def _lines(
        self, tx: ReadTx, stretches: Sequence[Stretch]
    ) -> Iterator[tuple[Stretch, tuple[Node, ...], ChangeLine]]:
        """What is different in each, with the versions compared; where nothing is, and of a question, no line."""
        states = _states(tx, stretches)
        sides = {stretch: _sides(tx, stretch, states) for stretch in stretches}
        rows = sources.by_ids(
            tx, {node.source_id for pair in sides.values() for node in pair if node and node.source_id}
        )
        titles: dict[tuple[UUID, int, int], str] = {}
        for stretch, (before, after) in sides.items():
            newest = after or before
            if newest is None or newest.label == SAVED_ANSWER:  # which has a card of its own
                continue
            differing = self._differing(tx, stretch, before, after, newest)
            if not differing:
                continue
            named = before if newest.tombstone and before else newest
            if newest.source_id is None:
                title, uri = record_name(named), f"record:{newest.node_id}"
            else:
                place = (newest.source_id, named.valid_start, named.tx_start)
                title = titles.get(place) or titles.setdefault(place, self._library.title(tx, named))
                uri = rows[newest.source_id].uri
            compared = tuple(node for node in (before, after) if node)
            times = newest.valid_start, newest.tx_start
            yield stretch, compared, ChangeLine(stretch.ref_id, title, uri, differing, *times, _place(named))

    def _differing(
        self, tx: ReadTx, stretch: Stretch, before: Node | None, after: Node | None, newest: Node
    ) -> list[SectionChange]:
        if newest.source_id is None:
            return record_changes(before, after)
        whole = stretch.ref_type == "source" or newest.label == DOCUMENT
        differing = changes(*(self._library.pieces(tx, node, whole=whole) for node in (before, after)))
        return [*head_changes(before, after), *differing] if whole else differing

    # ── saved answer updated ──

    def _answers(
        self, tx: ReadTx, principal: Principal, fires: Fires, shown: Mapping[UUID, int], now: Moment
    ) -> Composed | None:
        news = _worse(tx, principal, fires, shown, now)
        if not news:
            return None
        notice = AnswersNotice(_moved(tx, principal, fires, news), max(node.tx_start for node in news.values()))
        return Composed(notice, tuple((answer_id, now[1]) for answer_id in news), _dependencies(news.values()))

    # ── brief ──

    def brief(
        self, tx: ReadTx, principal: Principal, period: Cadence, heard: Sequence[Heard], cursor: int, now: int
    ) -> Composed | None:
        """The notice of a period in which a person heard this, told up to `cursor` before.

        A week's lists what other cards have told as well; another tells what they were not shown yet. Answers that
        have moved are on it if they need a look still. None when there is nothing that they may read.
        """
        present = (tx.present(now), tx.last_tx)
        of_answers = [(one.fire, one.watch) for one in heard if one.watch.scope_type == ScopeType.ANSWER]
        of_changes = [one for one in heard if one.watch.scope_type != ScopeType.ANSWER]
        shown = messages.last_shown(tx, principal.person_id, {e.ref_id for one in heard for e in _events(one.fire)})
        told = {} if period is Cadence.WEEKLY else shown
        news = _worse(tx, principal, of_answers, told, present)
        moved = fold([_fired(one) for one in of_changes], cursor, told)
        found, questions, uncompared = self._period(tx, principal, of_changes, moved, shown, present)
        lines, more = arranged((line for _, line in found), questions)
        if not lines and not news:
            return None
        answers = _moved(tx, principal, of_answers, news)
        notice = BriefNotice(
            _watchable(tx, lines, present),
            more + uncompared + _dropped(of_changes),
            answers,
            _names(of_changes, [*lines, *_beside(lines, (line for _, line in found))]),
            period,
        )
        shown = dict(sorted((line.ref_id, line.change_tx) for line in lines)) | dict.fromkeys(news, present[1])
        uris = {line.source_uri for line in lines}
        quoted = frozenset[UUID]().union(*(from_ for from_, line in found if line.source_uri in uris))
        of_questions = (line.source_ids for line in lines if isinstance(line, QuestionLine))
        return Composed(notice, tuple(shown.items()), tuple(quoted.union(_dependencies(news.values()), *of_questions)))

    def _without_undone(
        self, tx: ReadTx, moved: Sequence[Moved], shown: Mapping[UUID, int], now: Moment
    ) -> list[Moved]:
        """These changes without those of things that are again as they were, and of which nothing was shown since."""
        stretches = [Stretch(one.ref_type, one.ref_id, one.since_tx, now) for one in untold(moved[:COMPARED], shown)]
        differing = {stretch.ref_id for stretch, _, _ in self._lines(tx, stretches)}
        undone = {stretch.ref_id for stretch in stretches} - differing
        return [one for one in moved if one.ref_id not in undone]

    def _period(
        self,
        tx: ReadTx,
        principal: Principal,
        heard: Sequence[Heard],
        folded: Sequence[Moved],
        shown: Mapping[UUID, int],
        now: Moment,
    ) -> tuple[list[tuple[frozenset[UUID], BriefLine]], list[QuestionLine], int]:
        """Each change that the person may read today, with its sources; what has come of questions; and how many more.

        These are too old to be compared.
        """
        reader = view(tx, principal, now[0])
        own = {one.watch.watch_id for one in heard if one.watch.owner_id == principal.person_id}
        asked = {(one.ref_id, one.since_tx, one.change_tx): one for one in folded if one.ref_type == CLARIFICATION}
        moved = self._without_undone(tx, [one for one in folded if one.ref_type != CLARIFICATION], shown, now)
        told_by = {_stretch(one): one for one in moved[:COMPARED]}
        found = [
            (_from(nodes), _brief_line(line, stretch, told_by[stretch], own))
            for stretch, nodes, line in self._lines(tx, list(told_by))
            if all(map(reader.admits, nodes))
        ]
        settled = self._questions.moved(tx, principal, list(asked), now[0]) if asked else {}
        questions = [_offered(line, asked[window], own) for window, line in settled.items() if line]
        return found, questions, _count(reader, moved[COMPARED:])


def _brief_line(line: ChangeLine, stretch: Stretch, moved: Moved, own: Collection[UUID]) -> BriefLine:
    return BriefLine(line, moved.change_tx, stretch.node_id if moved.watch_ids.isdisjoint(own) else None)


def _offered(line: QuestionLine, moved: Moved, own: Collection[UUID]) -> QuestionLine:
    return replace(
        line, change_tx=moved.change_tx, watch_target=line.ref_id if moved.watch_ids.isdisjoint(own) else None
    )


def _count(reader: View, moved: Sequence[Moved]) -> int:
    """How many of these changes are of things that may be read."""
    node_ids = [_stretch(one).node_id for one in moved]
    nodes = NODES.as_of(reader.tx, set(node_ids), reader.valid_t, reader.tx_t)
    return sum(node_id in nodes and reader.admits(nodes[node_id]) for node_id in node_ids)


def _place(node: Node) -> int:
    """Where a node begins in its document; a whole document, and a record, at the beginning."""
    is_part = node.source_id is not None and node.label != DOCUMENT
    return min((span.start for span in node.spans()), default=0) if is_part else 0


def _from(nodes: Iterable[Node]) -> frozenset[UUID]:
    """The sources that these versions are from."""
    return frozenset[UUID]().union(*(node.sources for node in nodes))


def _states(tx: ReadTx, stretches: Iterable[Stretch]) -> dict[Moment, dict[UUID, Node]]:
    """Every thing at both its moments, looked up together."""
    wanted: dict[Moment, set[UUID]] = {}
    for stretch in stretches:
        for moment in (stretch.begin, stretch.until):
            wanted.setdefault(moment, set()).add(stretch.node_id)
    return {moment: NODES.as_of(tx, ids, *moment) for moment, ids in wanted.items()}


def _sides(
    tx: ReadTx, stretch: Stretch, states: Mapping[Moment, Mapping[UUID, Node]]
) -> tuple[Node | None, Node | None]:
    before, after = (states[moment].get(stretch.node_id) for moment in (stretch.begin, stretch.until))
    if after is not None and before == after and not stretch.seen:  # nothing was written: its time had come
        before = NODES.as_of(tx, [stretch.node_id], after.valid_start - 1, stretch.since).get(stretch.node_id)
    return before, after


def _worse(tx: ReadTx, principal: Principal, fires: Fires, shown: Mapping[UUID, int], now: Moment) -> dict[UUID, Node]:
    """The person's answers that need a look, and have moved since they were shown; the oldest question first."""
    nodes = NODES.as_of(tx, {event.ref_id for fire, _ in fires for event in _events(fire)}, *now)
    return {
        answer_id: node
        for answer_id, node in sorted(nodes.items(), key=_asked_at)
        if visible_to(principal, node.readers or ())
        and node.props["status"] not in {AnswerStatus.CURRENT, AnswerStatus.SUPERSEDED}
        and node.tx_start > shown.get(answer_id, 0)
    }


def _asked_at(one: tuple[UUID, Node]) -> tuple[int, str, UUID]:
    answer_id, node = one
    return node.props.get("savedAt", 0), node.props.get("question", ""), answer_id


def _moved(tx: ReadTx, principal: Principal, fires: Fires, news: Mapping[UUID, Node]) -> tuple[AnswerMoved, ...]:
    watch_of = {event.ref_id: watch for fire, watch in fires for event in _events(fire)}
    readable = sources.readable(tx, principal)
    return tuple(_answer(node, watch_of[answer_id], readable) for answer_id, node in news.items())


def _answer(node: Node, watch: Watch, readable: Collection[UUID]) -> AnswerMoved:
    claims = tuple(
        ClaimDiff(claim["text"], claim["after"], claim["state"], claim.get("caveat"))
        for claim in readable_claims(node.props, readable)
        if claim["state"] != ClaimState.OK
    )
    props = node.props
    return AnswerMoved(
        node.node_id, watch.watch_id, props["question"], props["status"], props["severity"], claims, props["savedAt"]
    )


def _dependencies(nodes: Iterable[Node]) -> tuple[UUID, ...]:
    """What these answers rest on, but for what was erased: nothing of it is left to be quoted."""
    return tuple(
        {
            UUID(ref)
            for node in nodes
            for ref in node.props["dependencies"]["sources"]
            if ref not in node.props.get("erased", ())
        }
    )


def _every(fires: Fires) -> Iterator[Event]:
    return (event for fire, _ in fires for event in _events(fire))


def _reasons(fires: Fires, told: Collection[UUID], reader: Principal) -> tuple[Reason, ...]:
    """The watches that heard what is told: what another is called may not be its reader's to know."""
    heard = [watch for fire, watch in fires if any(event.ref_id in told for event in _events(fire))]
    own = {watch.watch_id: watch.owner_id == reader.person_id for watch in heard}
    return tuple({watch.watch_id: Reason(watch.watch_id, watch.name, own[watch.watch_id]) for watch in heard}.values())


def _events(fire: WatchFire) -> list[Event]:
    return [Event.from_json(body) for body in fire.events]


def _begun(fires: Fires) -> dict[tuple[str, UUID], int]:
    """Since when each thing is watched that these fires tell of: from there it is told to whom it was never shown.

    Of several changes that were seen together a fire names only the newest.
    """
    begun: dict[tuple[str, UUID], int] = {}
    for fire, watch in fires:
        for event in _events(fire):
            ref = (event.ref_type, event.ref_id)
            begun[ref] = min(begun.get(ref, watch.created_tx), watch.created_tx)
    return begun


def _stretch(moved: Moved) -> Stretch:
    return Stretch(moved.ref_type, moved.ref_id, moved.since_tx, (moved.change_tx, moved.change_tx))


def _fired(heard: Heard) -> Fired:
    return Fired(heard.watch.watch_id, heard.watch.created_tx, _events(heard.fire), undone=heard.undone)


def _dropped(heard: Iterable[Heard]) -> int:
    """How many changes the fires themselves left out: once for watches that heard the same."""
    return sum(left_out for *_, left_out in {(h.fire.window_start, h.fire.window_end, h.fire.truncated) for h in heard})


def _beside(lines: Collection[Line], found: Iterable[BriefLine]) -> list[BriefLine]:
    """What was found of the same changes of the same documents: a line of a document is left out for its sections'."""
    places = {(line.source_uri, line.change_tx) for line in lines}
    return [line for line in found if (line.source_uri, line.change_tx) in places]


def _names(heard: Iterable[Heard], lines: Iterable[Line]) -> tuple[str, ...]:
    """The watches that these lines come from."""
    told = {(line.ref_id, line.change_tx) for line in lines}
    from_ = (h.watch.name for h in heard if any((e.ref_id, e.change_tx) in told for e in _events(h.fire)))
    return tuple(dict.fromkeys(from_))


def _watchable(tx: ReadTx, lines: Iterable[Line], now: Moment) -> tuple[Line, ...]:
    """The lines, of which only those whose thing still stands offer to watch it, or whose question can be read."""
    nodes = NODES.as_of(tx, {line.watch_target for line in lines if line.watch_target}, *now)
    standing = {node_id for node_id, node in nodes.items() if not node.tombstone}
    standing |= {line.ref_id for line in lines if isinstance(line, QuestionLine)}
    return tuple(
        replace(line, watch_target=line.watch_target if line.watch_target in standing else None) for line in lines
    )
