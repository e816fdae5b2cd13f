from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from orderly.models import Heading, Line, Page, Section
from orderly.services.document_processor import DocumentProcessor
from orderly.services.text.sections import citation_label, find_sections

FILES = Path(__file__).parents[3] / "fixtures" / "files"

CONTRACT = """SERVICES AGREEMENT dated 1 July 2020

1. DEFINITIONS

In this Agreement:
(a) "Fee" means the amount of
1.5 million dollars;
(b) "Services" means the services in
Schedule 2 and the following:
(i) support; and
(ii) training.

2. TERM AND TERMINATION

2.1 Term. This Agreement begins on
12 August 2021 and continues until terminated under
Section 2.2 of this Agreement.

2.2 Termination for Cause. Either party may terminate
(a) upon thirty days notice; or
(b) at once, if the other party is insolvent.

3. GENERAL

Section 3.1. Governing Law. The law of New York applies.

SCHEDULE 1
FEES

1. Monthly Fee. The Customer pays 100.

2. Late Payment. Interest runs at 5 percent.
"""


def labels(text: str) -> list[tuple[str | None, str | None]]:
    return [(section.label, section.title) for section in find_sections(text)]


def test_a_contract_becomes_a_tree_with_composed_labels() -> None:
    assert labels(CONTRACT) == [
        ("1", "DEFINITIONS"),
        ("1(a)", None),
        ("1(b)", None),
        ("1(b)(i)", None),
        ("1(b)(ii)", None),
        ("2", "TERM AND TERMINATION"),
        ("2.1", "Term"),
        ("2.2", "Termination for Cause"),
        ("2.2(a)", None),
        ("2.2(b)", None),
        ("3", "GENERAL"),
        ("3.1", "Governing Law"),
        ("SCHEDULE 1", "FEES"),
        ("SCHEDULE 1, Section 1", "Monthly Fee"),
        ("SCHEDULE 1, Section 2", "Late Payment"),
    ]


def test_a_section_covers_its_heading_body_and_subsections() -> None:
    sections = find_sections(CONTRACT)
    by_label = {section.label: section for section in sections}
    two, cause = by_label["2"], by_label["2.2"]
    assert CONTRACT[two.start :].startswith("2. TERM AND TERMINATION")
    assert CONTRACT[: two.end].endswith("if the other party is insolvent.")
    assert (cause.parent, by_label["2.2(a)"].parent) == (two.ordinal, cause.ordinal)
    assert [by_label[label].level for label in ("2", "2.2", "2.2(b)")] == [1, 2, 3]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "ARTICLE IV\nCONFIDENTIALITY\n\nSection 4.1 Definition. The word.\n\nSection 4.2 Duty. The party.\n",
            ["ARTICLE IV", "4.1", "4.2"],
        ),
        (
            "Part 1 Preliminary\n\n1 Short title\n\nThis Act is an Act.\n\n2 Commencement\n\nIt commences.\n\n"
            "Part 2 Orders\n\nDivision 1 General\n\n3 Power to order\n\nIt may.\n\n3A Limits\n\nIt may not.\n",
            ["Part 1", "1", "2", "Part 2", "Part 2, Division 1", "3", "3A"],
        ),
        (
            "A. The parties met.\n\nB. They agreed.\n\n1. SALE. The seller sells.\n\n2. PRICE. The buyer pays.\n",
            [None, None, "1", "2"],
        ),
        (
            "I.   GRANT\n\nA.   We grant a licence.\n\nB.   You accept:\n\n1.   In time.\n\n2.   In form.\n\n"
            "II.   TERM\n\nA.   Ten years.\n\nB.   No more.\n",
            ["I", "I.A", "I.B", "I.B.1", "I.B.2", "II", "II.A", "II.B"],
        ),
        (
            "1. LIST\n\n(g) seven;\n(a) one;\n(b) two;\n(h) odd;\n(c) three.\n\n2. END. Nothing.\n",
            ["1", "2"],
        ),
        (
            "1. LETTERS. As follows:\n" + "".join(f"({letter}) item;\n" for letter in "abcdefghijk"),
            ["1", *(f"1({letter})" for letter in "abcdefghijk")],
        ),
    ],
)
def test_all_numbering_styles_are_recognised(text: str, expected: list[str]) -> None:
    assert [section.label for section in find_sections(text)] == expected


def test_clauses_are_found_in_text_without_line_ends() -> None:
    filler = "The parties agree to act in good faith at all times and in all their dealings with each other. " * 4
    text = f"AGREEMENT  1. Services. {filler} 2. Fees. {filler} 2.1 Rate. {filler} See Section 9. Other text. 3. TERM. {filler}"
    assert [section.label for section in find_sections(text)] == ["1", "2", "2.1", "3"]


def test_entries_of_a_table_of_contents_with_page_numbers_are_no_sections() -> None:
    contents = "1. SERVICES\t3\n2. FEES ........ 4\n3. TERM 5\n\n"
    body = "1. SERVICES\n\nWe serve.\n\n2. FEES\n\nYou pay.\n\n3. TERM\n\nTwo years.\n"
    sections = find_sections(contents + body)
    assert [section.label for section in sections] == ["1", "2", "3"]
    assert sections[0].start == len(contents)


def test_page_numbers_dates_and_amounts_are_no_sections() -> None:
    text = "Dated 2020\n\n1\n\nThe Customer owes\n20 Dollars on\n3 March 2021 and\n4.5 percent of it.\n\n2\n\nSource: filing\n"
    assert find_sections(text) == ()


def test_lines_in_capitals_are_headings_when_nothing_is_numbered() -> None:
    text = "RECITALS\n\nThe parties met.\n\nCONFIDENTIALITY\n\nThey keep quiet.\n\nGOVERNING LAW\n\nNew York.\n"
    assert labels(text) == [(None, "RECITALS"), (None, "CONFIDENTIALITY"), (None, "GOVERNING LAW")]


def test_headings_of_the_file_keep_their_levels_and_contain_the_lists_below() -> None:
    text = "Dated 2020\n\nLease\n\n2. Rent\n\n(a) monthly;\n\n(b) in advance.\n\nUse\n\nOffices only."
    headings = (
        Heading(12, 17, 1, None, "Lease"),
        Heading(19, 26, 2, "2", "Rent"),
        Heading(text.index("Use"), text.index("Use") + 3, 2, None, "Use"),
    )
    sections = find_sections(text, headings)
    assert [(s.label, s.title, s.level) for s in sections] == [
        (None, "Lease", 1), ("2", "Rent", 2), ("2(a)", None, 3), ("2(b)", None, 3), (None, "Use", 2),
    ]  # fmt: skip


