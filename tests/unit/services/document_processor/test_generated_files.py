"""Generated files are stored as the words that a person sees in them, in order (`make fidelity` makes many more)."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from orderly.services.document_processor import DocumentProcessor
from stress.fidelity.generated import KINDS, make
from stress.fidelity.words import compare, stored_words, told_words, words_of


@pytest.mark.parametrize("kind", KINDS)
async def test_generated_files_are_stored_as_seen(processor: DocumentProcessor, tmp_path: Path, kind: str) -> None:
    for number in range(8):
        model, path = make(kind, random.Random(number), tmp_path / f"{number}.{kind}")
        stored = stored_words((await processor.extract(path, path.name)).text)
        assert stored == model.seen_words(), number


def test_differences_are_counted_both_ways_and_what_is_told_apart() -> None:
    details = {"tracked_changes": [{"text": "fourteen"}], "hidden_text": ["x", {"page": 1, "text": "y"}]}
    seen, stored = (
        words_of("Pay within fourteen sixty days, $5,000¹²."),
        stored_words("[Headers]\nPay sixty days now: $5,000¹²."),
    )
    found = compare(seen, stored, told_words(details))
    assert (dict(found.missing), found.told, dict(found.unseen), found.moved) == ({"within": 1}, 1, {"now": 1}, 0)
