"""Evaluation tasks: extract the answer to a question from one document, or abstain."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from orderly.services.documents import ExtractionResult
from orderly.services.text import Passage
from orderly_evaluation.bench import Bench
from orderly_evaluation.dataset import Row
from orderly_evaluation.measures import auroc, mean, overlap, token_f1

MIN_OVERLAP = 20
"""Characters. Minimum overlap for an answer inside a long gold clause."""


async def contracts(bench: Bench) -> dict[str, Any]:
    return await _run(bench, "extraction", "gold.jsonl", "contracts")


async def ndas(bench: Bench) -> dict[str, Any]:
    return await _run(bench, "nda_extraction", "nda_gold.jsonl", "nda")


async def _run(bench: Bench, name: str, gold_file: str, folder: str) -> dict[str, Any]:
    gold = bench.sample(bench.data.rows(gold_file))
    matter = await bench.matter(folder)
    rows = []
    for row in bench.track(name, gold):
        library = bench.library(row["doc"])
        result = await library.extract(bench.caller, matter.documents[row["doc"]], row["question"])
        rows.append(_prediction(row, result))
    bench.write(name, rows)
    return {**score(gold, rows), **score_further(gold, rows)}


def _prediction(row: Row, result: ExtractionResult) -> Row:
    """The shown answer, or the best candidate marked as abstained."""
    best = result.answer or result.nearest
    return {
        "doc": row["doc"],
        "question": row["question"],
        "answer": None if best is None else _span(best),
        "further": [_span(passage) for passage in result.answers[1:]],
        "confidence": result.confidence,
        "abstained": result.answer is None,
    }


def _span(passage: Passage) -> Row:
    return {"text": passage.text, "start": passage.start, "end": passage.end}


def score(gold: Sequence[Row], rows: Sequence[Row]) -> dict[str, Any]:
    by_key = {(row["doc"], row["question"]): row for row in rows}
    cases = [(g, by_key[g["doc"], g["question"]]) for g in gold if (g["doc"], g["question"]) in by_key]
    answerable = [(g, row) for g, row in cases if not _is_unanswerable(g)]
    hits = [is_hit(g, row["answer"]) for g, row in answerable]
    shown = [_is_shown(row) for _, row in cases]
    shown_right = [hit and _is_shown(row) for hit, (_, row) in zip(hits, answerable, strict=True)]
    positive = [float(row["confidence"]) for _, row in answerable]
    negative = [(float(row["confidence"]), _is_shown(row)) for g, row in cases if _is_unanswerable(g)]
    return {
        "n": len(cases),
        "answerable": len(answerable),
        "hit@1": mean(hits),
        "token_f1": mean(_best_f1(g, row["answer"]) for g, row in answerable),
        "auroc_answerable": auroc(positive, [confidence for confidence, _ in negative]),
        "precision_of_shown": round(sum(shown_right) / sum(shown), 4) if any(shown) else None,
        "answerable_shown_right": mean(shown_right),
        "impossible_answered": mean(was_shown for _, was_shown in negative),
    }


def score_further(gold: Sequence[Row], rows: Sequence[Row]) -> dict[str, Any]:
    """Precision of the further answers, and recall of gold spans for questions whose first answer is shown and right."""
    by_key = {(row["doc"], row["question"]): row for row in rows}
    answerable = [(g, by_key[g["doc"], g["question"]]) for g in gold if not _is_unanswerable(g)]
    right = [(g, row) for g, row in answerable if _is_shown(row) and is_hit(g, row["answer"])]
    further = [is_hit(g, span) for g, row in answerable if _is_shown(row) for span in row.get("further", ())]
    places = [
        any(is_hit({"answers": [a]}, span) for span in (row["answer"], *row.get("further", ())))
        for g, row in right
        for a in g["answers"]
    ]
    return {"further_shown": len(further), "precision_of_further": mean(further), "places_shown": mean(places)}


def _is_unanswerable(gold: Row) -> bool:
    return bool(gold.get("impossible", not gold["answers"]))


def _is_shown(row: Row) -> bool:
    return bool(row["answer"]) and not row.get("abstained", False)


def _best_f1(gold: Row, answer: Row | None) -> float:
    return max((token_f1(answer["text"], a["text"]) for a in gold["answers"]), default=0.0) if answer else 0.0


def is_hit(gold: Row, answer: Row | None) -> bool:
    """Whether the answer covers half of a gold answer or lies mostly inside it, and is not much longer."""
    if answer is None:
        return False
    span = answer["start"], answer["end"]
    length = span[1] - span[0]
    for a in gold["answers"]:
        size = a["end"] - a["start"]
        for start in (a["start"], *a.get("other_starts", ())):
            common = overlap((start, start + size), span)
            inside = 2 * common >= length and common >= MIN_OVERLAP
            if (2 * common >= size or inside) and length <= 3 * size + 200:
                return True
    return False
