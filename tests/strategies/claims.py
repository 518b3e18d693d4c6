"""Claims and passages built from a small vocabulary, so that they meet often enough to be compared."""

from hypothesis import strategies as st

from core.model.verdicts import Candidate

_NOUNS = ["team", "form", "sign", "send", "review", "budget", "office", "is", "the"]
_DECIDING = ["not", "never", "5", "7", "ten", "until", "draft", "january", "2020", "30%"]
SENTENCES = st.lists(st.sampled_from(_NOUNS + _DECIDING), max_size=9).map(" ".join)
TEXTS = SENTENCES | st.text(max_size=40)
COSINES = st.floats(-1, 1) | st.just(float("nan"))
CANDIDATES = st.lists(st.builds(Candidate, TEXTS, COSINES), max_size=6)
