"""Writes the texts that a client sends with a run into the orchestrator's prompt as data: instructions, earlier answers."""

from __future__ import annotations

from collections.abc import Sequence

from orderly.agent.middleware.fences import fence_text
from orderly.prompts import fill, prompt

MOST_CHARACTERS = 20_000
"""Characters of earlier answers in the prompt; the latest are kept, and the prompt says how many are left out."""


def describe_client_texts(preferences: str | None, earlier_answers: Sequence[object] | None, fence: str) -> str:
    """Returns the sections for the prompt, or "" where the client sent none."""
    sections = []
    if preferences and preferences.strip():
        sections.append(fill(prompt("client_instructions"), sent=fence_text(preferences.strip(), fence)))
    if answers := [text for text in earlier_answers or () if isinstance(text, str) and text.strip()]:
        kept = _latest(answers)
        text = fence_text("\n\n---\n\n".join(kept), fence)
        sections.append(fill(prompt("earlier_answers"), sent=text, left_out=str(len(answers) - len(kept))))
    return "\n\n".join(sections)


def _latest(answers: Sequence[str]) -> list[str]:
    """The last answers that fit; the very last is kept whole."""
    kept: list[str] = []
    for text in reversed(answers):
        if kept and sum(map(len, kept)) + len(text) > MOST_CHARACTERS:
            break
        kept.insert(0, text)
    return kept
