"""`make clean` keeps documents unless it is told otherwise, and removes nothing under a running server."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).parents[2]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    shutil.copyfile(CHECKOUT / "Makefile", tmp_path / "Makefile")
    (tmp_path / ".venv").mkdir()
    data = tmp_path / ".orderly/postgres/postgres/data18"
    data.mkdir(parents=True)
    (data / "PG_VERSION").write_text("18\n")
    return tmp_path


def clean(folder: Path, *variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["make", "-C", folder, "clean", *variables], check=False, capture_output=True, text=True)


def test_documents_stay_unless_their_removal_is_asked_for(folder: Path) -> None:
    done = clean(folder)
    assert done.returncode == 0 and "make clean DATA=yes" in done.stdout
    assert (folder / ".orderly").exists() and not (folder / ".venv").exists()
    clean(folder, "DATA=yes")
    assert not (folder / ".orderly").exists()


def test_nothing_is_removed_while_a_server_runs(folder: Path) -> None:
    pid = folder / ".orderly/postgres/postgres/data18/postmaster.pid"
    pid.write_text(f"{os.getpid()}\n/data\n")
    refused = clean(folder, "DATA=yes")
    assert refused.returncode != 0 and "stop it first" in refused.stdout
    assert (folder / ".venv").exists() and (folder / ".orderly").exists()
    pid.write_text(f"{2**22 + 1}\n/data\n")  # of a server that was killed
    assert clean(folder, "DATA=yes").returncode == 0
