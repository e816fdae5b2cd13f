"""Fits ranking, confidence and threshold of general questions, after evals/train_extraction.py and evals/train_answers.py.

    python evals/train_general.py DOCUMENTS WEIGHTS

DOCUMENTS holds the files that general_documents.tsv names; short texts are in general_texts.json. No document and no question
(general_questions.jsonl) is in data/wild or was seen by the model of answers, though some publishers are the same. WEIGHTS has
extraction_weights.json, and may have one per fold in fold-0 .. fold-4; all get the same weights. Each question is asked as it stands; of
its document without the sentences that answer it; of a few sentences around the answer, and of some without it; and of a document of
another kind. The order is fitted on the questions as they stand. The threshold comes from confidences held out by kind.
"""

from __future__ import annotations

import csv
import hashlib
import json
import random
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from train_extraction import CONFIDENCE_L2, RANKING_L2, fit_further, fit_logistic, fit_ranking, weights_by_name

from orderly.evaluation.wild_figures import is_hit
from orderly.services.engines.local import extraction_weights, linear_models, model_loader, provisions
from orderly.services.engines.local.evidence import FEATURES, Question
from orderly.services.engines.local.extraction import Candidates, Extractor, provision
from orderly.services.engines.local.extraction_weights import FURTHER_FEATURES, Logistic
from orderly.services.engines.local.sentences import sentences

HERE = Path(__file__).parent
WRONGLY_ANSWERED = 0.035
"""Share of the unanswerable questions, as they were written, that are answered at the threshold."""
MADE = 0.5
"""Weight of a case made by changing the document."""
FEWEST, MOST = 3, 10
"""Sentences of a short text."""
LONGEST = 80_000
"""Characters of a document that a question about another is asked of."""
PROVENANCE = (
    f"Ranking by conditional logit (L2 {RANKING_L2}), confidence and further answers by logistic regression (L2 {CONFIDENCE_L2} on standardised features) "
    "on {cases} questions about {docs} documents of other kinds (evals/train_general.py), threshold where "
    f"{WRONGLY_ANSWERED:.1%} of the unanswerable ones would be answered, held out by kind."
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


def rows_of_questions() -> list[dict[str, Any]]:
    return [json.loads(line) for line in (HERE / "general_questions.jsonl").read_text(encoding="utf-8").splitlines()]


def answers_of(row: dict[str, Any], text: str) -> tuple[str, ...]:
    """`answers` and `also` hold offsets in the document: what is needed, and what would answer as well."""
    return tuple(text[start:end] for start, end in (*row["answers"], *row.get("also", ())))


def cases(documents: dict[str, str]) -> Iterator[Case]:
    chance = random.Random(5)  # noqa: S311 - a fixed choice
    rows = rows_of_questions()
    kinds = {row["doc"]: row["kind"] for row in rows}
    for row in rows:
        text = documents[row["doc"]]
        case = Case(row["kind"], row["question"], text, answers_of(row, text))
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


def candidates(known: Sequence[Case], extractor: Extractor) -> list[tuple[Candidates, Any]]:
    """Of each case: the sentences that may answer, and which of them stand in a right provision."""
    found = []
    for case in known:
        candidates = extractor.candidates(Question(case.question, ()), case.text)
        spans = [provision(candidates, number) for number in range(len(candidates))]
        found.append((candidates, np.array([is_hit(case.text[a:b], case.answers) for a, b in spans], bool)))
    return found


def ranking(known: Sequence[Case], found: Sequence[tuple[Candidates, Any]]) -> Logistic:
    asked = [(1.0, c.features, right) for case, (c, right) in zip(known, found, strict=True) if case.written and right.any()]
    weights = fit_ranking(asked)
    return Logistic(weights, -float(np.median([(features @ weights)[right].max() for _, features, right in asked])))


def describe(
    known: Sequence[Case], found: Sequence[tuple[Candidates, Any]], extractor: Extractor, order_by: Logistic
) -> tuple[Any, Any, list[tuple[Any, Any, Any, Any]]]:
    """provisions.FEATURES of each case, whether its best answer is right, and what `fit_further` takes of those that were written."""
    described, is_right = np.zeros((len(known), len(provisions.FEATURES))), np.zeros(len(known), bool)
    ranked = []
    for number, (case, (candidates, right)) in enumerate(zip(known, found, strict=True)):
        if len(candidates):
            logits = order_by.logits(candidates.features) + candidates.outcome
            order, described[number] = extractor.rank(candidates, case.text, logits)
            is_right[number] = right[order[0]]
            if case.written:
                ranked.append((candidates.features, logits, order, right))
    return described, is_right, ranked


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
    known, weights_of_known = list(cases(documents)), extraction_weights.load(target)
    kinds, weights = np.array([case.kind for case in known]), np.array([case.weight for case in known])
    written = np.array([case.written for case in known])
    answerable = np.array([bool(case.answers) for case in known])
    extractor = Extractor(
        model_loader.ModelLoader(threads=2), linear_models.load("concept_weights.json", target), weights_of_known
    )
    found = candidates(known, extractor)
    order_by = ranking(known, found)
    described, right, ranked = describe(known, found, extractor, order_by)
    confidences = 1 / (1 + np.exp(-held_out(described, right, weights, kinds)))
    threshold = round(float(np.quantile(confidences[written & ~answerable], 1 - WRONGLY_ANSWERED)), 3)
    fitted, bias = fit_logistic(described, right, weights, CONFIDENCE_L2)
    further, further_bias = fit_further(ranked)
    for file in (target / "extraction_weights.json", *sorted(target.glob("fold-*/extraction_weights.json"))):
        content = json.loads(file.read_text(encoding="utf-8"))
        content["general"] |= {
            "provenance": PROVENANCE.format(cases=int(written.sum()), docs=len({row["doc"] for row in rows_of_questions()})),
            "ranking": weights_by_name(FEATURES, order_by.weights, order_by.bias),
            "confidence": weights_by_name(provisions.FEATURES, fitted, bias),
            "further": weights_by_name(FURTHER_FEATURES, further, further_bias),
            "threshold": threshold,
        }
        file.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    print(content["general"])
    shown = confidences >= threshold
    for kind in sorted(set(kinds)):
        own = written & (kinds == kind)
        print(f"  {kind}: best is right {right[own & answerable].mean():.3f}; shown {(own & shown).sum()}, right "
              f"{(own & shown & right).sum()} of {(own & answerable).sum()}, unanswerable {(own & shown & ~answerable).sum()} "
              f"of {(own & ~answerable).sum()}")  # fmt: skip
    for name, group in (("as written", written), ("of another kind", ~written & (weights == 1)), ("changed", weights < 1)):
        print(f"  {name}: precision {right[group & shown].mean():.3f}, right {(group & shown & right).sum()} of "
              f"{(group & answerable).sum()}, unanswerable {shown[group & ~answerable].mean():.3f}")  # fmt: skip


if __name__ == "__main__":
    main()
