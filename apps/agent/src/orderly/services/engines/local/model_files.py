"""The files of the embedding models in this package, and their checksums.

`evals/embedding_weights.py` (`make weights`) makes the 8-bit graph of all-MiniLM-L6-v2 from the published weights, and
`evals/reader/make_graph.py` that of the reader.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

from orderly.errors import Misconfigured

NAME = "all-MiniLM-L6-v2"
WIDTH = 384
"""Dimensions of a vector."""
FOLDER = Path(__file__).parent / "model"


@dataclass(frozen=True, slots=True)
class ModelFile:
    """A file with the SHA-256 of its content."""

    path: Path
    sha256: str

    def check(self) -> Path:
        """Returns the path. Raises Misconfigured if the file is missing or has other content."""
        try:
            with self.path.open("rb") as stream:
                found = hashlib.file_digest(stream, "sha256").hexdigest()
        except OSError as exc:
            raise Misconfigured(f"The offline engine's file {self.path.name} is missing. Install Orderly again.") from exc
        if found != self.sha256:
            raise Misconfigured(f"The offline engine's file {self.path.name} is not the genuine one. Install Orderly again.")
        return self.path


GRAPH = ModelFile(FOLDER / "all-minilm-l6-v2.int8.onnx", "fe611a0ea88e8180d5171a3a2edb9c5116212a985ba0c129c7df4cc736bec102")
TOKENIZER = ModelFile(FOLDER / "tokenizer.json", "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037")
READER = ModelFile(FOLDER / "reader.int8.onnx", "d848ff7ea3a95dd6bfc30e690e5339789e3cdb8c3547699959f82ec2cbb7bc0c")
"""Reads a question or a statement together with a passage; `evals/reader` makes it."""
