"""Documents that a question means by their kind or by a party, and what is left of the question."""

from __future__ import annotations

import pytest

from orderly.services.questions import Nameable, complete_question, named_documents
from orderly.services.questions.party_roles import party_roles
from orderly.services.questions.spelling import closest

USED = " The Lessee pays. The Carrier pays. The Engineer pays." * 6
TEXTS = {
    "l": (
        "Dock Road.docx",
        "WAREHOUSE LEASE between Quoll Storage Pty Ltd ACN 600 111 222 (Lessor), Numbat Freight Pty Ltd (Lessee) and "
        "Ruth Abara (Guarantor). The Lessee gives a bank guarantee." + USED + " The Guarantor signs. The Lessor signs." * 6,
    ),
    "h": (
        "haulage.txt",
        'HAULAGE TERMS by and among Bettong Lines, Inc., a Delaware corporation (the "Carrier") and others.' + USED,
    ),
    "e": (
        "Okafor.txt",
        'EMPLOYMENT AGREEMENT (1) Dunnart plc of London (the "Employer"); and (2) Ben Okafor of Leeds (the "Engineer")' + USED,
    ),
    "n": ("nda_7.txt", "NON-DISCLOSURE AGREEMENT made by the parties below. Signed by X. Schedule: Tasmania, Victoria"),
    "j": ("Pell v Dorrit [2011] FCA 44.txt", "Pell v Dorrit [2011] FCA 44. 1 Two issues are left."),
    "p": ("travel_policy.md", "Travel insurance policy. The excess is $200."),
}
DOCUMENTS = [Nameable.of(id, name, text) for id, (name, text) in TEXTS.items()]


@pytest.mark.parametrize(
    ("question", "named", "rest"),
    [
        ("What does the lease say about rent?", "l", "What does the agreement say about rent?"),
        ("May the lessee keep a forklift?", "l", None),
        (
            "How large is the bank guarantee under the warehouse lease?",
            "l",
            "How large is the bank guarantee under the agreement?",
        ),
        ("Is the personal guarantee of Ms Abara limited?", "l", "Is the personal guarantee of the Guarantor limited?"),
        ("What does Numbat pay in year 2 of the Dock Road lease?", "l", "What does the Lessee pay in year 2 of the agreement?"),
        (
            "Which clauses of the warehouse lease survive the end of the lease?",
            "l",
            "Which clauses of the agreement survive the end of the agreement?",
        ),
        ("How many holidays does Okafor get?", "e", "How many holidays does the Engineer get?"),
        ("Is Bettong's liability limited?", "h", "Is the Carrier's liability limited?"),
        ("Can Dunnart sack Mr Okafor?", "e", "Can the agreement sack the Engineer?"),  # the text never says Employer again
        ("What did the court in the Dorrit case say about costs?", "j", "What did the court in the agreement say about costs?"),
        ("Does the NDA cover what was known before?", "n", "Does the agreement cover what was known before?"),
        (
            "How do the lease and the Bettong terms deal with delay?",
            "hl",
            "How do the agreement deal with delay?",
        ),
        ("How much goes to Victoria?", "", None),
        ("Over how long is the price paid?", "", None),
        ("How long does the CLIENT keep papers?", "", None),
        ("In the case of default, who pays?", "", None),
        ("Does each lease allow pets?", "l", None),
        ("Which judgment is the earliest?", "j", None),
        ("List the judgments in chronological order", "j", None),
        ("Which of the leases ends first?", "l", None),
        ("Which policies have an excess?", "p", None),
        ("Which loans are secured?", "", None),
        ("Which lease agreements end first?", "", None),
        ("In which judgment of the High Court was it decided?", "", None),
    ],
)
def test_a_kind_or_a_party_says_which_document_is_meant(question: str, named: str, rest: str | None) -> None:
    found = named_documents(question, DOCUMENTS)
    assert ("".join(sorted(found.documents)), found.question) == (named, rest or question)


CLIENTS = {
    "c": ("M Tran.docx", "Employment Agreement. Coolabah Foods Pty Ltd (the Company) and Minh Tran (you). You are a baker."),
    "t": (
        "14 Elm Street.txt",
        "Residential Tenancy Agreement\n\nTenants: Joan Ferris and Alan Dunn\n" + "The tenants must clean. " * 6,
    ),
    "w": ("R Lowe.txt", "THIS IS THE LAST WILL of me ROSE LOWE."),
    "b": ("Elm Court.docx", "By-laws of The Owners"),
    "s": ("Supply.docx", "Supply Agreement between two companies"),
}
CLIENTS_DOCUMENTS = [Nameable.of(id, name, text) for id, (name, text) in CLIENTS.items()]


