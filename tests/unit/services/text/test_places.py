"""The places of a document that a citation names, in the forms that lawyers and models write."""

from __future__ import annotations

import pytest

from orderly.services.text.places import find_places
from support.gated import view_of

DEED = """DEED OF LEASE

1. Term
1.1 The term is five years.

2. Rent
2.1 The rent is payable monthly.
2.2 The rent is reviewed
(a) each year; and
(b) on each renewal.
\f
3. Notices
3.1 Notices are given by hand.
3.2 Notices by e-mail are void.
3.3 A fax is a letter.

Schedule 1 - Premises
1. The shop at 4 Quay Street.
2. The cellar below it, with:
(a) its stairs; and
(b) its door.

Schedule 2 - Special conditions

1. No animals are kept.

Signing page

Signed by the parties as a deed.
"""
JUDGMENT = "\n\n".join(
    [
        "SMITH v JONES",
        "REASONS FOR JUDGMENT",
        *(f"[{n}] The court considers point {n} of the appeal here." for n in range(1, 9)),
    ]
)
MAILS = "MESSAGE 1\n\nFrom: ada@firm.example\nSee the deed.\n\nMESSAGE 2\n\nFrom: bert@firm.example\nI have seen it.\n"


@pytest.mark.parametrize(
    ("named", "found"),
    [
        ("Section 2.1", ["2.1 The rent is payable"]), ("2.1", ["2.1 The rent is payable"]), ("cl 2.1", ["2.1 The rent is payable"]),
        ("clause 2.1", ["2.1 The rent is payable"]), ("cls 2.1 and 3.1", ["2.1 The rent is payable", "3.1 Notices are given"]), ("s 2.1", ["2.1 The rent is payable"]),
        ("§ 2.1", ["2.1 The rent is payable"]), ("Section 2 (Rent)", ["2. Rent"]), ("Rent", ["2. Rent"]), ("Section 2", ["2. Rent"]),
        ("2.2(b)", ["(b) on each renewal."]), ("clause 2.2(c)", ["2.2 The rent is reviewed"]), ("2.1, 3.2", ["2.1 The rent is payable", "3.2 Notices by e-mail"]),
        ("3.1-3.3", ["3.1 Notices are given"]), ("3.1 to 3.3", ["3.1 Notices are given"]), ("3.1–3.3", ["3.1 Notices are given"]),
        ("Page 2", ["3. Notices"]), ("p. 2", ["3. Notices"]), ("pp 1-2", ["DEED OF LEASE"]), ("Page 2, Section 3.1", ["3.1 Notices are given"]),
        ("Page 1, Section 3.1", ["DEED OF LEASE"]), ("Schedule 1", ["Schedule 1 - Premises"]), ("Schedule 2, paragraph 1", ["1. No animals"]), ("Schedule 1, item 2", ["2. The cellar"]), ("Schedule 1, paragraph 1", ["1. The shop"]), ("Schedule 1, paragraph 2(b)", ["(b) its door."]),
        ("Special conditions", ["Schedule 2 - Special"]), ("Signing page", ["Signing page"]), ("Clause 9.9", []), ("Page 7", []), ("", []), ("the whole of it", []),
    ],
)  # fmt: skip
def test_a_place_of_a_deed_is_found(named: str, found: list[str]) -> None:
    view = view_of("deed.txt", DEED)
    assert [view.text[a:b].strip()[: len(f)] for (a, b), f in zip(find_places(view, named), found, strict=True)] == found


def test_a_range_and_several_pages_end_with_their_last() -> None:
    view = view_of("deed.txt", DEED)
    ends = [view.text[:b].rstrip()[-16:] for named in ("3.1-3.2", "pp 1-2") for _, b in find_places(view, named)]
    assert ends == ["e-mail are void.", "rties as a deed."]


@pytest.mark.parametrize("named", ["¶4", "¶ 4", "[4]", "paragraph 4", "para 4", "at [4]", "4"])
def test_a_paragraph_of_a_judgment_is_found(named: str) -> None:
    view = view_of("judgment.txt", JUDGMENT)
    [(start, end)] = find_places(view, named)
    assert view.text[start:end].strip() == "[4] The court considers point 4 of the appeal here."


@pytest.mark.parametrize("named", ["mail 2", "Message 2", "e-mail 2"])
def test_a_mail_of_a_chain_is_found(named: str) -> None:
    view = view_of("chain.eml", MAILS)
    assert [view.text[a:b].strip()[-15:] for a, b in find_places(view, named)] == ["I have seen it."]
