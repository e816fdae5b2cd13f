"""Evaluation task: search in one matter with all contracts, and in the right contract only."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from orderly_evaluation.bench import Bench, Matter
from orderly_evaluation.dataset import Row
from orderly_evaluation.measures import mean, overlap

RESULTS = 20
BUDGETS = (4_000, 8_000, 16_000)
"""Characters read from the top results, so that larger chunks give no advantage."""


async def run(bench: Bench) -> dict[str, Any]:
    tests = bench.sample(bench.data.tests())
    matter = await bench.matter("contracts")
    rows = [await _answer(bench, matter, test, scope) for scope in ("document", "matter") for test in bench.track(scope, tests)]
    bench.write("retrieval", rows)
    return score(tests, rows)


async def _answer(bench: Bench, matter: Matter, test: Row, scope: str) -> Row:
    document = test["snippets"][0]["file_path"].removeprefix("contracts/").removesuffix(".txt")
    within = [matter.documents[document]] if scope == "document" else None
    found = await bench.library(document).search(bench.caller, matter.id, test["query"], RESULTS, within=within)
    names = matter.names
    results = [{"file_path": f"contracts/{names[p.document_id]}.txt", "start": p.start, "end": p.end} for p in found.passages]
    return {"query": test["query"], "scope": scope, "results": results}


def score(tests: Sequence[Row], rows: Sequence[Row]) -> dict[str, Any]:
    """MRR of the first result that covers half of a gold span or 100 characters, and recall and precision per budget."""
    gold = {test["query"]: [(s["file_path"], *s["span"]) for s in test["snippets"]] for test in tests}
    figures = {}
    for scope in ("matter", "document"):
        scope_rows = sorted((row for row in rows if row["scope"] == scope), key=lambda row: row["query"])
        if scope_rows:
            figures[scope] = _score_scope([(gold[row["query"]], row["results"]) for row in scope_rows])
    return figures


def _score_scope(cases: Sequence[tuple[list[tuple[str, int, int]], list[Row]]]) -> dict[str, Any]:
    reciprocal = [_reciprocal_rank(spans, results) for spans, results in cases]
    taken = {budget: [_read_within(results, budget) for _, results in cases] for budget in BUDGETS}
    hits = {b: [_hit_characters(spans, read) for (spans, _), read in zip(cases, taken[b], strict=True)] for b in BUDGETS}
    wanted = [sum(end - start for _, start, end in spans) for spans, _ in cases]
    return {
        "n": len(cases),
        "mrr": mean(reciprocal),
        **{f"recall@{b}": mean(h / w for h, w in zip(hits[b], wanted, strict=True)) for b in BUDGETS},
        **{
            f"precision@{b}": mean(h / s if (s := _size(t)) else 0.0 for h, t in zip(hits[b], taken[b], strict=True))
            for b in BUDGETS
        },
        "characters": mean(_size(t) for t in taken[BUDGETS[-1]]),
    }


def _reciprocal_rank(spans: Sequence[tuple[str, int, int]], results: Sequence[Row]) -> float:
    for rank, r in enumerate(results, 1):
        for file, start, end in spans:
            if r["file_path"] == file and overlap((r["start"], r["end"]), (start, end)) * 2 >= min(end - start, 200):
                return 1 / rank
    return 0.0


def _read_within(results: Sequence[Row], budget: int) -> dict[str, set[int]]:
    """Offsets per file read within `budget` characters; repeated characters count once."""
    taken: dict[str, set[int]] = defaultdict(set)
    used = 0
    for r in results:
        new = [at for at in range(r["start"], r["end"]) if at not in taken[r["file_path"]]][: budget - used]
        taken[r["file_path"]].update(new)
        used += len(new)
        if used == budget:
            break
    return taken


def _hit_characters(spans: Sequence[tuple[str, int, int]], taken: Mapping[str, set[int]]) -> int:
    return sum(len(taken.get(file, set()).intersection(range(start, end))) for file, start, end in spans)


def _size(taken: Mapping[str, set[int]]) -> int:
    return sum(map(len, taken.values()))
