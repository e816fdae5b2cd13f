"""Claims over several documents and of absence: counted against what was quoted of each document and asked of it."""

from __future__ import annotations

import pytest

from orderly.services.citations import Asking
from support.gated import gate_over, told

SHOP = "LEASE\n\n1. Use\n\nThe Lessee runs a shop.\n\n2. Law\n\nThis lease is governed by the laws of New South Wales.\n"
DEED = (
    "DEED\n\n1. Guarantee\n\nThe Guarantor pays what is due.\n\n2. Law\n\nThis Agreement is governed by the laws of Victoria.\n"
)
LAW, LAW_2 = (
    "“This lease is governed by the laws of New South Wales.” [D1]",
    "“This Agreement is governed by the laws of Victoria.” [D2]",
)
BOTH = frozenset({"Shop.txt", "Guarantee.txt"})
ABOUT_LAW = Asking("Which law governs?", BOTH, BOTH, frozenset(), 2)
ABOUT_DRONES = Asking("May drones be flown over the premises?", BOTH, frozenset(), frozenset(), 2)


@pytest.mark.parametrize(
    ("askings", "claim", "reason"),
    [
        ([], f"All documents name the law that governs: {LAW}.", "It was quoted from or found in 1 of 2 documents."),
        ([], f"{LAW}\n\nBoth agreements are governed by Australian law.", "It was quoted from or found in 1 of 2 documents."),
        ([], f"{LAW}\n\nMost of the documents name a law that governs.", "It was quoted from or found in 1 of 2 documents."),
        ([ABOUT_LAW], f"{LAW}\n\nNeither document names the law that governs.", "It was asked of 2 of 2 documents, and found in 2."),
        ([ABOUT_LAW], f"{LAW}\n\nAll 12 contracts name the law that governs.", "It was quoted from or found in 2 of 12 documents."),
        ([], f"Both documents name the law that governs:\n\n- {LAW}\n\n- {LAW_2}\n", ""),
        ([], f"- {LAW}\n- {LAW_2}\n\nAll documents name the law that governs.", ""),
        ([ABOUT_LAW], f"{LAW}\n\nBoth documents name the law that governs.", ""),
        ([ABOUT_DRONES], f"{LAW}\n\nNone of the documents allows drones over the premises.", ""),
        ([ABOUT_DRONES], f"{LAW}\n\nNeither document deals with drones.", ""),
        ([ABOUT_DRONES], f"{LAW}\n\nThe deed says nothing of drones flown over premises.", ""),
        ([], f"{LAW}\n\nI searched all documents for drones and found nothing.", ""),
    ],
)  # fmt: skip
async def test_a_claim_that_the_count_does_not_bear_out_is_told(askings: list[Asking], claim: str, reason: str) -> None:
    found = await told(claim, gate_over({"Shop.txt": SHOP, "Guarantee.txt": DEED}, askings=askings))
    assert found == ([("contradicted", reason)] if reason else [])