def test_a_heading_of_the_file_is_placed_by_its_number() -> None:
    text = "Lease\n\n1. Parties. The landlord and the tenant.\n\n2. Rent.\n\n2.1 Amount.\n"
    spots = {name: text.index(name) for name in ("Lease", "2. Rent", "2.1 Amount")}
    headings = (
        Heading(spots["Lease"], spots["Lease"] + 5, 1, None, "Lease"),
        Heading(spots["2. Rent"], spots["2. Rent"] + 8, 1, None, "2. Rent."),
        Heading(spots["2.1 Amount"], spots["2.1 Amount"] + 11, 1, None, "2.1 Amount."),
    )
    assert [(s.label, s.title, s.level) for s in find_sections(text, headings)] == [
        (None, "Lease", 1), ("1", "Parties", 2), ("2", "Rent", 2), ("2.1", "Amount", 3),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("label", "title", "shown"),
    [
        ("12.1", "Termination", "Section 12.1 (Termination)"),
        ("12.1(a)", None, "Section 12.1(a)"),
        ("Schedule 2", "Fees", "Schedule 2 (Fees)"),
        ("ARTICLE IV", None, "ARTICLE IV"),
        ("XVIII", "Transfer", "Section XVIII (Transfer)"),
        (None, "Recitals", "Recitals"),
        (None, None, ""),
    ],
)
def test_the_display_name_of_a_section(label: str | None, title: str | None, shown: str) -> None:
    assert citation_label(label, title) == shown


async def test_the_clauses_of_a_real_contract_are_in_order() -> None:
    extracted = await DocumentProcessor(None).extract(FILES / "cuad_consulting_agreement.pdf", "a.pdf")
    sections = find_sections(extracted.text, extracted.headings, extracted.pages)
    top = [section.label for section in sections if section.level == 1]
    assert top[:10] == [str(number) for number in range(1, 11)]
    titles = {section.label: section.title for section in sections}
    assert titles["1"] == "Services"
    assert "6.1(c)" in titles


def assert_section_tree(text: str, sections: tuple[Section, ...]) -> None:
    assert [section.ordinal for section in sections] == list(range(len(sections)))
    assert all(one.start < other.start for one, other in pairwise(sections))
    for section in sections:
        assert 0 <= section.start < section.end <= len(text)
        assert not text[section.start].isspace() and not text[section.end - 1].isspace()
        if section.parent is None:
            assert section.level == 1
        else:
            parent = sections[section.parent]
            assert parent.level == section.level - 1
            assert parent.start < section.start and section.end <= parent.end


PIECES = st.sampled_from(
    ["1.", "2.", "1.1", "2.1 ", "(a)", "(b)", "(i) ", "A. ", "I. ", "ARTICLE I", "SCHEDULE 1", "Section 1.1 ", "\n", "\n\n",
     "  ", " ", "\t", "Title", "TERM", "the party shall", ".", "12", "\f", "Part 1", "\u2003"]
)  # fmt: skip


@given(text=st.lists(PIECES, max_size=60).map("".join))
@settings(max_examples=300, deadline=None)
def test_the_sections_of_any_text_form_a_tree(text: str) -> None:
    assert_section_tree(text, find_sections(text))


def test_an_extract_can_start_at_any_number():
    text = "12. TERMINATION\n\n12.1 Notice. Either party may terminate on notice.\n\n15.2 Limitation of liability\nIn no event shall it."
    assert [(s.label, s.title) for s in find_sections(text)] == [
        ("12", "TERMINATION"),
        ("12.1", "Notice"),
        ("15.2", "Limitation of liability"),
    ]


def test_a_clause_restated_in_an_amendment_keeps_its_first_position():
    body = "The Company shall pay the fees set out here within thirty days of receiving a proper tax invoice.\n\n"
    text = f"1. TERM\n{body}2. COMPENSATION\n{body}3. LAW\n{body}AMENDMENT\n\n2. COMPENSATION\n{body}"
    sections = [s for s in find_sections(text) if s.title == "COMPENSATION"]
    assert text.index("2. COMPENSATION") in {s.start for s in sections}


def test_entries_of_a_table_of_contents_without_page_numbers_are_no_sections():
    body = "The Company shall pay the fees set out here within thirty days of receiving a proper tax invoice.\n\n"
    text = f"CONTENTS\n1. TERM\n2. FEES\n3. LAW\n\n1. TERM\n{body}2. FEES\n{body}3. LAW\n{body}"
    assert [text[s.start :].startswith(f"{s.label}. {s.title}\nThe Company") for s in find_sections(text) if s.label] == [
        True
    ] * 3


ACT = """Contents

Part 1—Preliminary
1	Short title
3	Interpretation
Part 2—Conduct
Division 1—General
52	Offences
52A	Misleading conduct
1041H	Financial products

Part 1—Preliminary

1—Short title

This Act may be cited as the Fair Conduct Act 2001.

3—Interpretation

(1) In this Act, unless the contrary intention appears—

conduct includes an omission;

(a) a benefit; or

(b) a cost.

Part 2—Conduct

Division 1—General

12—Offences

A person must not contravene section
12A of this Act.

12A—Misleading conduct

(1) A person must not engage in conduct that is misleading.

(2) Subsection (1) does not apply to—

(a) a newspaper; or

(b) a court.

Schedule 1—Transitional provisions

1—Interpretation

In this Schedule, the old Act is repealed.

[Headers]

Part 1—Preliminary

Part 2—Conduct
"""


def test_an_australian_act_has_parts_divisions_and_sections_and_no_entries_of_its_contents() -> None:
    assert labels(ACT) == [
        ("Part 1", "Preliminary"),
        ("1", "Short title"),
        ("3", "Interpretation"),
        ("3(1)", None),
        ("3(1)(a)", None),
        ("3(1)(b)", None),
        ("Part 2", "Conduct"),
        ("Part 2, Division 1", "General"),
        ("12", "Offences"),
        ("12A", "Misleading conduct"),
        ("12A(1)", None),
        ("12A(2)", None),
        ("12A(2)(a)", None),
        ("12A(2)(b)", None),
        ("Schedule 1", "Transitional provisions"),
        ("Schedule 1, Section 1", "Interpretation"),
    ]


