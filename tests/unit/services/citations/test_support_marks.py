"""Sentences of an answer are marked where no quotation supports them."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from orderly.services.citations.completion import complete
from orderly.services.citations.support_marks import WITHOUT_ANY
from orderly.services.text import PieceReader
from support.lease_answers import NOTICE, RENT, SECRET, lease_gate, shown, stream


@pytest.mark.parametrize(
    "answer",
    [
        f"Either party may end it on ninety days' notice: {NOTICE}.",
        f"Either party may end it with 90 days’ notice. The lease says: {NOTICE}.",
        f"In short:\n\n- The rent is $4,500 a month: {RENT}.\n- Notice is at least ninety days: {NOTICE}.\n",
        f"The tenant must pay rent monthly, in advance.\n\n> {RENT.split('” [', maxsplit=1)[0].strip('“')}\n\n[lease.txt]\n",
        f"The terms must not be disclosed to any third party, {SECRET}.",
        f"A party may not disclose the terms. {SECRET}",
        "I searched 12 documents and found no clause on subletting.",
        f"{NOTICE}\n\nYou should take advice before you give notice. Shall I look at the schedules?",
        f"{NOTICE} Under s 180 of the Corporations Act 2001 (Cth), directors must act with care.",
        f"## Key terms\n\n**Notice:** {NOTICE}\n",
        f"Rent comes to $54,000 a year: {RENT}.",
        f"The rent is some $4,450 a month: {RENT}.",
        f"Both Ada and Bert have the right to end it, on three months’ (90 days’) notice: {NOTICE}.",
        f"Disclosure to anybody else is excluded: {SECRET}.",
        f"Quay Books must give ninety days' written notice: {NOTICE}.",
        f"| Document | Ended by | Cap |\n|---|---|---|\n| Lease | Written notice of ninety days: {NOTICE} | None stated |\n",
        f"| Date | Rent |\n|---|---|\n| Monthly | Payable in advance: {RENT} |\n",
    ],
)
async def test_supported_statements_questions_and_words_about_the_search_are_not_marked(answer: str) -> None:
    text = await shown(answer)
    assert "[unsupported" not in text and "[no quotation]" not in text and WITHOUT_ANY not in text, text


async def test_a_figure_that_only_illustrates_is_marked_as_an_illustration() -> None:
    for answer in (f"A rent of $5,000 would not be due: {RENT}.", f"{RENT}. A rent of $5,000 would not be due."):
        text = await shown(answer)
        assert "[illustration: $5,000]" in text and "[unsupported" not in text and "[no quotation]" not in text


@pytest.mark.parametrize(
    ("statement", "quotation", "mark"),
    [
        ("Either party may end it on sixty days' notice", NOTICE, "[unsupported: sixty days]"),
        ("Either party may end it on ninety months' notice", NOTICE, "[unsupported: ninety months]"),
        ("Either party may end it on ninety (60) days' notice", NOTICE, "[unsupported: ninety (60) days]"),
        ("The rent is $5,400 per month", RENT, "[unsupported: $5,400]"),
        ("The rent is $4,500 per year", RENT, "[unsupported: per year]"),
        ("The Lessor must pay rent of $4,500 per month", RENT, "[unsupported: Lessor]"),
        ("The Lessee may pay rent of $4,500 per month", RENT, "[unsupported: may]"),
        ("Either party may not terminate the lease", NOTICE, "[unsupported: not]"),
        ("The rent rises by 3% on 1 March 2025", RENT, "[unsupported: 1 March 2025]"),
        ("The rent is €4,500 per month", RENT, "[unsupported: €4,500]"),
        ("On ninety days' notice, Acme Ltd may terminate", NOTICE, "[unsupported: Acme"),
    ],
)
async def test_a_statement_that_its_quotation_does_not_bear_is_marked(statement: str, quotation: str, mark: str) -> None:
    assert mark in await shown(f"{statement}: {quotation}.")
    assert mark in await shown(f"{quotation}. In other words, {statement[0].lower()}{statement[1:]}.")


async def test_a_sentence_without_a_quotation_is_marked_and_an_answer_without_any_says_so_first() -> None:
    text = await shown(f"{NOTICE}.\n\nThe Lessor insures the premises.\n\nThe roof is repaired by the Lessee.\n\nSo it is.")
    assert "The Lessor insures the premises [no quotation]." in text
    text = await shown("The Lessor insures the premises against fire for $40,000.")
    assert text == f"{WITHOUT_ANY}The Lessor insures the premises against fire for $40,000 [no quotation]."


async def test_a_sentence_behind_a_block_quote_may_point_back_to_it_and_name_its_source() -> None:
    answer = (
        "Ending it takes notice:\n\n> Either party may terminate this Lease by giving not less than ninety (90) days' written notice "
        "to the other party.\n\nThis mechanism is found in [lease.txt].\n\nThis lease binds the guarantor.\n"
    )
    said = await shown(answer)
    assert "This mechanism is found in [lease.txt].\n" in said
    assert "This lease binds the guarantor [no quotation]." in said


async def test_without_documents_only_sentences_about_a_document_are_marked() -> None:
    assert (
        await shown("A deed needs no consideration at law. Hello, I can help.", read=False)
        == "A deed needs no consideration at law. Hello, I can help."
    )
    assert (await shown("The lease ends on 1 May 2030.", read=False)).startswith(WITHOUT_ANY)


async def test_a_sentence_waits_only_for_the_quotation_that_supports_it() -> None:
    rest = "I looked further at the schedules of it. " * 6
    pieces = await stream(f"Either party may end it on ninety days' notice. {NOTICE}. I will look further. {rest}", 5)
    texts = [piece for piece in pieces if piece]
    assert texts[0].startswith("Either party may end it on ninety days' notice. “Either party")
    assert len(texts) > 5


async def test_the_marks_do_not_depend_on_how_the_stream_is_cut() -> None:
    answer = f"The rent is $5,400. {RENT}.\n\n- It ends on sixty days' notice: {NOTICE}.\n- Smith Pty. Ltd. pays all.\n\nThe roof leaks badly.\n\nI found no more."
    whole = await shown(answer)
    sizes = random.Random(1)
    for _ in range(20):
        assert "".join(await stream(answer, sizes.randint(1, 60))) == whole


MARKS = json.loads((Path(__file__).parents[3] / "fixtures" / "source_marks.json").read_text(encoding="utf-8"))
"""Answers as a model writes them, as they are shown, and the offsets of issued numbers; the page's tests read them too."""


