"""The last conversation of the terminal: its questions and its matter.

Answers are not kept: they quote documents, and a purge could not reach them here.
"""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass, field
from pathlib import Path

MOST_QUESTIONS = 10


@dataclass(slots=True)
class Remembered:
    user_id: str
    matter: str | None = None
    questions: list[str] = field(default_factory=list)

    def add(self, question: str, matter: str | None) -> None:
        self.questions = [*self.questions, question][-MOST_QUESTIONS:]
        self.matter = matter


def load(home: Path, user_id: str) -> Remembered:
    """The user's last conversation; an empty one if there is none."""
    try:
        kept = Remembered(**json.loads(_file(home).read_text(encoding="utf-8")))
    except (FileNotFoundError, ValueError, TypeError):
        return Remembered(user_id)
    return kept if kept.user_id == user_id else Remembered(user_id)


def save(home: Path, remembered: Remembered) -> None:
    """Writes the conversation for its owner alone."""
    descriptor = os.open(_file(home), os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as stream:
        json.dump(asdict(remembered), stream, ensure_ascii=False)


def _file(home: Path) -> Path:
    return home / "conversation.json"
