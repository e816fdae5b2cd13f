from __future__ import annotations

import pytest

from orderly.models import Heading, Line, Page, Section
from orderly.services.text.clause_numbers import following_labels
from orderly.services.text.sections import find_sections

WORDS = "The parties act in good faith in all their dealings with each other."
ARTICLES = ("MEMBERS", "MANAGERS", "INDEMNIFICATION OF MEMBERS,\n\nOFFICERS, AND OTHER PERSONS", "BOOKS", "GENERAL")


def label_at(text: str, words: str, headings: tuple[Heading, ...] = (), pages: tuple[Page, ...] = ()) -> str | None:
    found = section_at(text, words, headings, pages)
    return found.label if found else None


def section_at(text: str, words: str, headings: tuple[Heading, ...] = (), pages: tuple[Page, ...] = ()) -> Section | None:
    at = text.index(words)
    sections = find_sections(text, headings, pages)
    return next((section for section in reversed(sections) if section.start <= at < section.end), None)


def articles(titles: tuple[str, ...] = ARTICLES) -> str:
    numbers = ("I", "II", "III", "IV", "V")
    return "".join(
        f"ARTICLE {number} – {title}\n\nIn {number} we agree. {WORDS}\n\n"
        for number, title in zip(numbers, titles, strict=True)
    )


def test_a_heading_unlike_the_others_ends_the_article_before_it() -> None:
    text = articles()
    assert label_at(text, "In II we") == "ARTICLE II"
    assert section_at(text, "In III we") is None
    assert [label_at(text, f"In {number} we") for number in ("I", "IV", "V")] == ["ARTICLE I", "ARTICLE IV", "ARTICLE V"]


def test_articles_in_one_style_are_all_named() -> None:
    text = articles(("MEMBERS", "MANAGERS", "INDEMNIFICATION", "BOOKS", "GENERAL"))
    labels = [label_at(text, f"In {number} we") for number in ("I", "II", "III", "IV", "V")]
    assert labels == ["ARTICLE I", "ARTICLE II", "ARTICLE III", "ARTICLE IV", "ARTICLE V"]


def test_the_last_article_ends_where_the_next_number_begins_a_line() -> None:
    text = f"{articles()}ARTICLE VI – COSTS,\n\nTAXES AND DUTIES\n\nEach party bears its own.\n"
    assert label_at(text, "In V we") == "ARTICLE V"
    assert section_at(text, "Each party bears") is None


def test_an_item_after_a_missing_letter_is_cited_by_the_section_around_it() -> None:
    text = (
        f"SCHEDULE 2\n\nA. Capacity. {WORDS}\n\nB. Term. {WORDS}\n\nC. i) Designated shipper: none.\n\n"
        f"D. Other terms. {WORDS}\n\nE. Notices. {WORDS}\n"
    )
    assert label_at(text, "Term.") == "SCHEDULE 2.B"
    assert label_at(text, "Designated shipper") == "SCHEDULE 2"
    assert label_at(text, "Notices.") == "SCHEDULE 2.E"


def test_clauses_with_their_chapter_s_number_need_no_certain_chapter() -> None:
    text = articles().replace("In III we agree.", "3.1 Duty. They indemnify.\n\n3.2 Costs. In III we agree.")
    assert label_at(text, "They indemnify") == "3.1"
    assert label_at(text, "In III we") == "3.2"


def test_a_number_in_a_running_line_counts_as_the_missing_one() -> None:
    text = articles()
    start = text.index("ARTICLE III")
    lines = (Line(start, start + 11, (0.1, 0.1, 0.2, 0.2), running=True),)
    assert section_at(text, "In III we", pages=(Page(1, 0, len(text), lines=lines),)) is None


def test_the_last_untitled_clause_ends_where_it_is_far_longer_than_the_others() -> None:
    clauses = "".join(f"{number}. We agree on matter {number} as set out here.\n" for number in range(1, 5))
    rest = "".join(f"Further words {number}.\n" for number in range(200)) + "General\n1. Notices are given.\n2. Law of Ohio.\n"
    assert label_at(clauses + rest, "Further words 1.") == "4"
    assert section_at(clauses + rest, "Further words 199.") is None
    assert section_at(clauses + rest, "Law of Ohio") is None


def test_an_untitled_clause_before_a_titled_one_is_as_long_as_it_is() -> None:
    clauses = "".join(f"{number}. We agree on matter {number} as set out here.\n" for number in range(1, 4))
    further = "Further words.\n" * 60
    text = f"{clauses}{further}Last words.\n4. SECURITY\n\nIt is safe.\n"
    assert label_at(text, "Last words") == "3"


def test_numbers_below_a_letter_whose_chapter_is_not_placed_are_not_cited() -> None:
    clauses = "".join(f"{number}. We agree on matter {number} as set out here.\n" for number in range(1, 6))
    assert label_at(f"B. GENERAL\n{clauses}", "matter 4") is None
    assert label_at(f"A. GENERAL\n{clauses}", "matter 4") == "A.4"


