"""A column from a question in plain language, and ready-made columns."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import cast

from orderly.errors import Invalid
from orderly.services import columns
from orderly.services.columns import ReadyColumn, column_sets
from orderly.services.engines import LegalEngine
from orderly.store.functions.review_cells import AnswerType
from orderly.store.functions.reviews import Column, ColumnQuestion


async def propose_column(engine: LegalEngine, question: str) -> ColumnQuestion:
    """Proposes title and type; a ready-made column, with its own question, where one asks the same in other words.

    Only the offline engine knows what a question is about. Isaacus is asked the question as it was put.
    """
    subjects = await engine.subjects(question) if engine.offline and question.strip() else []
    return _asked(columns.propose_column(question, subjects))


def columns_of_sets(names: Iterable[str], known: Iterable[str] = ()) -> list[ColumnQuestion]:
    """The columns of several sets, each once, without those whose titles are known. Raises Invalid as `ready_columns`."""
    columns = {column["title"]: column for name in names for column in ready_columns(name)}
    return [column for title, column in columns.items() if title not in set(known)]


async def columns_of_questions(
    engine: LegalEngine, questions: Iterable[str], known: Iterable[ColumnQuestion | Column] = ()
) -> list[ColumnQuestion]:
    """The proposed columns, each once, without those that are known: several questions may ask for one ready-made column."""
    found: list[ColumnQuestion] = []
    for question in questions:
        column = await propose_column(engine, question)
        if all(_meaning(column) != _meaning(other) for other in (*known, *found)):
            found.append(column)
    return found


async def columns_to_ask(
    engine: LegalEngine, questions: Iterable[str], sets: Iterable[str], known: Sequence[ColumnQuestion | Column] = ()
) -> list[ColumnQuestion]:
    """The columns of sets, then those of questions, without those that are known. Raises Invalid as `ready_columns`."""
    ready = columns_of_sets(sets, [column["title"] for column in known])
    return [*ready, *await columns_of_questions(engine, questions, [*known, *ready])]


def _meaning(column: ColumnQuestion | Column) -> tuple[str, str | None]:
    return column["question"], column.get("subject")


def ready_columns(name: str) -> list[ColumnQuestion]:
    """The columns of a ready-made set. Raises Invalid with the names of all sets."""
    found = column_sets().get(name.strip().lower())
    if found is None:
        known = ", ".join(f"{key} ({value.title})" for key, value in column_sets().items())
        raise Invalid(f"There is no set of columns called {name!r}. Sets: {known}.")
    return [_asked(column) for column in found.columns]


def _asked(column: ReadyColumn) -> ColumnQuestion:
    return {
        "title": column.title,
        "question": column.question,
        "answer_type": cast(AnswerType, column.answer_type),
        "options": list(column.options),
        "subject": column.subject,
    }
