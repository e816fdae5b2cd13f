"""Evaluation task: the cells of a review table (dates, durations, governing law, clauses that are there or not)."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

from orderly.services.columns import fitted_weights
from orderly.services.engines.local import presence_types
from orderly.store.functions.review_cells import Cell, CellValue
from orderly.store.functions.reviews import ColumnQuestion
from orderly_evaluation.bench import Bench
from orderly_evaluation.dataset import Row
from orderly_evaluation.measures import mean

VALUE_SUBJECTS = {
    "agreement_date": "agreement date",
    "effective_date": "effective date",
    "expiration_date": "term and expiry",
    "renewal_term": "renewal",
    "renewal_notice": "notice of non-renewal",
    "governing_law": "governing law",
}
"""Column of the data -> subject."""
MIN_YES = 2
"""Documents with the clause that a yes/no column needs to be averaged."""


async def run(bench: Bench) -> dict[str, Any]:
    gold = bench.data.rows("cells.jsonl")
    matter = await bench.matter("contracts")
    names = set(bench.sample(list(dict.fromkeys(row["doc"] for row in gold))))
    gold = [row for row in gold if row["doc"] in names]
    by_document: dict[str, list[Row]] = defaultdict(list)
    for row in gold:
        by_document[row["doc"]].append(row)
    reviews, worker = bench.services.reviews, bench.operator.rows
    ids = [matter.documents[name] for name in by_document]
    review = await reviews.create(
        bench.caller, matter.id, f"Evaluation {uuid4().hex[:8]}", _columns(gold), document_ids=ids, run=True
    )
    titles = {column["id"]: column["title"] for column in review["columns"]}
    for name in bench.track("review", list(by_document)):
        with _weights(bench.held_out.folder_of(name)):
            await worker.answer(review["id"], matter.documents[name])
    table = await reviews.table(bench.caller, review)
    cells = {(r["document"]["id"], titles[cell["column_id"]]): cell for r in table.rows for cell in r["cells"]}
    rows = [_prediction(row, cells[matter.documents[row["doc"]], row["column"]]) for row in gold]
    bench.write("cells", rows)
    return score(gold, rows)


@contextmanager
def _weights(folder: Path | None) -> Iterator[None]:
    token = fitted_weights.set(lambda _text: folder)
    try:
        yield
    finally:
        fitted_weights.reset(token)


def _columns(gold: Iterable[Row]) -> list[ColumnQuestion]:
    subjects = VALUE_SUBJECTS | {found.name: subject for subject, found in presence_types().items()}
    kinds = {row["column"]: row["kind"] for row in gold}
    return [
        {"title": name, "question": f"{name}?", "answer_type": kind, "options": [], "subject": subjects[name]}
        for name, kind in kinds.items()
    ]


def _prediction(row: Row, cell: Cell) -> Row:
    """The stored cell as `score` and eval/score_cells.py read it."""
    place = cell["citations"][0] if cell["citations"] else None
    return {
        "doc": row["doc"],
        "column": row["column"],
        "state": cell["state"],
        "value": _value(cell["value"]),
        "citation": None if place is None else {"start": place["start"], "end": place["end"]},
    }


def _value(value: CellValue | None) -> Any:
    if value is None:
        return None
    if value["type"] == "yes_no":
        return value.get("yes")
    return "perpetual" if value.get("perpetual") else value.get("jurisdiction") or value.get("iso")


def score(gold: Sequence[Row], rows: Sequence[Row]) -> dict[str, Any]:
    """Right of those present and filled of those absent per kind; F1 of yes/no per column, averaged."""
    by_key = {(row["doc"], row["column"]): row for row in rows}
    present: dict[str, list[bool]] = defaultdict(list)
    absent: dict[str, list[bool]] = defaultdict(list)
    answers: dict[str, list[tuple[bool, bool]]] = defaultdict(list)
    for wanted in gold:
        got = by_key[wanted["doc"], wanted["column"]]
        filled = got["state"] == "found"
        if wanted["kind"] == "yes_no":
            answers[wanted["column"]].append((bool(wanted["value"]), filled and bool(got["value"])))
        elif wanted["value"] is None:
            absent[wanted["kind"]].append(filled)
        else:
            present[wanted["kind"]].append(filled and same_value(wanted["kind"], wanted["value"], got["value"]))
    said = [says for cells in answers.values() for yes, says in cells if not yes]
    quoted = [row["citation"] is not None for row in rows if row["state"] == "found"]
    return {
        "yes_no": {
            "macro_f1": mean(f1(cells) for cells in answers.values() if sum(yes for yes, _ in cells) >= MIN_YES),
            "wrongly_filled": mean(said),
            "labels": {column: round(f1(cells), 3) for column, cells in sorted(answers.items())},
        },
        **{kind: {"right": mean(present[kind]), "wrongly_filled": mean(absent[kind])} for kind in sorted(present)},
        "found_with_citation": mean(quoted),
    }


def f1(cells: Iterable[tuple[bool, bool]]) -> float:
    pairs = list(cells)
    hits = sum(yes and says for yes, says in pairs)
    return 2 * hits / sum(yes + says for yes, says in pairs) if hits else 0.0


def same_value(kind: str, gold: str, got: Any) -> bool:
    """Dates by the parts that the gold has, durations by length, jurisdictions by name without "State of"."""
    if got is None:
        return False
    if kind == "date":
        return str(got) == gold if len(gold) >= 9 else str(got).startswith(gold)
    if kind == "duration":
        return _length(gold) == _length(str(got))
    wanted = {_place(name) for name in gold.split(";")} - {""}
    return bool(wanted & {_place(name) for name in str(got).split(";")})


def _length(value: str) -> Mapping[str, int] | str:
    match = re.fullmatch(r"P(\d+)([YMWD])", value)
    if match is None:
        return value.lower()
    count, unit = int(match[1]), match[2]
    return {"months": count * (12 if unit == "Y" else 1)} if unit in "YM" else {"days": count * (7 if unit == "W" else 1)}


def _place(name: str) -> str:
    words = re.sub(r"\b(the|state|states|commonwealth|province|laws?|of|and)\b", " ", name.lower().split(",")[0])
    return " ".join(re.sub(r"[^a-z ]", " ", words).split())
