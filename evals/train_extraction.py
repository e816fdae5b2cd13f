"""Fits the extraction weights of known concepts (ranking, reading, confidence, further answers) on top of the concept models of
evals/train.py.

    python evals/train_extraction.py DATA FOLDER

FOLDER is the output of evals/train.py. The features of a document come from the concept model that was not trained on it. Questions
are asked in three wordings, some with their own concept removed from the lexicon, and some are near misses (near_misses.py). Writes
extraction_weights.json for all documents and for each fold. Other questions are the reader's alone (evals/reader). The first
candidates of every second question are read, in the order of a ranking that was fitted without the document's fold.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import near_misses
import numpy as np
from scipy.optimize import minimize
from train import CONCEPTS

from orderly.services.engines.local import FOLDS, answer_types, fold_of, linear_models, model_loader
from orderly.services.engines.local.evidence import FEATURES, Question
from orderly.services.engines.local.extraction import READ, Candidates, Extractor, further_features
from orderly.services.engines.local.extraction_weights import (
    CONFIDENCE_FEATURES,
    FURTHER_FEATURES,
    READING_FEATURES,
    Logistic,
    Weights,
)
from orderly_evaluation.dataset import Dataset, Row
from orderly_evaluation.extraction import is_hit

RANKING_L2, CONFIDENCE_L2, FURTHER_L2 = 0.3, 3.0, 3.0
READ_EVERY = 2
"""Of so many questions one has its candidates read: four weights are fitted on them, and the confidence."""
THRESHOLD = 0.6
"""Confidence from which a question is answered: held out, 1.5 % of what contracts do not answer is (docs/quality.md)."""
FURTHER_THRESHOLD = 0.6
FURTHER_CANDIDATES = 7
ANSWERED, REMOVED, REMOVED_UNANSWERED, HANDWRITTEN, GENERATED = 0.6, 0.25, 0.5, 1.0, 0.35
"""Sample weights relative to unanswerable questions: answered questions (three wordings each), questions with a removed concept
(answered, unanswered), handwritten and generated near misses. Of six mixtures, this one calibrates confidence on ordinary questions
best, held out by document."""
PROVENANCE = (
    "Ranking and reading by conditional logit (L2 {ranking}), confidence and further answers by logistic regression (L2 {confidence} on "
    "standardised features); fitted on {cases} "
    "questions about {docs} CUAD v1 contracts (CC BY 4.0), asked as described in evals/train_extraction.py."
)


@dataclass
class Case:
    doc: str
    weight: float
    ordinary: bool
    """Whether the question is original and its concept is in the lexicon."""
    features: Any
    right: Any
    read: Callable[[Any], Any]
    """Evidence of the candidates -> the reader's relevance of each."""
    rank: Callable[[Any, Any], Any]
    """Logits and relevance -> order of the candidates, features of the confidence."""
    relevance: Any = None
    """Of each candidate; None where they were not read."""


def questions(data: Dataset) -> Iterator[tuple[Row, float, bool, str]]:
    """Yields (row, weight, ordinary, concept to remove from the lexicon)."""
    wordings = other_wordings()
    for number, row in enumerate(sorted(data.rows("gold.jsonl"), key=lambda row: row["doc"])):
        texts = [row["question"], *(wording[row["category"]] for wording in wordings)]
        for text in texts if row["answers"] else [texts[number % 3]]:
            yield {**row, "question": text}, ANSWERED if row["answers"] else 1.0, True, ""
        if row["answers"] or number % 3 == 0:
            yield row, REMOVED if row["answers"] else REMOVED_UNANSWERED, False, CONCEPTS[row["category"]]
    for row in near_misses.handwritten_questions(data):
        yield row, HANDWRITTEN, False, ""
    for row in near_misses.generated_questions(data, wordings):
        yield row, GENERATED, False, ""


def other_wordings() -> list[dict[str, str]]:
    folder = Path(__file__).parent
    return [
        json.loads((folder / name).read_text(encoding="utf-8"))
        for name in ("training_questions.json", "training_questions_2.json")
    ]


