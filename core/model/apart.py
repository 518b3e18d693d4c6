"""Work on many of which none may stop another: what fails is raised together, when all have had their turn. Pure."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

from core.errors import StoreUnavailable

Turn = Callable[[], AbstractContextManager[None]]


@contextmanager
def apart(whose: str) -> Iterator[Turn]:
    """Turns, each of which may fail for itself. Raises ExceptionGroup of what failed.

    Without a store nobody's turn can succeed, so that StoreUnavailable ends them all at once.
    """
    failed: list[Exception] = []

    @contextmanager
    def turn() -> Iterator[None]:
        try:
            yield
        except StoreUnavailable:
            raise
        except Exception as error:  # noqa: BLE001  # whatever it is, the others have their turn
            failed.append(error)

    yield turn
    if failed:
        raise ExceptionGroup(whose, failed)
