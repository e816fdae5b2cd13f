"""What a bracket of an answer cites: short ids in all written forms, and places of the document that stands around them."""

from __future__ import annotations

from typing import Any

import pytest

from orderly.services.citations.cited import plain_brackets, read_cited
from support.gated import gate_over, shown, stream, told, view_of
from support.lease import LEASE

DEED = LEASE.replace("$4,500", "$5,200").replace("ninety (90)", "sixty (60)").replace("New South Wales", "Victoria")
TWO = {"lease.txt": LEASE, "deed.txt": DEED}
MAIL = "From: ada@firm.example\n\nThe keys are in the blue box behind the counter.\n\nThe alarm is off."


@pytest.mark.parametrize(
    "bracket",
    ["[D2 2.1]", "[D2, 2.1]", "[D2-2.1]", "[D2: 2.1]", "[D2 cl 2.1]", "[D2, clause 2.1]", "[D2, Section 2.1]", "[D2 Section 2.1 (Rent)]", "[D2 s 2.1]",
     "【D2 2.1】", "【D2 2.1†source】", "[D2 2.1†L3-L9]", "［D2 2.1］", "〔D2 2.1〕", "(D2 2.1)", "(D2, cl 2.1)", "**[D2 2.1]**", "**(D2 2.1)**", "[**D2 2.1**]", "[D2 2.1](#x)",
     "[D2 2.1](https://evil.example/a)", "[deed.txt, Section 2.1]", "[deed.txt, Page 1, Section 2.1 (Rent)]", "[deed, Section 2.1]", "[DEED.TXT, clause 2.1]"],
)  # fmt: skip
async def test_a_short_id_or_a_name_with_a_place_is_read_in_every_form(bracket: str) -> None:
    gate = gate_over(TWO)
    *texts, ending = await stream(f"Unlike lease.txt, it is {bracket} so.", gate)
    sent = "".join(texts).replace("**", "")
    assert (sent, ending) == ("Unlike lease.txt, it is [1] so.", "\n\nSources:\n- [1] deed.txt, Section 2.1")


