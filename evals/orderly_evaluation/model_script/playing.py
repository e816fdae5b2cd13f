"""Plays the behaviours against the graph and compares what the user sees with what must be seen."""

from __future__ import annotations

import asyncio
import itertools
import re
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import SecretStr

from orderly.agent.middleware.run_context import RunContext
from orderly.agent.run import ask
from orderly.graph import build_graph
from orderly.models import Caller
from orderly.wiring.services import Services
from orderly_evaluation.model_script.behaviour import NEVER, QUESTION, Behaviour
from orderly_evaluation.model_script.peer import ScriptedModel, serve_many

AT_ONCE = 8
"""Conversations that are held at the same time."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The answer that the user saw to one behaviour."""

    behaviour: str
    seen: str
    """The answer, on one line."""
    seconds: float
    requests: int
    """Requests to the model."""
    faults: tuple[str, ...]
    """How it differs from what must be seen; none: as it must be."""


async def play_all(
    services: Services,
    caller: Caller,
    matter_id: str,
    behaviours: Sequence[Behaviour],
    progress: Callable[[int], None] = lambda _done: None,
) -> list[Outcome]:
    """Asks one question of each model that misbehaves, several at once, at one endpoint.

    `progress` is called with the number of behaviours that are done.
    """
    places, done = asyncio.Semaphore(AT_ONCE), itertools.count(1)

    async def play_one(behaviour: Behaviour) -> Outcome:
        async with places:
            outcome = await _play(services, caller, matter_id, behaviour, add(behaviour.replies()))
        progress(next(done))
        return outcome

    with serve_many() as add:
        return await asyncio.gather(*map(play_one, behaviours))


async def _play(services: Services, caller: Caller, matter_id: str, behaviour: Behaviour, model: ScriptedModel) -> Outcome:
    changed: dict[str, Any] = {
        "openai_api_key": SecretStr(model.key),
        "openai_base_url": model.base_url,
        "model_seconds": behaviour.model_seconds,
        **behaviour.settings,
    }
    graph: Any = build_graph(services.settings.model_copy(update=changed))
    began = time.perf_counter()
    answer = await ask(graph, services, caller, QUESTION, context=RunContext(matter_id=matter_id))
    seconds = time.perf_counter() - began
    faults = tuple(_faults(behaviour, answer.text, seconds, len(model.requests)))
    return Outcome(behaviour.name, " ".join(answer.text.split()), seconds, len(model.requests), faults)


def _faults(behaviour: Behaviour, text: str, seconds: float, requests: int) -> Iterator[str]:
    for wanted in behaviour.shows:
        if not any(part in text for part in wanted.split("|")):
            yield f"does not show {wanted!r}"
    for unwanted in (*NEVER, *behaviour.hides):
        if unwanted in text:
            yield f"shows {unwanted!r}"
    if re.search(r"[\0\ud800-\udfff]", text):
        yield "shows characters that cannot be stored"
    if seconds > behaviour.max_seconds:
        yield f"took {seconds:.1f} s, more than {behaviour.max_seconds:.0f} s"
    if requests > behaviour.max_requests:
        yield f"sent {requests} requests, more than {behaviour.max_requests}"


def failed(outcomes: Iterable[Outcome]) -> list[Outcome]:
    return [outcome for outcome in outcomes if outcome.faults]
