"""The variables with which Aegra starts."""

from __future__ import annotations

from pathlib import Path

import pytest

from orderly.aegra.environment import aegra_environment
from orderly.settings import Settings


def test_aegra_sweeps_no_threads_whatever_the_environment_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its sweep calls no handler, so the files of a conversation would stay."""
    for name in ("AEGRA_THREAD_TTL", "LANGGRAPH_THREAD_TTL"):
        monkeypatch.setenv(name, "60")
        assert aegra_environment(Settings(home=tmp_path), "postgresql://x", runs=1)[name] == ""
