"""Selects engine weights that were not trained on the measured document."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from orderly.errors import Invalid
from orderly.services.engines import LegalEngine
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

    def _engine_of_fold(self, engine: LocalEngine, fold: int) -> LocalEngine:
        assert self._folder is not None
        return engine.with_weights(self._folder / f"fold-{fold}")
