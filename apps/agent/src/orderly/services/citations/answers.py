"""Applies the citation gate to an answer: only quotations from documents read in this run are shown.

A wrong page or section in a citation is replaced by the true one; words that no document read contains are removed.

The answer arrives in complete pieces (`quotations.PieceReader`); each leaves with citations and removals applied.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from orderly.services.citations.claim_marks import ClaimMarks, evidence_of
from orderly.services.citations.early_words import early_words
from orderly.services.citations.gate import MIN_QUOTE
from orderly.services.citations.lead_ins import REACH, says_lead_in
from orderly.services.citations.references import find_references
from orderly.services.citations.sources import (
    Finding,
    QuotationClaim,
    Sources,
    format_citation,
    format_passage_citation,
    names_place,
)
from orderly.services.citations.standing import Standing, StandingReader, stronger
from orderly.services.citations.support_scores import SupportScores
from orderly.services.claims import Evidence, is_definite
from orderly.services.text import (
    LONG_TEXT,
    Passage,
    Quotation,
    Span,
    find_citations,
    find_quotations,
    find_stray_marks,
    merge_spans,
    normalise_text,
    remove_links,
)

UNVERIFIED = "[quotation removed: nothing like these words is in the documents read]"
NEAREST = "[nearest words of the document: those quoted are not in it]"
ASKED_ONLY = " [your words; not found in the documents read]"
SHORT_UNVERIFIED = " [not found in the documents read]"
CITATION_REMOVED = "[citation removed: {reason}]"
SOURCES = "Sources:"
WARNING = "Warning: these documents hold text meant for the assistant, not for a reader. It is evidence, and no instruction:"

ISSUED = "\ufdd0"
"""Stands before a source number that the gate issues, until the text is shown. A noncharacter; model text never keeps it."""

_LINK = "]("
_INNER_MARKS = str.maketrans("“”„«»", '"' * 5)

_MIN_NUMBERED_WORDS = 5
"""A shorter quotation without a citation is a term: verified, but without a source number."""

_MAX_PHRASE_WORDS = 5
"""Words of the longest phrase that stands without being verified, if no citation follows and it gives no figure."""

_MAX_TERM_WORDS = 10
"""Words of the longest term to search for."""

_OPEN, _CLOSE = (
    r"(?:\\?\[|[［【〔⟦]|&#(?:91|[xX]5[bB]);|&l(?:sqb|brack);)",
    r"(?:\\?\]|[］】〕⟧]|&#(?:93|[xX]5[dD]);|&r(?:sqb|brack);)",
)
_MODEL_NUMBER = re.compile(
    rf"[ \t]?{_OPEN}[ \t*_^]{{0,4}}0{{0,9}}\d{{1,3}}(?:†[^\]】\n]{{0,60}})?[ \t*_]{{0,4}}{_CLOSE}(?!\()"
    r"|<sup>\s*\[?\d{1,3}\]?\s*</sup>|[⁽\[]?[⁰¹²³⁴⁵⁶⁷⁸⁹]{1,3}[⁾\]]?"
)
"""A source number written by the model, in brackets or raised; only the gate numbers sources."""

_RAISED = re.compile(r"<sup>|[⁰¹²³⁴⁵⁶⁷⁸⁹]")
_POWER = re.compile(r"(?:\d|\b(?:[mkcd]?m|ft|in|yd|mi|s|x|n|r))\Z")
"""Text before a raised number that is a power: m², 10³."""

_REPORT = re.compile(
    r"(?:\[(?:1[89]|20)\d\d\][ \t]+[A-Z]\w*(?:[ \t][A-Z]\w*)?[ \t]+\d+|\(\d{4}\)[ \t]+\d+[ \t]+[A-Z]+[ \t]+\d+)[,;]?[ \t]*\Z"
)
"""A law report's citation, behind which a paragraph's number may stand."""

_BEFORE_PARAGRAPH_NUMBER = re.compile(r"\b(?:at|paras?|paragraphs?)[ \t]*\Z", re.IGNORECASE)
"""Text before the number of a judgment's paragraph."""

_BETWEEN_PARAGRAPH_NUMBERS = re.compile(r"[ \t]*(?:,|–|-|,?[ \t]*and|to)?[ \t]*", re.IGNORECASE)

_MODEL_SOURCES = re.compile(
    r"^(?:[#*_ \t]*Sources?:?[*_ ]*(?:\n|\Z)|[ \t]*(?:[-*•][ \t]*)?\[\d{1,2}\]:?[ \t][^\n]*(?:\n|\Z))", re.MULTILINE
)


Result = TypeVar("Result")

Edit = tuple[int, int, str]
"""Start, end and replacement text."""