def test_a_number_continues_the_list_that_lacks_none() -> None:
    clauses = "".join(f"{number}. CLAUSE {'ABCDEFGH'[number - 1]}\n\n{WORDS}\n\n" for number in range(1, 7))
    listed = "7. VEHICLES\n\nThe following are prohibited:\n\n1. Vehicles with flat tires.\n\n2. Boats.\n\n3. Trailers.\n\n4. Vans.\n\n"
    text = f"{clauses}{listed}8. ACCESS\n\nThe landlord enters.\n\n9. WAIVER\n\nNone is implied.\n\n10. LAW\n\nOhio.\n"
    assert label_at(text, "The landlord enters") == "8"
    assert label_at(text, "None is implied") == "9"


def test_the_title_of_a_document_without_other_headings_is_no_section() -> None:
    text = f"# Employee Agreement\n\n{WORDS}\n\n1. Ours. It is ours.\n\n2. Yours. It is yours.\n\n3. Law. Ohio.\n"
    heading = (Heading(2, 20, 1, None, "Employee Agreement"),)
    assert section_at(text, WORDS, heading) is None
    assert label_at(text, "It is yours", heading) == "2"


def test_an_exhibit_that_is_the_file_up_to_its_second_half_does_not_enclose_the_clauses() -> None:
    clauses = "".join(
        f"{number}. TITLE {'ABCDEFGHI'[number - 1]}\n\n{WORDS}\n\nAs {number} says.\n\n" for number in range(1, 10)
    )
    text = f"Exhibit A\nDeclarations Page\n\n{clauses}EXHIBIT B\n\nFORM\n\nSigned.\n\nEXHIBIT C\n\nRATES\n\nNone.\n"
    assert label_at(text, "As 7 says") == "7"


@pytest.mark.parametrize(
    ("label", "following"),
    [
        ("ARTICLE IV", ["ARTICLE V"]),
        ("Exhibit I", ["Exhibit J", "Exhibit II"]),
        ("F", ["G"]),
        ("12.9", ["12.10"]),
        ("ii", ["iii"]),
        ("XXXIX", ["XL"]),
        ("ARTICLE VIX", []),
        ("(a)", []),
        ("Z", []),
    ],
)
def test_labels_that_may_follow(label: str, following: list[str]) -> None:
    assert following_labels(label) == following


def clauses(*numbers: int) -> str:
    return "".join(f"{number}. TITLE {'ABCDEFGHIJ'[number]}\n\nIn {number} we agree.\n\n{WORDS}\n\n" for number in numbers)


def test_a_clause_is_certain_for_its_first_paragraph_where_its_list_lacks_the_next_number() -> None:
    text = clauses(1, 2).replace("In 2 we agree.", "In 2 we agree.\n\nLater in 2.") + clauses(5)
    assert [label_at(text, words) for words in ("In 1", "2. TITLE", "Later in 2", "In 5")] == ["1", "2", None, "5"]


def test_a_clause_that_lacks_the_next_is_certain_up_to_the_list_in_it_that_begins_again() -> None:
    items = "(a) one of the items;\n\n(b) another item.\n\n"
    text = f"1. TERM\n\nIn 1 we agree.\n\n{items}{items}Later in 1.\n\n" + clauses(3, 4)
    assert label_at(text, "In 1") == "1"
    assert label_at(text, "Later in 1") is None


def test_the_section_after_one_with_a_letter_is_the_next_number() -> None:
    numbers = ("1", "2", "2A", "3", "4")
    text = "".join(f"{number}. TITLE\n\nIn {number} we agree.\n\nAnd so it stays in {number}.\n\n" for number in numbers)
    assert [label_at(text, f"And so it stays in {number}.") for number in numbers] == list(numbers)


def test_the_last_clause_of_all_is_certain_for_some_paragraphs() -> None:
    text = clauses(1, 2, 3) + f"{WORDS}\n\n" * 40 + "The last words.\n"
    assert label_at(text, "In 3") == "3"
    assert section_at(text, "The last words") is None


def test_a_number_that_begins_two_sentences_is_not_cited() -> None:
    text = clauses(1, 2, 3, 4).replace("In 3 we agree.", "In 3 we agree. 3. Notices. They are given in writing.")
    assert [label_at(text, f"In {number}") for number in range(1, 5)] == ["1", "2", None, "4"]


def test_a_schedule_other_than_the_first_before_all_clauses_is_a_row_of_a_list() -> None:
    text = f"AGREEMENT\n\n{WORDS * 8}\n\nSCHEDULE C\n\nSUMMARY OF CAPACITY\n\n{WORDS}\n\n" + clauses(1, 2, 3)
    assert label_at(text, "In 2") == "2"


def test_an_item_that_the_file_does_not_mark_ends_the_marked_one_before_it() -> None:
    text = f"4. Banks\n\n(c) Bank defined\n\nIt is a bank. {WORDS}\n\n(d) \u201cSubsidiary\u201d means a company.\n\n5. Powers\n\nNone.\n"
    headings = tuple(
        Heading(text.index(words), text.index(words) + len(words), level, None, words)
        for words, level in (("4. Banks", 1), ("(c) Bank defined", 2), ("5. Powers", 1))
    )
    assert label_at(text, "It is a bank", headings) == "4(c)"
    assert label_at(text, "means a company", headings) == "4"
