"""Runs recorded answers of a strong model through the gate, as written and with one error planted in each copy.

    python evals/recorded.py SET ... [--only ID] [--show right missed told beside]

SET holds cases.jsonl and documents/NAME/, as `evals/answers/` has them (fictional; set b is held out: nothing is changed because of
its cases, so nobody shows them). Documents are in memory; what a model was shown is taken to be the whole of the documents that the
case's calls name. Printed: right sentences told, changed or gone; planted errors told while the right twin is not, also of the
figures that stand elsewhere in the document that has the right one; right sentences beside a planted error that are told though
their twins are not. Exits with 1 if a limit is missed.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from gate_answers import MemorySources, MemoryVerifier, read, shown

from orderly.services.citations import TOLD, AnswerGate
from orderly.services.citations.spans import divide
from orderly.services.support import are_same, figures, has_figure
from orderly.services.text import RevisionView, draft_fences, find_quotations

MOST_TOLD, MOST_BESIDE = 0.02, 0.02
"""Shares of right sentences."""
_BRACKET = re.compile(r"\[[^\[\]\n]*\]")


@dataclass(frozen=True, slots=True)
class Outcome:
    case: str
    run: int
    place: int
    sentence: str
    planted: bool
    state: str
    """whole, changed or gone"""
    reason: str
    """Why it is told; empty if it is not."""
    elsewhere: bool = False
    """Whether its planted figure stands elsewhere in the document that has the right one."""
    stops: str = ""
    """The error that stops the gate."""


def bare(text: str) -> str:
    return re.sub(r"[\s*_#|>“”\"'‘’.,;:–-]+", " ", _BRACKET.sub("", text)).strip().lower()


def sentences(text: str) -> list[tuple[int, int]]:
    quotations = find_quotations(text)
    masked = [(q.start, q.citation[1] if q.citation else q.end) for q in quotations]
    spans = divide(text, sorted(masked), draft_fences(text)[0])
    return [
        (s.start, s.end)
        for s in spans
        if s.kind not in ("columns", "heading") and len(bare(text[s.start : s.end]).split()) >= 3
    ]


@cache
def documents(folder: Path) -> list[RevisionView]:
    paths = sorted(path for path in folder.iterdir() if path.is_file())
    return [view for _, view in asyncio.run(read(paths, Path("/nonexistent")))]


def gate_of(case: dict[str, Any], views: Sequence[RevisionView]) -> AnswerGate:
    every = sorted(views, key=lambda view: view.name)
    named = {str(a.get("path_part_id", "")).split(",")[0] for calls in case["calls"] for _, a in calls}
    opened = [v for v in every if v.name in named] or every
    records = [view.passage(0, 0).record() | {"start": None} for view in opened]
    handles = {view.document_id: f"D{n}" for n, view in enumerate(every, 1)}
    return AnswerGate(
        MemorySources(MemoryVerifier(every), records, handles), [case["question"]], shown_results=[v.name for v in every]
    )


def stands_elsewhere(old: str, new: str, views: Sequence[RevisionView]) -> bool:
    """Whether a document that has a figure of the right sentence also has the one that was put in its place."""
    right, wrong = figures(old), figures(new)
    lost = [f for f in right if not any(are_same(f, g) for g in wrong)]
    put = [f for f in wrong if not any(are_same(f, g) for g in right)]
    return any(has_figure(f, v.text) and has_figure(g, v.text) for f in lost for g in put for v in views)


async def run(case: dict[str, Any], number: int, answer: str, views: Sequence[RevisionView], new: str) -> list[Outcome]:
    gate, body, stops = gate_of(case, views), "", ""
    try:
        await shown(answer, gate)
        body = gate.text
    except Exception as error:  # noqa: BLE001 - then nothing of the answer is shown
        stops = repr(error)
    at = answer.find(new) if new else -1
    places, words = sentences(body), []
    words = [bare(body[a:b]) for a, b in places]
    found = []
    for place, (start, end) in enumerate(sentences(answer)):
        sentence = bare(answer[start:end])
        match = next((n for n, other in enumerate(words) if other == sentence), None)
        state = "whole" if match is not None else "gone"
        if match is None:
            shared = [len(set(sentence.split()) & set(other.split())) / max(len(sentence.split()), 1) for other in words]
            match = max(range(len(shared)), key=shared.__getitem__, default=None)
            state = "changed" if match is not None and shared[match] >= 0.5 else "gone"
        told = ""
        if match is not None and state != "gone":
            a, b = places[match]
            told = next((c.reason for c in gate.checks if c.verdict in TOLD and c.start < b and a < c.end), "")
        planted = bool(new) and start < at + len(new) and at < end
        elsewhere = planted and stands_elsewhere(case["planted"][number - 1][0], new, views)
        found.append(Outcome(case["id"], number, place, answer[start:end], planted, state, told, elsewhere, stops))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", type=Path, nargs="+", metavar="SET")
    parser.add_argument("--only")
    parser.add_argument("--show", nargs="*", default=())
    given = parser.parse_args()
    kept = [measure(folder, given.only, given.show) for folder in given.sets]
    if not all(kept):
        sys.exit(1)


def measure(folder: Path, only: str | None, show: Sequence[str]) -> bool:
    """Prints the figures of a set; returns whether the limits are kept."""
    rows: list[Outcome] = []
    cases = [json.loads(line) for line in (folder / "cases.jsonl").open(encoding="utf-8")]
    for case in cases:
        if only and case["id"] != only:
            continue
        views = documents(folder / "documents" / case["documents"])
        for number, (old, new) in enumerate([("", ""), *case.get("planted", [])]):
            answer = case["answer"].replace(old, new) if old else case["answer"]
            rows += asyncio.run(run(case, number, answer, views, new))
    print(f"\nRecorded answers, {folder}")
    return report(rows, {case["id"]: case.get("wrong", []) for case in cases}, show)


def report(rows: Sequence[Outcome], wrong: dict[str, list[str]], show: Sequence[str]) -> bool:
    twins = {(r.case, r.place): r for r in rows if r.run == 0}

    def is_clean(row: Outcome) -> bool:
        twin = twins.get((row.case, row.place))
        return twin is not None and not twin.reason and twin.state == "whole"

    def is_caught(row: Outcome) -> bool:
        return bool(row.reason) or row.state != "whole"

    known = [r for r in rows if not any(part in r.sentence for part in wrong[r.case])]
    right = [r for r in known if r.run == 0]
    planted = [r for r in rows if r.planted]
    caught = [r for r in planted if is_caught(r) and is_clean(r)]
    beside = [r for r in known if r.run and not r.planted and is_clean(r)]
    altered = [r for r in right if r.state != "whole"]
    told, wrongly = sum(bool(r.reason) for r in right), sum(map(is_caught, beside))
    elsewhere = [r for r in planted if r.elsewhere]
    stops = {(r.case, r.run): r.stops for r in rows if r.stops}
    if stops:
        print(f"  answers at which the gate stops: {len(stops)} {sorted(set(stops.values()))}")
    print(
        f"  right sentences told {told} of {len(right)} (at most {MOST_TOLD:.0%}), changed or gone {len(altered)} (at most 0)"
    )
    print(f"  planted errors told, and their right twins not: {len(caught)} of {len(planted)};")
    print(f"  of figures that stand elsewhere in the document: {sum(r in caught for r in elsewhere)} of {len(elsewhere)}")
    print(f"  right sentences beside a planted error told or altered: {wrongly} of {len(beside)} (at most {MOST_BESIDE:.0%})")
    groups = {
        "right": [r for r in right if is_caught(r)],
        "told": caught,
        "missed": [r for r in planted if r not in caught],
        "beside": [r for r in beside if is_caught(r)],
    }
    for group in show:
        for row in groups[group]:
            print(f"{group} {row.case}/{row.run} {row.state}: {row.sentence}\n    {row.reason}")
    return told <= MOST_TOLD * len(right) and not altered and wrongly <= MOST_BESIDE * len(beside)


if __name__ == "__main__":
    main()
