"""Prometheus metrics of the process. Labels never hold a matter, a user or document text."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

REGISTRY = CollectorRegistry()

_LONG = (0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300)

REQUESTS = Counter("orderly_requests", "Requests answered.", ["method", "route", "status"], registry=REGISTRY)
REQUEST_SECONDS = Histogram(
    "orderly_request_seconds", "Time until the response was complete.", ["route"], buckets=_LONG, registry=REGISTRY
)
TOOL_SECONDS = Histogram("orderly_tool_seconds", "Tool calls.", ["tool", "outcome"], buckets=_LONG, registry=REGISTRY)
BUDGET_STOPS = Counter("orderly_budget_stops", "Calls of the model after the limit of tool calls or tokens.", registry=REGISTRY)
STAGE_SECONDS = Histogram(
    "orderly_ingestion_stage_seconds", "Stages of document ingestion.", ["stage"], buckets=_LONG, registry=REGISTRY
)
DOCUMENTS = Counter("orderly_documents", "Documents processed, by final status.", ["status"], registry=REGISTRY)
QUEUE = Gauge("orderly_queue", "Documents waiting, scheduled and in work; live workers.", ["state"], registry=REGISTRY)
ENGINE_CALLS = Counter(
    "orderly_engine_calls", "Calls to a legal engine.", ["engine", "endpoint", "answered"], registry=REGISTRY
)
ENGINE_TOKENS = Counter(
    "orderly_engine_input_tokens", "Input tokens, as counted by the engine.", ["engine", "model"], registry=REGISTRY
)


@dataclass(slots=True)
class StageClock:
    """Progress callback that measures the duration of each stage and forwards to `progress`."""

    progress: Callable[[str, int, int], None]
    _stage: str = ""
    _started: float = field(default_factory=time.monotonic)

    def __call__(self, stage: str, done: int, total: int) -> None:
        if stage != self._stage:
            self.end()
            self._stage, self._started = stage, time.monotonic()
        self.progress(stage, done, total)

    def end(self) -> None:
        if self._stage:
            STAGE_SECONDS.labels(self._stage).observe(time.monotonic() - self._started)
        self._stage = ""
