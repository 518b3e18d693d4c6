"""Settings of answers and saved answers (page: surfaces)."""

from pydantic import BaseModel, ConfigDict, Field


class AnswersConfig(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    recheck_max_age_days: int = Field(default=7, ge=1, le=365)
    min_cosine: float = Field(default=0.41, ge=0, lt=1)
    """Below it the nearest passage does not answer: fitted by `eval retrieval`, see docs/tuning.md."""
