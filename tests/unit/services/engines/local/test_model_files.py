"""The files of the offline engine's model: packaged, verified, loaded on first use."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from orderly.errors import Misconfigured
from orderly.services.engines.local import LocalEngine, model_files

EMBED_ONCE = """
import sys
from orderly.services.engines.local import LocalEngine
engine = LocalEngine()
assert "onnxruntime" not in sys.modules
assert engine.windows("One short clause.") == [(0, 17)]
assert not {"torch", "onnx", "safetensors", "sentence_transformers"} & set(sys.modules)
"""


def test_the_model_is_loaded_on_first_use_and_needs_neither_torch_nor_a_builder() -> None:
    subprocess.run([sys.executable, "-c", EMBED_ONCE], check=True)


@pytest.mark.parametrize("name", ["GRAPH", "TOKENIZER"])
def test_a_file_with_a_wrong_checksum_is_refused(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    genuine = getattr(model_files, name)
    forged = tmp_path / "forged"
    forged.write_bytes(b"\0" + genuine.path.read_bytes()[1:])
    monkeypatch.setattr(model_files, name, replace(genuine, path=forged))
    with pytest.raises(Misconfigured, match="not the genuine"):
        LocalEngine().windows("text")


@pytest.mark.parametrize("name", ["GRAPH", "TOKENIZER"])
def test_a_missing_file_is_named(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    missing = replace(getattr(model_files, name), path=tmp_path / "gone.bin")
    monkeypatch.setattr(model_files, name, missing)
    with pytest.raises(Misconfigured, match=r"gone\.bin is missing"):
        LocalEngine().windows("text")