def test_sections_of_an_act_without_dashes_are_children_of_their_parts() -> None:
    text = (
        "Part 1 Preliminary\n\n1 Name of Act\n\nThis Act is the Act.\n\n2 Commencement\n\nAt once.\n\n"
        "Part 2 Conduct\n\n2A Offences\n\nA person must not.\n\n3 Penalty\n\nFifty units.\n"
    )
    tree = find_sections(text)
    assert [(s.label, s.title) for s in tree] == [
        ("Part 1", "Preliminary"), ("1", "Name of Act"), ("2", "Commencement"), ("Part 2", "Conduct"),
        ("2A", "Offences"), ("3", "Penalty"),
    ]  # fmt: skip
    assert [s.parent for s in tree] == [None, 0, 0, None, 3, 3]


def test_the_sections_of_a_judgment_are_its_numbered_paragraphs() -> None:
    text = "JUDGMENT\n\n" + "\n\n".join(
        f"[{n}] The appellant relied on the following:\n(a) the deed; and\n(b) the Act.\n52A Misleading conduct\nwas quoted."
        for n in range(1, 8)
    )
    found = labels(text)
    assert found == [(f"[{n}]", None) for n in range(1, 8)]
    assert citation_label("[4]", None) == "[4]"


def test_bracketed_references_are_no_numbered_paragraphs() -> None:
    text = "1. Term\n\nSee the notes.\n\n2. Fee\n\nAs agreed.\n\n3. Law\n\nNew York.\n\n[7] Smith v Jones.\n[3] Act.\n[9] Deed.\n[1] X.\n[5] Y.\n"
    assert labels(text) == [("1", "Term"), ("2", "Fee"), ("3", "Law")]


def test_running_heads_are_no_section_headings() -> None:
    head = "Part 9 Conduct"
    first, second = f"{head}\n1 Name\n\nThe Act.\n\n2 Start\n\nAt once.\n", f"{head}\n3 Fee\n\nTen dollars.\n"
    text = first + second
    box = (0.0, 0.0, 1.0, 1.0)
    pages = [
        Page(1, 0, len(first), lines=(Line(0, len(head), box, True),)),
        Page(2, len(first), len(text), lines=(Line(len(first), len(first) + len(head), box, True),)),
    ]
    assert [s.label for s in find_sections(text, (), pages)] == ["1", "2", "3"]


def test_clauses_are_found_when_ocr_breaks_the_line_after_the_number():
    text = (
        "DISTRIBUTOR AGREEMENT 1. Appointment A) Lucid appoints the Distributor. 2. Term A) The term is three years\n"
        "and no more. 3.\nProducts A) Lucid sells the products. 4. Territory A) The territory is Ohio and its\n"
        "plans 5. PAYMENT The price is due at once. 6. TERMINATION A) Either party may terminate this agreement."
    ) + " It goes on and on in this way, as such agreements do." * 30
    assert [(s.label, s.title) for s in find_sections(text)] == [
        ("1", "Appointment"), ("2", "Term"), ("3", "Products"), ("4", "Territory"), ("5", None), ("6", "TERMINATION"),
    ]  # fmt: skip


def label_at(text: str, words: str) -> tuple[str | None, str | None]:
    """Label and title of the innermost section at `words`, as a citation prints them."""
    at = text.index(words)
    inner = next((one for one in reversed(find_sections(text)) if one.start <= at < one.end), None)
    return (inner.label, inner.title) if inner else (None, None)


BODY = "The parties agree to this for a long time and for the good of both of them, as the law of the land allows it. "


@pytest.mark.parametrize(
    ("text", "words", "expected"),
    [
        (f"1. Fees. {BODY}\n\n2. Term. {BODY}\n\nIN WITNESS WHEREOF, the parties sign.\n\nBy: /s/ Ann", "By: /s/", None),
        (f"1. Fees. {BODY}\n\n2. Term. {BODY}\n\nBy: ________  Name: Ann", "Name: Ann", None),
        (f"1. Fees. {BODY}\n\nIN WITNESS WHEREOF, signed.\n\n1. I know this promise.\n\n2. I keep it.\n", "I keep it", None),
        (f"A. The buyer trades.\n\nB. The seller too.\n\nNOW, THEREFORE, {BODY}\n\n1. Fees. {BODY}", "NOW,", None),
        (f"1. Fees 1\n2. Term 2\n3. Notices 3\n4. Law 4\n\nMade today.\n\n1. Fees. {BODY}\n\n2. Term. {BODY}", "Notices 3", None),
        (f"1. Fees. {BODY}\n\n2. Term. {BODY}\n\nSchedule A Rates\nSchedule B Sites\nSchedule C Staff\n\n3. Law. {BODY}", "Law.", "3"),
        (f"1. Fees. {BODY}\n\n2 Chapel Street, Richmond\n\n{BODY}\n\n2. Law. {BODY}", "Chapel", "1"),
        (f"1. Fees. {BODY}\n\n30 DAYS AFTER NOTICE\n\n{BODY}", "DAYS", "1"),
        (f"1. Duties 1.1 The Seller pays. 1.2 The Buyer pays under Section 1.1 The rest. {BODY}{BODY}", "Buyer pays", "1.2"),
        (f"1.1 Fees. {BODY}\n\n(a) first; or\n\n(b) second.\n\n{BODY}", "second", "1.1(b)"),
        (f"1.1 Fees. {BODY}\n\n(a) first; or\n\n(b) second.\n\n{BODY}", BODY[:20], "1.1"),
        (f"SECTION ONE. FEES\n\n{BODY}\n\nSECTION TWO. TERM\n\nIt ends. {BODY}", "It ends", "SECTION TWO"),
        (f"ARTICLE XIII LAW\n\n{BODY}\n\nARTICLE XIX OTHER MATTERS\n\nMore. {BODY}", "More.", "ARTICLE XIX"),
        (f"1. Fees. {BODY}\n\na) first;\n\nb) second;\n\nc) third.\n\n2. Term. {BODY}", "second", "1(b)"),
        (f"1. Fees. {BODY}\n\n2. Section 9 is replaced:\n\n19.0 LAW AND ORDER\n\n(a) first;\n\n(b) second.", "second", "2"),
        (f"EXHIBIT A TONES\n\nA.1    General\n\n{BODY}\n\nA.2    Levels\n\nLoud. {BODY}", "Loud", "EXHIBIT A, Section A.2"),
        (f"1. Fees. {BODY}\n\n1. 1.1.\n\n1.2.\n\n1.3. 1.4.\n\nTorn words. {BODY}", "Torn words", None),
    ],
)  # fmt: skip
def test_words_have_the_section_of_their_clause_or_none(text: str, words: str, expected: str | None) -> None:
    text = f"Agreement of today.\n\n{text}" if not text.startswith(("ARTICLE", "EXHIBIT")) else text
    if text.startswith("ARTICLE"):
        text = "".join(f"ARTICLE {number} PART\n\n{BODY}\n\n" for number in ("I", "II", "III", "IV", "VI", "IX", "XI")) + text
    assert label_at(text, words)[0] == expected


