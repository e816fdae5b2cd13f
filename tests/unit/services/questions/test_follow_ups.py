"""Follow-ups: what a turn leaves out is taken from the turns before it."""

from __future__ import annotations

import pytest

from orderly.services.questions import Nameable, asks_of_all, complete_question

LEASE = Nameable.of("lease", "Lease.pdf", "LEASE between Kurrajong Property Ltd and Wattle Stores Ltd")
DEED = Nameable.of("deed", "Deed.pdf", "DEED OF GUARANTEE between Acacia Bank Ltd and Jane Citizen")
FIRST = "Is liability capped in the Kurrajong lease?"
RENT = "When is rent payable under the Kurrajong lease?"


@pytest.mark.parametrize(
    ("turns", "question", "documents"),
    [
        ([FIRST], "Is liability capped in the agreement?", ("lease",)),
        ([FIRST, "And in the Acacia deed?"], "Is liability capped in the agreement?", ("deed",)),
        ([FIRST, "What about Acacia?"], "Is liability capped in the agreement?", ("deed",)),
        ([FIRST, "And notice?"], "notice?", ("lease",)),
        ([FIRST, "And in the Acacia deed?", "And notice?"], "notice?", ("deed",)),
        ([FIRST, "And notice?", "And in the Acacia deed?"], "notice?", ("deed",)),
        ([FIRST, "When does it expire?"], "When does it expire?", ("lease",)),
        (
            [FIRST, "Which of the agreements are governed by foreign law?"],
            "Which of the agreements are governed by foreign law?",
            (),
        ),
        ([FIRST, "Which law governs each agreement?"], None, ()),
        ([FIRST, "Who signed every single contract?"], None, ()),
        ([FIRST, "Does any of them cap liability?"], None, ()),
        ([FIRST, "Are both agreements stamped and dated?"], None, ()),
        ([FIRST, "When must each party to the lease pay?"], "When must each party to the agreement pay?", ("lease",)),
        ([FIRST, "And in the Acacia deed?", "Who signed both documents?"], None, ("lease", "deed")),
        ([FIRST, "what's the commencement date?"], None, ("lease",)),
        ([FIRST, "How does the Acacia deed deal with that?"], "Is liability capped in the agreement?", ("deed",)),
        ([FIRST, "Is plate glass insured anywhere?"], None, ()),
        ([RENT, "And if it is late?"], "if it is late: When is rent payable under the agreement?", ("lease",)),
        ([RENT, "For how long?"], "For how long: When is rent payable under the agreement?", ("lease",)),
        ([RENT, "Who pays for that?"], "Who pays for that: When is rent payable under the agreement?", ("lease",)),
        (
            [RENT, "And if it is late?", "Where does it say that?"],
            "if it is late: When is rent payable under the agreement?",
            ("lease",),
        ),
        ([RENT, "Which clause is that?"], "When is rent payable under the agreement?", ("lease",)),
        (["Who signs the Acacia deed?", "Who else?"], "Who signs the agreement?", ("deed",)),
        (["How much notice must the tenant give?", "And the landlord?"], "How much notice must the landlord give?", ("lease",)),
        ([RENT, "And in the other one?"], "When is rent payable under the agreement?", ("deed",)),
        ([RENT, "How long does the landlord have to repair the roof?"], None, ("lease",)),
        ([RENT, "And in winter?"], "in winter: When is rent payable under the agreement?", ("lease",)),
        (["When is rent payable?", "And otherwise?"], "otherwise: When is rent payable?", ()),
        ([RENT, "And the guarantee?"], "When is rent payable under the agreement?", ("deed",)),
        (["How much is the rent under the Kurrajong lease?", "And when is it due?"], "when is the rent due?", ("lease",)),
        (["What bond does Kurrajong hold?", "Can it be increased?"], "Can the bond be increased?", ("lease",)),
        (["How much are the fees?", "When are they due?", "Can they be put up?"], "Can the fees be put up?", ()),
        (["What is the end date of the Kurrajong lease?", "Can it be extended?"], None, ("lease",)),
        (
            ["May the tenant assign the Kurrajong lease?", "Can the guarantor do that too?"],
            "May the guarantor assign the agreement?",
            ("lease",),
        ),
        (["When is rent payable under the laese?"], "When is rent payable under the agreement?", ("lease",)),
    ],
)
def test_a_turn_is_completed(turns: list[str], question: str | None, documents: tuple[str, ...]) -> None:
    asked = complete_question(turns, [LEASE, DEED])
    assert (asked.question, asked.documents) == (question or turns[-1], documents)


def test_a_whole_question_that_names_nothing_only_implies_the_document_before() -> None:
    turns = [FIRST, "Who has to insure the plate glass of a shop?"]
    assert (
        complete_question(turns, [LEASE, DEED]).implied,
        complete_question([FIRST, "And notice?"], [LEASE, DEED]).implied,
    ) == (True, False)


def test_the_other_document_is_asked_for_where_there_are_several() -> None:
    more = [Nameable.of(str(n), f"note_{n}.txt", "A note") for n in range(4)]
    assert len(complete_question([RENT, "And in the other one?"], [LEASE, DEED, *more]).named.alike) == 5


@pytest.mark.parametrize("question", ["Make a table of the notice periods by document.", "Notice periods per document?"])
def test_a_table_by_document_is_about_all_whatever_was_named_before(question: str) -> None:
    assert complete_question([RENT, question], [LEASE, DEED]).documents == ()


def test_a_turn_without_a_subject_is_unclear() -> None:
    assert complete_question(["And in the Acacia deed?", "And in the Kurrajong lease?"], [LEASE, DEED]).unclear


@pytest.mark.parametrize(
    ("question", "all"),
    [
        ("What do all of the other leases say?", True),
        ("Which   of\nthese our   long service agreements end?", True),
        ("the " * 30_000, False),
        ("any of" + " the" * 30_000, False),
        ("each of the" + " " * 90_000 + "x", False),
    ],
)
def test_a_question_about_all_documents_is_recognised_in_one_pass(question: str, all: bool) -> None:
    assert asks_of_all(question) is all
