"""Batches for the reader's training: questions with passages, near misses, statements.

One file holds everything (`train.json.xz`, which assemble.py writes): `docs` {document: passages}; `qa` [document, wordings, passage, start,
end, weight]; `none` and `none_public` [document, wordings, passage or -1] (questions that a passage, or none of the document, answers); `heads`
[document, heading, passage]; `nli` {source: [passage, statement, follows]}; `nli_mass` {source: weight}; `held`, documents whose rows are only
measured on; `written`, documents whose questions weigh more towards the end. Offsets are characters of the passage.
"""

from __future__ import annotations

import json
import lzma
import random
import re
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
ANSWERS, WRONG, UNANSWERED, STATEMENTS = 20, 11, 48, 128
"""In a batch: answered questions, wrong passages of each, questions without an answer, statements."""
HEADINGS, ELSEWHERE = 0.08, 0.08
"""Share of headings among the questions, and of statements that are put beside another passage."""
NEAREST, BESIDE = 24, 8
"""Passages of a document of which wrong ones are taken: nearest to the question by words, and to the right passage."""
NEAR_QUESTION, NEAR_ANSWER = 5, 3
"""Wrong passages of a question that are near to it, and near to its right passage; the others are any of the document."""
CUT, SHORTEST_CUT, LONGEST_CUT = 0.5, 180, 550
"""Share of passages that are cut at sentences, and characters of what is left: the product reads provisions of up to 500."""
CHUNKS = 4
"""Parts of a batch, by length, so that few tokens are padding."""
_UNIT = re.compile(r"(?<=[.;:?!])\s+|\n+")

Ints = NDArray[np.int32]
Tokens = tuple[Ints, Ints]
"""Ids, and offsets (tokens, 2) in characters."""


@dataclass(frozen=True)
class Pair:
    first: Ints
    passage: Tokens
    is_statement: bool = False
    span: tuple[int, int] = (-1, -1)
    """Characters that answer; -1 if unknown."""


@dataclass(frozen=True)
class Chunk:
    """Pairs of like length: arrays (pairs, tokens)."""

    places: Ints
    """Place of each pair in the batch."""
    ids: Ints
    mask: Ints
    kinds: Ints
    rows: Ints
    first: Ints
    last: Ints
    """Rows whose span is known, and its first and last token."""


@dataclass(frozen=True)
class Batch:
    """Pairs in this order: each answered question with its passage and WRONG others; unanswered questions; statements."""

    chunks: list[Chunk]
    answers: int
    unanswered: int
    follows: NDArray[np.float32]
    """Of each statement, 1 if it follows from its passage."""


class Encoder:
    def __init__(self, tokenizer: Path) -> None:
        self._tokenizer = Tokenizer.from_file(str(tokenizer))
        self._tokenizer.no_padding()
        self._tokenizer.no_truncation()
        self._known: dict[str, Tokens] = {}

    def warm(self, texts: Iterable[str]) -> None:
        """Encodes texts ahead, many at a time."""
        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        for encoding, text in zip(self._tokenizer.encode_batch(new, add_special_tokens=False), new, strict=True):
            self._known[text] = np.array(encoding.ids, np.int32), np.array(encoding.offsets, np.int32).reshape(-1, 2)

    def tokens(self, text: str) -> Tokens:
        if text not in self._known:
            self.warm([text])
        return self._known[text]

    def pair(self, first: str, passage: Tokens, *, is_statement: bool = False, span: tuple[int, int] = (-1, -1)) -> Pair:
        return Pair(self.tokens(first)[0][:LONGEST_QUESTION], passage, is_statement, span)


def chunks(pairs: Sequence[Pair], count: int = CHUNKS) -> list[Chunk]:
    """The pairs as arrays, the shortest together."""
    order = sorted(range(len(pairs)), key=lambda place: len(pairs[place].first) + len(pairs[place].passage[0]))
    return [_chunk(pairs, part) for part in np.array_split(np.array(order, np.int32), count) if len(part)]


