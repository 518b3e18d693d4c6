"""How much work something is, as a count, so that no clock decides."""

import sys
from collections.abc import Callable
from typing import Any


def calls(function: Callable[..., Any], *arguments: Any) -> int:
    """Python and C calls that a call makes."""
    count = 0

    def on_event(_frame: Any, event: str, _argument: Any) -> None:
        nonlocal count
        count += event in {"call", "c_call"}

    before = sys.getprofile()
    sys.setprofile(on_event)
    try:
        function(*arguments)
    finally:
        sys.setprofile(before)
    return count
