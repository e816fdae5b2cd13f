"""Sentences, and the titles above them."""

from __future__ import annotations

import pytest

from orderly.services.engines.local.document_analysis import analyse, untitled
from orderly.services.engines.local.sentences import is_heading, sentences

POLICY = """\
What we collect

We collect your name and your address when you fill in a form.

Who we share it with

We give your information to laboratories and to your insurer.

Complaints

Write to the Privacy Officer, PO Box 419, Parramatta NSW 2124. We answer within thirty days.
"""
LEASE = """\
Rent terms apply.

3. Rent increases
3.1 The rent must not be increased during the fixed term.

4. Keeping of animals
The tenants may keep one cat, but no other animal of any kind.
"""
LETTER = """\
Dear Directors

We act for your landlord, who lets the premises to you.

Your rent is late. Pay it within fourteen days of this letter.
"""


@pytest.mark.parametrize(
    ("text", "said", "heading"),
    [
        (f"Read this first.\n\n{POLICY}", "We collect your name", "What we collect"),
        (POLICY, "We give your information", "Who we share it with"),
        (POLICY, "Write to the Privacy Officer", "Complaints"),
        (
            POLICY.replace("when you fill in a form.\n", "when you fill in a form.\n\nSite: Lot 7\n"),
            "We give",
            "Who we share it with",
        ),
        (LEASE, "3.1 The rent", "Rent increases"),
        (LEASE, "4. Keeping", "Keeping of animals"),
        (LETTER, "We act", ""),
    ],
)
def test_a_title_of_any_letters_in_its_own_line_heads_what_follows(text: str, said: str, heading: str) -> None:
    found = next(s for s in sentences(text) if text[s.start : s.end].startswith(said))
    assert found.heading == heading


def test_a_title_is_no_sentence_that_may_answer() -> None:
    text = f"Read this first.\n\n{POLICY}"
    shown = [text[s.start : s.end] for s in untitled(analyse(text)).sentences]
    assert len(shown) == 5 and "What we collect" not in shown


def test_a_heading_with_the_marks_of_markdown_is_one_title() -> None:
    text = (
        "# HIRE AGREEMENT\n\n## 3. Confidentiality\n3.1 Each party keeps prices secret.\n\n**4. Fees**\n\nThe Hirer pays $5.\n"
    )
    found = sentences(text)
    assert [text[s.start : s.end] for s in found if is_heading(text[s.start : s.end])] == [
        "# HIRE AGREEMENT",
        "## 3. Confidentiality",
        "**4. Fees**",
    ]
    assert [s.heading for s in found][-1] == "Fees"
