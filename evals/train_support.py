"""Fits the weights by which a sentence of an answer counts as supported by its quotation.

    python evals/train_support.py [PAIRS] [--write]

PAIRS (default evals/support_pairs.jsonl): {"writer", "document", "quotation", "supported": [sentences], "unsupported": [sentences]},
one quotation a line. Added by rule: supported sentences with a negation, a party, a scope or a consequence altered, and quotations in
other words, with one thing altered. Prints what is marked of documents and of writers that were held out, and with --write stores the
weights of all.

Writers made false sentences long and close to the quotation at first, and true ones short and free, then the other way round. So pairs
are weighed: among those of like length that share as many words with the quotation, true and false ones count the same.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from gate_statements import ALTERATIONS, NAME, name_alteration, plain
from numpy.typing import NDArray

import orderly.services.support
from orderly.services.support.comparison import CHECKS
from orderly.services.support.evidence import Evidence
from orderly.services.support.facts import read_facts
from orderly.services.support.features import read_features
from orderly.services.support.judgement import DECISIVE, FILE, THRESHOLD
from orderly.services.support.names import wrong_name
from orderly.services.support.parties import role_of
from orderly.services.support.tokens import content, read_words

FOLDS = 6
FREE = {"same doer", "only dropped", "novel", "novel count", "novel among known", "disorder"}
"""Features that may raise or lower the score; all others may only raise it."""
MADE = 600
"""Supported sentences, and quotations, of which others are made by rule."""
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
    writer: int = -1
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


def restated(pair: Pair, names: Sequence[str], r: random.Random) -> list[Pair]:
    """The quotation in other words, and with one thing altered."""
    said = plain(" ".join(pair.quotation.split()), r)
    out = [Pair(pair.document, pair.quotation, said, True, "restated")]
    for alter in (ALTERATIONS["negation"], ALTERATIONS["modality"], name_alteration(names)):
        wrong = alter(said, r)
        if wrong is not None and wrong != said:
            out.append(Pair(pair.document, pair.quotation, wrong, False, "restated"))
    return out


def read(path: Path) -> list[Pair]:
    r = random.Random(1)  # noqa: S311
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    written = [
        Pair(row["document"], row["quotation"], sentence, key == "supported", writer=row["writer"])
        for row in rows
        for key in ("supported", "unsupported")
        for sentence in row[key]
    ]
    true = [pair for pair in written if pair.supported]
    once = list({p.quotation: p for p in written if 60 <= len(p.quotation) <= 400}.values())
    pairs = written + [a for p in r.sample(true, min(MADE, len(true))) for a in altered(p, r)]
    names: dict[str, list[str]] = {}
    for pair in once:
        names.setdefault(pair.document, []).extend(NAME.findall(pair.quotation))
    pairs += [a for p in r.sample(once, min(MADE, len(once))) for a in restated(p, sorted(set(names[p.document])), r)]
    for pair in pairs:
        evidence, facts = Evidence(pair.quotation), read_facts(pair.sentence)
        found = read_features(pair.sentence, pair.quotation, wrong_name(facts, evidence))
        pair.found = {name: float(feature.value) for name, feature in found.items()}
        pair.settled = any(check(facts, evidence) is not None for check in CHECKS) or any(pair.found[key] for key in DECISIVE)
    return pairs


def cell(pair: Pair) -> tuple[int, int]:
    """How many of the sentence's words the quotation has, and how long the sentence is, in steps."""
    said, known = ({w.stem for w in content(text)} for text in (pair.sentence, pair.quotation))
    return min(int(6 * len(said & known) / max(len(said), 1)), 5), min(len(pair.sentence.split()) // 6, 5)


def balanced(pairs: Sequence[Pair]) -> NDArray[np.float64]:
    cells = [cell(pair) for pair in pairs]
    counts = Counter((one, pair.supported) for one, pair in zip(cells, pairs, strict=True))
    weights = []
    for one, pair in zip(cells, pairs, strict=True):
        own, other = counts[one, pair.supported], counts[one, not pair.supported]
        weights.append(min(max((own + other) / (2 * own), 0.25), 3.0) if other else 0.3)
    return np.array(weights)


def fit(
    rows: NDArray[np.float64], wrong: NDArray[np.float64], weights: NDArray[np.float64], free: NDArray[np.bool_]
) -> NDArray[np.float64]:
    """Logistic regression whose weights are positive unless free (accelerated projected gradient)."""
    scale = np.abs(rows).max(0) + 1e-9
    x = np.hstack([rows / scale, np.ones((len(rows), 1))])
    least = np.append(np.where(free, -np.inf, 0.0), -np.inf)
    best = np.zeros(x.shape[1])
    ahead, momentum = best.copy(), 1.0
    step = 1 / (0.25 * np.linalg.norm(x * np.sqrt(weights)[:, None], 2) ** 2 + 3)
    for _ in range(1_000):
        slope = x.T @ (weights * (1 / (1 + np.exp(-x @ ahead)) - wrong))
        slope[:-1] += 3 * ahead[:-1]
        new = np.maximum(ahead - step * slope, least)
        following = (1 + np.sqrt(1 + 4 * momentum**2)) / 2
        ahead, best, momentum = new + (momentum - 1) / following * (new - best), new, following
    return np.append(best[:-1] / scale, best[-1])


def held_out(
    pairs: Sequence[Pair], groups: NDArray[np.int64], rows: NDArray[np.float64], free: NDArray[np.bool_]
) -> NDArray[np.float64]:
    """Scores of each group's pairs by weights fitted on the other groups."""
    wrong, settled = np.array([not p.supported for p in pairs], float), np.array([p.settled for p in pairs])
    scores = np.zeros(len(pairs))
    for one in set(groups.tolist()):
        own = (groups != one) & ~settled
        fitted = fit(rows[own], wrong[own], balanced([p for p, is_own in zip(pairs, own, strict=True) if is_own]), free)
        scores[groups == one] = rows[groups == one] @ fitted[:-1] + fitted[-1]
    scores[settled] += 99
    return scores


def area(scores: NDArray[np.float64], wrong: NDArray[np.bool_]) -> float:
    """Area under the curve: how often a false sentence scores above a true one."""
    false, true = scores[wrong][:, None], scores[~wrong][None]
    return float(np.mean((false > true) + 0.5 * (false == true)))


def report(name: str, scores: NDArray[np.float64], wrong: NDArray[np.bool_]) -> None:
    false, true = scores[wrong], scores[~wrong]
    if not len(true) or not len(false):
        print(f"{name}: false marked {np.mean(false >= THRESHOLD):.3f} of {len(false)}")
        return
    limits = {share: np.quantile(true, 1 - share) for share in (0.02, 0.05, 0.1, 0.2)}
    shares = ", ".join(f"{np.mean(false > limit):.3f} at {share:g}" for share, limit in limits.items())
    marked = (
        f"marked: false {np.mean(false >= THRESHOLD):.3f} of {len(false)}, true {np.mean(true >= THRESHOLD):.3f} of {len(true)}"
    )
    print(f"{name}: area {area(scores, wrong):.3f}; {marked}; false marked {shares} of true")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pairs", nargs="?", type=Path, default=Path(__file__).parent / "support_pairs.jsonl")
    parser.add_argument("--write", action="store_true")
    args = parser.parse_args()
    pairs = read(args.pairs)
    names = [name for name in sorted(pairs[0].found) if name not in DECISIVE]
    rows = np.array([[p.found[name] for name in names] for p in pairs])
    wrong, settled = np.array([not p.supported for p in pairs]), np.array([p.settled for p in pairs])
    free = np.array([name in FREE for name in names])
    writers = np.array([p.writer for p in pairs])
    folds = np.array([int(hashlib.sha256(p.document.encode()).hexdigest(), 16) % FOLDS for p in pairs])
    by_document = held_out(pairs, folds, rows, free)
    by_writer = held_out(pairs, writers, rows, free)
    for writer in sorted(set(writers[writers >= 0].tolist())):
        report(f"writer {writer}, documents held out", by_document[writers == writer], wrong[writers == writer])
        report(f"writer {writer} held out", by_writer[writers == writer], wrong[writers == writer])
    for kind in ("altered", "restated"):
        of = np.array([p.kind == kind for p in pairs])
        report(f"{kind}, documents held out", by_document[of], wrong[of])
    if args.write:
        own = [p for p in pairs if not p.settled]
        fitted = fit(rows[~settled], wrong[~settled].astype(float), balanced(own), free)
        stored = {name: round(float(w), 3) for name, w in zip([*names, "bias"], fitted, strict=True)}
        path = Path(orderly.services.support.__file__).with_name(FILE)
        path.write_text(json.dumps(stored, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
