"""Ranking of passages that are no contracts: other words of one meaning, and expressions that answers contain."""

from __future__ import annotations

import tomllib
from importlib import resources

import pytest

from orderly.services.engines.local import LocalEngine, contract_detection, legal_terms, question_cues
from orderly.services.engines.local.sentences import stems
from orderly.services.engines.local.word_vectors import SentenceVectors

ACT = (
    "The landlord may enter the premises after giving seven days' notice in writing to the tenant.",
    "A landlord must not levy distress for rent payable under a residential tenancy agreement.",
    "The bond must be lodged with the Commissioner within four weeks after it is received.",
    "The tenant must keep the premises in a reasonable state of cleanliness.",
    "In this Act, lodger means a person who occupies a room in the landlord's own home.",
)


def stem(word: str) -> str:
    [found] = stems(word)
    return found


def test_every_line_of_the_lexicon_joins_two_expressions_and_every_section_names_its_source() -> None:
    raw = tomllib.loads(resources.files(legal_terms.__package__).joinpath("legal_terms.toml").read_text(encoding="utf-8"))
    for section in raw["section"]:
        assert section["source"]
        for line in section["terms"]:
            expressions = line.split(" | ")
            assert len(expressions) >= 2, line
            assert all(stems(expression) for expression in expressions), line


def test_other_words_of_one_meaning_leave_the_words_of_the_query_out() -> None:
    found = legal_terms.other_terms("Can he seize belongings of mine?")
    assert found[stem("distrain")] == 1
    assert 0 < found[stem("hold")] < 1, "a word of a longer expression weighs less"
    assert stem("seize") not in found
    assert legal_terms.other_terms("Xylophone?") == {}
    assert "distrain" in legal_terms.other_wording("seize belongings")


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Can they seize belongings?", 1),
        ("How long may the deposit be kept before it is handed over?", 2),
        ("What counts as a lodger?", 4),
    ],
)
async def test_the_provision_that_answers_in_other_words_is_ranked_first(
    engine: LocalEngine, question: str, answer: int
) -> None:
    ranked = await engine.rerank(question, ACT, similarities=[0.3] * len(ACT))
    assert ranked[0]["index"] == answer


async def test_a_known_cosine_is_used_and_another_is_measured(engine: LocalEngine) -> None:
    passages = ["The first passage.", "The second passage."]
    ranked = await engine.rerank("weather", passages, similarities=[None, 0.9])
    assert [item["index"] for item in ranked] == [1, 0]


def test_an_expression_of_the_wanted_kind_weighs_more_the_rarer_it_is() -> None:
    texts = ["It is done within two weeks.", "It is done.", "It is done by them."]
    assert question_cues.cue_scores("How long does it take?", texts).tolist().index(0) == 1
    common = question_cues.cue_scores("How long does it take?", ["two weeks", "three weeks", "none"])
    rare = question_cues.cue_scores("How long does it take?", ["two weeks", "few", "none"])
    assert rare[0] > common[0] > 0
    assert question_cues.cue_scores("Xylophone", texts).tolist() == [0, 0, 0]


def test_passages_of_an_act_are_not_contractual() -> None:
    assert contract_detection.contract_share(ACT) == 0
    judgment = "The plaintiff says that the parties never signed the contract. The plaintiff is right."
    statute = "Subject to subsection (2), a term of the contract that excludes a right of either party is void."
    assert contract_detection.contract_share([judgment, statute]) == 0, "both speak of contracts and are none"
    assert contract_detection.contract_share(["Either party may terminate this Agreement.", "The parties agree."]) == 1


def test_words_of_like_meaning_make_a_sentence_similar_and_unknown_words_count_for_nothing() -> None:
    sentences = SentenceVectors(
        [stems("The employer pays wages each month."), stems("The roof is painted."), stems("Qwxz zxqwv.")]
    )
    similar = sentences.similarities(stems("When does my boss hand over the salary?"))
    assert similar[0] > similar[1] + 0.2
    assert similar[2] == 0
    assert (
        sentences.select([1, 0]).similarities(stems("salary")).tolist()
        == sentences.similarities(stems("salary"))[[1, 0]].tolist()
    )
    assert sentences.similarities(stems("zxqwv")).tolist() == [0, 0, 0]


HOUSE_RULES = (
    "Under this Agreement the landlord keeps the garden gate shut at night.",
    "The parties agree that each party may bring a friend in their place under this Agreement.",
    "This Agreement lists the colours of the walls; either party may paint a wall in one of them.",
    "The parties hereto meet for tea once a month, hereunder the monthly meeting.",
)