@pytest.mark.parametrize(
    ("question", "named"),
    [
        ("How much notice must the employee give to leave?", "c"),
        ("Can an employee be dismissed at once?", "c"),
        ("Can the tenants have a dog?", "t"),
        ("What does the will say about a funeral?", "w"),
        ("Do the by-laws allow smoking?", "b"),
        ("May the supplier stop deliveries?", ""),
    ],
)
def test_a_role_that_belongs_to_a_kind_means_the_only_document_of_the_kind(question: str, named: str) -> None:
    assert "".join(named_documents(question, CLIENTS_DOCUMENTS).documents) == named


def test_a_document_of_a_kind_gives_way_where_it_says_nothing() -> None:
    named = [named_documents(q, CLIENTS_DOCUMENTS) for q in ("Is an employee insured?", "Must the tenants insure?")]
    assert [n.in_passing for n in named] == [True, False]


def test_a_party_behind_its_role_is_called_by_the_role() -> None:
    assert named_documents("What rent do Joan and Alan pay?", CLIENTS_DOCUMENTS).question == "What rent do the Tenants pay?"


def test_what_only_implies_a_document_gives_way_to_the_document_of_the_turn_before() -> None:
    asked = complete_question(["What is the excess of the travel policy?", "And what must the lessee pay?"], DOCUMENTS)
    assert asked.documents == ("p",)


def test_a_role_stands_for_a_name_only_where_the_document_uses_it() -> None:
    assert party_roles('between Acme Pty Ltd (the "Supplier") and B') == {}
    assert party_roles('between Acme Pty Ltd (the "Supplier") and B.' + " The Supplier pays." * 6) == {"acme": "Supplier"}
    assert party_roles('between Acme Pty Ltd (the "Acme") and B.' + " The Acme pays." * 6) == {}
    assert party_roles('The goods are sent by sea (the "Order").' + " The Order is sent." * 6) == {}


@pytest.mark.parametrize(
    ("question", "id", "corrected"),
    [
        ("What is due under the leese?", "l", (("leese", "lease"),)),
        ("How much notice does the emploment contract ask for?", "e", (("emploment", "employment"),)),
        ("How may the employment be ended?", "e", ()),
        ("Which of them states the least amount?", None, ()),
        ("Who may call the police?", None, ()),
    ],
)
def test_a_kind_is_known_though_it_is_misspelt_or_stands_alone(
    question: str, id: str | None, corrected: tuple[tuple[str, str], ...]
) -> None:
    named = named_documents(question, DOCUMENTS)
    assert (named.documents, named.corrected) == ((id,) if id else (), corrected)


def test_of_words_at_the_same_distance_the_one_with_the_same_first_letter_is_meant() -> None:
    assert closest("disolved", ["resolved", "dissolved", "dissolve"]) == "dissolved"
    assert closest("bolder", ["holder", "folder"]) is None


def test_a_name_means_the_document_of_which_it_is_a_party() -> None:
    letter = Nameable.of("l", "Advice.docx", "Dear Rosa Delgado\n\nWe advise on a store.")
    text = (
        "Franchise Agreement between Magpie Pty Ltd (Franchisor) and Rosa Delgado (Franchisee)." + " The Franchisee pays." * 6
    )
    found = named_documents("Can Rosa sell the store?", [letter, Nameable.of("f", "Magpie.docx", text)])
    assert (found.documents, found.question) == (("f",), "Can the Franchisee sell the store?")


def test_a_role_is_no_misspelt_word_for_a_document() -> None:
    documents = [Nameable.of("f", "Franchise.docx", "Franchise Agreement"), Nameable.of("o", "Other.txt", "Other terms")]
    assert named_documents("Can the franchisor open another shop?", documents).corrected == ()


def test_a_will_is_named_by_its_maker() -> None:
    documents = [Nameable.of("w", "Will of Rose Lowe.txt", "WILL of ROSE LOWE"), Nameable.of("o", "Other.txt", "Other terms")]
    assert named_documents("Does Rose's will leave a gift?", documents).question == "Does the agreement leave a gift?"
