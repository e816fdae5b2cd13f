"""Evaluation tasks: labels of single passages, and clauses found in whole contracts."""

from __future__ import annotations

from typing import Any

from orderly.services.documents import STANDARD_CLAUSES
from orderly_evaluation.bench import Bench
from orderly_evaluation.clause_figures import score_found, score_labels


async def labels(bench: Bench) -> dict[str, Any]:
    gold = bench.sample(bench.data.rows("clauses.jsonl"))
    rows = []
    for row in bench.track("classification", gold):
        # No sections: headings must not reveal the label.
        findings = await bench.library(row["doc"] or row["id"]).engine.classify(row["text"], STANDARD_CLAUSES)
        found = {finding["label"] for finding in findings}
        rows.append({"id": row["id"], "labels": [label for label in STANDARD_CLAUSES if label in found]})
    bench.write("classification", rows)
    return score_labels(gold, rows)


async def found(bench: Bench) -> dict[str, Any]:
    matter = await bench.matter("contracts")
    names = bench.sample(list(matter.documents))
    rows = []
    for name in bench.track("clauses_found", names):
        report = await bench.library(name).classify(bench.caller, matter.documents[name], None)
        rows += [
            {"doc": name, "clause_type": label, "start": p.start, "end": p.end}
            for label, passages in report.found.items()
            for p in passages
        ]
    bench.write("clauses_found", rows)
    gold = [row for row in bench.data.rows("gold.jsonl") if row["doc"] in set(names)]
    silver = [row for row in bench.data.rows("sections_silver.jsonl") if row["doc"] in set(names)]
    sizes = {name: len(bench.data.text("contracts", name)) for name in {row["doc"] for row in gold}}
    return score_found(gold, silver, sizes, rows)
