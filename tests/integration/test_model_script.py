"""What users see when a chat model misbehaves: each behaviour of `orderly eval --model-script`, in one installation."""

from __future__ import annotations

import warnings
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from orderly.agent.chat_models import openai_compatible
from orderly.models import Caller
from orderly.wiring.services import Services
from orderly_evaluation.model_script.behaviour import DOCUMENT
from orderly_evaluation.model_script.behaviours import behaviours
from orderly_evaluation.model_script.playing import failed, play_all


async def test_a_misbehaving_model_ends_in_plain_words_with_what_was_found(
    services: Services,
    ada: Caller,
    matter: dict[str, Any],
    add_file: Callable[..., Awaitable[str]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    await add_file("lease.txt", DOCUMENT)
    monkeypatch.setattr(openai_compatible, "FIRST_WAIT", 0.01)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Pydantic serializer warnings", UserWarning)  # of content that is a list
        outcomes = await play_all(services, ada, matter["id"], behaviours())
    assert not failed(outcomes), "\n".join(f"{o.behaviour}: {o.faults}: {o.seen}" for o in failed(outcomes))
    assert len(outcomes) >= 180


def test_the_behaviours_have_names_of_their_own() -> None:
    names = [behaviour.name for behaviour in behaviours()]
    assert len(set(names)) == len(names) >= 30
