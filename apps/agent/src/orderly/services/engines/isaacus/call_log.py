"""Appends one JSON line per engine call to a file. Lines hold counts and timings, never texts or keys."""

from __future__ import annotations

import asyncio
import json
import threading
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path

from orderly.services.policy import Call


class CallLog:
    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()

    async def __call__(self, call: Call) -> None:
        entry = {"at": datetime.now(UTC).isoformat(timespec="milliseconds"), **asdict(call), "seconds": round(call.seconds, 3)}
        await asyncio.to_thread(self._append, json.dumps(entry) + "\n")

    def _append(self, line: str) -> None:
        with self._lock:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with self._path.open("a", encoding="utf-8") as file:
                file.write(line)
