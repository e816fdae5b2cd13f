"""Whether words state what a sentence says, compared alone: its figures, its names and the words that it repeats."""

from __future__ import annotations

from orderly.services.calculation import follows
from orderly.services.support import figures, find_altered, has_figure, read_facts, unknown_names

_INTERVALS = {"annu": (1, "Y"), "half-year": (6, "M"), "quarter": (3, "M"), "month": (1, "M"), "week": (1, "W")}


def find_unsupported(statement: str, words: str) -> str | None:
    """The first figure or name of a statement that the words do not have, or the word that it alters; None if they state it."""
    facts, known, nothing = read_facts(statement), read_facts(words), read_facts("")
    often = {unit for _, _, unit in known.frequencies}
    intervals = {_INTERVALS.get(unit) for unit in often}
    for figure in figures(statement):
        if figure.kind == "period" and (figure.value.count, figure.value.unit) in intervals:
            continue  # every six months, of what is half-yearly
        operands = nothing if figure.kind in ("period", "share") else known  # others yield these by chance
        if not has_figure(figure, words) and follows(figure.value, facts, nothing, operands, nothing) is None:
            return " ".join(figure.words.split())
    for start, end, unit in facts.frequencies:
        if often and unit not in often:
            return statement[start:end]
    folded = words.casefold()
    name = next((name for name in unknown_names(statement) if name.casefold() not in folded), None)
    return name or find_altered(statement, words)
