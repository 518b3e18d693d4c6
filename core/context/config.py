"""What a caller may ask for at most (page: surfaces)."""

from pydantic import BaseModel, ConfigDict, Field


class ContextConfig(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    max_tokens_ceiling: int = Field(default=8000, ge=1, le=1_000_000)
    max_spans_ceiling: int = Field(default=200, ge=1, le=10_000)
