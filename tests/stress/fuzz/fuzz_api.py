"""Fuzzes a running server with requests generated from the OpenAPI document, as three people.

    python tests/stress/fuzz/fuzz_api.py [--requests 5000] [--schemathesis .venv-fuzz/bin/schemathesis]

No reply may be a 5xx or violate its schema, and no reply to a person outside the matter may contain its content. Existing
ids replace generated ones, so that requests reach the resources. Exits with 1 on any failure; the exchanges
stay in the folder that is printed at the end.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import click
import httpx

ROOT = Path(__file__).parents[3]
sys.path.insert(0, str(ROOT / "tests"))

from support.installation import LOCAL_USER, Installation, Office, Server, started  # noqa: E402

CANARY = "Zirconium"
CHECKS = (
    "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance,allow_header_conformance"
)
CHECKS_SIGNED_IN = f"{CHECKS},unsupported_method"
"""Without a sign-in, every request is refused before its method is looked at, so that nobody learns of routes."""
SLOW = r"^/v1/(responses|chat/completions)$"
"""Runs the agents, therefore gets few requests."""
LEFT_OUT = r"/events$|^/api/mcp|^/app|^/$"
"""Endless streams, MCP (which has its own tests) and the page."""
DESTRUCTIVE_METHOD = "DELETE"
"""Method left out of the owner's requests, so that resources remain."""


def prepared(home: Path) -> Office:
    installation = Installation(home)
    deed = home / "deed.txt"
    deed.write_text(f"1. {CANARY}\n\nThe supplier shall deliver ten tonnes of {CANARY} every quarter.\n")
    [report] = installation.data("ingest", str(deed), "--matter", f"{CANARY} Supplies")
    [matter] = installation.data("matters", "list")
    colleague = installation.data("user", "add", "colleague@firm.example")
    own, other = (installation.data("user", "token", who)["token"] for who in (LOCAL_USER, "colleague@firm.example"))
    return Office(installation, matter["number"], matter["id"], report["document_id"], own, other, colleague["user_id"])


def configuration(office: Office) -> str:
    """Returns the configuration of schemathesis: existing ids for every parameter of that name."""
    return "\n".join(
        [
            "[parameters]",
            f'matter = "{office.matter}"',
            f'document = "{office.document_id}"',
            "[generation]",
            "allow-x00 = true",
        ]
    )


def run_as(tool: Path, server: Server, who: str, token: str | None, examples: int, folder: Path, *, slow: bool) -> list[Any]:
    """Returns the exchanges of one person's requests; prints the failures that schemathesis found."""
    (folder / "schemathesis.toml").write_text(configuration(server.office))
    named = f"{who}{'-slow' if slow else ''}"
    # One worker: CPython 3.11's `ast` can fail when two threads parse at once, and Hypothesis parses.
    command = [
        str(tool), "run", f"{server.url}/api/openapi.json", "--checks", CHECKS_SIGNED_IN if token else CHECKS, "--max-examples", str(examples),
        "--phases", "fuzzing" if slow else "coverage,fuzzing", "--workers", "1", "--continue-on-failure", "--request-timeout", "60",
        "--report", "har", "--report-har-path", str(folder / f"{named}.har"), "--seed", "1", "--no-color",
    ]  # fmt: skip
    command += ["--include-path-regex", SLOW] if slow else ["--exclude-path-regex", f"{SLOW}|{LEFT_OUT}"]
    if token:
        command += ["--header", f"Authorization: Bearer {token}"]
    if who == "owner" and not slow:
        command += ["--exclude-method", DESTRUCTIVE_METHOD]
    done = subprocess.run(command, check=False, cwd=folder, capture_output=True, text=True, env=_plain_environment())
    (folder / f"{named}.txt").write_text(done.stdout + done.stderr)
    if done.returncode:
        click.echo(f"-- {named}: schemathesis found failures\n{_failures(done.stdout)}\n{done.stderr[-2000:]}")
        failed.append(named)
    return list(json.loads((folder / f"{named}.har").read_text())["log"]["entries"])


def _failures(report: str) -> str:
    """Returns the report without schemathesis' hints on the schema."""
    return report.partition("= FAILURES =")[2].partition("= WARNINGS =")[0] or report[-6000:]


def _plain_environment() -> dict[str, str]:
    return {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "ORDERLY_"))}


def leaks(entries: list[Any], secrets: list[str]) -> list[str]:
    """Returns the replies that contain a secret which the request did not contain."""
    found = []
    for entry in entries:
        body = str(entry["response"]["content"].get("text") or "")
        sent = json.dumps(entry["request"])
        if any(secret in body and secret not in sent for secret in secrets):
            found.append(f"{entry['request']['method']} {entry['request']['url']}: {body[:200]}")
    return found


failed: list[str] = []


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--requests", type=int, default=5_000, help="minimum number of requests over all three people")
    parser.add_argument("--schemathesis", type=Path, default=ROOT / ".venv-fuzz/bin/schemathesis")
    options = parser.parse_args()
    tool = options.schemathesis.absolute()
    folder = Path(tempfile.mkdtemp(prefix="orderly-api-fuzz-"))
    folder.chmod(0o711)
    home = folder / "home"
    home.mkdir(mode=0o711)
    office = prepared(home)
    # The owner comes last: an administrator's requests may grant the others access.
    people = {"nobody": None, "colleague": office.colleague_token, "owner": office.token}
    counts: Counter[str] = Counter()
    unlimited = {
        "ORDERLY_REQUESTS_PER_MINUTE": "0",
        "ORDERLY_SIGN_INS_PER_MINUTE": "0",
    }  # otherwise rate limits would refuse most requests
    with started(office, unlimited) as server:
        paths = httpx.get(f"{server.url}/api/openapi.json").json()["paths"]
        operations = sum(len(methods) for methods in paths.values())
        examples = max(1, options.requests // (len(people) * operations))
        for who, token in people.items():
            entries = run_as(tool, server, who, token, examples, folder, slow=False)
            entries += run_as(tool, server, who, token, min(examples, 5), folder, slow=True)
            counts[who] = len(entries)
            broken = [f"{e['request']['method']} {e['request']['url']}" for e in entries if e["response"]["status"] >= 500]
            leaked = leaks(entries, [CANARY, office.matter_id, office.document_id]) if who != "owner" else []
            if broken or leaked:
                failed.append(who)
                click.echo("\n".join([*broken[:20], *leaked[:20]]))
    total = sum(counts.values())
    click.echo(f"{total} requests to {operations} operations: {dict(counts)}. Exchanges: {folder}")
    if total < options.requests:
        failed.append(f"only {total} requests")
    if failed:
        sys.exit(f"Failed: {', '.join(failed)}")
    click.echo("No 5xx, no schema violation, no leak.")


if __name__ == "__main__":
    main()
