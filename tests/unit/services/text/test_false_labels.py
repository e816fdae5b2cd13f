"""Words that look like headings and are none, or that end the clause before them."""

from __future__ import annotations

from orderly.models import Heading, Section
from orderly.services.text.sections import find_sections

WORDS = "The parties act in good faith in all their dealings with each other."


def section_at(text: str, words: str, headings: tuple[Heading, ...] = ()) -> Section | None:
    at = text.index(words)
    return next((one for one in reversed(find_sections(text, headings)) if one.start <= at < one.end), None)


def label_at(text: str, words: str, headings: tuple[Heading, ...] = ()) -> str | None:
    found = section_at(text, words, headings)
    return found.label if found else None


def marked(text: str) -> tuple[Heading, ...]:
    """The headings of Markdown, as its reader marks them."""
    found, start = [], 0
    for line in text.splitlines(keepends=True):
        if line.startswith("#"):
            level = len(line) - len(line.lstrip("#"))
            found.append(Heading(start, start + len(line) - 1, level, None, line.strip("# \n")))
        start += len(line)
    return tuple(found)


def test_exhibits_listed_in_one_line_enclose_nothing() -> None:
    articles = "".join(
        f"ARTICLE {n}   TITLE {'ABCDE'[n]}\n\nSection {n}.1 Duty. As {n} says. {WORDS * 4}\n\n" for n in range(1, 5)
    )
    rows = "Exhibit A         List of Products           Exhibit B         The Territory           Exhibit C         Form"
    assert (
        label_at(
            f"{WORDS * 6}\n\nSALES AGREEMENT\n\nEXHIBITS\n\n          {rows}\n\nThis is an agreement.\n\n{articles}",
            "As 3 says",
        )
        == "3.1"
    )


def test_attachments_listed_after_dashes_enclose_nothing() -> None:
    rows = (
        f"Attachment A - {'General Terms of the Seller and of its Affiliates and Others ' * 2}Attachment B - List of Affiliates"
    )
    text = f"{WORDS * 6}\n\nTERMS\n\nThe attachments are:\n\n{rows}\n\nPRECEDENCE\n\nThe agreement prevails.\n\nATTACHMENT A\n\n1. PRICE\n\nTen.\n"
    assert label_at(text, "The agreement prevails") is None
    assert label_at(text, "Ten.") in {"ATTACHMENT A, Section 1", "ATTACHMENT A"}


def test_the_initial_of_a_name_ends_no_title() -> None:
    text = f"1. Opinions. {WORDS}\n\n(a) Jane R. Roe, Esq., shall have given an opinion.\n\n(b) Class A. {WORDS}\n\n2. Law. {WORDS}\n"
    found = section_at(text, "shall have given")
    assert found is not None and (found.label, found.title) == ("1(a)", None)


def test_an_item_whose_letter_stands_alone_ends_the_one_before_it() -> None:
    text = f"1. Promotion.\n\nA. Design. {WORDS}\n\nB. Delivery. {WORDS}\n\nC.\n\n(i) Impressions are delivered.\n\nD. Boards. {WORDS}\n"
    assert label_at(text, "Delivery") == "1.B"
    assert label_at(text, "Impressions") == "1"
    assert label_at(text, "Boards") == "1.D"


def test_an_item_in_other_brackets_ends_the_one_before_it() -> None:
    text = (
        f"1. Covenants.\n\na. Sales. {WORDS}\n\nb. Staff.\n\n(i) They stay. {WORDS}\n\n(c) Accounts.\n\n(i) They are paid.\n\n"
        f"(ii) Payments are applied. {WORDS}\n\nd. Budget. {WORDS}\n"
    )
    assert label_at(text, "They stay") in {"1.b(i)", "1.b"}
    assert label_at(text, "Payments are applied") == "1"
    assert label_at(text, "Budget") == "1.d"


def test_a_report_quoted_by_a_judgment_has_no_number_of_its_own() -> None:
    paragraphs = [f"{n}. The court in [{2000 + n}] EWHC {n} (QB) held so. {WORDS}" for n in range(1, 13)]
    quoted = "12.6 \tHe appears to have gained some insight into his acts."
    text = "\n\n".join([*paragraphs[:9], quoted, *paragraphs[9:]])
    start = text.index(quoted)
    assert label_at(text, "some insight", (Heading(start, start + len(quoted), 1, None, quoted),)) in {"[9]", None}


def test_a_number_alone_above_the_rest_of_a_sentence_is_no_heading() -> None:
    clauses = "".join(f"{n}. TITLE {'ABCDEFGHI'[n - 1]}\n\n{WORDS}\n\n" for n in range(1, 9))
    text = f"{clauses}9. AFFILIATES\n\n9.1 Duties. Each is bound by Section 9\n\n10.\n\nand this section. They are parties.\n\n11. LAW\n\nOhio.\n"
    assert label_at(text, "Each is bound") == "9.1"
    assert label_at(text, "They are parties") is None


def test_names_in_a_line_of_numbers_are_no_chapters() -> None:
    rows = " ".join(f"{n}. Method {n} - Connections go to the member that answers." for n in range(10, 16))
    text = f"{WORDS * 40}\n\nThe methods are: {rows}\n\n{WORDS * 40}\n\nThe last words.\n"
    assert section_at(text, "The last words") is None


def test_the_words_above_signatures_end_the_last_clause() -> None:
    clauses = "".join(f"{n}. Title {n}. {WORDS}\n\n" for n in range(1, 5))
    assert (
        section_at(f"{clauses}THE FOREGOING IS UNDERSTOOD AND AGREED TO BY:\n\nThe Bank   The Supplier\n", "The Bank") is None
    )


def test_a_provision_that_an_amendment_inserts_has_the_number_of_the_amendment() -> None:
    text = (
        "An Act to amend.\n\n## Schedule 1 Amendments\n##### 4  Section 8\n    Repeal the section.\n##### 5  Division 4 of Part 3\n"
        "    Repeal the Division, substitute:\n#### Division 4--Limits\n##### 5  Limits of hours\n    Fifty hours apply.\n"
        "##### 6  Circumstances of a limit\n    Care was needed.\n##### 7  Sole provider\n    One provides.\n"
        "##### 6  Subsection 9(2)\n    Omit all words.\n##### 7  Clause 8 of Schedule 2\n    Repeal it.\n"
    )
    assert label_at(text, "Care was needed", marked(text)) == "Schedule 1, Section 5"
    assert label_at(text, "Omit all words", marked(text)) == "Schedule 1, Section 6"


def test_an_endnote_after_an_inserted_provision_ends_it() -> None:
    text = (
        f"An Act to amend.\n\n## Schedule 4\n##### 6  After section 5\n    Insert:\n##### 5A  Recalculation\n    It is done. {WORDS * 5}\n"
        f"##### Endnote 6--Miscellaneous\n    A table of repeals. {WORDS}\n"
    )
    assert label_at(text, "It is done", marked(text)) == "Schedule 4, Section 6"
    assert label_at(text, "A table of repeals", marked(text)) is None
