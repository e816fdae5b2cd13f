"""Commands start fast: they load the frameworks of agents and clients only if they need them."""

from __future__ import annotations

import subprocess
import sys

from orderly.cli import COMMANDS

OVERVIEW = """
import sys
from orderly.cli import cli
try:
    cli(["--help"])
finally:
    assert not [name for name in sys.modules if name.startswith(("orderly.services", "orderly.agent", "orderly.wiring"))]
"""

PLAIN = ("documents", "matters", "questions", "browse", "ingest", "folders", "doctor", "health", "reviews", "audit", "people")

LOADED = f"""
import importlib, sys
for name in {PLAIN}:
    importlib.import_module("orderly.cli." + name)
print(*sorted({{"langchain", "langchain_core", "langgraph", "openai", "mcp", "fastapi", "onnxruntime"}} & set(sys.modules)))
"""


def test_the_overview_names_every_command_and_loads_none() -> None:
    shown = subprocess.run([sys.executable, "-c", OVERVIEW], check=True, capture_output=True, text=True).stdout
    assert {line.split()[0] for line in shown.splitlines() if line.startswith("  ") and line.split()} >= set(COMMANDS)


def test_commands_without_agents_load_no_framework() -> None:
    assert subprocess.run([sys.executable, "-c", LOADED], check=True, capture_output=True, text=True).stdout.strip() == ""


UNUSED = (
    "lxml",
    "openai",
    "fastapi",
    "starlette",
    "uvicorn",
    "mcp",
    "langgraph_api",
    "pymupdf",
    "tesserocr",
    "onnxruntime",
    "anthropic",
    "google",
)

ASKING = f"""
import sys
import orderly.cli.ask, orderly.agent.run
print(*sorted({set(UNUSED)!r} & set(sys.modules)))
"""


def test_a_question_loads_no_server_no_reader_of_files_and_no_client_of_a_vendor() -> None:
    assert subprocess.run([sys.executable, "-c", ASKING], check=True, capture_output=True, text=True).stdout.strip() == ""
