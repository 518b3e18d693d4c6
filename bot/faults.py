"""What may be written down of an error: its kind and where it came from, never its words, which may be somebody's."""

import traceback

from core.errors import CoreError


def described(error: BaseException) -> str:
    """As in `UnicodeEncodeError at worker.py:212`; of a group, each of its errors."""
    if isinstance(error, BaseExceptionGroup):
        return ", ".join(dict.fromkeys(map(described, error.exceptions)))
    name = error.code if isinstance(error, CoreError) else type(error).__name__
    frames = traceback.extract_tb(error.__traceback__)
    place = f" at {frames[-1].filename.rpartition('/')[2]}:{frames[-1].lineno}" if frames else ""
    return f"{name}{place}"
