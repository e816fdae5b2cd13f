"""Tokenises and embeds texts with all-MiniLM-L6-v2, or weights tuned from it. All calls block: run them in a thread."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from tokenizers import Encoding, Tokenizer

from orderly.errors import EngineRefused
from orderly.services.engines.local import model_files
from orderly.services.engines.local.graph_session import SharedThreads, open_session
from orderly.services.engines.local.model_files import ModelFile
from orderly.services.engines.local.windows import cover

WINDOW = 256
"""Tokens of the model's training window, including the two special tokens."""
SPECIAL_TOKENS = 2
Vectors = NDArray[np.float32]


class Model:
    """Embeds `threads` texts at once, with the published weights or those of `graph`. The constructor takes about 0.2 s.

    Raises Misconfigured if a file of the model is missing or its checksum differs.
    """

    def __init__(self, graph: ModelFile | None = None, *, threads: int) -> None:
        self._tokenizer = Tokenizer.from_file(str(model_files.TOKENIZER.check()))
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        self._session = open_session(graph or model_files.GRAPH)
        self._threads = SharedThreads(threads, "embedding")

    def windows(self, text: str) -> list[tuple[int, int]]:
        """Spans that cover every token of `text`; each fits the window."""
        return cover(self._words(text), WINDOW - SPECIAL_TOKENS)

    def _words(self, text: str) -> list[tuple[int, int, int]]:
        """(start, end, number of word pieces) of each word, in order."""
        encoding = self._tokenizer.encode(text, add_special_tokens=False)
        words: list[tuple[int, int, int]] = []
        previous = None
        for word, (start, end) in zip(encoding.word_ids, encoding.offsets, strict=True):
            if word == previous:
                words[-1] = (words[-1][0], end, words[-1][2] + 1)
            else:
                words.append((start, end, 1))
            previous = word
        return words

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Array (texts, 384), L2-normalised. Raises EngineRefused for a text longer than the window."""
        encodings = self._tokenizer.encode_batch(list(texts))
        if any(len(encoding.ids) > WINDOW for encoding in encodings):
            raise EngineRefused(f"A passage is longer than the offline engine's window of {WINDOW} tokens.")
        if not encodings:
            return np.empty((0, model_files.WIDTH), np.float32)
        return np.concatenate(self._threads.map(self._run, encodings))

    def embed_first_windows(self, texts: Sequence[str]) -> Vectors:
        """Like `embed`, but embeds only the first window of a long text. Use it for comparisons, never for stored vectors."""
        return self.embed([self._first_window(text) for text in texts])

    def _first_window(self, text: str) -> str:
        # A word piece has at least one character, so this text always fits.
        if len(text) <= WINDOW - SPECIAL_TOKENS:
            return text
        spans = self.windows(text)
        return text[: spans[0][1]] if spans else text

    def _run(self, encoding: Encoding) -> Vectors:
        # One text per run: the graph scales its activations by the largest of a run, so a vector would depend on its batch.
        ids = np.array([encoding.ids], np.int64)
        (vectors,) = self._session.run(["vectors"], {"ids": ids, "mask": np.ones_like(ids)})
        return np.asarray(vectors, np.float32)