def test_a_confidentiality_notice_is_no_title() -> None:
    text = f"CONFIDENTIAL TREATMENT REQUESTED\n\n{BODY}\n\nFEES\n\n{BODY}\n\nTERM\n\n{BODY}\n\nPLACE\n\n{BODY}\n"
    assert [section.title for section in find_sections(text)] == ["FEES", "TERM", "PLACE"]
    article = f"ARTICLE I\n\nCONFIDENTIAL TREATMENT REQUESTED\n\n{BODY}\n\nARTICLE II FEES\n\n{BODY}\n"
    assert all(section.title != "CONFIDENTIAL TREATMENT REQUESTED" for section in find_sections(article))


def test_a_page_number_before_a_line_that_repeats_is_no_clause() -> None:
    pages = "".join(f"{BODY}\n\n{number}.\n\nSource of the file\n\n" for number in range(2, 9))
    assert label_at(f"1. Fees. {pages}The end comes. {BODY}", "The end comes")[0] == "1"


def test_numbered_recitals_do_not_take_the_labels_of_clauses() -> None:
    text = f"1. {BODY}\n\n2. {BODY}\n\n1. Fees. We pay. {BODY}\n\n2. Term. We stay. {BODY}\n\n3. Law. {BODY}"
    assert label_at(text, "We stay") == ("2", "Term")
    assert label_at(text, BODY[:20])[0] is None


def test_sections_of_an_act_are_numbered_by_headings_with_a_dash_and_a_schedule_restarts_them() -> None:
    text = "1—Short title\n\nThis Act is short.\n\n2—Object\n\n(1) to pay;\n\n(2) to work.\n\nSchedule 1—Code\n\n1—Citation\n\nThe code.\n"
    marked = ("1—Short title", "2—Object", "Schedule 1—Code", "1—Citation")
    headings = [Heading(text.index(one), text.index(one) + len(one), 2, None, one) for one in marked]
    assert [(s.label, s.title) for s in find_sections(text, headings)] == [
        ("1", "Short title"), ("2", "Object"), ("2(1)", None), ("2(2)", None),
        ("Schedule 1", "Code"), ("Schedule 1, Section 1", "Citation"),
    ]  # fmt: skip


def test_words_after_the_last_item_of_an_act_belong_to_the_paragraph_above() -> None:
    text = "3—Pay\n\n(a) if the worker—\n\n(i) was on leave; or\n\n(ii) was away,\n\nthe pay will be averaged; and\n\n(b) otherwise it is not.\n\n4—Next\n\nEnd.\n"
    assert label_at(text, "was away")[0] == "3(a)(ii)"
    assert label_at(text, "the pay will be")[0] == "3(a)"


def test_paragraphs_of_a_judgment_have_bare_numbers_also_behind_a_heading() -> None:
    said = "The court considered what the parties had said about the contract in [2006] FCA 847 and after it."
    body = "".join(f"{number} {said}\n\n" for number in range(1, 7))
    text = f"{body}FACTS 7 {said}\n\n8 {said}\n\n29 July 2006 was a Monday.\n\n9 {said}\n\n10 {said}\n"
    assert [s.label for s in find_sections(text)] == [f"[{number}]" for number in range(1, 11)]


def test_an_attachment_that_is_the_whole_file_is_no_part_of_its_clauses_labels() -> None:
    text = "ATTACHMENT 8\n\nNON-DISCLOSURE AGREEMENT\n\n1. Purpose. To bid.\n\n2. Term. One year.\n\n3. Law. Victoria.\n"
    assert labels(text) == [("1", "Purpose"), ("2", "Term"), ("3", "Law")]


def test_numbers_indented_below_a_clause_are_its_items() -> None:
    text = "1. Roles\n    1. Processor.  We process.\n    2. Controller.  You decide.\n2. Duties\n    1. Care.  We care.\n        a. Always.\n3. Term\n"
    assert [label for label, _ in labels(text)] == ["1", "1, item 1", "1, item 2", "2", "2, item 1", "2, item 1.a", "3"]


def test_wrapped_words_do_not_look_like_a_signature() -> None:
    text = "1. Title. It is\nexecuted and delivered by us.\n\n2. Law. Victoria.\n\n3. Costs. None.\n"
    assert labels(text) == [("1", "Title"), ("2", "Law"), ("3", "Costs")]
    signed = text + "\nAgreed by the parties through their authorised signatories\n\nFor the Lessor\n"
    assert label_at(signed, "For the Lessor") == (None, None)


def test_the_title_of_a_document_is_not_its_section() -> None:
    text = "Power of attorney\n\nMade by Jane.\n\nGrant\n\nEverything.\n\nTerm\n\nA year.\n"
    headings = [
        Heading(text.index(t), text.index(t) + len(t), level, None, t)
        for t, level in (("Power of attorney", 1), ("Grant", 2), ("Term", 2))
    ]
    assert [s.title for s in find_sections(text, headings)] == ["Grant", "Term"]


def test_articles_stand_out_behind_page_numbers_hyphens_and_list_marks() -> None:
    text = "ARTICLE 1 -- SCOPE\n1.1 Licence. We grant\nit.\n\n2\n\nARTICLE 2 - TERM\n2.1 Years. Two.\n\n2.2.Years after. Three.\n\n****\nEXHIBIT A\nA. PURPOSE.\nB. PLAN.\n"
    assert [label for label, _ in labels(text)] == [
        "ARTICLE 1", "1.1", "ARTICLE 2", "2.1", "2.2", "EXHIBIT A", "EXHIBIT A.A", "EXHIBIT A.B",
    ]  # fmt: skip


def test_two_lists_with_the_same_letters_in_one_section_are_cited_by_the_section() -> None:
    text = (
        "3—Interpretation\n\nriver park means—\n\n(a) the northern park; or\n\n(b) the southern park;\n\n"
        "public authority means—\n\n(a) a Minister; or\n\n(b) a council.\n\n4—Parks\n\n(1) The Minister acts.\n\n(2) The council acts.\n"
    )
    assert label_at(text, "the southern park") == label_at(text, "a council") == ("3", "Interpretation")
    assert label_at(text, "The council acts") == ("4(2)", None)


