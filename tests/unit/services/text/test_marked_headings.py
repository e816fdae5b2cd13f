"""Headings that a file marks, as Markdown and Word do."""

from __future__ import annotations

import re

import pytest

from orderly.models import Heading, Section
from orderly.services.text.sections import find_sections

WORDS = "This provision has words of its own, and they are enough to tell it from a line of a title page or of a table. " * 2


def marked(text: str) -> tuple[Heading, ...]:
    """The headings of a Markdown text."""
    return tuple(
        Heading(match.start(), match.end(), len(match[1]), None, match[2])
        for match in re.finditer(r"^(#+) (.+)$", text, re.MULTILINE)
    )


def sections(text: str) -> list[tuple[str | None, str | None]]:
    return [(section.label, section.title) for section in find_sections(text, marked(text))]


def section_at(text: str, words: str, headings: tuple[Heading, ...] | None = None) -> Section | None:
    at = text.index(words)
    found = find_sections(text, marked(text) if headings is None else headings)
    return next((section for section in reversed(found) if section.start <= at < section.end), None)


def label_at(text: str, words: str) -> str | None:
    found = section_at(text, words)
    return found.label if found else None


def act(*headings: str) -> str:
    return "".join(f"{heading}\n\n{WORDS}\n\n" for heading in headings)


def test_parts_and_divisions_are_read_from_the_words_of_the_heading() -> None:
    text = "# The Act\n\n" + act(
        "### Part 1--Preliminary", "##### 1  Short title", "### Part 2: Sanctions", "#### Division 1—General", "##### 3A  Power"
    )
    assert sections(text) == [
        ("Part 1", "Preliminary"), ("1", "Short title"), ("Part 2", "Sanctions"), ("Part 2, Division 1", "General"), ("3A", "Power"),
    ]  # fmt: skip


def test_sections_of_a_code_contain_their_lettered_headings() -> None:
    text = f"# Title 20— EDUCATION\n## CHAPTER 70— SCHOOLS\n### § 7703d. Assistance\n#### (c) Calculation\n\n(1) Rata\n\n{WORDS}\n\n(2) Rate\n\n{WORDS}\n"
    assert sections(text) == [
        ("CHAPTER 70", "SCHOOLS"), ("7703d", "Assistance"), ("7703d(c)", "Calculation"), ("7703d(c)(1)", "Rata"), ("7703d(c)(2)", "Rate"),
    ]  # fmt: skip


def test_the_title_page_and_the_contents_are_no_sections() -> None:
    front = "Note: a copy.\n\n# The Act\n\n##### Act No. 28 of 1975\n##### Prepared by the Office\n\n## Contents\n\n* 1 Short title\n\n"
    text = front + "### An Act to provide\n\n" + act("##### 1 Short title", "##### 2 Commencement", "##### 3 Penalty")
    assert [label for label, _ in sections(text)] == ["1", "2", "3"]
    assert section_at(text, "Prepared by") is section_at(text, "* 1 Short title") is None


def test_an_introduction_with_words_of_its_own_stays_a_section() -> None:
    text = "# Policy\n\n" + act("## Background", "## 1. Scope", "## 2. Use", "## 3. Contact")
    assert sections(text)[0] == (None, "Background")


@pytest.mark.parametrize("notes", ["Endnotes", "Notes to the Example Act 1975"])
def test_headings_without_numbers_before_the_notes_to_an_act_are_sections(notes: str) -> None:
    text = "# The Act\n\n" + act("## Alpha") + "## Beta\n\nShort.\n\n" + act("## Gamma", f"## {notes}", "## 1 Another Act")
    assert [title for _, title in sections(text)][:3] == ["Alpha", "Beta", "Gamma"]
    assert section_at(text, "## 1 Another Act") is None
    assert [title for _, title in sections(text[: text.index("## 1 Another Act")])][:3] == ["Alpha", "Beta", "Gamma"]


def test_notes_to_accounts_are_sections_like_others() -> None:
    text = (
        "# Report\n\n" + act("## Alpha") + "## Beta\n\nShort.\n\n" + act("## Gamma", "## Notes to the accounts", "## Revenue")
    )
    assert [title for _, title in sections(text)] == ["Alpha", "Beta", "Gamma", "Notes to the accounts", "Revenue"]


def test_dates_quotations_and_cells_of_a_table_are_no_headings() -> None:
    text = act("## 1 Title", "## 7 March 2006", "## “We hereby give notice", "## 2 Start")
    assert [label for label, _ in sections(text) if label] == ["1", "2"]
    table = act("## 1 Title") + "## Column 1\n## Column 2\n## Provision\n## Date\n\n1 July.\n\n" + act("## 2 Start")
    assert label_at(table, "1 July") == "1"


def test_a_provision_that_an_amendment_inserts_belongs_to_the_amendment() -> None:
    text = (
        "# The Act\n\n## 1 Title\n\nThis is it.\n\n## Schedule 1—Amendments\n\n### 1  Section 3\n\nOmit it.\n\n### 2  Sections 4 and 5\n\nRepeal them, substitute:\n\n"
        "### 5A  Functions of the Board\n\nThe Board advises.\n\n### 5B  Limits\n\nNone.\n\n### 3  Section 9\n\nRepeal it.\n"
    )
    assert label_at(text, "The Board advises") == "Schedule 1, Section 2"
    assert label_at(text, "Repeal it") == "Schedule 1, Section 3"


def test_the_words_of_a_numbered_paragraph_are_no_title() -> None:
    text = "1. The tenant must pay the rent in advance.\n\n2. Deposit. It is held.\n\n3. Use\n\nOffices only.\n"
    spots = [(text.index(words), words) for words in ("1. The", "2. Dep", "3. Use")]
    titles = ("The tenant must pay the rent in advance.", "Deposit. It is held.", "Use")
    headings = tuple(
        Heading(start, start + len(title) + 3, 1, words[0], title) for (start, words), title in zip(spots, titles, strict=True)
    )
    found = [(section.label, section.title) for section in find_sections(text, headings)]
    assert found == [("1", None), ("2", "Deposit"), ("3", "Use")]


