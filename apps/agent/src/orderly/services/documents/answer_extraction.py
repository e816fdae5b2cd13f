"""Answer extraction and clause classification in one document."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from orderly.models import Caller
from orderly.services.engines import Answer, Classified, LegalEngine
from orderly.services.text import Passage, RevisionView
from orderly.store.base import Store
from orderly.store.functions.revisions import get_revision

STANDARD_CLAUSES = (
    "termination",
    "indemnity",
    "limitation of liability",
    "confidentiality",
    "dispute resolution",
    "governing law",
    "force majeure",
    "assignment",
    "warranties",
    "payment terms",
)

MAX_CANDIDATES = 3
"""Candidates shown with an answer, or instead of one."""
MAX_SPANS = 8
"""Requested from the engine: an answer can consist of several spans."""


@dataclass(frozen=True, slots=True)
class ExtractionResult:
    document_name: str
    document_status: str
    document_reason: str
    question: str
    answers: tuple[Passage, ...]
    """The spans that form the answer, most confident first; empty if there is no answer."""
    confidence: float
    """Of the first answer, or of the best candidate. 0 to 1."""
    inextractability_score: float | None
    """Isaacus: score for "the text does not answer the question", on the scale of `confidence`. Offline engine: None."""
    candidates: tuple[Passage, ...]
    """Further passages, best first; without an answer, the nearest passages."""
    nearest: Passage | None
    """The best candidate at any confidence. `questions/presence.py` decides from which it is likely."""
    revision: RevisionView
    engine: str

    @property
    def answer(self) -> Passage | None:
        """The most confident span of the answer."""
        return self.answers[0] if self.answers else None


@dataclass(frozen=True, slots=True)
class ClauseReport:
    document_name: str
    document_status: str
    document_reason: str
    is_contract: bool
    found: Mapping[str, Sequence[Passage]]
    """Every requested type in the requested order; an empty list if no clause was found."""
    revision: RevisionView
    engine: str


async def read_revision(store: Store, caller: Caller, document_id: str) -> RevisionView:
    """Loads the current revision.

    Raises:
        DocumentNotFound: the document is missing, or the caller has no access to it.
        NotReady: no revision is published yet.
        Unreadable: ingestion failed for good.
    """
    return RevisionView(await get_revision(store, caller, document_id))


async def extract_answer(
    store: Store, engine: LegalEngine, caller: Caller, document_id: str, question: str
) -> ExtractionResult:
    return await extract_from(engine, await read_revision(store, caller, document_id), question)


async def extract_from(engine: LegalEngine, view: RevisionView, question: str, *, quick: bool = False) -> ExtractionResult:
    """Extracts from a revision that is already read. `quick`: see `LegalEngine.extract`."""
    extraction = await engine.extract(question, view.text, top_k=MAX_SPANS, quick=quick)
    answering = extraction["answering"]
    nearest = extraction["answers"][:1]
    return ExtractionResult(
        document_name=view.name,
        document_status=view.status,
        document_reason=view.status_reason,
        question=question,
        answers=tuple(_passages(view, answering)),
        confidence=extraction["confidence"],
        inextractability_score=None if engine.offline else extraction["inextractability_score"],
        candidates=tuple(_apart(_passages(view, extraction["further"]))[:MAX_CANDIDATES]),
        nearest=next(iter(_passages(view, nearest)), None),
        revision=view,
        engine=engine.description,
    )


def _apart(passages: Sequence[Passage]) -> list[Passage]:
    """The passages without repetitions of an earlier one's words, as in an amendment that restates a clause."""
    return list({" ".join(passage.text.split()).casefold(): passage for passage in reversed(passages)}.values())[::-1]


def _passages(view: RevisionView, answers: Sequence[Answer]) -> list[Passage]:
    return [view.passage(answer["start"], answer["end"], score=answer["score"]) for answer in answers]


async def find_clauses(
    store: Store, engine: LegalEngine, caller: Caller, document_id: str, clause_types: Sequence[str] | None
) -> ClauseReport:
    return await find_clauses_in(engine, await read_revision(store, caller, document_id), clause_types)


async def find_clauses_in(engine: LegalEngine, view: RevisionView, clause_types: Sequence[str] | None) -> ClauseReport:
    """Finds the clauses of a revision that is already read."""
    types = list(dict.fromkeys(t.strip() for t in clause_types if t.strip())) if clause_types else []
    types = types or list(STANDARD_CLAUSES)
    known = _enriched_type(view)
    is_contract = await engine.is_contract(view.text) if known is None else known == "contract"
    findings = await engine.classify(view.text, types, sections=_section_headings(view)) if is_contract else []
    return ClauseReport(
        document_name=view.name,
        document_status=view.status,
        document_reason=view.status_reason,
        is_contract=is_contract,
        found={t: [_clause_passage(view, f) for f in findings if f["label"] == t] for t in types},
        revision=view,
        engine=engine.description,
    )


def _enriched_type(view: RevisionView) -> str | None:
    """Returns the document type found by enrichment at ingestion; None if unknown or "other"."""
    enrichment = cast(Mapping[str, str], view.health.get("details", {}).get("enrichment", {}))
    kind = enrichment.get("type")
    return None if kind == "other" else kind


def _section_headings(view: RevisionView) -> list[tuple[int, int, str]]:
    return [(s["start"], s["end"], " ".join(filter(None, (s["label"], s["title"])))) for s in view.sections]


def _clause_passage(view: RevisionView, finding: Classified) -> Passage:
    text = view.text[finding["start"] : finding["end"]]
    start = finding["start"] + len(text) - len(text.lstrip())
    return view.passage(start, start + len(text.strip()), score=finding["score"])
