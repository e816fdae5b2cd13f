"""Prompts as Markdown files, loaded by name. `$name` marks are filled per run."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from string import Template


@cache
def prompt(name: str) -> str:
    """The text of prompts/<name>.md."""
    return files(__package__).joinpath(f"{name}.md").read_text(encoding="utf-8").strip()


def fill(text: str, **values: str) -> str:
    """Raises KeyError for a mark without a value, so that no mark ever reaches a model."""
    return Template(text).substitute(values)
