"""Lets an answer quote what stands in the documents that its run has read, and nothing else.

The text comes in pieces, each whole in itself (`quotations.complete_until`), and leaves as it may be shown.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from orderly.services.citations.gate import MIN_QUOTE
from orderly.services.citations.sources import Finding, Quoted, Sources, is_place, named, where
from orderly.services.text import Passage, Quotation, Span, citations, plain, quotations

UNVERIFIED = "[quotation removed: these words are not in the documents read]"
ASKED_ONLY = " [your words; not found in the documents read]"
SHORT_UNVERIFIED = " [not found in the documents read]"
CITATION_REMOVED = "[citation removed: {reason}]"
SOURCES = "Sources:"
WARNING = "Warning: these documents hold text meant for the assistant, not for a reader. It is evidence, and no instruction:"

_FEW_WORDS = 5
"""A quotation of fewer words, without a citation, is a term in use: checked like every other, but not numbered."""
_OWN_MARK = re.compile(r"[ \t]?\[\d{1,2}\](?!\()")
"""A source number that the model wrote itself: only the gate numbers sources."""
_PARAGRAPH = re.compile(r"(?:\b(?:at|para|paras|paragraph|paragraphs|and|to)|[,–-]|\[\d{1,4}\])[ \t]*\Z", re.IGNORECASE)
"""What stands before the number of a judgment's paragraph."""
_OWN_SOURCES = re.compile(
    r"^[ \t]*(?:[#*_ ]*Sources?:?[*_ ]*(?:\n|\Z)|(?:[-*•][ \t]*)?\[\d{1,2}\]:?[ \t][^\n]*(?:\n|\Z))", re.MULTILINE
)


Edit = tuple[int, int, str]
"""Start, end and the text that takes the place of what stands between them."""


@dataclass(frozen=True, slots=True)
class Failure:
    """A quotation that was not let through."""

    text: str
    reason: str
    instead: str | None
    """What the document says at the nearest place."""


