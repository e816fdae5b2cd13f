from __future__ import annotations

from typing import Any

from orderly.services.search.deduplication import MAX_RESULT_CHARS, merge_hits

CLAUSE = " ".join(f"word{number}" for number in range(400))


def row(
    start: int, end: int, *, text: str = CLAUSE, revision: str = "r", section: str = "4.1", ordinal: int = 0
) -> dict[str, Any]:
    return {
        "chunk_id": f"{revision}-{start}",
        "document_id": "d",
        "document_name": "lease.txt",
        "revision_id": revision,
        "ordinal": ordinal,
        "start": start,
        "end": end,
        "text": text[start:end],
        "paged": False,
        "page_first": 1,
        "page_last": 1,
        "section_id": "s",
        "section_label": section,
        "section_title": "Rent",
    }


def test_overlapping_parts_of_one_clause_become_one_result_with_the_exact_text() -> None:
    [passage], repeated = merge_hits([(row(900, 1800), 0.9), (row(0, 1000), 0.4)], 10)
    assert (passage.start, passage.end) == (0, 1800)
    assert passage.text == CLAUSE[0:1800]
    assert passage.score == 0.9
    assert passage.id == "r-0"
    assert repeated == 0


def test_merged_results_stay_within_the_length_limit() -> None:
    passages, _ = merge_hits([(row(0, 1500), 0.9), (row(1400, 2900), 0.8)], 10)
    assert len(passages) == 2
    assert all(p.end - p.start <= MAX_RESULT_CHARS for p in passages)


def test_parts_of_different_clauses_are_not_merged() -> None:
    passages, _ = merge_hits([(row(0, 1000), 0.9), (row(900, 1800, section="4.2"), 0.8)], 10)
    assert len(passages) == 2


def test_a_duplicate_passage_is_counted_and_not_shown() -> None:
    passages, repeated = merge_hits([(row(0, 1000), 0.9), (row(0, 1000, revision="other"), 0.8)], 10)
    assert [p.revision_id for p in passages] == ["r"]
    assert repeated == 1


def test_short_similar_passages_are_both_shown() -> None:
    one, other = "The rent is $4,000 a month.", "The rent is $9,000 a month."
    ranked = [(row(0, len(one), text=one), 0.9), (row(0, len(other), text=other, revision="other"), 0.8)]
    assert len(merge_hits(ranked, 10)[0]) == 2


def test_a_part_of_a_shown_clause_is_merged_even_when_the_list_is_full() -> None:
    [passage], _ = merge_hits(
        [(row(0, 1000), 0.9), (row(5000, 5800, text=CLAUSE * 3, section="9"), 0.8), (row(900, 1800), 0.1)], 1
    )
    assert passage.end == 1800
