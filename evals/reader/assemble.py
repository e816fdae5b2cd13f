"""Assembles the reader's training file: python evals/reader/assemble.py DATA OUT DATASET [WRITTEN ...].

DATA: train.json.xz of the public and written questions (its form: training_data.py). OUT: the file to write. DATASET: the data folder that the
evaluation measures on; what is said about its contracts and NDAs is left out, and so are the texts of general_texts.json.
WRITTEN: files of further questions (clients.jsonl.xz; missed.jsonl, cases that a trained reader got wrong), a JSON object a line: a whole document {doc, kind, text, passages: [{text, qa: [{q, a}], none}], absent},
or questions about a passage {doc, kind, text, qa, none}. The documents of HELD are marked as held.
"""

from __future__ import annotations

import json
import lzma
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

HERE = Path(__file__).parents[1]
HELD = re.compile(r"s:4[0-6]-|n:55-")
"""Documents that are not trained on: those of calibrate.py, and those of a measure."""
SHARES = {"s": 36.0, "n": 28.0, "q": 12.0}
"""Weights of all answered questions of a source; those of the others stay: the written ones, whole new documents, new passages."""
LONGEST_PASSAGE = 900
"""Characters of the passages into which the rest of a new document is cut."""

Row = dict[str, Any]


def left_out(docs: dict[str, Any], dataset: Path) -> set[str]:
    measured = {file.name for folder in ("contracts", "nda") for file in (dataset / folder).iterdir()}
    calibrated = set(json.loads((HERE / "general_texts.json").read_text(encoding="utf-8")))
    return {
        name
        for name in docs
        if (bare := name.partition(":")[2]) in measured or f"{bare}.txt" in measured or (name[0] == "g" and bare in calibrated)
    }


def rows_of(file: Path) -> Iterator[Row]:
    content = file.read_bytes()
    text = (lzma.decompress(content) if file.suffix == ".xz" else content).decode()
    yield from (json.loads(line) for line in text.split("\n") if line.strip())


def passages_between(text: str) -> Iterator[str]:
    """Paragraphs of what lies between the passages that were asked about, put together up to LONGEST_PASSAGE."""
    part = ""
    for paragraph in re.split(r"\n\s*\n", text):
        if part and len(part) + len(paragraph) > LONGEST_PASSAGE:
            yield part
            part = ""
        part = f"{part}\n\n{paragraph}".strip()
    if len(part) > 40:
        yield part


def add(raw: dict[str, Any], file: Path) -> None:
    for row in rows_of(file):
        if "passages" in row:
            _add_document(raw, row)
        else:
            name = f"q:{row['doc']}"
            docs = raw["docs"].setdefault(name, list(raw["docs"].get(f"s:{row['doc']}", ())))
            docs.append(row["text"])
            _add_questions(raw, name, len(docs) - 1, row)


def _add_document(raw: dict[str, Any], row: Row) -> None:
    name, text, read = f"n:{row['doc']}", row["text"], 0
    passages: list[str] = []
    for passage in sorted(row["passages"], key=lambda passage: text.find(passage["text"])):
        start = text.find(passage["text"])
        passages += [*passages_between(text[read:start]), passage["text"]]
        read = start + len(passage["text"])
        _add_questions(raw, name, len(passages) - 1, passage)
    raw["docs"][name] = [*passages, *passages_between(text[read:])]
    raw["none"] += [[name, question, -1] for question in row["absent"]]


def _add_questions(raw: dict[str, Any], name: str, place: int, row: Row) -> None:
    for asked in row["qa"]:
        start = row["text"].find(asked["a"])
        if start >= 0:
            raw["qa"].append([name, [asked["q"]], place, start, start + len(asked["a"]), 1.0])
    raw["none"] += [[name, question, place] for question in row["none"]]


def main() -> None:
    source, target, dataset, *written = map(Path, sys.argv[1:])
    with lzma.open(source, "rt", encoding="utf-8") as stream:
        raw: dict[str, Any] = json.load(stream)
    out = left_out(raw["docs"], dataset)
    out_texts = {text for name in out if name.startswith("s:") for text in raw["docs"][name]}
    for part in ("qa", "none", "none_public", "heads"):
        raw[part] = [row for row in raw[part] if row[0] not in out]
    raw["nli"] = {name: [row for row in rows if row[0] not in out_texts] for name, rows in raw["nli"].items()}
    raw["docs"] = {name: texts for name, texts in raw["docs"].items() if name not in out}
    for file in written:
        add(raw, file)
    raw["held"] = sorted(name for name in raw["docs"] if HELD.match(name))
    raw["written"] = sorted(name for name in raw["docs"] if name.partition(":")[0] in SHARES)
    held = set(raw["held"])
    for prefix, share in SHARES.items():
        own = [row for row in raw["qa"] if row[0].startswith(f"{prefix}:") and row[0] not in held]
        for row in own:
            row[5] = share / len(own)
    with lzma.open(target, "wt", encoding="utf-8") as stream:
        json.dump(raw, stream, ensure_ascii=False)
    print(f"left out {len(out)} documents; held {len(held)}; {len(raw['qa'])} answers, {len(raw['none'])} near misses")


if __name__ == "__main__":
    main()
