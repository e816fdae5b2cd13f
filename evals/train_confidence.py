"""Fits the confidence and the threshold of general questions, after evals/train_extraction.py.

    python evals/train_confidence.py DOCUMENTS WEIGHTS

DOCUMENTS holds the files that general_documents.tsv names; short texts are in general_texts.json. No document and no question
(general_questions.jsonl) is in data/wild, though some publishers are. WEIGHTS has extraction_weights.json, and may have one per fold
in fold-0 .. fold-4. Each question is asked as it stands; of its document without the sentences that answer it; of a few sentences
around the answer, and of some without it; and of a document of another kind. The threshold comes from confidences held out by kind.
"""

from __future__ import annotations

import csv
import hashlib
import json
import random
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from train_extraction import CONFIDENCE_L2, fit_logistic, weights_by_name

from orderly.evaluation.wild_figures import is_hit
from orderly.services.engines.local import extraction_weights, linear_models, model_loader, provisions
from orderly.services.engines.local.evidence import Question
from orderly.services.engines.local.extraction import Extractor, provision
from orderly.services.engines.local.sentences import sentences

HERE = Path(__file__).parent
WRONGLY_ANSWERED = 0.06
"""Share of the unanswerable questions, as they were written, that are answered at the threshold."""
MADE = 0.5
"""Weight of a case made by changing the document."""
FEWEST, MOST = 3, 10
"""Sentences of a short text."""
LONGEST = 80_000
"""Characters of a document that a question about another is asked of."""
PROVENANCE = (
    "confidence by logistic regression (L2 {penalty} on standardised features) on {cases} questions about {docs} documents of other "
    "kinds (evals/train_confidence.py), threshold where {wrongly:.0%} of the unanswerable ones would be answered, held out by kind."
)


@dataclass(frozen=True)
class Case:
    kind: str
    question: str
    text: str
    answers: tuple[str, ...]
    weight: float = 1.0
    written: bool = True
    """The question is asked as it was written, of its own whole document."""


