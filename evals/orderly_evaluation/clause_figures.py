"""Figures of clause classification and clause analysis."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from orderly.services.documents import STANDARD_CLAUSES
from orderly_evaluation.dataset import Row
from orderly_evaluation.measures import mean

MIN_POSITIVES = 20
"""Minimum number of positives per reported label."""
LONG_SECTION = 1_500
"""Characters. A longer section counts as found if half of this length is covered."""


def score_labels(gold: Sequence[Row], rows: Sequence[Row]) -> dict[str, Any]:
    """Recall per label; for expert gold also precision and F1. Loose labels count as neither right nor wrong."""
    predicted = {row["id"]: set(row["labels"]) for row in rows}
    figures: dict[str, dict[str, Any]] = {}
    for group, prefixes in (("expert", ("gold", "title")), ("silver", ("silver",))):
        group_rows = [(g, predicted[g["id"]]) for g in gold if g["quality"].startswith(prefixes) and g["id"] in predicted]
        measured = {label: _label(label, group_rows, group == "expert") for label in STANDARD_CLAUSES}
        known = {label: value for label, value in measured.items() if value["n"] >= MIN_POSITIVES}
        figures[group] = {"n": len(group_rows), "macro_recall": mean(v["recall"] for v in known.values())}
        if group == "expert":
            figures[group]["macro_f1"] = mean(v["f1"] for v in known.values())
        figures[group]["labels"] = known
    return figures


def _label(label: str, rows: Sequence[tuple[Row, set[str]]], negatives_known: bool) -> dict[str, Any]:
    right = sum(label in g["labels"] and label in found for g, found in rows)
    missed = sum(label in g["labels"] and label not in found for g, found in rows)
    wrong = sum(label in found and label not in g["labels"] and label not in g["loose_labels"] for g, found in rows)
    value: dict[str, Any] = {"n": right + missed, "recall": round(right / (right + missed), 4) if right + missed else 0.0}
    if negatives_known:
        value["precision"] = round(right / (right + wrong), 4) if right + wrong else 0.0
        value["f1"] = round(2 * right / (2 * right + wrong + missed), 4) if right + wrong + missed else 0.0
    return value


def score_found(gold: Sequence[Row], silver: Sequence[Row], sizes: Mapping[str, int], rows: Sequence[Row]) -> dict[str, Any]:
    """Recall of gold clauses. A gold clause is found if predicted clauses of its type cover at least half of it."""
    found: dict[tuple[str, str], set[int]] = defaultdict(set)
    covered: dict[str, set[int]] = defaultdict(set)
    for row in rows:
        span = range(row["start"], row["end"])
        found[row["doc"], row["clause_type"]].update(span)
        covered[row["doc"]].update(span)
    experts: dict[str, list[bool]] = defaultdict(list)
    others: list[int] = []
    for g in gold:
        if g["our_category"] in STANDARD_CLAUSES and g["map_strength"] == "strict":
            for answer in g["answers"]:
                types = _types_covering(found, g["doc"], answer)
                experts[g["our_category"]].append(g["our_category"] in types)
                others.append(len(types - {g["our_category"]}))
    sections: dict[str, list[bool]] = defaultdict(list)
    for g in silver:
        hit = found[g["doc"], g["our_category"]].intersection(range(g["start"], g["end"]))
        sections[g["our_category"]].append(2 * len(hit) >= min(g["end"] - g["start"], LONG_SECTION))
    return {
        "span_recall_expert": {k: {"n": len(v), "recall": mean(v)} for k, v in sorted(experts.items())},
        "span_recall_silver": {k: {"n": len(v), "recall": mean(v)} for k, v in sorted(sections.items())},
        "macro_span_recall": mean(sum(v) / len(v) for v in experts.values()),
        "macro_section_recall": mean(sum(v) / len(v) for v in sections.values()),
        "other_types_per_expert_span": mean(others),
        "share_of_text_returned": mean(len(covered[name]) / size for name, size in sizes.items()),
    }


def _types_covering(found: Mapping[tuple[str, str], set[int]], document: str, answer: Row) -> set[str]:
    size = answer["end"] - answer["start"]
    spans = [range(start, start + size) for start in (answer["start"], *answer.get("other_starts", ()))]
    return {
        label
        for label in STANDARD_CLAUSES
        if any(2 * len(found.get((document, label), set()).intersection(span)) >= size for span in spans)
    }
