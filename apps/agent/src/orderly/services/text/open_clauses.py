"""The clauses that are open at a place of a document, outermost first: which list may go on, what encloses a new heading."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from orderly.services.text.heading_candidates import Candidate, Kind
from orderly.services.text.number_chains import TITLE_CHARS

CONTAINERS: frozenset[Kind] = frozenset({"schedule", "article", "part", "division"})


@dataclass(frozen=True, slots=True)
class PlacedHeading:
    candidate: Candidate
    label: str
    """With the labels of its parents: "12.1(a)"."""
    depth: int
    parent: int | None
    """Index in the list of placed headings."""
    list_id: int
    weak: bool
    """A numbered item without a title."""
    kind: Kind
    hidden: bool = False
    """The number is not to be cited: the list restarts where another has the same numbers."""


@dataclass(frozen=True, slots=True)
class OpenClause:
    index: int
    """In the list of placed headings."""
    kind: Kind
    style: str
    """Numbering of its list: the prefix of dotted numbers ("12"), or "a", "i", "A", "I" or "1" for list items."""
    value: int
    label: str
    list_id: int
    level: int
    hidden: bool
    start: int
    indent: int
    titled: bool

    @property
    def is_division(self) -> bool:
        """Whether it is no numbered clause but what encloses clauses."""
        return self.kind in CONTAINERS or self.kind == "file"


class OpenClauses:
    def __init__(self) -> None:
        self.clauses: list[OpenClause] = []

    @property
    def schedule(self) -> OpenClause | None:
        """The innermost one: an appendix in a schedule."""
        return next((clause for clause in reversed(self.clauses) if clause.kind == "schedule"), None)

    @property
    def schedules(self) -> int:
        """How many schedules are open: they are the outermost."""
        return sum(clause.kind == "schedule" for clause in self.clauses)

    @property
    def innermost(self) -> OpenClause | None:
        return self.clauses[-1] if self.clauses else None

    @property
    def is_untitled(self) -> bool:
        return self.innermost is not None and not self.innermost.titled

    def outermost(self) -> list[OpenClause]:
        """The divisions that enclose the clauses, and the outermost clause."""
        first = next((at for at, clause in enumerate(self.clauses) if not clause.is_division), len(self.clauses))
        return self.clauses[: first + 1]

    def find(self, kind: Kind, style: str) -> int | None:
        """Depth of the innermost open clause of this list."""
        return self._depth_of(lambda clause: clause.kind == kind and clause.style == style)

    def find_parent(self, prefix: str) -> int | None:
        """Depth of the clause that "4.1" belongs to; "14.02.1" belongs to "14.02"."""
        number = _without_zeros(prefix)
        return self._depth_of(
            lambda clause: (
                (clause.kind in ("number", "article", "part") and str(clause.value) == number)
                or (clause.kind == "dotted" and _without_zeros(f"{clause.style}.{clause.value}") == number)
            )
        )

    def find_lettered_chapter(self) -> int | None:
        """Finds the open chapter "I." or "B." that may contain "1.". Recitals, also lettered, end where numbers begin."""
        for depth in range(len(self.clauses) - 1, -1, -1):
            clause = self.clauses[depth]
            if clause.kind == "number":
                return None
            if clause.kind == "letter" and (clause.style == "I" or (clause.style == "A" and (depth > 0 or clause.titled))):
                return depth
        return None

    def is_in_schedule(self, letter: str) -> bool:
        return self.schedule is not None and self.schedule.label.split()[-1] == letter

    def _depth_of(self, wanted: Callable[[OpenClause], bool]) -> int | None:
        return next((depth for depth in range(len(self.clauses) - 1, -1, -1) if wanted(self.clauses[depth])), None)

    def close_to(self, depth: int) -> None:
        del self.clauses[depth:]

    def close_to_schedule(self) -> None:
        self.close_to(self.schedules)

    def close_to_division(self) -> None:
        """Closes the clauses below the innermost Part, schedule or heading that the file marks."""
        division = self._depth_of(lambda clause: clause.is_division)
        self.close_to(0 if division is None else division + 1)

    def close_to_level(self, level: int) -> None:
        """Closes the headings at or below a level that the file marks."""
        depth = 0
        while depth < len(self.clauses) and 0 < self.clauses[depth].level < level:
            depth += 1
        self.close_to(depth)

    def is_first_of_chapter(self, found: Candidate) -> bool:
        """Whether "1." is indented right below a chapter's title, as in nested lists of Markdown."""
        above = self.innermost
        if above is None or above.kind != "number":
            return False
        return found.start - above.start <= TITLE_CHARS and found.indent > above.indent + 1

    def contains_list(self, found: Candidate) -> bool:
        """Whether "1." follows the colon of an open clause such as "3.5", or stands below a number that the file marks."""
        above = self.innermost
        if above is None or above.kind not in ("number", "dotted"):
            return False
        return (found.introduced and above.kind == "dotted") or (above.level > 0 and not found.level)

    def close_to_marked_level(self, level: int) -> None:
        if self.schedule and self.schedule.level >= level:
            self.close_to_schedule()  # some files mark a schedule and its clauses with the same level
        else:
            self.close_to_level(level)

    def number_label(self, number: str, depth: int) -> str:
        """Label of a number at a depth."""
        above = self.clauses[depth - 1] if depth else None
        if above and above.kind == "letter":
            return f"{above.label}.{number}"
        if above and above.kind not in CONTAINERS and above.label:
            return f"{above.label}, item {number}"
        return self.schedule_label(number)

    def schedule_label(self, label: str) -> str:
        """Prefixes the schedule, since numbers restart at 1 in every schedule."""
        return f"{self.schedule.label}, Section {label}" if self.schedule and label else label

    def part_label(self, found: Candidate) -> str:
        """Label of a schedule, Part or Division: with the schedule, and with the Part whose Divisions it numbers."""
        above = [clause for clause in self.clauses if clause.kind in ("schedule", "part")]
        inner = bool(above) and (above[-1].kind == "schedule" or found.kind == "division")
        return f"{above[-1].label}, {found.label}" if inner else found.label

    def item_label(self, depth: int, found: Candidate) -> str:
        """Label of a list item at a depth."""
        above = self.clauses[depth - 1].label if depth else ""
        return f"{above}.{found.label}" if above and found.kind == "letter" else above + found.label


def _without_zeros(number: str) -> str:
    """For "14.02" it is "14.2"."""
    return ".".join(part.lstrip("0") or part for part in number.split("."))
