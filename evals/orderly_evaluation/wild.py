"""Evaluation task: documents of many kinds and formats (wild/), beside two plain ways to search the same text."""

from __future__ import annotations

from typing import Any

from orderly.services.documents import read_revision
from orderly.services.engines.local import LocalEngine
from orderly_evaluation import wild_figures
from orderly_evaluation.bench import Bench, Matter
from orderly_evaluation.dataset import Row
from orderly_evaluation.plain_search import PlainSearch
from orderly_evaluation.wild_figures import RANKED


async def run(bench: Bench) -> dict[str, Any]:
    gold = bench.sample(bench.data.rows("wild/questions.jsonl"))
    matter = await bench.files("wild/docs", {row["doc"] for row in gold})
    plain = await _plain_searches(bench, matter)
    rows = [await _answer(bench, matter, row, plain[row["doc"]]) for row in bench.track("wild", gold)]
    bench.write("wild", rows)
    return wild_figures.score(gold, rows)


async def _plain_searches(bench: Bench, matter: Matter) -> dict[str, PlainSearch]:
    engine = LocalEngine()
    found = {}
    for doc in bench.track("plain search", sorted(matter.documents)):
        view = await read_revision(bench.services.store, bench.caller, matter.documents[doc])
        found[doc] = await PlainSearch.over(view.text, engine)
    return found


async def _answer(bench: Bench, matter: Matter, row: Row, plain: PlainSearch) -> Row:
    document, question = matter.documents[row["doc"]], row["question"]
    library = bench.services.library
    found = await library.search(bench.caller, matter.id, question, RANKED, within=[document])
    result = await library.extract(bench.caller, document, question)
    best = result.answer or result.nearest
    return {
        "doc": row["doc"],
        "question": question,
        "search": [passage.text for passage in found.passages],
        "answer": best.text if best else None,
        "shown": result.answer is not None,
        "confidence": result.confidence,
        "windows": (await plain.by_cosine(question))[:RANKED],
        "bm25": plain.by_bm25(question)[:RANKED],
    }