def cases(data: Dataset, folder: Path, loader: model_loader.ModelLoader) -> list[Case]:
    found = []
    for row, weight, ordinary, removed in sorted(questions(data), key=lambda item: item[0]["doc"]):
        recogniser = linear_models.load("concept_weights.json", folder / f"fold-{fold_of(row['doc'])}")
        extractor = Extractor(loader, recogniser, NO_WEIGHTS)
        question = Question(row["question"], loader.finder.of_question(row["question"], exclude=removed))
        if question.is_general:  # its concept was removed, and no other comes near: the reader answers it
            continue
        text = data.text("contracts", row["doc"])
        candidates = extractor.candidates(question, text)
        if len(candidates):
            spans = [span_of(candidates, text, number) for number in range(len(candidates))]
            right = np.array([bool(row["answers"]) and is_hit(row, {"start": a, "end": b}) for a, b in spans])

            def read(evidence: Any, e: Any = extractor, c: Any = candidates, t: str = text) -> Any:
                return np.array([reading.relevance for reading in e.read(c, t, evidence, READ)])

            def rank(logits: Any, relevance: Any, e: Any = extractor, c: Any = candidates, t: str = text) -> Any:
                return e.rank(c, t, logits, relevance)

            found.append(Case(row["doc"], weight, ordinary, candidates.features, right, read, rank))
        if len(found) % 500 == 0:
            print(len(found), "questions", flush=True)
    return found


def span_of(candidates: Candidates, text: str, number: int) -> tuple[int, int]:
    sentence = candidates.sentence(number)
    return answer_types.narrow(candidates.question.kind, text, sentence.start, sentence.end)[0]


NO_WEIGHTS = Weights(*[Logistic(np.zeros(1), 0.0)] * 4, threshold=1.0, further_threshold=1.0)


def read_candidates(known: Sequence[Case]) -> None:
    """Adds the relevance of the candidates of every READ_EVERYth question."""
    rankings = [fit_ranking([evidence_of(case) for case in known if fold_of(case.doc) != fold]) for fold in range(FOLDS)]
    chosen = known[::READ_EVERY]
    for number, case in enumerate(chosen):
        case.relevance = case.read(case.features @ rankings[fold_of(case.doc)])
        if number % 500 == 0:
            print(number, "of", len(chosen), "questions read", flush=True)


def evidence_of(case: Case) -> tuple[float, Any, Any]:
    return case.weight, case.features, case.right


def fit(every: Sequence[Case]) -> dict[str, Any]:
    ranking, known = fit_ranking([evidence_of(case) for case in every]), [case for case in every if case.relevance is not None]
    read = [np.column_stack([case.features @ ranking, case.relevance]) for case in known]
    reading = fit_ranking([(case.weight, features, case.right) for case, features in zip(known, read, strict=True)])
    cases = list(zip(known, read, strict=True))
    bias = -float(np.median([(features @ reading)[case.right].max() for case, features in cases if case.right.any()]))
    described = [(case, logits := features @ reading + bias, *case.rank(logits, case.relevance)) for case, features in cases]
    ranked = [(case, logits, order) for case, logits, order, _ in described]
    confidence_features = np.array([features for *_, features in described])
    right = np.array([case.right[order[0]] for case, _, order in ranked])
    weights = np.array([case.weight for case in known])
    confidence, confidence_bias = fit_logistic(confidence_features, right, weights, CONFIDENCE_L2)
    further, further_bias = fit_further(
        [(case.features, logits, order, case.right) for case, logits, order in ranked if case.ordinary]
    )
    names = {"cases": len(every), "docs": len({case.doc for case in every})}
    return {
        "provenance": PROVENANCE.format(ranking=RANKING_L2, confidence=CONFIDENCE_L2, **names),
        "ranking": weights_by_name(FEATURES, ranking, 0.0),
        "reading": weights_by_name(READING_FEATURES, reading, bias),
        "confidence": weights_by_name(CONFIDENCE_FEATURES, confidence, confidence_bias),
        "further": weights_by_name(FURTHER_FEATURES, further, further_bias),
        "threshold": THRESHOLD,
        "further_threshold": FURTHER_THRESHOLD,
    }


