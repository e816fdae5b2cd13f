"""Exact answers from one document, and the clauses of one document."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from orderly.errors import NotReady, Unreadable
from orderly.models import Caller
from orderly.services.engines import Answer, Classified, LegalEngine, without_overlaps
from orderly.services.text import Passage, RevisionView
from orderly.store.base import Store
from orderly.store.functions.documents import get_document
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

WORTH_SHOWING = 0.1
"""Confidence from which an unconfirmed candidate is worth a lawyer's look."""

MAX_CANDIDATES = 3
"""Shown beside an answer, or in its place."""
MOST_SPANS = 8
"""Asked of the engine: an answer may stand in several places."""


@dataclass(frozen=True, slots=True)
class ExtractionResult:
    document_name: str
    document_status: str
    document_reason: str
    question: str
    answers: tuple[Passage, ...]
    """The spans that the engine holds to be the answer together, the surest first; empty where it finds none."""
    confidence: float
    """That the first answer, or the best candidate, answers."""
    candidates: tuple[Passage, ...]
    """Best first; nearest passages where there is no answer, further ones where there is."""
    nearest: Passage | None
    """The engine's best candidate, sure or not: for measuring, not for showing."""
    revision: RevisionView
    engine: str

    @property
    def answer(self) -> Passage | None:
        """The surest span of the answer."""
        return self.answers[0] if self.answers else None


@dataclass(frozen=True, slots=True)
class ClauseReport:
    document_name: str
    document_status: str
    document_reason: str
    is_contract: bool
    found: Mapping[str, Sequence[Passage]]
    """Every requested type, in the order asked; an empty list means that none was found."""
    revision: RevisionView
    engine: str


async def read_revision(store: Store, caller: Caller, document_id: str) -> RevisionView:
    """The current revision.

    Raises:
        DocumentNotFound: missing or not the caller's to see.
        NotReady: there is none yet.
        Unreadable: there will be none, for the reason that ingestion found.
    """
    try:
        return RevisionView(await get_revision(store, caller, document_id))
    except NotReady:
        document = await get_document(store, caller, document_id)
        if document["status"] in ("failed", "unsupported"):
            raise Unreadable(document["status_reason"]) from None
        raise


async def extract_answer(
    store: Store, engine: LegalEngine, caller: Caller, document_id: str, question: str
) -> ExtractionResult:
    view = await read_revision(store, caller, document_id)
    extraction = await engine.extract(question, view.text, top_k=MOST_SPANS)
    sure = extraction["answering"]
    others = (
        without_overlaps([*sure, *extraction["answers"]])[len(sure) :]
        if extraction["confidence"] >= WORTH_SHOWING or sure
        else []
    )
    nearest = extraction["answers"][:1]
    return ExtractionResult(
        document_name=view.name,
        document_status=view.status,
        document_reason=view.status_reason,
        question=question,
        answers=tuple(_passages(view, sure)),
        confidence=extraction["confidence"],
        candidates=tuple(_passages(view, others[:MAX_CANDIDATES])),
        nearest=next(iter(_passages(view, nearest)), None),
        revision=view,
        engine=engine.description,
    )


def _passages(view: RevisionView, answers: Sequence[Answer]) -> list[Passage]:
    return [view.passage(answer["start"], answer["end"], score=answer["score"]) for answer in answers]


async def find_clauses(
    store: Store, engine: LegalEngine, caller: Caller, document_id: str, clause_types: Sequence[str] | None
) -> ClauseReport:
    view = await read_revision(store, caller, document_id)
    types = list(dict.fromkeys(t.strip() for t in clause_types if t.strip())) if clause_types else []
    types = types or list(STANDARD_CLAUSES)
    known = _known_type(view)
    is_contract = await engine.is_contract(view.text) if known is None else known == "contract"
    findings = await engine.classify(view.text, types, sections=_headed(view)) if is_contract else []
    return ClauseReport(
        document_name=view.name,
        document_status=view.status,
        document_reason=view.status_reason,
        is_contract=is_contract,
        found={t: [_clause(view, f) for f in findings if f["label"] == t] for t in types},
        revision=view,
        engine=engine.description,
    )


def _known_type(view: RevisionView) -> str | None:
    """As an enricher found it at ingestion; "other" says nothing."""
    enrichment = cast(Mapping[str, str], view.health.get("details", {}).get("enrichment", {}))
    kind = enrichment.get("type")
    return None if kind == "other" else kind


def _headed(view: RevisionView) -> list[tuple[int, int, str]]:
    return [(s["start"], s["end"], " ".join(filter(None, (s["label"], s["title"])))) for s in view.sections]


def _clause(view: RevisionView, finding: Classified) -> Passage:
    text = view.text[finding["start"] : finding["end"]]
    start = finding["start"] + len(text) - len(text.lstrip())
    return view.passage(start, start + len(text.strip()), score=finding["score"])