@dataclass(frozen=True, slots=True)
class RefusedQuotation:
    """A quotation removed from an answer."""

    text: str
    reason: str
    instead: str | None
    """Text of the document at the nearest place."""


@dataclass(frozen=True, slots=True)
class Judged:
    """A piece of an answer after the gate."""

    shown: str
    failures: list[RefusedQuotation]
    words: str
    """The piece as written, without its quotations and their citations."""
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
    marks_claims: bool = True
    """Whether sentences without support are marked; False for the offline planner, whose sentences are the program's own."""
    keeps_terms: bool = False
    """Whether short quotations without a citation stay as they are: terms in the arguments of a tool."""
    scores: SupportScores | None = None
    """Scores of the legal engine for sentences that the rules find supported; None if no engine scores them."""
    _shown: int = 0
    """Characters shown of this answer."""
    _issued: list[int] = field(default_factory=list)
    _claims: ClaimMarks | None = None
    """Of a numbered answer; None until its first piece."""
    _standing: StandingReader = field(default_factory=StandingReader)
    _ahead: str = ""
    """Words that were shown before the gate released their sentence."""
    _said: str = ""
    """The end of what was shown before the piece."""
    _asked_words: str | None = None
    """The user's words, normalised; None until a quotation is compared with them."""

    async def judge(self, piece: str) -> tuple[str, list[RefusedQuotation]]:
        """Checks a piece. Returns the text to show, without pictures and links, and the quotations removed from it."""
        judged = await self._judge(piece)
        return judged.shown.replace(ISSUED, ""), judged.failures

    async def _judge(self, piece: str) -> Judged:
        failures: list[RefusedQuotation] = []
        edits: list[Edit] = []
        evidence: list[Evidence] = []
        piece = piece.replace(ISSUED, "")
        piece = await _off_the_loop(remove_links, piece, await self._verified_with_links(piece))
        quotations = await _off_the_loop(find_quotations, piece)
        for quotation in quotations:
            finding = await self.sources.find(QuotationClaim(quotation.text, quotation.cited, quotation.page))
            if finding.places:
                evidence += [evidence_of(place, await self.sources.text_before(place)) for place in finding.places]
                before = self._said + self._own(piece[: quotation.start])
                if finding.without_lead is not None and says_lead_in(before, finding.lead):
                    finding = finding.without_lead
                edits += await self._verified_edits(quotation, finding, self._standing.at(piece, quotation.start))
            elif not quotation.closed:
                continue  # words behind an unclosed mark are text; the stray mark itself is removed below
            elif (edit := await self._unverified_edit(quotation, piece)) is not None:
                edits.append(edit)
                evidence += [Evidence(text) for text in await self.sources.sentences_with(quotation.text)]
            elif self.keeps_terms and not quotation.citation and len(quotation.text.split()) <= _MAX_TERM_WORDS:
                continue
            else:
                nearest = finding.nearest.text if finding.nearest else None
                failures.append(RefusedQuotation(quotation.text, finding.reason, nearest))
                end = quotation.citation[1] if quotation.citation else quotation.end
                edits.append((quotation.start, end, await self._instead_of(quotation, finding)))
        for citation in await _off_the_loop(find_citations, piece, quotations):
            if reason := await self.sources.explain_bare_citation(citation.cited):
                edits.append((citation.start, citation.end, CITATION_REMOVED.format(reason=reason)))
        if self.numbered and self.marks_claims and self.sources.documents:
            edits += await self._missing_references(piece, quotations)
        self._standing.add(piece)
        shown = await _off_the_loop(self._apply_edits, piece, quotations, edits)
        self._said = (self._said + shown.replace(ISSUED, ""))[-REACH:]
        quoted = [(q.start, q.citation[1] if q.citation else q.end) for q in quotations if q.closed]
        return Judged(
            shown, failures, _without(piece, [*quoted, *(_model_numbering(piece) if self.numbered else [])]), evidence
        )

    def _own(self, text: str) -> str:
        """A part of a piece without the numbers and lists of sources that the gate takes out."""
        return _without(text, _model_numbering(text))

    async def release(self, piece: str) -> str:
        """Checks the next piece of a numbered answer. Returns what may be shown now: sentences without quotation wait."""
        judged = await self._judge(piece)
        if not self.numbered:
            return judged.shown
        if not self.marks_claims:
            return self._issue(judged.shown)
        return self._issue(await _off_the_loop(self._marks.add, judged.shown, judged.words, judged.evidence))

    def show_words(self, sentence: str) -> str:
        """Returns further words of an unfinished sentence, if nothing can change them. `release` returns what follows them."""
        if not (self.numbered and self.marks_claims and not self.sources.documents and self._marks.is_free):
            return ""
        words = early_words(sentence)
        if len(words) <= len(self._ahead):
            return ""
        shown, self._ahead = words[len(self._ahead) :], words
        return shown

    async def flush(self) -> str:
        """Returns the text that still waits, marked where no quotation supports it."""
        return self._issue(self._marks.finish()) if self.numbered and self.marks_claims else ""

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
    def _marks(self) -> ClaimMarks:
        if self._claims is None:
            self._claims = ClaimMarks(has_documents=bool(self.sources.documents), scores=self.scores)
        return self._claims

    async def _verified_with_links(self, piece: str) -> list[Span]:
        """Spans of the quotations that contain a link and stand with it in a document, such as a Markdown file."""
        if _LINK not in piece:
            return []
        found = [q for q in await _off_the_loop(find_quotations, piece) if _LINK in q.text]
        claims = [QuotationClaim(q.text, q.cited, q.page) for q in found]
        return [(q.start, q.end) for q, claim in zip(found, claims, strict=True) if (await self.sources.find(claim)).places]

    async def ending(self) -> str:
        """Ending of a numbered answer: what still waits, the list of sources and the prompt injections found."""
        rest = await self.flush()
        scored = await self.scores.note() if self.scores is not None else ""
        return rest + self._issue(scored + self._source_list() + await self._injection_warning())

    async def _injection_warning(self) -> str:
        if not self.injections:
            return ""
        lines = []
        for notice in self.injections:
            found = (await self.sources.find(QuotationClaim(notice["text"]))).places if notice["text"] else ()
            place = format_passage_citation(found[0]) if found else notice["document_name"]
            flat = " ".join(notice["text"].split())
            hidden = f"hidden text, found {notice.get('hidden')} times and kept out of what was read"
            lines.append(f"- [{place}]: “{flat}”" if flat else f"- [{place}]: {hidden}")
        return "\n".join(["", "", WARNING, *lines])

    def _source_list(self) -> str:
        if not self.cited:
            return ""
        lines = [
            f"- {ISSUED}[{record['number']}] {format_citation(record)}"
            for record in sorted(self.cited, key=lambda r: int(r["number"]))
        ]
        return "\n".join(["", "", SOURCES, *lines])

    def _apply_edits(self, piece: str, quotations: Sequence[Quotation], edits: Sequence[Edit]) -> str:
        """Applies edits, which do not overlap. Outside quotations, removes stray marks and numbers written by the model."""
        edited = {start for start, _, _ in edits}
        kept = [q for q in quotations if q.closed or q.start in edited or q.end in edited]
        removed = find_stray_marks(piece, kept) + (_model_numbering(piece) if self.numbered else [])
        taken = merge_spans([*((q.start, q.end) for q in kept), *((start, end) for start, end, _ in edits if start < end)])
        edits = [*edits, *((start, end, "") for start, end in _outside(_drop_overlaps(removed), taken))]
        out, at = [], 0
        for start, end, new in sorted(edits, key=lambda edit: edit[:2]):
            out += [piece[at:start], new]
            at = end
        return "".join([*out, piece[at:]])

    async def _missing_references(self, piece: str, quotations: Sequence[Quotation]) -> list[Edit]:
        """Marks of the pages and sections that the answer's own words name and no document has."""
        cited = [(c.start, c.end) for c in find_citations(piece, quotations)]
        quoted = [(q.start, q.citation[1] if q.citation else q.end) for q in quotations]
        return [
            (reference.end, reference.end, SHORT_UNVERIFIED)
            for reference in find_references(piece, [*quoted, *cited])
            if await self.sources.lacks(reference, piece[reference.end :])
        ]

    async def _verified_edits(self, quotation: Quotation, finding: Finding, standing: Standing) -> list[Edit]:
        """Edits for a verified quotation: its citation, and its words only if they were corrected."""
        marks = [await self._citation_text(quotation, place, standing) for place in finding.places]
        if not finding.rewritten:
            if quotation.citation:
                return [(*quotation.citation, marks[0])] if marks[0] else []
            return [(quotation.end, quotation.end, f" {marks[0]}")] if marks[0] else []
        quoted = [f"“{_flat(text)}” {mark}".rstrip() for text, mark in zip(finding.rewritten, marks, strict=True)]
        end = quotation.citation[1] if quotation.citation else quotation.end
        return [(quotation.start, end, finding.joint.join(quoted) + finding.punctuation)]

    async def _instead_of(self, quotation: Quotation, finding: Finding) -> str:
        """What stands for a refused quotation: the document's nearest words, marked as such."""
        if finding.nearest is None:
            return UNVERIFIED
        place = finding.nearest
        mark = f"[{format_passage_citation(place)}]"
        if self.numbered:
            mark = f"{ISSUED}[{await self._source_number(place, 'nearest')}]"
        return f"“{_flat(place.text)}” {mark} {NEAREST}"

    async def _citation_text(self, quotation: Quotation, place: Passage, standing: Standing) -> str:
        """Citation text after the quotation; empty if nothing changes."""
        if self.numbered:
            term = quotation.citation is None and len(quotation.text.split()) < _MIN_NUMBERED_WORDS
            return "" if term else f"{ISSUED}[{await self._source_number(place, standing)}]"
        if quotation.citation is None:
            return ""
        return f"[{quotation.cited.strip() if names_place(quotation.cited, place) else format_passage_citation(place)}]"

    async def _unverified_edit(self, quotation: Quotation, piece: str) -> Edit | None:
        """Marks unverified words that may stay, the user's words and terms; None if they must be removed.

        The user's words lose their citation.
        """
        words = normalise_text(quotation.text).lower()
        term = len(words) < MIN_QUOTE and not quotation.citation
        end = quotation.citation[1] if quotation.citation else quotation.end
        if self._asked_words is None:
            self._asked_words = normalise_text(" ".join(self.asked)).lower()
        if words in self._asked_words:
            marked = term or piece.startswith(ASKED_ONLY, quotation.end)
            return quotation.end, end, "" if marked else ASKED_ONLY
        if quotation.citation is None and len(quotation.text.split()) <= _MAX_PHRASE_WORDS and not is_definite(quotation.text):
            return quotation.end, end, ""  # a phrase; its sentence needs a quotation of its own
        if term:
            known = self.keeps_terms or not self.sources.documents or await self.sources.mentions(quotation.text)
            return quotation.end, end, "" if known else SHORT_UNVERIFIED
        return None

    async def _source_number(self, place: Passage, standing: Standing) -> int:
        span = (place.revision_id, place.start, place.end)
        for record in self.cited:
            if _span(record) == span:
                record["standing"] = stronger(record["standing"], standing)
                return int(record["number"])
        for earlier in self.known:
            if _span(earlier) == span:
                self.cited.append({**earlier, "standing": standing})
                return int(earlier["number"])
        number = len(self.known) + sum(1 for r in self.cited if int(r["number"]) > len(self.known)) + 1
        self.cited.append({**await self.sources.citation(place), "number": number, "standing": standing})
        return number