def fit_further(ranked: Sequence[tuple[Any, Any, Any, Any]]) -> tuple[Any, float]:
    """`ranked`: features, logits, order and which are right, of the candidates of each question."""
    others = [(further_features(features, logits, order)[:FURTHER_CANDIDATES], right[order[1 : FURTHER_CANDIDATES + 1]])
              for features, logits, order, right in ranked if len(order) > 1 and right[order[0]]]  # fmt: skip
    return fit_logistic(np.concatenate([x for x, _ in others]), np.concatenate([y for _, y in others]), None, FURTHER_L2)


def weights_by_name(features: Sequence[str], weights: Any, bias: float) -> dict[str, float]:
    """The weights that are not zero."""
    return {
        "bias": round(bias, 3),
        **{name: round(float(w), 3) for name, w in zip(features, weights, strict=True) if abs(w) >= 5e-4},
    }


def fit_ranking(known: Sequence[tuple[float, Any, Any]]) -> Any:
    """`known`: weight, features of the candidates and which are right, of each question."""
    ranked = [(weight, features, right) for weight, features, right in known if right.any() and not right.all()]

    def loss(weights: Any) -> tuple[float, Any]:
        """Negative log-likelihood that a right candidate is chosen, with its gradient."""
        total, gradient = RANKING_L2 * weights @ weights / 2, RANKING_L2 * weights
        for weight, features, right in ranked:
            logits = features @ weights
            probabilities = np.exp(logits - logits.max())
            probabilities /= probabilities.sum()
            won = probabilities[right].sum()
            total -= weight * np.log(won)
            gradient = gradient + weight * (features.T @ probabilities - features[right].T @ (probabilities[right] / won))
        return total, gradient

    return minimize(loss, np.zeros(ranked[0][1].shape[1]), jac=True, method="L-BFGS-B").x


def fit_logistic(features: Any, wanted: Any, weights: Any, penalty: float) -> tuple[Any, float]:
    """Weights and bias for the raw features; the penalty applies to standardised features."""
    centre, spread = features.mean(axis=0), features.std(axis=0) + 1e-9
    x, y = (features - centre) / spread, wanted.astype(float)
    scale = np.ones(len(y)) if weights is None else weights

    def loss(parameters: Any) -> tuple[float, Any]:
        logits = x @ parameters[:-1] + parameters[-1]
        probabilities = 1 / (1 + np.exp(-logits))
        total = np.sum(scale * (np.logaddexp(0, logits) - y * logits)) + penalty * parameters[:-1] @ parameters[:-1] / 2
        gradient = np.append(
            x.T @ (scale * (probabilities - y)) + penalty * parameters[:-1], (scale * (probabilities - y)).sum()
        )
        return total, gradient

    found = minimize(loss, np.zeros(x.shape[1] + 1), jac=True, method="L-BFGS-B").x
    return found[:-1] / spread, float(found[-1] - centre @ (found[:-1] / spread))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("weights", type=Path)
    arguments = parser.parse_args()
    model_loader.CACHED_VECTORS = 1_000_000  # all folds embed the same sentences
    known = cases(Dataset(arguments.data), arguments.weights, model_loader.ModelLoader(threads=2))
    read_candidates(known)
    for fold in (None, *range(FOLDS)):
        folder = arguments.weights if fold is None else arguments.weights / f"fold-{fold}"
        fitted = fit([case for case in known if fold is None or fold_of(case.doc) != fold])
        file = folder / "extraction_weights.json"
        file.write_text(json.dumps({"known": fitted}, indent=1) + "\n", encoding="utf-8")
        print(folder, fitted["ranking"], fitted["threshold"])


if __name__ == "__main__":
    main()
