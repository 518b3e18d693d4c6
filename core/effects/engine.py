"""What each button of a card does, once its token has been redeemed: one method an action, in the redeemer's own write.

Each authorises against today's rights and raises NotFound, InvalidRequest or LimitReached, as its engine does.
"""

from collections.abc import Callable, Mapping
from typing import Any
from uuid import UUID

from core.errors import NotFound
from core.model.clarifying import DONT_KNOW
from core.model.grants import ALL, CardAction, Grant
from core.model.ports import Answers, Graph, News, People, Voting, Watches
from core.model.preferences import MUTE, muted_until
from core.model.principals import Principal
from core.model.watching import Cadence, ScopeType, WatchRequest, watch_on_question, watch_on_section
from core.store import people, traces
from core.store.database import WriteTx

Effect = Callable[[WriteTx, Principal, CardAction, Grant], dict[str, Any]]


class EffectsEngine:
    def __init__(
        self, graph: Graph, watches: Watches, answers: Answers, people: People, voting: Voting, questions: News
    ) -> None:
        self._graph = graph
        self._watches = watches
        self._answers = answers
        self._people = people
        self._voting = voting
        self._questions = questions

    def by_kind(self) -> Mapping[str, Effect]:
        """The effect of each kind of action that a card may offer."""
        return {
            "watch_create": self._watch,
            "watch_mute": self._mute,
            "watch_pace": self._pace,
            "answer_save": self._save,
            "answer_refresh": self._refresh,
            "preference_set": self._prefer,
            "clarify_vote": self._vote,
        }

    def _watch(self, tx: WriteTx, principal: Principal, action: CardAction, _: Grant) -> dict[str, Any]:
        """Watch what the button names, by the kind of thing that its argument says it is."""
        if action.arg == ScopeType.CLARIFICATION:
            requests = [self._on_question(tx, principal, UUID(action.target))]
        else:
            requests = self._on_sections(tx, principal, action)
        made = [self._watches.create(tx, request, principal) for request in requests]
        return {"watching": [view.name for view in made], "fresh": any(view.fresh for view in made)}

    def _on_question(self, tx: WriteTx, principal: Principal, clarification_id: UUID) -> WatchRequest:
        words = self._questions.words(tx, principal, clarification_id)
        return watch_on_question(clarification_id, words, principal)

    def _on_sections(self, tx: WriteTx, principal: Principal, action: CardAction) -> list[WatchRequest]:
        """The sections that a traced answer cites and that still stand; or the one section that was chosen."""
        trace = traces.get(tx, UUID(action.target))
        if trace is not None and trace.person_id != principal.person_id:
            raise NotFound
        chosen = trace.body["sections"] if trace else [(action.target, self._title(tx, UUID(action.target)))]
        standing = self._graph.current(tx, [UUID(node_id) for node_id, _ in chosen], tx.now)
        requests = [
            watch_on_section(node_id, title, principal) for node_id, title in chosen if UUID(node_id) in standing
        ]
        if not requests:
            raise NotFound
        return requests

    def _title(self, tx: WriteTx, node_id: UUID) -> str:
        node = self._graph.current(tx, [node_id], tx.now).get(node_id)
        if node is None:
            raise NotFound
        return str(node.props.get("title", ""))

    def _mute(self, tx: WriteTx, principal: Principal, action: CardAction, _: Grant) -> dict[str, Any]:
        if action.target == ALL:
            return {"stopped": self._watches.stop_all(tx, principal)}
        person = people.get(tx, principal.person_id)
        until = None if action.arg == "stop" or person is None else muted_until(tx.now, person.zone, str(action.arg))
        view = self._watches.mute(tx, UUID(action.target), principal, until)
        return {"name": view.name, "until": until}

    def _pace(self, tx: WriteTx, principal: Principal, action: CardAction, _: Grant) -> dict[str, Any]:
        view = self._watches.pace(tx, UUID(action.target), principal, Cadence(str(action.arg)))
        return {"name": view.name, "cadence": view.cadence.value}

    def _prefer(self, tx: WriteTx, principal: Principal, action: CardAction, _: Grant) -> dict[str, Any]:
        name, value = action.target, str(action.arg)
        if name == MUTE:
            self._people.mute_for(tx, principal.person_id, value)
        else:
            self._people.prefer(tx, principal.person_id, name, value)
        return {"name": name, "value": value}

    def _save(self, tx: WriteTx, principal: Principal, action: CardAction, _: Grant) -> dict[str, Any]:
        answer_id, fresh = self._answers.save(tx, UUID(action.target), principal)
        return {"answer_id": str(answer_id), "fresh": fresh}

    def _refresh(self, tx: WriteTx, principal: Principal, action: CardAction, grant: Grant) -> dict[str, Any]:
        answer_id = self._answers.ask_refresh(tx, UUID(action.target), principal, grant.delivery_key)
        return {"answer_id": str(answer_id), "newer": answer_id != UUID(action.target)}

    def _vote(self, tx: WriteTx, principal: Principal, action: CardAction, _: Grant) -> dict[str, Any]:
        choice = None if action.arg == DONT_KNOW else int(str(action.arg))
        voted = self._voting.cast(tx, UUID(action.target), choice, principal)
        return {"state": voted.state.value, "counted": voted.counted}
