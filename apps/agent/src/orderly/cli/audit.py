from __future__ import annotations

import asyncio
import csv
import io
import json
from collections.abc import Iterable
from pathlib import Path

import click

from orderly.cli.session import json_option, operator_session, runs, session, show
from orderly.services.governance import FIELDS, ChainReport, anchor_heads, audit_entries, csv_row, sign_heads, verify_record
from orderly.store.functions.record import AuditEntry, Place, Run, replay_run


@click.group()
def audit() -> None:
    """The audit record: who read, searched, asked and changed what."""


@audit.command("verify")
@click.argument("chain", metavar="[MATTER]", required=False)
@json_option
@runs
async def verify(chain: str | None, as_json: bool) -> None:
    """Find entries that were changed, removed, truncated or rewritten. Exits with 1 if there are any."""
    async with operator_session() as (_, operator):
        verdicts, faults = await verify_record(operator.worker, operator.witness, chain, anchors=operator.anchors)
    broken = bool(faults) or not verdicts or any(not v.intact for v in verdicts)
    lines = [*(line for v in verdicts for line in _lines(v)), *faults] or ["There is no such record."]
    data = {
        "intact": not broken,
        "chains": [
            {"chain": v.chain, "name": v.name, "entries": v.entries, "unsigned": v.unsigned, "faults": v.faults}
            for v in verdicts
        ],
        "faults": faults,
    }
    show(data, "\n".join(lines), as_json)
    if broken:
        raise click.exceptions.Exit(1)


def _lines(v: ChainReport) -> list[str]:
    unsigned = f", {v.unsigned} not yet signed" if v.unsigned else ""
    return [f"{'✓' if v.intact else '✗'} {v.name}: {v.entries} entries{unsigned}", *(f"    {fault}" for fault in v.faults)]


@audit.command("sign")
@json_option
@runs
async def sign(as_json: bool) -> None:
    """Sign the newest entry of every record now, and anchor the signatures. Workers do this every minute and every hour."""
    async with operator_session() as (_, operator):
        count = await sign_heads(operator.worker, operator.witness)
        anchored = await anchor_heads(operator.witness, operator.anchors)
        key = operator.witness.public_key
    text = f"Signed {count} records. Public key (Ed25519): {key}"
    places = ", ".join(store.place for store in operator.anchors)
    text += f"\nAnchored at {places}." if places else "\nNot anchored: no place outside is configured."
    show({"signed": count, "anchored": anchored, "public_key": key}, text, as_json)


@audit.command("export")
@click.argument("matter")
@click.option("--format", "kind", type=click.Choice(["jsonl", "csv"]), default="jsonl", show_default=True)
@click.option("--out", type=click.Path(path_type=Path, dir_okay=False), default=None, help="Default: standard output.")
@runs
async def export(matter: str, kind: str, out: Path | None) -> None:
    """Export the record of MATTER, oldest entry first. For its owners."""
    async with session() as s:
        entries = [entry async for entry in audit_entries(s.services.store, s.caller, matter)]
    text = "".join(json.dumps(e, ensure_ascii=False) + "\n" for e in entries) if kind == "jsonl" else _csv(entries)
    if out is None:
        click.echo(text, nl=False)
        return
    await asyncio.to_thread(out.write_text, text, encoding="utf-8")
    click.echo(f"Wrote {len(entries)} entries to {out}.", err=True)


def _csv(entries: Iterable[AuditEntry]) -> str:
    target = io.StringIO()
    writer = csv.writer(target)
    writer.writerow(FIELDS)
    writer.writerows(csv_row(entry) for entry in entries)
    return target.getvalue()


@audit.command("replay")
@click.argument("run")
@json_option
@runs
async def replay(run: str, as_json: bool) -> None:
    """Show a run: its question, the passages that it read, and the citations of its answer."""
    async with session() as s:
        found = await replay_run(s.services.store, s.caller, run)
    show(found, _run_text(found), as_json)


def _run_text(run: Run) -> str:
    def place(p: Place) -> str:
        if p["text"] is None:
            return f"- a passage of document {p['document_id']} that is gone or not yours to read"
        return f"- {p['document_name']}, page {p['page']}: “{' '.join(p['text'].split())}”"

    return "\n".join([
        f"{run['email']} asked at {run['at']}, in {', '.join(m['number'] for m in run['matters']) or 'no matter'}:",
        f"  {run['question'] or '(withheld: it is about a document that is not yours to read)'}",
        f"{run['model']} answered (SHA-256 of the answer {run['answer_sha256']}), quoting",
        *([place(c) for c in run["citations"]] or ["- nothing"]),
        "Passages that its searches gave:",
        *([place(p) for p in run["passages"]] or ["- none"]),
        "Calls:",
        *(f"- {e['at']} {e['action']} {e['document_name'] or ''}".rstrip() for e in run["entries"]),
    ])  # fmt: skip
