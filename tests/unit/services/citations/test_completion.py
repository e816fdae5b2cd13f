"""Quotations that leave out the words which reverse or limit them are shown with these words."""

from __future__ import annotations

import pytest

from orderly.services.citations.completion import complete, within_clause
from orderly.services.text import StoredWords, find_sections

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


@pytest.mark.parametrize(
    ("quote", "shown"),
    [
        ("disclose the terms of this Lease to any person", ["The Lessee shall not:", "without the consent of the Lessor"]),
        ("publish a notice about this Lease in a newspaper", ["Neither party may, without the consent of the other, publish"]),
        ("the Lessor to repair the roof", ["Nothing in this Lease obliges the Lessor to repair the roof"]),
        ("letting any room on the premises", ["is prohibited from keeping any animal and from letting any room"]),
        ("the Lessee shall pay the rent in advance", ["Unless the Lessor agrees, the Lessee shall pay the rent in advance"]),
        ("The Lessor may enter the premises at any time", ["at any time except during\nthe night."]),
        ("The Lessor may terminate this Lease", ["this Lease, provided that ninety days' notice has been given."]),
        ("Any assignment of this Lease to a competitor", ["Any assignment of this Lease to a competitor is void."]),
    ],
)
def test_words_that_reverse_a_quotation_are_shown_with_it(quote: str, shown: list[str]) -> None:
    start = CLAUSES.index(quote)
    spans = complete(CLAUSES, (start, start + len(quote)))
    text = " … ".join(CLAUSES[slice(*span)] for span in spans)
    assert quote in text
    assert all(part in text for part in shown), text


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
)


@pytest.mark.parametrize(("sentence", "needed"), SENTENCES, ids=[needed for _, needed in SENTENCES])
def test_conditions_doubts_and_refused_arguments_belong_to_a_quotation(sentence: str, needed: str) -> None:
    before, quote, after = sentence.split("|")
    [span] = complete(before + quote + after, (len(before), len(before + quote)))
    assert needed in (before + quote + after)[slice(*span)]


def test_a_definition_is_not_reversed_by_the_words_of_another_one() -> None:
    text = 'In this Lease, "Business Day" means a day that is not a Sunday, and "Premises" means Suite 4, 12 Quay Street.'
    for quote in ("Business Day", "Suite 4, 12 Quay Street"):
        span = (text.index(quote), text.index(quote) + len(quote))
        assert complete(text, span) == [span]


def test_a_sentence_that_ends_with_a_number_ends_where_the_next_clause_begins() -> None:
    text = "7.1 A notice goes to the address in Schedule 1.\n7.2 Each notice is not valid unless signed.\n3.\n(a) the rent"
    quote = "A notice goes to the address"
    span = (text.index(quote), text.index(quote) + len(quote))
    assert complete(text, span) == [span]


PAYMENTS = """21.1 The Distributor warrants the following:
(c) the Distributor will not use money for payments to any of the following:
(i) officials of a government; or
(ii) parties to an election;
(d) it keeps within the law of the place of sale; and
(f) its records are open to the Supplier.
"""
LEAVE = """* (4C) Where an employee is not on duty before the period of leave:
* (a) no salary is due for the days before it; and
* (4E) An employee who is on leave may come back to duty.
"""


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        (PAYMENTS, "it keeps within the law of the place of sale"),
        (PAYMENTS, "its records are open to the Supplier"),
        (LEAVE, "An employee who is on leave"),
    ],
)
def test_an_item_does_not_introduce_the_items_beside_it(text: str, quote: str) -> None:
    start = text.index(quote)
    assert complete(text, (start, start + len(quote))) == [(start, start + len(quote))]


@pytest.mark.parametrize("quote", ["officials of a government", "parties to an election"])
def test_an_item_introduces_the_items_below_it(quote: str) -> None:
    start = PAYMENTS.index(quote)
    [span] = complete(PAYMENTS, (start, start + len(quote)))
    assert "will not use money for payments" in PAYMENTS[slice(*span)]


@pytest.mark.parametrize(
    "quote",
    ["The Lessee pays the rates", "the Lessor does not pay for water", "insure the premises", "keep the roof in repair", "Any assignment of this Lease to a competitor is void.", "An heir may pay"],
)  # fmt: skip
def test_other_quotations_stay_as_they_are(quote: str) -> None:
    start = CLAUSES.index(quote)
    assert complete(CLAUSES, (start, start + len(quote))) == [(start, start + len(quote))]


