"""Fits the model that decides whether a document contains a clause, and writes it as JSON.

    python evals/train_presence.py DATA --weights FOLDER

FOLDER holds the weights that evals/train.py wrote for the same data, with fold-0 .. fold-4; each receives presence_weights.json.
The signals of a document come from the concept model that was fitted without it. A fold's file is fitted without the documents of
that fold. To ship the weights, copy FOLDER/presence_weights.json into the package. Needs scikit-learn, which Orderly does not
depend on.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression

from orderly.services.engines.local.folds import FOLDS, fold_of
from orderly.services.engines.local.presence import SIGNALS, FittedPresence, PresenceReader
from orderly.services.engines.local.presence_types import presence_types
from orderly_evaluation.dataset import Dataset
from orderly_evaluation.review import f1

RELATIVE = ("best", "second", "strong_best", "weak")
"""Signals whose usual size differs by type; they are compared with the documents that the model was fitted on."""
STRENGTH = 0.2
"""Inverse L2 penalty (scikit-learn's C), for standardised signals."""
OFFSET_SCALE = 0.5
"""Scale of the offset per type: the smaller, the closer the types' offsets stay together."""
SMALLEST_SPREAD = 0.5
LOWEST, HIGHEST = 0.12, 0.5
"""Range of the thresholds."""
PROVENANCE = "Logistic regression on {n} cells of {docs} documents of CUAD v1 (CC BY 4.0), in the version described by the data folder's SOURCES.md."


@dataclass(frozen=True)
class Cell:
    doc: str
    subject: str
    signals: tuple[float, ...]
    present: bool


def read_cells(data: Dataset, weights: Path) -> list[Cell]:
    by_doc: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in data.rows("cells.jsonl"):
        if row["kind"] == "yes_no":
            by_doc[row["doc"]].append(row)
    types = {found.name: found for found in presence_types().values()}
    cells = []
    for doc, rows in by_doc.items():
        reader = PresenceReader(data.text("contracts", doc), weights / f"fold-{fold_of(doc)}", fitted=False)
        for row in rows:
            wanted = types[row["column"]]
            cells.append(Cell(doc, wanted.subject, tuple(reader.signals(wanted)[0]), bool(row["value"])))
    return cells


def fit(cells: Sequence[Cell]) -> dict[str, Any]:
    subjects = sorted({cell.subject for cell in cells})
    usual = {subject: usual_signals([cell for cell in cells if cell.subject == subject]) for subject in subjects}
    signals = np.array([relative(cell, usual[cell.subject]) for cell in cells])
    mean, scale = signals.mean(axis=0), signals.std(axis=0) + 1e-9
    offsets = np.array([[OFFSET_SCALE * (cell.subject == subject) for subject in subjects] for cell in cells])
    model = LogisticRegression(C=STRENGTH, max_iter=3_000).fit(
        np.hstack([(signals - mean) / scale, offsets]), [cell.present for cell in cells]
    )
    weights = model.coef_[0][: len(SIGNALS)] / scale
    fitted: dict[str, Any] = {
        "provenance": PROVENANCE.format(n=len(cells), docs=len({cell.doc for cell in cells})),
        "bias": round(float(model.intercept_[0] - weights @ mean), 4),
        "weights": dict(zip(SIGNALS, (round(float(w), 4) for w in weights), strict=True)),
        "types": {
            subject: {"offset": round(float(w) * OFFSET_SCALE, 4), "usual": usual[subject], "threshold": 0.5}
            for subject, w in zip(subjects, model.coef_[0][len(SIGNALS) :], strict=True)
        },
    }
    judge = FittedPresence(fitted).judge
    for subject in subjects:
        found = [judge(subject, list(cell.signals))[0] for cell in cells if cell.subject == subject]
        fitted["types"][subject]["threshold"] = best_threshold(found)
    return fitted


def usual_signals(cells: Sequence[Cell]) -> dict[str, tuple[float, float]]:
    """Mean and spread of the relative signals."""
    found = {name: [cell.signals[SIGNALS.index(name)] for cell in cells] for name in RELATIVE}
    return {name: (round(float(np.mean(v)), 3), round(max(float(np.std(v)), SMALLEST_SPREAD), 3)) for name, v in found.items()}


def relative(cell: Cell, usual: dict[str, tuple[float, float]]) -> list[float]:
    return [
        (value - usual[name][0]) / usual[name][1] if name in usual else value
        for name, value in zip(SIGNALS, cell.signals, strict=True)
    ]


def best_threshold(probabilities: Sequence[float]) -> float:
    """The threshold with the highest F1 that the probabilities let expect, where a rare type needs a low one."""
    ranked = np.sort(probabilities)[::-1]
    expected = 2 * np.cumsum(ranked) / (np.arange(1, len(ranked) + 1) + ranked.sum())
    best = int(expected.argmax())
    following = ranked[best + 1] if best + 1 < len(ranked) else 0.0
    return round(float(min(max((ranked[best] + following) / 2, LOWEST), HIGHEST)), 3)


def macro_f1(cells: Sequence[Cell], said: Sequence[bool]) -> float:
    by_subject: dict[str, list[tuple[bool, bool]]] = defaultdict(list)
    for cell, says in zip(cells, said, strict=True):
        by_subject[cell.subject].append((cell.present, says))
    return float(np.mean([f1(pairs) for pairs in by_subject.values() if sum(yes for yes, _ in pairs) >= 2]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--weights", type=Path, required=True)
    arguments = parser.parse_args()
    cells = read_cells(Dataset(arguments.data), arguments.weights)
    said: dict[Cell, bool] = {}
    for fold in range(FOLDS):
        fitted = fit([cell for cell in cells if fold_of(cell.doc) != fold])
        write(arguments.weights / f"fold-{fold}", fitted)
        judge = FittedPresence(fitted).judge
        for cell in cells:
            if fold_of(cell.doc) == fold:
                probability, threshold = judge(cell.subject, list(cell.signals))
                said[cell] = probability >= threshold
    print("macro-F1, held out by document:", round(macro_f1(cells, [said[cell] for cell in cells]), 4))
    write(arguments.weights, fit(cells))


def write(folder: Path, fitted: dict[str, Any]) -> None:
    (folder / "presence_weights.json").write_text(json.dumps(fitted, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