@pytest.mark.parametrize("case", MARKS, ids=range(len(MARKS)))
@pytest.mark.parametrize("size", [1, 7, 1_000])
async def test_only_the_gate_issues_source_numbers(case: dict[str, Any], size: int) -> None:
    gate = lease_gate()
    reader, text, issued = PieceReader(), "", []
    for at in range(0, len(case["written"]), size):
        pieces = reader.divide() if reader.add(case["written"][at : at + size]) else []
        for piece in pieces:
            text += await gate.release(piece)
            issued += gate.take_issued()
    for piece in reader.rest():
        text += await gate.release(piece)
    text += await gate.ending()
    issued += gate.take_issued()
    assert (text, issued) == (case["shown"], case["marks"])
    assert all(text[at : at + 3] == "[1]" for at in issued)


@pytest.mark.parametrize(
    "reference", ["See clause 44.7 on this.", "Section 97 of lease.txt deals with pets.", "Schedule 9 lists them."]
)
async def test_a_section_that_no_document_has_is_marked_without_a_quotation_too(reference: str) -> None:
    assert "[not found in the documents read]" in await shown(f"{NOTICE}\n\n{reference}")


@pytest.mark.parametrize(
    "reference", ["See clause 2 on this.", "Section 97 of the Leases Act 1985 (Cth) applies.", "There is no clause 44."]
)
async def test_a_section_that_exists_a_statutes_and_a_denied_one_are_not_marked(reference: str) -> None:
    assert "[not found" not in await shown(f"{NOTICE}\n\n{reference}")


async def test_a_bare_citation_of_a_section_that_does_not_exist_is_removed() -> None:
    assert "[citation removed: lease.txt has no Section 44]" in await shown(
        f"{NOTICE} Pets are allowed [lease.txt, Section 44]."
    )


async def test_a_name_that_begins_a_short_sentence_is_compared() -> None:
    assert "[unsupported: Delaware]" in await shown(f"Delaware law governs: {SECRET}.")


async def test_a_quotation_does_not_lose_the_number_that_it_begins_with() -> None:
    text = await shown("Notice is “6 days' written notice to the other party” [lease.txt].")
    assert "“days" not in text and "[nearest words" in text


LIE = "The Lessee may terminate this Lease at any time by giving seven days' notice to the Lessor"
DISGUISES = {
    "accents": LIE.translate(str.maketrans("aeiou", "áéíóú")),
    "combining marks": "".join(char + "\u0332" for char in LIE),
    "joiners": "".join(char + "\u034f" for char in LIE),
    "variation selectors": "".join(char + "\ufe0f" for char in LIE),
    "look-alikes": LIE.translate(str.maketrans("aceopxyT", "асеорхуТ")),
    "one by one": " ".join(LIE),
    "hyphens": "-".join(LIE),
    "underscores": LIE.replace(" ", "_"),
    "backwards": f"\u202e{LIE[::-1]}\u202c",
}


