"""Loads the embedding model, the reader and the concepts once per process, thread-safe, and caches vectors."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from threading import RLock
from typing import TYPE_CHECKING

from orderly.services.engines.local import model_files

if TYPE_CHECKING:
    from orderly.services.engines.local.concept_finder import ConceptFinder
    from orderly.services.engines.local.embedding_model import Model, Vectors
    from orderly.services.engines.local.reader import Reader

CACHED_VECTORS = 8_000
"""Cached vectors of a model (12 MB). Questions about one document embed the same sentences again."""


class CachedModel:
    """One embedding model, loaded on first use."""

    def __init__(self, graph: model_files.ModelFile, threads: int) -> None:
        self._graph = graph
        self._threads = threads
        self._lock = RLock()
        self._model: Model | None = None
        self._cache: OrderedDict[str, Vectors] = OrderedDict()

    @property
    def model(self) -> Model:
        """Blocks while loading."""
        from orderly.services.engines.local.embedding_model import Model  # noqa: PLC0415  # see engine.py

        with self._lock:
            if self._model is None:
                self._model = Model(self._graph, threads=self._threads)
            return self._model

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Like `Model.embed_first_windows`, with an LRU cache."""
        model = self.model
        with self._lock:
            known = {text: self._cache[text] for text in texts if text in self._cache}
        new = [text for text in dict.fromkeys(texts) if text not in known]
        known.update(zip(new, model.embed_first_windows(new), strict=True) if new else ())
        with self._lock:
            for text in texts:
                self._cache[text] = known[text]
                self._cache.move_to_end(text)
            while len(self._cache) > CACHED_VECTORS:
                self._cache.popitem(last=False)
        import numpy as np  # noqa: PLC0415

        return np.stack([known[text] for text in texts])


class ModelLoader:
    """`meaning` embeds stored passages, queries and concepts; `reader` reads questions together with what may answer them."""

    def __init__(self, threads: int) -> None:
        self._lock = RLock()
        self.meaning = CachedModel(model_files.GRAPH, threads)
        self._threads = threads
        self._reader: Reader | None = None
        self._finder: ConceptFinder | None = None

    @property
    def reader(self) -> Reader:
        """Blocks on its first use, which loads the model."""
        from orderly.services.engines.local.reader import Reader  # noqa: PLC0415  # see engine.py

        with self._lock:
            if self._reader is None:
                self._reader = Reader(threads=self._threads)
            return self._reader

    @property
    def finder(self) -> ConceptFinder:
        """Blocks while loading."""
        from orderly.services.engines.local.concept_finder import ConceptFinder  # noqa: PLC0415

        with self._lock:
            if self._finder is None:
                self._finder = ConceptFinder(self.meaning.embed)
            return self._finder
