"""Pages that a file does not have, and judges who do not speak in the document that is quoted."""

from __future__ import annotations

import pytest

from support.lease_answers import NOTICE, RENT, shown


@pytest.mark.parametrize(
    "answer",
    [
        f"Page 4 of lease.txt says {NOTICE}.",
        f"On page 2, the parties agree: {NOTICE}.",
        f"{NOTICE}\n\nSee page 40 of lease.txt.",
        f"{NOTICE}\n\nThe rent is due on the first day [lease.txt, page 3].",
        f"Justice Smith held: {NOTICE}.",
        f"As Gordon J put it, {RENT}.",
        f"Lord Justice Hale ruled on this: {RENT}.",
        f"Kirby, JJ said so: {NOTICE}.",
    ],
)
async def test_a_page_or_a_judge_that_the_document_does_not_have_is_marked(answer: str) -> None:
    text = await shown(answer)
    assert any(mark in text for mark in ("[not found in the documents read]", "[citation removed", "[unsupported: ")), text


@pytest.mark.parametrize(
    "answer",
    [
        f"Section 3.1 says {NOTICE}.",
        f"According to lease.txt, either party may terminate: {NOTICE}.",
        f"Option J is not chosen here: {RENT}.",
    ],
)
async def test_true_places_stay_unmarked(answer: str) -> None:
    text = await shown(answer)
    assert not any(mark in text for mark in ("[not found", "[citation removed", "[unsupported")), text
