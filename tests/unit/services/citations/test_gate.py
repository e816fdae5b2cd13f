"""The citation gate's decision on one quotation."""

from __future__ import annotations

from typing import Any

import pytest

from orderly.services.citations.gate import Refused, Verified, decide
from orderly.services.text.passages import RevisionView

TEXT = (
    "3.1 Either party may terminate this Lease by giving not less than ninety (90) days’ written notice to the other party.\n"
    "The Lessee shall not, directly or indirectly, disclose the Confidential Information. If the Lessee does not pay, the "
    "Lessor may terminate at once.\n\f"
    "Neither party shall be liable for any unlawful use of $1,000,000. In no event shall the Lessor be liable for loss. It has "
    "no obligation to repair the roof of the shed. Unless the Lessor agrees, the Lessee shall pay rent in advance. "
    "It isn't entitled to withhold any rent. No waiver of a breach shall be a waiver of another one.\n\f"
    "The Lessor may disclose the Confidential Information to its bank. The Lessor may terminate this Lease."
)


def view(text: str = TEXT, running: list[list[int]] | None = None, sections: list[Any] | None = None) -> RevisionView:
    pages: list[dict[str, Any]] = []
    at = 0
    for number, part in enumerate(text.split("\f"), 1):
        pages.append(
            {"number": number, "start": at, "end": at + len(part), "flags": [], "source": "native", "confidence": None}
        )
        at += len(part) + 1
    revision = {"id": "r", "paged": len(pages) > 1, "health": {"details": {"running_lines": running or []}}}
    document = {"id": "d", "filename": "a.pdf", "matter_id": "m", "status": "ready", "status_reason": "", "revision": revision}
    return RevisionView({"document": document, "text": text, "pages": pages, "sections": sections or []})


@pytest.mark.parametrize(
    "quote",
    [
        "Either party may terminate this Lease by giving not less than ninety (90) days' written notice",
        "ninety (90) days' written\nnotice to the other party",
        "the Lessor may terminate at once",
        "the Lessee shall pay rent in advance",
        "Neither party shall be liable for any unlawful use of $1,000,000",
        "The Lessee shall not, directly or indirectly, disclose the Confidential Information",
        "No waiver of a breach shall be a waiver of another one.",
        "the Confidential Information. If the Lessee does not pay",
    ],
)
def test_a_true_quotation_passes(quote: str) -> None:
    assert isinstance(decide(quote, view()), Verified)


@pytest.mark.parametrize(
    ("quote", "page", "reason", "instead"),
    [
        (
            "disclose the Confidential Information",
            1,
            "denied",
            "shall not, directly or indirectly, disclose the Confidential Information",
        ),
        ("directly or indirectly, disclose", None, "denied", "shall not, directly or indirectly, disclose"),
        ("liable for any unlawful use", None, "denied", "Neither party shall be liable for any unlawful use"),
        ("shall be liable for any", None, "denied", "Neither party shall be liable for any"),
        ("the Lessor be liable for loss", None, "denied", "In no event shall the Lessor be liable for loss"),
        ("repair the roof of the shed", None, "denied", "has no obligation to repair the roof of the shed"),
        ("withhold any rent", None, "denied", "It isn't entitled to withhold any rent"),
        ("shall be a waiver of another one", None, "denied", "No waiver of a breach shall be a waiver of another one"),
        ("lawful use of $1,000,000", None, "cut", "unlawful use of $1,000,000."),
        ("unlawful use of $1,000", None, "cut", "unlawful use of $1,000,000."),
        (
            "Either party may terminate this Lease by giving not less than sixty (60) days’ written notice",
            None,
            "altered",
            None,
        ),
        ("The Lessee shall, directly or indirectly, disclose the Confidential Information", None, "altered", None),
        ("The Lessor shall not, directly or indirectly, disclose the Confidential Information", None, "altered", None),
        ("either party may terminate this Lease", None, "altered", None),
        ("The Lessee hereby grants a mortgage over all of its vessels.", None, "absent", None),
        ("Either party may terminate ... written notice to the other party", None, "joined", None),
        ("Either party may terminate […] written notice to the other party", None, "joined", None),
        ("Either party may terminate this Lease", 2, "elsewhere", "Either party may terminate this Lease"),
        ("Lessor", None, "short", "Lessor"),
        (" … ", None, "empty", None),
    ],
)
def test_a_false_quotation_is_refused_with_its_reason(quote: str, page: int | None, reason: str, instead: str | None) -> None:
    decision = decide(quote, view(), page=page)
    assert isinstance(decision, Refused)
    assert decision.reason == reason
    if instead is not None:
        assert decision.instead is not None
        assert TEXT[slice(*decision.instead)] == instead


