"""Builds the outline of a document: a heading candidate is accepted if its number continues a list or opens one."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from orderly.services.text.clause_numbers import container_number, leading_number, list_item_readings
from orderly.services.text.heading_candidates import Candidate, Kind
from orderly.services.text.number_chains import MAX_GAP, TITLE_CHARS, NumberChains, container_gap
from orderly.services.text.open_clauses import CONTAINERS, OpenClause, OpenClauses, PlacedHeading


class Outline:
    """Accepts candidates in text order. Keeps a stack of open clauses and the last number that a new chapter may continue."""

    def __init__(self, found: Sequence[Candidate]) -> None:
        self._found = found
        self._chains = NumberChains.of(found)
        self._open = OpenClauses()
        self._placed: list[PlacedHeading] = []
        self._lists = 0
        self._last_number = 0
        self._last_paragraph = 0
        self._last_container: dict[Kind, int] = {}
        self._closed: list[OpenClause] = []
        self._signed = False
        self._skipped = False
        self._unplaced = -2 * TITLE_CHARS
        """Where a chapter with a letter begins that continues no list: its number 1 is not to be cited."""
        self.closings: list[tuple[int, int]] = []
        """Offsets where open clauses end, at signature blocks and tables of contents, and the depth that stays open."""

    def place_all(self) -> list[PlacedHeading]:
        brackets = (one for one in self._found if one.kind in ("paren", "letter"))
        following = {one.start: other.label for one, other in pairwise(brackets)}
        for candidate in self._found:
            self._reopen(candidate)
            placed = len(self._placed)
            if candidate.kind == "close":
                self._close_all(candidate)
            elif candidate.kind in ("paren", "letter"):
                self._place_list_item(candidate, following.get(candidate.start, ""))
            elif candidate.kind == "number":
                self._place_number(candidate)
            elif candidate.kind == "dotted":
                self._place_dotted(candidate)
            elif candidate.kind == "paragraph":
                self._place_paragraph(candidate)
            elif candidate.kind in CONTAINERS and (candidate.kind == "schedule" or not candidate.level):
                self._place_container(candidate)
            elif candidate.level or not self._signed:
                self._place_file_heading(candidate)
            self._note_skipped(candidate, placed)
        return self._placed

    def _close_all(self, found: Candidate) -> None:
        """Ends every clause at a signature block or table of contents; `_reopen` lets the same numbering continue."""
        kept = 0 if found.strong else self._open.schedules
        self.closings.append((found.start, kept))
        self._signed = self._signed or (found.strong and bool(self._placed))
        if len(self._open.clauses) > kept:
            self._closed = self._open.clauses
        self._open.clauses = self._open.clauses[:kept]

    def _reopen(self, found: Candidate) -> None:
        """Opens the closed clauses again if `found` has exactly the next number of one of them, or by its marked level."""
        if not self._closed or any(clause.kind != "schedule" for clause in self._open.clauses):
            return
        if found.level and found.kind != "schedule":
            if self._open.clauses == self._closed[: len(self._open.clauses)]:
                kept = len(self._open.clauses)
                self._open.clauses += [clause for clause in self._closed[kept:] if 0 < clause.level < found.level]
            return
        if found.kind not in ("number", "dotted", "article"):
            return
        prefix, _, last = found.label.rpartition(".")
        value = container_number(found.label) if found.kind == "article" else leading_number(last)
        for at in range(len(self._closed) - 1, -1, -1):
            clause = self._closed[at]
            if (clause.kind, clause.style, clause.value + 1) == (found.kind, prefix, value):
                self._open.clauses, self._signed = self._closed[: at + 1], False
                return

    def _note_skipped(self, found: Candidate, placed: int) -> None:
        """Remembers a titled clause from elsewhere, whose items have other parents; ends the clauses it does not continue."""
        if len(self._placed) > placed:
            self._skipped = self._skipped and found.kind in ("paren", "letter")
        elif found.kind in ("number", "dotted"):
            restarts = found.start in self._chains.restarts and self._open.is_untitled  # as under headings that were not found
            chained = restarts or found.start in self._chains.chained
            headed = found.strong and found.title is not None and not found.inline
            self._skipped = self._skipped or chained or headed
            if chained or (headed and leading_number(found.label) == self._last_number + 1 > 1):
                self.closings.append((found.start, self._open.schedules))
        elif found.kind in ("paren", "letter") and found.title and not found.inline:
            self._end_list(found)

    def _end_list(self, found: Candidate) -> None:
        """Ends the open item at a titled item whose letter is out of order."""
        depth = next((at for at, clause in enumerate(self._open.clauses) if clause.kind == found.kind), None)
        if depth is not None:
            self.closings.append((found.start, depth))
            self._open.close_to(depth)

    def _place_container(self, found: Candidate) -> None:
        value = container_number(found.label)
        at = self._open.find(found.kind, "")
        if at is not None and self._open.clauses[at].label.lower().rpartition(", ")[2] == found.label.lower():
            return  # repeated by a running head
        if found.kind == "schedule":
            self._closed, self._signed = self._open.outermost(), False
            around = self._open.clauses[0] if self._open.clauses else None
            nested = around is not None and around.kind == "schedule" and around.level > 0 and not found.level
            self._open.close_to(int(nested))  # an appendix of a schedule that the file marks
            self._last_number, self._last_container = 0, {}
        elif found.kind in self._last_container and value > self._last_container[found.kind] + container_gap(found):
            return
        elif at is not None:
            self._open.close_to(at)
        else:
            self._open.close_to_division()
        self._last_container[found.kind] = value
        self._push(found, found.kind, "", value, self._open.part_label(found), level=found.level)

    def _place_number(self, found: Candidate) -> None:
        value = leading_number(found.label)
        followed = [at for at in range(len(self._open.clauses) - 1, -1, -1) if self._continues_number(found, value, at)]
        if followed:
            exact = (at for at in followed if self._open.clauses[at].value == value - 1)
            at = next(exact, followed[0])  # of two lists, the one that lacks no number
            self._continue_list(at, found, value, self._open.number_label(found.label, at))
            return
        nested = self._open.find("number", "") is not None
        within, last = value == 1 and self._open.contains_list(found), self._last_number
        host = self._open.find_lettered_chapter()
        if host is not None:
            if value != 1:
                return
            self._open.close_to(host + 1)
        elif not within and (
            (not nested and self._chains.follows(found, value, last)) or self._chains.skips(found, value, last)
        ):
            self._open.close_to_division()
        elif value != 1 or (nested and found.inline):
            return
        elif found.strong and not (within or self._open.is_first_of_chapter(found)):
            self._open.close_to_division()
        hidden = True if value == 1 and found.start - self._unplaced <= TITLE_CHARS else None
        self._push(found, "number", "", value, self._open.number_label(found.label, len(self._open.clauses)), hidden=hidden)

    def _continues_number(self, found: Candidate, value: int, at: int) -> bool:
        clause = self._open.clauses[at]
        if clause.kind != "number" or (clause.indent > found.indent + 1 and self._continues_indented(found, value, at)):
            return False
        return self._chains.follows(found, value, clause.value) and not (clause.hidden and found.strong)

    def _continues_indented(self, found: Candidate, value: int, below: int) -> bool:
        """Whether a list further out, at the same indentation, has the number before."""
        outer = (clause for clause in self._open.clauses[:below] if clause.kind == "number" and clause.indent == found.indent)
        return any(self._chains.follows(found, value, clause.value) for clause in outer)

    def _place_dotted(self, found: Candidate) -> None:
        prefix, _, last = found.label.rpartition(".")
        value = leading_number(last)
        at = self._open.find("dotted", prefix)
        if at is not None:
            if self._chains.follows(found, value, self._open.clauses[at].value):
                self._continue_list(at, found, value, self._open.schedule_label(found.label))
            return
        parent = self._open.find_parent(prefix)
        if found.tentative and (value != 1 or parent is None or found.start - self._open.clauses[parent].start > TITLE_CHARS):
            return
        if parent is not None and value <= (1 if found.inline and not found.strong else MAX_GAP):
            self._open.close_to(parent + 1)
            if self._open.clauses[parent].kind in CONTAINERS:
                self._last_number = self._open.clauses[parent].value
        elif prefix.isalpha() and value <= MAX_GAP and self._open.is_in_schedule(prefix):
            self._open.close_to_schedule()
        elif "." not in prefix and (
            self._chains.skips(found, leading_number(prefix), self._last_number)
            or (value <= 1 and self._opens_chapter(found, leading_number(prefix)))
        ):
            self._open.close_to_division()
            self._last_number = leading_number(prefix)
        else:
            return
        self._push(found, "dotted", prefix, value, self._open.schedule_label(found.label))

    def _place_paragraph(self, found: Candidate) -> None:
        """Places a judgment's paragraph "[42]"; its count continues across headings."""
        value = leading_number(found.label[1:])
        if not self._last_paragraph < value <= self._last_paragraph + MAX_GAP:
            return
        self._last_paragraph = value
        self._open.close_to_division()
        self._push(found, "paragraph", "", value, found.label)

    def _opens_chapter(self, found: Candidate, chapter: int) -> bool:
        """Whether "4.1" may appear without a heading "4", which is missing or has no number."""
        gap = 1 if found.inline or not found.strong else MAX_GAP
        return self._last_number < chapter <= self._last_number + gap or (chapter == 1 and found.strong and not found.inline)

    def _place_list_item(self, found: Candidate, following: str) -> None:
        """Places "(a)", "(i)", "A." or "I."; the list that the item continues decides between letter and Roman numeral."""
        readings = list_item_readings(found.label.strip("()"))
        if found.label in ("(i)", "I", "i") and following in ("(ii)", "II", "ii"):
            readings = readings[1:]
        for at in range(len(self._open.clauses) - 1, -1, -1):
            clause = self._open.clauses[at]
            for style, value in readings:
                if (clause.kind, clause.style) == (found.kind, style) and self._chains.follows(found, value, clause.value):
                    self._continue_list(at, found, value, self._open.item_label(at, found))
                    return
        if found.tentative:
            return
        first = next((style for style, value in reversed(readings) if value == 1), None)
        if first is None:
            self._doubt(found)
            return
        if self._skipped or (found.kind == "letter" and first == "I" and not found.strong and found.inline):
            return
        again = self._open.find(found.kind, first)
        if again is not None:
            self._open.close_to(again)
        elif found.kind == "letter" and first == "I":
            self._open.close_to_division()
        self._push(found, found.kind, first, 1, self._open.item_label(len(self._open.clauses), found))

    def _doubt(self, found: Candidate) -> None:
        """Ends the open items at an item that continues none of them: which list goes on there, no one can tell."""
        if found.kind == "letter" and found.title:
            self._unplaced = found.start
        if found.opens:
            self._end_list(found)
            self._skipped = True

    def _place_file_heading(self, found: Candidate) -> None:
        """Places a heading marked by the file: by its number if that continues an open list, else by its level."""
        if not found.label or found.label.startswith("(") or found.kind in CONTAINERS:
            self._place_by_level(found)
            return
        prefix, _, last = found.label.rpartition(".")
        kind: Kind = "dotted" if prefix else "number"
        value, level = leading_number(last), found.level or 1
        at = self._open.find(kind, prefix)
        parent = self._open.find_parent(prefix) if kind == "dotted" else None
        if at is not None and self._chains.follows(found, value, self._open.clauses[at].value):
            self._open.close_to(at)
        elif at is None and parent is not None:
            self._open.close_to(parent + 1)
        else:
            self._open.close_to_marked_level(level)
        self._push(found, kind, prefix, value, self._open.schedule_label(found.label), level=level)

    def _place_by_level(self, found: Candidate) -> None:
        """Places a heading without a number, a Part or an item that the file marks."""
        level = found.level or 1
        if found.kind in CONTAINERS:
            self._open.close_to_marked_level(level)
            self._push(found, found.kind, "", container_number(found.label), self._open.part_label(found), level=level)
            return
        self._open.close_to_level(level)
        above = self._open.innermost
        if found.label and (above is None or (above.is_division and not above.label.endswith(")"))):
            return  # "(c)" is cited with its section
        self._push(found, "file", "", 0, above.label + found.label if above and found.label else "", level=level)

    def _continue_list(self, at: int, found: Candidate, value: int, label: str) -> None:
        clause = self._open.clauses[at]
        self._open.close_to(at)
        self._push(found, clause.kind, clause.style, value, label, list_id=clause.list_id, hidden=clause.hidden)

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
        above = self._open.innermost
        if list_id is None:
            self._lists += 1
            list_id = self._lists
        if hidden is None:
            hidden = (above.hidden if above else self._signed) and kind not in ("schedule", "file", "paragraph")
        if kind == "number" and all(clause.is_division for clause in self._open.clauses):
            self._last_number = value
        weak = not found.strong and kind in ("paren", "letter", "number")
        depth, parent, index = len(self._open.clauses), above.index if above else None, len(self._placed)
        self._placed.append(PlacedHeading(found, label, depth, parent, list_id, weak, kind, hidden))
        self._open.clauses.append(
            OpenClause(index, kind, style, value, label, list_id, level, hidden, found.start, found.indent, not weak)
        )
