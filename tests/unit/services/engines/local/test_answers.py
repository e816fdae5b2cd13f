"""Reranking, extraction and classification by the offline engine."""

from __future__ import annotations

import json
import re
import time
from importlib import resources
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orderly.errors import EngineRefused
from orderly.services.engines.local import LocalEngine
from orderly.services.engines.local.sentences import fold_case, sentences
from orderly.services.values import party_names

STANDARD = (
    "termination", "indemnity", "limitation of liability", "confidentiality", "dispute resolution", "governing law",
    "force majeure", "assignment", "warranties", "payment terms",
)  # fmt: skip


def sections_of(agreement: str) -> list[tuple[int, int, str]]:
    found = list(re.finditer(r"^\d\. (.+)$", agreement, re.M))
    ends = [match.start() for match in found[1:]] + [len(agreement)]
    return [(match.start(), end, match[1]) for match, end in zip(found, ends, strict=True)]


def paragraph_start(agreement: str, position: int) -> int:
    return agreement.rfind("\n\n", 0, position + 1) + 2


async def test_the_answering_passage_is_ranked_first_and_every_passage_is_returned(engine: LocalEngine, agreement: str) -> None:
    passages = [part for part in agreement.split("\n\n") if len(part) > 60]
    ranked = await engine.rerank("How can a party get out of the deal without giving a reason?", passages)
    assert passages[ranked[0]["index"]].startswith("7.1")
    assert sorted(item["index"] for item in ranked) == list(range(len(passages)))
    scores = [item["score"] for item in ranked]
    assert scores == sorted(scores, reverse=True)
    assert all(0 <= score <= 1 for score in scores)


async def test_reranking_recognises_synonyms(engine: LocalEngine, agreement: str) -> None:
    passages = [part for part in agreement.split("\n\n") if len(part) > 60]
    ranked = await engine.rerank("cap on damages", passages)
    assert passages[ranked[0]["index"]].startswith("8.1")


async def test_party_names_in_a_query_do_not_prefer_the_passage_with_the_names(engine: LocalEngine, agreement: str) -> None:
    passages = [part for part in agreement.split("\n\n") if len(part) > 60]
    query = "In the Services Agreement between Wattle Mining Pty Ltd and Banksia Advisory Pty Ltd: which law applies?"
    ranked = await engine.rerank(query, passages)
    assert passages[ranked[0]["index"]].startswith("9.1")


async def test_reranking_no_texts_gives_no_results_and_an_empty_query_is_refused(engine: LocalEngine) -> None:
    assert await engine.rerank("law", []) == []
    assert {item["index"] for item in await engine.rerank("law", ["", "..."])} == {0, 1}
    with pytest.raises(EngineRefused):
        await engine.rerank(" ", ["text"])


@pytest.mark.parametrize(
    ("question", "clause", "answered"),
    [
        ("What law applies to this contract?", "9.1", True),
        ("Is there a maximum amount of liability?", "8.1", True),
        ("Who owns the reports?", "4.1", True),
        # The best candidate is right, but its confidence is below the threshold of an answer.
        ("Can the contract be transferred to somebody else?", "9.2", False),
        ("What insurance has to be taken out?", "5.1", False),
    ],
)
async def test_the_best_candidate_quotes_the_answering_clause(
    engine: LocalEngine, agreement: str, question: str, clause: str, answered: bool
) -> None:
    found = await engine.extract(question, agreement, top_k=2)
    assert 1 <= len(found["answers"]) <= 2
    assert all(agreement[a["start"] : a["end"]] == a["text"] for a in found["answers"])
    best = found["answers"][0]
    assert agreement[paragraph_start(agreement, best["start"]) :].startswith(f"{clause} ")
    assert found["answered"] is answered
    assert found["confidence"] == pytest.approx(1 - found["inextractability_score"])


async def test_a_question_for_a_date_is_answered_with_the_date_only(engine: LocalEngine, agreement: str) -> None:
    found = await engine.extract("On which date was the contract made?", agreement)
    assert found["answers"][0]["text"] == "3 March 2025"


