"""Puts heading candidates in order: a candidate is a heading if its number continues a list, or opens one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from orderly.services.text.clause_numbers import digits, readings_of, value_of_name
from orderly.services.text.heading_candidates import Candidate, Kind

_CONTAINERS: frozenset[Kind] = frozenset({"schedule", "article", "part", "division"})
_GAP = 3
"""Numbers that may be missing from a list (reserved, lost by OCR) before the next one counts as a stranger."""

_REPEALED = 30
"""The same for an Act: whole Divisions may have been repealed."""


@dataclass(frozen=True, slots=True)
class Placed:
    candidate: Candidate
    label: str
    """Composed: "12.1(a)"."""
    depth: int
    parent: int | None
    """Index in the list of placed candidates."""
    list_id: int
    weak: bool


@dataclass(slots=True)
class _Open:
    index: int
    kind: Kind
    style: str
    """What its list is numbered by: prefix of dotted numbers ("12."), "a", "i", "A", "I" or "1" for brackets."""
    value: int
    label: str
    list_id: int
    level: int = 0


class Outline:
    """A stack of open clauses and, per part of the document, the last number that a new chapter may continue."""

    def __init__(self) -> None:
        self._stack: list[_Open] = []
        self._placed: list[Placed] = []
        self._lists = 0
        self._last_number = 0
        self._last_paragraph = 0
        self._last_container: dict[Kind, int] = {}

    def place_all(self, found: Sequence[Candidate]) -> list[Placed]:
        brackets = [candidate for candidate in found if candidate.kind in ("paren", "letter")]
        following = {one.start: other.label for one, other in pairwise(brackets)}
        for candidate in found:
            if candidate.kind in ("paren", "letter"):
                self._listed(candidate, following.get(candidate.start, ""))
            elif candidate.kind == "number":
                self._number(candidate)
            elif candidate.kind == "dotted":
                self._dotted(candidate)
            elif candidate.kind == "paragraph":
                self._paragraph(candidate)
            elif candidate.kind in _CONTAINERS:
                self._container(candidate)
            else:
                self._marked(candidate)
        return self._placed

    def _container(self, found: Candidate) -> None:
        value = value_of_name(found.label)
        at = self._find(found.kind, "")
        if at is not None and self._stack[at].label.lower() == found.label.lower():
            return  # a running head says it again
        if found.kind == "schedule":
            self._cut(0)
            self._last_number, self._last_container = 0, {}
        elif found.kind in self._last_container and value > self._last_container[found.kind] + _GAP:
            return
        elif at is not None:
            self._cut(at)
        else:
            self._cut_to_container()
        self._last_container[found.kind] = value
        self._push(found, found.kind, "", value, found.label)

    def _number(self, found: Candidate) -> None:
        value = digits(found.label)
        for at in range(len(self._stack) - 1, -1, -1):
            frame = self._stack[at]
            if frame.kind == "number" and self._follows(found, value, frame.value):
                self._go_on(at, found, value, self._number_label(found, at))
                return
        nested = self._find("number", "") is not None
        host = self._lettered_chapter()
        if host is not None:
            if value != 1:
                return
            self._cut(host + 1)
        elif not nested and self._follows(found, value, self._last_number):
            self._cut_to_container()
        elif value != 1 or (nested and found.inline):
            return
        elif found.strong:
            self._cut_to_container()
        self._push(found, "number", "", value, self._number_label(found, len(self._stack)))

    def _dotted(self, found: Candidate) -> None:
        prefix, _, last = found.label.rpartition(".")
        value = digits(last)
        at = self._find("dotted", prefix)
        if at is not None:
            if self._follows(found, value, self._stack[at].value):
                self._go_on(at, found, value, self._in_schedule(found.label))
            return
        parent = self._parent_of(prefix)
        if parent is not None and value <= (1 if found.inline else _GAP):
            self._cut(parent + 1)
            if self._stack[parent].kind in _CONTAINERS:
                self._last_number = self._stack[parent].value
        elif "." not in prefix and value <= 1 and self._opens_chapter(found, digits(prefix)):
            self._cut_to_container()
            self._last_number = digits(prefix)
        else:
            return
        self._push(found, "dotted", prefix, value, self._in_schedule(found.label))

    def _paragraph(self, found: Candidate) -> None:
        """A judgment's "[42]": counted from the first to the last, whatever headings stand between."""
        value = digits(found.label[1:])
        if not self._last_paragraph < value <= self._last_paragraph + _GAP:
            return
        self._last_paragraph = value
        self._cut_to_container()
        self._push(found, "paragraph", "", value, found.label)

    def _lettered_chapter(self) -> int | None:
        """An open "I." or "B." that may hold "1."; recitals, lettered too, end where the numbers begin."""
        for at in range(len(self._stack) - 1, -1, -1):
            frame = self._stack[at]
            if frame.kind == "number":
                return None
            if frame.kind == "letter" and (at > 0 or frame.style == "I"):
                return at
        return None

    def _opens_chapter(self, found: Candidate, chapter: int) -> bool:
        """Whether "4.1" may come where nothing says "4": its heading is missing, or has no number."""
        return self._follows(found, chapter, self._last_number) or (chapter == 1 and found.strong and not found.inline)

    def _parent_of(self, prefix: str) -> int | None:
        for at in range(len(self._stack) - 1, -1, -1):
            frame = self._stack[at]
            if frame.kind == "number" and str(frame.value) == prefix:
                return at
            if frame.kind == "dotted" and f"{frame.style}.{frame.value}" == prefix:
                return at
            if frame.kind in ("article", "part") and str(frame.value) == prefix:
                return at
        return None

    def _listed(self, found: Candidate, following: str) -> None:
        """An item like "(a)", "(i)", "A." or "I.": the list it continues tells a letter from a Roman number."""
        readings = readings_of(found.label.strip("()"))
        if found.label in ("(i)", "I") and following in ("(ii)", "II"):
            readings = readings[1:]
        for at in range(len(self._stack) - 1, -1, -1):
            frame = self._stack[at]
            for style, value in readings:
                if (frame.kind, frame.style) == (found.kind, style) and self._follows(found, value, frame.value):
                    self._go_on(at, found, value, self._under(at, found))
                    return
        first = next((style for style, value in reversed(readings) if value == 1), None)
        if first is None:
            return
        again = self._find(found.kind, first)
        if again is not None:
            self._cut(again)
        elif found.kind == "letter" and first == "I":
            self._cut_to_container()
        self._push(found, found.kind, first, 1, self._under(len(self._stack), found))

    def _marked(self, found: Candidate) -> None:
        """A heading of the file: its number places it where that continues an open list, else its level does."""
        prefix, _, last = found.label.rpartition(".")
        kind: Kind = "file" if not found.label else "dotted" if prefix else "number"
        value = digits(last) if found.label else 0
        level = found.level or 1
        at = self._find(kind, prefix) if found.label else None
        parent = self._parent_of(prefix) if kind == "dotted" else None
        if at is not None and self._follows(found, value, self._stack[at].value):
            self._cut(at)
        elif at is None and parent is not None:
            self._cut(parent + 1)
        else:
            self._cut_to_level(level)
        self._push(found, kind, prefix, value, self._in_schedule(found.label), level=level)

    def _cut_to_level(self, level: int) -> None:
        depth = 0
        while depth < len(self._stack) and 0 < self._stack[depth].level < level:
            depth += 1
        self._cut(depth)

    def _follows(self, found: Candidate, value: int, before: int) -> bool:
        """Next in its list ("52A" after "52" too). A heading may skip a few; a number in a line must be the next."""
        if value == before and found.label[-1].isalpha():
            return True
        gap = 1 if found.inline or not found.strong else _REPEALED if found.act else _GAP
        return before < value <= before + gap

    def _find(self, kind: Kind, style: str) -> int | None:
        for at in range(len(self._stack) - 1, -1, -1):
            if self._stack[at].kind == kind and self._stack[at].style == style:
                return at
        return None

    def _cut(self, depth: int) -> None:
        del self._stack[depth:]

    def _cut_to_container(self) -> None:
        depth = len(self._stack)
        while depth and self._stack[depth - 1].kind not in _CONTAINERS and self._stack[depth - 1].kind != "file":
            depth -= 1
        del self._stack[depth:]

    def _go_on(self, at: int, found: Candidate, value: int, label: str) -> None:
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
        self._placed.append(Placed(found, label, len(self._stack), parent, list_id, weak))
        self._stack.append(_Open(len(self._placed) - 1, kind, style, value, label, list_id, level))

    def _number_label(self, found: Candidate, depth: int) -> str:
        above = self._stack[depth - 1] if depth else None
        if above and above.kind == "letter":
            return f"{above.label}.{found.label}"
        if above and above.kind not in _CONTAINERS and above.label:
            return f"{above.label}, item {found.label}"
        return self._in_schedule(found.label)

    def _in_schedule(self, label: str) -> str:
        """Every schedule numbers from 1 again: alone, "Section 1" would name the wrong clause."""
        schedule = self._stack[0].label if self._stack and self._stack[0].kind == "schedule" else ""
        return f"{schedule}, Section {label}" if schedule and label else label

    def _under(self, depth: int, found: Candidate) -> str:
        above = self._stack[depth - 1].label if depth else ""
        return f"{above}.{found.label}" if above and found.kind == "letter" else above + found.label
