"""The verdict on each span of an answer: six of them, of which two are told, by rule and by what the span rests on."""

from __future__ import annotations

import pytest

from support.gated import gate_over, stream, verdicts

SUPPLY = """SUPPLY AGREEMENT

This agreement is made on 4 May 2026 between Boronia Foods Ltd (the "Supplier") and Wattle Mills Ltd (the "Customer").

1. Fees

1.1 The Customer pays the Supplier an annual fee of $1,200,000 in four equal quarterly instalments, each in advance.

1.2 The Customer may withhold 50% of an instalment until acceptance of the goods.

1.3 The Customer pays each invoice of the Supplier within thirty (30) days after receipt.

2. Delivery

2.1 The Supplier delivers the goods to the Depot within fourteen (14) days after the order of 3 May 2026.

2.2 "Depot" means the warehouse of the Customer at 12 Tanner Row, open for ten hours a day.

3. Exclusivity

3.1 The Supplier shall not supply goods to any competitor of the Customer during the term, unless:
(a) the Customer has agreed to it in a signed letter; or
(b) the competitor has ordered fewer than 900 crates.

4. Members

4.1 The rules change if three quarters of the members approve.
"""
WORDS = "“The Customer may withhold 50% of an instalment until acceptance of the goods.” [D1 1.2]"


async def first(answer: str, **more: object) -> tuple[str, str]:
    gate = gate_over(
        {"supply.txt": SUPPLY},
        asked="Our budget is $77,000.",
        shown_results=["Found 12 invoices, the last of 9 June 2031."],
        **more,
    )
    (_, verdict, reason), *_ = await verdicts(answer, gate)
    return verdict, reason


@pytest.mark.parametrize(
    ("answer", "verdict", "reason"),
    [
        (f"Half may be withheld: {WORDS}", "supported", ""),
        ("The annual fee is $1.2m [D1 1.1].", "supported", ""),
        ("The annual fee is AUD 1,200,000.00 [D1 1.1].", "supported", ""),
        ("Half of an instalment may be withheld [D1 1.2].", "supported", ""),
        ("The Supplier delivers in two weeks [D1 2.1].", "supported", ""),
        ("Three members in four must approve [D1 4.1].", "supported", ""),
        ("The order is of 3/5/2026 [D1 2.1].", "supported", ""),
        ("It delivers to 12 Tanner Row [D1 2.1].", "supported", ""),
        ("The competitor may have 900 crates [D1 3.1(a)].", "supported", ""),
        ("Each instalment is $300,000 [D1 1.1].", "calculated", "1,200,000 ÷ 4"),
        ("Delivery is due by 17 May 2026 [D1 2.1].", "calculated", "3 May 2026 plus 14 days"),
        ("The order and delivery lie fourteen days apart, so delivery is due by 17 May 2026 [D1 2.1].", "calculated", ""),
        ("You should take advice before you sign.", "own words", ""),
        ("Directors must act with care under s 180 of the Corporations Act 2001 (Cth).", "own words", ""),
        ("Your budget of $77,000 is known.", "own words", ""),
        ("The Customer pays its fees late [D1 1.1].", "own words", ""),
        ("The last invoice is of 9 June 2031.", "no source", ""),
        (f"Goods go to 12 Tanner Row.\n\n## Else\n\n{WORDS}", "no source", ""),
        ("The Supplier delivers within thirty days after the order [D1 2.1].", "contradicted", "supply.txt, Section 2.1 says “fourteen (14) days”, not “thirty days”."),
        ("The Customer pays an annual fee of $1,300,000 [D1 1.1].", "contradicted", "supply.txt, Section 1.1 says “$1,200,000”, not “$1,300,000”."),
        ("The depot is at 14 Tanner Row [D1 2.2].", "contradicted", "supply.txt, Section 2.2 says “12”, not “14”."),
        ("$1,200,000 plus $300,000 is $1,600,000.", "contradicted", "By its own figures, “$1,600,000” comes out as $1,500,000"),
        ("Each instalment of the fee is $310,000 [D1 1.1].", "not found", "“$310,000” stands in nothing that was read, and follows from nothing there."),
        ("The goods stay there until 9 June 2033 [D1 2.1].", "not found", "“9 June 2033” stands in nothing that was read"),
        ("Zanthorpe delivers the goods [D1 2.1].", "not found", "“Zanthorpe” stands in nothing that was read."),
    ],
)  # fmt: skip
async def test_a_span_is_judged_by_its_provision_then_by_what_was_read(answer: str, verdict: str, reason: str) -> None:
    found = await first(answer)
    assert found[0] == verdict, found
    assert found[1].startswith(reason) if reason else verdict == "calculated" or not found[1]


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("The annual fee is $1.2m. Half may be withheld [D1 1.1].", ["supported", "own words"]),
        ("- The annual fee is $1.2m.\n- It is paid in advance [D1 1.1].\n", ["supported", "own words"]),
        ("**Fee of $1.2m**\n\nIt is paid in advance [D1 1.1].", ["supported", "own words"]),
        ("The Customer pays $1.2m a year:\n\n- in advance [D1 1.1]\n", ["supported", "own words"]),
        ("| Fee | Share |\n|---|---|\n| $1.2m | half |\n| Place | [D1 1.1] |\n", ["supported", "own words"]),
        ("Fee: $1.2m.\n\n## Else\n\nIt is open for ten hours [D1 2.2].", ["no source", "own words", "supported"]),
    ],
)
async def test_a_span_without_a_place_rests_on_that_of_its_row_item_block_or_of_what_it_introduces(
    answer: str, expected: list[str]
) -> None:
    found = await verdicts(answer, gate_over({"supply.txt": SUPPLY}))
    assert [verdict for _, verdict, _ in found] == expected, found


