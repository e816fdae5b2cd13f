"""Batches for the reader's training: questions with passages, near misses, statements.

One file holds everything (`train.json.xz`): `docs` {document: passages}; `qa` [document, wordings, passage, start, end, weight]; `none` and
`none_public` [document, wordings, passage or -1] (questions that a passage, or none of the document, answers); `heads` [document, heading,
passage]; `nli` {source: [passage, statement, follows]}; `nli_mass` {source: weight}. Offsets are characters of the passage.
"""

from __future__ import annotations

import json
import lzma
import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.feature_extraction.text import TfidfVectorizer
from tokenizers import Tokenizer

CLS, SEP, STATEMENT = 101, 102, 2
LONGEST_QUESTION, LONGEST = 48, 288
"""Tokens of a question or statement, and of a pair; as services/engines/local/reader.py reads them."""
ANSWERS, WRONG, UNANSWERED, STATEMENTS = 24, 7, 40, 192
"""In a batch: answered questions, wrong passages of each, questions without an answer, statements."""
HEADINGS, ELSEWHERE = 0.08, 0.08
"""Share of headings among the questions, and of statements that are put beside another passage."""
NEAREST = 24
"""Passages of a document, nearest by words, of which wrong ones are taken."""

Ints = NDArray[np.int64]
Pair = tuple[str, str]


@dataclass(frozen=True)
class Pairs:
    """Arrays (pairs, tokens)."""

    ids: Ints
    mask: Ints
    kinds: Ints
    starts: Sequence[int]
    """First token of each passage."""
    lengths: Sequence[int]
    """Tokens of each passage."""


@dataclass(frozen=True)
class Batch:
    asked: Pairs
    """Each answered question with its passage, then WRONG others."""
    rows: Ints
    first: Ints
    last: Ints
    """Rows of `asked` whose span is known, and its first and last token."""
    unanswered: Pairs
    stated: Pairs
    follows: NDArray[np.float32]


