"""Near-miss questions for training abstention.

Handwritten questions are in training_near_misses.json: [category, question, words]. A question is asked of contracts that contain a
clause of the category but none of the words, so no contract answers it. Generated questions narrow the question about a clause by two
words of this clause (answerable) or of another contract's clause (unanswerable).
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

from orderly.services.engines.local.sentences import STOP_WORDS, stems
from orderly_evaluation.dataset import Dataset, Row

CONTRACTS_EACH = 10
"""Contracts per handwritten question."""
FORMS = ("{} {}?", "{} for {}?", "{} as regards {}?", "{} in case of {}?")
SURROUNDINGS = 1_500
"""Characters around a clause that must not contain the narrowing words, in every third case; else the whole contract."""
SHORT_ANSWERS = {"Document Name", "Parties", "Agreement Date", "Effective Date", "Expiration Date", "Governing Law"}
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")


def handwritten_questions(data: Dataset) -> Iterator[Row]:
    gold = data.rows("gold.jsonl")
    texts = {doc: data.text("contracts", doc) for doc in sorted({row["doc"] for row in gold})}
    present = {(row["doc"], row["category"]) for row in gold if row["answers"]}
    source = Path(__file__).parent / "training_near_misses.json"
    for category, question, words in json.loads(source.read_text(encoding="utf-8")):
        silent = [doc for doc, text in texts.items() if not any(re.search(word, text, re.I) for word in words)]
        silent.sort(key=lambda doc: (category is not None and (doc, category) not in present, _shuffle_key(doc, question)))
        for doc in silent[:CONTRACTS_EACH]:
            yield {"doc": doc, "question": question, "category": category, "answers": []}


def generated_questions(data: Dataset, wordings: list[dict[str, str]]) -> Iterator[Row]:
    gold = [row for row in data.rows("gold.jsonl") if row["answers"] and row["category"] not in SHORT_ANSWERS]
    texts = {doc: data.text("contracts", doc) for doc in {row["doc"] for row in gold}}
    pairs = {(row["doc"], row["category"]): _pairs(" ".join(a["text"] for a in row["answers"])) for row in gold}
    common = Counter(stem for found in pairs.values() for pair in found for stem in stems(pair))
    for number, row in enumerate(gold):
        key = row["doc"], row["category"]
        asked, form = wordings[number % len(wordings)][row["category"]].rstrip("?."), FORMS[_shuffle_key(*key)[0] % len(FORMS)]
        own = sorted(pairs[key], key=lambda pair: (min((common[s] for s in stems(pair)), default=0), _shuffle_key(pair, *key)))[
            :8
        ]
        if own:
            yield {**row, "question": form.format(asked, min(own, key=lambda pair: _shuffle_key(pair, *key)))}
        text = texts[row["doc"]]
        around = (text[max(0, a["start"] - SURROUNDINGS) : a["end"] + SURROUNDINGS] for a in row["answers"])
        said = set(stems(text if number % 3 else " ".join(around)))
        others = [pair for (doc, c), found in pairs.items() if c == row["category"] and doc != row["doc"] for pair in found]
        others = [pair for pair in others if set(stems(pair)) - said]
        if others:
            yield {**row, "question": form.format(asked, min(others, key=lambda pair: _shuffle_key(pair, *key))), "answers": []}


def _pairs(text: str) -> list[str]:
    """Adjacent lower-case content words."""
    found = []
    for one, other in pairwise(_WORD.finditer(text)):
        both = one.group(), other.group()
        if text[one.end() : other.start()] == " " and all(
            word.isalpha() and word.islower() and len(word) >= 4 and word not in STOP_WORDS for word in both
        ):
            found.append(" ".join(both))
    return list(dict.fromkeys(found))


def _shuffle_key(*key: str) -> bytes:
    return hashlib.sha256("|".join(key).encode()).digest()
