"""Every setting of the memory engine, with its default and the reason for it."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from core.planner.request import PlannerConfig
from core.verify.config import VerifyConfig


class WatchConfig(BaseModel):
    """Page: watch and jobs."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    tick_secs: int = Field(default=5, ge=1, le=3600)
    settle_secs: int = Field(default=30, ge=0, le=3600)
    max_rows_per_tick: int = Field(default=5000, ge=1, le=1_000_000)
    debounce_floor_secs: int = Field(default=60, ge=0, le=86_400)
    debounce_default_secs: int = Field(default=300, ge=0, le=86_400)
    fire_keep_per_watch: int = Field(default=200, ge=1, le=100_000)
    max_events_per_fire: int = Field(default=50, ge=1, le=1000)
    max_watches_per_person: int = Field(default=200, ge=1, le=100_000)
    lease_secs: int = Field(default=60, ge=5, le=3600)
    max_attempts: int = Field(default=8, ge=1, le=100)


class AnswersConfig(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    recheck_max_age_days: int = Field(default=7, ge=1, le=365)
    min_cosine: float = Field(default=0.42, ge=0, lt=1)
    """Below it the nearest passage does not answer: fitted by `eval retrieval`, see docs/tuning.md."""


class StoreConfig(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    synchronous: Literal["NORMAL", "FULL"] = "NORMAL"
    """SQLite only. NORMAL may lose the last commits on a power cut, never the file; FULL loses none and is slower."""


class MemoryConfig(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    store: StoreConfig = StoreConfig()
    planner: PlannerConfig = PlannerConfig()
    verify: VerifyConfig = VerifyConfig()
    answers: AnswersConfig = AnswersConfig()
    watch: WatchConfig = WatchConfig()
