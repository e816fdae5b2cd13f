"""Tools called directly from a script, without a server: `asyncio.run(tool.ainvoke(…))`."""

from __future__ import annotations

import subprocess
import sys

from support.installation import Office

SCRIPT = """
import asyncio, sys
from orderly.agent.tools import isaacus_search, list_matters

print(asyncio.run(list_matters.ainvoke({})))
print(asyncio.run(isaacus_search.ainvoke({"matter_id": sys.argv[1], "query": "written notice"})))

async def stopped():
    task = asyncio.create_task(list_matters.ainvoke({}))
    await asyncio.sleep(0.01)
    task.cancel()

asyncio.run(stopped())
"""


def test_a_script_ends_without_a_word_on_its_error_output(office: Office) -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", SCRIPT, office.matter],
        check=False,
        env=office.installation.environment,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    assert "High Street" in done.stdout and "ninety (90) days' written notice" in done.stdout
    assert done.stderr == ""
