"""Prompts to language models, as Markdown files. `$name` marks are filled per run."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from string import Template


@cache
def prompt(name: str) -> str:
    """Returns the text of `<name>.md` of this folder."""
    return files("orderly.prompts").joinpath(f"{name}.md").read_text(encoding="utf-8").strip()


def fill(text: str, **values: str) -> str:
    """Fills the `$name` marks of `text`. Raises KeyError for a mark without a value, so that no mark reaches a model."""
    return Template(text).substitute(values)