async def test_a_concept_of_contracts_does_not_decide_where_no_passage_shows_it(engine: LocalEngine) -> None:
    ranked = await engine.rerank("Can a party assign the agreement?", HOUSE_RULES, similarities=[0.2, 0.6, 0.2, 0.2])
    assert ranked[0]["index"] == 1


RULES = """A tenant may keep one cat or one small dog with the committee's written approval.

The swimming pool is closed between nine in the evening and six in the morning.

1 Rubbish bins are put out on the evening before collection. 2 A guest's car may stand in a visitor space for two days.

The committee may recover from an owner the cost of repairing damage that the owner's guests cause to common property:
(a) in a lift; or
(b) in a hall.
"""


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("When is the pool closed?", "The swimming pool is closed between nine in the evening and six in the morning."),
        ("How long may a guest's car stand there?", "2 A guest's car may stand in a visitor space for two days."),
    ],
)
async def test_an_answer_in_a_short_text_is_one_paragraph_or_numbered_clause(
    engine: LocalEngine, question: str, answer: str
) -> None:
    found = await engine.extract(question, RULES)
    assert found["answered"]
    assert found["answering"][0]["text"] == answer


async def test_the_items_of_a_list_belong_to_the_provision_before_them(engine: LocalEngine) -> None:
    found = await engine.extract("Who pays for damage in a lift that a visitor causes?", RULES)
    best = found["answers"][0]["text"]
    assert best.startswith("The committee may recover") and best.endswith("(b) in a hall.")


@pytest.mark.parametrize(
    "question",
    [
        "Who feeds the elephants?",
        "What dividend is payable?",
        "Which court heard the appeal?",
        "What is the dose of the medicine?",
    ],
)
@pytest.mark.parametrize("text", [RULES, "\n\n".join(ACT), RULES.split("\n\n")[1]])
async def test_a_short_text_does_not_answer_a_question_about_something_else(
    engine: LocalEngine, question: str, text: str
) -> None:
    assert not (await engine.extract(question, text))["answered"]


async def test_of_the_clauses_under_one_heading_the_one_that_is_asked_about_is_the_answer(engine: LocalEngine) -> None:
    clauses = (
        "1. Grant and term", "1.1 The Landlord leases the Premises to the Tenant for the Term.",
        "1.2 If the Tenant gives notice six months before the Expiry Date, the Landlord must grant a further lease of the Premises.",
        "2. Rent", "2.1 The Tenant must pay the Rent by equal monthly instalments in advance on the first day of each month.",
        "2.2 On each anniversary of the Commencement Date the Rent increases by 3.5 per cent.",
        "2.3 The Tenant must pay its proportion of the Outgoings of the Building within 14 days after the Landlord gives an invoice.",
        "3. Use", "3.1 The Tenant must use the Premises only for the Permitted Use.",
        "3.2 The Tenant must not assign, sublet or part with possession of the Premises without the consent of the Landlord.",
        "4. Works", "4.1 The Landlord must keep the structure and the roof of the Building in good repair.",
    )  # fmt: skip
    text = "\n\n".join(("LEASE OF RETAIL PREMISES", *clauses))
    found = await engine.extract("Does the tenant pay outgoings?", text, top_k=1)
    assert found["answers"][0]["text"].startswith("2.3 The Tenant")


@pytest.mark.parametrize("question", ["What is the rent?", "How much is the rent?"])
async def test_a_clause_in_the_questions_own_words_answers_before_one_in_others(engine: LocalEngine, question: str) -> None:
    lease = (
        "COMMERCIAL LEASE\n\nThis Lease is made between Harbour Property Pty Ltd (Landlord) and Bluewater Cafe Pty Ltd (Tenant).\n\n"
        "1. Term\nThe term is five years from 1 July 2022.\n\n"
        "2. Rent\nThe Tenant must pay rent of $84,000 per year in equal monthly instalments.\n\n"
        "3. Termination\nThe Landlord may terminate this Lease on fourteen (14) days written notice if rent is unpaid.\n\n"
        "4. Indemnity\nThe Tenant indemnifies the Landlord against all loss arising from the Tenant's use of the Premises.\n\n"
        "5. Governing law\nThis Lease is governed by the laws of New South Wales.\n"
    )
    found = await engine.extract(question, lease, top_k=3)
    assert "$84,000" in found["answers"][0]["text"]