def test_an_item_out_of_order_ends_the_items_before_it() -> None:
    text = (
        "1. Access\n\nInsert—\n\n“(7) Persons may be added.\n\n(8) They are those who—\n\n(a) act for the public; or\n\n"
        "(b) serve it.\n\n(9) Others must be asked.”\n\n2. Reports\n\nEach year:\n\n(a) one; and\n\n(b) another.\n"
    )
    assert label_at(text, "Others must") == label_at(text, "serve it") == ("1", "Access")
    assert label_at(text, "another")[0] == "2(b)"


def test_lists_under_a_heading_without_a_number_are_cited_by_the_heading() -> None:
    text = "# Funding\n\n## General\n\n1. We pay.\n1. We ask.\n\n## Limits\n\n(1) no wine;\n\n(2) no beer.\n\n# Refunds\n\n## General\n\nSoon.\n"
    headings = [
        Heading(text.index(f"{marks} {title}", after), text.index(f"{marks} {title}", after) + 3, len(marks), None, title)
        for marks, title, after in (
            ("#", "Funding", 0),
            ("##", "General", 0),
            ("##", "Limits", 0),
            ("#", "Refunds", 0),
            ("##", "General", 90),
        )
    ]
    assert [(s.label, s.title) for s in find_sections(text, headings)] == [
        (None, "Funding"), (None, "General"), (None, "Limits"), (None, "Refunds"), (None, "General"),
    ]  # fmt: skip


def test_titles_in_brackets_are_titles() -> None:
    text = "Section 1.01  [Term]. Term. One year.\n\nSection 1.02  [Fees and Costs]. Fees and Costs. PrimeCall pays.\n\nSection 1.03  [Law]. Law. New York.\n"
    assert labels(text) == [("1.01", "Term"), ("1.02", "Fees and Costs"), ("1.03", "Law")]


def test_equal_titles_of_many_sections_are_no_footer() -> None:
    kinds = ("parks", "halls", "pools", "paths", "ponds")
    chapters = "".join(
        f"Chapter {n}\nUse of {kind}\n\n{2 * n}. Definitions\n(1) In this Chapter words have meanings.\n(2) They last.\n\n"
        f"{2 * n + 1}. Visits to {kind}\nThey are open.\n\n"
        for n, kind in enumerate(kinds, 1)
    )
    found = [s.label for s in find_sections("1. Name\nThis is the by-law.\n\n" + chapters)]
    assert [label for label in found if label in ("2", "4", "6", "8", "10")] == ["2", "4", "6", "8", "10"]


def test_numbers_in_the_margin_of_lines_are_not_read() -> None:
    lines = [f"Line {n} of the by-laws stands here and says nothing." for n in range(1, 80)]
    lines[39], lines[44], lines[45] = "Article I. Names.", "A. The senate:", "1. meets weekly; and"
    lines[49], lines[50], lines[54] = "2. reports.", "B. The cabinet meets too.", "Article II. Officers."
    text = "\n".join(f"{n}\t{line}" if n % 5 == 0 else line for n, line in enumerate(lines, 1))
    assert label_at(text, "reports")[0] == "Article I.A.2"
    assert label_at(text, "Line 60") == ("Article II", "Officers")


def test_what_follows_an_act_is_no_section_of_it() -> None:
    act = "".join(f"{n}—Title {n}\n\nThe Minister may act in the way that this section says.\n\n" for n in range(1, 9))
    text = f"{act}Legislative history\n\nFormerly\n\nOld Act 1986\n\n22—Transitional provisions\n\n(1) An order stays.\n"
    assert label_at(text, "Old Act") == label_at(text, "An order stays") == (None, None)


def test_a_judgment_ends_at_the_signature_and_is_unsure_where_numbers_are_missing() -> None:
    said = "The appeal in [2006] FCA 847 and in [2007] FCA 12 was about the words of the contract."
    body = "\n\n".join(f"{n}. {said}" for n in (*range(1, 9), *range(10, 13)))
    text = f"{body}\n\nMartin Rodger,\nDeputy Chamber President\n\nRight of appeal\n\nAny party may appeal.\n"
    text = text.replace("8. The appeal", "8. Uncertain\n\nThe words after it. The appeal")
    assert label_at(text, "12. The")[0] == "[12]"
    assert label_at(text, "Any party may") == (None, None)
    assert label_at(text, "Uncertain")[0] == "[8]"
    assert label_at(text, "The words after it") == (None, None)


def test_parts_of_a_schedule_are_named_with_it_and_a_lone_schedule_is_one() -> None:
    text = (
        "1—Name\n\nThis is the Act.\n\n2—Parks\n\nThere are parks.\n\n3—Costs\n\nWe pay.\n\n"
        "Schedule—Transitional provisions\n\nPart 1—General\n\n1—Licences\n\nThey stay.\n\n2—Orders\n\nThey go.\n"
    )
    assert label_at(text, "They go")[0] == "Schedule, Section 2"
    assert label_at(text, "Part 1")[0] == "Schedule, Part 1"


def test_lists_nested_by_indentation_below_a_marked_section() -> None:
    text = "#### 68 Statements\n\n1. For each year.\n\n2. They include—\n    1. the preparation;\n    2. the review;\n    3. the certification.\n\n3. All.\n"
    headings = [Heading(0, 18, 4, None, "68 Statements")]
    found = {s.label for s in find_sections(text, headings)}
    assert "68, item 2, item 3" in found
    assert "68, item 3" in found


def test_numbers_in_bold_markdown_are_clauses() -> None:
    text = "**1. Binding Agreement.** This binds you.\n\n**2. Your Ads.** You may run ads.\n\nWords of yours.\n\n**3. Law.** Victoria.\n"
    assert label_at(text, "Words of yours") == ("2", "Your Ads")


def test_a_clause_without_a_title_ends_at_a_line_in_capitals() -> None:
    text = f"1. {BODY}\n2. {BODY}\n3. {BODY}\n\nASSUMPTIONS AND DEPENDENCIES\n\nThe unit tests are yours.\n"
    assert label_at(text, "ASSUMPTIONS")[0] is None
    assert label_at(text, "The unit tests")[0] is None