@pytest.mark.parametrize(
    "question",
    [
        "Is source code to be placed in escrow?",
        "Which pets may live on the premises?",
        "What is the dosage of the medicine?",
        "Does a party have a right of first refusal?",
    ],
)
async def test_a_question_without_an_answer_in_the_document_is_not_answered(
    engine: LocalEngine, agreement: str, question: str
) -> None:
    found = await engine.extract(question, agreement)
    assert not found["answered"]
    assert found["inextractability_score"] > 0.5 > found["confidence"]


LETTER = """\
Saltbush Kindergarten Incorporated

4 May 2024

Dear Noor

Your new position

It is a pleasure to offer you the position of cook at our Nhill kindergarten.

First day
Please come to the office on 3 June 2024 at nine.

Wages
We will pay you $34.20 an hour into your bank account each fortnight.

Rostered hours
Your ordinary hours are 24 hours a week between 7.30 am and 2 pm.

Resigning
Please tell us in writing three weeks before you want to leave.

Uniform
We give you two aprons and wash them.
"""


@pytest.mark.parametrize(
    ("question", "quoted"),
    [
        (
            "How much notice must Noor give to resign?",
            "Resigning\nPlease tell us in writing three weeks before you want to leave.",
        ),
        ("What are the ordinary hours?", "Rostered hours\nYour ordinary hours are 24 hours a week between 7.30 am and 2 pm."),
    ],
)
async def test_the_part_of_a_letter_below_one_title_is_quoted_alone(engine: LocalEngine, question: str, quoted: str) -> None:
    best = (await engine.extract(question, LETTER))["answers"][0]
    assert best["text"] == quoted


async def test_extraction_refuses_an_empty_question_an_empty_text_and_no_answers(engine: LocalEngine) -> None:
    for call in (engine.extract(" ", "text"), engine.extract("q?", ""), engine.extract("q?", "text", top_k=0)):
        with pytest.raises(EngineRefused):
            await call
    assert not (await engine.extract("What law applies?", "***"))["answered"]


@pytest.mark.parametrize("with_sections", [True, False])
async def test_standard_clauses_are_found_in_their_sections(engine: LocalEngine, agreement: str, with_sections: bool) -> None:
    sections = sections_of(agreement) if with_sections else ()
    found = await engine.classify(agreement, STANDARD, sections=sections)
    texts = {label: " ".join(agreement[f["start"] : f["end"]] for f in found if f["label"] == label) for label in STANDARD}
    for label, words in {
        "termination": "ninety (90) days",
        "confidentiality": "strict confidence",
        "limitation of liability": "total liability",
        "governing law": "New South Wales",
        "assignment": "may assign this Agreement",
        "payment terms": "within 30 days of receipt",
    }.items():
        assert words in texts[label]
    assert not texts["force majeure"]
    assert not texts["dispute resolution"]
    assert [f["label"] for f in found] == sorted((f["label"] for f in found), key=STANDARD.index)


async def test_a_section_named_after_the_type_is_one_finding(engine: LocalEngine, agreement: str) -> None:
    found = await engine.classify(agreement, ["termination"], sections=sections_of(agreement))
    assert len(found) == 1
    assert agreement[found[0]["start"] :].startswith("7. Termination")
    assert "14 days" in agreement[found[0]["start"] : found[0]["end"]]


@pytest.mark.parametrize(("label", "clause"), [("audit rights", "6."), ("insurance", "5."), ("late payment interest", "2.")])
async def test_clauses_of_a_custom_type_are_found_by_name_and_meaning(
    engine: LocalEngine, agreement: str, label: str, clause: str
) -> None:
    found = await engine.classify(agreement, [label], sections=sections_of(agreement))
    assert found
    best = max(found, key=lambda finding: finding["score"])
    assert agreement[best["start"] : best["end"]].startswith(clause)


async def test_a_text_without_headings_is_divided_by_paragraphs(engine: LocalEngine) -> None:
    source = "it rained all day and all night in the village.\n\nneither party may assign this agreement without the prior written consent of the other."
    found = await engine.classify(source, ["assignment"])
    assert [source[f["start"] : f["end"]] for f in found] == [source.split("\n\n")[1]]


async def test_text_that_provokes_regex_backtracking_is_read_in_time(engine: LocalEngine) -> None:
    source = "party" + " " * 200_000 + "assign " + "- " * 50_000 + "1." * 20_000 + "\n" * 50_000 + "(" * 20_000
    started = time.monotonic()
    await engine.extract("Who may assign the contract, and when?", source)
    await engine.classify(source, ["assignment", "audit rights"])
    assert time.monotonic() - started < 20


