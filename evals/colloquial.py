"""Measures answers to 120 questions in a client's words about five Australian documents: `python evals/colloquial.py`.

`colloquial_texts.json` and `colloquial_questions.jsonl` were written for this measure by a writer who had seen neither the engine nor other
documents (a shop lease, a berth licence, a software agreement, a deed of loan, rules of a club): 70 questions that a document answers, 45 of
them in words of everyday, and 50 that it does not. Nothing is fitted on them. Takes a minute or two.
"""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

from orderly.evaluation.wild_figures import is_hit
from orderly.services.engines.local import LocalEngine

HERE = Path(__file__).parent


async def main() -> None:
    texts = json.loads((HERE / "colloquial_texts.json").read_text(encoding="utf-8"))
    engine = LocalEngine()
    hits: list[bool] = []
    shown: list[bool] = []
    without: list[bool] = []
    for line in (HERE / "colloquial_questions.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        found = await engine.extract(row["question"], texts[row["doc"]])
        best = found["answers"][0]["text"] if found["answers"] else ""
        if row["answers"]:
            hits.append(is_hit(best, row["answers"]))
            shown.append(found["answered"])
        else:
            without.append(found["answered"])
    right = sum(was_shown and hit for was_shown, hit in zip(shown, hits, strict=True))
    print(f"first answer right: {sum(hits)} of {len(hits)}; shown: {sum(shown)}, of which right: {right}")
    print(f"without an answer: {len(without)}, of which something is shown: {sum(without)}")


if __name__ == "__main__":
    asyncio.run(main())
