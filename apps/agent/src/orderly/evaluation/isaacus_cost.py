"""Estimates, before an evaluation starts, how many tokens it sends to Isaacus and what they cost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from orderly.evaluation.dataset import Dataset, Row
from orderly.services.documents import STANDARD_CLAUSES

CHARS_PER_TOKEN = 4
"""Low for English legal text, so that the estimate is high."""
RERANKED_CHARS = 40 * 1_000
"""Characters of the passages that one search reranks."""
DOLLARS_PER_MILLION = {"embeddings": 0.35, "rerankings": 0.35, "extractions": 1.50, "classifications": 1.50}
"""List prices of US dollars per million tokens (docs.isaacus.com/pricing), which may have changed."""
INGESTED = {"retrieval": "contracts", "extraction": "contracts", "clauses_found": "contracts", "nda_extraction": "nda"}


@dataclass(frozen=True, slots=True)
class Estimate:
    tokens: dict[str, int]
    """By endpoint."""

    @property
    def dollars(self) -> float:
        return sum(count * DOLLARS_PER_MILLION[endpoint] for endpoint, count in self.tokens.items()) / 1e6

    def __str__(self) -> str:
        parts = ", ".join(f"{count / 1e6:.2f} million for {endpoint}" for endpoint, count in self.tokens.items() if count)
        return f"Isaacus will read about {parts or 'no'} tokens: about {self.dollars:.2f} US dollars at list prices before tax."


def estimate(data: Dataset, tasks: Collection[str], limit: int | None) -> Estimate:
    """Every ingested document is embedded once; an extraction or analysis reads its whole document."""
    chars: Counter[str] = Counter()
    for folder in {INGESTED[task] for task in tasks if task in INGESTED}:
        chars["embeddings"] += sum(path.stat().st_size for path in data.sources(folder))
    if "retrieval" in tasks:
        chars["rerankings"] += 2 * _count(data.tests(), limit) * RERANKED_CHARS
    if "extraction" in tasks:
        chars["extractions"] += _read(data, "gold.jsonl", "contracts/{}.txt", limit)
    if "nda_extraction" in tasks:
        chars["extractions"] += _read(data, "nda_gold.jsonl", "nda/{}.txt", limit)
    if "wild" in tasks:
        rows = data.rows("wild/questions.jsonl")
        chars["embeddings"] += sum(data.size(f"wild/docs/{doc}") for doc in {row["doc"] for row in rows})
        chars["rerankings"] += _count(rows, limit) * RERANKED_CHARS
        chars["extractions"] += _read(data, "wild/questions.jsonl", "wild/docs/{}", limit)
    if "classification" in tasks:
        rows = data.rows("clauses.jsonl")
        read = sum(len(row["text"]) for row in rows) * _count(rows, limit) // max(1, len(rows))
        chars["classifications"] += read * len(STANDARD_CLAUSES)
    if "clauses_found" in tasks:
        paths = data.sources("contracts")
        read = sum(path.stat().st_size for path in paths) * _count(paths, limit) // len(paths)
        chars["classifications"] += read * len(STANDARD_CLAUSES)
    return Estimate({endpoint: chars[endpoint] // CHARS_PER_TOKEN for endpoint in DOLLARS_PER_MILLION})


def _count(cases: Sequence[object], limit: int | None) -> int:
    return len(cases) if limit is None else min(limit, len(cases))


def _read(data: Dataset, gold: str, place: str, limit: int | None) -> int:
    """Characters that the sampled questions read, at the documents' average size."""
    rows: list[Row] = data.rows(gold)
    return sum(data.size(place.format(row["doc"])) for row in rows) * _count(rows, limit) // max(1, len(rows))
