"""Filters the rows of a review by the values that stand: "Expiry < 2026-07-01", "Renews automatically = yes", "Cap missing"."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from operator import eq, ge, gt, le, lt, ne
from typing import Any

from orderly.errors import Invalid
from orderly.services.reviews.effective import effective_value
from orderly.store.functions.review_cells import Cell, CellValue, ReviewRow
from orderly.store.functions.reviews import Column

_COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {"=": eq, "!=": ne, "<": lt, "<=": le, ">": gt, ">=": ge}
_STATES = ("present", "missing", "open")
_COMPARISON = re.compile(r"(?P<column>.+?)(?<!\s)\s*+(?P<operator><=|>=|!=|=|<|>|~)\s*(?P<operand>.+)", re.S)
_STATE = re.compile(r"(?P<column>.+?)(?<!\s)\s++(?P<operator>present|missing|open)", re.I | re.S)
_YES = {"yes": True, "true": True, "no": False, "false": False}
_ISO_DATE = re.compile(r"(\d{4})(?:-(\d\d)(?:-(\d\d))?)?")
_ISO_PERIOD = re.compile(r"P(\d+)([DWMY])", re.I)
_PERIOD = re.compile(r"(\d+)\s*(day|week|month|year)s?", re.I)
_DAYS = {"d": 1.0, "w": 7.0, "m": 30.4375, "y": 365.25}
_NO: CellValue = {"type": "yes_no", "text": "no", "yes": False}
FILTER_HELP = (
    'A filter names a column and compares it: "Expiry < 2026-07-01", "Notice >= 30 days", "Renews automatically = yes", '
    '"Law ~ Wales" (contains), "Cap missing", "Cap present", "Cap open" (not answered for sure yet).'
)


@dataclass(frozen=True, slots=True)
class CellFilter:
    column: Column
    operator: str
    """A comparison, "~" for contains, or one of present, missing, open."""
    operand: str = ""

    def holds(self, cell: Cell | None) -> bool | None:
        """None: the value does not decide it, because it is partial, of another form, or not found."""
        value = effective_value(cell) if cell is not None else None
        if self.operator == "open":
            return cell is None or (cell["state"] in ("queued", "stale", "candidate", "failed") and cell["verdict"] is None)
        if self.operator in _STATES:
            return (value is not None) == (self.operator == "present")
        if value is None:
            if cell is None or cell["state"] in ("queued", "failed") or (self.operator == "!=" and self._asks_which):
                return None
            # A clause that is not in the document answers the question whether it is there.
            return self.column["answer_type"] == "yes_no" and bool(_compare(_NO, self.operator, self.operand))
        if self.operator == "~":
            return self.operand.casefold() in value["text"].casefold()
        return _compare(value, self.operator, self.operand)

    @property
    def _asks_which(self) -> bool:
        """Whether a value is asked for: a document where none was found may have it, or another."""
        return self.column["answer_type"] != "yes_no"


def parse_filter(text: str, columns: Sequence[Column]) -> CellFilter:
    """Raises Invalid for an unknown column or form."""
    match = _COMPARISON.fullmatch(text.strip()) or _STATE.fullmatch(text.strip())
    if match is not None and (column := find_column(match["column"], columns)) is not None:
        return CellFilter(column, match["operator"].lower(), match.groupdict().get("operand") or "")
    names = ", ".join(column["title"] for column in columns)
    raise Invalid(f"{text!r} is no filter of this review. {FILTER_HELP} Columns: {names}.")


def find_column(name: str, columns: Sequence[Column]) -> Column | None:
    """The column of an id, a title, or the beginning of one title only; in any case."""
    wanted = name.strip().strip("\"'").casefold()
    exact = [c for c in columns if wanted in (c["id"], c["title"].casefold())]
    begun = [c for c in columns if c["title"].casefold().startswith(wanted)]
    return exact[0] if exact else begun[0] if wanted and len(begun) == 1 else None


def filter_rows(rows: Sequence[ReviewRow], filters: Sequence[CellFilter]) -> tuple[list[ReviewRow], list[ReviewRow]]:
    """Returns the rows for which every filter holds, and those for which one is undecided and none fails."""
    matching: list[ReviewRow] = []
    undecided: list[ReviewRow] = []
    for row in rows:
        by_column = {cell["column_id"]: cell for cell in row["cells"]}
        results = [f.holds(by_column.get(f.column["id"])) for f in filters]
        if all(results):
            matching.append(row)
        elif False not in results:
            undecided.append(row)
    return matching, undecided


def filtered_count(rows: Sequence[ReviewRow], column: Column) -> dict[str, int]:
    """Counts the rows by the valid value of a column, the most frequent first."""
    counts: dict[str, int] = {}
    for row in rows:
        cell = next((c for c in row["cells"] if c["column_id"] == column["id"]), None)
        value = effective_value(cell) if cell is not None else None
        shown = value["text"] if value is not None else "nothing found" if cell and cell["state"] == "not_found" else "open"
        counts[shown] = counts.get(shown, 0) + 1
    return dict(sorted(counts.items(), key=lambda item: -item[1]))


def _compare(value: CellValue, operator: str, operand: str) -> bool | None:
    compare = _COMPARISONS[operator]
    match value["type"]:
        case "yes_no":
            wanted = _YES.get(operand.casefold())
            return None if wanted is None or value.get("yes") is None else compare(value.get("yes"), wanted)
        case "date":
            return _compare_dates(value.get("iso"), operator, operand)
        case "duration" | "money" | "number":
            number, wanted_number = value.get("number"), _number(operand)
            return None if number is None or wanted_number is None else compare(number, wanted_number)
        case _:
            names = {
                value["text"].casefold(),
                str(value.get("jurisdiction") or value.get("choice") or value["text"]).casefold(),
            }
            return (operand.casefold() in names) == (operator == "=") if operator in ("=", "!=") else None


def _compare_dates(iso: str | None, operator: str, operand: str) -> bool | None:
    """Decided only if it holds, or fails, for every day that a partial date can mean."""
    known, wanted = _ISO_DATE.fullmatch(iso or ""), _ISO_DATE.fullmatch(operand)
    if known is None or wanted is None:
        return None
    first, last = _bounds(known)
    start, end = _bounds(wanted)
    if operator in ("=", "!="):
        inside, outside = start <= first and last <= end, last < start or end < first
        return None if not (inside or outside) else inside == (operator == "=")
    limit = end if operator in ("<=", ">") else start
    results = {_COMPARISONS[operator](first, limit), _COMPARISONS[operator](last, limit)}
    return results.pop() if len(results) == 1 else None


def _bounds(match: re.Match[str]) -> tuple[str, str]:
    year, month, day = match.groups()
    return f"{year}-{month or '01'}-{day or '01'}", f"{year}-{month or '12'}-{day or '31'}"


def _number(operand: str) -> float | None:
    """A number, or a period in days."""
    if period := _PERIOD.fullmatch(operand) or _ISO_PERIOD.fullmatch(operand):
        return float(period[1]) * _DAYS[period[2][0].lower()]
    digits = re.sub(r"[^\d.-]", "", operand)
    return float(digits) if re.fullmatch(r"-?\d+(?:\.\d+)?", digits) else None
