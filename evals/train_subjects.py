"""Fits the model that recognises the concept a question asks for, and writes it into the package.

    python evals/train_subjects.py

The questions are those of subject_questions.json ("" holds questions about no concept), the lexicon's own, the two wordings of
training_questions*.json, and those of other_questions.json, which were written for the reader on Acts, judgments, company papers,
wills and constitutions: they are about no concept. Needs scikit-learn 1.9, which Orderly does not depend on.
"""

from __future__ import annotations

import base64
import json
from collections import Counter
from pathlib import Path

import numpy as np
from sklearn.linear_model import LogisticRegression
from train import CONCEPTS

from orderly.services.engines.local import concepts, question_subjects
from orderly.services.engines.local.embedding_model import Model
from orderly.services.engines.local.queries import strip_commonplace
from orderly.services.engines.local.sentences import stems

HERE = Path(__file__).parent
STRENGTH = 10.0
"""Inverse L2 penalty (scikit-learn's C)."""
FRAMES = (("", " clause"), ("a clause on ", ""), ("contracts with a ", " clause"), ("Is there a provision on ", "?"))
"""What may stand around the usual name of a clause."""
OTHER = 0.2
"""Weight of a question of other_questions.json: they are many, and some name what a concept is about."""
MIN_QUESTIONS = 2
"""Minimum number of questions per stem."""


def questions() -> list[tuple[str, str, float]]:
    """(question, concept, weight), each question as it is and as the engine reads it."""
    found = [(query, concept.name) for concept in concepts.load() for query in concept.queries]
    found += [(f"{before}{concept.name}{after}", concept.name) for concept in concepts.load() for before, after in FRAMES]
    for name in ("training_questions.json", "training_questions_2.json"):
        asked = json.loads((HERE / name).read_text(encoding="utf-8"))
        found += [(question, CONCEPTS[category]) for category, question in asked.items() if category in CONCEPTS]
    own = json.loads((HERE / "subject_questions.json").read_text(encoding="utf-8"))
    found += [(question, concept) for concept, listed in own.items() for question in listed]
    others = json.loads((HERE / "other_questions.json").read_text(encoding="utf-8"))
    weighed = [*((*case, 1.0) for case in found), *((question, question_subjects.NONE, OTHER) for question in others)]
    return [(form, concept, weight) for question, concept, weight in weighed for form in _forms(question)]


def _forms(question: str) -> list[str]:
    return list(dict.fromkeys((question, strip_commonplace(question))))


def main() -> None:
    cases, embed = questions(), Model(threads=2).embed_first_windows
    counts = Counter(stem for question, *_ in cases for stem in set(stems(question)))
    rarity = {s: round(float(np.log(len(cases) / n)), 3) for s, n in sorted(counts.items()) if n >= 2 * MIN_QUESTIONS}
    found = question_subjects.features([question for question, *_ in cases], rarity, embed)
    model = LogisticRegression(C=STRENGTH, max_iter=3_000)
    model.fit(found, [concept for _, concept, _ in cases], sample_weight=[weight for *_, weight in cases])
    scale = np.abs(model.coef_).max(axis=1) / 127
    rows = np.round(model.coef_ / scale[:, None]).astype(np.int8)
    raw = {
        "provenance": f"Multinomial logistic regression on {len(cases)} questions of evals/subject_questions.json and the lexicon.",
        "labels": list(model.classes_),
        "rarity": rarity,
        "width": rows.shape[1],
        "bias": [round(float(x), 3) for x in model.intercept_],
        "scale": [float(f"{x:.4g}") for x in scale],
        "weights": base64.b64encode(rows.tobytes()).decode(),
    }
    target = Path(question_subjects.__file__).with_name("subject_weights.json")
    target.write_text(json.dumps(raw) + "\n", encoding="utf-8")
    print(f"{target.name}: {len(cases)} questions, {len(rarity)} stems, {target.stat().st_size} bytes")


if __name__ == "__main__":
    main()
