"""Predictions for a data folder with gold answers: what is measured is the product's own path, never a copy of it."""

from __future__ import annotations

import importlib
from collections.abc import Awaitable, Callable, Iterable, Mapping
from pathlib import Path

from orderly.settings import Settings

Row = Mapping[str, object]
Predictor = Callable[[Path, Settings], Awaitable[Iterable[Row]]]
"""The data folder and the settings -> the rows of one prediction file."""

PREDICTORS: Mapping[str, str] = {
    "files": "files:predict",
    "pages": "pages:predict",
}
"""Name of the prediction file (without .jsonl) -> module and function in this package."""


def predictor(name: str) -> Predictor:
    module, function = PREDICTORS[name].split(":")
    found: Predictor = getattr(importlib.import_module(f"orderly.evaluation.{module}"), function)
    return found
