"""What a card is to say, as one recipient may see it now; how it looks is the bot's matter."""

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from core.clock import SECOND
from core.model.clarifying import ClarificationState
from core.model.evidence import BriefLine, ChangeLine, Order, Passage
from core.model.watching import Cadence
from core.model.work import Place


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a person hears of a change: the watch that matched. `own`: it is theirs, and not one that somebody set."""

    watch_id: UUID
    name: str
    own: bool = True


@dataclass(frozen=True, slots=True)
class Stood:
    """How a question stands, as one person may see it.

    `said`: JSON values: while it is pending what there is to choose, and once it is bound what it is bound to; nothing
    of what they may not read.
    """

    state: ClarificationState
    said: tuple[Any, ...] = ()


@dataclass(frozen=True, slots=True)
class QuestionLine:
    """What has come of a question, as one person may see it. `before` None: it was not asked yet.

    `about`: the title of what a person asked about. `source_name` and `source_uri`: where that stands, if it is in a
    document. `source_ids`: whose words these are. `watch_target`: the question, where its reader does not watch it yet.
    """

    ref_id: UUID
    question: str
    about: str
    source_name: str
    source_uri: str
    before: Stood | None
    after: Stood
    change_tx: int
    source_ids: frozenset[UUID]
    watch_target: UUID | None = None

    @property
    def order(self) -> Order:
        """Among what moved at once: above what changed in its document, and several by their words."""
        return self.source_name, self.source_uri, -1, self.question, self.ref_id

    @property
    def material(self) -> bool:
        """Whether people have decided, or could not."""
        return self.after.state is not ClarificationState.PENDING


@dataclass(frozen=True, slots=True)
class ChangeNotice:
    """Changes of watched things, and what has come of questions; `more` counts those beyond what a fire keeps."""

    lines: tuple[ChangeLine, ...]
    more: int
    reasons: tuple[Reason, ...]
    happened_at: int
    questions: tuple[QuestionLine, ...] = ()


@dataclass(frozen=True, slots=True)
class ClaimDiff:
    before: str
    after: str
    state: str
    caveat: str | None


@dataclass(frozen=True, slots=True)
class AnswerMoved:
    """A saved answer that got worse, with the claims that moved."""

    answer_id: UUID
    watch_id: UUID
    question: str
    status: str
    severity: str | None
    claims: tuple[ClaimDiff, ...]
    saved_at: int


@dataclass(frozen=True, slots=True)
class AnswersNotice:
    answers: tuple[AnswerMoved, ...]
    happened_at: int


@dataclass(frozen=True, slots=True)
class BriefNotice:
    """The changes of a period, in the order to show; `more` counts those beyond. `answers` moved, and need a look."""

    lines: tuple[BriefLine | QuestionLine, ...]
    more: int
    answers: tuple[AnswerMoved, ...]
    watches: tuple[str, ...]
    period: Cadence = Cadence.WEEKLY


@dataclass(frozen=True, slots=True)
class Asked:
    """An option of a question: its number, what it says as a JSON value, and the words it rests on."""

    number: int
    value: Any
    passages: tuple[Passage, ...]


@dataclass(frozen=True, slots=True)
class QuestionNotice:
    """A question to one person, and what has come of it.

    `about`: the title of what it is about, where a person asked. `voted_for`: None also where they said that they do
    not know, and where it is `withheld`, since they may not read it any more. `settled`: what it is bound to, where
    they may read that.
    """

    clarification_id: UUID
    question: str
    about: str
    options: tuple[Asked, ...]
    state: ClarificationState
    may_vote: bool
    voted: bool
    voted_for: Asked | None
    withheld: bool
    settled: Asked | None
    happened_at: int


@dataclass(frozen=True, slots=True)
class Resting:
    """A watch that rests, and why (`core.model.watching.Suspension`); None: it did, and goes on by now."""

    watch_id: UUID
    name: str
    reason: str | None


@dataclass(frozen=True, slots=True)
class RestNotice:
    """Watches of one person that began to rest together."""

    watches: tuple[Resting, ...]


MARGIN = 2 * SECOND
"""How far the clock of whoever looks for a card in doubt may be ahead of the clock of whoever sends it."""

Notice = ChangeNotice | AnswersNotice | BriefNotice | QuestionNotice | RestNotice


@dataclass(frozen=True, slots=True)
class Outgoing:
    """A card in hand, to be sent once. `fence` says which attempt this is: a later one makes it void.

    `revision` says which of a card's sayings this is, when it stands already. `created_at` and `lease_until` are Ts.
    """

    tenant_id: str
    message_id: UUID
    person_id: UUID
    kind: str
    place: Place
    message_ref: str | None
    nonce: str
    card: dict[str, Any]
    fence: int
    revision: int
    lease_until: int
    created_at: int

    @property
    def delivery_key(self) -> str:
        """What a platform keeps beside the card, by which it can be found again."""
        return str(self.message_id)

    def is_held(self, now: int) -> bool:
        """Whether nobody else can have taken it over: to be asked right before it is sent, whatever came between."""
        return now + MARGIN < self.lease_until
