"""Selects engine weights that were not trained on the measured document."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from orderly.errors import Invalid
from orderly.services.engines import Classified, ClausePresence, Extraction, LegalEngine
from orderly.services.engines.local import FOLDS, LocalEngine, fold_of


class HeldOut:
    """`folder`: fold-0 .. fold-4 written by evals/train.py; None: the packaged weights."""

    def __init__(self, folder: Path | None) -> None:
        self.description = "shipped" if folder is None else f"held out by document, {FOLDS} folds"
        self._folder = folder
        if folder is not None and not all((folder / f"fold-{k}").is_dir() for k in range(FOLDS)):
            raise Invalid(f"{folder.name} does not hold the weights of {FOLDS} folds. Run evals/train.py first.")
        self._engines = cache(self._engine_of_fold)

    def engine(self, engine: LegalEngine, document: str) -> LegalEngine:
        if self._folder is None or not isinstance(engine, LocalEngine):
            return engine
        return self._engines(engine, fold_of(document))

    def folder_of(self, document: str) -> Path | None:
        """The folder with the weights that were fitted without this document; None: the packaged weights."""
        return None if self._folder is None else self._folder / f"fold-{fold_of(document)}"

    def _engine_of_fold(self, engine: LocalEngine, fold: int) -> LocalEngine:
        assert self._folder is not None
        return engine.with_weights(self._folder / f"fold-{fold}")


class RoutedEngine(LocalEngine):
    """The offline engine for whole runs: reads each document with weights that were not trained on it.

    Args:
        held_out: Weights by fold.
        documents: Names of documents by text. Other texts are read with the packaged weights.
    """

    def __init__(self, held_out: HeldOut, documents: Mapping[str, str]) -> None:
        super().__init__()
        self._held_out, self._documents = held_out, documents

    def _for(self, text: str) -> LocalEngine:
        found = self._held_out.engine(self, self._documents[text]) if text in self._documents else self
        assert isinstance(found, LocalEngine)
        return found

    async def extract(self, question: str, context: str, *, top_k: int = 3, quick: bool = False) -> Extraction:
        return await LocalEngine.extract(self._for(context), question, context, top_k=top_k, quick=quick)

    async def presence(self, subject: str, text: str) -> ClausePresence | None:
        return await LocalEngine.presence(self._for(text), subject, text)

    async def classify(
        self, text: str, labels: Sequence[str], *, sections: Sequence[tuple[int, int, str]] = ()
    ) -> list[Classified]:
        return await LocalEngine.classify(self._for(text), text, labels, sections=sections)
