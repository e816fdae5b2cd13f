"""Names of documents in questions: parties, titles, file names, misspelt and several at once."""

from __future__ import annotations

import pytest

from orderly.services.questions import Nameable, Named, named_documents

OPENINGS = {
    "a": ("Scan_0017.pdf", "SERVICES AGREEMENT\n\nbetween Banksia Tools Pty Ltd and Grevillea Foods Pty Ltd, of Sydney"),
    "b": ("LUCIDINC_04_15-DISTRIBUTOR_AGREEMENT.pdf", "DISTRIBUTOR AGREEMENT between Lucid Inc. and Wattle Optics Limited"),
    "c": ("employment-contract.docx", "CONTRACT OF EMPLOYMENT between Banksia Tools Pty Ltd and Jane Citizen"),
    "d": (
        "Waratah.txt",
        "MARKETING AND RESELLER AGREEMENT between Waratah Medical Ltd and Care Plus Ltd, of Texas"
        + " term" * 600
        + "\nSigned for Telopea Ltd",
    ),
    "e": ("e.txt", "PRODUCT DEVELOPMENT AND CO-BRANDING AGREEMENT between Integrity Books Ltd and Time Music Ltd"),
    "f": ("f.txt", "UNDERWRITING AGREEMENT between The Integrity Funds and a distributor of shares"),
}
DOCUMENTS = [Nameable.of(id, name, opening) for id, (name, opening) in OPENINGS.items()]


@pytest.mark.parametrize(
    ("question", "named", "rest"),
    [
        ("Which law governs the Grevillea services agreement?", "a", "Which law governs the agreement?"),
        ("Is there a cap in the Lucid agreement?", "b", "Is there a cap in the agreement?"),
        ("Is there a cap in the Lucid agrement?", "b", None),
        ("Can Grevilea Foods terminate early?", "a", "Can the agreement terminate early?"),
        ("How is the employment contract ended?", "c", "How is the agreement ended?"),
        ("Who signs for Wattle Optics?", "b", "Who signs for the agreement?"),
        ("What is due under the Waratah marketing and reseller agreement?", "d", "What is due under the agreement?"),
        (
            "Who owns the rights in the Integrity product development and co branding?",
            "e",
            "Who owns the rights in the agreement?",
        ),
        (
            "Compare notice in the Lucid distributor agreement and the Waratah reseller agreement",
            "bd",
            "Compare notice in the agreement",
        ),
        ("Compare the governing law of the Lucid agreement and the Waratah reseller agreement", "bd", None),
        ("And Waratah?", "d", "And the agreement?"),
        ("What ends the reseller agreement with Care Plus?", "d", "What ends the agreement?"),
        ("Am I free to sell elsewhere under the Lucid agreement?", "b", "Am I free to sell elsewhere under the agreement?"),
        ("And for the Lucid distributor, please?", "b", "And for the agreement, please?"),
        ("Can the Waratah reseller be replaced?", "d", "Can the agreement be replaced?"),
        ("What ends the long-term alliance with Care Plus?", "d", "What ends the agreement?"),
        ("What is the fee in the settlement of Wattle Optics?", "b", "What is the fee in the agreement?"),
        ("Does Care Plus own the IP?", "d", "Does the agreement own the IP?"),
        ("On which day was the Telopea reseller agreement made?", "d", None),
        ("Which agreements are governed by the law of Texas?", "", None),
        ("Which agreements name Texas law?", "", None),
        ("Which agreements pay a distributor?", "", None),
        ("What does Kookaburra owe?", "", None),
        ("What notice ends an agreement?", "", None),
    ],
)
def test_a_question_names_documents(question: str, named: str, rest: str | None) -> None:
    found = named_documents(question, DOCUMENTS)
    assert "".join(sorted(found.documents)) == named
    if rest is not None or not named:
        assert found.question == (rest or question)


def test_a_misspelt_name_is_reported_with_the_word_that_it_was_read_as() -> None:
    assert named_documents("What does Grevilea owe?", DOCUMENTS).corrected == (("Grevilea", "grevillea"),)


