"""Measures the product on a folder of documents with gold answers. Prediction files and figures follow one definition:
offsets are zero-based, half-open, in code points of each .txt file.
"""

from __future__ import annotations

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
