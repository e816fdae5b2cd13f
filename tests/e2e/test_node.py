"""A node of the production server that cannot tell people apart does not start."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from engines import AEGRA, ROOT
from installation import Installation

needs_aegra = pytest.mark.skipif(os.environ.get("ORDERLY_TEST_ENGINE") != "aegra", reason="Aegra: make engines")


def run(installation: Installation, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [AEGRA, "node", *arguments],
        check=False,
        env=installation.environment,
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=240,
    )


@needs_aegra
def test_a_node_refuses_to_serve_before_its_database_is_upgraded_and_without_the_sign_in(
    installation: Installation, tmp_path: Path
) -> None:
    config = json.loads((ROOT / "aegra.json").read_text())
    config["graphs"]["orderly"]["path"] = str(ROOT / "apps/agent/node.py:graph")
    config["http"]["app"] = str(ROOT / "apps/agent/app.py:app")
    config["auth"]["path"] = "./gone.py:auth"
    (tmp_path / "aegra.json").write_text(json.dumps(config))
    early = run(installation, tmp_path, "serve", "--port", "1")
    assert (early.returncode, "node upgrade" in early.stderr) == (1, True), early.stderr
    assert run(installation, tmp_path, "upgrade").returncode == 0
    refused = run(installation, tmp_path, "serve", "--port", "1")
    assert refused.returncode == 1, refused.stdout
    assert "instead of 401" in refused.stderr


def test_without_aegra_the_command_says_what_is_missing(installation: Installation) -> None:
    assert "Python 3.12" in installation.run("node", "serve", code=1).stderr
