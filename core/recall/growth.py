"""An array that grows at its end. Growing writes nothing that a view given out before can see."""

from typing import Any, Generic, TypeVar

import numpy as np
import numpy.typing as npt

Scalar = TypeVar("Scalar", bound=np.generic)


class Growing(Generic[Scalar]):
    """Appending costs time in proportion to what is appended: the buffer doubles when it is full."""

    def __init__(self, start: npt.NDArray[Scalar]) -> None:
        self._buffer = start
        self._count = len(start)

    @property
    def view(self) -> npt.NDArray[Scalar]:
        return self._buffer[: self._count]

    def extend(self, more: npt.NDArray[Any]) -> None:
        end = self._count + len(more)
        if end > len(self._buffer):
            bigger = np.empty((max(end, 2 * len(self._buffer)), *self._buffer.shape[1:]), dtype=self._buffer.dtype)
            bigger[: self._count] = self.view
            self._buffer = bigger
        self._buffer[self._count : end] = more
        self._count = end
