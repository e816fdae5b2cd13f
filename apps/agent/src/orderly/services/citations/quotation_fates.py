"""What becomes of each quotation of an answer: it stands in a document, is the writer's or the user's, or is not shown."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from orderly.services.citations.gate import MIN_QUOTE
from orderly.services.citations.sources import Finding, GivenQuotation, Sources
from orderly.services.support import is_definite, read_quoted_words
from orderly.services.text import Quotation, normalise_text

MAX_PHRASE_WORDS = 5
"""Words of the longest quotation that may stand without being verified, if it has no citation and claims nothing."""
_MAX_TERM_WORDS = 10
"""Words of the longest term to search for."""

_OF_WORDS = re.compile(r"\b(?:words?|phrases?|expressions?|terms?|uses?|mentions?|refers?|appears?|occurs?)\b", re.IGNORECASE)
_OF_A_THING = re.compile(r"\s(?!(?:anywhere|at\s+all|in|n?or|and|does|do|is|are|appears?|occurs?)\b)\w")
"""What a quotation describes: no “entire agreement” clause."""

Kind = Literal["verified", "denied", "asked", "kept", "unknown", "refused"]
"""denied: words that stand in a document of which the answer says that it lacks them. asked: the user's own words. kept: words
of the writer. unknown: a few words that stand in no document read, and are told. refused: they are not shown."""


@dataclass(frozen=True, slots=True)
class RefusedQuotation:
    """A quotation whose words stand in no document read."""

    text: str
    reason: str
    instead: str | None
    """Text of the document at the nearest place."""


NOTHING = Finding()


@dataclass(frozen=True, slots=True)
class Fate:
    kind: Kind
    finding: Finding = NOTHING
    refused: RefusedQuotation | None = None


@dataclass(slots=True)
class QuotationFates:
    sources: Sources
    asked: Sequence[str]
    """The user's own messages."""
    keeps_terms: bool = False
    """Whether short quotations without a citation stay as they are: terms in the arguments of a tool."""
    checks_claims: bool = True
    """Whether a few quoted words that claim to be a document's must stand in one."""
    _asked_words: str | None = field(default=None)

    async def decide(
        self, quotation: Quotation, piece: str, *, said: str, context: Sequence[str], attributed: bool = True
    ) -> Fate:
        """Decides what becomes of a quotation.

        Args:
            quotation: A quotation of the piece.
            piece: The part of an answer.
            said: The end of what was shown before the piece.
            context: Ids of the documents that its row, item, heading or sentence names.
            attributed: False in a draft whose sentence names no document and no place: the words are the writer's.
        """
        finding = await self.sources.find(GivenQuotation(quotation.text, quotation.cited, tuple(context)))
        if finding.places:
            is_denied = finding.places[0].document_id in context and self._denies(quotation, piece, said)
            return Fate("denied" if is_denied else "verified", finding)
        if not quotation.closed or not attributed:
            return Fate("kept")  # text behind an unclosed mark; the mark itself is removed
        return await self._unverified(quotation, finding, piece, said)

    def _denies(self, quotation: Quotation, piece: str, said: str) -> bool:
        """Whether an answer says of words, and not of what they name, that they stand nowhere."""
        if quotation.citation or not self.checks_claims or _OF_A_THING.match(piece, quotation.end):
            return False
        used = read_quoted_words(piece, quotation.start, quotation.end, before=said)
        return used.use == "denied" and _OF_WORDS.search(piece, *used.span) is not None

    async def _unverified(self, quotation: Quotation, finding: Finding, piece: str, said: str) -> Fate:
        words = normalise_text(quotation.text).lower()
        if words in self._asked():
            return Fate("asked")
        is_term = len(words) < MIN_QUOTE and not quotation.citation
        is_phrase = quotation.citation is None and len(quotation.text.split()) <= MAX_PHRASE_WORDS
        if is_term or (is_phrase and not is_definite(quotation.text)):
            if self.keeps_terms or not self.sources.documents or not self.checks_claims:
                return Fate("kept")
            used = read_quoted_words(piece, quotation.start, quotation.end, before=said)
            is_own = normalise_text(said + piece).lower().count(words) > 1  # a word of its own table
            known = used.use != "claimed" or is_own or await self.sources.has_term(quotation.text)
            return Fate("kept" if known else "unknown")
        if self.keeps_terms and not quotation.citation and len(quotation.text.split()) <= _MAX_TERM_WORDS:
            return Fate("kept")
        nearest = finding.nearest.text if finding.nearest else None
        return Fate("refused", finding, RefusedQuotation(quotation.text, finding.reason, nearest))

    def _asked(self) -> str:
        if self._asked_words is None:
            self._asked_words = normalise_text(" ".join(self.asked)).lower()
        return self._asked_words
