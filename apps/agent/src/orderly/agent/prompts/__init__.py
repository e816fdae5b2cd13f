"""Prompts, as Markdown files. `$name` marks are filled per run."""

from __future__ import annotations

from string import Template

from orderly.services.completions import prompt

__all__ = ["fill", "prompt"]


def fill(text: str, **values: str) -> str:
    """Fills the `$name` marks of `text`. Raises KeyError for a mark without a value, so that no mark reaches a model."""
    return Template(text).substitute(values)