def test_a_bullet_below_the_last_item_belongs_to_the_section() -> None:
    text = "### 1 Definitions\n\n* **books** includes—\n  1. a register;\n  2. any other record.\n* **committee** means the board.\n"
    headings = [Heading(0, 17, 3, None, "1 Definitions")]
    at = text.index("**committee**")
    inner = next(s for s in reversed(find_sections(text, headings)) if s.start <= at < s.end)
    assert (inner.label, inner.title) == ("1", "Definitions")


def test_an_explanatory_note_is_no_regulation() -> None:
    regulations = "".join(f"{n}. The Minister may act in the way that these regulations say.\n\n" for n in range(1, 7))
    assert label_at(f"{regulations}EXPLANATORY NOTE\n\nThese Regulations bring the Act into force.\n", "bring the Act") == (
        None,
        None,
    )


def test_inserted_subsections_and_an_appendix_without_a_letter() -> None:
    text = (
        "52—Register\n\n(1) Keep it.\n\n(2) Record—\n\n(a) action; and\n\n(b) a note.\n\n(2a) Also if—\n\n(a) convicted; or\n\n"
        "(b) barred.\n\n(3) Open it.\n\n53—Costs\n\nNone.\n\nAppendix\n\nRestricted marks are these.\n"
    )
    assert label_at(text, "barred")[0] == "52(2a)(b)"
    assert label_at(text, "Open it")[0] == "52(3)"
    assert label_at(text, "Restricted marks")[0] == "Appendix"


BODY = "The Company shall pay the fees set out here within thirty days of receiving a proper tax invoice."


def at(text: str, words: str) -> str | None:
    """The label of the innermost section around `words`."""
    place = text.index(words)
    return next((s.label for s in reversed(find_sections(text)) if s.start <= place < s.end), None)


def test_a_number_inside_a_line_fills_the_gap_of_its_list():
    text = f"4. DUTIES: as follows.\nA. REPORTS: {BODY} B. SECRECY: Keep it secret.\nC. RECORDS: {BODY}\n5. LAW: {BODY}"
    assert at(text, "Keep it secret") == "4.B"


def test_clauses_that_continue_no_open_clause_end_it():
    chapters = "".join(f"\n{chapter}.{clause} {BODY}" for chapter in (1, 2, 9) for clause in (1, 2, 3))
    assert at(chapters, "2.3") == "2.3"
    assert at(chapters, "9.2") is None


def test_a_list_of_names_in_a_dotted_clause_opens_no_chapters():
    names = "".join(f"\n{number}. Dr {name}" for number, name in enumerate(("Ann Lee", "Bo Ray", "Cy Fox"), 1))
    text = f"1. TERM\n1.1 Start\n{BODY}\n2. STAFF\n2.1 Team\nThe following persons:{names}\n2.2 Leave\n{BODY}\n3. LAW\n{BODY}"
    assert at(text, "Leave") == "2.2"


def test_a_list_on_one_line_names_no_exhibit():
    text = (
        f"ARTICLE 1 TERM\n\n1.1 Exhibits. These:\n\nExhibit A - Fees Exhibit B - Sites\n\nARTICLE 2 FEES\n\n2.1 Rate. {BODY}\n"
    )
    assert at(text, "Rate") == "2.1"


def test_the_next_article_after_the_name_of_an_exhibit_belongs_to_the_contract():
    text = f"ARTICLE 1 TERM\n\n1.1 Plan. See\n\nExhibit A\n\nPlans\n\nARTICLE 2 FEES\n\n2.1 Rate. {BODY}\n"
    assert at(text, "Rate") == "2.1"


def test_a_roman_number_before_a_dash_is_an_article():
    text = f"IV - FEES\n\n4.1 {BODY}\n\nV - LAW\n{BODY} Here.\n"
    assert at(text, "Here") == "Article V"


def test_a_list_that_restarts_in_an_untitled_clause_ends_it():
    text = f"1. {BODY}\n2. {BODY}\n3. {BODY}   Item Five  Costs   1. {BODY}   2. {BODY}   Here it ends."
    assert at(text, "Here") is None


def test_a_line_in_capitals_ends_an_item():
    text = f"1) {BODY}\n2) {BODY}\nASSIGNMENT\n{BODY} Here.\n"
    assert at(text, "Here") is None


def test_a_number_may_touch_its_title_in_capitals():
    assert at(f"1.OFFER:\n{BODY}\n2.PRODUCTS:\n{BODY} Here.\n3.LAW:\n{BODY}", "Here") == "2"


def test_words_of_execution_belong_to_no_clause():
    text = f"7. COSTS: {BODY}\n8. WHOLE AGREEMENT: {BODY}\nTHIS AGREEMENT is executed as of 1 May 2020.\nSELLER: Ann Lee\n"
    assert at(text, "SELLER") is None


def test_clauses_in_small_letters_continue_a_list_of_dotted_numbers():
    text = f"1. DUTIES\nYou:\n1.1 shall keep it secret;\n1.2 shall not copy it; and\n1.3 shall return it here.\n2. LAW\n{BODY}"
    assert at(text, "here") == "1.3"


def test_a_shortened_date_is_no_clause():
    clauses = "".join(f"{n}. Title {n}. {BODY}\n\n" for n in range(1, 10))
    assert at(f"{clauses}10 Mar 1993\n\n--\n\n11 Nov 1999\n\nHere.\n", "Here") == "9"


def test_an_exhibit_at_the_head_of_a_file_with_exhibits_of_its_own_is_the_file():
    clauses = "".join(f"{n}. Title {n}. {BODY}\n\n" for n in (1, 2, 3))
    assert at(f"EXHIBIT C\n\nLICENCE AGREEMENT\n\n{clauses}EXHIBIT A\n\nFees\n\n{BODY}", "Title 2") == "2"


def test_roman_chapters_inside_lines_have_their_lettered_clauses():
    text = f"I. TERM   A. {BODY}   B. {BODY}   II. FEES   A. {BODY}   B. Here. {BODY}   III. LAW   A. {BODY}"
    assert at(text, "Here") == "II.B"


def test_a_list_of_schedules_before_the_clauses_names_no_section():
    names = "\n\n".join(f"Schedule {letter}\tThings of kind {letter}" for letter in "ABCD")
    clauses = "".join(f"{n}. TITLE {letter}\n\n{n}.1 {BODY}\n\n" for n, letter in enumerate("VWXYZ", 1))
    assert at(f"SCHEDULES\n\n{names}\n\n3\nAGREEMENT\n\n{clauses}", "2.1") == "2.1"


