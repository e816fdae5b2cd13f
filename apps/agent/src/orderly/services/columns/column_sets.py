"""Ready-made columns, in sets for kinds of documents."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources


@dataclass(frozen=True, slots=True)
class ReadyColumn:
    title: str
    question: str
    answer_type: str
    subject: str | None = None
    """Subject that rules or the presence model look for; None: the question is put to the document."""
    options: tuple[str, ...] = ()
    """Of a choice."""
    label: str = ""
    """What questions for it are about, in the words of the engine's model of subjects."""


@dataclass(frozen=True, slots=True)
class ColumnSet:
    title: str
    columns: tuple[ReadyColumn, ...]


@lru_cache(maxsize=1)
def column_sets() -> Mapping[str, ColumnSet]:
    """Sets by name, from column_sets.toml."""
    raw = tomllib.loads(resources.files(__package__).joinpath("column_sets.toml").read_text(encoding="utf-8"))
    columns = {name: _column(item) for name, item in raw["columns"].items()}
    return {
        name: ColumnSet(item["title"], tuple(columns[column] for column in item["columns"]))
        for name, item in raw["sets"].items()
    }


def _column(item: Mapping[str, str | list[str]]) -> ReadyColumn:
    subject = item.get("subject")
    return ReadyColumn(
        str(item["title"]),
        str(item["question"]),
        str(item["type"]),
        None if subject is None else str(subject),
        tuple(item.get("options", ())),
        str(item.get("label", subject or "")),
    )
