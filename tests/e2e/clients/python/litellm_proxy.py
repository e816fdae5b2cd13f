"""LiteLLM's proxy, started here with the configuration of docs/clients.md, and asked with OpenAI's client."""

import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

import openai
from report import QUESTION, check, refused, report

CONFIGURATION = """
model_list:
  - model_name: orderly
    litellm_params: {model: openai/orderly, api_base: os.environ/OPENAI_BASE_URL, api_key: os.environ/ORDERLY_TOKEN}
  - model_name: high-street
    litellm_params:
      model: openai/orderly
      api_base: os.environ/OPENAI_BASE_URL
      api_key: os.environ/ORDERLY_TOKEN
      extra_body: {metadata: {matter: os.environ/ORDERLY_MATTER}}
general_settings: {master_key: sk-of-the-proxy}
""".replace("os.environ/ORDERLY_MATTER", os.environ["ORDERLY_MATTER"])

with socket.socket() as probe:
    probe.bind(("127.0.0.1", 0))
    address = f"http://127.0.0.1:{probe.getsockname()[1]}"
folder = Path(tempfile.mkdtemp())
(folder / "litellm.yaml").write_text(CONFIGURATION)
with (folder / "log").open("wb") as log:
    proxy = subprocess.Popen(
        [Path(sys.executable).parent / "litellm", "--config", folder / "litellm.yaml", "--host", "127.0.0.1", "--port",
         address.rpartition(":")[2]],
        stdout=log, stderr=log, env={**os.environ, "OPENAI_BASE_URL": f"{os.environ['ORDERLY_URL']}/v1"},
    )  # fmt: skip
client = openai.OpenAI(base_url=address, api_key="sk-of-the-proxy", max_retries=0)
search = {"type": "file_search", "vector_store_ids": [os.environ["ORDERLY_MATTER"]]}


def chat(*messages, **more):
    return client.chat.completions.create(
        model="high-street", messages=[{"role": role, "content": text} for role, text in messages], **more
    )


def ask(question, **more):
    return client.responses.create(model="orderly", input=question, tools=[search], **more)


def answer():
    check("New South Wales" in chat(("user", QUESTION)).choices[0].message.content)
    check("New South Wales" in ask(QUESTION).output_text)


def stream():
    parts = [part.choices[0].delta.content or "" for part in chat(("user", QUESTION), stream=True) if part.choices]
    check("New South Wales" in "".join(parts), parts)
    check([event.type for event in ask(QUESTION, stream=True)][-1] == "response.completed")


def follow_up():
    first = ask(QUESTION)
    check("five (5) years" in ask("How long is the term?", previous_response_id=first.id).output_text)


def instructions():
    check("New South Wales" in chat(("system", "Answer briefly."), ("user", QUESTION)).choices[0].message.content)
    check("New South Wales" in ask(QUESTION, instructions="Answer briefly.").output_text)


def citations():
    check(ask(QUESTION).output[-1].content[0].annotations[0].filename == "lease.txt")


def refusals():
    tool = {"type": "function", "function": {"name": "f", "parameters": {}}}
    refused(lambda: chat(("user", QUESTION), tools=[tool]), "works with its own tools")


def up():
    try:
        return urllib.request.urlopen(f"{address}/health/liveliness", timeout=2).status == 200
    except OSError:
        return False


try:
    for _ in range(120):
        if up():
            break
        check(proxy.poll() is None, (folder / "log").read_text()[-500:])
        time.sleep(1)
    report(answer, stream, follow_up, instructions, citations, refusals)
finally:
    proxy.terminate()
    proxy.wait(20)
