"""The documents that a run has read: where quotations and citations of an answer stand in them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from orderly.errors import NotFound, NotReady, Unreadable
from orderly.models import Span
from orderly.services.citations.cited import Cited, read_cited, unread_file
from orderly.services.citations.cuts import left_out
from orderly.services.citations.gate import Decision, Refused, Verified
from orderly.services.citations.provisions import Provision, Provisions
from orderly.services.citations.references import Reference, has_reference
from orderly.services.citations.verification import Verifier
from orderly.services.text import Passage, RevisionView, cited_page, find_places

GONE = (NotFound, NotReady, Unreadable)
_PUNCTUATION = ".,;:!?"
"""English places it inside the quotation marks even if it is not in the document."""
_REASON_PRIORITY = {"denied": 6, "elsewhere": 5, "joined": 4, "short": 3, "altered": 2, "cut": 1}
"""Higher values for refusals that explain more."""
_MOST_PLACES = 4
"""Places of one citation that get a number."""
_SHOWN = 1_500
"""Characters of a place that is cited without a quotation; of a longer one the part nearest to the sentence."""
_ENDING = re.compile(r"\.\w{2,5}\Z")


@dataclass(frozen=True, slots=True)
class GivenQuotation:
    """A quotation as an answer gives it, not yet verified."""

    text: str
    cited: str = ""
    context: tuple[str, ...] = ()
    """Ids of the documents that its row, item, heading or sentence names."""


@dataclass(frozen=True, slots=True)
class Finding:
    """The places of a quotation, several if it joins them or if they are equal; without a place, the reason."""

    places: tuple[Passage, ...] = ()
    left_out: str = ""
    """Words of its sentence that reverse it and that it leaves out."""
    instead_of: str = ""
    """The document or section that the citation names, if the words stand in another alone."""
    reason: str = ""
    nearest: Passage | None = None
    """The nearest place, where the quotation has none."""


class Sources:
    """The documents that a run has read. One instance per answer."""

    def __init__(
        self, verifier: Verifier | None, records: Sequence[Mapping[str, Any]], handles: Mapping[str, str] | None = None
    ) -> None:
        """`records`: passages read, as `Passage.record` gives them; ignored without a verifier. `handles`: short id by id."""
        records = records if verifier else []
        self._optional_verifier = verifier
        self.documents: dict[str, str] = {r["document_id"]: r["document_name"] for r in records}
        self.read_spans: dict[str, list[Span]] = {}
        self._records = {r["id"]: r for r in records if r.get("id") and r.get("start") is not None}
        for r in records:
            if r.get("start") is not None:
                self.read_spans.setdefault(r["document_id"], []).append((r["start"], r["end"]))
            else:
                self.read_spans.setdefault(r["document_id"], []).append((0, 1 << 60))
        self._ids: dict[str, list[str]] = {}
        for id, handle in (handles or {}).items():
            self._ids.setdefault(handle.upper(), []).append(id)
        self.names: dict[str, list[str]] = {}
        self._titles: dict[str, list[str]] = {}
        for document_id, name in self.documents.items():
            self.names.setdefault(name, []).append(document_id)
            self._titles.setdefault(_ENDING.sub("", name), []).append(document_id)
        self._provisions: dict[str, Provisions] = {}
        self.gone: dict[str, str] = {}
        """Names of documents that a quotation was looked for in, and that can no longer be read, by id."""

    @property
    def _verifier(self) -> Verifier:
        assert self._optional_verifier is not None
        return self._optional_verifier

    @property
    def handles(self) -> Mapping[str, Sequence[str]]:
        return self._ids

    # ---------------------------------------------------------------- quotations

    async def find(self, given: GivenQuotation) -> Finding:
        """Searches the cited place, then the cited document, then all other documents read.

        A quotation found elsewhere than cited is accepted with its true place.
        """
        finding = await self._find(given)
        bare = given.text.rstrip(_PUNCTUATION)
        if finding.places or bare == given.text or not bare:
            return finding
        without = await self._find(GivenQuotation(bare, given.cited, given.context))
        return without if without.places else finding

    async def _find(self, given: GivenQuotation) -> Finding:
        refusals: list[tuple[str, Refused]] = []
        cited = self.read_cited(given.cited, given.context) if given.cited else []
        named = [d for part in cited for d in part.documents] or list(given.context)
        near = {d: await self.spans_of(d, cited) for d in dict.fromkeys(named)}
        if not any(part.named for part in cited) and any(part.place for part in cited):
            near |= {d: await self.spans_of(d, cited) for d in self.documents if d not in near}
        found: list[Finding] = []
        for document_id, page in self._search_order(named, given.cited, near):
            if found and (document_id in named) < (found[0].places[0].document_id in named):
                break
            within = near.get(document_id) or self.read_spans.get(document_id, [])
            try:
                decision = await self._verifier.decide(document_id, given.text, page=page, within=within)
            except GONE:  # deleted or access withdrawn since it was read
                self.gone.setdefault(document_id, self.documents[document_id])
                continue
            if finding := await self._accept(document_id, decision, given.text):
                at = finding.places[0]
                other = [self.documents[d] for d in named if d != document_id] if document_id not in named else []
                wrong = (other[0] if other and cited else "") or _other_section(
                    finding.places, cited, near.get(document_id, ())
                )
                finding = Finding(finding.places, finding.left_out, wrong)
                if named or any(a <= at.start < b for a, b in near.get(document_id, ())):
                    return finding
                if all(at.document_id != f.places[0].document_id for f in found):
                    found.append(finding)
            elif isinstance(decision, Refused):
                refusals.append((document_id, decision))
        if found:  # no document is named: equal places are all cited
            places = tuple(f.places[0] for f in found[:2]) if len(found) > 1 else found[0].places
            return Finding(places, found[0].left_out, unread_file(given.cited, self.names))
        return await self._best_refusal(refusals)

    def _search_order(
        self, named: Sequence[str], cited: str, near: Mapping[str, Sequence[Span]]
    ) -> Iterator[tuple[str, int | None]]:
        """Yields (document id, page) in search order."""
        page = cited_page(cited)
        if page is not None:
            yield from ((document_id, page) for document_id in named if document_id in self.documents)
        first = [d for d in named if d in self.documents]
        first += [d for d in self.documents if near.get(d) and d not in first]
        yield from ((document_id, None) for document_id in first)
        yield from ((document_id, None) for document_id in self.documents if document_id not in first)

    async def _accept(self, document_id: str, decision: Decision, text: str) -> Finding | None:
        if isinstance(decision, Verified):
            return await self._at(document_id, [(decision.start, decision.end)])
        if decision.reason in ("denied", "short") and decision.instead:
            if decision.reason == "short":
                return await self._at(document_id, [decision.instead])
            view = await self._verifier.view(document_id)
            found = await self._at(document_id, [decision.instead])
            return Finding(found.places, " ".join(view.text[slice(*decision.instead)].split()[:3]))
        if decision.parts:
            spans = [await self._part_span(document_id, part_text, part) for part_text, part in decision.parts]
            found_spans = [span for span in spans if span is not None]
            return await self._at(document_id, found_spans) if len(found_spans) == len(spans) else None
        if decision.reason in ("altered", "absent") and (span := await self._verifier.find_stored(document_id, text)):
            return await self._at(document_id, [span])
        return None

    async def _part_span(self, document_id: str, text: str, part: Decision) -> Span | None:
        if isinstance(part, Verified):
            return part.start, part.end
        if part.reason in ("denied", "short") and part.instead:
            return part.instead
        return await self._verifier.find_stored(document_id, text) if part.reason in ("altered", "absent") else None

    async def _at(self, document_id: str, spans: Sequence[Span]) -> Finding:
        view = await self._verifier.view(document_id)
        places = tuple(view.passage(*span) for span in spans)
        whole = (min(s[0] for s in spans), max(s[1] for s in spans))
        one = spans[0] if len(spans) == 1 else whole if whole[1] - whole[0] < _SHOWN else spans[0]
        return Finding(places, left_out(await self._verifier.flowing(document_id), one, view.sections))

    async def _best_refusal(self, refusals: Sequence[tuple[str, Refused]]) -> Finding:
        if not refusals:
            return Finding(reason="No document was read that could be quoted.")
        document_id, best = max(refusals, key=lambda r: _REASON_PRIORITY.get(r[1].reason, 0))
        nearest = (await self._verifier.view(document_id)).passage(*best.instead) if best.instead else None
        return Finding(reason=f"{self.documents[document_id]}: {best.message}", nearest=nearest)

    # ---------------------------------------------------------------- citations

    def read_cited(self, cited: str, context: Sequence[str] = ()) -> list[Cited]:
        return read_cited(cited, self._titles | self.names, self._ids, context)

    def documents_of(self, cited: str) -> list[str]:
        """Ids of the documents that a bracket names."""
        return [d for part in self.read_cited(cited) if part.named for d in part.documents if d in self.documents]

    async def spans_of(self, document_id: str, cited: Sequence[Cited]) -> list[Span]:
        if document_id not in self.documents:
            return []
        try:
            view = await self._verifier.view(document_id)
        except GONE:
            return []
        spans: list[Span] = []
        for part in cited:
            if document_id in part.documents or not part.named:
                record = self._records.get(part.passage)
                found = find_places(view, part.place)
                spans += found or ([(record["start"], record["end"])] if record else [])
        return spans

    # ---------------------------------------------------------------- what was read

    async def view(self, document_id: str) -> RevisionView:
        """Raises one of `GONE`."""
        return await self._verifier.view(document_id)

    async def provisions(self, document_id: str) -> Provisions:
        if document_id not in self._provisions:
            self._provisions[document_id] = Provisions(await self._verifier.view(document_id))
        return self._provisions[document_id]

    async def provision(self, place: Passage) -> Provision:
        return (await self.provisions(place.document_id)).around(place.start, place.end)

    async def read_texts(self) -> list[tuple[str, str]]:
        """The id of each document read, with what of its text was shown to the model."""
        texts: list[tuple[str, str]] = []
        for document_id, spans in self.read_spans.items():
            try:
                text = (await self._verifier.view(document_id)).text
            except GONE:
                continue
            whole = any(start == 0 and end >= len(text) for start, end in spans)
            texts += [(document_id, text)] if whole else [(document_id, text[start:end]) for start, end in spans]
        return texts

    async def lacks(self, reference: Reference) -> bool:
        """Whether every document read has no such page or section."""
        lacking = False
        for document_id in self.documents:
            try:
                view = await self._verifier.view(document_id)
            except GONE:
                continue
            if has_reference(view, reference):
                return False
            lacking = True
        return lacking

    async def has_term(self, term: str) -> bool:
        """Whether a term stands in a document read."""
        for document_id in self.documents:
            try:
                if await self._verifier.sentences_with(document_id, term):
                    return True
            except GONE:
                continue
        return False

    async def citation(self, place: Passage) -> dict[str, Any]:
        """Stores the citation of a verified place. Its id is permanent."""
        return await self._verifier.cite(place)


def _other_section(places: Sequence[Passage], cited: Sequence[Cited], spans: Sequence[Span]) -> str:
    """The section that a citation names by its number, if none of the words stand in it."""
    named = next((part.place for part in cited if re.search(r"\d", part.place)), "")
    outside = all(p.section_label and not any(a < p.end and p.start < b for a, b in spans) for p in places)
    return f"{named.strip()}" if named and spans and outside else ""
