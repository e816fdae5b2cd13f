"""Vectors and windows of the offline engine."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from orderly.errors import EngineRefused
from orderly.services.engines.local import LocalEngine, windows
from orderly.services.engines.protocol import LegalEngine


async def cosines(engine: LocalEngine, *texts: str) -> np.ndarray:
    vectors = np.array(await engine.embed(texts, task="retrieval/document"))
    return vectors @ vectors.T


async def test_the_engine_implements_the_protocol_and_is_named_offline(engine: LocalEngine) -> None:
    legal: LegalEngine = engine
    assert (legal.name, legal.offline, legal.embedding_model) == ("local", True, "all-MiniLM-L6-v2")
    assert "offline" in legal.description.lower()


async def test_vectors_match_the_published_similarities(engine: LocalEngine) -> None:
    """The expected similarities are from the documentation of sentence-transformers for this model; 8-bit weights differ by up to .03."""
    found = await cosines(
        engine,
        "The cat sits outside",
        "The dog plays in the garden",
        "The new movie is awesome",
        "The new movie is so great",
        "A man is playing guitar",
        "A woman watches TV",
    )
    assert found[0, 1] == pytest.approx(0.2838, abs=0.03)
    assert found[2, 3] == pytest.approx(0.8939, abs=0.03)
    assert found[4, 5] == pytest.approx(-0.0327, abs=0.03)
    assert np.allclose(np.diag(found), 1.0, atol=1e-5)


async def test_a_vector_does_not_depend_on_its_batch(engine: LocalEngine) -> None:
    texts = [("clause " * length).strip() for length in (1, 200, 3, 50, 120, 7)]
    together = np.array(await engine.embed(texts, task="retrieval/document"))
    alone = np.array([(await engine.embed([text], task="retrieval/query"))[0] for text in texts])
    assert np.allclose(together, alone, atol=1e-5)


async def test_a_text_beyond_the_window_is_refused_and_not_truncated(engine: LocalEngine) -> None:
    await engine.embed(["tax " * 254], task="retrieval/document")
    with pytest.raises(EngineRefused):
        await engine.embed(["short", "tax " * 255], task="retrieval/document")


async def test_blank_text_is_refused_and_no_text_gives_no_vectors(engine: LocalEngine) -> None:
    assert await engine.embed([], task="retrieval/document") == []
    with pytest.raises(EngineRefused):
        await engine.embed([" \n"], task="retrieval/document")


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(
        st.one_of(
            st.text(max_size=30),
            st.sampled_from(["Notwithstanding", "12.1(a)", "indemnification", "条項", "\n\n", "$1,000,000", "x" * 150]),
        ),
        max_size=60,
    ),
    st.integers(1, 8),
)
def test_every_visible_character_lies_in_a_window_that_can_be_embedded(
    engine: LocalEngine, parts: list[str], times: int
) -> None:
    text = " ".join(parts) * times
    spans = engine.windows(text)
    covered = set(itertools.chain.from_iterable(range(start, end) for start, end in spans))
    missing = [c for i, c in enumerate(text) if i not in covered and c.isalnum() and c.isascii()]
    assert missing == []
    assert all(0 <= start < end <= len(text) for start, end in spans)
    # embed() raises for a text beyond the model's window.
    engine._loader.meaning.model.embed([text[start:end] for start, end in spans])


async def test_a_long_clause_is_divided_into_overlapping_windows_of_similar_size(engine: LocalEngine) -> None:
    text = " ".join(f"The supplier shall deliver item {i} on time." for i in range(100))
    spans = engine.windows(text)
    assert len(spans) > 2
    assert all(later[0] < earlier[1] for earlier, later in itertools.pairwise(spans))
    sizes = [end - start for start, end in spans]
    assert min(sizes) > max(sizes) / 2
    assert engine.windows("One short clause.") == [(0, 17)]
    assert engine.windows(" \n ") == []


@given(st.lists(st.integers(1, 100), min_size=1, max_size=300), st.integers(100, 254), st.integers(0, 40))
def test_windows_cover_every_word_within_the_window_size(pieces: list[int], size: int, overlap: int) -> None:
    words = [(10 * i, 10 * i + 9, count) for i, count in enumerate(pieces)]
    spans = windows.cover(words, size, overlap)
    held = [[word for word in words if start <= word[0] and word[1] <= end] for start, end in spans]
    assert {word for group in held for word in group} == set(words)
    assert all(sum(count for _, _, count in group) <= size for group in held)
