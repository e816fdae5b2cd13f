"""Folds of the training documents, for figures on held-out documents."""

from __future__ import annotations

import hashlib

FOLDS = 5


def fold_of(document: str) -> int:
    """Which part of the training documents a document belongs to. Names that begin alike stay together: one company's
    contracts repeat each other.
    """
    company = document.split("_", maxsplit=1)[0].lower()
    return hashlib.sha256(company.encode()).digest()[0] % FOLDS
