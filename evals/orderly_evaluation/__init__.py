"""Measures search, extraction, classification, answers and reviews on a data folder with gold answers.

Offsets in prediction files are zero-based and half-open, in code points of each .txt file.
"""

from __future__ import annotations

from pathlib import Path

TASKS = {
    "retrieval": "retrieval:run",
    "extraction": "extraction:contracts",
    "nda_extraction": "extraction:ndas",
    "classification": "clauses:labels",
    "clauses_found": "clauses:found",
    "wild": "wild:run",
    "sections": "sections:run",
    "files": "files:run",
    "pages": "pages:run",
    "ask": "ask:run",
    "review": "review:run",
}
"""Module and coroutine per task, in order of execution. A task writes its predictions and returns its figures."""

OPTIONAL_FILES = {
    "wild": "wild/questions.jsonl",
    "files": "files/manifest.tsv",
    "pages": "files/rendered_gold_pages.jsonl",
    "ask": "ask.jsonl",
    "review": "cells.jsonl",
}
"""Optional file per task. Without it, the task runs only if requested by name."""


def tasks_without_data(data: Path) -> tuple[str, ...]:
    """Tasks whose optional file is missing."""
    return tuple(task for task, path in OPTIONAL_FILES.items() if not (data / path).exists())
