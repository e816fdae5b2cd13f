"""A clause of a known subject answers only if the document is of that kind; Isaacus alone decides where it is configured."""

from __future__ import annotations

from typing import Any, cast

import pytest

from orderly.services.engines import LegalEngine
from orderly.services.questions import Subject, ask_revision
from orderly.services.text import RevisionView

CLAUSE = "The Company may end the employment at any time by notice to the Executive."
OTHER = "The Executive is entitled to 28 days of holiday in each year, which the Company has to approve."
TEXT = f"{CLAUSE} {OTHER}"
ENDS = Subject("termination for convenience", "")


class Engine:
    """Finds CLAUSE for its subject, and OTHER by the question's words."""

    offline, description = True, "engine"

    def __init__(self, confidence: float, *, contract: bool) -> None:
        self.confidence, self.contract = confidence, contract

    async def presence(self, name: str, text: str) -> dict[str, Any]:
        return {"probability": 0.9, "threshold": 0.5, "start": 0, "end": len(CLAUSE), "further": []}

    async def extract(self, question: str, text: str, top_k: int, quick: bool = False) -> dict[str, Any]:
        best = {"text": OTHER, "start": len(CLAUSE) + 1, "end": len(TEXT), "score": self.confidence}
        return {
            "answers": [best],
            "answering": [],
            "further": [best],
            "confidence": self.confidence,
            "inextractability_score": 0.0,
        }

    async def is_contract(self, text: str) -> bool:
        return self.contract


def view() -> RevisionView:
    document: Any = {"id": "d", "filename": "Work.txt", "matter_id": "m", "status": "ready", "status_reason": ""}
    document["revision"] = {"id": "r", "paged": False, "health": {}}
    row: Any = {"document": document, "text": TEXT, "pages": [], "sections": []}
    return RevisionView(row)


async def ask(question: str, confidence: float, *, contract: bool) -> tuple[str, list[str]]:
    engine = cast(LegalEngine, Engine(confidence, contract=contract))
    found = await ask_revision(engine, view(), question, ENDS)
    return found.presence, [p.text for p in found.passages]


@pytest.mark.parametrize(
    ("question", "confidence", "contract", "presence", "first"),
    [
        ("May the Company end the employment at any time?", 0.1, True, "answer", CLAUSE),
        ("May the Company end the employment at any time?", 0.1, False, "likely", CLAUSE),
        ("May the Company end the employment at any time?", 0.4, False, "answer", CLAUSE),
    ],
)
async def test_a_clause_of_the_subject(question: str, confidence: float, contract: bool, presence: str, first: str) -> None:
    found, passages = await ask(question, confidence, contract=contract)
    assert (found, passages[:1]) == (presence, [first])


async def test_an_order_by_age_is_answered_by_dates_alone_whatever_sounds_alike() -> None:
    engine = cast(LegalEngine, Engine(0.9, contract=False))
    dates = Subject("agreement date", "date")
    found = await ask_revision(engine, view(), "Which document is the most recent?", dates)
    assert (found.presence, found.passages) == ("none", ())


class Remote(Engine):
    """Isaacus: what it extracts is the answer, whatever words it shares with the question."""

    offline = False

    async def extract(self, question: str, text: str, top_k: int, quick: bool = False) -> dict[str, Any]:
        found = await super().extract(question, text, top_k)
        assert question == "Can the boss sack somebody on a whim?"
        return {**found, "answering": found["answers"]}


async def test_isaacus_decides_by_itself() -> None:
    engine = cast(LegalEngine, Remote(0.7, contract=True))
    found = await ask_revision(engine, view(), "Can the boss sack somebody on a whim?", ENDS)
    assert (found.presence, [p.text for p in found.passages]) == ("answer", [OTHER])
