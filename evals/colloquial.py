"""Measures answers to questions in a client's words about Australian documents: `python evals/colloquial.py`.

`colloquial_texts.json` and `colloquial_questions.jsonl` were written for this measure by a writer who had seen neither the engine nor other
documents (a shop lease, a berth licence, a software agreement, a deed of loan, rules of a club): 70 questions that a document answers, 45 of
them in words of everyday, and 50 that it does not. The twelve documents 55-* of
`reader/clients.jsonl.xz` (aged care, a wedding, a pet hotel, a solicitor's terms) have 516 questions that they answer and 96 that they do not; the
reader was taught on the other documents of that file. Nothing is fitted on either set. Takes five minutes.
"""

from __future__ import annotations

import asyncio
import json
import lzma
from collections.abc import Iterator
from pathlib import Path

from orderly.services.engines.local import LocalEngine
from orderly_evaluation.wild_figures import is_hit

HERE = Path(__file__).parent


Asked = tuple[str, str, list[str]]
"""Question, text of the document, answers; none where the document does not answer."""


def five_documents() -> Iterator[Asked]:
    texts = json.loads((HERE / "colloquial_texts.json").read_text(encoding="utf-8"))
    for line in (HERE / "colloquial_questions.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        yield row["question"], texts[row["doc"]], row["answers"]


def twelve_documents() -> Iterator[Asked]:
    with lzma.open(HERE / "reader/clients.jsonl.xz", "rt", encoding="utf-8") as stream:
        rows = [json.loads(line) for line in stream]
    for row in rows:
        if row["doc"].startswith("55-"):
            for asked in (asked for passage in row["passages"] for asked in passage["qa"]):
                yield asked["q"], row["text"], [asked["a"]]
            for question in row["absent"]:
                yield question, row["text"], []


async def measure(name: str, cases: Iterator[Asked]) -> None:
    engine = LocalEngine()
    hits: list[bool] = []
    shown: list[bool] = []
    without: list[bool] = []
    for question, text, answers in cases:
        found = await engine.extract(question, text)
        best = found["answers"][0]["text"] if found["answers"] else ""
        if answers:
            hits.append(is_hit(best, answers))
            shown.append(found["answered"])
        else:
            without.append(found["answered"])
    right = sum(was_shown and hit for was_shown, hit in zip(shown, hits, strict=True))
    print(f"{name}: first answer right: {sum(hits)} of {len(hits)}; shown: {sum(shown)}, of which right: {right}")
    print(f"without an answer: {len(without)}, of which something is shown: {sum(without)}", flush=True)


async def main() -> None:
    await measure("five documents", five_documents())
    await measure("twelve documents", twelve_documents())


if __name__ == "__main__":
    asyncio.run(main())
