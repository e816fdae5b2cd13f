"""A small chaos run; `make chaos` is the large one."""

from __future__ import annotations

import tempfile
from pathlib import Path

from stress.chaos.chaos import Plan, run


async def test_no_document_is_lost_or_duplicated_when_workers_are_killed_and_paused() -> None:
    with tempfile.TemporaryDirectory(prefix="orderly-chaos-", ignore_cleanup_errors=True) as folder:
        Path(folder).chmod(0o711)
        violations, summary = await run(Plan(files=12, seed=5, kills=2, kill_database=False), Path(folder))
    assert violations == []
    assert (summary["documents"], summary["workers paused"]) == (12, 1)
    assert summary["workers killed"] >= 1
