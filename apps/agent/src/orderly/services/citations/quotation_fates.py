"""What becomes of each quotation of an answer. Its edits, its evidence and what statements are read without follow from it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from orderly.models import Span
from orderly.services.citations.edits import Edit, without
from orderly.services.citations.gate import MIN_QUOTE
from orderly.services.citations.lead_ins import says_lead_in
from orderly.services.citations.model_numbers import find_model_numbering
from orderly.services.citations.quotation_edits import ASKED_ONLY, SHORT_UNVERIFIED, QuotationEdits
from orderly.services.citations.sources import Finding, GivenQuotation, Sources
from orderly.services.citations.standing import Standing
from orderly.services.support import Evidence, QuotedWords, is_definite, read_quoted_words
from orderly.services.text import Quotation, normalise_text

MAX_PHRASE_WORDS = 5
"""Words of the longest quotation that may stand without being verified, if it has no citation and claims nothing."""
_MAX_TERM_WORDS = 10
"""Words of the longest term to search for."""

Kind = Literal["verified", "asked", "kept", "not found", "removed"]
"""asked: the user's own words. kept: it stays as it is, as words of the writer. not found: it stays with a mark."""


@dataclass(frozen=True, slots=True)
class RefusedQuotation:
    """A quotation removed from an answer."""

    text: str
    reason: str
    instead: str | None
    """Text of the document at the nearest place."""


@dataclass(frozen=True, slots=True)
class Fate:
    kind: Kind
    edits: Sequence[Edit] = ()
    evidence: Sequence[Evidence] = ()
    """What it verifies."""
    unread: Span | None = None
    """What statements are read without; None for words that are the writer's."""
    refused: RefusedQuotation | None = None


@dataclass(slots=True)
class QuotationFates:
    sources: Sources
    edits: QuotationEdits
    asked: Sequence[str]
    """The user's own messages."""
    keeps_terms: bool
    _asked_words: str | None = field(default=None)
    """The user's words, normalised; None until a quotation is compared with them."""

    async def decide(self, quotation: Quotation, piece: str, *, said: str, standing: Standing, checks_claims: bool) -> Fate:
        """Decides what becomes of a quotation.

        Args:
            quotation: A quotation of the piece.
            piece: The part of an answer.
            said: The end of what was shown before the piece.
            standing: The standing that the answer gives the quotation.
            checks_claims: Whether short quotations that claim to be a document's words must stand in one.
        """
        finding = await self.sources.find(GivenQuotation(quotation.text, quotation.cited, quotation.page))
        if not finding.places and not quotation.closed:
            return Fate("kept")  # text behind an unclosed mark; the mark itself is removed
        used = self._used(quotation, piece, said) if checks_claims or finding.rewritten else None
        if used is not None and used.use == "denied" and checks_claims:
            is_absent = not finding.places and not await self.sources.sentences_with(quotation.text)
            return Fate("kept", unread=used.span if is_absent and self.sources.documents else None)
        if finding.places:
            if finding.rewritten and used is not None and used.use != "claimed":
                return Fate("kept")  # a few words in a sentence that no words left out can reverse
            return await self._verified(quotation, finding, piece, said, standing)
        claims = checks_claims and used is not None and used.use == "claimed"
        return await self._unverified(quotation, finding, piece, claims=claims)

    def _used(self, quotation: Quotation, piece: str, said: str) -> QuotedWords | None:
        """How the answer uses a phrase; None for a longer quotation and one with a citation."""
        if not _is_phrase(quotation):
            return None
        return read_quoted_words(piece, quotation.start, quotation.end, before=said)

    async def _verified(self, quotation: Quotation, finding: Finding, piece: str, said: str, standing: Standing) -> Fate:
        evidence = [await self.sources.evidence(place) for place in finding.places]
        if finding.without_lead is not None:
            written = piece[: quotation.start]
            if says_lead_in(said + without(written, find_model_numbering(written)), finding.lead):
                finding = finding.without_lead
        edits = await self.edits.verified_edits(quotation, finding, standing)
        return Fate("verified", edits, evidence, _whole(quotation) if quotation.closed else None)

    async def _unverified(self, quotation: Quotation, finding: Finding, piece: str, *, claims: bool) -> Fate:
        words = normalise_text(quotation.text).lower()
        is_term = len(words) < MIN_QUOTE and not quotation.citation
        evidence = [Evidence(text) for text in await self.sources.sentences_with(quotation.text)]
        is_known = bool(evidence) or self.keeps_terms or not self.sources.documents
        if words in self._asked():
            is_labelled = piece.startswith(ASKED_ONLY, quotation.end) or (is_term and (is_known or not claims))
            edit = self.edits.note_edit(quotation, piece, "" if is_labelled else ASKED_ONLY)
            return Fate("asked", [edit], evidence, _whole(quotation))
        is_plain_phrase = _is_phrase(quotation) and not is_definite(quotation.text)
        if is_plain_phrase or is_term:
            if is_known or (is_plain_phrase and not claims):
                return Fate("kept", evidence=evidence)
            return Fate("not found", [self.edits.note_edit(quotation, piece, SHORT_UNVERIFIED)], unread=_whole(quotation))
        if self.keeps_terms and not quotation.citation and len(quotation.text.split()) <= _MAX_TERM_WORDS:
            return Fate("kept")
        return await self._removed(quotation, finding)

    async def _removed(self, quotation: Quotation, finding: Finding) -> Fate:
        start, end = _whole(quotation)
        nearest = finding.nearest.text if finding.nearest else None
        return Fate(
            "removed",
            [(start, end, await self.edits.instead_of(quotation, finding))],
            unread=(start, end),
            refused=RefusedQuotation(quotation.text, finding.reason, nearest),
        )

    def _asked(self) -> str:
        if self._asked_words is None:
            self._asked_words = normalise_text(" ".join(self.asked)).lower()
        return self._asked_words


def _is_phrase(quotation: Quotation) -> bool:
    return quotation.citation is None and len(quotation.text.split()) <= MAX_PHRASE_WORDS


def _whole(quotation: Quotation) -> Span:
    """A quotation with its citation."""
    return quotation.start, quotation.citation[1] if quotation.citation else quotation.end