async def test_what_can_no_longer_be_read_is_said_and_nothing_is_said_to_stand_nowhere() -> None:
    async def ending(answer: str) -> str:
        gate = gate_over({"supply.txt": SUPPLY, "gone.txt": "1. Premium"})
        gate.sources._verifier.held.pop("gone.txt")  # type: ignore[attr-defined]
        return (await stream(answer, gate))[-1]

    assert "The document can no longer be read." in await ending("It pays [D2 1].")
    assert "gone.txt can no longer be read." in await ending("“The premium is payable every single year in advance” [D2].")
    assert "Check before" not in await ending("The goods stay there until 9 June 2033 [D1 2.1]. Zanthorpe pays [D1 2.1].")


async def test_an_unquoted_claim_is_never_supported() -> None:
    for claim in ("The Supplier bears all risk.", "“Goods” are at the risk of the “Supplier”.", "Risk: Supplier", "| Risk | Supplier |"):  # fmt: skip
        assert [verdict for _, verdict, _ in await verdicts(claim, gate_over({"supply.txt": SUPPLY}))] == ["own words"], claim


@pytest.mark.parametrize(
    "answer",
    [
        "At 7.60% the year costs $588,843.84: 151 days on $8,000,000 ($251,528.77), 92 days on $7,750,000 ($148,460.27), "
        "90 days on $7,500,000 ($140,547.95) and 32 days on $7,250,000 ($48,306.85) [D1 2.1].",
        "Half of the rent of $4,500 is $2,250 [D1 2.1].",
        "The notice runs to Sunday, 2 May 2027 [D1 2.1]. Work to Friday, 30 April 2027.",
        "Neither document defines “business day”, and the lease contains no such “set-off” exclusion [D1 2.1].",
        "```draft\n10.7 The Lessee accepts clause 10.1.\n\n10.1 The Lessee accepts.\n```\n\nOnly clause 10.7 is new [D1 2.1].",
    ],
)
async def test_what_follows_from_the_answer_itself_is_not_told(answer: str) -> None:
    asked = "Rate 7.60%; $8,000,000 from 2 May 2024, then $7,750,000, $7,500,000 and $7,250,000, on 30 September and 31 December 2024, 31 March and 2 May 2025. Until 2 May 2027."
    told = [one for one in await verdicts(answer, gate_over(asked=asked)) if one[1] in ("contradicted", "not found")]
    assert told == []
