"""Figures of answers to a lawyer's questions: which quotations an answer shows, and with which standing."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from orderly.models import Span
from orderly_evaluation.dataset import Row
from orderly_evaluation.measures import mean, overlap

COST = ("requests", "tokens_in", "tokens_out", "tokens_cached", "seconds", "money")


def score(conversations: Sequence[Row], predictions: Sequence[Row]) -> dict[str, Any]:
    """Scores the last turn of each conversation, by kind; then the cost of a turn.

    single, follow_same, follow_other: right if a quotation shown as the answer overlaps a gold span of the expected document,
    and none is of another document; false absence if nothing is shown as the answer or as likely.
    absent: right if nothing is shown as the answer. across: documents by macro F1, and the share of expected ones found right.
    """
    by_turn = {(row["id"], row["turn"]): row for row in predictions}
    cases: dict[str, list[dict[str, float]]] = defaultdict(list)
    for conversation in conversations:
        last = len(conversation["turns"]) - 1
        expect, shown = conversation["turns"][last]["expect"], by_turn[conversation["id"], last]
        kind = conversation["kind"]
        cases[kind].append(_KINDS.get(kind, _one_document)(expect, shown))
    figures: dict[str, Any] = {"n": sum(map(len, cases.values()))}
    for kind, rows in cases.items():
        figures[kind] = {name: mean(row[name] for row in rows) for name in rows[0]}
    known = {name: [row[name] for row in predictions if row.get(name) is not None] for name in COST}
    figures["cost"] = {name: mean(values) for name, values in known.items() if values}
    if sum(known["tokens_in"]):
        figures["cost"]["cached_share"] = round(sum(known["tokens_cached"]) / sum(known["tokens_in"]), 4)
    return figures


def _spans(rows: Sequence[Row]) -> Mapping[str, list[Span]]:
    found: dict[str, list[Span]] = defaultdict(list)
    for row in rows:
        found[row["doc"]].append((row["start"], row["end"]))
    return found


def _is_right(shown: Sequence[Span], gold: Sequence[Sequence[int]]) -> bool:
    """Whether a span overlaps a gold span by half of the shorter of the two."""
    pairs = [((a, b), (c, d)) for a, b in shown for c, d in gold]
    return any(2 * overlap(one, other) >= min(one[1] - one[0], other[1] - other[0]) for one, other in pairs)


def _one_document(expect: Row, shown: Row) -> dict[str, float]:
    cited, likely = _spans(shown["cited"]), _spans(shown["likely"])
    only = set(cited) <= set(expect)
    right = any(_is_right(cited.get(doc, ()), gold) for doc, gold in expect.items())
    near = any(_is_right(likely.get(doc, ()), gold) for doc, gold in expect.items())
    return {
        "right": float(right and only),
        "right_or_likely": float((right or near) and only),
        "false_absence": float(not cited and not likely),
    }


def _absent(expect: Row, shown: Row) -> dict[str, float]:
    return {"right": float(not shown["cited"])}


def _across(expect: Row, shown: Row) -> dict[str, float]:
    cited = _spans(shown["cited"])
    both = len(cited.keys() & expect.keys())
    precision, recall = (both / len(cited) if cited else 0.0), both / len(expect)
    right = sum(_is_right(cited.get(doc, ()), gold) for doc, gold in expect.items())
    f1 = 2 * precision * recall / (precision + recall) if both else 0.0
    return {"f1": f1, "precision": precision, "recall": recall, "span_recall": right / len(expect)}


_KINDS = {"absent": _absent, "across": _across}