def test_a_name_that_fits_two_documents_is_alike_in_both() -> None:
    found = named_documents("What does Banksia Tools owe?", DOCUMENTS)
    assert (set(found.documents), set(found.alike)) == ({"a", "c"}, {"a", "c"})


def test_a_file_of_the_very_name_is_meant_and_none_that_only_mentions_it() -> None:
    documents = [
        Nameable.of("1", "Terms-1.1.txt", "Terms, version 1.1"),
        Nameable.of("2", "Terms-2.0.txt", 'Terms, version 2.0\n1.1 "You" means a user.'),
        Nameable.of("3", "blueharbourinc_ex10.txt", "Franchise"),
    ]
    assert named_documents("What does Terms-1.1 say on notice?", documents).documents == ("1",)
    common = [*documents, *(Nameable.of(str(n), f"Terms-{n}.txt", "Terms of use, terms") for n in range(5, 12))]
    assert named_documents("How much is the fee under Terms-5?", common).documents == ("5",)
    assert named_documents("Who insures the Blue Harbour franchise?", documents).documents == ("3",)


def test_a_file_name_of_common_nouns_is_found_as_a_whole_where_nothing_else_is_named() -> None:
    documents = [
        *DOCUMENTS,
        Nameable.of("g", "Deed of Guarantee.pdf", "DEED OF GUARANTEE"),
        Nameable.of("s", "Agreement.pdf", ""),
    ]
    found = named_documents("Which law governs the deed of guarantee?", documents)
    assert (found.documents, found.question) == (("g",), "Which law governs the agreement?")
    assert named_documents("What notice ends an agreement?", documents).documents == ()


@pytest.mark.parametrize(
    ("question", "left"),
    [
        ("Does Blue Harbour indemnify Quarry Stone?", "Does the agreement indemnify the agreement?"),
        (
            "Quarry Stone must insure the stock of Blue Harbour until when?",
            "the agreement must insure the stock of the agreement until when?",
        ),
        ("Can Blue Harbour assign the agreement?", "Can the agreement assign the agreement?"),
        ("May Quarry Stone end this supply agreement early?", "May the agreement end the agreement early?"),
        ("Is source code kept in escrow by Blue Harbour for Quarry Stone?", "Is source code kept in escrow by the agreement?"),
    ],
)
def test_what_stands_between_two_names_stays_in_the_question(question: str, left: str) -> None:
    text = "SUPPLY AGREEMENT between Blue Harbour Pty Ltd and Quarry Stone Limited."
    documents = [Nameable.of("d", "supply.txt", text), Nameable.of("o", "lease.txt", "LEASE of a shop")]
    assert named_documents(question, documents).question == left


@pytest.mark.parametrize("question", ["What is an Event of Default?", "Who pays the Outgoings?", "Show me Section 9"])
def test_the_terms_of_the_only_document_stay_in_the_question(question: str) -> None:
    text = 'LEASE of a shop. 1. "Event of Default" means a breach of clause 9. "Outgoings" means rates.'
    assert named_documents(question, [Nameable.of("d", "lease.txt", text)]) == Named(question)


def test_the_number_of_a_section_names_no_document() -> None:
    documents = [Nameable.of("a", "lease.txt", "LEASE 9 High Street"), Nameable.of("b", "deed.txt", "DEED of guarantee")]
    assert named_documents("What does Section 9 say?", documents).documents == ()


def test_a_place_in_a_question_to_many_documents_names_none() -> None:
    documents = [
        Nameable.of("d", "supply.txt", "SUPPLY AGREEMENT between Blue Harbour Pty Ltd of Tasmania and Quarry Stone Limited.")
    ]
    documents += [Nameable.of(str(n), f"{n}.txt", f"LEASE {n} of a shop") for n in range(20)]
    assert named_documents("Which contracts choose Tasmania?", documents).documents == ()
    assert named_documents("What does the Tasmania agreement say?", documents).documents == ("d",)


