"""The command `llm`, with the configuration of docs/clients.md."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from report import MATTER, QUESTION, check, refused, report

LLM = Path(sys.executable).parent / "llm"
folder = Path(tempfile.mkdtemp())
# The second, in spite of docs/clients.md, sends tools.
(folder / "extra-openai-models.yaml").write_text(f"""
- {{model_id: orderly, model_name: orderly, api_base: "{os.environ["ORDERLY_URL"]}/v1", api_key_name: orderly}}
- {{model_id: with-tools, model_name: orderly, api_base: "{os.environ["ORDERLY_URL"]}/v1", api_key_name: orderly,
   supports_tools: true}}
""")


def llm(*given):
    done = subprocess.run(
        [LLM, *given],
        capture_output=True,
        text=True,
        env={**os.environ, "LLM_USER_PATH": str(folder)},
        check=False,
        timeout=120,
    )
    if done.returncode:
        raise RuntimeError(done.stderr)
    return done.stdout


llm("keys", "set", "orderly", "--value", os.environ["ORDERLY_TOKEN"])


def answer():
    check("New South Wales" in llm("-m", "orderly", "--no-stream", f"{QUESTION} ({MATTER})"))


def stream():
    check("New South Wales" in llm("-m", "orderly", f"{QUESTION} ({MATTER})"))


def follow_up():
    check("five (5) years" in llm("-c", f"How long is the term of the lease? ({MATTER})"))


def instructions():
    check("New South Wales" in llm("-m", "orderly", "-s", "Answer briefly.", f"{QUESTION} ({MATTER})"))


def refusals():
    refused(lambda: llm("-m", "orderly", "-T", "llm_time", QUESTION), "orderly does not support tools")
    refused(lambda: llm("-m", "with-tools", "-T", "llm_time", QUESTION), "works with its own tools")


report(answer, stream, follow_up, instructions, refusals)
