"""Loads the model and the concepts once, whichever thread asks first."""

from __future__ import annotations

from pathlib import Path
from threading import Lock

from orderly.services.local_engine.concepts import ConceptFinder
from orderly.services.local_engine.model import Model


class Loader:
    """Both properties block while they load."""

    def __init__(self, cache_dir: Path, threads: int) -> None:
        self._cache_dir = cache_dir
        self._threads = threads
        self._lock = Lock()
        self._model: Model | None = None
        self._finder: ConceptFinder | None = None

    @property
    def model(self) -> Model:
        with self._lock:
            if self._model is None:
                self._model = Model(self._cache_dir, threads=self._threads)
            return self._model

    @property
    def finder(self) -> ConceptFinder:
        model = self.model
        with self._lock:
            if self._finder is None:
                self._finder = ConceptFinder(model.embed_openings)
            return self._finder
