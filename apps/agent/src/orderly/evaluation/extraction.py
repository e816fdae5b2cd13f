"""Extraction: one document, one question, the exact words or none."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from orderly.evaluation.bench import Bench
from orderly.evaluation.dataset import Row
from orderly.evaluation.measures import auroc, mean, overlap, token_f1
from orderly.services.documents import ExtractionResult
from orderly.services.text import Passage

SAID = 20
"""Characters from which a piece of a long gold clause says something."""


async def contracts(bench: Bench) -> dict[str, Any]:
    return await _run(bench, "extraction", "gold.jsonl", "contracts")


async def ndas(bench: Bench) -> dict[str, Any]:
    return await _run(bench, "nda_extraction", "nda_gold.jsonl", "nda")


async def _run(bench: Bench, name: str, gold_file: str, folder: str) -> dict[str, Any]:
    gold = bench.chosen(bench.data.rows(gold_file))
    matter = await bench.matter(folder)
    rows = []
    for row in bench.track(name, gold):
        library = bench.library(row["doc"])
        result = await library.extract(bench.caller, matter.documents[row["doc"]], row["question"])
        rows.append(_prediction(row, result))
    bench.write(name, rows)
    return {**score(gold, rows), **several(gold, rows)}


def _prediction(row: Row, result: ExtractionResult) -> Row:
    """The answer as shown, or the best candidate marked as abstained from."""
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
    answerable = [(g, row) for g, row in cases if not _impossible(g)]
    hits = [_hit(g, row["answer"]) for g, row in answerable]
    shown = [_shown(row) for _, row in cases]
    shown_right = [hit and _shown(row) for hit, (_, row) in zip(hits, answerable, strict=True)]
    positive = [float(row["confidence"]) for _, row in answerable]
    negative = [(float(row["confidence"]), _shown(row)) for g, row in cases if _impossible(g)]
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


def several(gold: Sequence[Row], rows: Sequence[Row]) -> dict[str, Any]:
    """Of answers shown in several places: the precision of those after the first. And the share of all places where a question
    is answered that are shown, first or further, over the questions whose first answer is shown and right.
    """
    by_key = {(row["doc"], row["question"]): row for row in rows}
    answerable = [(g, by_key[g["doc"], g["question"]]) for g in gold if not _impossible(g)]
    right = [(g, row) for g, row in answerable if _shown(row) and _hit(g, row["answer"])]
    further = [_hit(g, span) for g, row in answerable if _shown(row) for span in row.get("further", ())]
    places = [
        any(_hit({"answers": [a]}, span) for span in (row["answer"], *row.get("further", ())))
        for g, row in right
        for a in g["answers"]
    ]
    return {"further_shown": len(further), "precision_of_further": mean(further), "places_shown": mean(places)}


def _impossible(gold: Row) -> bool:
    return bool(gold.get("impossible", not gold["answers"]))


def _shown(row: Row) -> bool:
    return bool(row["answer"]) and not row.get("abstained", False)


def _best_f1(gold: Row, answer: Row | None) -> float:
    return max((token_f1(answer["text"], a["text"]) for a in gold["answers"]), default=0.0) if answer else 0.0


def _hit(gold: Row, answer: Row | None) -> bool:
    """Half of a gold answer, or mostly inside a long one, and never a page where a date was asked for."""
    if answer is None:
        return False
    span = answer["start"], answer["end"]
    length = span[1] - span[0]
    for a in gold["answers"]:
        size = a["end"] - a["start"]
        for start in (a["start"], *a.get("other_starts", ())):
            common = overlap((start, start + size), span)
            inside = 2 * common >= length and common >= SAID
            if (2 * common >= size or inside) and length <= 3 * size + 200:
                return True
    return False
