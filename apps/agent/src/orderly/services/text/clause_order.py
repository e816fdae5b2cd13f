"""Builds the outline of a document: a heading candidate is accepted if its number continues a list or opens one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from orderly.services.text.clause_numbers import container_number, leading_number, list_item_readings
from orderly.services.text.heading_candidates import Candidate, Kind
from orderly.services.text.number_chains import TITLE_CHARS, find_chained, find_chapters

_CONTAINERS: frozenset[Kind] = frozenset({"schedule", "article", "part", "division"})
_MAX_GAP = 4
"""Largest step between two numbers of a list; numbers in between may be reserved or lost by OCR."""

_MAX_GAP_OF_ITEMS = 4
"""The same for list items."""

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
    kind: Kind
    hidden: bool = False
    """The number is not to be cited: the list restarts where another has the same numbers."""


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
    hidden: bool = False
    start: int = 0
    indent: int = 0


class Outline:
    """Accepts candidates in text order. Keeps a stack of open clauses and the last number that a new chapter may continue."""

    def __init__(self) -> None:
        self._stack: list[_OpenClause] = []
        self._placed: list[PlacedHeading] = []
        self._lists = 0
        self._last_number = 0
        self._last_paragraph = 0
        self._last_container: dict[Kind, int] = {}
        self._closed: list[_OpenClause] = []
        self._signed = False
        self._skipped = False
        self._confirmed: frozenset[int] = frozenset()
        self._chained: frozenset[int] = frozenset()
        self.closings: list[tuple[int, int]] = []
        """Offsets where open clauses end, at signature blocks and tables of contents, and the depth that stays open."""

    def place_all(self, found: Sequence[Candidate]) -> list[PlacedHeading]:
        brackets = [candidate for candidate in found if candidate.kind in ("paren", "letter")]
        following = {one.start: other.label for one, other in pairwise(brackets)}
        self._confirmed = frozenset((*find_chained(found, titled=True), *find_chapters(found)))
        self._chained = self._confirmed.union(find_chained(found, titled=False))
        for candidate in found:
            if candidate.kind == "close":
                self._close_all(candidate)
                continue
            self._reopen(candidate)
            placed = len(self._placed)
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
            elif candidate.kind == "file" or not self._signed:
                self._place_file_heading(candidate)
            self._note_skipped(candidate, placed)
        return self._placed

    def _close_all(self, found: Candidate) -> None:
        """Ends every clause at a signature block or table of contents; `_reopen` lets the same numbering continue."""
        kept = 0 if found.strong else sum(frame.kind == "schedule" for frame in self._stack[:1])
        self.closings.append((found.start, kept))
        self._signed = self._signed or (found.strong and bool(self._placed))
        if len(self._stack) > kept:
            self._closed = self._stack
        self._stack = self._stack[:kept]

    def _reopen(self, found: Candidate) -> None:
        """Opens the closed clauses again if `found` has exactly the next number of one of them."""
        if any(frame.kind != "schedule" for frame in self._stack) or not self._closed or found.kind not in ("number", "dotted"):
            return
        prefix, _, last = found.label.rpartition(".")
        for at in range(len(self._closed) - 1, -1, -1):
            frame = self._closed[at]
            if (frame.kind, frame.style, frame.value + 1) == (found.kind, prefix, leading_number(last)):
                self._stack, self._signed = self._closed[: at + 1], False
                return

    def _note_skipped(self, found: Candidate, placed: int) -> None:
        """Remembers a titled clause with a number from elsewhere, quoted by an amendment: its items have other parents."""
        if len(self._placed) > placed:
            self._skipped = self._skipped and found.kind in ("paren", "letter")
        elif found.kind in ("number", "dotted") and found.strong and found.title and not found.inline:
            self._skipped = True
        elif found.kind in ("paren", "letter") and found.title and not found.inline:
            self._end_list(found)

    def _end_list(self, found: Candidate) -> None:
        """Ends the open item at a titled item whose letter is out of order."""
        depth = next((at for at, frame in enumerate(self._stack) if frame.kind == found.kind), None)
        if depth is not None:
            self.closings.append((found.start, depth))
            self._close_to_depth(depth)

    def _place_container(self, found: Candidate) -> None:
        value = container_number(found.label)
        at = self._find(found.kind, "")
        if at is not None and self._stack[at].label.lower().endswith(found.label.lower()):
            return  # repeated by a running head
        if found.kind == "schedule":
            self._close_to_depth(0)
            self._last_number, self._last_container = 0, {}
            self._closed, self._signed = [], False
        elif found.kind in self._last_container and value > self._last_container[found.kind] + _container_gap(found):
            return
        elif at is not None:
            self._close_to_depth(at)
        else:
            self._close_to_container()
        self._last_container[found.kind] = value
        schedule = self._stack[0].label if self._stack and self._stack[0].kind == "schedule" else ""
        label = f"{schedule}, {found.label}" if schedule else found.label
        self._push(found, found.kind, "", value, label, level=found.level)

    def _place_number(self, found: Candidate) -> None:
        value = leading_number(found.label)
        for at in range(len(self._stack) - 1, -1, -1):
            frame = self._stack[at]
            if frame.indent > found.indent + 1 and self._continues_indented(found, value, at):
                continue
            if frame.kind == "number" and self._follows(found, value, frame.value) and not (frame.hidden and found.strong):
                self._continue_list(at, found, value, self._number_label(found, at))
                return
        nested = self._find("number", "") is not None
        host = self._find_lettered_chapter()
        if host is not None:
            if value != 1:
                return
            self._close_to_depth(host + 1)
        elif (not nested and self._follows(found, value, self._last_number)) or self._skips(found, value):
            self._close_to_marked() if value == 1 else self._close_to_container()
        elif value != 1 or (nested and found.inline) or (self._is_nested_twice() and not self._is_indented(found)):
            return
        elif found.strong and not self._has_dotted_chapter() and not self._is_first_of_chapter(found):
            self._close_to_marked()
        hidden = True if self._is_unrelated(found) else None
        self._push(found, "number", "", value, self._number_label(found, len(self._stack)), hidden=hidden)

    def _is_unrelated(self, found: Candidate) -> bool:
        """Whether a list begins under a clause that has ended and does not introduce it."""
        if not self._stack or found.strong or found.introduced or self._stack[-1].kind in _CONTAINERS:
            return False
        return self._stack[-1].kind == "number" and found.start - self._stack[-1].start > TITLE_CHARS

    def _continues_indented(self, found: Candidate, value: int, below: int) -> bool:
        """Whether a list further out, at the same indentation, has the number before."""
        outer = (frame for frame in self._stack[:below] if frame.kind == "number" and frame.indent == found.indent)
        return any(self._follows(found, value, frame.value) for frame in outer)

    def _is_first_of_chapter(self, found: Candidate) -> bool:
        """Whether "1." is indented right below a chapter's title, as in nested lists of Markdown."""
        if not self._stack or self._stack[-1].kind != "number":
            return False
        above = self._stack[-1]
        return found.start - above.start <= TITLE_CHARS and found.indent > above.indent + 1

    def _is_indented(self, found: Candidate) -> bool:
        """Whether the number stands further in than the open item, as in nested lists of Markdown."""
        return bool(self._stack) and found.indent > self._stack[-1].indent + 1

    def _place_dotted(self, found: Candidate) -> None:
        prefix, _, last = found.label.rpartition(".")
        value = leading_number(last)
        at = self._find("dotted", prefix)
        if at is not None:
            if self._follows(found, value, self._stack[at].value):
                self._continue_list(at, found, value, self._schedule_label(found.label))
            return
        parent = self._find_parent(prefix)
        if found.tentative and (value != 1 or parent is None or found.start - self._stack[parent].start > TITLE_CHARS):
            return
        if parent is not None and value <= (1 if found.inline and not found.strong else _MAX_GAP):
            self._close_to_depth(parent + 1)
            if self._stack[parent].kind in _CONTAINERS:
                self._last_number = self._stack[parent].value
        elif prefix.isalpha() and value <= _MAX_GAP and self._is_open_schedule(prefix):
            self._close_to_depth(1)
        elif "." not in prefix and (
            self._skips(found, leading_number(prefix)) or (value <= 1 and self._opens_chapter(found, leading_number(prefix)))
        ):
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
            titled = not self._placed[frame.index].weak
            if frame.kind == "letter" and frame.style in ("A", "I") and (at > 0 or frame.style == "I" or titled):
                return at
        return None

    def _skips(self, found: Candidate, chapter: int) -> bool:
        """Whether a confirmed number skips chapters whose headings were not found."""
        return found.start in self._confirmed and chapter > self._last_number > 0

    def _opens_chapter(self, found: Candidate, chapter: int) -> bool:
        """Whether "4.1" may appear without a heading "4", which is missing or has no number."""
        gap = 1 if found.inline or not found.strong else _MAX_GAP
        return self._last_number < chapter <= self._last_number + gap or (chapter == 1 and found.strong and not found.inline)

    def _is_open_schedule(self, letter: str) -> bool:
        return bool(self._stack) and self._stack[0].kind == "schedule" and self._stack[0].label.split()[-1] == letter

    def _has_dotted_chapter(self) -> bool:
        """Whether the open article's clauses are numbered after it ("2.05" in Article II), so that "1." is an item of one."""
        chapter = next((frame.value for frame in reversed(self._stack) if frame.kind == "article"), None)
        prefixes = [frame.style for frame in self._stack if frame.kind == "dotted"]
        return any(prefix == str(chapter) or prefix[0].isalpha() for prefix in prefixes)

    def _is_nested_twice(self) -> bool:
        return sum(frame.kind == "number" for frame in self._stack) > 1

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
        if found.label in ("(i)", "I", "i") and following in ("(ii)", "II", "ii"):
            readings = readings[1:]
        for at in range(len(self._stack) - 1, -1, -1):
            frame = self._stack[at]
            for style, value in readings:
                if (frame.kind, frame.style) == (found.kind, style) and self._follows(found, value, frame.value):
                    self._continue_list(at, found, value, self._nested_label(at, found))
                    return
        if found.tentative:
            return
        first = next((style for style, value in reversed(readings) if value == 1), None)
        if first is None:
            self._doubt(found)
            return
        if self._skipped:
            return
        again = self._find(found.kind, first)
        if again is not None:
            self._close_to_depth(again)
        elif found.kind == "letter" and first == "I":
            self._close_to_container()
        self._push(found, found.kind, first, 1, self._nested_label(len(self._stack), found))

    def _doubt(self, found: Candidate) -> None:
        """Ends the open items at an item that continues none of them: which list goes on there, no one can tell."""
        if found.opens:
            self._end_list(found)
            self._skipped = True

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
        elif found.label and self._stack and self._stack[0].kind == "schedule" and self._stack[0].level >= level:
            self._close_to_depth(1)  # some files mark a schedule and its clauses with the same level
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
        if value == before and found.label.strip("()")[-1].isalpha() and found.label.strip("(")[0].isdigit():
            return True
        exact = found.tentative or not found.strong or (found.inline and found.kind != "dotted")
        if before and found.start in self._chained:
            gap = _MAX_GAP_IN_ACT if found.strong else _MAX_GAP
        elif found.kind in ("letter", "paren") and not found.inline:
            gap = 1 if found.label.strip("()").lower() == "i" else _MAX_GAP_OF_ITEMS
        elif exact:
            gap = 1
        else:
            gap = _MAX_GAP_IN_ACT if found.act else _MAX_GAP
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

    def _close_to_marked(self) -> None:
        """Closes the clauses below the innermost container or numbered heading that the file marks."""
        marked = (at for at, frame in enumerate(self._stack) if frame.kind in ("number", "dotted") and frame.level)
        innermost = max(marked, default=-1)
        if innermost < 0:
            self._close_to_container()
        else:
            self._close_to_depth(innermost + 1)

    def _continue_list(self, at: int, found: Candidate, value: int, label: str) -> None:
        frame = self._stack[at]
        del self._stack[at:]
        self._push(found, frame.kind, frame.style, value, label, list_id=frame.list_id, hidden=frame.hidden)

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
        hidden: bool | None = None,
    ) -> None:
        if list_id is None:
            self._lists += 1
            list_id = self._lists
        if hidden is None:
            above = self._stack[-1].hidden if self._stack else self._signed
            hidden = above and kind not in ("schedule", "file", "paragraph")
        if kind == "number" and all(frame.kind in _CONTAINERS or frame.kind == "file" for frame in self._stack):
            self._last_number = value
        parent = self._stack[-1].index if self._stack else None
        weak = not found.strong and kind in ("paren", "letter", "number")
        self._placed.append(PlacedHeading(found, label, len(self._stack), parent, list_id, weak, kind, hidden))
        frame = _OpenClause(len(self._placed) - 1, kind, style, value, label, list_id, level, hidden, found.start, found.indent)
        self._stack.append(frame)

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


def _container_gap(found: Candidate) -> int:
    """A title in capitals shows that an article's number, however far it jumps, is no cross-reference."""
    return _MAX_GAP_IN_ACT if found.title and found.title.isupper() else _MAX_GAP
