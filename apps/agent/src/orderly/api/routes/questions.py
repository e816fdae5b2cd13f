"""Search, extraction and classification without a conversation."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends
from pydantic import BaseModel, ConfigDict, Field

from orderly.api.bodies import Body
from orderly.api.callers import CurrentServices, SignedIn, take_turn
from orderly.api.errors import error_responses
from orderly.api.routes.matters import MatterRef
from orderly.models import RESULTS
from orderly.services.search import KeywordQuery

router = APIRouter(prefix="/api", tags=["questions"], responses=error_responses(404, 425, 502))

Words = Annotated[str, Field(min_length=1, max_length=10_000)]


class Passage(BaseModel):
    """A quotation with its position. `start`, `end`: code points of the revision's text, half-open."""

    model_config = ConfigDict(extra="ignore")

    document_id: str
    document_name: str
    revision_id: str
    id: str
    start: int
    end: int
    text: str
    paged: bool
    page_first: int
    page_last: int
    section_label: str | None
    section_title: str | None
    score: float | None


class SearchRequest(Body):
    query: Words
    mode: Literal["hybrid", "semantic"] = "hybrid"
    max_results: int = Field(default=RESULTS, ge=1, le=100)
    within: list[str] | None = Field(default=None, max_length=100, description="Ids of folders, documents, sections.")


class RawText(BaseModel):
    """A piece of a file that is not indexed yet. It cannot be quoted before it is."""

    document_id: str
    document_name: str
    text: str
    paged: bool
    page: int


class Found(BaseModel):
    passages: list[Passage]
    raw_text: list[RawText]
    stages: list[str]
    engine: str
    engine_failed: bool


class WordsRequest(Body):
    query: Words = Field(
        description='A phrase as written; several "quoted phrases" must each occur; a final * leaves the end open.'
    )
    limit: int = Field(default=20, ge=1, le=100)
    offset: int = Field(default=0, ge=0, le=1_000_000)


class WordsPlace(Passage):
    matches: int
    matter_number: str


class WordsFound(BaseModel):
    count: int = Field(description="All matches in all documents.")
    document_count: int
    place_count: int = Field(description="Places; matches that stand together are one.")
    places: list[WordsPlace]
    word_forms: bool = Field(description="No document has the words as written: these are passages with other forms of them.")
    complete: bool = Field(description="False if there was no time for some documents.")


class Question(Body):
    question: Words


class Answer(BaseModel):
    answer: Passage | None
    answers: list[Passage]
    """The spans that together answer the question, highest confidence first."""
    confidence: float
    inextractability_score: float | None
    """Isaacus: score for "the text does not answer the question"; null with the offline engine."""
    candidates: list[Passage]
    engine: str


class Clauses(Body):
    clause_types: list[Annotated[str, Field(min_length=1, max_length=500)]] | None = Field(default=None, max_length=50)


class ClausesFound(BaseModel):
    is_contract: bool
    found: dict[str, list[Passage]]
    engine: str


def _passage(passage: Any) -> Passage:
    return Passage.model_validate(passage.record())


@router.post("/matters/{matter}/search", dependencies=[Depends(take_turn)])
async def search(matter: MatterRef, body: SearchRequest, caller: SignedIn, services: CurrentServices) -> Found:
    """Search a matter, or "all" matters of the caller."""
    result = await services.library.search(caller, matter, body.query, body.max_results, body.within, body.mode)
    return Found(
        passages=[_passage(p) for p in result.passages],
        raw_text=[RawText.model_validate(asdict(piece)) for piece in result.raw],
        stages=list(result.stages),
        engine=result.engine,
        engine_failed=result.engine_failed,
    )


@router.post("/matters/{matter}/find", dependencies=[Depends(take_turn)])
async def find_words(matter: MatterRef, body: WordsRequest, caller: SignedIn, services: CurrentServices) -> WordsFound:
    """Find words as they are written, and count every match."""
    found = await services.keywords.search(caller, matter, KeywordQuery(body.query, limit=body.limit, offset=body.offset))
    return WordsFound(
        count=found.count,
        document_count=len(found.by_document),
        place_count=found.place_count,
        places=[
            WordsPlace.model_validate(
                {**place.passage.record(), "matches": place.matches, "matter_number": place.matter_number}
            )
            for place in found.places
            if not place.raw
        ],
        word_forms=found.word_forms,
        complete=not (found.out_of_time or found.too_slow),
    )


@router.post("/documents/{document}/extract", dependencies=[Depends(take_turn)])
async def extract(document: str, body: Question, caller: SignedIn, services: CurrentServices) -> Answer:
    """Extract the exact words that answer a question, if there are any."""
    result = await services.library.extract(caller, document, body.question)
    return Answer(
        answer=_passage(result.answer) if result.answer else None,
        answers=[_passage(p) for p in result.answers],
        confidence=result.confidence,
        inextractability_score=result.inextractability_score,
        candidates=[_passage(p) for p in result.candidates],
        engine=result.engine,
    )


@router.post("/documents/{document}/classify", dependencies=[Depends(take_turn)])
async def classify(document: str, body: Clauses, caller: SignedIn, services: CurrentServices) -> ClausesFound:
    """Find clauses by type."""
    report = await services.library.classify(caller, document, body.clause_types)
    return ClausesFound(
        is_contract=report.is_contract,
        found={kind: [_passage(p) for p in passages] for kind, passages in report.found.items()},
        engine=report.engine,
    )
