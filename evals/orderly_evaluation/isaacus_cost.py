"""Estimates, before an evaluation starts, how many tokens each of its tasks sends to Isaacus and what they cost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from orderly.services.documents import STANDARD_CLAUSES
from orderly_evaluation.dataset import Dataset, Row

CHARS_PER_TOKEN = 4
"""Low for English legal text, so that the estimate is high."""
RERANKED_CHARS = 40 * 1_000
"""Characters of the passages that one search reranks."""
DOLLARS_PER_MILLION = {"embeddings": 0.35, "rerankings": 0.35, "extractions": 1.50, "classifications": 1.00}
"""List prices of US dollars per million tokens (docs.isaacus.com/pricing), which may have changed."""
INGESTED = {
    **dict.fromkeys(("retrieval", "extraction", "clauses_found", "ask", "review"), "contracts"),
    "nda_extraction": "nda",
}

Tokens = Mapping[str, int]
"""By endpoint."""


@dataclass(frozen=True, slots=True)
class Estimate:
    tokens: Mapping[str, Tokens]
    """By task; those of the documents, which all tasks share, by "documents"."""

    def __str__(self) -> str:
        lines = [f"  {task:15} {_line(tokens)}" for task, tokens in self.tokens.items()]
        total = sum(map(_dollars, self.tokens.values()))
        head = "Isaacus will read about this much (ask: without a chat model):"
        return "\n".join([head, *lines, f"In all about {total:.2f} US dollars at list prices before tax."])


def estimate(data: Dataset, tasks: Collection[str], limit: int | None) -> Estimate:
    """Every ingested document is embedded once; an extraction or analysis reads its whole document."""
    ingested = sum(
        path.stat().st_size for folder in {INGESTED[t] for t in tasks if t in INGESTED} for path in data.sources(folder)
    )
    chars = {
        "documents": {"embeddings": ingested},
        **{task: _CHARS[task](data, limit) if task in _CHARS else {} for task in tasks},
    }
    return Estimate({task: {e: count // CHARS_PER_TOKEN for e, count in of.items() if count} for task, of in chars.items()})


def _dollars(tokens: Tokens) -> float:
    return sum(count * DOLLARS_PER_MILLION[endpoint] for endpoint, count in tokens.items()) / 1e6


def _line(tokens: Tokens) -> str:
    parts = ", ".join(f"{count / 1e6:.2f} million tokens for {endpoint}" for endpoint, count in tokens.items())
    return f"{parts}: {_dollars(tokens):.2f} US dollars" if parts else "nothing"


def _retrieval(data: Dataset, limit: int | None) -> Tokens:
    return {"rerankings": 2 * _count(data.tests(), limit) * RERANKED_CHARS}


def _extraction(data: Dataset, limit: int | None) -> Tokens:
    return {"extractions": _read(data, data.rows("gold.jsonl"), "contracts/{}.txt", limit)}


def _nda_extraction(data: Dataset, limit: int | None) -> Tokens:
    return {"extractions": _read(data, data.rows("nda_gold.jsonl"), "nda/{}.txt", limit)}


def _classification(data: Dataset, limit: int | None) -> Tokens:
    rows = data.rows("clauses.jsonl")
    return {"classifications": _sampled(sum(len(row["text"]) for row in rows), rows, limit) * len(STANDARD_CLAUSES)}


def _clauses_found(data: Dataset, limit: int | None) -> Tokens:
    paths = data.sources("contracts")
    return {"classifications": _sampled(sum(path.stat().st_size for path in paths), paths, limit) * len(STANDARD_CLAUSES)}


def _wild(data: Dataset, limit: int | None) -> Tokens:
    rows = data.rows("wild/questions.jsonl")
    return {
        "embeddings": sum(data.size(f"wild/docs/{doc}") for doc in {row["doc"] for row in rows}),
        "rerankings": _count(rows, limit) * RERANKED_CHARS,
        "extractions": _read(data, rows, "wild/docs/{}", limit),
    }


def _ask(data: Dataset, limit: int | None) -> Tokens:
    """A question to many documents reads each; another reads the documents that it expects, or one where there is none."""
    sizes = {path.stem: path.stat().st_size for path in data.sources("contracts")}
    every, rows = sum(sizes.values()), data.rows("ask.jsonl")
    mean = every // len(sizes)
    turns = [(row["kind"], turn["expect"]) for row in rows for turn in row["turns"]]
    read = sum(every if kind == "across" else sum(sizes.get(doc, mean) for doc in expect) or mean for kind, expect in turns)
    return {"extractions": _sampled(read, rows, limit)}


def _review(data: Dataset, limit: int | None) -> Tokens:
    """A cell reads its document: to classify it for yes or no, else to extract a value. `limit` counts documents."""
    rows = data.rows("cells.jsonl")
    documents = list({row["doc"] for row in rows})
    of_kind = {
        endpoint: (row for row in rows if (row["kind"] == "yes_no") == (endpoint == "classifications"))
        for endpoint in ("classifications", "extractions")
    }
    return {endpoint: _sampled(_sizes(data, of, "contracts/{}.txt"), documents, limit) for endpoint, of in of_kind.items()}


_CHARS: Mapping[str, Callable[[Dataset, int | None], Tokens]] = {
    "retrieval": _retrieval,
    "extraction": _extraction,
    "nda_extraction": _nda_extraction,
    "classification": _classification,
    "clauses_found": _clauses_found,
    "wild": _wild,
    "ask": _ask,
    "review": _review,
}
"""Characters of each task that asks Isaacus; sections, files and pages ask only readers of files."""


def _count(cases: Sequence[object], limit: int | None) -> int:
    return len(cases) if limit is None else min(limit, len(cases))


def _sampled(chars: int, cases: Sequence[object], limit: int | None) -> int:
    """Characters of the sampled cases, at the average of all."""
    return chars * _count(cases, limit) // max(1, len(cases))


def _sizes(data: Dataset, rows: Iterable[Row], place: str) -> int:
    counts = Counter(row["doc"] for row in rows)
    return sum(data.size(place.format(doc)) * count for doc, count in counts.items())


def _read(data: Dataset, rows: Sequence[Row], place: str, limit: int | None) -> int:
    """Characters of the documents that the sampled questions read, one each."""
    return _sampled(_sizes(data, rows, place), rows, limit)