def test_an_exhibit_named_in_the_contents_and_again_far_below_encloses_no_clause():
    clauses = "".join(f"{n}. TITLE {letter}\n\n{n}.1 {BODY * 50}\n\n" for n, letter in enumerate("VWXYZ", 1))
    text = f"CONTENTS\n\nEXHIBIT A PRICES\n\nii\nAGREEMENT\n\n{clauses}EXHIBIT A PRICES\n\nHere they are."
    assert (at(text, "2.1"), at(text, "Here")) == ("2.1", "EXHIBIT A")


def test_numbers_with_a_zero_enclose_their_clauses():
    assert at(f"ARTICLE 14 LAW\n\n14.02 Arbitration. {BODY}\n\n14.02.1 {BODY}\n\n14.02.2 Here.\n", "Here") == "14.02.2"


def test_a_list_of_one_item_with_a_list_of_its_own_is_in_the_label():
    items = "\n".join(f"({number}) {BODY}" for number in ("i", "ii", "iii"))
    assert at(f"1. PROMISES.\n(a) The Company promises:\n{items}\n2. LAW.\n{BODY}", "(ii)") == "1(a)(ii)"


def test_a_number_alone_in_its_line_before_a_list():
    assert at(f"1. TERMS\n1.1 {BODY}\n1.2\n(a) {BODY}\n(b) Here. {BODY}\n2. LAW\n{BODY}", "Here") == "1.2(b)"


def test_a_clause_inside_a_line_may_be_omitted_in_brackets():
    text = f"1. Term - {BODY} 2. [Intentionally Omitted.] 3. Law - {BODY} Here. 4. Notice - {BODY}"
    assert at(text, "Here") == "3"


def test_a_list_that_ends_an_unfinished_sentence_belongs_to_its_clause():
    items = "1. Device of one way\n\n2. Used by ear\n\n3. Contains a chip"
    text = f"2.0 Definitions\n\n2.1 Devices\n\nA Device is a\n\n{items}\n\n2.2 Aids\n\n{BODY}\n\n3.0 Law\n\n{BODY}"
    assert at(text, "Used by ear") == "2.1, item 2"


def test_words_before_an_item_of_a_sentence_are_no_title():
    text = "1. Scope. All.\n\n2. Ciufo (a) must keep it and (b) must not copy it.\n\n3. Deposit (a) The tenant pays.\n"
    assert labels(text)[1] == ("2", None)
    assert label_at(text, "3. Deposit") == ("3", "Deposit")


def test_a_title_cut_inside_brackets_is_none():
    text = "1. The Benchmarks Act 2021 (c. 33) supports it.\n\n2. It commences.\n\n3. It ends.\n"
    assert labels(text)[0] == ("1", None)


def test_the_provision_below_the_name_of_a_schedule_is_no_title():
    text = "1. Power. We may.\n\nSCHEDULE 1\n\nSection 76(6)\n\nRegistration\n\nIt is registered.\n"
    assert label_at(text, "It is registered") == ("SCHEDULE 1", None)


def test_a_number_between_the_words_of_a_sentence_has_no_title():
    text = "1. Sale. It is sold.\n\nThe property remains in the name of the\n2.\nJoint Venture. No one owns it.\n\n3. Voting. By hand.\n"
    assert label_at(text, "No one owns") == ("2", None)


def test_lettered_recitals_and_items_below_a_part_have_no_labels_of_their_own():
    text = "(A) The parties met in Sydney.\n\n(B) They agreed.\n\n1. Sale. It is sold.\n\n2. Price. It is paid.\n"
    assert label_at(text, "They agreed") == (None, None)
    bill = "PART 1\n\nADOPTION\n\nAn agency may—\n\n(a) place a child; or\n\n(b) leave it.\n\nPART 2\n\nGENERAL\n\nNothing.\n"
    assert label_at(bill, "leave it") == ("PART 1", "ADOPTION")


def test_a_list_in_prose_names_no_section():
    prose = "The court heard the parties at length and reserved its decision.\n" * 60
    text = f"{prose}They ask for:\n\n1. a declaration;\n\n2. damages; and\n\n3. costs.\n\n{prose}"
    assert labels(text) == []


def test_a_contents_without_pages_names_no_section_if_no_clause_follows_its_titles():
    rows = "".join(
        f"{number}.\t{title}\n\n" for number, title in enumerate(("Title", "Interpretation", "Terms", "Grades", "Pay"), 1)
    )
    body = "".join(
        f"Heading\n\n{number}.Words that follow the number without a space, as the file has them.\n\n"
        for number in range(1, 40)
    )
    assert labels(f"CONTENTS\n\n{rows}The Ministers make this Order.\n\n{body}") == []


def test_an_untitled_clause_ends_where_it_is_far_longer_than_half_of_the_others():
    clauses = "".join(f"{number}. We agree on matter {number} as set out here.\n" for number in range(1, 5))
    text = clauses.replace("3. We", "Further words.\n" * 400 + "Last words.\n3. We")
    assert label_at(text, "Further words")[0] == "2"
    assert label_at(text, "Last words") == (None, None)
    assert label_at(text, "matter 4")[0] == "4"


def test_a_name_in_a_list_of_names_ends_with_its_line():
    names = "".join(
        f"{number}. Oriental {name} Corp.\n" for number, name in enumerate(("Bank", "Trust", "Mortgage", "Leasing"), 1)
    )
    text = (
        f"1. Sale. It is sold.\n\n2. Price. It is paid.\n\nEXHIBIT A\n\nAFFILIATES\n\n{names}"
        + "\nFurther words.\n" * 40
        + "Last words.\n"
    )
    assert label_at(text, "Last words")[0] == "EXHIBIT A"


def test_a_schedule_with_a_name_instead_of_a_number_ends_what_stands_before_it():
    text = "1. Sale. It is sold.\n\nEXHIBIT A\n\nAFFILIATES\n\nNone.\n\nCONVERSION PLAN SCHEDULE\n\nWeek one begins.\n"
    assert label_at(text, "None.")[0] == "EXHIBIT A"
    assert label_at(text, "Week one") == (None, None)


def test_the_number_of_a_filed_exhibit_and_a_list_of_exhibits_at_the_head_enclose_nothing():
    assert labels("Exhibit 1\n\nJOINT FILING AGREEMENT\n\nThe undersigned file together.\n") == []
    clauses = "1. TERM. One year.\n\n2. FEES. None.\n\n3. LAW. Ohio.\n"
    assert [label for label, _ in labels(f"EXHIBIT C\nFORM OF LICENCE\n\nEXHIBIT D\nFORM OF TRIAL\n\n{clauses}")] == [
        "1",
        "2",
        "3",
    ]


