"""Generates contracts for the search benchmark by recombining real ones: text, sections, and vectors with realistic neighbourhoods."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from uuid import UUID, uuid5

import numpy as np
from numpy.typing import NDArray

from orderly.models import Chunk, Embedding, Extracted, Page, RevisionContent, Section
from orderly.services.engines.local import LocalEngine
from orderly.services.text.chunking import chunk
from orderly.services.text.sections import find_sections

_SENTENCE = re.compile(r"(?<=[.;:])\s+")
_NUMBER = re.compile(r"\b\d+\b")
_SYLLABLES = ["kar", "wat", "ban", "tor", "mel", "gre", "vil", "ser", "don", "lu", "mar", "pel", "rin", "sto", "quan", "bri"]
_KINDS = ["Pty Ltd", "Inc.", "LLC", "GmbH", "plc", "Holdings", "Partners", "Trust"]
_TITLES = ["Distribution", "Supply", "Consulting", "Licence", "Services", "Maintenance", "Lease", "Franchise", "Hosting"]
DRIFT, NOISE = 0.35, 0.15
"""Distance of a passage's vector from its source's: along the difference of two real passages, and in a random direction."""

Vectors = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Source:
    """Real passages in contract order, each with the vectors of its windows."""

    sentences: list[list[str]]
    vectors: list[Vectors]

    @property
    def all_vectors(self) -> Vectors:
        return np.concatenate(self.vectors)


async def read_source(folder: Path, engine: LocalEngine, cache: Path) -> Source:
    """Chunks the .txt and .md files below `folder` as the product does. Caches the vectors in `cache`."""
    passages = list(_passages(folder))
    windows = [[passage[start:end] for start, end in engine.windows(passage)] for passage in passages]
    flat = [text for texts in windows for text in texts]
    if cache.exists() and len(known := np.load(cache)) == len(flat):
        vectors = known
    else:
        vectors = np.array(await engine.embed(flat), np.float32)
        np.save(cache, vectors)
    ends = np.cumsum([len(texts) for texts in windows])
    return Source([_SENTENCE.split(p) for p in passages], np.split(vectors, ends[:-1]))


def _passages(folder: Path) -> Iterator[str]:
    for path in sorted(p for p in folder.rglob("*") if p.suffix in {".txt", ".md"}):
        text = path.read_text("utf-8", "replace")
        pages = (Page(1, 0, len(text)),)
        for c in chunk(text, find_sections(text, (), pages), pages):
            yield text[c.start : c.end]


class Writer:
    """Generates contracts, reproducible by seed."""

    def __init__(self, source: Source, model: str, seed: int) -> None:
        self._source, self._model = source, model
        self._pick = random.Random(seed)
        self._noise = np.random.default_rng(seed)
        self._all = source.all_vectors

    def name(self) -> str:
        pick = self._pick
        return "".join(pick.choices(_SYLLABLES, k=pick.randint(2, 4))).capitalize() + f" {pick.choice(_KINDS)}"

    def revision(self, document_id: str, parties: Sequence[str], count: int) -> RevisionContent:
        """Returns a document of `count` passages about the named parties."""
        pick = self._pick
        start = pick.randrange(len(self._source.sentences))
        title = f"{pick.choice(_TITLES)} Agreement\n\nThis agreement is made between {parties[0]} and {parties[1]}.\n\n"
        texts, chunks, embeddings, at = [], [], [], 0
        for ordinal in range(count):
            body, vectors = self._passage((start + ordinal) % len(self._source.sentences), parties)
            text = (title if ordinal == 0 else "") + body
            texts.append(text)
            chunks.append(Chunk(ordinal, at, at + len(text), ordinal // 5, 1, 1))
            embeddings += [Embedding(ordinal, part, tuple(v)) for part, v in enumerate(vectors.tolist())]
            at += len(text) + 2
        text = "\n\n".join(texts)
        revision_id = str(uuid5(UUID(document_id), "1"))
        return RevisionContent(
            document_id=document_id,
            revision_id=revision_id,
            extracted=Extracted(text, (Page(1, 0, len(text)),), False, "bench"),
            sections=tuple(
                Section(n, None, 1, str(n + 1), pick.choice(_TITLES), group[0].start, group[-1].end)
                for n, group in enumerate(chunks[i : i + 5] for i in range(0, count, 5))
            ),
            chunks=tuple(chunks),
            chunk_ids=tuple(str(uuid5(UUID(document_id), f"1/{i}")) for i in range(count)),
            embedding_model=self._model,
            embeddings=tuple(embeddings),
            status="ready",
            reason="",
            health={},
        )

    def _passage(self, number: int, parties: Sequence[str]) -> tuple[str, Vectors]:
        """Returns a real passage with other numbers, sometimes with a sentence of another passage and a party's name."""
        pick, source = self._pick, self._source
        sentences = list(source.sentences[number])
        vectors = source.vectors[number]
        if pick.random() < 0.5:
            other = pick.randrange(len(source.sentences))
            sentences[pick.randrange(len(sentences))] = pick.choice(source.sentences[other])
            vectors = vectors + source.vectors[other][0] / len(sentences)
        if pick.random() < 0.2:
            sentences.append(f"{pick.choice(parties)} agrees.")
        text = _NUMBER.sub(lambda _: str(pick.randrange(1, 2000)), " ".join(sentences))
        shape = (len(vectors), vectors.shape[1])
        one, other_one = self._noise.integers(len(self._all), size=(2, len(vectors)))
        vectors = vectors + DRIFT * (self._all[one] - self._all[other_one])
        vectors = vectors + NOISE / np.sqrt(shape[1]) * self._noise.standard_normal(shape)
        return text.replace("\x00", " "), (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
