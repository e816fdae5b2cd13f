"""Streams of runs whose last event was lost with Redis: a reader on another node than the run's would wait for it for ever."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from orderly.aegra.environment import load_aegra
from orderly.store.conversations import ended_runs

LATE_SECONDS = 5.0
"""After the end of a run is stored, its last event is sent."""


def end_lost_streams(environment: Mapping[str, str], conversations: str) -> None:
    """Wraps Aegra's regular search for runs of killed nodes. It then ends the streams of ended runs too."""
    reaper = load_aegra(environment, "aegra_api.services.lease_reaper").LeaseReaper
    brokers = load_aegra(environment, "aegra_api.services.broker").broker_manager
    reap = reaper._reap

    async def reap_and_end(self: Any) -> None:
        await reap(self)
        waiting = [run for run, broker in brokers._brokers.items() if not broker.is_finished()]
        for run in await ended_runs(conversations, waiting, LATE_SECONDS) if waiting else ():
            brokers.cleanup_broker(run)

    reaper._reap = reap_and_end