def test_an_item_that_the_file_marks_is_labelled_as_the_text_writes_it() -> None:
    text = "2. Issues\n\nThey are:\n\n(i) whether it was due; and\n\n(ii) whether it was paid.\n\n3. Costs\n\nNone.\n"
    at = text.index("(i) whether"), text.index("(ii) whether")
    headings = (
        Heading(0, 9, 1, "2", "Issues"),
        Heading(at[0], at[0] + 28, 2, "i", "whether it was due; and"),
        Heading(at[1], at[1] + 25, 2, "ii", "whether it was paid."),
        Heading(text.index("3. Costs"), text.index("3. Costs") + 8, 1, "3", "Costs"),
    )
    found = section_at(text, "it was paid", headings)
    assert found is not None
    assert (found.label, found.title) == ("2(ii)", None)


def test_a_heading_may_be_its_number_alone() -> None:
    assert sections(act("## 4. POWERS", "### 4.1. Powers", "#### 4.1.1", "#### 4.1.2"))[2:] == [
        ("4.1.1", None),
        ("4.1.2", None),
    ]


def test_what_a_converter_leaves_of_running_heads_belongs_to_no_section() -> None:
    text = act("## 1 Title", "## 2 Start", "## 3 Power") + "##### Section  STYLEREF  CharSectno  * CHARFORMAT 27\n\nPAGE 3\n"
    assert section_at(text, "PAGE 3") is None
    assert (
        section_at(act("## 1 Title", "## 2 Start") + "[Minister's second reading speech made in—\n\nSenate]\n", "Senate")
        is None
    )


def test_an_appendix_stands_in_the_schedule_that_the_file_marks() -> None:
    text = (
        act("## 1 Title", "## 2 Start", "## Schedule 4—Resolution")
        + f"APPENDIX 2\nNOXIOUS SUBSTANCES\n\nNaphthalene. {WORDS}\n"
    )
    assert label_at(text, "Naphthalene") == "Schedule 4, APPENDIX 2"


def test_a_section_stands_in_its_part_after_words_of_execution() -> None:
    text = (
        "# The Act\n\n"
        + act("### Part 2—Terms", "##### 10 Definitions")
        + "By:\t_____________\n\n"
        + act("#### Division 3—Operation", "##### 11 Use")
    )
    assert label_at(text, "#### Division 3") == "Part 2, Division 3"


def test_headings_are_no_rows_of_contents() -> None:
    bodies = "".join(f"##### {at}  Matter {at}\n\n   * (1) It is so.\n\n   * (2) It stays so.\n\n" for at in range(15, 25))
    text = "# The Act\n\n#### Division 4--Landing on runway 05\n\n" + bodies
    assert label_at(text, "##### 20  Matter") == "20"


def test_provisions_of_other_acts_in_the_notes_are_no_sections() -> None:
    text = "# The Act\n\n" + act(
        "## 1 Title", "## 2 Start", "## 3 Power", "## Notes to the Act", "## Schedule 3", "## 11 Regulations"
    )
    assert [label for label, _ in sections(text) if label] == ["1", "2", "3"]
    assert section_at(text, "## 11 Regulations") is None


def test_a_number_with_letters_after_its_stop() -> None:
    assert sections("# The Code\n\n" + act("## 11.2  Complicity", "## 11.2A  Joint commission")) == [
        ("11.2", "Complicity"), ("11.2A", "Joint commission"),
    ]  # fmt: skip


def test_numbers_of_four_digits_and_of_many_letters() -> None:
    text = "# The Act\n\n" + act("##### 44ZZCBA  Deferral", "##### 1211  Meaning of business", "##### 2019 Annual Report")
    assert [label for label, _ in sections(text)] == ["44ZZCBA", "1211", None]


def test_a_title_page_before_the_contents_names_nothing_even_if_one_heading_has_a_number() -> None:
    front = "Source\n\n# Quorum Act 1991\n\nPrepared by the Office\n\n## Contents\n\n* 3 Quorum\n\n"
    assert sections(f"{front}##### 3  Quorum\n\nOne quarter is necessary.\n") == [("3", "Quorum")]


def test_the_notes_to_an_act_name_no_section() -> None:
    body = act("##### 1  Short title", "##### 2  Objects", "##### 3  Regulations")
    text = f"# An Act\n\n{body}#### Notes to the Objects Act 1990\n\n##### Table of Acts\n\nThe Act of 1990. {WORDS}\n"
    assert label_at(text, "Regulations") == "3"
    assert section_at(text, "The Act of 1990") is None


def test_a_list_below_a_numbered_heading_is_cited_within_it() -> None:
    text = f"## ARTICLE III: Board\n\n### 3.1 Powers\n\nThey include: {WORDS}\n\n1. Hiring managers.\n2. Firing them.\n3. Others.\n\n### 3.2 Fees\n\nNone. {WORDS}\n"
    assert label_at(text, "Firing them") == "3.1, item 2"


def test_amendments_go_on_after_one_that_is_missing() -> None:
    text = (
        f"# An Act\n\nTo amend. {WORDS}\n\n## Schedule 2--Amendments\n\n##### 1  After section 22\n\nInsert:\n\n##### 22A  Formula\n\nIt is added.\n\n"
        "##### 4  Subsection 30(1)\n\nOmit the words.\n\n##### 5  Section 31\n\nRepeal the section.\n"
    )
    assert label_at(text, "Omit the words") == "Schedule 2, Section 4"
