"""Counts the engine calls made in a context."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from orderly.store.functions.usage import EngineUsage
from orderly.telemetry.metrics import ENGINE_CALLS, ENGINE_TOKENS


@dataclass(frozen=True, slots=True)
class Call:
    """Metadata of one HTTP exchange, without its content."""

    engine: str
    endpoint: str
    """E.g. "/embeddings"."""
    model: str
    texts: int
    characters: int
    """Total length of the texts and the query."""
    seconds: float
    status: int | None
    """None if there was no response."""
    input_tokens: int = 0
    """As reported by the engine; 0 for a failed call."""

    @property
    def answered(self) -> bool:
        return self.status == 200


class Meter:
    def __init__(self) -> None:
        self._used: dict[tuple[str, str, str], list[int]] = {}

    def count(self, call: Call) -> None:
        if call.answered:
            used = self._used.setdefault((call.engine, call.model, call.endpoint), [0, 0])
            used[0] += 1
            used[1] += call.input_tokens

    def entries(self) -> list[EngineUsage]:
        return [
            {"engine": engine, "model": model, "endpoint": endpoint, "requests": requests, "input_tokens": tokens}
            for (engine, model, endpoint), (requests, tokens) in sorted(self._used.items())
        ]


_meter: ContextVar[Meter | None] = ContextVar("meter", default=None)


@contextmanager
def metering() -> Iterator[Meter]:
    """Counts the calls in this context and in the tasks created there. With nested meters, only the innermost counts."""
    meter = Meter()
    token = _meter.set(meter)
    try:
        yield meter
    finally:
        _meter.reset(token)


def count(call: Call) -> None:
    ENGINE_CALLS.labels(call.engine, call.endpoint, str(call.answered).lower()).inc()
    ENGINE_TOKENS.labels(call.engine, call.model).inc(call.input_tokens)
    if (meter := _meter.get()) is not None:
        meter.count(call)
