"""What is shown of API keys."""

from dataclasses import dataclass, field
from uuid import UUID


@dataclass(frozen=True, slots=True)
class NewKey:
    """`secret` is what a caller sends, and is nowhere else: it cannot be shown again."""

    key_id: UUID
    secret: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class KeyView:
    """`person_id`: whom it stands for. `expires_at`, `revoked_at`: Ts; 0: never, and not."""

    key_id: UUID
    name: str
    roles: tuple[str, ...]
    created_at: int
    revoked_at: int
    person_id: UUID | None = None
    expires_at: int = 0
