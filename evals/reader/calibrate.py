"""Fits the confidence of general answers and writes it into the package, with a table of its reliability.

    python evals/reader/calibrate.py WRITTEN DOCUMENTS

WRITTEN: `written.jsonl.gz` of the reader's training data, of which the whole documents named 40-* to 46-* are taken: leases, loans, wills,
decisions, policies and others that were written after the shipped weights were trained. DOCUMENTS: `documents.json.gz` beside it. Added
are the questions of general_questions.jsonl about the texts of general_texts.json, on which the reader was not trained. A question
that a passage does not answer counts as unanswered where the reader's answer stands in that passage; each question is also asked of a document of
another kind. Everything is held out by kind; prints precision and share answered at thresholds.
"""

from __future__ import annotations

import gzip
import json
import random
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression

from orderly.services.engines.local import general_answers
from orderly.services.engines.local.model_loader import ModelLoader

sys.path.insert(0, str(Path(__file__).parents[1]))
from orderly_evaluation.wild_figures import is_hit

HERE = Path(__file__).parents[1]
TARGET = HERE.parent / "apps/agent/src/orderly/services/engines/local/reader_confidence.json"
WRONGLY_ANSWERED = 0.03
"""Share of the unanswerable questions that are answered at the threshold, held out by kind."""
ELSEWHERE = 0.25
"""Share of the questions that are also asked of another document."""


@dataclass(frozen=True)
class Case:
    kind: str
    question: str
    text: str
    answers: tuple[str, ...]


def cases(written: Path, documents: Path) -> Iterator[Case]:
    chance = random.Random(7)  # noqa: S311 - a fixed choice
    with gzip.open(documents, "rt", encoding="utf-8") as file:
        texts: dict[str, Any] = json.load(file)
    with gzip.open(written, "rt", encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    own = [row for row in rows if row["doc"][:2] in {"40", "41", "42", "43", "44", "45", "46"} and row["doc"] in texts]
    names = sorted({row["doc"] for row in own})
    whole = {name: texts[name] if isinstance(texts[name], str) else texts[name]["text"] for name in names}
    for row in own:
        asked = chance.choice(row["qa"])
        yield Case(row["kind"], asked["q"], whole[row["doc"]], (asked["a"],))
        if chance.random() < ELSEWHERE:
            yield Case(row["kind"], asked["q"], whole[chance.choice([name for name in names if name != row["doc"]])], ())
        if row["none"]:
            yield Case(row["kind"], chance.choice(row["none"]), row["text"], ())
    short = json.loads((HERE / "general_texts.json").read_text(encoding="utf-8"))
    for line in (HERE / "general_questions.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        if row["doc"] in short:
            text = short[row["doc"]]
            answers = tuple(text[start:end] for start, end in (*row["answers"], *row.get("also", ())))
            yield Case(row["kind"], row["question"], text, answers)


def main() -> None:
    known = list(cases(Path(sys.argv[1]), Path(sys.argv[2])))
    loader = ModelLoader(threads=2)
    rows, right = [], []
    for number, case in enumerate(known):
        found = general_answers.read(case.question, case.text, loader.reader, loader.meaning.embed)
        rows.append(general_answers.features(found))
        right.append(bool(case.answers) and is_hit(case.text[found[0].start : found[0].end], case.answers))
        if number % 100 == 0:
            print(number, "of", len(known), flush=True)
    x, y = np.array(rows), np.array(right)
    kinds = np.array([case.kind for case in known])
    answerable = np.array([bool(case.answers) for case in known])
    held = np.zeros(len(y))
    for kind in set(kinds.tolist()):
        held[kinds == kind] = _fit(x[kinds != kind], y[kinds != kind]).predict_proba(x[kinds == kind])[:, 1]
    threshold = float(np.quantile(held[~answerable], 1 - WRONGLY_ANSWERED))
    print(f"{len(y)} cases, {answerable.sum()} answerable, right {y[answerable].mean():.3f}; threshold {threshold:.3f}")
    for edge in (0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, threshold):
        shown = held >= edge
        print(
            f"from {edge:.2f}: precision {y[shown].mean():.3f}, right {(y & shown)[answerable].mean():.3f}, wrongly {shown[~answerable].mean():.3f}"
        )
    for low in np.arange(0, 1, 0.1):
        band = (held >= low) & (held < low + 0.1)
        if band.sum():
            print(f"| {low:.1f} to {low + 0.1:.1f} | {band.sum()} | {held[band].mean():.2f} | {y[band].mean():.2f} |")
    model = _fit(x, y)
    fitted = dict(zip(general_answers.FEATURES, model.coef_[0].round(4).tolist(), strict=True))
    written = {"bias": round(float(model.intercept_[0]), 4), **fitted, "threshold": round(threshold, 4)}
    TARGET.write_text(json.dumps(written) + "\n", encoding="utf-8")
    print(written)


def _fit(x: Any, y: Any) -> LogisticRegression:
    return LogisticRegression(C=1.0).fit(x, y)


if __name__ == "__main__":
    main()
