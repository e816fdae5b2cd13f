"""Fits the weights by which a sentence of an answer counts as supported by its quotation.

    python evals/train_support.py [PAIRS] [--write]

PAIRS (default evals/support_pairs.jsonl): {"document", "quotation", "sentence", "supported"}, one a line. Added by rule: the supported
sentences with a negation, a party, a scope or a consequence altered, and the quotations in other words, with one thing altered.
Prints what is marked of documents that were held out, and with --write stores the weights of all.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import re
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from gate_statements import ALTERATIONS, plain
from numpy.typing import NDArray

import orderly.services.claims
from orderly.services.claims.evidence import Evidence
from orderly.services.claims.facts import read_facts
from orderly.services.claims.judgement import DECISIVE, FILE, THRESHOLD, features_of
from orderly.services.claims.parties import role_of
from orderly.services.claims.support import CHECKS, wrong_name
from orderly.services.claims.tokens import read_words

FOLDS = 6
FOR_SUPPORT = {
    "covered",
    "alike",
    "same doer",
    "opposite and negation",
    "exception dropped",
    "only dropped",
    "novel",
    "novel count",
    "exact",
}
"""Features that may only lower the score; all others may only raise it."""
VERB = re.compile(r"\b(is|are|was|were|must|may|can|shall|will)\b( not)?")
WIDENED = (
    " in all cases",
    " under all circumstances",
    " without exception",
    ", whatever the circumstances",
    " even without consent",
)
ADDED = (
    ", failing which damages are payable", ", and a breach allows immediate termination", ", on payment of a fee", ", with the approval of the court",
    ", subject to a penalty of double the amount", " only if the board approves", ", provided that the insurer agrees",
)  # fmt: skip


@dataclass
class Pair:
    document: str
    quotation: str
    sentence: str
    supported: bool
    kind: str = "written"
    found: dict[str, float] = field(default_factory=dict)
    settled: bool = False
    """Whether a figure, a reference or one feature already tells it."""


def altered(pair: Pair, r: random.Random) -> list[Pair]:
    """A supported sentence with one thing altered."""
    text, bare, out = pair.sentence, pair.sentence.rstrip(" .:;,"), []
    verb = VERB.search(text)
    if verb and not re.search(r"\b(?:neither|no|none|nothing|only|never)\b", text, re.IGNORECASE):
        out.append(text[: verb.start()] + (verb[1] if verb[2] else f"{verb[1]} not") + text[verb.end() :])
    roles = list(dict.fromkeys(w.text for w in read_words(text) if role_of(w)))[:2]
    if len(roles) == 2:
        either = "|".join(map(re.escape, roles))
        out.append(re.sub(rf"\b(?:{either})\b", lambda m: roles[1] if m[0] == roles[0] else roles[0], text))
    if re.search(r"unless|except|only|without|\bif\b|prior", pair.quotation):
        out.append(bare + r.choice(WIDENED))
    out.append(bare + r.choice(ADDED))
    return [Pair(pair.document, pair.quotation, sentence, False, "altered") for sentence in out]


def restated(pair: Pair, r: random.Random) -> list[Pair]:
    """The quotation in other words, and with one thing altered."""
    said = plain(" ".join(pair.quotation.split()), r)
    out = [Pair(pair.document, pair.quotation, said, True, "restated")]
    for kind in ("negation", "modality"):
        wrong = ALTERATIONS[kind](said, r)
        if wrong is not None and wrong != said:
            out.append(Pair(pair.document, pair.quotation, wrong, False, "restated"))
    return out


def read(path: Path) -> list[Pair]:
    r = random.Random(1)  # noqa: S311
    written = [Pair(**json.loads(line)) for line in path.read_text(encoding="utf-8").splitlines()]
    once = list({p.quotation: p for p in written if 60 <= len(p.quotation) <= 400}.values())
    pairs = written + [a for p in written if p.supported for a in altered(p, r)] + [a for p in once for a in restated(p, r)]
    for pair in pairs:
        evidence, facts = Evidence(pair.quotation), read_facts(pair.sentence)
        pair.found = {
            k: float(v.value) for k, v in features_of(pair.sentence, pair.quotation, wrong_name(facts, evidence)).items()
        }
        pair.settled = any(check(facts, evidence) is not None for check in CHECKS) or any(pair.found[key] for key in DECISIVE)
    return pairs


def fit(
    rows: NDArray[np.float64], wrong: NDArray[np.float64], weights: NDArray[np.float64], signs: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Logistic regression whose weights have the given signs (accelerated projected gradient)."""
    scale = np.abs(rows).max(0) + 1e-9
    x = np.hstack([rows * signs / scale, np.ones((len(rows), 1))])
    best = np.zeros(x.shape[1])
    ahead, momentum = best.copy(), 1.0
    step = 1 / (0.25 * np.linalg.norm(x * np.sqrt(weights)[:, None], 2) ** 2 + 1)
    for _ in range(3_000):
        slope = x.T @ (weights * (1 / (1 + np.exp(-x @ ahead)) - wrong))
        slope[:-1] += ahead[:-1]
        new = ahead - step * slope
        new[:-1] = np.maximum(new[:-1], 0)
        following = (1 + np.sqrt(1 + 4 * momentum**2)) / 2
        ahead, best, momentum = new + (momentum - 1) / following * (new - best), new, following
    return np.append(best[:-1] * signs / scale, best[-1])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pairs", nargs="?", type=Path, default=Path(__file__).parent / "support_pairs.jsonl")
    parser.add_argument("--write", action="store_true")
    args = parser.parse_args()
    pairs = read(args.pairs)
    names = sorted(pairs[0].found)
    rows = np.array([[p.found[name] for name in names] for p in pairs])
    wrong = np.array([not p.supported for p in pairs], float)
    weights = np.array([{"written": 1.0, "altered": 0.35, "restated": 0.4}[p.kind] for p in pairs])
    signs = np.array([-1.0 if name in FOR_SUPPORT else 1.0 for name in names])
    fold = np.array([int(hashlib.sha256(p.document.encode()).hexdigest(), 16) % FOLDS for p in pairs])
    settled = np.array([p.settled for p in pairs])
    scores = np.zeros(len(pairs))
    for one in range(FOLDS):
        own = (fold != one) & ~settled
        fitted = fit(rows[own], wrong[own], weights[own], signs)
        scores[fold == one] = rows[fold == one] @ fitted[:-1] + fitted[-1]
    scores[settled] = 99
    for kind in ("written", "altered", "restated"):
        of = np.array([p.kind == kind for p in pairs])
        false, true = scores[of & (wrong == 1)], scores[of & (wrong == 0)]
        for limit in (0.5, 1.0, THRESHOLD, 1.5, 2.0):
            marked = f"{np.mean(true >= limit):.3f} of {len(true)}" if len(true) else "-"
            print(f"{kind}, from {limit}: false marked {np.mean(false >= limit):.3f} of {len(false)}, true marked {marked}")
    if args.write:
        fitted = fit(rows[~settled], wrong[~settled], weights[~settled], signs)
        stored = {name: round(float(w), 3) for name, w in zip([*names, "bias"], fitted, strict=True) if abs(w) >= 0.01}
        path = Path(orderly.services.claims.__file__).with_name(FILE)
        path.write_text(json.dumps(stored, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
