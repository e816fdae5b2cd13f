"""Short quotations without a citation: what they claim of a document is checked and told, and terms stay as they are."""

from __future__ import annotations

import pytest

from support.gated import NOTICE, RENT, SECRET, gate_over, shown, told, verdicts
from support.short_quotations import INVENTED, TERMS, UNTOLD

ABSENT = "is given as words of a document and stands in none that was read."


@pytest.mark.parametrize("before", ["", f"{NOTICE}\n\n"], ids=["alone", "behind a quotation"])
@pytest.mark.parametrize("answer", [*INVENTED, *UNTOLD])
async def test_short_quotations_of_invented_words_are_told_and_never_supported(answer: str, before: str) -> None:
    last = [verdict for span, verdict, _ in await verdicts(before + answer) if span not in NOTICE.replace("lease.txt", "1")]
    assert "supported" not in last
    assert ("not found" in last) is (answer in INVENTED)


@pytest.mark.parametrize("before", ["", f"{NOTICE}\n\n"], ids=["alone", "behind a quotation"])
@pytest.mark.parametrize("answer", TERMS)
async def test_terms_and_short_quotations_that_stand_there_are_left_alone(answer: str, before: str) -> None:
    gate = gate_over()
    assert await told(before + answer, gate) == []
    assert gate.text.count("“") == (before + answer).count("“")


ANSWERS = (
    f"The Lessee pays in advance: {RENT}\n\nThe Lessee “need not repair anything”, and the Lessor “may not enter”.†",
    f"## Subletting\n\nThe Lessee “may sublet the premises” “to anybody without any consent”.†\n\n## Notice\n\n{NOTICE}",
    f"In short:\n\n- **Rent:** “payable quarterly”†\n- **Notice:** {NOTICE}\n- **Term:** “perpetual”†",
    f"| Point | Lease |\n|---|---|\n| Rent | {RENT} |\n| Interest | “is not charged” |†\n| “Break right” | None stated |",
    f"I searched for “force majeure” and “quiet enjoyment”. The lease does not use the words “force majeure”. It ends so: {NOTICE}",
    f"Either party may end it (a “break right”): {NOTICE}\n\nThat the parties “shall not pay rent” later is unclear.†",
    f"The rent is due “in advance” and “bears no interest”: {RENT}†",
    f"I note the words “rent is not payable” there.† The terms are secret: {SECRET} Shall I draft a “confidentiality” clause?",
    "The Lessee “shall not pay rent”.† The Lessor “waives all rights”.†",
)
"""Each with a dagger behind what is told."""


@pytest.mark.parametrize("answer", ANSWERS, ids=range(len(ANSWERS)))
async def test_a_lawyer_is_told_of_each_sentence_whose_short_quotation_stands_nowhere(answer: str) -> None:
    written = answer.replace("†", "")
    found = [(span, reason) for span, verdict, reason in await verdicts(written) if verdict == "not found"]
    ends = [answer[:at].replace("†", "").replace("lease.txt", "1") for at in range(len(answer)) if answer[at] == "†"]
    assert len(found) == len(ends)
    assert all(reason.endswith(ABSENT) and end.endswith(span) for (span, reason), end in zip(found, ends, strict=True))


@pytest.mark.parametrize(
    ("sentence", "stands"),
    [
        ("The lease does not use the words “force majeure” anywhere.", ""),
        ("The lease does not use the words “at once” anywhere.", "Section 3.2"),
        ("Neither “deposit” nor “written notice” appears in it.", "Section 3.1"),
        ("The word “insolvent” does not appear.", "Section 3.2"),
        ("The lease contains no “Rent” schedule.", ""),
    ],
)
async def test_words_that_are_truly_absent_may_be_denied_and_no_others(sentence: str, stands: str) -> None:
    assert [reason.partition("” ")[0].partition("’ ")[2] for _, reason in await told(sentence)] == [
        f"stands in lease.txt, {stands}." for _ in filter(None, [stands])
    ]


@pytest.mark.parametrize("statement", ["The Lessee has no “duty to pay rent”.", "The Lessee does not have “any duty”."])
async def test_what_a_party_is_said_not_to_have_is_no_denial_of_words(statement: str) -> None:
    assert await told(f"{NOTICE}\n\n{statement}")


@pytest.mark.parametrize("words", ["void", "assignable at will"])
async def test_short_words_of_the_user_stay(words: str) -> None:
    gate = gate_over(asked=f"Is the lease {words}?")
    assert await shown(f"The lease is “{words}”.", gate) == f"The lease is “{words}”."