@pytest.mark.parametrize(
    ("answer", "sent", "places"),
    [
        ("Some pay (D1, D2). It pays [D1 2.1].", "Some pay (lease, deed). It pays [1].", ["lease.txt 2.1"]),
        ("Both pay [D1 2.1; D2 2.1].", "Both pay [1] [2].", ["lease.txt 2.1", "deed.txt 2.1"]),
        ("It pays [D1 2.1, 3.1].", "It pays [1] [2].", ["lease.txt 2.1", "lease.txt 3.1"]),
        ("It pays [D1 2.1; 3.1 and D2 4.1].", "It pays [1] [2] [3].", ["lease.txt 2.1", "lease.txt 3.1", "deed.txt 4.1"]),
        ("It pays [D1 2.1-2.2].", "It pays [1].", ["lease.txt 2"]),
        ("See D2, and [D1] too.", "See deed, and [lease.txt] too.", []),
        ("It pays [D2 2.1]. D2 ends (see D1.2).", "It pays [1]. deed ends (see D1.2).", ["deed.txt 2.1"]),
        ("In deed.txt it pays [Section 2.1].", "In deed.txt it pays [1].", ["deed.txt 2.1"]),
        ("Unlike lease.txt, deed.txt pays [Section 2.1].", "Unlike lease.txt, deed.txt pays [1].", ["deed.txt 2.1"]),
        ("## deed.txt\n\nRent [Section 2.1].", "## deed.txt\n\nRent [1].", ["deed.txt 2.1"]),
        ("**deed**\n\n- Rent [Section 2.1]\n", "**deed**\n\n- Rent [1]\n", ["deed.txt 2.1"]),
        ("- deed: rent [Section 2.1]\n- D1: rent [Section 2.1]\n", "- deed: rent [1]\n- lease: rent [2]\n", ["deed.txt 2.1", "lease.txt 2.1"]),
        ("| File | Rent |\n|---|---|\n| deed | $5,200 [Section 2.1] |\n", "| File | Rent |\n|---|---|\n| deed | $5,200 [1] |\n", ["deed.txt 2.1"]),
        ("| | lease | deed |\n|---|---|---|\n| Rent | $4,500 [Section 2.1] | $5,200 [Section 2.1] |\n", "| | lease | deed |\n|---|---|---|\n| Rent | $4,500 [1] | $5,200 [2] |\n", ["lease.txt 2.1", "deed.txt 2.1"]),
        ("It pays [Section 2.1].", "It pays [1] [2].", ["lease.txt 2.1", "deed.txt 2.1"]),
        ("“Past due amounts bear interest at eight percent”", "“Past due amounts bear interest at eight percent” [1] [2]", ["lease.txt 2.2", "deed.txt 2.2"]),
        ("“governed by and construed in accordance with the laws of Victoria”", "“governed by and construed in accordance with the laws of Victoria” [1]", ["deed.txt 5.1"]),
        ("“Past due amounts bear interest at eight percent” [D2 2.2]", "“Past due amounts bear interest at eight percent” [1]", ["deed.txt 2.2"]),
        ("“Either party may terminate ... to the other party.” [D1 3.1]", "“Either party may terminate ... to the other party.” [1] [2]", ["lease.txt 3.1", "lease.txt 3.1"]),
    ],
)  # fmt: skip
async def test_a_citation_is_numbered_at_the_place_of_the_document_that_is_meant(
    answer: str, sent: str, places: list[str]
) -> None:
    gate = gate_over(TWO)
    assert await shown(answer, gate) == sent
    assert [f"{c['document_name']} {c['section_label']}" for c in gate.cited] == places


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ("It pays [D9 2.1].", "No document of that name was read."),
        ("It pays [Deed 2019.pdf, Page 3].", "No document of that name was read."),
        ("It pays [D1 44.1].", "lease.txt has no 44.1."),
        ("It pays [lease.txt, Section 44].", "lease.txt has no Section 44."),
        ("It pays [lease.txt, Page 9].", "lease.txt has no such page."),
        ("It ends so: “with the laws of Victoria” [D1 5.1].", "The quoted words stand in deed.txt, Section 5.1, not in lease.txt."),
        ("“The Lessee shall pay rent of $4,500 per month” [D1 3.1]", "The quoted words stand in lease.txt, Section 2.1, not in 3.1."),
        ("“The Lessee shall pay rent of $4,500 per month” [Old.pdf]", "The quoted words stand in lease.txt, Section 2.1, not in Old.pdf."),
        ("See clause 44.7 on this.", "No document that was read has clause 44.7."),
        ("Section 97 of lease.txt deals with pets.", "No document that was read has Section 97."),
        ("On page 40, pets are allowed.", "No document that was read has page 40."),
        ("Section 97 of the Leases Act 1985 (Cth) applies.", ""),
        ("There is no clause 44. It pays [2019].", ""),
    ],
)  # fmt: skip
async def test_a_place_that_is_not_there_is_told_and_stays_as_written(answer: str, reason: str) -> None:
    gate = gate_over(TWO)
    assert [why for _, why in await told(answer, gate)] == ([reason] if reason else [])
    assert "“" in answer or gate.text == answer


async def test_a_short_id_of_two_documents_cites_none_of_them() -> None:
    gate = gate_over(TWO, handles={"deed.txt": "D1"})
    assert await told("The rent is due [D1 2.1].", gate) == [("not found", "No document of that name was read.")]
    assert gate.cited == []


async def test_passages_without_a_label_have_ids_of_their_own() -> None:
    view, name = view_of("mail.eml", MAIL), "The alarm"
    passages = [view.passage(MAIL.index(w), len(MAIL)).record() | {"id": f"p-{w}"} for w in ("The keys", name)]
    handles = {"p-The keys": "D1 P1", f"p-{name}": "D1 P2"}
    gate = gate_over({"mail.eml": MAIL}, passages=passages, handles=handles)
    assert await shown("It is off [D1 P2], and [mail.eml, D1 P1].", gate) == "It is off [1], and [2]."
    assert [MAIL[c["start"] :][:9] for c in gate.cited] == ["The alarm", "The keys "]


@pytest.mark.parametrize(
    ("inner", "cited"),
    [
        ("D1 6.2", [(("a",), "6.2", "")]),
        ("D1 ¶42", [(("a",), "¶42", "")]),
        ("P3", [((), "", "p")]),
        ("A; B.pdf, Page 3; Section 4", [(("b",), "Page 3", ""), (("b",), "Section 4", "")]),
        ("Section 4", [(("c",), "Section 4", "")]),
    ],
)
def test_parts_of_a_bracket_have_their_documents(inner: str, cited: list[Any]) -> None:
    found = read_cited(inner, {"A; B.pdf": ["b"]}, {"D1": ["a"], "P3": ["p"]}, ["c"])
    assert [(one.documents, one.place, one.passage) for one in found] == cited


@pytest.mark.parametrize("text", ["【1】", "(see D)", "(D1x)", "［sic］", "A D2-shaped (thing)", "Vitamin D3 and [sic]."])
def test_other_brackets_stay(text: str) -> None:
    assert plain_brackets(text) == text