class Encoder:
    def __init__(self, tokenizer: Path) -> None:
        self._tokenizer = Tokenizer.from_file(str(tokenizer))
        self._tokenizer.no_padding()
        self._tokenizer.no_truncation()
        self._known: dict[str, tuple[Ints, Ints]] = {}

    def warm(self, texts: Iterable[str]) -> None:
        """Encodes texts ahead, many at a time."""
        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        for encoding, text in zip(self._tokenizer.encode_batch(new, add_special_tokens=False), new, strict=True):
            self._known[text] = np.array(encoding.ids, np.int64), np.array(encoding.offsets, np.int64).reshape(-1, 2)

    def offsets(self, text: str) -> Ints:
        return self._of(text)[1]

    def pack(self, pairs: Sequence[Pair], *, statements: bool = False) -> Pairs:
        head = [CLS, STATEMENT] if statements else [CLS]
        rows = []
        for first, passage in pairs:
            asked = self._of(first)[0][:LONGEST_QUESTION]
            rows.append((asked, self._of(passage)[0][: LONGEST - len(asked) - 4]))
        width = -(-max(len(a) + len(b) for a, b in rows) // 16) * 16 + 16
        ids, mask, kinds = (np.zeros((len(rows), width), np.int64) for _ in range(3))
        starts = []
        for row, (asked, passage) in enumerate(rows):
            tokens = np.concatenate([head, asked, [SEP], passage, [SEP]])
            ids[row, : len(tokens)], mask[row, : len(tokens)] = tokens, 1
            starts.append(len(head) + len(asked) + 1)
            kinds[row, starts[-1] : len(tokens)] = 1
        return Pairs(ids, mask, kinds, starts, [len(passage) for _, passage in rows])

    def _of(self, text: str) -> tuple[Ints, Ints]:
        if text not in self._known:
            self.warm([text])
        return self._known[text]


class TrainingData:
    """`held`: written documents whose questions and statements are kept for measuring, a tenth of them."""

    def __init__(self, file: Path, encoder: Encoder) -> None:
        with lzma.open(file, "rt", encoding="utf-8") as stream:
            raw: dict[str, Any] = json.load(stream)
        self.docs: dict[str, list[str]] = raw["docs"]
        self.encoder = encoder
        written = sorted(name for name in self.docs if name.startswith("s:"))
        self.held = set(random.Random(5).sample(written, max(1, len(written) // 10)))  # noqa: S311
        self.answered = [row for row in raw["qa"] if row[0] not in self.held]
        self.held_answered = [row for row in raw["qa"] if row[0] in self.held]
        self.unanswered = [row for row in raw["none"] if row[0] not in self.held]
        self.held_unanswered = [row for row in raw["none"] if row[0] in self.held]
        self.public_unanswered = raw["none_public"]
        self.headings = raw["heads"]
        held_texts = {text for name in self.held for text in self.docs[name]}
        self.held_stated = [row for row in raw["nli"]["written"] if row[0] in held_texts]
        self.stated = {name: [row for row in rows if row[0] not in held_texts] for name, rows in raw["nli"].items() if rows}
        self.masses = [raw["nli_mass"].get(name, 1) for name in self.stated]
        self._totals = np.cumsum([row[5] for row in self.answered])
        self._right: dict[Pair, set[int]] = {}
        for doc, wordings, passage, *_ in raw["qa"]:
            for wording in wordings:
                self._right.setdefault((doc, wording), set()).add(passage)
        asked = [*raw["qa"], *raw["heads"], *raw["none"], *raw["none_public"]]
        self.nearest = self._nearest(asked)
        encoder.warm(text for passages in self.docs.values() for text in passages)
        encoder.warm(wording for row in asked for wording in _wordings(row[1]))
        encoder.warm(text for rows in raw["nli"].values() for row in rows for text in row[:2])

    def _nearest(self, asked: Sequence[Any]) -> dict[Pair, Ints]:
        """For each question, the passages of its document, nearest by words first."""
        by_doc: dict[str, set[str]] = {}
        for row in asked:
            by_doc.setdefault(row[0], set()).update(_wordings(row[1]))
        found: dict[Pair, Ints] = {}
        for doc, wordings in by_doc.items():
            if not self.docs[doc]:
                continue
            questions = sorted(wordings)
            try:
                weigh = TfidfVectorizer(sublinear_tf=True, stop_words="english").fit(self.docs[doc] + questions)
                scores = (weigh.transform(questions) @ weigh.transform(self.docs[doc]).T).toarray()
            except ValueError:  # no words at all
                scores = np.zeros((len(questions), len(self.docs[doc])))
            for question, order in zip(questions, np.argsort(-scores, axis=1)[:, :40], strict=True):
                found[doc, question] = order
        return found

    def batch(
        self, chance: random.Random, *, answers: int = ANSWERS, unanswered: int = UNANSWERED, statements: int = STATEMENTS
    ) -> Batch:
        pairs: list[Pair] = []
        spans: list[tuple[int, int]] = []
        for _ in range(answers):
            doc, question, passage, span = self._question(chance)
            pairs += [
                (question, self.docs[doc][passage]),
                *((question, wrong) for wrong in self._wrong(doc, question, passage, chance)),
            ]
            spans.append(span)
        asked = self.encoder.pack(pairs)
        rows, first, last = [], [], []
        for number, (start, end) in enumerate(spans):
            row = number * (WRONG + 1)
            offsets = self.encoder.offsets(pairs[row][1])[: asked.lengths[row]]
            inside = np.flatnonzero((offsets[:, 1] > start) & (offsets[:, 0] < end)) if start >= 0 else []
            if len(inside):
                rows.append(row)
                first.append(asked.starts[row] + int(inside[0]))
                last.append(asked.starts[row] + int(inside[-1]))
        stated, follows = self._statements(chance, statements)
        without = self.encoder.pack([self._unanswered_pair(chance) for _ in range(unanswered)])
        return Batch(asked, np.array(rows), np.array(first), np.array(last), without, stated, follows)

    def _question(self, chance: random.Random) -> tuple[str, str, int, tuple[int, int]]:
        if self.headings and chance.random() < HEADINGS:
            doc, heading, passage = chance.choice(self.headings)
            return doc, heading, passage, (-1, -1)
        doc, wordings, passage, start, end, _ = self.answered[
            int(np.searchsorted(self._totals, chance.random() * self._totals[-1]))
        ]
        return doc, chance.choice(wordings), passage, (start, end)

    def _wrong(self, doc: str, question: str, passage: int, chance: random.Random) -> list[str]:
        """Passages that do not answer: three quarters of them near by words, others of the document, then of any document."""
        texts, right = self.docs[doc], self.docs[doc][passage]
        known = self._right.get((doc, question), set()) | {passage}
        near = [int(at) for at in self.nearest[doc, question][:NEAREST]]
        chance.shuffle(near)
        others = chance.sample(range(len(texts)), min(len(texts), WRONG))
        candidates = [at for at in (*near[: WRONG * 3 // 4], *others) if at not in known and not _overlap(texts[at], right)]
        wrong = [texts[at] for at in dict.fromkeys(candidates)][:WRONG]
        while len(wrong) < WRONG:
            other = self.docs[chance.choice(self.answered)[0]]
            wrong.append(chance.choice(other))
        return wrong

    def _unanswered_pair(self, chance: random.Random) -> Pair:
        own = bool(self.unanswered) and chance.random() < 0.6
        doc, wordings, passage = chance.choice(self.unanswered if own else self.public_unanswered)
        question = chance.choice(_wordings(wordings))
        at = passage if passage >= 0 else int(chance.choice(list(self.nearest[doc, question][:8])))
        return question, self.docs[doc][at]

    def _statements(self, chance: random.Random, count: int) -> tuple[Pairs, NDArray[np.float32]]:
        pairs: list[Pair] = []
        follows: list[float] = []
        names = list(self.stated)
        for name in chance.choices(names, self.masses, k=count):
            passage, statement, label = chance.choice(self.stated[name])[:3]
            if chance.random() < ELSEWHERE:
                statement, label = chance.choice(self.stated[name])[1], 0
            pairs.append((statement, passage))
            follows.append(float(label))
        return self.encoder.pack(pairs, statements=True), np.array(follows, np.float32)


def _wordings(asked: str | list[str]) -> list[str]:
    return [asked] if isinstance(asked, str) else asked


def _overlap(one: str, other: str) -> bool:
    short, long = sorted((one, other), key=len)
    return one == other or short[:120] in long or short[-120:] in long
