"""The texts of prompts, Markdown files of `agent/prompts`."""

from __future__ import annotations

from functools import cache
from importlib.resources import files


@cache
def prompt(name: str) -> str:
    """Returns the text of agent/prompts/<name>.md."""
    return files("orderly.agent.prompts").joinpath(f"{name}.md").read_text(encoding="utf-8").strip()
