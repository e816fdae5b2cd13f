"""What a build reads is there: the image gets every file that the wheel holds, and `make check` makes the program that it runs."""

from __future__ import annotations

import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FORCED = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"]


@pytest.mark.parametrize("source", sorted(FORCED))
def test_the_image_is_built_with_every_file_that_the_wheel_holds(source: str) -> None:
    build = (ROOT / "deploy/Dockerfile").read_text().partition("AS build")[2].partition("\nFROM")[0]
    copied = {word.rstrip("/") for line in build.splitlines() if line.startswith("COPY ") for word in line.split()[1:-1]}
    sent = {line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")}
    for allowed in (copied, sent):
        assert any(source == path or source.startswith(f"{path}/") for path in allowed), source


@pytest.mark.skipif(shutil.which("make") is None, reason="needs make")
def test_check_makes_the_program_that_looks_up_vulnerabilities() -> None:
    rules = subprocess.run(["make", "-pn", "check"], cwd=ROOT, capture_output=True, text=True, check=False).stdout
    [rule] = [line for line in rules.splitlines() if line.startswith("check:")]
    assert ".venv-audit/bin/pip-audit" in rule.split()
