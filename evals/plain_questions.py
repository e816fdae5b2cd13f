"""Puts plain questions, each about what one document alone says, to a matter of twelve documents of other kinds than contracts.

    python evals/plain_questions.py DATA OUT

plain_questions.jsonl holds 60 questions and the sentences that answer them, and 12 questions ("doc": null) that no document answers,
written from the documents by somebody who knew nothing of the engine. DATA/wild/docs holds the documents. Prints how many are
answered right (a quotation shown as the answer holds the sentence), likely (one of the first two likely ones does), or otherwise.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

from orderly.agent.middleware.run_context import RunContext
from orderly.agent.run import Conversation, ask
from orderly.graph import build_graph
from orderly.settings import Settings
from orderly_evaluation.bench import Bench, open_bench

CASES = Path(__file__).with_name("plain_questions.jsonl")
SAME = 0.6
"""Share of the words of the shorter text that both have."""
SHOWN_LIKELY = 2


async def main(data: Path, out: Path) -> None:
    cases = [json.loads(line) for line in CASES.read_text(encoding="utf-8").splitlines()]
    names = sorted({case["doc"] for case in cases if case["doc"]})
    async with open_bench(Settings(), data, out, "local", None, None, lambda *_: None) as bench:
        matter = await bench.files("wild/docs", names)
        graph = build_graph(bench.services.settings)
        rows = [{**case, **await _answered(bench, graph, matter, case["question"])} for case in cases]
    for row in rows:
        row["verdict"] = _verdict(row)
    (out / "plain_questions.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    for kind, of in (("answered by a document", True), ("answered by none", False)):
        print(kind, dict(Counter(row["verdict"] for row in rows if (row["doc"] is not None) == of)))


async def _answered(bench: Bench, graph: Any, matter: Any, question: str) -> dict[str, Any]:
    context = RunContext(matter_id=matter.id)
    answer = await ask(graph, bench.services, bench.caller, question, context=context, conversation=Conversation())
    shown = [(c["standing"], matter.names[c["document_id"]], c.get("text") or c.get("quote") or "") for c in answer.citations]
    return {"shown": shown, "text": answer.text, "seconds": answer.seconds}


def _verdict(row: dict[str, Any]) -> str:
    sure = [one for one in row["shown"] if one[0] == "answer"]
    likely = [one for one in row["shown"] if one[0] == "likely"][:SHOWN_LIKELY]
    if row["doc"] is None:
        return "shown as the answer" if sure else "shown as likely" if likely else "nothing shown"
    if any(_is_right(row, one) for one in sure):
        return "right"
    return "likely right" if any(_is_right(row, one) for one in likely) else "another answer" if sure else "not found"


def _is_right(row: dict[str, Any], shown: tuple[str, str, str]) -> bool:
    return shown[1] == row["doc"] and any(_overlap(shown[2], answer) >= SAME for answer in row["answers"])


def _overlap(one: str, other: str) -> float:
    a, b = (Counter(re.findall(r"\w+", text.lower())) for text in (one, other))
    return sum((a & b).values()) / (min(a.total(), b.total()) or 1)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("out", type=Path)
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    asyncio.run(main(arguments.data, arguments.out))
