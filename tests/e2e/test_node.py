"""The production server: refusals to start, and retention of conversations."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import httpx
import pytest
from langgraph_sdk import get_client

from support.engines import AEGRA, ROOT
from support.installation import Installation, Server

needs_aegra = pytest.mark.skipif(os.environ.get("ORDERLY_TEST_ENGINE") != "aegra", reason="Aegra: make engines")


def run(installation: Installation, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [AEGRA, "node", *arguments],
        check=False,
        env=installation.environment,
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=240,
    )


@needs_aegra
def test_a_node_refuses_to_serve_before_its_database_is_upgraded_and_without_the_sign_in(
    installation: Installation, tmp_path: Path
) -> None:
    config = json.loads((ROOT / "aegra.json").read_text())
    config["graphs"]["orderly"]["path"] = str(ROOT / "apps/agent/node.py:graph")
    config["http"]["app"] = str(ROOT / "apps/agent/app.py:app")
    config["auth"]["path"] = "./gone.py:auth"
    (tmp_path / "aegra.json").write_text(json.dumps(config))
    early = run(installation, tmp_path, "serve", "--port", "1")
    assert (early.returncode, "node upgrade" in early.stderr) == (1, True), early.stderr
    assert run(installation, tmp_path, "upgrade").returncode == 0
    refused = run(installation, tmp_path, "serve", "--port", "1")
    assert refused.returncode == 1, refused.stdout
    assert "instead of 401" in refused.stderr


def test_without_aegra_the_command_names_the_missing_package(installation: Installation) -> None:
    assert "Python 3.12" in installation.run("node", "serve", code=1).stderr


@needs_aegra
async def test_conversations_are_deleted_by_rule_and_kept_by_a_hold(server: Server) -> None:
    office, installation = server.office, server.office.installation
    question = {"messages": [{"role": "user", "content": "Which law governs the lease?"}]}
    installation.run("retention", "set", "threads", "0")
    installation.run("retention", "--apply")  # removes threads of other tests
    async with get_client(url=server.url, headers={"Authorization": f"Bearer {office.token}"}) as sdk:
        thread = (await sdk.threads.create())["thread_id"]
        await sdk.runs.wait(thread, "orderly", input=question, context={"matter_id": office.matter})
        installation.run("hold", office.document_id, "--on")
        assert "0 of threads would go; 1 more are under a legal hold" in installation.run("retention", "--dry-run").stdout
        installation.run("retention", "--apply")
        assert await sdk.threads.get(thread)
        installation.run("hold", office.document_id, "--off")
        assert "1 of threads would go" in installation.run("retention", "--dry-run").stdout
        assert await sdk.threads.get(thread), "a dry run must remove nothing"
        assert installation.data("retention", "--apply")["threads"] == 1
        with pytest.raises(httpx.HTTPStatusError):
            await sdk.threads.get(thread)