@pytest.mark.parametrize("disguise", DISGUISES)
async def test_no_letters_hide_a_statement(disguise: str) -> None:
    assert (await shown(DISGUISES[disguise])).startswith(WITHOUT_ANY)


async def test_signs_that_turn_the_direction_of_words_are_not_passed_on() -> None:
    assert "\u202e" not in await shown(f"\u202eThe rent is low\u202c. {RENT}")


@pytest.mark.parametrize(
    "answer",
    [
        f"It is so agreed {RENT}; see also s 3 of the Choice of Law (Limitation Periods) Act 1993 (NSW).",
        f"You asked whether the lease is “assignable at will”. {SECRET}",
        f"{SECRET}\n\nIbid 42–3; see also above n 7.",
        f"{SECRET}\n\nCf Peter Butt, Land Law (Lawbook, 6th ed, 2010) 377.",
        f"Under cl 3 and s 4 of the lease, {SECRET}",
        f"42 U.S.C. § 1437d(l)(2) has a like rule: {SECRET}",
        f"Item 5 of Schedule 2 to the Housing Act 1985 has a like rule: {SECRET}",
        f"The terms are secret ({SECRET}).[^1]\n\n[^1]: lease.txt, Page 2, Section 4.1.",
        "Whether a party ‘shall not disclose’ a thing is a question of fact: Smith v Jones (1979) 144 CLR 596.",
    ],
)
async def test_references_and_terms_of_art_stay_as_they_are(answer: str) -> None:
    text = await shown(answer)
    assert not any(mark in text for mark in ("[unsupported", "[no quotation", WITHOUT_ANY)), text
    assert "‘" not in answer or text == answer


async def test_a_short_quotation_with_a_citation_is_shown_in_its_sentence() -> None:
    text = await shown("Is it “in advance” [lease.txt]?")
    assert "“2.1 The Lessee shall pay rent of $4,500 per month in advance on the first day of each month.” [1]" in text


LAW = "“This Lease is governed by and construed in accordance with the laws of New South Wales.” [lease.txt]"


@pytest.mark.parametrize(
    ("answer", "mark"),
    [
        (f"| Item | Says |\n|---|---|\n| Rent | $4,500: {RENT} |\n| Notice | $4,500: {NOTICE} |\n", "[unsupported: $4,500]"),
        (f"- Rent: {RENT}\n- Notice: $4,500: {NOTICE}\n", "[unsupported: $4,500]"),
        (f"**Answer:** Ohio law governs, and disputes go to a court.\n\n- Law: {LAW}\n", "[no quotation]"),
        (f"- **Law** – Ohio: {LAW}\n", "[unsupported: Ohio]"),
        (f"Either party may end it: {NOTICE} The rent is $5,400: {RENT}", "[unsupported: $5,400]"),
        (f"The result is that each party shall not keep the terms of this Lease confidential, {SECRET}.", "[unsupported: not]"),
        (f"Rent is due at 9 a.m. on the tenth day. {RENT}", "at 9 a.m. on the tenth day [unsupported: "),
    ],
)
async def test_each_row_item_and_sentence_is_judged_by_its_own_quotation(answer: str, mark: str) -> None:
    assert mark in await shown(answer)


async def test_two_quoted_sentences_of_a_line_are_two_pieces() -> None:
    reader = PieceReader()
    reader.add(f"It ends so: {NOTICE} The rent is this: {RENT} Nothing else is said.")
    assert reader.rest() == [f"It ends so: {NOTICE} ", f"The rent is this: {RENT} ", "Nothing else is said."]


def test_held_text_is_read_again_only_where_a_piece_may_end() -> None:
    reader = PieceReader()
    assert reader.add("The lease ends. It says “Either party")
    assert reader.divide() == ["The lease ends. "]
    assert not any(reader.add(word) for word in (" may", " terminate", " this", " Lease"))
    assert reader.add(".” ") and not reader.divide()
    assert reader.add("So") and reader.divide() == ["It says “Either party may terminate this Lease.” "]
    assert not any(reader.add(word) for word in (" says", " clause", " three"))


def test_a_sentence_that_begins_far_before_a_quotation_is_found_whole() -> None:
    text = f"The rent is due. {'No Lessee of the premises in ' + 'the said city, ' * 60}may assign this Lease."
    start = text.index("may assign")
    assert text[slice(*complete(text, (start, start + 20))[0])].startswith("No Lessee")
