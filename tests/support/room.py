"""A disk that is full, for this process alone."""

import resource
from contextlib import contextmanager


@contextmanager
def room_for(size):
    """Let no file of this process grow over a size."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
