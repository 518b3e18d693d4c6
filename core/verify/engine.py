"""Reading what stands now: is a claim still said?"""

from collections.abc import Collection, Sequence
from uuid import UUID

import numpy as np

from core.embed.protocol import Embedder
from core.errors import VerifyUnavailable
from core.model.ports import Library, Read, Recall
from core.model.verdicts import Candidate, Gate, Support, Verdict
from core.store.database import ReadTx
from core.store.view import View
from core.text.terms import terms
from core.verify.config import VerifyConfig
from core.verify.judge import judge
from core.verify.score import lexical
from core.verify.strict import still_says

_WORTH_READING = 0.5
"""A sentence that holds less than half of a claim's content words cannot still say it; it is not embedded."""


class VerifyEngine:
    def __init__(
        self,
        embedder: Embedder | None,
        recall: Recall,
        library: Library,
        config: VerifyConfig,
    ) -> None:
        self._embedder = embedder
        self._recall = recall
        self._library = library
        self._config = config

    def judge(self, asked: View, claims: Sequence[tuple[str, Sequence[str]]]) -> Sequence[Verdict]:  # noqa: ARG002
        """The verdict on each claim by the words of its own passages. Raises VerifyUnavailable without a model."""
        if self._embedder is None:
            raise VerifyUnavailable
        texts = list(dict.fromkeys(text for claim, passages in claims for text in (claim, *passages)))
        vector = dict(zip(texts, self._embedder.embed(texts), strict=True)) if texts else {}
        return [
            judge(claim, [Candidate(text, float(vector[text] @ vector[claim])) for text in passages], self._config)
            for claim, passages in claims
        ]

    def still_says(self, text: str, sentences: Sequence[str]) -> Read | None:
        """Whether one of the sentences still says it; None where there is no model to read with."""
        if self._embedder is None:
            return None
        wanted = terms(text)
        near = [sentence for sentence in sentences if lexical(wanted, terms(sentence)) >= _WORTH_READING]
        if not near:
            return Read(says=False, numbers_differ=False)
        vectors = self._embedder.embed([text, *near])
        cosines = vectors[1:] @ vectors[0]
        verdict = still_says(text, [Candidate(s, float(c)) for s, c in zip(near, cosines, strict=True)])
        differ = verdict.signals is not None and Gate.CAPPED in {verdict.signals.numeric_gate, verdict.signals.negation}
        return Read(verdict.verdict is Support.SUPPORTED, differ)

    def candidates(self, tx: ReadTx, text: str, readable: Collection[UUID], now: int) -> Sequence[str]:
        """Sentences of the passages nearest to a claim, among those its owner may read."""
        if self._embedder is None:
            return ()
        vector = np.asarray(self._embedder.embed([text])[0])
        hits = self._recall.search(tx, text, vector, readable, now, tx.last_tx, self._config.candidates)
        return self._library.sentences_of(tx, [hit.node_id for hit in hits], now)
