"""Finds where a claimed quotation comes from, among the documents that a run has read."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from orderly.errors import NotFound, NotReady, Unreadable
from orderly.services.citations.gate import Decision, Refused, Stands
from orderly.services.citations.verification import Verifier
from orderly.services.text import Passage, citation_label, page_in

_SECTION = re.compile(r"\bSection\s+([\w.()]*\w\)?)")
_PUNCTUATION = ".,;:!?"
"""English puts these inside the quotation marks, whether or not they are the document's."""

_TELLING = {"denied": 6, "elsewhere": 5, "joined": 4, "short": 3, "altered": 2, "cut": 1}
"""Which refusal says most about what is wrong."""


@dataclass(frozen=True, slots=True)
class Quoted:
    text: str
    cited: str = ""
    page: int | None = None


@dataclass(frozen=True, slots=True)
class Finding:
    """Where a quotation stands: in one place, or in several where it joined them; nowhere, with the reason."""

    places: tuple[Passage, ...] = ()
    rewritten: tuple[str, ...] = ()
    """The words of each place, where the quotation was put right: taken apart, or begun before the word that denies it."""
    behind: str = ""
    """Punctuation that stood inside the quotation marks and is not the document's."""
    reason: str = ""
    instead: str | None = None
    """What the nearest place says."""


class Sources:
    """The documents that a run has read. Made for one answer."""

    def __init__(self, verifier: Verifier | None, records: Sequence[Mapping[str, Any]]) -> None:
        """Without a verifier there are no documents, whatever `records` says."""
        records = records if verifier else []
        self._look = verifier
        self.documents: dict[str, str] = {r["document_id"]: r["document_name"] for r in records}
        self._read: dict[str, list[tuple[int, int]]] = {}
        for r in records:
            if r.get("start") is not None:
                self._read.setdefault(r["document_id"], []).append((r["start"], r["end"]))

    @property
    def _verifier(self) -> Verifier:
        assert self._look is not None
        return self._look

    async def find(self, claim: Quoted) -> Finding:
        """Where it is cited, if it stands there, else in any document read."""
        finding = await self._find(claim)
        bare = claim.text.rstrip(_PUNCTUATION)
        if finding.places or bare == claim.text or not bare:
            return finding
        without = await self._find(Quoted(bare, claim.cited, claim.page))
        if not without.places:
            return finding
        return Finding(without.places, without.rewritten or (bare,), claim.text[len(bare) :])

    async def _find(self, claim: Quoted) -> Finding:
        refusals: list[tuple[str, Refused]] = []
        for document_id, page, final in self._order(claim):
            try:
                decision = await self._verifier.decide(
                    document_id, claim.text, page=page, within=self._read.get(document_id, ())
                )
            except (NotFound, NotReady, Unreadable):
                continue  # a document that can no longer be read can no longer be quoted
            if (finding := await self._accepted(document_id, decision, final)) is not None:
                return finding
            if isinstance(decision, Refused):
                refusals.append((document_id, decision))
        return await self._refused(refusals)

    def _order(self, claim: Quoted) -> Iterator[tuple[str, int | None, bool]]:
        """(document, page, whether what it says of a denied quotation is the last word)."""
        named = self._named(claim.cited)
        if claim.page is not None:
            yield from ((document_id, claim.page, True) for document_id in named)
        yield from ((document_id, None, True) for document_id in named)
        others = [document_id for document_id in self.documents if document_id not in named]
        yield from ((document_id, None, len(others) == 1) for document_id in others)

    async def _accepted(self, document_id: str, decision: Decision, final: bool) -> Finding | None:
        if isinstance(decision, Stands):
            return Finding((await self._verifier.passage(document_id, (decision.start, decision.end)),))
        if decision.reason == "denied" and decision.instead and final:
            place = await self._verifier.passage(document_id, decision.instead)
            return Finding((place,), (place.text,))
        standing = [(text, part) for text, part in decision.parts if isinstance(part, Stands)]
        if decision.parts and len(standing) == len(decision.parts):
            spans = [(part.start, part.end) for _, part in standing]
            places = tuple([await self._verifier.passage(document_id, span) for span in spans])
            return Finding(places, tuple(text.strip() for text, _ in standing))
        return None

    async def _refused(self, refusals: Sequence[tuple[str, Refused]]) -> Finding:
        if not refusals:
            return Finding(reason="No document was read that could be quoted.")
        document_id, best = max(refusals, key=lambda r: _TELLING.get(r[1].reason, 0))
        instead = (await self._verifier.passage(document_id, best.instead)).text if best.instead else None
        return Finding(reason=f"{self.documents[document_id]}: {best.message}", instead=instead)

    def _named(self, cited: str) -> list[str]:
        """Longest name first, because one name may begin another."""
        for name in sorted(set(self.documents.values()), key=len, reverse=True):
            if cited.strip().startswith(name):
                return [document_id for document_id, other in self.documents.items() if other == name]
        return []

    async def wrong_place(self, cited: str) -> str | None:
        """What is wrong with a citation that stands behind no quotation; None where it names a place that was read."""
        named = self._named(cited)
        if not named:
            return "no document of that name was read"
        page = page_in(cited)
        for document_id in named:
            try:
                last = await self._verifier.last_page(document_id)
            except (NotFound, NotReady, Unreadable):
                continue
            if page is None or last is None or 1 <= page <= last:
                return None
            return f"{self.documents[document_id]} has pages 1 to {last}"
        return "the document can no longer be read"

    async def mentions(self, text: str) -> bool:
        """Whether a term stands in any document read."""
        for document_id in self.documents:
            try:
                if await self._verifier.mentions(document_id, text):
                    return True
            except (NotFound, NotReady, Unreadable):
                continue
        return False

    async def citation(self, place: Passage) -> dict[str, Any]:
        """The stored citation of a verified place: its id stays good for ever."""
        return await self._verifier.cite(place)


def named(record: Mapping[str, Any]) -> str:
    """As a citation says it: "Lease.pdf, Page 3, Section 2.1 (Rent)"."""
    parts = [str(record["document_name"])]
    if record["paged"]:
        one = record["page_first"] == record["page_last"]
        parts.append(f"Page {record['page_first']}" + ("" if one else f"-{record['page_last']}"))
    if label := citation_label(record["section_label"], record["section_title"]):
        parts.append(label)
    return ", ".join(parts)


def where(place: Passage) -> str:
    return named(place.record())


def is_place(cited: str, place: Passage) -> bool:
    """Whether a citation names the document, page and section in which the words stand."""
    page, section = page_in(cited), _SECTION.search(cited)
    same_page = not place.paged or page is None or place.page_first <= page <= place.page_last
    same_section = section is None or place.section_label is None or _within(place.section_label, section[1])
    return cited.strip().startswith(place.document_name) and same_page and same_section


def _within(true: str, cited: str) -> bool:
    """Clause 12 is the place of a quotation from 12.1(a) too; 12.1 is not that of one from 12.2."""
    return true == cited or bool(re.match(rf"{re.escape(cited)}(?![\w])", true))
