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
        brackets = [candidate for candidate in self._found if candidate.kind in ("paren", "letter")]
        following = {one.start: other.label for one, other in pairwise(brackets)}
        for candidate in self._found:
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
            elif candidate.kind in CONTAINERS:
                self._place_container(candidate)
            elif candidate.kind == "file" or not self._signed:
                self._place_file_heading(candidate)
            self._note_skipped(candidate, placed)
        return self._placed

    def _close_all(self, found: Candidate) -> None:
        """Ends every clause at a signature block or table of contents; `_reopen` lets the same numbering continue."""
        kept = 0 if found.strong else sum(clause.kind == "schedule" for clause in self._open.clauses[:1])
        self.closings.append((found.start, kept))
        self._signed = self._signed or (found.strong and bool(self._placed))
        if len(self._open.clauses) > kept:
            self._closed = self._open.clauses
        self._open.clauses = self._open.clauses[:kept]

    def _reopen(self, found: Candidate) -> None:
        """Opens the closed clauses again if `found` has exactly the next number of one of them."""
        if not self._closed or found.kind not in ("number", "dotted", "article"):
            return
        if any(clause.kind != "schedule" for clause in self._open.clauses):
            return
        prefix, _, last = found.label.rpartition(".")
        value = container_number(found.label) if found.kind == "article" else leading_number(last)
        for at in range(len(self._closed) - 1, -1, -1):
            clause = self._closed[at]
            if (clause.kind, clause.style, clause.value + 1) == (found.kind, prefix, value):
                self._open.clauses, self._signed = self._closed[: at + 1], False
                return

    def _note_skipped(self, found: Candidate, placed: int) -> None:
        """Remembers a titled clause with a number from elsewhere, quoted by an amendment: its items have other parents.
        Clauses that continue none of the open ones also end these: what follows has no label.
        """
        if len(self._placed) > placed:
            self._skipped = self._skipped and found.kind in ("paren", "letter")
        elif found.kind in ("number", "dotted") and (found.start in self._chains.chained or self._restarts_untitled(found)):
            self.closings.append((found.start, int(self._open.schedule is not None)))
            self._skipped = True
        elif found.kind in ("number", "dotted") and found.strong and found.title and not found.inline:
            self._skipped = True
        elif found.kind in ("paren", "letter") and found.title and not found.inline:
            self._end_list(found)

    def _restarts_untitled(self, found: Candidate) -> bool:
        """Whether a list begins within an untitled clause of a list like it, as under headings that were not found."""
        above = self._open.innermost
        return found.start in self._chains.restarts and above is not None and not above.titled

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
            self._open.close_to(0)
            self._last_number, self._last_container = 0, {}
        elif found.kind in self._last_container and value > self._last_container[found.kind] + container_gap(found):
            return
        elif at is not None:
            self._open.close_to(at)
        else:
            self._open.close_to_division()
        self._last_container[found.kind] = value
        schedule = self._open.schedule
        label = f"{schedule.label}, {found.label}" if schedule else found.label
        self._push(found, found.kind, "", value, label, level=found.level)

    def _place_number(self, found: Candidate) -> None:
        value = leading_number(found.label)
        followed = [at for at in range(len(self._open.clauses) - 1, -1, -1) if self._continues_number(found, value, at)]
        if followed:
            exact = (at for at in followed if self._open.clauses[at].value == value - 1)
            at = next(exact, followed[0])  # of two lists, the one that lacks no number
            self._continue_list(at, found, value, self._open.number_label(found.label, at))
            return
        nested = self._open.find("number", "") is not None
        host = self._open.find_lettered_chapter()
        if host is not None:
            if value != 1:
                return
            self._open.close_to(host + 1)
        elif (not nested and self._chains.follows(found, value, self._last_number)) or self._chains.skips(
            found, value, self._last_number
        ):
            self._open.close_to_marked() if value == 1 else self._open.close_to_division()
        elif value != 1 or (nested and found.inline) or (self._open.has_nested_numbers() and not self._is_indented(found)):
            return
        elif found.strong and not (
            self._open.has_dotted_chapter() or self._is_first_of_chapter(found) or self._is_list_of(found)
        ):
            self._open.close_to_marked()
        below_unplaced = value == 1 and found.start - self._unplaced <= TITLE_CHARS
        hidden = True if below_unplaced or self._is_unrelated(found) else None
        self._push(found, "number", "", value, self._open.number_label(found.label, len(self._open.clauses)), hidden=hidden)

    def _continues_number(self, found: Candidate, value: int, at: int) -> bool:
        clause = self._open.clauses[at]
        if clause.kind != "number" or (clause.indent > found.indent + 1 and self._continues_indented(found, value, at)):
            return False
        return self._chains.follows(found, value, clause.value) and not (clause.hidden and found.strong)

    def _is_unrelated(self, found: Candidate) -> bool:
        """Whether a list begins under a clause that has ended and does not introduce it."""
        above = self._open.innermost
        if above is None or found.strong or found.introduced:
            return False
        return above.kind == "number" and found.start - above.start > TITLE_CHARS

    def _continues_indented(self, found: Candidate, value: int, below: int) -> bool:
        """Whether a list further out, at the same indentation, has the number before."""
        outer = (clause for clause in self._open.clauses[:below] if clause.kind == "number" and clause.indent == found.indent)
        return any(self._chains.follows(found, value, clause.value) for clause in outer)

    def _is_first_of_chapter(self, found: Candidate) -> bool:
        """Whether "1." is indented right below a chapter's title, as in nested lists of Markdown."""
        above = self._open.innermost
        if above is None or above.kind != "number":
            return False
        return found.start - above.start <= TITLE_CHARS and found.indent > above.indent + 1

    def _is_list_of(self, found: Candidate) -> bool:
        """Whether "1." follows the colon of an open clause such as "3.5"."""
        return found.introduced and self._open.innermost is not None and self._open.innermost.kind == "dotted"

    def _is_indented(self, found: Candidate) -> bool:
        """Whether the number stands further in than the open item, as in nested lists of Markdown."""
        above = self._open.innermost
        return above is not None and found.indent > above.indent + 1

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
            self._open.close_to(1)
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
        if self._skipped:
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
        prefix, _, last = found.label.rpartition(".")
        kind: Kind = "file" if not found.label else "dotted" if prefix else "number"
        value = leading_number(last) if found.label else 0
        level = found.level or 1
        at = self._open.find(kind, prefix) if found.label else None
        parent = self._open.find_parent(prefix) if kind == "dotted" else None
        if at is not None and self._chains.follows(found, value, self._open.clauses[at].value):
            self._open.close_to(at)
        elif at is None and parent is not None:
            self._open.close_to(parent + 1)
        elif found.label and self._open.schedule and self._open.schedule.level >= level:
            self._open.close_to(1)  # some files mark a schedule and its clauses with the same level
        else:
            self._open.close_to_level(level)
        self._push(found, kind, prefix, value, self._open.schedule_label(found.label), level=level)

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
