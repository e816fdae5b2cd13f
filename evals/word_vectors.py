"""Makes the vectors of single words that compare a question with sentences without running the model.

    python evals/word_vectors.py DATA

Words: those of the model's own vocabulary, and those of at least MIN_TEXTS contracts, agreements or clauses of DATA. Each word is
embedded by itself; words of one stem are averaged; the common mean is removed; the WIDTH directions of largest variance are
kept, in 8 bits. Writes word_vectors.npz into the package. Documents of other kinds (wild/) are not read.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from orderly.services.engines.local import model_files, word_vectors
from orderly.services.engines.local.embedding_model import Model
from orderly.services.engines.local.sentences import STOP_WORDS, content_words, stem
from orderly_evaluation.dataset import Dataset

MIN_TEXTS = 4
SHORTEST = 3
WIDTH = 128


def texts(data: Dataset) -> Iterator[str]:
    for folder in ("contracts", "nda"):
        for path in data.sources(folder):
            yield path.read_text(encoding="utf-8")
    for row in data.rows("clauses.jsonl"):
        yield row["text"]


def vocabulary(data: Dataset) -> list[str]:
    pieces = json.loads(model_files.TOKENIZER.check().read_text(encoding="utf-8"))["model"]["vocab"]
    counts = Counter(word for text in texts(data) for word in content_words(text))
    words = {word for word in pieces if not word.startswith("##")} | {word for word, n in counts.items() if n >= MIN_TEXTS}
    return sorted(w for w in words if len(w) >= SHORTEST and w.isascii() and w.isalpha() and w not in STOP_WORDS)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    words = vocabulary(Dataset(parser.parse_args().data))
    vectors = Model(threads=2).embed_first_windows(words)
    of_stem = defaultdict(list)
    for word, vector in zip(words, vectors, strict=True):
        of_stem[stem(word)].append(vector)
    stems = sorted(of_stem)
    means = np.stack([np.mean(of_stem[name], axis=0) for name in stems])
    means -= means.mean(axis=0)
    _, _, directions = np.linalg.svd(means, full_matrices=False)
    kept = means @ directions[:WIDTH].T
    kept /= np.linalg.norm(kept, axis=1, keepdims=True)
    scaled = np.round(kept / np.abs(kept).max() * 127).astype(np.int8)
    file = Path(word_vectors.__file__).with_name(word_vectors.FILE)
    np.savez_compressed(file, stems=np.array(" ".join(stems).encode()), vectors=scaled)
    print(file, len(words), "words", len(stems), "stems", file.stat().st_size, "bytes")


if __name__ == "__main__":
    main()
