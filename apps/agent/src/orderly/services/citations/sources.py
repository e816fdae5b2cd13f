"""Finds the source of a claimed quotation among the documents that a run has read."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from orderly.errors import NotFound, NotReady, Unreadable
from orderly.models import Span
from orderly.services.citations.gate import MIN_QUOTE, Decision, Refused, Verified
from orderly.services.citations.lead_ins import lead_in_of
from orderly.services.citations.references import Reference, find_references, has_page, has_reference
from orderly.services.citations.verification import Verifier
from orderly.services.support import Evidence
from orderly.services.text import Passage, cited_page, find_occurrences, sentence_around

_OF = re.compile(r"\s*(?:,\s*)?(?:of|in|to|from)\s+(?:the\s+)?[*_`\"“]*", re.IGNORECASE)
_PUNCTUATION = ".,;:!?"
"""English places it inside the quotation marks even if it is not in the document."""
_REASON_PRIORITY = {"denied": 6, "elsewhere": 5, "joined": 4, "short": 3, "altered": 2, "cut": 1}
"""Higher values for refusals that explain more."""


@dataclass(frozen=True, slots=True)
class GivenQuotation:
    """A quotation as an answer gives it, not yet verified."""

    text: str
    cited: str = ""
    page: int | None = None


@dataclass(frozen=True, slots=True)
class Finding:
    """The places of a quotation, several if it joined them; without a place, the reason."""

    places: tuple[Passage, ...] = ()
    rewritten: tuple[str, ...] = ()
    """Stored words of each place if they differ from the quotation: its parts, or with the words that reverse it."""
    punctuation: str = ""
    """Punctuation from inside the quotation marks that is not in the document."""
    reason: str = ""
    nearest: Passage | None = None
    """The nearest place, where the quotation has none."""
    joint: str = " and "
    """Text between the rewritten words of several places."""
    lead: str = ""
    """The lead-in by which the quotation is completed, if it is one."""
    without_lead: Finding | None = None
    """The finding if the answer says the lead-in itself."""


class Sources:
    """The documents that a run has read. One instance per answer."""

    def __init__(self, verifier: Verifier | None, records: Sequence[Mapping[str, Any]]) -> None:
        """`records`: passages read, as `Passage.record` gives them; ignored without a verifier."""
        records = records if verifier else []
        self._optional_verifier = verifier
        self.documents: dict[str, str] = {r["document_id"]: r["document_name"] for r in records}
        self._read_spans: dict[str, list[tuple[int, int]]] = {}
        for r in records:
            if r.get("start") is not None:
                self._read_spans.setdefault(r["document_id"], []).append((r["start"], r["end"]))

    @property
    def _verifier(self) -> Verifier:
        assert self._optional_verifier is not None
        return self._optional_verifier

    async def find(self, given: GivenQuotation) -> Finding:
        """Searches the cited page, then the cited document, then all other documents read.

        A quotation found elsewhere than cited is accepted with its true place, which replaces the citation.
        """
        finding = await self._find(given)
        bare = given.text.rstrip(_PUNCTUATION)
        if finding.places or bare == given.text or not bare:
            return finding
        without = await self._find(GivenQuotation(bare, given.cited, given.page))
        if not without.places:
            return finding
        ending = given.text[len(bare) :]
        said = without.without_lead
        return replace(
            without,
            rewritten=without.rewritten or (bare,),
            punctuation=ending,
            without_lead=replace(said, rewritten=said.rewritten or (bare,), punctuation=ending) if said else None,
        )

    async def _find(self, given: GivenQuotation) -> Finding:
        refusals: list[tuple[str, Refused]] = []
        for document_id, page, may_include_negation in self._search_order(given):
            try:
                decision = await self._verifier.decide(
                    document_id, given.text, page=page, within=self._read_spans.get(document_id, ())
                )
            except (NotFound, NotReady, Unreadable):
                continue  # deleted or access withdrawn since it was read
            if (finding := await self._accept(document_id, decision, given.text, may_include_negation)) is not None:
                return finding
            if isinstance(decision, Refused):
                if decision.reason == "short" and decision.instead and given.cited:
                    return await self._completed(document_id, await self._sentence(document_id, decision.instead))
                refusals.append((document_id, decision))
        return await self._best_refusal(refusals)

    def _search_order(self, given: GivenQuotation) -> Iterator[tuple[str, int | None, bool]]:
        """Yields (document id, page, whether a negation found there may be corrected) in search order."""
        named = self._documents_named(given.cited)
        if given.page is not None:
            yield from ((document_id, given.page, True) for document_id in named)
        yield from ((document_id, None, True) for document_id in named)
        others = [document_id for document_id in self.documents if document_id not in named]
        yield from ((document_id, None, len(others) == 1) for document_id in others)

    async def _accept(self, document_id: str, decision: Decision, text: str, may_include_negation: bool) -> Finding | None:
        if isinstance(decision, Verified):
            return await self._completed(document_id, (decision.start, decision.end), as_written=True)
        if decision.reason == "denied" and decision.instead and may_include_negation:
            stored = (await self._verifier.view(document_id)).text
            quoted = next((span for span in find_occurrences(text, stored) if span[1] == decision.instead[1]), None)
            return await self._completed(document_id, decision.instead, quoted=quoted)
        if decision.parts:
            spans = [await self._part_span(document_id, text, part) for text, part in decision.parts]
            found = [span for span in spans if span is not None]
            if len(found) < len(spans):
                return None
            places = [place for span in found for place in (await self._completed(document_id, span)).places]
            places = [
                p for p in places if not any(p is not q and q.start <= p.start and p.end <= q.end for q in places)
            ] or places
            return Finding(tuple(places), tuple(place.text for place in places))
        if decision.reason in ("altered", "absent") and (span := await self._verifier.find_stored(document_id, text)):
            return await self._restored(document_id, span, text)
        return None

    async def _restored(self, document_id: str, span: Span, text: str) -> Finding:
        """The finding of words that are shown as they are stored. Punctuation at the end stays, inside or behind them."""
        ending = text[len(text.rstrip(_PUNCTUATION)) :]
        stored = (await self._verifier.view(document_id)).text
        if stored.startswith(")", span[1]) and stored.count("(", *span) > stored.count(")", *span) and ")" in text[-4:]:
            span = (span[0], span[1] + 1)
        if stored.startswith(ending, span[1]):
            return await self._completed(document_id, (span[0], span[1] + len(ending)))
        return replace(await self._completed(document_id, span), punctuation=ending)

    async def _part_span(self, document_id: str, text: str, part: Decision) -> Span | None:
        if isinstance(part, Verified):
            return part.start, part.end
        return await self._verifier.find_stored(document_id, text) if part.reason in ("altered", "absent") else None

    async def _completed(
        self, document_id: str, span: Span, *, as_written: bool = False, quoted: Span | None = None
    ) -> Finding:
        """The finding of a verified span, with the words of its sentence that reverse it.

        Args:
            document_id: The document.
            span: The verified words.
            as_written: Whether the words stand in the answer as they are stored, unless they are completed.
            quoted: The quoted words, if `span` begins with a negation before them.
        """
        spans = await self._verifier.complete(document_id, span)
        places = tuple([await self._verifier.passage(document_id, part) for part in spans])
        if as_written and spans == [span]:
            return Finding(places)
        found = Finding(places, tuple(place.text for place in places), joint=" … ")
        first = (quoted or span)[0]
        bare = [(max(start, first), end) for start, end in spans if end > first]
        if bare == spans:
            return found
        leading = (await self._verifier.view(document_id)).text[spans[0][0] : min(spans[0][1], first)]
        kept = tuple([await self._verifier.passage(document_id, part) for part in bare])
        words = () if (as_written or quoted) and bare == [quoted or span] else tuple(place.text for place in kept)
        return replace(found, lead=lead_in_of(leading), without_lead=Finding(kept, words, joint=" … "))

    async def _best_refusal(self, refusals: Sequence[tuple[str, Refused]]) -> Finding:
        if not refusals:
            return Finding(reason="No document was read that could be quoted.")
        document_id, best = max(refusals, key=lambda r: _REASON_PRIORITY.get(r[1].reason, 0))
        nearest = await self._nearest(document_id, best.instead) if best.instead else None
        return Finding(reason=f"{self.documents[document_id]}: {best.message}", nearest=nearest)

    async def _nearest(self, document_id: str, span: Span) -> Passage:
        """The nearest place, with its whole sentence where it is short or reversed by it."""
        span = await self._sentence(document_id, span) if span[1] - span[0] < MIN_QUOTE else span
        [first, *_] = [part for part in await self._verifier.complete(document_id, span) if part[1] >= span[1]]
        return await self._verifier.passage(document_id, first)

    async def _sentence(self, document_id: str, span: Span) -> Span:
        sentence = sentence_around((await self._verifier.view(document_id)).flowing_text, *span)
        return sentence.start, sentence.end

    def _documents_named(self, cited: str) -> list[str]:
        """Ids of the documents named in a citation. Tries long names first, since one name may be a prefix of another."""
        for name in sorted(set(self.documents.values()), key=len, reverse=True):
            if cited.strip().startswith(name):
                return [document_id for document_id, other in self.documents.items() if other == name]
        return []

    async def explain_bare_citation(self, cited: str) -> str | None:
        """Explains what is wrong with a citation that follows no quotation; None if the document has that place."""
        named = self._documents_named(cited)
        if not named:
            return "no document of that name was read"
        page = cited_page(cited)
        for document_id in named:
            try:
                view = await self._verifier.view(document_id)
            except (NotFound, NotReady, Unreadable):
                continue
            if page is not None and not has_page(view, page):
                pages = f"pages 1 to {view.pages[-1]['number']}" if view.paged else "no such page"
                return f"{self.documents[document_id]} has {pages}"
            for reference in find_references(cited[len(self.documents[document_id]) :], ()):
                if not reference.is_page and await self.lacks(reference, ""):
                    return f"{self.documents[document_id]} has no {reference.kind} {reference.label}"
            return None
        return "the document can no longer be read"

    async def lacks(self, reference: Reference, named_after: str, quoted: Sequence[str] = ()) -> bool:
        """Whether the document named after a reference, or else every document read, has no such page or section.

        `quoted`: ids of the documents that stand quoted beside it; a page is one of theirs.
        """
        of = _OF.match(named_after)
        named = self._documents_named(named_after[of.end() :]) if of else []
        lacking = False
        for document_id in named or (quoted if reference.is_page else ()) or self.documents:
            try:
                view = await self._verifier.view(document_id)
            except (NotFound, NotReady, Unreadable):
                continue
            if await asyncio.to_thread(has_reference, view, reference):
                return False
            lacking = True
        return lacking

    async def evidence(self, place: Passage) -> Evidence:
        return await self._verifier.evidence(place)

    async def sentences_with(self, term: str) -> list[str]:
        """The first sentences of the documents read in which a term stands."""
        found: list[str] = []
        for document_id in self.documents:
            try:
                found += await self._verifier.sentences_with(document_id, term)
            except (NotFound, NotReady, Unreadable):
                continue
        return found

    async def citation(self, place: Passage) -> dict[str, Any]:
        """Stores the citation of a verified place. Its id is permanent."""
        return await self._verifier.cite(place)
