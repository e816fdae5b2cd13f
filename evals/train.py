"""Fits the offline engine's linear models on a data folder and writes them as JSON.

    python evals/train.py DATA --out FOLDER

FOLDER receives weights fitted on all documents, and fold-0 .. fold-4, each fitted without one fifth of the documents, for
`orderly eval --held-out`. To ship the weights, copy those fitted on all documents into the package. Needs scikit-learn 1.9, which
Orderly does not depend on.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix, hstack
from sklearn.linear_model import LogisticRegression

from orderly.services.documents.answer_extraction import STANDARD_CLAUSES
from orderly.services.engines.local.clause_candidates import split_into_passages
from orderly.services.engines.local.clause_types import standard_types
from orderly.services.engines.local.concepts import evidence
from orderly.services.engines.local.folds import FOLDS, fold_of
from orderly.services.engines.local.linear_models import PHRASE_SCALE, PHRASES, features
from orderly.services.engines.local.sentences import fold_case, sentences
from orderly.services.text.sections import find_sections
from orderly_evaluation.dataset import Dataset

SUSPICIOUS_EVIDENCE = 0.77
"""Minimum phrase evidence of a suspicious passage."""
UNLABELLED, POSITIVE = 0.02, 3.0
"""Sample weights of unlabelled passages of contracts and of positives; other texts have weight 1."""
STRENGTH = {"clause_weights.json": 30.0, "concept_weights.json": 20.0}
"""Inverse L2 penalty (scikit-learn's C), for texts scaled to length 1."""
FEATURES_PER_LABEL = {"clause_weights.json": 2_200, "concept_weights.json": 700}
"""Features per label: those with the largest weights of a first fit; the second fit uses only these."""
MIN_WEIGHT = 0.25
"""Smaller weights are dropped."""
MIN_TEXTS = 3
"""Minimum number of texts per feature and per label."""
PROVENANCE = "L2 logistic regression on distinct stems and pairs of stems; {n} texts of {docs} documents of CUAD v1 and LEDGAR (CC BY 4.0), in the version described by the data folder's SOURCES.md."

# CUAD category -> concept of the lexicon.
CONCEPTS = {
    "Document Name": "document title", "Parties": "parties", "Agreement Date": "agreement date",
    "Effective Date": "effective date", "Expiration Date": "term and expiry", "Renewal Term": "renewal",
    "Notice Period To Terminate Renewal": "notice of non-renewal", "Governing Law": "governing law",
    "Most Favored Nation": "most favoured nation", "Non-Compete": "non-compete", "Exclusivity": "exclusivity",
    "Competitive Restriction Exception": "competitive restriction exception",
    "No-Solicit Of Customers": "non-solicitation of customers", "No-Solicit Of Employees": "non-solicitation of employees",
    "Non-Disparagement": "non-disparagement", "Termination For Convenience": "termination for convenience",
    "Rofr/Rofo/Rofn": "right of first refusal", "Change Of Control": "change of control", "Anti-Assignment": "assignment",
    "Revenue/Profit Sharing": "revenue sharing", "Price Restrictions": "price restrictions",
    "Minimum Commitment": "minimum commitment", "Volume Restriction": "volume restriction",
    "Ip Ownership Assignment": "ownership of intellectual property", "Joint Ip Ownership": "joint ownership of intellectual property",
    "License Grant": "license grant", "Non-Transferable License": "non-transferable license",
    "Affiliate License-Licensor": "affiliate rights of the licensor", "Affiliate License-Licensee": "affiliate rights of the licensee",
    "Unlimited/All-You-Can-Eat-License": "unlimited license", "Irrevocable Or Perpetual License": "perpetual license",
    "Source Code Escrow": "source code escrow", "Post-Termination Services": "effects of termination",
    "Audit Rights": "audit rights", "Uncapped Liability": "uncapped liability", "Cap On Liability": "cap on liability",
    "Liquidated Damages": "liquidated damages", "Warranty Duration": "warranty duration", "Insurance": "insurance",
    "Covenant Not To Sue": "covenant not to sue", "Third Party Beneficiary": "third party beneficiary",
}  # fmt: skip


@dataclass
class Example:
    doc: str
    features: list[str]
    labels: set[str]
    unknown: set[str] = field(default_factory=set)
    """Unjudged labels: neither positive nor negative."""
    only: bool = False
    """Whether only `labels` were judged."""
    whole: bool = False
    """Whether the text is a passage of a whole contract; most of these are unlabelled."""
    phrases: tuple[float, ...] = ()
    """Phrase evidence per standard type."""


def clause_examples(data: Dataset) -> Iterator[Example]:
    """Labelled clauses and all passages of the contracts, most of which are hard negatives."""
    for row in data.rows("clauses.jsonl"):
        silver = row["quality"].startswith("silver")
        labels, loose = set(row["labels"]), set(row["loose_labels"])
        phrases = phrase_evidence(row["text"])
        yield Example(row["doc"] or row["id"], features(row["text"]), labels, loose, only=silver, phrases=phrases)
    marked = marked_spans(data)
    for path in data.sources("contracts"):
        text = path.read_text(encoding="utf-8")
        sections = [(s.start, s.end, " ".join(filter(None, (s.label, s.title)))) for s in find_sections(text)]
        for passage in split_into_passages(text, sections):
            span = passage.start, passage.end
            yes, maybe = set(), set()
            for label, clause_type in standard_types().items():
                strict, loose = marked[path.stem, label]
                if any(overlapping(span, other) for other in strict):
                    yes.add(label)
                elif any(touching(span, other) for other in strict + loose) or suspicious(clause_type, passage, text):
                    maybe.add(label)
            words = text[passage.start : passage.end]
            yield Example(path.stem, features(words), yes, maybe, whole=True, phrases=phrase_evidence(words))


def phrase_evidence(text: str) -> tuple[float, ...]:
    return tuple(evidence(clause_type.phrases, fold_case(text)) for clause_type in standard_types().values())


def suspicious(clause_type: Any, passage: Any, text: str) -> bool:
    """Whether headings or phrases indicate the type in a passage that the experts did not label."""
    named = any(clause_type.matches_heading(heading) for _, _, heading in passage.headings)
    return named or clause_type.evidence([text[passage.start : passage.end]])[0] >= SUSPICIOUS_EVIDENCE


def marked_spans(data: Dataset) -> dict[tuple[str, str], tuple[list[tuple[int, int]], list[tuple[int, int]]]]:
    """(document, label) -> (spans of the type, spans that may be of the type)."""
    spans: dict[Any, Any] = defaultdict(lambda: ([], []))
    for row in data.rows("gold.jsonl"):
        if row["our_category"]:
            spans[row["doc"], row["our_category"]][row["map_strength"] != "strict"].extend(answer_spans(row))
    for row in data.rows("sections_silver.jsonl"):
        spans[row["doc"], row["our_category"]][0].append((row["start"], row["end"]))
    return spans


def answer_spans(row: dict[str, Any]) -> Iterator[tuple[int, int]]:
    for answer in row["answers"]:
        for start in (answer["start"], *answer.get("other_starts", ())):
            yield start, start + answer["end"] - answer["start"]


def concept_examples(data: Dataset) -> Iterator[Example]:
    """Every sentence of the contracts, and the experts' spans of other contracts as further positives."""
    marked: dict[tuple[str, str], list[tuple[int, int]]] = defaultdict(list)
    for row in data.rows("gold.jsonl"):
        marked[row["doc"], row["category"]] += answer_spans(row)
    names = [path.stem for path in data.sources("contracts")]
    for name in names:
        text = data.text("contracts", name)
        for s in sentences(text):
            span = s.start, s.end
            yes = {CONCEPTS[c] for c in CONCEPTS if any(overlapping(span, other) for other in marked[name, c])}
            maybe = {CONCEPTS[c] for c in CONCEPTS if any(touching(span, other) for other in marked[name, c])} - yes
            yield Example(name, features(text[s.start : s.end], s.heading), yes, maybe)
    for row in data.rows("clauses.jsonl"):
        if row["quality"].startswith("gold") and row["doc"] not in names:
            yes = {CONCEPTS[c] for c in row["native_labels"] if c in CONCEPTS}
            for s in sentences(row["text"]):
                yield Example(row["doc"], features(row["text"][s.start : s.end]), yes, only=True)


def touching(one: tuple[int, int], other: tuple[int, int]) -> bool:
    return one[0] < other[1] and other[0] < one[1]


def overlapping(one: tuple[int, int], other: tuple[int, int]) -> bool:
    """Whether the overlap covers at least half of the shorter span."""
    common = min(one[1], other[1]) - max(one[0], other[0])
    return 2 * common >= min(one[1] - one[0], other[1] - other[0])


def fit(examples: Sequence[Example], labels: Sequence[str], file: str) -> dict[str, Any]:
    counts: dict[str, int] = defaultdict(int)
    for example in examples:
        for feature in example.features:
            counts[feature] += 1
    names = sorted(f for f, n in counts.items() if n >= MIN_TEXTS)
    matrix = feature_matrix(examples, names)
    if examples[0].phrases:
        names += [PHRASES + label for label in STANDARD_CLAUSES]
        matrix = hstack([matrix, PHRASE_SCALE * csr_matrix([example.phrases for example in examples])]).tocsr()
    fitted = {}
    for label in labels:
        rows, wanted = judged(examples, label)
        if sum(wanted) >= MIN_TEXTS:
            weights = np.where(wanted, POSITIVE, [UNLABELLED if examples[i].whole else 1.0 for i in rows])
            fitted[label] = fit_label(matrix[rows], np.array(wanted), weights, names, file)
    docs = len({example.doc for example in examples})
    return {"provenance": PROVENANCE.format(n=len(examples), docs=docs), "labels": fitted}


def judged(examples: Sequence[Example], label: str) -> tuple[list[int], list[bool]]:
    rows = [i for i, e in enumerate(examples) if label in e.labels or not (e.only or label in e.unknown)]
    return rows, [label in examples[i].labels for i in rows]


def feature_matrix(examples: Sequence[Example], names: Sequence[str]) -> csr_matrix:
    column = {name: i for i, name in enumerate(names)}
    data, indices, starts = [], [], [0]
    for example in examples:
        known = [column[f] for f in example.features if f in column]
        indices += known
        data += [1 / np.sqrt(max(1, len(example.features)))] * len(known)
        starts.append(len(indices))
    return csr_matrix((data, indices, starts), shape=(len(examples), len(names)))


def fit_label(matrix: csr_matrix, wanted: np.ndarray, weights: np.ndarray, names: Sequence[str], file: str) -> dict[str, Any]:
    def regression(part: csr_matrix) -> LogisticRegression:
        return LogisticRegression(C=STRENGTH[file], solver="liblinear", random_state=0).fit(part, wanted, weights)

    kept = np.sort(np.argsort(-np.abs(regression(matrix).coef_[0]), kind="stable")[: FEATURES_PER_LABEL[file]])
    model = regression(matrix[:, kept])
    weights = {names[i]: round(float(w), 1) for i, w in zip(kept, model.coef_[0], strict=True) if abs(w) >= MIN_WEIGHT}
    return {"bias": round(float(model.intercept_[0]), 3), "weights": weights}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--only", choices=list(STRENGTH), help="One model; the other stays as it is.")
    arguments = parser.parse_args()
    data = Dataset(arguments.data)
    sources = {
        "clause_weights.json": (clause_examples, list(STANDARD_CLAUSES)),
        "concept_weights.json": (concept_examples, list(CONCEPTS.values())),
    }
    wanted = [arguments.only] if arguments.only else list(sources)
    models = {file: (list(sources[file][0](data)), sources[file][1]) for file in wanted}
    for fold in (None, *range(FOLDS)):
        folder = arguments.out if fold is None else arguments.out / f"fold-{fold}"
        folder.mkdir(parents=True, exist_ok=True)
        for file, (examples, labels) in models.items():
            seen = [e for e in examples if fold is None or fold_of(e.doc) != fold]
            content = json.dumps(fit(seen, labels, file), ensure_ascii=False, separators=(",", ":")) + "\n"
            (folder / file).write_text(content, encoding="utf-8")
            print(folder / file, len(content))


if __name__ == "__main__":
    main()
