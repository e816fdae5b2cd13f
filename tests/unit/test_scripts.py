"""Scripts outside the package find what they import from it. They run by hand, so nothing else shows a name that has gone."""

from __future__ import annotations

import ast
import importlib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FOLDERS = ("evals", "tests/benchmarks", "tests/stress", "tests/security")
SCRIPTS = sorted(file for folder in FOLDERS for file in (ROOT / folder).rglob("*.py"))


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda file: str(file.relative_to(ROOT)))
def test_imported_names_exist(script: Path) -> None:
    for module, name in _imports(script):
        if not hasattr(importlib.import_module(module), name):
            importlib.import_module(f"{module}.{name}")


def _imports(script: Path) -> Iterator[tuple[str, str]]:
    """Module and name of each import from the package, or from the evaluation."""
    for node in ast.walk(ast.parse(script.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] in {"orderly", "orderly_evaluation"}:
            yield from ((node.module or "", alias.name) for alias in node.names)


def test_there_are_scripts() -> None:
    assert len(SCRIPTS) > 30
