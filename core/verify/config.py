"""Settings of the matcher."""

from typing import Annotated, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

Share = Annotated[float, Field(ge=0, le=1)]


class VerifyConfig(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    # As `clarify-bot eval calibrate` chose them (docs/matcher.md).
    beta: Share = 0.3
    supported: Share = 0.62
    partial: Share = 0.39
    numeric_cap: Share = 0.2
    candidates: Annotated[int, Field(ge=1)] = 20
    negation_guard: bool = True
    embed_model: str | None = None
    """The embedding model that claims must be compared under; None: whichever the documents are embedded with."""

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if not self.numeric_cap < self.partial <= self.supported:
            raise ValueError("numeric_cap must be below partial, and partial at most supported")
        return self
