"""Settings of watching (page: watch and jobs)."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

LONGEST_DEBOUNCE = 86_400
"""Seconds: whoever wants to hear less often has a brief of a day or a week."""


class WatchConfig(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    tick_secs: int = Field(default=5, ge=1, le=3600)
    settle_secs: int = Field(default=30, ge=0, le=3600)
    max_rows_per_tick: int = Field(default=5000, ge=1, le=1_000_000)
    debounce_floor_secs: int = Field(default=60, ge=0, le=LONGEST_DEBOUNCE)
    debounce_default_secs: int = Field(default=300, ge=0, le=LONGEST_DEBOUNCE)
    fire_keep_per_watch: int = Field(default=200, ge=1, le=100_000)
    max_events_per_fire: int = Field(default=50, ge=1, le=1000)
    max_watches_per_person: int = Field(default=200, ge=1, le=100_000)
    brief_weekday: Literal["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"] = "monday"
    brief_hour: int = Field(default=9, ge=0, le=23)
    lease_secs: int = Field(default=60, ge=5, le=3600)
    max_attempts: int = Field(default=8, ge=1, le=100)
