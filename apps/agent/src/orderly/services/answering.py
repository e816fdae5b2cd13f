"""Exact answers from one document, and the clauses of one document."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from orderly.errors import NotReady, Unreadable
from orderly.models import Caller
from orderly.services.engine import Classified, LegalEngine
from orderly.services.passages import Passage, RevisionView
from orderly.services.searching import vector_text
from orderly.store.base import Store

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

FOCUS_CHUNKS = 12
"""Passages of the document that are nearest to the question, offered to the engine as places to look."""

WORTH_SHOWING = 0.1
"""Confidence from which an unconfirmed candidate is worth a lawyer's look."""

MAX_CANDIDATES = 3


@dataclass(frozen=True, slots=True)
class ExtractionResult:
    document_name: str
    document_status: str
    document_reason: str
    question: str
    answer: Passage | None
    """Set only when the engine holds that it answers the question."""
    confidence: float
    candidates: tuple[Passage, ...]
    """Best first; nearest passages where there is no answer, further ones where there is."""
    nearest: Passage | None
    """The engine's best candidate, sure or not: for measuring, not for showing."""
    revision: RevisionView
    engine: str


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
        return RevisionView(await store.rpc(caller, "get_revision", {"document_id": document_id}))
    except NotReady:
        document = await store.rpc(caller, "get_document", {"document_id": document_id})
        if document["status"] in ("failed", "unsupported"):
            raise Unreadable(document["status_reason"]) from None
        raise


async def extract_answer(
    store: Store, engine: LegalEngine, caller: Caller, document_id: str, question: str
) -> ExtractionResult:
    view = await read_revision(store, caller, document_id)
    focus = await _focus(store, engine, caller, view.document_id, question) if engine.offline else []
    extraction = await engine.extract(question, view.text, top_k=MAX_CANDIDATES, focus=focus)
    passages = [view.passage(a["start"], a["end"], score=a["score"]) for a in extraction["answers"]]
    answered = extraction["answered"] and bool(passages)
    shown = passages if extraction["confidence"] >= WORTH_SHOWING or answered else []
    return ExtractionResult(
        document_name=view.name,
        document_status=view.status,
        document_reason=view.status_reason,
        question=question,
        answer=passages[0] if answered else None,
        confidence=extraction["confidence"],
        candidates=tuple(shown[1:] if answered else shown),
        nearest=passages[0] if passages else None,
        revision=view,
        engine=engine.description,
    )


async def _focus(store: Store, engine: LegalEngine, caller: Caller, document_id: str, question: str) -> list[tuple[int, int]]:
    [vector] = await engine.embed([question], task="retrieval/query")
    params = {
        "document_id": document_id,
        "query_embedding": vector_text(vector),
        "model": engine.embedding_model,
        "match_count": FOCUS_CHUNKS,
    }
    rows = await store.rpc(caller, "nearest_chunks", params)
    return [(row["start"], row["end"]) for row in rows]


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
    kind = view.health.get("details", {}).get("enrichment", {}).get("type")
    return None if kind == "other" else kind


def _headed(view: RevisionView) -> list[tuple[int, int, str]]:
    return [(s["start"], s["end"], " ".join(filter(None, (s["label"], s["title"])))) for s in view.sections]


def _clause(view: RevisionView, finding: Classified) -> Passage:
    text = view.text[finding["start"] : finding["end"]]
    start = finding["start"] + len(text) - len(text.lstrip())
    return view.passage(start, start + len(text.strip()), score=finding["score"])
