"""What a caller may ask for at most (page: surfaces)."""

from pydantic import BaseModel, ConfigDict, Field


class ContextConfig(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    max_tokens_ceiling: int = Field(default=8000, ge=1, le=1_000_000)
    max_spans_ceiling: int = Field(default=200, ge=1, le=10_000)

    def tokens(self, asked: int) -> int:
        """What is granted of a budget; `spans` likewise. Context and generate plan within the same."""
        return min(asked, self.max_tokens_ceiling)

    def spans(self, asked: int | None) -> int:
        return min(asked or self.max_spans_ceiling, self.max_spans_ceiling)
