"""Measures the product on a folder of documents with gold answers. Prediction files and figures follow one definition:
offsets are zero-based, half-open, in code points of each .txt file.
"""

from __future__ import annotations

from pathlib import Path

TASKS = {
    "retrieval": "retrieval:run",
    "extraction": "extraction:contracts",
    "nda_extraction": "extraction:ndas",
    "classification": "clauses:labels",
    "clauses_found": "clauses:found",
    "files": "files:run",
    "pages": "pages:run",
}
"""Module and coroutine of each task, in the order they run. A task writes its predictions and gives its figures."""

NEEDED = {"files": "files/manifest.tsv", "pages": "files/rendered_gold_pages.jsonl"}
"""What a data folder may lack; the tasks that need it are then left out, unless they were asked for."""


def lacking(data: Path) -> tuple[str, ...]:
    """The tasks for which a data folder holds nothing."""
    return tuple(task for task, path in NEEDED.items() if not (data / path).exists())
