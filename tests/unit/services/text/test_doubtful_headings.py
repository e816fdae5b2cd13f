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
