"""Builds the outline of a document: a heading candidate is accepted if its number continues a list or opens one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from orderly.services.text.clause_numbers import container_number, leading_number, list_item_readings
from orderly.services.text.heading_candidates import Candidate, Kind

_CONTAINERS: frozenset[Kind] = frozenset({"schedule", "article", "part", "division"})
_MAX_GAP = 3
"""Largest step between two numbers of a list; numbers in between may be reserved or lost by OCR."""

_MAX_GAP_IN_ACT = 30
"""The same for an Act, where whole Divisions may have been repealed."""


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


@dataclass(slots=True)
class _OpenClause:
    index: int
    kind: Kind
    style: str
    """Numbering of its list: the prefix of dotted numbers ("12"), or "a", "i", "A", "I" or "1" for list items."""
    value: int
    label: str
    list_id: int
    level: int = 0


class Outline:
    """Accepts candidates in text order. Keeps a stack of open clauses and the last number that a new chapter may continue."""

    def __init__(self) -> None:
        self._stack: list[_OpenClause] = []
        self._placed: list[PlacedHeading] = []
        self._lists = 0
        self._last_number = 0
        self._last_paragraph = 0
        self._last_container: dict[Kind, int] = {}

    def place_all(self, found: Sequence[Candidate]) -> list[PlacedHeading]:
        brackets = [candidate for candidate in found if candidate.kind in ("paren", "letter")]
        following = {one.start: other.label for one, other in pairwise(brackets)}
        for candidate in found:
            if candidate.kind in ("paren", "letter"):
                self._place_list_item(candidate, following.get(candidate.start, ""))
            elif candidate.kind == "number":
                self._place_number(candidate)
            elif candidate.kind == "dotted":
                self._place_dotted(candidate)
            elif candidate.kind == "paragraph":
                self._place_paragraph(candidate)
            elif candidate.kind in _CONTAINERS:
                self._place_container(candidate)
            else:
                self._place_file_heading(candidate)
        return self._placed

    def _place_container(self, found: Candidate) -> None:
        value = container_number(found.label)
        at = self._find(found.kind, "")
        if at is not None and self._stack[at].label.lower() == found.label.lower():
            return  # repeated by a running head
        if found.kind == "schedule":
            self._close_to_depth(0)
            self._last_number, self._last_container = 0, {}
        elif found.kind in self._last_container and value > self._last_container[found.kind] + _MAX_GAP:
            return
        elif at is not None:
            self._close_to_depth(at)
        else:
            self._close_to_container()
        self._last_container[found.kind] = value
        self._push(found, found.kind, "", value, found.label)

    def _place_number(self, found: Candidate) -> None:
        value = leading_number(found.label)
        for at in range(len(self._stack) - 1, -1, -1):
            frame = self._stack[at]
            if frame.kind == "number" and self._follows(found, value, frame.value):
                self._continue_list(at, found, value, self._number_label(found, at))
                return
        nested = self._find("number", "") is not None
        host = self._find_lettered_chapter()
        if host is not None:
            if value != 1:
                return
            self._close_to_depth(host + 1)
        elif not nested and self._follows(found, value, self._last_number):
            self._close_to_container()
        elif value != 1 or (nested and found.inline):
            return
        elif found.strong:
            self._close_to_container()
        self._push(found, "number", "", value, self._number_label(found, len(self._stack)))

    def _place_dotted(self, found: Candidate) -> None:
        prefix, _, last = found.label.rpartition(".")
        value = leading_number(last)
        at = self._find("dotted", prefix)
        if at is not None:
            if self._follows(found, value, self._stack[at].value):
                self._continue_list(at, found, value, self._schedule_label(found.label))
            return
        parent = self._find_parent(prefix)
        if parent is not None and value <= (1 if found.inline else _MAX_GAP):
            self._close_to_depth(parent + 1)
            if self._stack[parent].kind in _CONTAINERS:
                self._last_number = self._stack[parent].value
        elif "." not in prefix and value <= 1 and self._opens_chapter(found, leading_number(prefix)):
            self._close_to_container()
            self._last_number = leading_number(prefix)
        else:
            return
        self._push(found, "dotted", prefix, value, self._schedule_label(found.label))

    def _place_paragraph(self, found: Candidate) -> None:
        """Places a judgment's paragraph "[42]"; its count continues across headings."""
        value = leading_number(found.label[1:])
        if not self._last_paragraph < value <= self._last_paragraph + _MAX_GAP:
            return
        self._last_paragraph = value
        self._close_to_container()
        self._push(found, "paragraph", "", value, found.label)

    def _find_lettered_chapter(self) -> int | None:
        """Finds the open chapter "I." or "B." that may contain "1.". Recitals, also lettered, end where numbers begin."""
        for at in range(len(self._stack) - 1, -1, -1):
            frame = self._stack[at]
            if frame.kind == "number":
                return None
            if frame.kind == "letter" and (at > 0 or frame.style == "I"):
                return at
        return None

    def _opens_chapter(self, found: Candidate, chapter: int) -> bool:
        """Whether "4.1" may appear without a heading "4", which is missing or has no number."""
        return self._follows(found, chapter, self._last_number) or (chapter == 1 and found.strong and not found.inline)

    def _find_parent(self, prefix: str) -> int | None:
        for at in range(len(self._stack) - 1, -1, -1):
            frame = self._stack[at]
            if frame.kind == "number" and str(frame.value) == prefix:
                return at
            if frame.kind == "dotted" and f"{frame.style}.{frame.value}" == prefix:
                return at
            if frame.kind in ("article", "part") and str(frame.value) == prefix:
                return at
        return None

    def _place_list_item(self, found: Candidate, following: str) -> None:
        """Places "(a)", "(i)", "A." or "I."; the list that the item continues decides between letter and Roman numeral."""
        readings = list_item_readings(found.label.strip("()"))
        if found.label in ("(i)", "I") and following in ("(ii)", "II"):
            readings = readings[1:]
        for at in range(len(self._stack) - 1, -1, -1):
            frame = self._stack[at]
            for style, value in readings:
                if (frame.kind, frame.style) == (found.kind, style) and self._follows(found, value, frame.value):
                    self._continue_list(at, found, value, self._nested_label(at, found))
                    return
        first = next((style for style, value in reversed(readings) if value == 1), None)
        if first is None:
            return
        again = self._find(found.kind, first)
        if again is not None:
            self._close_to_depth(again)
        elif found.kind == "letter" and first == "I":
            self._close_to_container()
        self._push(found, found.kind, first, 1, self._nested_label(len(self._stack), found))

    def _place_file_heading(self, found: Candidate) -> None:
        """Places a heading marked by the file: by its number if that continues an open list, else by its level."""
        prefix, _, last = found.label.rpartition(".")
        kind: Kind = "file" if not found.label else "dotted" if prefix else "number"
        value = leading_number(last) if found.label else 0
        level = found.level or 1
        at = self._find(kind, prefix) if found.label else None
        parent = self._find_parent(prefix) if kind == "dotted" else None
        if at is not None and self._follows(found, value, self._stack[at].value):
            self._close_to_depth(at)
        elif at is None and parent is not None:
            self._close_to_depth(parent + 1)
        else:
            self._close_to_level(level)
        self._push(found, kind, prefix, value, self._schedule_label(found.label), level=level)

    def _close_to_level(self, level: int) -> None:
        depth = 0
        while depth < len(self._stack) and 0 < self._stack[depth].level < level:
            depth += 1
        self._close_to_depth(depth)

    def _follows(self, found: Candidate, value: int, before: int) -> bool:
        """Whether `value` continues a list at `before`; "52A" follows "52". Only headings at a line start may skip numbers."""
        if value == before and found.label[-1].isalpha():
            return True
        gap = 1 if found.inline or not found.strong else _MAX_GAP_IN_ACT if found.act else _MAX_GAP
        return before < value <= before + gap

    def _find(self, kind: Kind, style: str) -> int | None:
        for at in range(len(self._stack) - 1, -1, -1):
            if self._stack[at].kind == kind and self._stack[at].style == style:
                return at
        return None

    def _close_to_depth(self, depth: int) -> None:
        del self._stack[depth:]

    def _close_to_container(self) -> None:
        depth = len(self._stack)
        while depth and self._stack[depth - 1].kind not in _CONTAINERS and self._stack[depth - 1].kind != "file":
            depth -= 1
        del self._stack[depth:]

    def _continue_list(self, at: int, found: Candidate, value: int, label: str) -> None:
        frame = self._stack[at]
        del self._stack[at:]
        self._push(found, frame.kind, frame.style, value, label, list_id=frame.list_id)

    def _push(
        self,
        found: Candidate,
        kind: Kind,
        style: str,
        value: int,
        label: str,
        *,
        list_id: int | None = None,
        level: int = 0,
    ) -> None:
        if list_id is None:
            self._lists += 1
            list_id = self._lists
        if kind == "number" and all(frame.kind in _CONTAINERS or frame.kind == "file" for frame in self._stack):
            self._last_number = value
        parent = self._stack[-1].index if self._stack else None
        weak = not found.strong and kind in ("paren", "letter", "number")
        self._placed.append(PlacedHeading(found, label, len(self._stack), parent, list_id, weak))
        self._stack.append(_OpenClause(len(self._placed) - 1, kind, style, value, label, list_id, level))

    def _number_label(self, found: Candidate, depth: int) -> str:
        above = self._stack[depth - 1] if depth else None
        if above and above.kind == "letter":
            return f"{above.label}.{found.label}"
        if above and above.kind not in _CONTAINERS and above.label:
            return f"{above.label}, item {found.label}"
        return self._schedule_label(found.label)

    def _schedule_label(self, label: str) -> str:
        """Prefixes the schedule, since numbers restart at 1 in every schedule."""
        schedule = self._stack[0].label if self._stack and self._stack[0].kind == "schedule" else ""
        return f"{schedule}, Section {label}" if schedule and label else label

    def _nested_label(self, depth: int, found: Candidate) -> str:
        above = self._stack[depth - 1].label if depth else ""
        return f"{above}.{found.label}" if above and found.kind == "letter" else above + found.label
