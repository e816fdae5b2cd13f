"""The reader: a small cross-encoder that reads a question, or a statement, together with a passage.

It gives three things: how well the passage answers the question (relevance), the words of the passage that do (span), and
whether a statement follows from the passage (support). `evals/reader` makes its 8-bit graph. Calls block: run them in a thread.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from threading import RLock

import numpy as np
import onnxruntime as ort
from numpy.typing import NDArray
from tokenizers import Encoding, Tokenizer

from orderly.services.engines.local import model_files
from orderly.services.engines.local.graph_session import SharedThreads, open_session

LONGEST = 288
"""Tokens of a pair, as in training."""
LONGEST_QUESTION = 48
CLS, SEP, STATEMENT = 101, 102, 2
"""Token ids; STATEMENT ([unused1]) marks a pair whose first text is a statement."""
LONGEST_SPAN = 90
"""Tokens."""
ENDS_TRIED = 12
"""Best starts and ends of a span that are combined."""
CACHED = 20_000
"""Cached readings (3 MB). Follow-ups and columns ask the same pairs again."""

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Reading:
    relevance: float
    """Log-odds that the passage answers the question."""
    start: int
    end: int
    """The span that answers, in characters of the passage."""
    certainty: float
    """Sum of the logits of the span's start and end."""


class Reader:
    """Reads `threads` pairs at once. Loads on first use, in about 0.2 s.

    Raises Misconfigured if a file of the model is missing or its checksum differs.
    """

    def __init__(self, *, threads: int) -> None:
        self._lock = RLock()
        self._count = threads
        self._threads = SharedThreads(threads, "reader")
        self._session: ort.InferenceSession | None = None
        self._tokenizer: Tokenizer | None = None
        self._readings: OrderedDict[tuple[str, str], Reading] = OrderedDict()

    def read(self, question: str, passages: Sequence[str]) -> list[Reading]:
        """One reading per passage. Of a passage longer than the window, its beginning is read."""
        with self._lock:
            known = {text: self._readings[question, text] for text in passages if (question, text) in self._readings}
        new = [text for text in dict.fromkeys(passages) if text not in known]
        if new:
            tokenizer = self._loaded()[1]
            asked = tokenizer.encode(question, add_special_tokens=False).ids[:LONGEST_QUESTION]
            encodings = tokenizer.encode_batch(new, add_special_tokens=False)
            known.update(zip(new, self._threads.map(lambda passage: self._read(asked, passage), encodings), strict=True))
        with self._lock:
            for text in new:
                self._readings[question, text] = known[text]
            while len(self._readings) > CACHED:
                self._readings.popitem(last=False)
        return [known[text] for text in passages]

    def support(self, statement: str, passages: Sequence[str]) -> list[float]:
        """Log-odds that the statement follows from each passage."""
        tokenizer = self._loaded()[1]
        stated = [STATEMENT, *tokenizer.encode(statement, add_special_tokens=False).ids[:LONGEST_QUESTION]]
        encodings = tokenizer.encode_batch(list(passages), add_special_tokens=False)
        return self._threads.map(lambda passage: float(self._run(stated, passage)[1][0, 0]), encodings)

    def _loaded(self) -> tuple[ort.InferenceSession, Tokenizer]:
        with self._lock:
            if self._session is None or self._tokenizer is None:
                self._tokenizer = Tokenizer.from_file(str(model_files.TOKENIZER.check()))
                self._tokenizer.no_truncation()
                self._tokenizer.no_padding()
                self._session = open_session(model_files.READER)
            return self._session, self._tokenizer

    def _run(self, first: Sequence[int], passage: Encoding) -> tuple[Floats, Floats, Floats]:
        """Relevance, support and spans. One pair a run: the graph scales its activations by the largest of a run."""
        room = max(LONGEST - len(first) - 3, 1)
        head = [CLS, *first, SEP]
        ids = np.array([[*head, *passage.ids[:room], SEP]], np.int64)
        kinds = np.zeros_like(ids)
        kinds[:, len(head) :] = 1
        relevance, support, spans = self._loaded()[0].run(
            ["relevance", "support", "spans"], {"ids": ids, "mask": np.ones_like(ids), "kinds": kinds}
        )
        return relevance, support, spans

    def _read(self, asked: Sequence[int], passage: Encoding) -> Reading:
        relevance, _, logits = self._run(asked, passage)
        inside = logits[0, len(asked) + 2 : -1]
        if not len(inside):
            return Reading(float(relevance[0, 0]), 0, 0, 0.0)
        starts, ends = np.argsort(-inside[:, 0])[:ENDS_TRIED], np.argsort(-inside[:, 1])[:ENDS_TRIED]
        pairs = [
            (float(inside[s, 0] + inside[e, 1]), int(s), int(e)) for s in starts for e in ends if s <= e < s + LONGEST_SPAN
        ]
        certainty, first, last = max(pairs, default=(0.0, 0, len(inside) - 1))
        return Reading(float(relevance[0, 0]), passage.offsets[first][0], passage.offsets[last][1], certainty)