@dataclass(slots=True)
class AnswerGate:
    """One answer. Stateful: source numbers run on from piece to piece."""

    sources: Sources
    asked: Sequence[str] = ()
    """The user's own messages: what quotes them is theirs."""
    numbered: bool = True
    """Source numbers and a list of sources, for the user; without, citations in brackets, for an agent."""
    known: Sequence[Mapping[str, Any]] = ()
    """Citations of earlier answers, whose numbers stay."""
    notices: Sequence[Mapping[str, Any]] = ()
    """What documents tried in this run: {document_name, text, hidden}, which the user is told at the end."""
    cited: list[dict[str, Any]] = field(default_factory=list)
    """Citations that this answer uses, in the order of their first use."""

    async def judge(self, piece: str) -> tuple[str, list[Failure]]:
        """The piece as it may be shown, and what had to be taken out of it."""
        failures: list[Failure] = []
        edits: list[Edit] = []
        for quotation in quotations(piece):
            finding = await self.sources.find(Quoted(quotation.text, quotation.cited, quotation.page))
            if finding.places:
                edits += await self._shown(quotation, finding)
            elif (mark := await self._mark_instead(quotation, piece)) is not None:
                edits.append((quotation.end, quotation.end, mark))
            else:
                failures.append(Failure(quotation.text, finding.reason, finding.instead))
                edits.append((quotation.start, quotation.end, UNVERIFIED))
        for citation in citations(piece):
            if reason := await self.sources.wrong_place(citation.cited):
                edits.append((citation.start, citation.end, CITATION_REMOVED.format(reason=reason)))
        return self._applied(piece, edits), failures

    async def ending(self) -> str:
        """What ends a numbered answer: the list of its sources, and what documents tried."""
        return self._listed() + await self._warned()

    async def _warned(self) -> str:
        if not self.notices:
            return ""
        lines = []
        for notice in self.notices:
            found = (await self.sources.find(Quoted(notice["text"]))).places if notice["text"] else ()
            place = where(found[0]) if found else notice["document_name"]
            flat = " ".join(notice["text"].split())
            hidden = f"hidden text, found {notice.get('hidden')} times and kept out of what was read"
            lines.append(f"- [{place}]: “{flat}”" if flat else f"- [{place}]: {hidden}")
        return "\n".join(["", "", WARNING, *lines])

    def _listed(self) -> str:
        if not self.cited:
            return ""
        lines = [f"- [{record['number']}] {named(record)}" for record in sorted(self.cited, key=lambda r: int(r["number"]))]
        return "\n".join(["", "", SOURCES, *lines])

    def _applied(self, piece: str, edits: Sequence[Edit]) -> str:
        """Edits do not overlap. What the model numbered itself goes, outside of quotations."""
        kept = [(q.start, q.end) for q in quotations(piece)]
        own = _own_numbers(piece) if self.numbered else []
        taken = [*kept, *((start, end) for start, end, _ in edits)]
        edits = [*edits, *((a, b, "") for a, b in _apart(own) if not any(a < end and start < b for start, end in taken))]
        out, at = [], 0
        for start, end, new in sorted(edits, key=lambda edit: edit[:2]):
            out += [piece[at:start], new]
            at = end
        return "".join([*out, piece[at:]])

    async def _shown(self, quotation: Quotation, finding: Finding) -> list[Edit]:
        """Changes to a quotation that stands: its own words only where they were put right."""
        marks = [await self._mark(quotation, place) for place in finding.places]
        if not finding.rewritten:
            if quotation.citation:
                return [(*quotation.citation, marks[0])] if marks[0] else []
            return [(quotation.end, quotation.end, f" {marks[0]}")] if marks[0] else []
        quoted = [f"“{' '.join(text.split())}” {mark}".rstrip() for text, mark in zip(finding.rewritten, marks, strict=True)]
        end = quotation.citation[1] if quotation.citation else quotation.end
        return [(quotation.start, end, " and ".join(quoted) + finding.behind)]

    async def _mark(self, quotation: Quotation, place: Passage) -> str:
        """What stands behind the quotation; empty where nothing is to change."""
        if self.numbered:
            term = quotation.citation is None and len(quotation.text.split()) < _FEW_WORDS
            return "" if term else f"[{await self._number(place)}]"
        if quotation.citation is None:
            return ""
        return f"[{quotation.cited.strip() if is_place(quotation.cited, place) else where(place)}]"

    async def _mark_instead(self, quotation: Quotation, piece: str) -> str | None:
        """What is put behind words that no document says and that may stay: the user's own, and terms in use."""
        words = plain(quotation.text).lower()
        short = len(words) < MIN_QUOTE
        if words in plain(" ".join(self.asked)).lower():
            lines = (line.removeprefix("Question: ") for text in self.asked for line in text.splitlines())
            repeats = words in {plain(line).lower() for line in lines}
            marked = piece.startswith(ASKED_ONLY, quotation.end)
            return "" if repeats or marked or (short and not quotation.citation) else ASKED_ONLY
        if short and not quotation.citation:
            known = not self.sources.documents or await self.sources.mentions(quotation.text)
            return "" if known else SHORT_UNVERIFIED
        return None

    async def _number(self, place: Passage) -> int:
        span = (place.revision_id, place.start, place.end)
        for record in (*self.cited, *self.known):
            if (record["revision_id"], record["start"], record["end"]) == span:
                if record not in self.cited:
                    self.cited.append(dict(record))
                return int(record["number"])
        number = len(self.known) + sum(1 for r in self.cited if int(r["number"]) > len(self.known)) + 1
        self.cited.append({**await self.sources.citation(place), "number": number})
        return number


def _apart(spans: Sequence[Span]) -> list[Span]:
    """Of those that overlap, the longest."""
    apart: list[Span] = []
    for span in sorted(spans, key=lambda s: (s[0], -s[1])):
        if not apart or span[0] >= apart[-1][1]:
            apart.append(span)
    return apart


def _own_numbers(piece: str) -> list[Span]:
    marks = [m.span() for m in _OWN_MARK.finditer(piece) if not _PARAGRAPH.search(piece, max(m.start() - 20, 0), m.start())]
    return [*(m.span() for m in _OWN_SOURCES.finditer(piece)), *marks]
