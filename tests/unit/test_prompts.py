"""Texts of prompts are read once."""

from __future__ import annotations

import ast
from pathlib import Path

import orderly
from orderly.prompts import prompt


def test_a_prompt_is_read_once_and_by_one_function() -> None:
    assert prompt("cells").startswith("You fill the open columns") and prompt("cells") is prompt("cells")
    package = Path(orderly.__file__).parent
    naming = [
        path.relative_to(package).as_posix()
        for path in package.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and node.value == "orderly.prompts"
    ]
    assert naming == ["prompts/__init__.py"]
