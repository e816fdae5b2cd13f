"""Questions for the judge of a case, and where a judgment names them."""

from __future__ import annotations

import pytest

from orderly.services.questions.judges import asks_judge, named_judges


@pytest.mark.parametrize(
    ("question", "asks"),
    [
        ("Who was the judge in each case?", True),
        ("Who decided these cases?", True),
        ("Which judge heard the appeal?", True),
        ("Before whom was the application heard?", True),
        ("What did the judge say about costs?", False),
        ("Which judge held that the policy responds?", False),
        ("Who decided that the tender be cancelled?", False),
        ("Who was the applicant's solicitor?", False),
        ("Who decides disputes under the agreement?", False),
    ],
)
def test_questions_for_the_judge(question: str, asks: bool) -> None:
    assert asks_judge(question) == asks


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (
            "Reasons. I certify that the preceding five (5) numbered paragraphs are a true copy of the Reasons for Judgment herein\n"
            "of the Honourable Justice Example. Associate: Dated: 1 May 2019",
            "I certify that the preceding five (5) numbered paragraphs are a true copy of the Reasons for Judgment herein\n"
            "of the Honourable Justice Example.",
        ),
        (
            "Case No: 1\n\nB E F O R E:\n\nLORD JUSTICE OAK\n\nLADY JUSTICE ASH\n\n- - - -\n\nMr Elm",
            "LORD JUSTICE OAK\n\nLADY JUSTICE ASH",
        ),
        ("Date: 1 May 2019\nBefore:\nThe Honourable Mr Justice Oak\n- - -\nBetween:", "The Honourable Mr Justice Oak"),
        ("JUDGE: Oak J\nDATE: 1 May", "Oak J"),
        ("Before: the Tenant moves in, the Landlord paints the house.", None),
        ("I certify that I have read the lease.", None),
    ],
)
def test_a_judgment_names_its_judges_at_its_beginning_or_in_its_certificate(text: str, shown: str | None) -> None:
    assert [text[slice(*span)] for span in named_judges(text)] == ([shown] if shown else [])
