"""Embeds every way to ask for a concept of the offline engine's lexicon, so that no process does it again.

    python evals/concept_vectors.py

Writes concept_vectors.npz into the package: the vectors of the distinct forms in 16 bits, and the row of each form. Run it after
a change of concepts.toml, of `strip_commonplace` or of the embedding model; a test compares the file with fresh vectors.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from orderly.services.engines.local import concept_finder, concepts
from orderly.services.engines.local.embedding_model import Model


def main() -> None:
    forms = concept_finder.asked_forms(concepts.load())
    distinct = {form: row for row, form in enumerate(dict.fromkeys(forms))}
    vectors = Model(threads=2).embed_first_windows(list(distinct)).astype(np.float16)
    file = Path(concept_finder.__file__).with_name(concept_finder.VECTORS)
    np.savez_compressed(file, distinct=vectors, rows=np.array([distinct[form] for form in forms], np.int16))
    print(file, len(forms), "forms", len(distinct), "distinct", file.stat().st_size, "bytes")


if __name__ == "__main__":
    main()
