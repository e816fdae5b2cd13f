"""Fits which sentence answers a question, and whether it does, on top of the concept models of evals/train.py.

    python evals/train_extraction.py DATA FOLDER --models FOLDER_FOR_THE_EMBEDDING_MODEL

FOLDER is the output of evals/train.py. Every document's features come from the concept model that was not trained on it, as
they will for a document nobody has seen. Every second question is asked in the words of training_questions.json, so that the
weights don't lean on one wording. Writes extraction_weights.json beside the other weights, for all and for each fold.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import minimize

from orderly.evaluation.dataset import Dataset, Row
from orderly.evaluation.extraction import _hit as hit
from orderly.services.local_engine import answer_types, learned
from orderly.services.local_engine.evidence import FEATURES, Question
from orderly.services.local_engine.extraction import CONFIDENCE_FEATURES, Extractor, confidence_features, fitted_weights
from orderly.services.local_engine.loading import Loader

RANKING_L2, CONFIDENCE_L2 = 0.3, 1.0
WRONGLY_ANSWERED = 0.015
"""Share of the unanswerable questions that the threshold lets through."""
PROVENANCE = (
    "Ranking by conditional logit (L2 {r}), confidence by logistic regression (L2 {c}), threshold where {w:.1%} of the "
    "unanswerable questions would be answered; fitted on {n} questions about {d} CUAD v1 contracts (CC BY 4.0), every "
    "second one in the words of evals/training_questions.json. 'focus' was not fitted."
)


@dataclass
class Case:
    doc: str
    question: Question
    features: Any
    right: Any
    impossible: bool


def cases(data: Dataset, weights: Path, loader: Loader) -> list[Case]:
    reworded = json.loads((Path(__file__).parent / "training_questions.json").read_text(encoding="utf-8"))
    found = []
    for number, row in enumerate(sorted(data.rows("gold.jsonl"), key=lambda row: row["doc"])):
        asked = reworded[row["category"]] if number % 2 else row["question"]
        recogniser = learned.load("concept_weights.json", weights / f"fold-{learned.fold_of(row['doc'])}")
        extractor = Extractor(loader.finder, loader.embed, recogniser, fitted_weights())
        question = Question(asked, loader.finder.of(asked))
        text = data.text("contracts", row["doc"])
        sentences, features = extractor.candidates(question, text, ())
        right = [_right(row, text, question, s) for s in sentences]
        found.append(Case(row["doc"], question, features, np.array(right, bool), not row["answers"]))
    return found


def _right(row: Row, text: str, question: Question, sentence: Any) -> bool:
    start, end = answer_types.narrowed(question.kind, text, sentence.start, sentence.end)
    return bool(row["answers"]) and hit(row, {"start": start, "end": end})


def fit(known: Sequence[Case]) -> dict[str, Any]:
    ranked = [case for case in known if case.right.any() and not case.right.all()]
    ranking = minimize(_ranking_loss, np.zeros(len(FEATURES)), args=(ranked,), jac=True, method="L-BFGS-B").x
    bias = _bias(ranked, ranking)
    x, y = confidence_rows(known, ranking, bias)
    start = np.zeros(x.shape[1] + 1)
    confidence = minimize(_logistic_loss, start, args=(x, y), jac=True, method="L-BFGS-B").x
    scores = 1 / (1 + np.exp(-(x @ confidence[:-1] + confidence[-1])))
    impossible = np.array([case.impossible for case in known])
    threshold = float(np.quantile(scores[impossible], 1 - WRONGLY_ANSWERED))
    names = (len(known), len({case.doc for case in known}))
    return {
        "provenance": PROVENANCE.format(r=RANKING_L2, c=CONFIDENCE_L2, w=WRONGLY_ANSWERED, n=names[0], d=names[1]),
        "ranking": dict(zip(FEATURES, np.round(ranking, 3).tolist(), strict=True)),
        "bias": bias,
        "confidence": dict(zip(CONFIDENCE_FEATURES, np.round(confidence[:-1], 3).tolist(), strict=True)),
        "confidence_bias": round(float(confidence[-1]), 3),
        "threshold": round(threshold, 3),
    }


def _ranking_loss(weights: Any, known: Sequence[Case]) -> tuple[float, Any]:
    """Minus the log-likelihood that some right candidate is chosen."""
    loss, gradient = RANKING_L2 * weights @ weights / 2, RANKING_L2 * weights
    for case in known:
        chances = np.exp(case.features @ weights - (case.features @ weights).max())
        chances /= chances.sum()
        won = chances[case.right].sum()
        loss -= np.log(won)
        gradient = gradient + case.features.T @ chances - case.features[case.right].T @ (chances[case.right] / won)
    return loss, gradient


def _logistic_loss(weights: Any, x: Any, y: Any) -> tuple[float, Any]:
    logits = x @ weights[:-1] + weights[-1]
    chances = 1 / (1 + np.exp(-logits))
    penalty = CONFIDENCE_L2 * weights[:-1] @ weights[:-1] / 2
    loss = np.sum(np.logaddexp(0, logits) - y * logits) + penalty
    gradient = np.append(x.T @ (chances - y) + CONFIDENCE_L2 * weights[:-1], (chances - y).sum())
    return loss, gradient


def confidence_rows(known: Sequence[Case], ranking: Any, bias: float) -> tuple[Any, Any]:
    rows, wanted = [], []
    for case in known:
        logits = case.features @ ranking + bias
        order = np.argsort(-logits, kind="stable")
        rows.append(confidence_features(case.question, case.features, logits, order))
        wanted.append(bool(case.right[order[0]]))
    return np.array(rows), np.array(wanted, float)


def _bias(known: Sequence[Case], ranking: Any) -> float:
    """Puts the right candidates' typical logit at zero, so that scores use the range from 0 to 1."""
    return round(-float(np.median([(case.features @ ranking)[case.right].max() for case in known])), 3)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("weights", type=Path)
    parser.add_argument("--models", type=Path, required=True)
    arguments = parser.parse_args()
    known = cases(Dataset(arguments.data), arguments.weights, Loader(arguments.models, threads=2))
    for fold in (None, *range(learned.FOLDS)):
        folder = arguments.weights if fold is None else arguments.weights / f"fold-{fold}"
        content = fit([case for case in known if fold is None or learned.fold_of(case.doc) != fold])
        (folder / "extraction_weights.json").write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
        print(folder, content["ranking"], content["threshold"])


if __name__ == "__main__":
    main()
