from __future__ import annotations

from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from orderly.models import Chunk, Page, Section
from orderly.services.document_processor import DocumentProcessor
from orderly.services.text.chunking import MOST_ALIKE, chunk
from orderly.services.text.sections import find_sections

FILES = Path(__file__).parents[3] / "fixtures" / "files"


def pieces(text: str, *, max_chars: int = 1500, overlap: int = 200) -> list[str]:
    chunks = chunk(text, find_sections(text), (), max_chars=max_chars, overlap=overlap)
    return [text[piece.start : piece.end] for piece in chunks]


def sentence(word: str, times: int) -> str:
    return " ".join(f"The {word} shall do thing {number} in due time." for number in range(times))


def test_a_chunk_does_not_run_into_the_next_clause() -> None:
    text = f"1. Services. {sentence('supplier', 15)}\n\n2. Fees. {sentence('customer', 15)}\n"
    first, second = pieces(text)
    assert first.startswith("1. Services.") and first.endswith("thing 14 in due time.")
    assert second.startswith("2. Fees.")


def test_small_items_of_one_clause_share_a_chunk_with_its_heading() -> None:
    text = f"1. TERM\n\n1.1 Start. {sentence('party', 3)}\n(a) at once; or\n(b) later.\n\n2. END. {sentence('tenant', 12)}\n"
    first, second = pieces(text)
    assert first.startswith("1. TERM") and first.endswith("(b) later.")
    assert second.startswith("2. END")


def test_a_long_clause_is_split_at_sentences_and_overlaps() -> None:
    text = f"1. Services. {sentence('supplier', 60)}\n\n2. Fees. Ten.\n"
    chunks = chunk(text, find_sections(text), ())
    inside = [piece for piece in chunks if piece.section == 0]
    assert len(inside) >= 2
    for one, other in pairwise(inside):
        assert text[one.end - 1] == "."
        assert text[other.start :].startswith("The supplier")
        assert 0 < one.end - other.start <= 200
    assert chunks[len(inside)].start == text.index("2. Fees")


def test_a_chunk_has_the_pages_and_section_of_its_span() -> None:
    text = f"1. Services. {sentence('supplier', 10)}\n2. Fees. {sentence('customer', 10)}"
    middle = text.index("2. Fees") + 60
    pages = (Page(1, 0, middle), Page(2, middle + 1, len(text)))
    first, second = chunk(text, find_sections(text), pages)
    assert (first.section, first.page_first, first.page_last) == (0, 1, 1)
    assert (second.section, second.page_first, second.page_last) == (1, 1, 2)


@pytest.mark.parametrize(
    "text",
    [
        "a" * 1_000_000,
        "[" * 500_000 + "]" * 500_000,
        "The tenant pays the rent.\n" * 100_000,
        "rent lease term " * 60_000,
        "1. Rent\n\n" * 20_000,
    ],
    ids=["one character", "nesting", "one line", "three words", "one heading"],
)
def test_a_text_that_repeats_itself_gives_few_chunks(text: str) -> None:
    sections = find_sections(text)
    made = chunk(text, sections, ())
    assert 1 <= len(made) <= 8 * MOST_ALIKE
    assert chunk(f"{text}\n\nThe governing law is that of Fiji.", (), ())[-1].end > len(text), "what differs is kept"


def test_blank_text_gives_no_chunks() -> None:
    assert chunk(" \n\t ", (), ()) == ()


def test_an_overlap_as_long_as_the_chunk_is_refused() -> None:
    with pytest.raises(ValueError, match="overlap"):
        chunk("text", (), (), max_chars=100, overlap=100)


def assert_chunks_cover(
    text: str, sections: tuple[Section, ...], chunks: tuple[Chunk, ...], max_chars: int, overlap: int
) -> None:
    covered = bytearray(len(text))
    for piece in chunks:
        assert 0 < piece.end - piece.start <= max_chars
        assert not text[piece.start].isspace() and not text[piece.end - 1].isspace()
        covered[piece.start : piece.end] = b"\1" * (piece.end - piece.start)
        if piece.section is not None:
            section = sections[piece.section]
            assert section.start <= piece.start < section.end
    repeated = max(Counter(text[piece.start : piece.end] for piece in chunks).values(), default=0) >= MOST_ALIKE
    assert repeated or all(mark or sign.isspace() for mark, sign in zip(covered, text, strict=True))
    assert [piece.ordinal for piece in chunks] == list(range(len(chunks)))
    for one, other in pairwise(chunks):
        assert one.start < other.start and one.end < other.end
        assert one.end - other.start <= overlap


WORDS = st.sampled_from(
    [
        "1. Term.",
        "\n1.1 Start.",
        "\n(a)",
        "\n(b)",
        "\n2. Fees. ",
        "word",
        "sentence. ",
        " ",
        "\n\n",
        "\n",
        "x" * 70,
        "é",
        "\u2003",
    ]
)


@given(text=st.lists(WORDS, max_size=80).map("".join), max_chars=st.integers(20, 200), share=st.floats(0, 0.9))
@example(text="1. Term.\n1.1 Start.\u2003\n1.1 Start.", max_chars=20, share=0.75)
@example(text="1. Term." * 3 + "x" * 70, max_chars=31, share=0.5625)
@settings(max_examples=300, deadline=None)
def test_chunks_cover_all_visible_text(text: str, max_chars: int, share: float) -> None:
    overlap = int(max_chars * share)
    sections = find_sections(text)
    assert_chunks_cover(text, sections, chunk(text, sections, (), max_chars=max_chars, overlap=overlap), max_chars, overlap)


@pytest.mark.parametrize("name", ["cuad_consulting_agreement.pdf", "own_cuad_cp1252.txt", "render1_distributor_agreement.docx"])
async def test_real_contracts_are_covered(name: str) -> None:
    extracted = await DocumentProcessor(None).extract(FILES / name, name)
    sections = find_sections(extracted.text, extracted.headings, extracted.pages)
    chunks = chunk(extracted.text, sections, extracted.pages)
    assert_chunks_cover(extracted.text, sections, chunks, 1500, 200)
    for piece in chunks:
        first, last = extracted.pages[piece.page_first - 1], extracted.pages[piece.page_last - 1]
        assert first.start <= piece.start <= first.end
        assert last.start < piece.end <= last.end


def test_a_passage_of_two_short_clauses_names_the_clause_above_them():
    text = "10. GENERAL\n\n10.3 Offset. Either party may set off.\n\n10.4 Law. The laws of Victoria govern.\n\n11. COSTS\n\nEach its own."
    sections = find_sections(text)
    named = [
        (text[one.start : one.end], sections[one.section].label) for one in chunk(text, sections, ()) if one.section is not None
    ]
    assert [label for words, label in named if "Offset" in words and "Victoria" in words] == ["10"]
