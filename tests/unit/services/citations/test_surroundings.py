"""What is known of a quotation's place: the next sentence of its section, and the judges who speak in its document."""

from __future__ import annotations

import pytest

from orderly.services.citations.surroundings import evidence_of
from orderly.services.support.judges import judges_of
from orderly.services.text import RevisionView

POLICY = (
    "1. Cover\nWe cover your things anywhere in the world. Things in a storage unit are not covered.\n\n"
    "2. Premium\nThe premium is $5 a month."
)
JUDGMENT = (
    "Miller v Baker\n\nHALE J:\n\nThe appeal is allowed with costs. In Foster v Green, Drake J said otherwise.\n\n"
    + "Facts. " * 1_000
) + "\n\nI certify that this is a true copy of the reasons of the Honourable Justice Stone."


def view_of(text: str, *starts: int) -> RevisionView:
    ends = [*starts[1:], len(text)]
    sections = [
        {"id": str(n), "label": str(n), "title": None, "start": start, "end": end, "level": 1, "ordinal": n}
        for n, (start, end) in enumerate(zip(starts, ends, strict=True), 1)
    ]
    document = {"id": "d", "filename": "d.txt", "matter_id": "m", "status": "ready", "status_reason": ""}
    document["revision"] = {"id": "r", "paged": False, "health": {}}  # type: ignore[assignment]
    return RevisionView({"document": document, "text": text, "pages": [], "sections": sections})  # type: ignore[typeddict-item]


@pytest.mark.parametrize(
    ("words", "following"),
    [
        ("We cover your things anywhere in the world.", "Things in a storage unit are not covered."),
        ("your things anywhere", "Things in a storage unit are not covered."),
        ("Things in a storage unit are not covered.", ""),
    ],
)
def test_the_next_sentence_is_that_of_the_same_section(words: str, following: str) -> None:
    view = view_of(POLICY, 0, POLICY.index("2. Premium"))
    start = POLICY.index(words)
    assert evidence_of(view.passage(start, start + len(words)), view).next == following


def test_those_who_sign_a_judgment_or_stand_above_their_part_of_it_speak_in_it() -> None:
    assert judges_of(JUDGMENT) == {"hale", "stone"}
