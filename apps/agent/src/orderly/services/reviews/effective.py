"""The effective content of a cell: a person's verdict before the machine's answer."""

from __future__ import annotations

from typing import Literal

from orderly.store.functions.review_cells import Cell, CellState, CellValue

EffectiveState = Literal[CellState, "accepted", "corrected", "rejected"]


def effective_value(cell: Cell) -> CellValue | None:
    """The valid value: accepted or corrected by a person, else answered. None: nothing found, or rejected."""
    verdict = cell["verdict"]
    if verdict is not None and verdict["current"]:
        return None if verdict["verdict"] == "rejected" else verdict["value"]
    return cell["value"]


def effective_note(cell: Cell) -> str:
    """What the answer says of itself, unless a person's value or rejection stands in its place."""
    return "" if effective_state(cell) in ("corrected", "rejected") else cell["note"]


def effective_state(cell: Cell) -> EffectiveState:
    """The verdict, while it is about the current version of the document and of the question; else the cell's state."""
    verdict = cell["verdict"]
    return verdict["verdict"] if verdict is not None and verdict["current"] else cell["state"]