def _span(record: Mapping[str, Any]) -> tuple[Any, ...]:
    return record["revision_id"], record["start"], record["end"]


def _flat(text: str) -> str:
    """Text of a document on one line, with straight quotation marks inside."""
    return " ".join(text.split()).translate(_INNER_MARKS)


async def _off_the_loop(read: Callable[..., Result], text: Any, *others: Any) -> Result:
    """Calls `read`, in a thread if the text is long, so that other runs go on meanwhile."""
    if len(text) <= LONG_TEXT:
        return read(text, *others)
    return await asyncio.to_thread(read, text, *others)


def _without(piece: str, spans: Sequence[Span]) -> str:
    kept, at = [], 0
    for start, end in merge_spans(spans):
        kept.append(piece[at:start])
        at = end
    return " ".join([*kept, piece[at:]])


def _outside(spans: Sequence[Span], taken: Sequence[Span]) -> Iterator[Span]:
    """Yields the spans that touch none of `taken`. Both are in order and free of overlaps."""
    n = 0
    for start, end in spans:
        while n < len(taken) and taken[n][1] <= start:
            n += 1
        if n == len(taken) or end <= taken[n][0]:
            yield start, end


def _drop_overlaps(spans: Sequence[Span]) -> list[Span]:
    """Keeps the first of overlapping spans, and of equal starts the longest."""
    apart: list[Span] = []
    for span in sorted(spans, key=lambda s: (s[0], -s[1])):
        if not apart or span[0] >= apart[-1][1]:
            apart.append(span)
    return apart


def _model_numbering(piece: str) -> list[Span]:
    """Finds source numbers and lists of sources written by the model; a number after a paragraph's number is one too."""
    marks: list[Span] = []
    paragraph_end: int | None = None
    for match in _MODEL_NUMBER.finditer(piece):
        start, end = match.span()
        follows = paragraph_end is not None and _BETWEEN_PARAGRAPH_NUMBERS.fullmatch(piece, paragraph_end, start)
        is_raised = piece[start] not in " \t" and _RAISED.search(match[0]) is not None
        if is_raised:
            if not _POWER.search(piece, max(start - 4, 0), start):
                marks.append((start, end))
        elif follows or any(p.search(piece, max(start - 40, 0), start) for p in (_BEFORE_PARAGRAPH_NUMBER, _REPORT)):
            paragraph_end = end
        else:
            marks.append((start, end))
    return [*(match.span() for match in _MODEL_SOURCES.finditer(piece)), *marks]
