"""Every setting of the memory engine, each kept beside the engine that obeys it."""

from typing import Literal

from pydantic import BaseModel, ConfigDict

from core.answers.config import AnswersConfig
from core.context.config import ContextConfig
from core.planner.request import PlannerConfig
from core.verify.config import VerifyConfig
from core.watch.config import WatchConfig


class StoreConfig(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    synchronous: Literal["NORMAL", "FULL"] = "NORMAL"
    """SQLite only. NORMAL may lose the last commits on a power cut, never the file; FULL loses none and is slower."""


class MemoryConfig(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    store: StoreConfig = StoreConfig()
    planner: PlannerConfig = PlannerConfig()
    context: ContextConfig = ContextConfig()
    verify: VerifyConfig = VerifyConfig()
    answers: AnswersConfig = AnswersConfig()
    watch: WatchConfig = WatchConfig()


__all__ = [
    "AnswersConfig",
    "ContextConfig",
    "MemoryConfig",
    "PlannerConfig",
    "StoreConfig",
    "VerifyConfig",
    "WatchConfig",
]