def test_the_message_names_the_exact_difference() -> None:
    quote = "Either party may terminate the Lease by giving not less than thirty (30) days’ notice to the other party."
    decision = decide(quote, view())
    assert isinstance(decision, Refused)
    assert '"the" stands for "this"' in decision.message
    assert '"thirty" stands for "ninety"' in decision.message
    assert '"30" stands for "90"' in decision.message
    assert '"written" is left out' in decision.message
    added = decide("The Lessor may not terminate this Lease.", view())
    assert isinstance(added, Refused) and '"not" does not stand there' in added.message


def test_each_part_of_a_joined_quotation_is_checked_alone() -> None:
    decision = decide("Either party may terminate ... disclose the Confidential Information", view(), page=1)
    assert isinstance(decision, Refused)
    (_, first), (_, second) = decision.parts
    assert isinstance(first, Verified)
    assert isinstance(second, Refused) and second.reason == "denied"


def test_page_and_passage_choose_between_several_occurrences() -> None:
    quote = "disclose the Confidential Information"
    third = decide(quote, view(), page=3)
    assert isinstance(third, Verified) and TEXT[: third.start].count("\f") == 2
    anywhere = decide(quote, view())
    assert anywhere == third, "the occurrence without a negation is chosen"
    places = [TEXT.index("may terminate"), TEXT.rindex("may terminate this")]
    for place in places:
        decision = decide("may terminate this Lease", view(), within=[(place - 20, place + 40)])
        assert isinstance(decision, Verified) and decision.start == place


def test_a_short_quotation_needs_its_position() -> None:
    start = TEXT.index("ninety (90)")
    assert decide("ninety (90)", view(), start=start) == Verified(start, start + 11)
    assert decide("ninety (90)", view(), within=[(start - 30, start + 30)]) == Verified(start, start + 11)
    wrong = decide("ninety (90)", view(), start=start + 1)
    assert isinstance(wrong, Refused) and wrong.reason == "elsewhere"


def test_a_quotation_across_pages_skips_running_lines() -> None:
    text = "The Lessee shall keep the premises\nACME Lease 2024\f\nin good and tenantable repair."
    head = text.index("ACME")
    decision = decide("keep the premises in good and tenantable repair", view(text, [[head, head + 15]]), page=2)
    assert isinstance(decision, Verified)


def test_an_ellipsis_of_the_document_itself_is_no_join() -> None:
    text = "The parties agree ... as set out below, and otherwise as follows."
    assert isinstance(decide("The parties agree ... as set out below", view(text)), Verified)


@pytest.mark.parametrize("blanks", [" " * 19_000, "[" + " " * 19_000 + "]", " ( " * 6_000])
def test_white_space_in_a_quotation_is_read_in_one_pass(blanks: str) -> None:
    decision = decide(f"the Lessee shall pay{blanks}rent in Zanthorpe", view())
    assert isinstance(decision, Refused) and not decision.parts


@pytest.mark.parametrize("omission", ["...", " ... ", " [...] ", " ( . . . ) ", "\n…\n", " [ …", ". . . ."])
def test_an_omission_is_left_out_with_the_white_space_and_the_brackets_around_it(omission: str) -> None:
    decision = decide(f"The Lessor may disclose{omission}in advance", view())
    assert isinstance(decision, Refused) and decision.reason == "joined"
    assert [part for part, _ in decision.parts] == ["The Lessor may disclose", "in advance"]


def test_a_section_may_be_claimed_by_its_id() -> None:
    quote = "The Lessor may disclose the Confidential Information to its bank."
    begin = TEXT.index(quote)
    sections: list[Any] = [
        {"id": "7f", "label": "9", "title": "Rent", "start": 0, "end": begin, "level": 1},
        {"id": "8a", "label": "10", "title": "Secrets", "start": begin, "end": len(TEXT), "level": 1},
    ]
    seen = view(sections=sections)
    assert isinstance(decide(quote, seen, section="8a"), Verified)
    elsewhere = decide(quote, seen, section="7f")
    assert isinstance(elsewhere, Refused) and elsewhere.reason == "elsewhere"
    assert "Section 10" in elsewhere.message and "Section 9" in elsewhere.message