def _chunk(pairs: Sequence[Pair], places: Ints) -> Chunk:
    width = -(-min(LONGEST, max(len(pairs[i].first) + len(pairs[i].passage[0]) for i in places) + 4) // 16) * 16
    ids, mask, kinds = (np.zeros((len(places), width), np.int32) for _ in range(3))
    rows, first, last = [], [], []
    for row, place in enumerate(places):
        pair = pairs[place]
        head = [CLS, STATEMENT] if pair.is_statement else [CLS]
        passage, offsets = (part[: LONGEST - len(pair.first) - 4] for part in pair.passage)
        tokens = np.concatenate([head, pair.first, [SEP], passage, [SEP]])
        begin = len(head) + len(pair.first) + 1
        ids[row, : len(tokens)], mask[row, : len(tokens)], kinds[row, begin : len(tokens)] = tokens, 1, 1
        start, end = pair.span
        inside = np.flatnonzero((offsets[:, 1] > start) & (offsets[:, 0] < end)) if start >= 0 else []
        if len(inside):
            rows.append(row)
            first.append(begin + int(inside[0]))
            last.append(begin + int(inside[-1]))
    return Chunk(places, ids, mask, kinds, *(np.array(part, np.int32) for part in (rows, first, last)))


class TrainingData:
    """`held_*`: rows that are kept for measuring."""

    def __init__(self, file: Path, encoder: Encoder) -> None:
        with lzma.open(file, "rt", encoding="utf-8") as stream:
            raw: dict[str, Any] = json.load(stream)
        self.docs: dict[str, list[str]] = raw["docs"]
        self.encoder = encoder
        held = set(raw["held"])
        self.answered = [row for row in raw["qa"] if row[0] not in held]
        self.held_answered = [row for row in raw["qa"] if row[0] in held]
        self.unanswered = [row for row in raw["none"] if row[0] not in held]
        self.held_unanswered = [row for row in raw["none"] if row[0] in held]
        self.public_unanswered = raw["none_public"]
        self.headings = raw["heads"]
        held_texts = {text for name in held for text in self.docs[name]}
        self.held_stated = [row for row in raw["nli"]["written"] if row[0] in held_texts]
        self.stated = {name: [row for row in rows if row[0] not in held_texts] for name, rows in raw["nli"].items() if rows}
        self.masses = [raw["nli_mass"].get(name, 1) for name in self.stated]
        written = set(raw["written"])
        self._totals = [np.cumsum([row[5] * (more if row[0] in written else 1) for row in self.answered]) for more in (1, 2)]
        self._answers: dict[tuple[str, str], list[str]] = {}
        self.places: dict[tuple[str, str], set[int]] = {}
        for doc, wordings, passage, start, end, *_ in raw["qa"]:
            for wording in wordings:
                self.places.setdefault((doc, wording), set()).add(passage)
                if start >= 0:
                    self._answers.setdefault((doc, wording), []).append(self.docs[doc][passage][start:end][:80])
        asked = [*raw["qa"], *raw["heads"], *raw["none"], *raw["none_public"]]
        self.nearest: dict[tuple[str, str], Ints] = {}
        """For each question, the passages of its document, nearest by words first."""
        self.beside: dict[tuple[str, int], Ints] = {}
        """For each passage that answers something, those of its document nearest to it by words."""
        self._find_nearest(asked)
        self._units: dict[str, list[int]] = {}
        encoder.warm(text for passages in self.docs.values() for text in passages)
        encoder.warm(wording for row in asked for wording in _wordings(row[1]))
        encoder.warm(text for rows in raw["nli"].values() for row in rows for text in row[:2])

    def _find_nearest(self, asked: Sequence[Any]) -> None:
        by_doc: dict[str, set[str]] = {}
        answering: dict[str, set[int]] = {}
        for row in asked:
            by_doc.setdefault(row[0], set()).update(_wordings(row[1]))
            if row[2] >= 0:
                answering.setdefault(row[0], set()).add(row[2])
        for doc, wordings in by_doc.items():
            questions, places = sorted(wordings), sorted(answering.get(doc, ()))
            try:
                weigh = TfidfVectorizer(sublinear_tf=True, stop_words="english").fit(self.docs[doc] + questions)
                passages = weigh.transform(self.docs[doc])
                scores = (weigh.transform(questions) @ passages.T).toarray()
                alike = (passages[places] @ passages.T).toarray()
            except ValueError:  # no words at all
                scores = np.zeros((len(questions), len(self.docs[doc])))
                alike = np.zeros((len(places), len(self.docs[doc])))
            for question, order in zip(questions, np.argsort(-scores, axis=1)[:, :40], strict=True):
                self.nearest[doc, question] = order.astype(np.int32)
            for place, order in zip(places, np.argsort(-alike, axis=1)[:, : BESIDE + 1], strict=True):
                around = [at for at in (place - 1, place + 1) if 0 <= at < len(self.docs[doc])]
                self.beside[doc, place] = np.array([*around, *order], np.int32)

    def batch(
        self,
        chance: random.Random,
        *,
        late: bool = False,
        answers: int = ANSWERS,
        unanswered: int = UNANSWERED,
        statements: int = STATEMENTS,
    ) -> Batch:
        """`late`: the written questions weigh more."""
        pairs: list[Pair] = []
        for _ in range(answers):
            doc, question, passage, span = self._question(chance, late=late)
            right = self._cut(self.docs[doc][passage], chance, span)
            pairs.append(self.encoder.pair(question, right, span=span))
            pairs += [
                self.encoder.pair(question, self._cut(text, chance)) for text in self._wrong(doc, question, passage, chance)
            ]
        pairs += [self._unanswered_pair(chance) for _ in range(unanswered)]
        stated, follows = self._statements(chance, statements)
        return Batch(chunks([*pairs, *stated]), answers, unanswered, follows)

    def _question(self, chance: random.Random, *, late: bool) -> tuple[str, str, int, tuple[int, int]]:
        if self.headings and chance.random() < HEADINGS:
            doc, heading, passage = chance.choice(self.headings)
            return doc, heading, passage, (-1, -1)
        totals = self._totals[late]
        doc, wordings, passage, start, end, _ = self.answered[int(np.searchsorted(totals, chance.random() * totals[-1]))]
        return doc, chance.choice(wordings), passage, (start, end)

    def _wrong(self, doc: str, question: str, passage: int, chance: random.Random) -> list[str]:
        """Passages that do not answer: near by words to the question or to the right passage, of the document, then of any."""
        texts, right = self.docs[doc], self.docs[doc][passage]
        places, answers = self.places.get((doc, question), set()) | {passage}, self._answers.get((doc, question), ())

        def chosen(candidates: Iterable[int], most: int, taken: Iterable[int] = ()) -> list[int]:
            found = list(taken)
            for at in candidates:
                if len(found) == most:
                    break
                text = texts[at]
                if at in places or at in found or _overlap(text, right) or any(answer in text for answer in answers):
                    continue
                found.append(at)
            return found

        near, beside = [int(at) for at in self.nearest[doc, question][:NEAREST]], [int(at) for at in self.beside[doc, passage]]
        chance.shuffle(near)
        chance.shuffle(beside)
        wrong = chosen(near, NEAR_QUESTION)
        wrong = chosen(beside, len(wrong) + NEAR_ANSWER, wrong)
        wrong = chosen(chance.sample(range(len(texts)), min(len(texts), 2 * WRONG)), WRONG, wrong)
        found = [texts[at] for at in wrong]
        while len(found) < WRONG:
            found.append(chance.choice(self.docs[chance.choice(self.answered)[0]]))
        return found

    def _unanswered_pair(self, chance: random.Random) -> Pair:
        own = bool(self.unanswered) and chance.random() < 0.7
        doc, wordings, passage = chance.choice(self.unanswered if own else self.public_unanswered)
        question = chance.choice(_wordings(wordings))
        at = passage if passage >= 0 else int(chance.choice(list(self.nearest[doc, question][:8])))
        return self.encoder.pair(question, self._cut(self.docs[doc][at], chance))

    def _statements(self, chance: random.Random, count: int) -> tuple[list[Pair], NDArray[np.float32]]:
        pairs: list[Pair] = []
        follows: list[float] = []
        names = list(self.stated)
        for name in chance.choices(names, self.masses, k=count):
            passage, statement, label = chance.choice(self.stated[name])[:3]
            if chance.random() < ELSEWHERE:
                statement, label = chance.choice(self.stated[name])[1], 0
            pairs.append(self.encoder.pair(statement, self.encoder.tokens(passage), is_statement=True))
            follows.append(float(label))
        return pairs, np.array(follows, np.float32)

    def _cut(self, text: str, chance: random.Random, span: tuple[int, int] = (-1, -1)) -> Tokens:
        """The passage, or some of its sentences, with the span if one is known."""
        ids, offsets = self.encoder.tokens(text)
        if len(text) <= SHORTEST_CUT or chance.random() > CUT:
            return ids, offsets
        if text not in self._units:
            self._units[text] = sorted({0, *(found.end() for found in _UNIT.finditer(text)), len(text)})
        edges = self._units[text]
        longest = chance.randint(SHORTEST_CUT, LONGEST_CUT)
        at = span if span[0] >= 0 else (chance.choice(edges[:-1]),) * 2
        low = max(number for number, edge in enumerate(edges[:-1]) if edge <= at[0])
        high = min(number for number, edge in enumerate(edges) if edge >= max(at[1], edges[low] + 1))
        while True:
            sides = [side for side in ((low - 1, high), (low, high + 1)) if side[0] >= 0 and side[1] < len(edges)]
            sides = [side for side in sides if edges[side[1]] - edges[side[0]] <= longest]
            if not sides:
                break
            low, high = chance.choice(sides)
        inside = (offsets[:, 0] >= edges[low]) & (offsets[:, 1] <= edges[high])
        return ids[inside], offsets[inside]


def _wordings(asked: str | list[str]) -> list[str]:
    return [asked] if isinstance(asked, str) else asked


def _overlap(one: str, other: str) -> bool:
    short, long = sorted((one, other), key=len)
    return one == other or short[:120] in long or short[-120:] in long