@pytest.mark.parametrize(
    ("quote", "stored"),
    [
        ("the LESSEE shall pay the rent in advance", "the Lessee shall pay the rent in advance"),
        ("[t]he Lessee shall pay the **rent** in advance", "the Lessee shall pay the rent in advance"),
        ("[Quay Books] shall pay the rent in advance", "shall pay the rent in advance"),
        ("the Lessee shall pay [the agreed rent] in advance", "the Lessee shall pay the rent in advance"),
        ("ninety days notice has been given", "ninety days' notice has been given"),
        ("3. Nothing in this Lease obliges the _Lessor_", "3. Nothing in this Lease obliges the Lessor"),
        ("It must insure the premises and keep the roof in repair", "It must (i) insure the premises and (ii) keep the roof in repair"),
    ],
)  # fmt: skip
def test_harmless_differences_find_the_stored_words(quote: str, stored: str) -> None:
    span = StoredWords(CLAUSES).find(quote)
    assert span is not None and CLAUSES[slice(*span)].removeprefix("3. ") == stored.removeprefix("3. ")


@pytest.mark.parametrize(
    "quote",
    [
        "the Lessee shall pay the rent in arrears", "the Lessee shall not pay the rent in advance", "eighty days' notice has been given",
        "the rent shall pay the Lessee in advance", "Nothing [in this Lease] requires the Lessor to repair",
    ],
)  # fmt: skip
def test_other_words_are_found_nowhere(quote: str) -> None:
    assert StoredWords(CLAUSES).find(quote) is None


LISTED = "4. Use\n{lead}\n(a) assign this Lease; or\n(b) {last}{stop}{following}\n"
LAST = ("sublet the premises", "let a shop", "sell the map", "keep a dog", "move the stove", "enter the flat above")
FOLLOWING = (
    ("\n5. Insurance\nThe Lessor insures the premises against fire, unless the Lessee agrees.", "The Lessor insures"),
    ("\n5. Insurance\n(a) The Lessor insures the premises, except against fire.\n(b) It pays.", "The Lessor insures"),
    ("\n5. No set-off\nThe Lessee pays without deduction.", "The Lessee pays"),
    ("\n5.1 The Lessor may enter unless it rains.", "The Lessor may enter"),
    ("\n\n5. Insurance\nThe Lessor insures.", "The Lessor insures"),
)


@pytest.mark.parametrize(("following", "next_quote"), FOLLOWING)
@pytest.mark.parametrize("stop", [".", "", ";"])
@pytest.mark.parametrize("last", LAST)
def test_a_list_and_the_clause_on_the_next_line_are_not_joined(last: str, stop: str, following: str, next_quote: str) -> None:
    text = LISTED.format(lead="The Lessee must not:", last=last, stop=stop, following=following)
    for quote, foreign in (last, "5"), (next_quote, "must not"):
        start = text.index(quote)
        shown = "|".join(text[slice(*span)] for span in complete(text, (start, start + len(quote))))
        assert quote in shown and foreign not in shown, shown
    start = text.index(last)
    assert text[slice(*complete(text, (start, start + len(last)))[0])].startswith("4. Use\nThe Lessee must not:")


def test_a_completion_ends_with_its_clause_by_the_sections_that_were_read() -> None:
    text = LISTED.format(
        lead="The Lessee must not:", last="sublet the premises", stop=",\nwithout consent.", following=FOLLOWING[0][0]
    )
    text = f"3. Rent\nThe Lessee pays rent.\n{text}"
    sections = [{"label": s.label, "level": s.level, "start": s.start, "end": s.end} for s in find_sections(text)]
    assert [s["label"] for s in sections if "(" not in str(s["label"])] == ["3", "4", "5"]
    start = text.index("sublet the premises")
    quoted = (start, start + len("sublet the premises"))
    whole = complete(text, quoted)
    assert within_clause(whole, quoted, text, sections) == whole  # type: ignore[arg-type]
    [(first, last)] = within_clause([(text.index("The Lessee pays"), len(text))], quoted, text, sections)  # type: ignore[arg-type]
    assert (text[first : first + 2], text[:last][-16:]) == ("4.", "without consent.")


def test_what_limits_a_later_item_of_the_sentence_does_not_belong_to_an_earlier_one() -> None:
    text = "7 The Supplier must (i) deliver the goods, (ii) insure them unless the Buyer does so itself."
    span = (text.index("deliver"), text.index(", (ii)"))
    assert complete(text, span) == [span]
    last = (text.index("insure"), text.index(" unless"))
    assert "unless the Buyer" in " … ".join(text[slice(*part)] for part in complete(text, last))
