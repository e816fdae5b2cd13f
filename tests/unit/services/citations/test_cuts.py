"""Quotations that leave out the words of their sentence which reverse or limit them: shown as written, and told."""

from __future__ import annotations

import pytest

from orderly.services.citations.cuts import left_out
from orderly.services.text import StoredWords
from support.gated import gate_over, told, view_of

CLAUSES = """1. The Lessee shall not:
(a) assign this Lease to any person;
(b) disclose the terms of this Lease to any person who is no adviser of the Lessee; or
(c) sell any fixture,
without the consent of the Lessor.

2. Neither party may, without the consent of the other, publish a notice about this Lease in a newspaper.

3. Nothing in this Lease obliges the Lessor to repair the roof of the shed.

4. The Lessee is prohibited from keeping any animal and from letting any room on the premises.

5. Unless the Lessor agrees, the Lessee shall pay the rent in advance. The Lessor may enter the premises at any time except during
the night. The Lessor may terminate this Lease, provided that ninety days' notice has been given.

6. Any assignment of this Lease to a competitor is void. The Lessee pays the rates and the Lessor does not pay for water.

7. An heir may pay the rent, if any, of a year. The Lessor shall not be less than fair. It must (i) insure the premises and (ii) keep the roof in repair.
"""


def missing(text: str, quote: str) -> str:
    start = text.index(quote)
    return left_out(text, (start, start + len(quote)), view_of("lease.txt", text).sections)


@pytest.mark.parametrize(
    ("quote", "words"),
    [
        ("disclose the terms of this Lease to any person", "The Lessee shall not:"),
        ("publish a notice about this Lease in a newspaper", "Neither party may, without the consent of the other, "),
        ("the Lessor to repair the roof", "Nothing in this Lease obliges "),
        ("letting any room on the premises", "is prohibited from keeping any animal and from "),
        ("the Lessee shall pay the rent in advance", "Unless the Lessor agrees, "),
        ("The Lessor may enter the premises at any time", "except during the night"),
        ("The Lessor may terminate this Lease", "provided that ninety days' notice has been given"),
        ("Any assignment of this Lease to a competitor", "is void"),
        *((quote, "") for quote in ("The Lessee pays the rates", "the Lessor does not pay for water", "insure the premises", "keep the roof in repair",
           "Any assignment of this Lease to a competitor is void.", "An heir may pay")),
    ],
)  # fmt: skip
def test_words_that_reverse_a_quotation_are_missed(quote: str, words: str) -> None:
    found = missing(CLAUSES, quote)
    assert words.strip(" ,") in found and bool(found) is bool(words), found


SENTENCES = (
    ("Subject to clause 9, |the Supplier is liable for direct loss|.", "Subject to clause 9"),
    ("We reject the submission that |the clause is void for uncertainty|.", "reject"),
    ("It would be wrong to say that |the guarantor was released|.", "wrong to say"),
    ("The argument that |the tenant had waived the breach| must fail.", "must fail"),
    ("Far from |accepting the offer|, the buyer rejected it.", "Far from"),
    ("Had notice been given, |the lessor would be liable for the repairs|.", "Had notice been given"),
    ("If, and only if, the conditions are satisfied, |the Purchaser must complete|.", "only if"),
    ("If the rent is unpaid for a month, |the Lessor may re-enter the premises|.", "If the rent"),
    ("10.6 In case the Bank changes its account, |the Sender shall be told in writing|.", "In case"),
    ("(2) Where a member resigns, |the secretary must record the date|.", "Where a member"),
    ("Hardly any |of the goods were delivered in time|.", "Hardly any"),
    ("The bank has yet to |approve the loan|.", "yet to"),
    ("Clause 8 would have |required payment within seven days|, had it been enforceable.", "had it been"),
    ("|The Manager may act alone| so long as the amount is small.", "so long as"),
    ("|The Manager may act alone| if the amount is small.", "if the amount"),
    ("The fee is due, but |the deposit is| not refundable.", "not refundable"),
    ("|The board may expel the member| or suspend the member from the club if the facts are proved.", "if the facts"),
    ("|The Owner has no adequate remedy at law| in the event of a breach by the Agent.", "in the event of a breach"),
    ("After the first term, unless terminated, |this Deed will renew for one year|.", "unless terminated"),
    ("The judge rejected the submission of the council that, from the outset, |the tenant was unwilling|.", "rejected"),
    ("|We will not cover you for any claim| which arises from a valuation.", "which arises"),
    ("So |damage to a car, injuries to a pet, and so on|, aren’t covered.", "aren’t covered"),
    ("7 The Supplier must (i) deliver the goods, (ii) |insure them| unless the Buyer does so itself.", "unless the Buyer"),
    ("7 The Supplier must (i) |deliver the goods|, (ii) insure them unless the Buyer does so itself.", ""),
    ("“Business Day” means a day that is not a Sunday, and “Premises” means |Suite 4, 12 Quay Street|.", ""),
    ("7.1 |A notice goes to the address| in Schedule 1.\n7.2 Each notice is not valid unless signed.", ""),
    (f"The rent is due. {'No Lessee of the premises in ' + 'the said city, ' * 60}|may assign this Lease|.", "No Lessee"),
    ("21.1 The Distributor warrants the following:\n(c) the Distributor will not use money for payments to any of the following:\n(i) |officials of a government|; or\n(ii) others;\n(d) it keeps within the law;", "will not use money"),
    ("21.1 The Distributor warrants the following:\n(c) the Distributor will not use money for payments to any of the following:\n(i) officials; or\n(ii) others;\n(d) |it keeps within the law|;", ""),
    ("4. Use\nThe Lessee must not:\n(a) assign this Lease; or\n(b) |sublet the premises|.\n5. Insurance\nThe Lessor insures.", "The Lessee must not:"),
    ("4. Use\nThe Lessee must not:\n(a) assign this Lease; or\n(b) sublet the premises.\n5. Insurance\n|The Lessor insures|.", ""),
)  # fmt: skip


