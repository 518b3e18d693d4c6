"""One thing that was looked at."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Finding:
    """`ok` is None for what could not be checked. `fix` says what to do; it is blank where there is nothing to do.

    What is ok and has a fix is advice: nothing fails, and it would be better otherwise.
    """

    name: str
    ok: bool | None
    words: str
    fix: str = ""

    @property
    def state(self) -> str:
        """ok, advice, wrong or unchecked."""
        if self.ok is None:
            return "unchecked"
        if self.ok:
            return "advice" if self.fix else "ok"
        return "wrong"