async def test_an_absent_clause_type_is_not_found(engine: LocalEngine, agreement: str) -> None:
    assert await engine.classify(agreement, ["non-compete", "automatic renewal", "crop rotation"]) == []


async def test_agreements_are_distinguished_from_other_documents(engine: LocalEngine, agreement: str) -> None:
    assert await engine.is_contract(agreement)
    assert not await engine.is_contract(
        "Dear Ms Chen,\n\nThank you for your letter of 4 May. We would be glad to meet you in our office.\n\nKind regards,\nTom"
    )
    assert not await engine.is_contract(
        "All human beings are born free and equal in dignity and rights. They are endowed with reason and conscience."
    )


@given(st.text(alphabet=st.sampled_from('aB1.;: \n()"’İß,'), max_size=400))
def test_sentences_hold_every_visible_character_once_and_in_order(source: str) -> None:
    found = sentences(source)
    covered = [i for sentence in found for i in range(sentence.start, sentence.end)]
    assert covered == sorted(set(covered))
    assert all(source[i].isspace() for i in set(range(len(source))) - set(covered))
    assert len(fold_case(source)) == len(source)


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("Acme Inc. Ltd shall pay. It may not sue.", ["Acme Inc. Ltd shall pay.", "It may not sue."]),
        ("As set out in Section 2.1. Fees apply.", ["As set out in Section 2.1. Fees apply."]),
        ("The parties agree:\n(a) to pay;\n(b) to act.", ["The parties agree:", "(a) to pay;", "(b) to act."]),
        ("TERM\n\nThe term is two years.", ["TERM", "The term is two years."]),
    ],
)
def test_sentence_ends_respect_legal_abbreviations_and_numbers(source: str, expected: list[str]) -> None:
    assert [source[s.start : s.end] for s in sentences(source)] == expected


async def test_a_heading_is_never_an_answer(engine: LocalEngine) -> None:
    source = (
        "17. Notices ----\n\nNotices are given in writing.\n\n18. Successors and Assigns ----\n\n"
        "Neither party may transfer this agreement without the consent of the other.\n\n19. Severability ----\n"
    )
    found = await engine.extract("Who are the successors and assigns?", source, top_k=5)
    assert all("----" not in a["text"] for a in found["answers"])


async def test_a_question_for_the_title_is_answered_with_the_title_only(engine: LocalEngine) -> None:
    source = "Exhibit 10.4   MASTER SUPPLY AGREEMENT   This MASTER SUPPLY AGREEMENT is made between A Pty Ltd and B Pty Ltd. It runs for two years."
    found = await engine.extract("What is the title of the document?", source)
    assert found["answers"][0]["text"] == "MASTER SUPPLY AGREEMENT"


async def test_a_question_for_the_parties_is_answered_with_their_names_only(engine: LocalEngine, agreement: str) -> None:
    found = await engine.extract("Who are the parties to the contract?", agreement)
    assert [a["text"].split(" (")[0] for a in found["answering"]] == ["Wattle Mining Pty Ltd", "Banksia Advisory Pty Ltd"]
    assert all(agreement[a["start"] : a["end"]] == a["text"] for a in found["answering"])


@pytest.mark.parametrize(
    ("opening", "names"),
    [
        (
            'This deed is made by and between ACME FOODS, INC., a Delaware corporation ("Acme"), and The Brown and Sons Company (the "Buyer").',
            ["ACME FOODS, INC.", "The Brown and Sons Company"],
        ),
        (
            "between:\n(1) Ochre Ltd (company number 123), whose office is at 1 High St; and\n(2) Umber plc (“Umber”).\n\nRECITALS\nA. Sienna Ltd (“Sienna”) sells.",
            ["Ochre Ltd", "Umber plc"],
        ),
        ("The contract between Smith and Jones.", ["Smith", "Jones"]),
        (
            'among A Co., a company of Ohio and Nevada ("A"), B LLC ("B"), and C GmbH (each a "Party").',
            ["A Co.", "B LLC", "C GmbH"],
        ),
        ("Nothing creates a partnership between the parties and their staff.", []),
        ("Notices are given by post.", []),
    ],
)
def test_party_names_are_found_in_the_opening_of_an_agreement(opening: str, names: list[str]) -> None:
    found = [opening[start:end] for start, end in party_names(opening, 0, len(opening))]
    assert [name.removesuffix(" (company number 123)") for name in found] == names