def test_articles_of_the_contents_that_stand_again_in_order_name_nothing_before_the_first():
    titles = ("DEFINITIONS", "LICENCES", "FEES", "TERM", "LAW")
    rows = body = ""
    for at, title in enumerate(titles, 1):
        listed = "".join(f"Section {at}.0{row}.\tMatters of the {title.lower()}\t{at}\n" for row in range(1, 7))
        rows += f"ARTICLE {at}\n{title}\n\n{listed}\n"
        body += f"ARTICLE {at}\n{title}\n\nSection {at}.01. First. {'It is so agreed. ' * 200}\n\n"
    text = f"{rows}RECITALS\n\nThe parties met in Boston on that day.\n\n{body}"
    assert label_at(text, "The parties met") == (None, None)
    assert label_at(text, "Section 3.01. First") == ("3.01", "First")


def test_rows_of_the_contents_in_one_line_end_with_the_exhibits():
    sections = " ".join(f"Section 9.{at} Matter {at} 2{at}" for at in range(2, 9))
    contents = "".join(f"ARTICLE {at} MATTER {at} {at}\n\nSection {at}.1 Matter of {at} {at}\n\n" for at in range(1, 9))
    body = "".join(f"ARTICLE {at} MATTER {at}\n\nSection {at}.1 First. {'It is so agreed. ' * 40}\n\n" for at in range(1, 9))
    text = f"{contents}ARTICLE 9 LAST 9\n\nSection 9.1 Amendment 19 {sections}\n\nExhibit A Fees Exhibit B Bank ii\n\nAGREEMENT\n\n{body}"
    assert label_at(text, "ARTICLE 3 MATTER 3\n")[0] == "ARTICLE 3"


def test_a_heading_ahead_of_its_list_ends_the_clause_before_it():
    text = (
        "1. TERM\n\n1.1 Years\n\nTen.\n\n2. SPONSOR\n\n2.1 Review\n\nA review.\n\n3.3 Survival of Warranties\n\nThey survive.\n"
    )
    assert label_at(text, "A review")[0] == "2.1"
    assert label_at(text, "They survive") == (None, None)


def test_paragraphs_of_a_judgment_may_change_their_style():
    numbers = [
        f"{number}{'.' if number < 6 else ''} The court in [{2000 + number}] EWHC {number} (QB) held so."
        for number in range(1, 13)
    ]
    assert label_at("\n\n".join(numbers), "EWHC 9 ")[0] == "[9]"


def test_chapters_in_capitals_inside_lines_skip_one_that_is_not_found():
    bodies = "It is agreed by both parties that this shall be so for the whole of the term and for no longer.  "
    titles = ("EQUIPMENT", "SERVICES", "", "PAYMENTS", "TERMINATION", "INDEMNIFICATION")
    text = "".join(f"{at}. {title}.  A. {bodies}B. {bodies}" if title else bodies for at, title in enumerate(titles, 1))
    assert label_at(text, "5. TERMINATION")[0] == "5"


def test_an_untitled_roman_letter_inside_a_line_opens_no_chapter():
    text = "1. EQUIPMENT. It is bought.\n\n2. SERVICES. BNL is responsible for its officers, agents and employees at all times and in all places;   I. It may stop at any time.   (a) now.   (b) then.   (c) soon.\n\nIt goes on.\n"
    assert label_at(text, "I. It may")[0] == "2"


def test_numbers_that_restart_flush_below_the_last_clause_end_it():
    clauses = "1. SECRECY. It is kept.\n\n2. USE. To bid.\n\n3. INDEMNITY. Loss is borne.\n\n"
    listed = "The undersigned further agrees that:\n\n1. It is informed.\n\n2. It has read this.\n\n"
    assert label_at(clauses + listed, "Loss is borne")[0] == "3"
    assert label_at(clauses + listed, "It has read") == (None, None)
    assert label_at(f"{clauses}{listed}4. LAW. Ohio.\n", "It has read")[0] == "3, item 2"


def test_a_message_ends_at_its_greeting_and_at_the_one_before_it():
    points = "1. Rent. It is paid.\n\n2. Term. A year.\n\n3. Deposit. Two months.\n\n"
    text = f"{points}Kind regards,\nJane\n\n-----Original Message-----\nFrom: Tom\nSent: Friday\n\nOur position is firm.\n"
    assert label_at(text, "Two months")[0] == "3"
    assert label_at(text, "Our position") == (None, None)


def test_a_line_that_goes_on_or_ends_in_a_foreign_mark_is_no_title():
    text = "1. Scope. All.\n\n2. Each Content Provider understands that the\nPreferred Shares are bought.\n\n3.\tUpon the written consent of the Party\u037e\n\n4. Law. Ohio.\n"
    assert [title for _, title in labels(text)] == ["Scope", None, None, "Law"]


def test_a_schedule_with_its_provision_beside_the_name_has_the_title_below():
    text = "1. Power. We may.\n\nSCHEDULE 3\tRegulation 2(3)\n\nOperational Standards\n\nIn Welsh.\n"
    assert label_at(text, "In Welsh") == ("SCHEDULE 3", "Operational Standards")


def test_the_last_of_a_list_of_appendices_before_the_first_of_them_names_nothing():
    clauses = "1. TERM. One year.\n\n2. FEES. None.\n\n3. LAW. Ohio.\n\n"
    listed = "Table of Appendices\n\nAppendix A\t[Reports]\nAppendix B\tBusiness Plan\n\n23\n\nSource: NLS, 2020\n\n"
    text = (
        f"{clauses}{listed}Appendix A - [Reports] – to be provided within sixty days.\n\nAppendix B – Business Plan\n\nSales.\n"
    )
    assert label_at(text, "to be provided")[0] == "Appendix A"


def test_a_notice_in_capitals_on_several_lines_is_no_heading():
    notice = "PORTIONS OF THIS EXHIBIT WERE REPLACED WITH STARS AND\nFILED PURSUANT TO AN APPLICATION UNDER RULE\nUNDER THE ACT OF 1934, AS AMENDED\n\n"
    text = f"LETTER\n\nDear Sirs, we write to you about this.\n\n{notice}Columbia buys.\n\n{notice}Fleet sells.\n\n{notice}Both agree.\n"
    assert all(title is None or "1934" not in title for _, title in labels(text))
