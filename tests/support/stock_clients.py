"""Stock clients as programs: each is run unchanged against a started server, and says which of its abilities hold."""

from __future__ import annotations

import base64
import io
import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pymupdf
import pytest
from PIL import Image, ImageDraw

from support.installation import Server

ROOT = Path(__file__).parents[2]
PROGRAMS = ROOT / "tests/e2e/clients"
NODE_MODULES = PROGRAMS / "js/node_modules"
PYTHON, LITELLM = (ROOT / f".venv-clients/{name}/bin/python" for name in ("clients", "litellm"))
INSTALL = "`make clients` installs the stock clients"
MOST_SECONDS = 240

ABILITIES = ("answer", "stream", "follow-up", "instructions", "citations", "files", "refusals")

CLIENTS: dict[str, tuple[str, ...]] = {
    "OpenAI, Python": ("python/openai_python.py",),
    "OpenAI, Node": ("js/openai.mjs",),
    "openai-agents": ("python/openai_agents.py",),
    "Vercel ai 6": ("js/vercel_ai.mjs", "6"),
    "Vercel ai 7": ("js/vercel_ai.mjs", "7"),
    "LiteLLM, library": ("python/litellm_library.py",),
    "LiteLLM, proxy": ("python/litellm_proxy.py",),
    "llm": ("python/llm_cli.py",),
    "LangGraph SDK, Python": ("python/langgraph_python.py",),
    "LangGraph SDK, JS": ("js/langgraph.mjs",),
    "agent-chat-ui": ("js/chat_uis.mjs", "agent-chat-ui"),
    "deep-agents-ui": ("js/chat_uis.mjs", "deep-agents-ui"),
    "tus-js-client": ("js/tus.mjs",),
    "MCP inspector": ("js/mcp_inspector.mjs",),
    "fastmcp": ("python/fastmcp_client.py",),
}


INSTRUCTED = tuple(
    name
    for name, (program, *_) in CLIENTS.items()
    if not program.startswith(("js/tus", "js/mcp", "js/chat_uis", "python/fastmcp"))
)
"""Clients that pass on instructions."""

INSTRUCTION = "Answer briefly."


def told(request: dict[str, Any]) -> bool:
    """Whether a model's request holds the instruction that every client gives."""
    return INSTRUCTION in json.dumps(request["messages"])


def run_client(name: str, server: Server, ability: str = "") -> dict[str, str]:
    """Abilities of the client, each with "" or the reason why it failed. Skips the test where the client is not installed.

    `ability`: the only one that is tried.
    """
    program, *given = CLIENTS[name]
    if program.startswith("js/"):
        node = shutil.which("node")
        if node is None:
            pytest.skip("Node.js is not installed")
        if not NODE_MODULES.exists():
            pytest.skip(INSTALL)
        command = [node]
    else:
        python = LITELLM if "litellm" in program else PYTHON
        if not python.exists():
            pytest.skip(INSTALL)
        command = [str(python)]
    done = subprocess.run(
        [*command, PROGRAMS / program, *given],
        env={
            **{key: value for key, value in os.environ.items() if not key.startswith(("ORDERLY_", "OPENAI_", "PYTHON"))},
            "ORDERLY_URL": server.url,
            "ORDERLY_TOKEN": server.office.token,
            "ORDERLY_MATTER": server.office.matter,
            "ORDERLY_PDF": base64.b64encode(_pdf()).decode(),
            "ORDERLY_PNG": base64.b64encode(_picture()).decode(),
            "LITELLM_LOCAL_MODEL_COST_MAP": "True",
            "OPENAI_AGENTS_DISABLE_TRACING": "1",
            **({"ORDERLY_ABILITY": ability} if ability else {}),
        },
        capture_output=True,
        text=True,
        check=False,
        timeout=MOST_SECONDS,
    )
    assert done.returncode == 0 and done.stdout.strip(), f"{done.stdout}\n{done.stderr}"
    found: dict[str, str] = json.loads(done.stdout.strip().splitlines()[-1])
    return found


def _pdf() -> bytes:
    with pymupdf.open() as document:
        document.new_page().insert_text((72, 72), "1.1 The borrower pays interest of 7 per cent each year.")
        return bytes(document.tobytes())


def _picture() -> bytes:
    picture = Image.new("RGB", (900, 120), "white")
    ImageDraw.Draw(picture).text((20, 40), "The guarantor signs this deed.", fill="black", font_size=40)
    sent = io.BytesIO()
    picture.save(sent, "PNG")
    return sent.getvalue()