TWO_RIGHTS = """SUPPLY AGREEMENT

1. Supply
The Supplier shall deliver the goods in the quantities that the Buyer orders.

2. Ending by the Supplier
The Supplier may terminate this Agreement for convenience at any time upon ninety (90) days' prior written notice to the Buyer.

3. Price
The price is set out in the schedule. Invoices are due within thirty days.

4. Ending by the Buyer
The Buyer may terminate this Agreement for convenience at any time upon thirty (30) days' prior written notice to the Supplier.

5. Delivery
Risk passes when the goods are handed to the carrier. The Supplier keeps title until payment.
"""


async def test_an_answer_in_two_places_has_two_spans(engine: LocalEngine) -> None:
    found = await engine.extract("Can a party terminate the agreement for convenience?", TWO_RIGHTS, top_k=8)
    assert len(found["answering"]) == 2
    for party in ("Supplier", "Buyer"):
        assert any(f"The {party} may terminate" in a["text"] for a in found["answering"])
    assert found["answering"][0] == found["answers"][0]
    assert [a["score"] for a in found["answering"]] == sorted((a["score"] for a in found["answering"]), reverse=True)
    once = await engine.extract("Can a party terminate the agreement for convenience?", TWO_RIGHTS, top_k=1)
    assert len(once["answers"]) == len(once["answering"]) == 1


INSURED = """SERVICES AGREEMENT

1. Services
The Contractor shall perform the services with care and skill.

2. Insurance
The Contractor shall maintain commercial general liability insurance with a limit of not less than $2,000,000 per occurrence.

3. Liability
The total liability of either party under this Agreement shall not exceed the fees paid in the twelve months before the claim.

4. Governing law
This Agreement shall be governed by the laws of the State of Victoria.
"""


@pytest.mark.parametrize(
    ("there", "near"),
    [
        ("What insurance must be maintained?", "Is cyber insurance required?"),
        ("What is the cap on liability?", "What is the cap on liability for asbestos?"),
        ("Which law governs the agreement?", "Which law governs the arbitration of a boundary dispute?"),
    ],
)
async def test_a_related_clause_that_does_not_answer_is_only_a_candidate(engine: LocalEngine, there: str, near: str) -> None:
    answered = await engine.extract(there, INSURED)
    missed = await engine.extract(near, INSURED)
    assert answered["answered"] and not missed["answered"]
    assert missed["answering"] == []
    assert missed["answers"][0]["start"] == answered["answers"][0]["start"]


async def test_weights_from_a_folder_replace_the_shipped_weights(engine: LocalEngine, tmp_path: Path) -> None:
    shipped = resources.files("orderly.services.engines.local")
    for name in ("concept_weights.json", "extraction_weights.json"):
        (tmp_path / name).write_text((shipped / name).read_text(encoding="utf-8"), encoding="utf-8")
    labels = {"termination": {"bias": -9.0, "weights": {"rain": 99.0}}}
    (tmp_path / "clause_weights.json").write_text(json.dumps({"labels": labels}), encoding="utf-8")
    other = engine.with_weights(tmp_path)
    assert [f["label"] for f in await other.classify("It will rain.", ["termination"])] == ["termination"]
    assert await engine.classify("It will rain.", ["termination"]) == []


@pytest.mark.parametrize(
    ("heading", "title"),
    [
        ("COMMERCIAL LEASE", "COMMERCIAL LEASE"),
        ("LICENCE", "LICENCE"),
        ("IV TERM", "TERM"),
        ("5A LIABILITY", "LIABILITY"),
        ("ARTICLE III INDEMNITY", "INDEMNITY"),
        ("12.1 VARIATION", "VARIATION"),
    ],
)
def test_a_heading_loses_its_number_and_no_letter(heading: str, title: str) -> None:
    assert sentences(f"{heading}\n\nThe landlord agrees.")[-1].heading == title
