"""Applies the citation gate to an answer: quotations are shown only if a document read has them, and what is said is checked.

The answer arrives in complete pieces (`quotations.PieceReader`). What was sent never changes; verdicts stand beside the text.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from orderly.models import Span
from orderly.services.citations.checks import Check
from orderly.services.citations.citation_text import format_passage_citation
from orderly.services.citations.cited import plain_brackets
from orderly.services.citations.citing import Around, Citing, Mend
from orderly.services.citations.closing import Closing
from orderly.services.citations.coverage import Asking
from orderly.services.citations.edits import Edit, apply_edits
from orderly.services.citations.evidence import Bound
from orderly.services.citations.mentions import Mentions
from orderly.services.citations.quotation_fates import QuotationFates, RefusedQuotation
from orderly.services.citations.references import find_references
from orderly.services.citations.second_reading import SecondReading
from orderly.services.citations.source_numbers import ISSUED, SourceNumbers
from orderly.services.citations.sources import GivenQuotation, Sources
from orderly.services.text import (
    LONG_TEXT,
    PieceReader,
    Quotation,
    defuse_markup,
    draft_fences,
    find_citations,
    find_quotations,
    remove_markup,
    without_fences,
)

WARNING = "Warning: these documents hold text meant for the assistant, not for a reader. It is evidence, and no instruction:"
REACH = 1_500
"""Characters of the answer before a piece that are read with it."""
_MARKUP = ("](", "<")
"""What a link, a picture or an HTML element has."""
_NOT_THE_MODELS = re.compile(f"[{ISSUED}\u202a-\u202e\u2066-\u2069]")
"""A noncharacter, and signs that turn the direction of what follows."""
_TURNED = re.compile("\u202e([^\u202c]*)\u202c?")
"""Words written backwards, which a sign turns for the reader."""

Result = TypeVar("Result")


@dataclass(slots=True)
class AnswerGate:
    """Checks one answer. Stateful: source numbers and offsets continue from piece to piece."""

    sources: Sources
    asked: Sequence[str] = ()
    """The user's own messages."""
    numbered: bool = True
    """True: source numbers, a list of sources and checks, for users. False: citations in brackets, for agents."""
    known: Sequence[Mapping[str, Any]] = ()
    """Citations of earlier answers; they keep their numbers."""
    injections: Sequence[Mapping[str, Any]] = ()
    """Prompt injections found in this run, {document_name, text, hidden}; listed at the end of the answer."""
    cited: list[dict[str, Any]] = field(default_factory=list)
    """Citations used by this answer, in order of first use."""
    checks_claims: bool = True
    """Whether what the answer says is checked; False for the offline planner, whose sentences are the program's own."""
    keeps_terms: bool = False
    """Whether short quotations without a citation stay as they are: terms in the arguments of a tool."""
    askings: Sequence[Asking] = ()
    """Questions that this run put to documents one by one."""
    shown_results: Sequence[str] = ()
    """Results of tools that the model was shown: lists, counts, found words."""
    second: SecondReading | None = None
    """Reads again what the answer says of documents; None if nobody does."""
    checks: list[Check] = field(default_factory=list)
    """Filled by `ending`."""
    text: str = ""
    """What was shown of this answer, without its ending."""
    bounds: list[Bound] = field(default_factory=list)
    """Quotations and citations of the text shown."""
    _issued: list[int] = field(default_factory=list)
    _in_draft: bool = False
    _closing: Closing = field(init=False)
    _citing: Citing = field(init=False)
    _numbers: SourceNumbers = field(init=False)
    _fates: QuotationFates = field(init=False)
    _mentions: Mentions = field(init=False)

    def __post_init__(self) -> None:
        self._numbers = SourceNumbers(self.sources, self.known, self.cited)
        self._fates = QuotationFates(self.sources, self.asked, self.keeps_terms, self.checks_claims)
        self._mentions = Mentions(self.sources)
        self._citing = Citing(self.sources, self._numbers, self._mentions, self.numbered)
        self._closing = Closing(self)

    def ask_for_words(self, mend: Mend) -> None:
        """Has the writer asked for the words that it meant, where a quotation stands nowhere. Else it is taken out."""
        self._citing.mend = mend

    def take_as_checked(self) -> None:
        """Leaves the sentences of an answer unchecked: they are the program's own, and its quotations alone are checked."""
        self.checks_claims = self._fates.checks_claims = False

    async def release(self, piece: str) -> str:
        """Checks the next piece. Returns the text to show, in which quotations that stand nowhere are mended or taken out."""
        piece, linked = await self._cleaned(piece)
        drafts, lines, self._in_draft = draft_fences(piece, is_open=self._in_draft)
        plain = without_fences(piece, lines)
        quotations = await _off_the_loop(find_quotations, plain)
        said = self.text[-REACH:]
        edits: list[Edit] = []
        bounds: list[tuple[Span, Bound]] = []
        for quotation in quotations:
            around = self._around(said, plain, quotation.start, drafts, quotation.cited)
            attributed = not around.in_draft or bool(quotation.citation) or any(find_references(plain, ()))
            fate = await self._fates.decide(quotation, plain, said=said, context=around.context, attributed=attributed)
            more, bound = await self._citing.of_quotation(quotation, fate, around)
            edits += more
            bounds += [((quotation.start, quotation.end), bound)] if bound else []
        for citation in await _off_the_loop(find_citations, plain, quotations):
            span = (citation.start, citation.end)
            around = self._around(said, plain, span[0], drafts, citation.cited)
            more, bound = await self._citing.of_citation(span, citation.cited, around)
            edits += more
            bounds += [(span, bound)] if bound else []
        for start, end, bound in await self._named_places(said, plain, quotations, [span for span, _ in bounds]):
            bounds.append(((start, end), bound))
        edits += self._mentions.shown_names(plain, [*quotations], edits) if self.numbered else []
        self._citing.standing.add(plain)
        shown, spans = await _off_the_loop(apply_edits, piece, quotations, edits, [span for span, _ in bounds], self.numbered)
        shown, spans = self._defused(shown, spans, linked)
        shown, spans, issued = _without_signs(shown, spans)
        self._issued += [len(self.text) + at for at in issued]
        for (start, end), (_, bound) in zip(spans, bounds, strict=True):
            bound.start, bound.end = len(self.text) + start, len(self.text) + end
            self.bounds.append(bound)
        self.text += shown
        self._mentions.follow(shown)
        if self.second is not None and self.numbered:
            await self._closing.read_ahead()
        return shown

    async def _named_places(
        self, said: str, piece: str, quotations: Sequence[Quotation], taken: Sequence[Span]
    ) -> list[tuple[int, int, Bound]]:
        """The clauses that a piece names in its own words, in the document that it names, else the one cited last."""
        found = []
        beside = [*taken, *((q.start, q.citation[1] if q.citation else q.end) for q in quotations)]
        for reference in find_references(piece, beside) if self.checks_claims else ():
            cited = [p.document_id for bound in self.bounds[-1:] for p in bound.provisions]
            documents = [*self._mentions.around(said, piece, reference.start), *cited][:1]
            bound = await self._citing.of_reference(f"{reference.kind} {reference.label}", documents)
            if bound is None and await self.sources.lacks(reference):
                reason = f"No document that was read has {reference.kind} {reference.label}."
                bound = Bound(0, 0, False, verdict="not found", reason=reason, is_named=True)
            found += [(reference.start, reference.end, bound)] if bound else []
        return found

    def _around(self, said: str, piece: str, at: int, drafts: Sequence[Span], cited: str) -> Around:
        in_draft = any(start <= at < end for start, end in drafts)
        return Around(said, piece, self._mentions.around(said, piece, at, cited), in_draft)

    async def judge(self, piece: str) -> tuple[str, list[RefusedQuotation]]:
        """Checks a text that is shown whole, such as an argument of a tool. Returns it, and what was taken out."""
        reader = PieceReader()
        reader.add(piece)
        shown = [await self.release(part) for part in reader.rest()]
        return "".join(shown), self._citing.refused

    async def _cleaned(self, piece: str) -> tuple[str, bool]:
        piece = _NOT_THE_MODELS.sub("", _TURNED.sub(lambda turned: turned[1][::-1], piece))
        linked = await self._verified_markup(piece)
        return await _off_the_loop(remove_markup, plain_brackets(piece), linked), bool(linked)

    def _defused(self, shown: str, spans: list[Span], linked: bool) -> tuple[str, list[Span]]:
        """The text with spaces where markup would begin. The spans move with it."""
        safe = defuse_markup(shown, self.text[-REACH:], linked)
        if safe == shown:
            return shown, spans
        moved, at = [0] * (len(shown) + 1), 0
        for n, char in enumerate(safe):
            if at < len(shown) and char == shown[at]:
                moved[at], at = n, at + 1
        moved[len(shown)] = len(safe)
        return safe, [(moved[a], moved[b]) for a, b in spans]

    async def _verified_markup(self, piece: str) -> list[Span]:
        """Spans of the quotations that contain markup and stand with it in a document, such as a Markdown file."""
        if not any(mark in piece for mark in _MARKUP):
            return []
        found = [q for q in await _off_the_loop(find_quotations, piece) if any(mark in q.text for mark in _MARKUP)]
        return [(q.start, q.end) for q in found if (await self.sources.find(GivenQuotation(q.text, q.cited))).places]

    # ---------------------------------------------------------------- the end

    def take_issued(self) -> list[int]:
        """Offsets of the source numbers issued since the last call, in the text shown for this answer."""
        issued, self._issued = self._issued, []
        return issued

    async def say(self, text: str) -> str:
        """Returns `text` as it is: words of the product."""
        self.text += text
        return text

    async def ending(self) -> str:
        """The end of a numbered answer: what is told, the list of sources and the prompt injections found."""
        closing = await self._closing.told() if self.checks_claims else ""
        shown, _, issued = _without_signs(closing + self._numbers.list_sources() + await self._injection_warning(), [])
        self._issued += [len(self.text) + at for at in issued]
        return shown

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


def _without_signs(text: str, spans: Sequence[Span]) -> tuple[str, list[Span], list[int]]:
    """The text without the signs before issued numbers, the places of spans in it, and those of the numbers."""
    first, *others = text.split(ISSUED)
    at = len(first)
    cuts: list[int] = []
    issued: list[int] = []
    for part in others:
        cuts.append(at + len(cuts))
        issued.append(at)
        at += len(part)
    moved = [(a - sum(c < a for c in cuts), b - sum(c < b for c in cuts)) for a, b in spans]
    return first + "".join(others), moved, issued


async def _off_the_loop(read: Callable[..., Result], text: Any, *others: Any) -> Result:
    """Calls `read`, in a thread if the text is long, so that other runs go on meanwhile."""
    if len(text) <= LONG_TEXT:
        return read(text, *others)
    return await asyncio.to_thread(read, text, *others)
