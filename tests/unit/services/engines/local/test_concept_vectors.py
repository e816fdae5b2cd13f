"""The stored vectors of the lexicon (evals/concept_vectors.py) are those of the texts and the model in the package."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from orderly.services.engines.local import concept_finder, concepts
from orderly.services.engines.local.concept_finder import ConceptFinder
from orderly.services.engines.local.embedding_model import Model


@pytest.fixture(scope="module")
def model() -> Model:
    return Model(threads=2)


def test_each_way_to_ask_has_the_vector_that_the_model_gives_it(model: Model) -> None:
    forms = concept_finder.asked_forms(concepts.load())
    stored = concept_finder.stored_vectors()
    assert len(stored) == len(forms)
    agreement = (stored * model.embed_first_windows(forms)).sum(axis=1)
    assert agreement.min() > 0.99, f"run evals/concept_vectors.py: {forms[int(agreement.argmin())]!r} differs"


def test_a_finder_embeds_the_query_alone(model: Model) -> None:
    embedded: list[str] = []

    def embed(texts: Sequence[str]) -> np.ndarray:
        embedded.extend(texts)
        return model.embed_first_windows(texts)

    found = ConceptFinder(embed).find("Which law governs this agreement?")
    assert found[0][0].name == "governing law"
    assert len(embedded) == 1
