"""What the gate writes at a quotation or citation: its source number, the words that were meant, or nothing."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field

from orderly.models import Span
from orderly.services.citations.citation_text import format_citation, format_passage_citation, names_place
from orderly.services.citations.cited import HANDLE
from orderly.services.citations.cited_places import cited_places, nearest_in
from orderly.services.citations.edits import Edit
from orderly.services.citations.evidence import Bound
from orderly.services.citations.mentions import Mentions
from orderly.services.citations.provisions import Provision
from orderly.services.citations.quotation_fates import Fate, RefusedQuotation
from orderly.services.citations.references import find_references
from orderly.services.citations.source_numbers import ISSUED, SourceNumbers
from orderly.services.citations.sources import GivenQuotation, Sources
from orderly.services.citations.standing import StandingReader
from orderly.services.text import Passage, Quotation

TAKEN_OUT = "“…”"
"""Stands for quoted words that stand nowhere."""
UNREAD = "Words in quotation marks were taken out here: they stand in nothing that was read."
OWN = "OWN"
"""Reply of a writer whose quoted words are its own, such as a proposed clause."""
NONE = "NONE"
"""Reply of a writer who has no words of a document."""
_MIN_NUMBERED_WORDS = 5
"""A shorter quotation without a citation is a term: verified, but without a source number."""
_SENTENCE = 400
"""Characters before a citation that say what it is cited for."""
_MOST_MENDED = 3
"""Quotations of one answer that the model is asked about."""

Mend = Callable[[RefusedQuotation], Awaitable[str]]
"""Asks the writer of an answer for the words that it meant. Returns them, `OWN`, or an empty text."""
Written = tuple[list[Edit], Bound | None]
"""Edits of a piece, and what is bound at the place."""


@dataclass(frozen=True, slots=True)
class Around:
    """What stands around a quotation or citation."""

    said: str
    """The end of what was shown before the piece."""
    piece: str
    context: Sequence[str]
    """Ids of the documents that its row, item, heading or sentence names."""
    in_draft: bool


@dataclass(slots=True)
class Citing:
    """Follows one answer. Stateful."""

    sources: Sources
    numbers: SourceNumbers
    mentions: Mentions
    numbered: bool
    standing: StandingReader = field(default_factory=StandingReader)
    mend: Mend | None = None
    refused: list[RefusedQuotation] = field(default_factory=list)
    """Quotations that were taken out."""
    _mended: int = 0

    async def of_quotation(self, quotation: Quotation, fate: Fate, around: Around) -> Written:
        if fate.kind == "refused" and fate.refused is not None:
            return await self._of_refused(quotation, fate, fate.refused, around)
        if fate.kind == "verified":
            return await self._verified(quotation, fate, around)
        if fate.kind == "denied":
            place = format_passage_citation(fate.finding.places[0])
            reason = f"‘{_flat(quotation.text)}’ stands in {place}."
            return [], Bound(0, 0, True, verdict="contradicted", reason=reason, place=place)
        if fate.kind == "unknown":
            reason = f"‘{_flat(quotation.text)}’ is given as words of a document and stands in none that was read."
            return [], Bound(0, 0, True, verdict="not found", reason=reason)
        if quotation.citation and fate.kind == "asked":
            return [(*quotation.citation, "")], Bound(0, 0, True, is_own=True)
        return [], Bound(0, 0, True, is_own=True)

    async def _of_refused(self, quotation: Quotation, fate: Fate, refused: RefusedQuotation, around: Around) -> Written:
        written = around.piece[quotation.start : quotation.end].rstrip()
        is_block = written.lstrip(" \t-*").startswith(">")
        words = OWN if is_block and not quotation.citation and not self._is_introduced(around, quotation.start) else ""
        words = words or await self._mended_words(refused, quotation, around)
        if words == OWN:
            own = _own_words(written, is_block=is_block)
            return [(quotation.start, quotation.start + len(written), own)], Bound(0, 0, True, is_own=True)
        if not words:
            self.refused.append(refused)
            end = quotation.citation[1] if quotation.citation else quotation.start + len(written)
            reason = _because(fate, [*self.sources.gone.values()])
            return [(quotation.start, end, TAKEN_OUT)], Bound(0, 0, True, verdict="not found", reason=reason)
        finding = await self.sources.find(GivenQuotation(words, quotation.cited, tuple(around.context)))
        edits, bound = await self._verified(quotation, Fate("verified", finding), around)
        return [(quotation.start, quotation.end, f"“{_flat(words)}”"), *edits], bound

    def _is_introduced(self, around: Around, at: int) -> bool:
        """Whether the line before a block quotation gives it as the words of a document or a clause."""
        line = next((one for one in reversed((around.said + around.piece[:at]).splitlines()) if one.strip()), "")
        names = any(find_references(line, ())) or bool(self.mentions.around("", line, len(line)))
        return line.rstrip(" *_").endswith(":") and names

    async def _mended_words(self, refused: RefusedQuotation, quotation: Quotation, around: Around) -> str:
        """The words that the writer meant, if it gives some that stand in a document; `OWN` if they are its own."""
        if self.mend is None or self._mended >= _MOST_MENDED:
            return ""
        self._mended += 1
        words = (await self.mend(refused)).strip().strip("“”\"'‘’ \n")
        if words.upper() == OWN and not quotation.citation:
            return OWN
        if words.upper() in ("", NONE) or len(words) > 4 * len(refused.text) + 400:
            return ""
        found = await self.sources.find(GivenQuotation(words, quotation.cited, tuple(around.context)))
        return words if found.places else ""

    async def _verified(self, quotation: Quotation, fate: Fate, around: Around) -> Written:
        finding = fate.finding
        provisions = [await self.sources.provision(place) for place in finding.places]
        bound = Bound(0, 0, True, provisions, left_out=finding.left_out)
        if finding.instead_of:
            true = format_passage_citation(finding.places[0])
            bound.verdict, bound.place = "contradicted", true
            bound.reason = f"The quoted words stand in {true}, not in {finding.instead_of}."
        is_term = quotation.citation is None and len(quotation.text.split()) < _MIN_NUMBERED_WORDS
        marks = "" if is_term else await self._marks(finding.places, bound, around.piece, quotation.start, quotation.cited)
        if around.in_draft:
            return ([(*_with_space(quotation.citation, around.piece), "")] if quotation.citation else []), bound
        if quotation.citation:
            return [(*quotation.citation, marks)], bound
        return ([(quotation.end, quotation.end, f" {marks}")] if marks and self.numbered else []), bound

    async def of_citation(self, span: Span, cited: str, around: Around) -> Written:
        """A bracket that follows no quotation: it gets the numbers of the places that it cites."""
        sentence = (around.said + around.piece[: span[0]])[-_SENTENCE:]
        found = await cited_places(self.sources, cited, around.context, sentence)
        if found.missing:
            return [], Bound(0, 0, False, verdict="not found", reason=f"{found.missing}.")
        if not found.documents:
            return [], None
        if not found.places:
            bound = Bound(0, 0, False, await self._of_whole(found.documents, sentence))
            names = ", ".join(self.sources.documents[d] for d in found.documents)
            return ([(*span, "" if around.in_draft else f"[{names}]")] if self.numbered else []), bound
        bound = Bound(0, 0, False, found.provisions)
        marks = await self._marks(found.places, bound, around.piece, span[0], cited)
        edit = (*_with_space(span, around.piece), "") if around.in_draft else (*span, marks)
        return ([edit] if self.numbered else []), bound

    async def of_reference(self, words: str, documents: Sequence[str]) -> Bound | None:
        """A clause that a sentence names in its own words: "Clause 5.3 obliges …". It gets no number."""
        for document_id in documents:
            found = await cited_places(self.sources, f"{self.sources.documents[document_id]}, {words}", (), words)
            if found.provisions:
                return Bound(0, 0, False, found.provisions, is_named=True)
        return None

    async def _of_whole(self, documents: Sequence[str], sentence: str) -> list[Provision]:
        """The provisions nearest to a sentence, of documents that are cited without a place."""
        nearest = [nearest_in(await self.sources.provisions(d), sentence) for d in documents]
        return [provision for found in nearest for provision in found]

    async def _marks(self, places: Sequence[Passage], bound: Bound, piece: str, at: int, cited: str) -> str:
        """The source numbers of places, or their citation for another agent."""
        if not self.numbered:
            first = places[0]
            is_right = names_place(cited, first) or HANDLE.match(cited.strip()) is not None
            return f"[{cited.strip() if is_right else format_passage_citation(first)}]"
        standing = self.standing.at(piece, at)
        numbers = [await self.numbers.number(place, standing) for place in places]
        by_number = {int(record["number"]): record["citation_id"] for record in self.numbers.cited}
        bound.citations = [by_number[n] for n in dict.fromkeys(numbers)]
        return " ".join(f"{ISSUED}[{n}]" for n in dict.fromkeys(numbers))


def _with_space(span: Span, piece: str) -> Span:
    """The span of a citation with the space before it."""
    return span[0] - (piece[span[0] - 1 : span[0]] == " "), span[1]


def _because(fate: Fate, gone: Sequence[str]) -> str:
    nearest = fate.finding.nearest
    if gone:
        return f"{UNREAD} {', '.join(gone)} can no longer be read."
    if nearest is None:
        return UNREAD
    return f"{UNREAD} The nearest words are in {format_citation(nearest.record())}."


def _own_words(written: str, *, is_block: bool) -> str:
    """Words of the writer, not shown as a quotation: without marks, a block as a draft."""
    if not is_block:
        return written.strip('“”"')
    lines = "\n".join(re.sub(r"^[ \t]*(?:[-*][ \t]+)?>[ \t]?", "", line) for line in written.splitlines())
    return f"```draft\n{lines}\n```"


def _flat(text: str) -> str:
    return " ".join(text.split())
