from __future__ import annotations

from dataclasses import asdict

import click

from orderly.cli.people import installed_firm
from orderly.cli.session import json_option, operator_session, runs, show
from orderly.errors import Invalid
from orderly.services.governance import Due, purge
from orderly.services.governance import retention as retention_service
from orderly.store.conversations import server_conversations
from orderly.store.functions.firm import list_users
from orderly.store.functions.retention import ChangedRule, RetentionKind, RetentionRule, list_retention, set_retention

KINDS: tuple[RetentionKind, ...] = ("deleted_documents", "page_images", "audit", "threads")
NO_CONVERSATIONS = "Conversations are not among them: there is no production server's database here."


@click.group(invoke_without_command=True)
@click.option("--dry-run", is_flag=True, help="Print what would be removed (the default).")
@click.option("--apply", is_flag=True, help="Apply the rules now. Workers do this every night.")
@json_option
@click.pass_context
def retention(context: click.Context, dry_run: bool, apply: bool, as_json: bool) -> None:
    """Retention rules. Data without a rule, and data under a legal hold, is kept."""
    if context.invoked_subcommand is not None:
        return
    if dry_run and apply:
        raise Invalid("Either --dry-run or --apply.")
    (_apply if apply else _dry_run)(as_json)


@runs
async def _dry_run(as_json: bool) -> None:
    async with operator_session() as (_, operator):
        conversations = await server_conversations(operator.conversations_url)
        due = await retention_service.list_due(operator.worker, conversations)
    lines = [_line(one) for one in due] or ["Nothing would go."]
    if conversations is None:
        lines.append(NO_CONVERSATIONS)
    show([asdict(one) for one in due], "\n".join(lines), as_json)


@runs
async def _apply(as_json: bool) -> None:
    from orderly.jobs.conversation_redaction import redactable  # noqa: PLC0415  # imports LangGraph

    async with operator_session() as (_, operator):
        conversations = await server_conversations(operator.conversations_url)
        removed = await retention_service.apply(operator.worker, operator.blobs, conversations)
        to_redact = await redactable(operator.conversations_url)
        await purge(operator.worker, operator.blobs, operator.ingestor.visuals, to_redact)
    lines = [f"Removed {count} of {kind.replace('_', ' ')}." for kind, count in removed.items()]
    show(removed, "\n".join([*lines, "Purged the deleted documents that were due."]), as_json)


@retention.command("set")
@click.argument("kind", type=click.Choice(KINDS))
@click.argument("days")
@click.option("--matter", help="Number or id of a matter: its rule overrides the firm's rule.")
@click.option("--firm", help="Tenant. Default: the installation's firm.")
@json_option
@runs
async def set_rule(kind: RetentionKind, days: str, matter: str | None, firm: str | None, as_json: bool) -> None:
    """Keep data of KIND for DAYS days. DAYS is a number, or `none` to remove the rule."""
    if days != "none" and not days.isdecimal():
        raise Invalid("DAYS is a number of days, or none.")
    async with operator_session() as (s, operator):
        known = {user["tenant_name"] for user in await list_users(operator.worker)}
        tenant, keep_days = firm or installed_firm(s.services.settings, known), None if days == "none" else int(days)
        made = await set_retention(operator.worker, tenant, kind=kind, keep_days=keep_days, matter_ref=matter)
    show(made, _rule(made), as_json)


@retention.command("rules")
@json_option
@runs
async def rules(as_json: bool) -> None:
    """List the rules."""
    async with operator_session() as (_, operator):
        found = await list_retention(operator.worker)
    show(found, "\n".join(_rule(rule) for rule in found) or "No rules: everything is kept.", as_json)


def _rule(rule: RetentionRule | ChangedRule) -> str:
    whose = f"{rule['tenant']}{', matter ' + rule['matter_number'] if rule['matter_number'] else ''}"
    kept = "no rule" if rule["keep_days"] is None else f"{rule['keep_days']} days"
    return f"{whose}: {rule['kind'].replace('_', ' ')}: {kept}"


def _line(due: Due) -> str:
    whose = " ".join(part for part in (due.tenant, due.matter) if part) or "all firms"
    held = f"; {due.held} more are under a legal hold and stay" if due.held else ""
    return f"{whose}: {due.count} of {due.kind.replace('_', ' ')} would go{held}"
