"""What whoever looks for jobs waits at."""

from typing import Protocol


class Bell(Protocol):
    """One thread waits; any may stop it."""

    def wait(self, secs: float) -> bool:
        """Whether it rang within so many seconds, or since it was last waited for; False at once when stopped."""

    def stop(self) -> None:
        """End the wait, and every later one."""

    def close(self) -> None:
        """Let go of what is held; nobody may be waiting."""
