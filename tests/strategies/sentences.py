"""Sentences of evidence and questions about them, from few enough words that they meet."""

from uuid import UUID

from hypothesis import strategies as st

from core.generate.extractive import Sentence
from core.model.spans import SpanRef

_WORDS = ["team", "form", "sends", "office", "the", "is", "5", "days", "daily", "#help", "a@b.org", "Ask:", "why?", ""]
_ASKED = ["When", "how many", "which channel", "office", "form", "team", "I", "send", "?"]
TEXTS = st.lists(st.sampled_from(_WORDS), max_size=6).map(" ".join) | st.text(max_size=12)
QUESTIONS = st.lists(st.sampled_from(_ASKED), max_size=6).map(" ".join) | st.text(max_size=12)
_SPANS = st.builds(
    lambda source, start: SpanRef(UUID(int=source), 1, start, start + 1), st.integers(0, 2), st.integers(0, 9)
)
_COSINES = st.sampled_from([-0.5, 0.0, 0.25, 0.5, 1.0]) | st.floats(-1, 1)


def sentences(weights):
    """Lists of sentences that stand each in a place of its own, some of equal worth."""
    one = st.builds(Sentence, _SPANS, TEXTS, TEXTS, _COSINES, weights)
    return st.lists(one, max_size=9, unique_by=lambda sentence: sentence.span)
