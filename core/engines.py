"""The engines of a memory, each handed what it needs: the only composition in core. `core.memory` says what they do."""

from collections.abc import Mapping

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from core.access.engine import AccessEngine
from core.answers.engine import AnswersEngine
from core.briefs.engine import BriefsEngine
from core.clarifications.engine import ClarificationsEngine
from core.config import MemoryConfig
from core.context.engine import ContextEngine
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
from core.notices.engine import NoticesEngine
from core.outcomes.engine import OutcomesEngine
from core.people.engine import PeopleEngine
from core.planner.engine import PlannerEngine
from core.planner.tokens import TokenAccounting
from core.questions.engine import QuestionsEngine
from core.recall.engine import RecallEngine
from core.recall.index import HybridConfig
from core.records.engine import RecordsEngine
from core.retention.engine import RetentionEngine
from core.sources.engine import SourcesEngine
from core.store.database import Database
from core.verify.engine import VerifyEngine
from core.watch.engine import WatchEngine
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
        self.library = LibraryEngine()
        hybrid = HybridConfig(config.planner.lexical_weight, config.planner.bm25_half, config.planner.semantic_min_sim)
        self.recall = RecallEngine(embedder, hybrid)
        self.graph = GraphEngine(self.recall)
        defaults = Preferences(WEEKDAYS.index(config.watch.brief_weekday), config.watch.brief_hour * 60)
        self.people = PeopleEngine(database, defaults)
        self.sources = SourcesEngine(database)
        self.ingest = IngestEngine(database, self.graph, embedder)
        self.planner = PlannerEngine(self.recall, self.graph, self.library, accounting, config.planner)
        self.watch = WatchEngine(database, config.watch)
        self.verify = VerifyEngine(database, embedder, self.graph, self.recall, self.library, config.verify, metrics)
        self.questions = QuestionsEngine(database, self.library)
        self.clarify = ClarificationsEngine(database, self.graph, self.library)
        self.records = RecordsEngine(self.graph, self.library, self.clarify)
        self.generate = GenerateEngine(
            database,
            self.planner,
            self.library,
            embedder,
            self.verify,
            self.questions,
            llm,
            config.answers.min_cosine,
            config.planner.default_budget_tokens,
        )
        self.answers = AnswersEngine(
            database,
            self.graph,
            self.watch,
            self.library,
            self.verify,
            self.questions,
            self.generate,
            config.answers,
        )
        limits = {"lease_secs": config.watch.lease_secs, "max_attempts": config.watch.max_attempts}
        self.jobs = JobsEngine(database, **limits)
        self.inbound = InboundEngine(database, **limits)
        notices = NoticesEngine(self.library)
        self.briefs = BriefsEngine(database, notices, defaults)
        self.delivery = DeliveryEngine(
            database, notices, self.briefs, self.questions, defaults, lease_secs=config.watch.lease_secs
        )
        self.outcomes = OutcomesEngine(database, lease_secs=config.watch.lease_secs)
        self.messages = MessagesEngine(database)
        self.workspaces = WorkspacesEngine(database)
        self.api_keys = KeysEngine(database)
        self.webhooks = WebhooksEngine(database, max_attempts=config.watch.max_attempts)
        self.local = LocalEngine(database)
        self.retention = RetentionEngine(database)
        self.context = ContextEngine(
            database,
            self.planner,
            self.library,
            self.questions,
            config.context,
            config.planner.default_budget_tokens,
            metrics,
        )
        self.erasure = ErasureEngine(database, self.graph, self.answers)
        effects = EffectsEngine(self.graph, self.watch, self.answers, self.people, self.clarify)
        self.access = AccessEngine(database, keys, effects.by_kind())
