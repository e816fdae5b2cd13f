"""The page knows every note that the gate writes, and no other."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from orderly.services.citations import quotation_edits, support_marks

ROOT = Path(__file__).parents[4]
KNOWN = re.findall(r'^  \["(.+?)", "', (ROOT / "apps/web/src/chat/gateNotes.ts").read_text(encoding="utf-8"), re.MULTILINE)
WRITTEN = (
    quotation_edits.UNVERIFIED,
    quotation_edits.NEAREST,
    quotation_edits.ASKED_ONLY,
    quotation_edits.SHORT_UNVERIFIED,
    quotation_edits.CITATION_REMOVED,
    support_marks.NO_QUOTATION,
    support_marks.UNSUPPORTED,
    support_marks.ILLUSTRATION,
)


def known_as(note: str) -> list[str]:
    text = note.strip().strip("[]")
    return [begins for begins in KNOWN if text == begins or (begins.endswith(" ") and text.startswith(begins))]


@pytest.mark.parametrize("note", WRITTEN)
def test_the_page_sets_a_note_apart(note: str) -> None:
    assert len(known_as(note)) == 1


def test_the_page_knows_no_note_that_nothing_writes() -> None:
    assert sorted(begins for note in WRITTEN for begins in known_as(note)) == sorted(KNOWN)
