"""No sentence is exempt from the gate by its shape: a beginning, a reference behind it, a form that is no sentence."""

from __future__ import annotations

import pytest

from support.lease_answers import NOTICE, RENT, shown

MARKS = ("[no quotation]", "[unsupported")

UNSUPPORTED = [
    "The guarantor is Oak Bank of Hobart (Lease.txt, Section 2).",
    "The guarantor is Oak Bank of Hobart, see lease.txt, Section 2.",
    "Oak Bank guarantees every payment under the lease, lease.txt.",
    "Certainly, the guarantor is Oak Bank of Hobart.",
    "The answer is that the guarantor is Oak Bank of Hobart.",
    "I checked clause 3 and the guarantor is Oak Bank.",
    "I reviewed the schedules, and they oblige the lessor to insure.",
    "As far as I found, the guarantor is Oak Bank of Hobart.",
    "3 documents say that the tenant must insure the premises.",
    "You can sublet the premises without consent.",
    "You asked whether the tenant may sublet, and it may.",
    "Under the common law of Victoria, the guarantor is Oak Bank of Hobart.",
    "Isn't it clear that the guarantor is Oak Bank of Hobart?",
    "Did you know that the landlord may enter at any time?",
    "In short, the landlord may enter at any time.",
    "This answer says that the landlord may enter at any time.",
    "I note the landlord may enter at any time.",
    "Guarantor: Oak Bank",
    "**Deposit holder:** Harbour Bank",
    "- Assignment permitted: Yes",
    "| Question | Answer |\n|---|---|\n| Pets allowed | No |\n",
    "- [x] Subletting allowed\n",
    "Guarantor\n: Oak Bank of Hobart\n",
    "Renewal: optional",
    "It says |the landlord may sell the premises at any time.|.",
    "Guarantor → Oak Bank",
    "Insurance of the premises — shared",
    "Guarantor ⇒ Oak and Elm",
    "Deposit = $9,000",
    "| Ended by | Effect |\n|---|---|\n| Death of the tenant | lapses at once |\n",
    "| Question | Answer |\n|---|---|\n| May the tenant sublet? | Yes |\n",
    "Topic | Effect\n---|---\nSubletting | permitted\n",
    "<table><tr><th>Right</th></tr><tr><td>Pets</td><td>allowed in the yard</td></tr></table>\n",
    "<dl><dt>Refund of the deposit</dt><dd>none in the first year</dd></dl>\n",
    "- (x) Subletting allowed\n",
    "Guarantor\n: Elected each January\n",
    "\\[ \\text{deposit} = \\$9{,}000 \\]",
    "$$\\text{The guarantor is Oak Bank of Hobart}$$",
    "承租人必须为房屋投保。",
    "賃借人は建物に保険をかけなければならない。",
    "ผู้เช่าต้องทำประกันภัยสถานที่เช่า",
]

PLAIN = [
    "Certainly.",
    "I read the lease and the deed.",
    "I searched 12 documents and found no clause on subletting.",
    "I searched the lease for a break clause; it does not appear there.",
    "Here is what the lease says about notice:",
    "I found the clause on rent, which I quote below.",
    "I checked the lease for a break clause and read section 4 in full.",
    "You asked about the notice period, and here is the answer.",
    "You asked whether the tenant may end the lease.",
    "You can open the source beside the answer.",
    "You may want to ask the landlord for consent.",
    "You could check whether the deposit was lodged.",
    "Do you want me to check the deed as well?",
    "Would you like a table of these terms, or a short summary?",
    "Please tell me which document you mean.",
    "Under s 180 of the Corporations Act 2001 (Cth), directors must act with care.",
    "At common law, a contract needs consideration.",
    "This is the only clause on notice.",
    "In short: ninety days.",
    "lease.txt, Section 2.1",
    "See also lease.txt, Section 2.1.",
    "Sources: lease.txt, Section 5",
    "Next step: ask the landlord",
    "If you need more, I can look at the insurance as well.",
    "Documents: lease.txt, deed.txt",
    "| Topic | Where |\n|---|---|\n| Notice | lease.txt, Section 2.1 |\n",
    "| Topic | Words |\n|---|---|\n| Break right | None stated |\n",
    "| Topic | Clause |\n|---|---|\n| Notice | see above |\n",
]


@pytest.mark.parametrize("sentence", UNSUPPORTED)
async def test_the_rest_of_a_sentence_is_judged(sentence: str) -> None:
    text = await shown(f"{NOTICE}.\n\n{sentence}\n\nThat is all.")
    assert any(mark in text for mark in MARKS), text


@pytest.mark.parametrize("sentence", PLAIN)
async def test_words_about_the_work_advice_law_and_references_stay_unmarked(sentence: str) -> None:
    text = await shown(f"{NOTICE}.\n\n{sentence}\n\nThat is all.")
    assert not any(mark in text for mark in MARKS), text


@pytest.mark.parametrize(
    "answer",
    [
        f"Certainly, the tenant must pay rent monthly and in advance: {RENT}.",
        f"I checked section 2 and the rent is $4,500 per month. {RENT}.",
        f"Notice period: Ninety days\n\n{NOTICE}.",
        f"| Term | Value |\n|---|---|\n| Rent | $4,500 per month |\n\n{RENT}.",
        f"| Topic | Who pays |\n|---|---|\n| Rent in advance | the tenant |\n| Notice | ninety days |\n\n{RENT}\n\n{NOTICE}",
        f"{NOTICE}\n\nTo sum up, ninety days' notice ends the lease.",
        f"In plain English, rent is paid in advance: {RENT}.",
        f"According to lease.txt, the tenant must pay in advance: {RENT}.",
        f"| File | Rent |\n|---|---|\n| lease.txt | paid in advance: {RENT} |\n",
        f"| Question | Answer |\n|---|---|\n| Is rent paid in advance? | Yes |\n\n{RENT}.",
        f"$$\\text{{rent}} = \\$4{{,}}500$$\n\n{RENT}.",
        f"- [x] Monthly rent in advance: {RENT}\n",
        f"The rent is $4,500 per month (lease.txt, Section 2.1). {RENT}.",
    ],
)
async def test_what_a_quotation_supports_stays_unmarked_in_these_forms(answer: str) -> None:
    text = await shown(answer)
    assert not any(mark in text for mark in MARKS), text
