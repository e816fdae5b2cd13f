"""Evaluation task: compares the section that a citation names with the label decided by reading the contract."""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from orderly.errors import Invalid
from orderly.models import Section
from orderly.services.policy import PROCESSORS, permitting
from orderly.services.text import find_sections, is_within_section, section_reference
from orderly.wiring.readers import document_processor
from orderly_evaluation.bench import Bench
from orderly_evaluation.dataset import Dataset, Row, read_rows

GOLD = ("section_labels.jsonl", *(f"section_labels_{number}.jsonl" for number in range(2, 5)))
REPOSITORY_GOLD = Path(__file__).parents[1]
_ANY_TITLE = "*"
_TITLE_CHARS = 25
"""Characters of a title that must agree; the rest may be cut at a line end."""

Outcome = Literal["right", "broader", "wrong_title", "wrong", "unlabelled", "unsure_right", "overlabelled"]
"""What is printed, compared with the gold. broader: a section that contains the right one. unlabelled: nothing, although the
gold has a label. unsure_right: nothing, as in the gold. overlabelled: a label, although the gold has none.
"""


async def run(bench: Bench) -> dict[str, Any]:
    gold = gold_rows(bench.data)
    processor = document_processor(bench.services.settings)
    rows: list[Row] = []
    documents = list(dict.fromkeys(row["doc"] for row in gold))
    for document in bench.track("sections", bench.sample(documents)):
        path = bench.data.folder / _file_of(document)
        with permitting(PROCESSORS):
            extracted = await processor.extract(path, path.name)
        found = await asyncio.to_thread(find_sections, extracted.text, extracted.headings, extracted.pages)
        rows += [_judged(_placed(row, extracted.text), found) for row in gold if row["doc"] == document]
    bench.write("sections", rows)
    first = score(row for row in rows if "set" not in row)
    numbers = sorted({row["set"] for row in rows if "set" in row})
    others = {f"set_{number}": score(row for row in rows if row.get("set") == number) for number in numbers}
    return {**first, **others}


def gold_rows(data: Dataset) -> list[Row]:
    """Gold rows of the documents that the data folder holds. The folder's own gold file precedes the repository's."""
    paths = [data.folder / name if data.has(name) else REPOSITORY_GOLD / name for name in GOLD]
    if not paths[0].is_file():
        raise Invalid(f"There is no {GOLD[0]} in the data folder and none in evals/.")
    rows = [row for path in paths if path.is_file() for row in read_rows(path) if data.has(_file_of(row["doc"]))]
    if not rows:
        raise Invalid(f"The data folder holds no document of {GOLD[0]}.")
    return rows


def _file_of(document: str) -> str:
    """The file in the data folder. The contracts of the first set are named without folder and suffix."""
    return document if "/" in document else f"contracts/{document}.txt"


def _placed(row: Row, text: str) -> Row:
    """The row with the offset of its words nearest to where the reader found them when the label was decided."""
    words = row.get("words")
    places = [match.start() for match in re.finditer(re.escape(words), text)] if words else []
    if words and not places:
        raise Invalid(f"{row['doc']} does not contain: {words}")
    return {**row, "start": min(places, key=lambda at: abs(at - row["start"]))} if places else row


def score(rows: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Counts per outcome; shares of printed labels that are right, of gold labels found, of unsure places left unlabelled."""
    counts = Counter(str(row["outcome"]) for row in rows)
    right = counts["right"] + counts["broader"]
    printed = right + counts["wrong_title"] + counts["wrong"] + counts["overlabelled"]
    labelled = printed - counts["overlabelled"] + counts["unlabelled"]
    unsure = counts["unsure_right"] + counts["overlabelled"]
    return {
        "n": sum(counts.values()),
        "counts": dict(sorted(counts.items())),
        "printed_right": _share(right, printed),
        "printed_exact": _share(counts["right"], printed),
        "printed_wrong": _share(printed - right, printed),
        "labels_found": _share(right, labelled),
        "no_label": _share(counts["unlabelled"], labelled),
        "unsure_right": _share(counts["unsure_right"], unsure),
    }


def outcome(gold: Mapping[str, Any], label: str | None, title: str | None) -> Outcome:
    """Judges a printed label and title. A gold row allows several labels where lawyers would differ ("also")."""
    allowed: list[str | None] = [gold["label"], *gold.get("also", ())]
    if label is None and title is None:
        return "unsure_right" if None in allowed else "unlabelled"
    if label is None:
        return (
            "right" if gold["title"] and _same_title(title, gold["title"]) else "overlabelled" if None in allowed else "wrong"
        )
    printed = section_reference(label)
    references = [section_reference(one) for one in allowed if one is not None]
    if printed in references:
        return "right" if title is None or _same_title(title, gold["title"]) else "wrong_title"
    if any(is_within_section(reference, printed) for reference in references):
        return "broader"
    return "overlabelled" if None in allowed else "wrong"


def _judged(gold: Row, found: Sequence[Section]) -> Row:
    at = next((one for one in reversed(found) if one.start <= gold["start"] < one.end), None)
    label, title = (at.label, at.title) if at else (None, None)
    return {**gold, "printed_label": label, "printed_title": title, "outcome": outcome(gold, label, title)}


def _same_title(printed: str | None, gold: str | None) -> bool:
    if gold == _ANY_TITLE or printed is None:
        return True
    one, other = ("".join(char for char in (title or "").lower() if char.isalnum())[:_TITLE_CHARS] for title in (printed, gold))
    return bool(one and other) and (one.startswith(other) or other.startswith(one))


def _share(part: int, whole: int) -> float | None:
    return round(part / whole, 4) if whole else None