@pytest.mark.parametrize(
    ("question", "named", "in_passing"),
    [
        ("When may the agent sign under the power of attorney?", "p", True),
        ("What does the Frustrated Goods Act say about insurance?", "g", False),
        ("What does the Stored Goods Act say about insurance?", "s", False),
        ("Which documents mention the power of attorney?", "", False),
        ("What is the power of the agent?", "", False),
    ],
)
def test_the_words_of_a_file_name_name_the_document_also_where_others_mention_them(
    question: str, named: str, in_passing: bool
) -> None:
    files = {
        "p": ("power_of_attorney_template.md", "APPOINTMENT of an agent"),
        "g": ("Frustrated_Goods_Act_1988.rtf", "An Act about contracts for goods that are frustrated"),
        "s": ("stored_goods_act.rtf", "An Act about goods that are stored"),
        **{n: (f"note_{n}.txt", f"Note {n} on an Act, on stored goods and on a power of attorney") for n in "1234"},
    }
    found = named_documents(question, [Nameable.of(id, name, text) for id, (name, text) in files.items()])
    assert ("".join(found.documents), found.in_passing) == (named, in_passing)


@pytest.mark.parametrize(
    ("question", "named"),
    [
        ("Compare termination in the letter of wishes and the Lucid agreement", "wb"),
        ("Compare termination in the Lucid agreement with the letter of wishes.", "bw"),
        ("Compare the letter of wishes and the minutes of meeting", "wm"),
        ("Does the Lucid agreement speak of the letter of wishes?", "b"),  # what the agreement may speak of
    ],
)
def test_a_document_named_in_small_letters_beside_another_is_asked_too(question: str, named: str) -> None:
    wishes = Nameable.of("w", "letter_of_wishes_signed.md", "To my trustees: these are my wishes.")
    documents = [*DOCUMENTS, wishes, Nameable.of("m", "minutes_of_meeting_2019.md", "Present: the directors.")]
    assert "".join(named_documents(question, documents).documents) == named


@pytest.mark.parametrize(
    ("question", "id", "corrected"),
    [
        ("Summarise the endorsment agreement.", "e", (("endorsment", "endorsement"),)),
        ("Who signs the transprtation contract?", "t", (("transprtation", "transportation"),)),
        ("Is a written agreement needed?", None, ()),
        ("Is endorsment needed?", None, ()),
    ],
)
def test_a_misspelt_word_of_a_file_name_before_a_word_for_a_document_names_it(
    question: str, id: str | None, corrected: tuple[tuple[str, str], ...]
) -> None:
    documents = [
        Nameable.of("e", "Gridley_Endorsement_2.txt", "ENDORSEMENT AGREEMENT between Gridley and others"),
        Nameable.of("t", "ATMOR_Transportation.txt", "TRANSPORTATION CONTRACT between Atmor and others"),
    ]
    named = named_documents(question, documents)
    assert (named.documents, named.corrected) == ((id,) if id else (), corrected)


ACTS = [
    Nameable.of("l", "Carers Leave Act 2011 (SA).rtf", "South Australia\nCarers Leave Act 2011\nAn Act about leave for carers"),
    Nameable.of("r", "regs_holiday_parks_sa.rtf", "Holiday Parks Regulations 2016"),
    Nameable.of("c", "carers-agreement.txt", "SERVICES AGREEMENT for the leave of carers in holiday parks"),
]


@pytest.mark.parametrize(
    ("question", "meant", "rest", "implied"),
    [
        ("How much carers leave is there after two years?", "l", None, True),
        ("Who runs a holiday park?", "r", None, True),
        ("Are parks for holidays inspected?", "r", None, True),
        ("Does the carers leave law speak of interest?", "l", "Does the agreement speak of interest?", False),
    ],
)
def test_an_act_is_meant_where_its_title_stands_in_the_question(
    question: str, meant: str, rest: str | None, implied: bool
) -> None:
    named = named_documents(question, ACTS)
    assert (named.documents, named.question, named.in_passing) == ((meant,), rest or question, implied)


@pytest.mark.parametrize("question", ["Which of these documents deal with carers leave?", "What leave is there for carers?"])
def test_an_act_is_not_meant_by_its_subject_among_all_or_by_words_apart(question: str) -> None:
    assert named_documents(question, ACTS).documents == ()
