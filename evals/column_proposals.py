"""Measures how often a plain question is proposed as the ready-made column that answers it.

    python evals/column_proposals.py

column_questions.jsonl holds three wordings of each ready-made column, and 62 questions that no column answers (title ""), 60 of them written by
somebody who knew the columns' titles and questions alone, before the model of subjects was fitted to ready-made columns.
"""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from pathlib import Path

from orderly.services.columns import column_sets
from orderly.services.engines.local import LocalEngine
from orderly.services.reviews import propose_column, ready_columns

CASES = Path(__file__).with_name("column_questions.jsonl")


async def main() -> None:
    engine = LocalEngine()
    ready = {column["title"]: column for name in column_sets() for column in ready_columns(name)}
    counts: Counter[str] = Counter()
    for line in CASES.read_text(encoding="utf-8").splitlines():
        case = json.loads(line)
        column = await propose_column(engine, case["question"])
        is_ready = column["title"] in ready and column.get("subject") == ready[column["title"]].get("subject")
        got = column["title"] if is_ready else ""
        kind = "answered by a column" if case["title"] else "answered by none"
        counts[f"{kind}: {'right' if got == case['title'] else 'another column' if got else 'no column'}"] += 1
    for name, count in sorted(counts.items()):
        print(f"{name}: {count}")


if __name__ == "__main__":
    asyncio.run(main())