@pytest.mark.parametrize(("sentence", "words"), SENTENCES, ids=range(len(SENTENCES)))
def test_conditions_doubts_and_refused_arguments_belong_to_a_quotation(sentence: str, words: str) -> None:
    before, quote, after = sentence.split("|")
    found = left_out(text := before + quote + after, (len(before), len(before + quote)), view_of("x.txt", text).sections)
    assert words in found and bool(found) is bool(words), found


RENT = "“the Lessee shall pay the rent in advance” [lease.txt, Section 5]"


@pytest.mark.parametrize(
    ("answer", "is_told"),
    [
        (f"Note {RENT}.", True),
        (f"- Rent: {RENT}\n- Unless agreed otherwise, nothing else is due.", True),
        (f"Unless the Lessor agrees, {RENT}.", False),
        (f"The rule is subject to agreement. {RENT}", False),
        (f"It is {RENT}, if the Lessor does not agree to something else.", False),
        (f"The sentence begins “Unless the Lessor agrees” [lease.txt], and goes on: {RENT}", False),
        ("The Lessee may “disclose the terms of this Lease to any person” [lease.txt].", True),
        ("The Lessee may not “disclose the terms of this Lease to any person” [lease.txt].", False),
        ("He shall “not be less than fair” [lease.txt].", False),
    ],
)
async def test_a_cut_is_shown_as_written_and_told_where_the_answer_does_not_convey_it(answer: str, is_told: bool) -> None:
    gate = gate_over({"lease.txt": CLAUSES})
    found = await told(answer, gate)
    assert [(verdict, "The quotation leaves out these words" in why) for verdict, why in found] == [
        ("contradicted", True)
    ] * is_told
    assert gate.text.replace("1. ", "").count("“") == answer.count("“")


@pytest.mark.parametrize(
    ("quote", "stored"),
    [
        ("the LESSEE shall pay the rent in advance", "the Lessee shall pay the rent in advance"),
        ("[t]he Lessee shall pay the **rent** in advance", "the Lessee shall pay the rent in advance"),
        ("[Quay Books] shall pay the rent in advance", "shall pay the rent in advance"),
        ("the Lessee shall pay [the agreed rent] in advance", "the Lessee shall pay the rent in advance"),
        ("ninety days notice has been given", "ninety days' notice has been given"),
        ("3. Nothing in this Lease obliges the _Lessor_", "Nothing in this Lease obliges the Lessor"),
        ("It must insure the premises and keep the roof in repair", "It must (i) insure the premises and (ii) keep the roof in repair"),
        ("the Lessee shall pay the rent in arrears", None),
        ("the Lessee shall not pay the rent in advance", None),
        ("eighty days' notice has been given", None),
        ("the rent shall pay the Lessee in advance", None),
        ("Nothing [in this Lease] requires the Lessor to repair", None),
    ],
)  # fmt: skip
def test_harmless_differences_find_the_stored_words_and_others_find_nothing(quote: str, stored: str | None) -> None:
    span = StoredWords(CLAUSES).find(quote)
    assert (CLAUSES[slice(*span)].removeprefix("3. ") if span else None) == stored
