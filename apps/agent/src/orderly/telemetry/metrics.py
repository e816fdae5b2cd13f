"""What this process counts, for Prometheus. Labels are names of our own: no matter, no user, no word of a document."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

REGISTRY = CollectorRegistry()

_LONG = (0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300)

REQUESTS = Counter("orderly_requests", "Requests answered.", ["method", "route", "status"], registry=REGISTRY)
REQUEST_SECONDS = Histogram(
    "orderly_request_seconds", "Until the answer was complete.", ["route"], buckets=_LONG, registry=REGISTRY
)
TOOL_SECONDS = Histogram("orderly_tool_seconds", "Calls of tools.", ["tool", "outcome"], buckets=_LONG, registry=REGISTRY)
BUDGET_STOPS = Counter("orderly_budget_stops", "Answers begun because the run's tool calls were used up.", registry=REGISTRY)
STAGE_SECONDS = Histogram(
    "orderly_ingestion_stage_seconds", "Stages of reading a document.", ["stage"], buckets=_LONG, registry=REGISTRY
)
DOCUMENTS = Counter("orderly_documents", "Documents read, by how it ended.", ["status"], registry=REGISTRY)
QUEUE = Gauge("orderly_queue", "Documents waiting, due later and worked on; workers alive.", ["state"], registry=REGISTRY)
ENGINE_CALLS = Counter(
    "orderly_engine_calls", "Calls of a legal engine.", ["engine", "endpoint", "answered"], registry=REGISTRY
)
ENGINE_TOKENS = Counter("orderly_engine_input_tokens", "As the engine counts them.", ["engine", "model"], registry=REGISTRY)


@dataclass(slots=True)
class StageClock:
    """Times the stages of one document by hearing its progress, and passes it on."""

    told: Callable[[str, int, int], None]
    _stage: str = ""
    _since: float = field(default_factory=time.monotonic)

    def __call__(self, stage: str, done: int, total: int) -> None:
        if stage != self._stage:
            self.end()
            self._stage, self._since = stage, time.monotonic()
        self.told(stage, done, total)

    def end(self) -> None:
        if self._stage:
            STAGE_SECONDS.labels(self._stage).observe(time.monotonic() - self._since)
        self._stage = ""
