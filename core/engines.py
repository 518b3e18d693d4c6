"""The engines of a memory, each handed what it needs: the only composition in core. `core.memory` says what they do."""

from collections.abc import Mapping

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from core.access.engine import AccessEngine
from core.addresses.engine import AddressesEngine
from core.answers.engine import AnswersEngine
from core.briefs.engine import BriefsEngine
from core.clarifications.engine import ClarificationsEngine
from core.config import MemoryConfig
from core.context.engine import ContextEngine
from core.conversation.engine import ConversationEngine
from core.delivery.engine import DeliveryEngine
from core.effects.engine import EffectsEngine
from core.embed.protocol import Embedder
from core.erasure.engine import ErasureEngine
from core.generate.engine import GenerateEngine
from core.generate.providers import LanguageModel
from core.graph.engine import GraphEngine
from core.inbound.engine import InboundEngine
from core.ingest.engine import IngestEngine
from core.jobs.engine import JobsEngine
from core.keys.engine import KeysEngine
from core.library.engine import LibraryEngine
from core.local.engine import LocalEngine
from core.messages.engine import MessagesEngine
from core.metrics import Metrics
from core.model.preferences import WEEKDAYS, Preferences
from core.naming.engine import NamingEngine
from core.notices.engine import NoticesEngine
from core.outcomes.engine import OutcomesEngine
from core.people.engine import PeopleEngine
from core.planner.engine import PlannerEngine
from core.planner.tokens import TokenAccounting
from core.questions.engine import QuestionsEngine
from core.recall.engine import RecallEngine
from core.recall.index import HybridConfig
from core.records.engine import RecordsEngine
from core.requests.engine import RequestsEngine
from core.rests.engine import RestsEngine
from core.results.engine import ResultsEngine
from core.retention.engine import RetentionEngine
from core.sources.engine import SourcesEngine
from core.store.database import Database
from core.sweep.engine import SweepEngine
from core.traces.engine import TracesEngine
from core.verify.engine import VerifyEngine
from core.watch.engine import WatchEngine
from core.watched.engine import WatchedEngine
from core.webhooks.engine import WebhooksEngine
from core.workspaces.engine import WorkspacesEngine


class Engines:
    """Engines know each other through `core.model.ports` alone; so what may call what is read here."""

    def __init__(
        self,
        database: Database,
        config: MemoryConfig,
        metrics: Metrics,
        embedder: Embedder | None,
        keys: Mapping[str, Ed25519PublicKey],
        llm: LanguageModel | None,
        accounting: TokenAccounting | None,
    ) -> None:
        self._database, self._config, self._metrics = database, config, metrics
        self._remember(embedder, accounting)
        self._answer(embedder, llm)
        self._tell()
        self._administer(keys)

    def _remember(self, embedder: Embedder | None, accounting: TokenAccounting | None) -> None:
        """Documents and records, and finding them."""
        database, planner = self._database, self._config.planner
        self.library = LibraryEngine()
        hybrid = HybridConfig(planner.lexical_weight, planner.bm25_half, planner.semantic_min_sim)
        self.recall = RecallEngine(embedder, hybrid)
        self.graph = GraphEngine(self.recall)
        self.sources = SourcesEngine(database)
        self.naming = NamingEngine(database, self.library)
        self.ingest = IngestEngine(database, self.graph, embedder)
        self.planner = PlannerEngine(self.recall, self.graph, self.library, accounting, planner)
        self.questions = QuestionsEngine(database, self.library)
        self.clarify = ClarificationsEngine(database, self.graph, self.library)
        self.records = RecordsEngine(self.graph, self.library, self.clarify)

    def _answer(self, embedder: Embedder | None, llm: LanguageModel | None) -> None:
        """Evidence, verdicts, answers and what is saved of them."""
        database, config, tokens = self._database, self._config, self._config.planner.default_budget_tokens
        self.conversation = ConversationEngine(database)
        results = ResultsEngine(database, self.graph)
        self.watch, self.sweep = WatchEngine(config.watch, results), SweepEngine(database, config.watch, results)
        self.watched = WatchedEngine(database)
        self.context = ContextEngine(
            database, self.planner, self.library, self.questions, config.context, tokens, self._metrics
        )
        self.verify = VerifyEngine(
            database, embedder, self.graph, self.recall, self.library, config.verify, self._metrics
        )
        self.generate = GenerateEngine(
            database,
            self.planner,
            self.library,
            embedder,
            self.verify,
            self.questions,
            self.conversation,
            llm,
            config.answers.min_cosine,
            tokens,
            config.context,
        )
        self.answers = AnswersEngine(
            database,
            self.graph,
            self.watch,
            self.sweep,
            self.library,
            self.verify,
            self.questions,
            self.generate,
            config.answers,
        )

    def _tell(self) -> None:
        """Jobs, events, cards and briefs."""
        database, watch = self._database, self._config.watch
        defaults = Preferences(WEEKDAYS.index(watch.brief_weekday), watch.brief_hour * 60)
        notices = NoticesEngine(self.library, self.questions)
        self.people = PeopleEngine(database, defaults)
        self.jobs = JobsEngine(database, lease_secs=watch.lease_secs, max_attempts=watch.max_attempts)
        self.inbound = InboundEngine(database, lease_secs=watch.lease_secs, max_attempts=watch.max_attempts)
        self.briefs = BriefsEngine(database, notices, defaults)
        self.delivery = DeliveryEngine(
            database,
            notices,
            self.briefs,
            self.questions,
            RestsEngine(database),
            defaults,
            lease_secs=watch.lease_secs,
        )
        self.outcomes = OutcomesEngine(database, lease_secs=watch.lease_secs)
        self.messages = MessagesEngine(database)
        self.local = LocalEngine(database)
        self.webhooks = WebhooksEngine(database, max_attempts=watch.max_attempts)

    def _administer(self, keys: Mapping[str, Ed25519PublicKey]) -> None:
        """Who is let in, what buttons may do, and what goes."""
        database = self._database
        self.workspaces = WorkspacesEngine(database)
        self.addresses = AddressesEngine(database)
        self.api_keys = KeysEngine(database)
        self.requests, self.traces = RequestsEngine(database), TracesEngine()
        self.retention = RetentionEngine(database)
        self.erasure = ErasureEngine(database, self.graph, self.answers)
        effects = EffectsEngine(self.graph, self.watch, self.answers, self.people, self.clarify, self.questions)
        self.access = AccessEngine(database, keys, effects.by_kind())
