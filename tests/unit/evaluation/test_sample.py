"""Which cases `orderly eval --limit` measures."""

from __future__ import annotations

from collections import Counter

from orderly_evaluation.bench import sample_of

QUESTIONS, DOCUMENTS = 41, 60
CASES = [(document, question) for document in range(DOCUMENTS) for question in range(QUESTIONS)]


def test_a_sample_meets_every_question_and_every_document() -> None:
    sample = sample_of(CASES, 400)
    assert len(set(sample)) == 400
    for one in range(2):
        counts = Counter(case[one] for case in sample)
        assert len(counts) == (DOCUMENTS, QUESTIONS)[one]
        assert max(counts.values()) <= 3 * 400 / len(counts)


def test_a_sample_is_always_the_same_and_in_order() -> None:
    assert sample_of(CASES, 50) == sample_of(CASES, 50) == sorted(sample_of(CASES, 50))


def test_all_cases_are_measured_without_a_limit_or_with_one_that_is_not_reached() -> None:
    assert sample_of(CASES, None) == sample_of(CASES, len(CASES)) == CASES