def texts(folder: Path) -> dict[str, str]:
    found: dict[str, str] = json.loads((HERE / "general_texts.json").read_text(encoding="utf-8"))
    with (HERE / "general_documents.tsv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            content = (folder / row["file"]).read_bytes()
            if hashlib.sha256(content).hexdigest() != row["sha256"]:
                sys.exit(f"{row['file']} is not the file that the questions are about.")
            found[row["file"]] = content.decode()
    return found


def cases(documents: dict[str, str]) -> Iterator[Case]:
    chance = random.Random(5)  # noqa: S311 - a fixed choice
    rows = [json.loads(line) for line in (HERE / "general_questions.jsonl").read_text(encoding="utf-8").splitlines()]
    kinds = {row["doc"]: row["kind"] for row in rows}
    for row in rows:
        case = Case(row["kind"], row["question"], documents[row["doc"]], tuple(row["answers"]))
        yield case
        yield from _changed(case, chance)
        others = [doc for doc, kind in kinds.items() if kind != row["kind"] and len(documents[doc]) < LONGEST]
        yield replace(case, text=documents[chance.choice(others)], answers=(), written=False)


def _changed(case: Case, chance: random.Random) -> Iterator[Case]:
    """The document without the answer, a few sentences around it, and a few elsewhere."""
    made = replace(case, weight=MADE, written=False)
    found = sentences(case.text)
    parts = [case.text[s.start : s.end] for s in found]
    answering = [i for i, part in enumerate(parts) if any(_says(part, answer) for answer in case.answers)]
    if answering:
        without = case.text
        for i in reversed(answering):
            without = without[: found[i].start] + without[found[i].end :]
        yield replace(made, text=without, answers=())
        size = chance.randint(FEWEST, MOST) + answering[-1] - answering[0]
        first = max(0, answering[0] - chance.randint(0, FEWEST))
        yield replace(made, text=case.text[found[first].start : found[min(first + size, len(found) - 1)].end])
    size = chance.randint(FEWEST, MOST)
    places = [i for i in range(len(found) - size) if not set(answering) & set(range(i, i + size))]
    if places and len(found) > FEWEST * MOST:
        first = chance.choice(places)
        yield replace(made, text=case.text[found[first].start : found[first + size - 1].end], answers=())


def _says(part: str, answer: str) -> bool:
    """Whether the sentence holds the answer, or is a part of it."""
    return is_hit(part, [answer]) or (len(part) > 20 and is_hit(answer, [part]))


def features(known: list[Case], loader: model_loader.ModelLoader, folder: Path) -> tuple[Any, Any]:
    """provisions.FEATURES of each case, and whether its best answer is right."""
    weights = extraction_weights.load(folder)
    extractor = Extractor(loader.finder, loader.embed, linear_models.load("concept_weights.json", folder), weights)
    described, right = [], []
    for case in known:
        found = extractor.candidates(Question(case.question, ()), case.text)
        if not len(found):
            described.append(np.zeros(len(provisions.FEATURES)))
            right.append(False)
            continue
        order, own = extractor.rank(found, case.text, weights.general.logits(found.features) + found.outcome)
        start, end = provision(found, order[0])
        described.append(own)
        right.append(is_hit(case.text[start:end], case.answers))
    return np.array(described), np.array(right)


def held_out(described: Any, right: Any, weights: Any, kinds: Any) -> Any:
    """Each case's log-odds by a fit without the questions about documents of its kind."""
    logits = np.zeros(len(right))
    for kind in set(kinds):
        own = kinds == kind
        fitted, bias = fit_logistic(described[~own], right[~own], weights[~own], CONFIDENCE_L2)
        logits[own] = described[own] @ fitted + bias
    return logits


def main() -> None:
    documents, target = texts(Path(sys.argv[1])), Path(sys.argv[2])
    model_loader.CACHED_VECTORS = 1_000_000
    known, loader = list(cases(documents)), model_loader.ModelLoader(threads=2)
    kinds, weights = np.array([case.kind for case in known]), np.array([case.weight for case in known])
    written = np.array([case.written for case in known])
    answerable = np.array([bool(case.answers) for case in known])
    for folder in (target, *sorted(target.glob("fold-*"))):
        described, right = features(known, loader, folder)
        confidences = 1 / (1 + np.exp(-held_out(described, right, weights, kinds)))
        threshold = round(float(np.quantile(confidences[written & ~answerable], 1 - WRONGLY_ANSWERED)), 3)
        fitted, bias = fit_logistic(described, right, weights, CONFIDENCE_L2)
        file = folder / "extraction_weights.json"
        content = json.loads(file.read_text(encoding="utf-8"))
        general = content["general"]
        provenance = PROVENANCE.format(
            penalty=CONFIDENCE_L2, wrongly=WRONGLY_ANSWERED, cases=int(written.sum()), docs=len(documents)
        )
        general["provenance"] = f"{general['provenance'].partition('; confidence by')[0].rstrip('.')}; {provenance}"
        general |= {"confidence": weights_by_name(provisions.FEATURES, fitted, bias), "threshold": threshold}
        file.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
        shown = confidences >= threshold
        print(folder, general["confidence"], threshold)
        for kind in sorted(set(kinds)):
            own = written & (kinds == kind)
            print(f"  {kind}: shown {(own & shown).sum()}, right {(own & shown & right).sum()} of {(own & answerable).sum()}, "
                  f"unanswerable {(own & shown & ~answerable).sum()} of {(own & ~answerable).sum()}")  # fmt: skip
        for name, group in (("as written", written), ("of another kind", ~written & (weights == 1)), ("changed", weights < 1)):
            print(f"  {name}: precision {right[group & shown].mean():.3f}, right {(group & shown & right).sum()} of "
                  f"{(group & answerable).sum()}, unanswerable {shown[group & ~answerable].mean():.3f}")  # fmt: skip


if __name__ == "__main__":
    main()
