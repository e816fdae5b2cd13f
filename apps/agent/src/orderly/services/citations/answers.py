"""Applies the citation gate to an answer: only quotations from documents read in this run are shown.

A wrong page or section in a citation is replaced by the true one; words that no document read contains are removed.

The answer arrives in complete pieces (`quotations.PieceReader`); each leaves with citations and removals applied.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from orderly.models import Span
from orderly.services.citations.citation_text import format_passage_citation
from orderly.services.citations.coverage import Asking, Coverage
from orderly.services.citations.early_words import early_words
from orderly.services.citations.edits import apply_edits, without
from orderly.services.citations.lead_ins import REACH
from orderly.services.citations.model_numbers import find_model_numbering
from orderly.services.citations.quotation_edits import CITATION_REMOVED, QuotationEdits
from orderly.services.citations.quotation_fates import QuotationFates, RefusedQuotation
from orderly.services.citations.second_reading import QUOTED, SecondReading
from orderly.services.citations.source_numbers import ISSUED, SourceNumbers
from orderly.services.citations.sources import GivenQuotation, Sources
from orderly.services.citations.standing import StandingReader
from orderly.services.citations.support_marks import SupportMarks
from orderly.services.support import Evidence, gives_value, is_instruction, shares_subject
from orderly.services.text import LONG_TEXT, PieceReader, defuse_markup, find_citations, find_quotations, remove_markup

WARNING = "Warning: these documents hold text meant for the assistant, not for a reader. It is evidence, and no instruction:"

_MARKUP = ("](", "<")
"""What a link, a picture or an HTML element has."""

_NOT_THE_MODELS = re.compile(f"[{ISSUED}\u202a-\u202e\u2066-\u2069]")
"""The sign of an issued number, and signs that turn the direction of what follows."""

_TURNED = re.compile("\u202e([^\u202c]*)\u202c?")
"""Words written backwards, which a sign turns for the reader."""

_MARKS_AT_END = re.compile(r"(?:\s*\[(?:no quotation|unsupported: [^\[\]]*)\](?=[.!]?\s*\Z))+")
"""Marks of a plan that was shown before, and is written again."""

_PARAGRAPH_END = re.compile(r"\n[ \t]*\n")

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Judged:
    """A piece of an answer after the gate."""

    shown: str
    failures: list[RefusedQuotation]
    words: str
    """The piece as written, without what its quotations stand for themselves."""
    framed: str
    """The same with "“…”" in place of its quotations: how the sentence speaks of them."""
    evidence: list[Evidence]
    """What its quotations verify."""


@dataclass(slots=True)
class AnswerGate:
    """Checks one answer. Stateful: source numbers continue from piece to piece."""

    sources: Sources
    asked: Sequence[str] = ()
    """The user's own messages; quotations of them stay without a citation, marked as the user's words."""
    numbered: bool = True
    """True: source numbers and a list of sources, for users. False: citations in brackets, for agents."""
    known: Sequence[Mapping[str, Any]] = ()
    """Citations of earlier answers; they keep their numbers."""
    injections: Sequence[Mapping[str, Any]] = ()
    """Prompt injections found in this run, {document_name, text, hidden}; listed at the end of the answer."""
    cited: list[dict[str, Any]] = field(default_factory=list)
    """Citations used by this answer, in order of first use."""
    marks_support: bool = True
    """Whether sentences without support are marked; False for the offline planner, whose sentences are the program's own."""
    keeps_terms: bool = False
    """Whether short quotations without a citation stay as they are: terms in the arguments of a tool."""
    askings: Sequence[Asking] = ()
    """Questions that this run put to documents one by one."""
    second: SecondReading | None = None
    """Takes the sentences that the rules find supported; None if nobody reads them again."""
    _shown: int = 0
    """Characters shown of this answer."""
    _issued: list[int] = field(default_factory=list)
    _support: SupportMarks | None = None
    """Of a numbered answer; None until its first piece."""
    _standing: StandingReader = field(default_factory=StandingReader)
    _ahead: str = ""
    """Words that were shown before the gate released their sentence."""
    _said: str = ""
    """The end of what was shown before the piece."""
    _numbers: SourceNumbers = field(init=False)
    _edits: QuotationEdits = field(init=False)
    _fates: QuotationFates = field(init=False)

    def __post_init__(self) -> None:
        self._numbers = SourceNumbers(self.sources, self.known, self.cited)
        self._edits = QuotationEdits(self.sources, self._numbers, self.numbered)
        self._fates = QuotationFates(self.sources, self._edits, self.asked, self.keeps_terms)

    async def judge(self, piece: str) -> tuple[str, list[RefusedQuotation]]:
        """Checks a piece. Returns the text to show, without pictures and links, and the quotations removed from it."""
        judged = await self._judge(piece)
        return judged.shown.replace(ISSUED, ""), judged.failures

    async def judge_plan(self, text: str) -> str:
        """Checks an item of a plan. What it states without a quotation is marked; what is to be done is not."""
        marks = SupportMarks(bool(self.sources.documents), tuple(self.sources.documents.values()), _has_begun=True)
        reader, shown = PieceReader(), ""
        reader.add(_MARKS_AT_END.sub("", text))
        for piece in reader.rest():
            judged = await self._judge(piece)
            if is_instruction(judged.words) and not gives_value(judged.words):
                shown += marks.finish() + judged.shown
            else:
                shown += marks.add(judged.shown, judged.words, judged.evidence)
        return (shown + marks.finish()).replace(ISSUED, "")

    async def _judge(self, piece: str) -> Judged:
        piece = _NOT_THE_MODELS.sub("", _TURNED.sub(lambda turned: turned[1][::-1], piece))
        piece = await _off_the_loop(remove_markup, piece, linked := await self._verified_markup(piece))
        quotations = await _off_the_loop(find_quotations, piece)
        fates = [
            await self._fates.decide(
                quotation,
                piece,
                said=self._said,
                standing=self._standing.at(piece, quotation.start),
                checks_claims=self.marks_support,
            )
            for quotation in quotations
        ]
        edits = [edit for fate in fates for edit in fate.edits]
        numbers = find_model_numbering(piece) if self.numbered else []
        for citation in await _off_the_loop(find_citations, piece, quotations):
            if reason := await self.sources.explain_bare_citation(citation.cited):
                edits.append((citation.start, citation.end, CITATION_REMOVED.format(reason=reason)))
        if self.numbered and self.marks_support and self.sources.documents:
            quoted = [e.document_id for fate in fates if fate.kind == "verified" for e in fate.evidence]
            edits += await self._edits.missing_references(piece, quotations, numbers, quoted)
        self._standing.add(piece)
        shown = await _off_the_loop(apply_edits, piece, quotations, edits, self.numbered)
        shown = defuse_markup(shown, self._said, bool(linked))
        self._said = (self._said + shown.replace(ISSUED, ""))[-REACH:]
        unread = [fate.unread for fate in fates if fate.unread is not None]
        words, framed = without(piece, [*unread, *numbers]), without(piece, unread, f" {QUOTED} ")
        refused = [fate.refused for fate in fates if fate.refused is not None]
        evidence = [e for fate in fates for e in fate.evidence if fate.kind == "verified" or shares_subject(words, e)]
        return Judged(shown, refused, words, framed, evidence)

    async def release(self, piece: str) -> str:
        """Checks the next piece of a numbered answer. Returns what may be shown now: sentences without quotation wait."""
        judged = await self._judge(piece)
        if not self.numbered:
            return judged.shown
        if not self.marks_support:
            return self._issue(judged.shown)
        shown = await _off_the_loop(self._marks.add, judged.shown, judged.words, judged.evidence, judged.framed)
        if self.second is not None and _PARAGRAPH_END.search(judged.shown):
            self.second.end_paragraph()
        return self._issue(shown)

    def show_words(self, sentence: str) -> str:
        """Returns further words of an unfinished sentence, if nothing can change them. `release` returns what follows them."""
        if not (self.numbered and self.marks_support and self._marks.is_free) or self.sources.documents or self.known:
            return ""
        words = early_words(sentence)
        if len(words) <= len(self._ahead):
            return ""
        shown, self._ahead = words[len(self._ahead) :], words
        return shown

    async def flush(self) -> str:
        """Returns the text that still waits, marked where no quotation supports it."""
        return self._issue(self._marks.finish()) if self.numbered and self.marks_support else ""

    async def pause(self) -> str:
        """Returns the end of a text before tool calls: what waits, and claims over documents that were counted wrong."""
        return await self.flush() + self._issue(self._counted())

    def _counted(self) -> str:
        return self._support.coverage.note() if self._support is not None else ""

    async def say(self, text: str) -> str:
        """Returns what still waits, then `text` as it is: words of the product, which need no quotation."""
        return await self.flush() + self._issue(text)

    def take_issued(self) -> list[int]:
        """Offsets of the source numbers issued since the last call, in the text shown for this answer."""
        issued, self._issued = self._issued, []
        return issued

    def _issue(self, text: str) -> str:
        """Removes the signs before source numbers and notes where the numbers stand."""
        first, *others = text.split(ISSUED)
        self._shown += len(first)
        for part in others:
            self._issued.append(self._shown)
            self._shown += len(part)
        shown = first + "".join(others)
        if shown:
            shown, self._ahead = shown.removeprefix(self._ahead), ""
        return shown

    @property
    def _marks(self) -> SupportMarks:
        if self._support is None:
            read = self.sources.documents
            coverage = Coverage(frozenset(read), self.askings)
            self._support = SupportMarks(bool(read), tuple(read.values()), self.second, coverage)
        return self._support

    async def _verified_markup(self, piece: str) -> list[Span]:
        """Spans of the quotations that contain markup and stand with it in a document, such as a Markdown file."""
        if not any(mark in piece for mark in _MARKUP):
            return []
        found = [q for q in await _off_the_loop(find_quotations, piece) if any(mark in q.text for mark in _MARKUP)]
        given = [GivenQuotation(q.text, q.cited, q.page) for q in found]
        return [(q.start, q.end) for q, one in zip(found, given, strict=True) if (await self.sources.find(one)).places]

    async def ending(self) -> str:
        """Ending of a numbered answer: what still waits, the list of sources and the prompt injections found."""
        rest = await self.flush()
        again = self._counted()
        again += await self.second.note() if self.second is not None else ""
        return rest + self._issue(again + self._numbers.list_sources() + await self._injection_warning())

    async def _injection_warning(self) -> str:
        if not self.injections:
            return ""
        lines = []
        for notice in self.injections:
            found = (await self.sources.find(GivenQuotation(notice["text"]))).places if notice["text"] else ()
            place = format_passage_citation(found[0]) if found else notice["document_name"]
            flat = " ".join(notice["text"].split())
            hidden = f"hidden text, found {notice.get('hidden')} times and kept out of what was read"
            lines.append(f"- [{place}]: “{flat}”" if flat else f"- [{place}]: {hidden}")
        return "\n".join(["", "", WARNING, *lines])


async def _off_the_loop(read: Callable[..., Result], text: Any, *others: Any) -> Result:
    """Calls `read`, in a thread if the text is long, so that other runs go on meanwhile."""
    if len(text) <= LONG_TEXT:
        return read(text, *others)
    return await asyncio.to_thread(read, text, *others)
