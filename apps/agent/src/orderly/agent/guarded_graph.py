"""The graph as servers run it: what clients write into a conversation is cleaned before it reaches the state."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.constants import END
from langgraph.types import Command, StateUpdate

from orderly.agent.attached_files import read_files, with_workspace
from orderly.agent.caller import current_caller
from orderly.agent.drawing import SystemGraph
from orderly.errors import Invalid
from orderly.sign_in.client_writes import NO_STEPS, check_run, check_step, clean_command, clean_values
from orderly.sign_in.identity import user_named
from orderly.sign_in.message_files import has_files
from orderly.wiring.services import current_services

MOST_MESSAGES = 2_000
"""Messages of a conversation, with those of tools."""

MOST_PASSAGES = 5_000
"""Passages that tools returned in a conversation."""

MOST_CHARACTERS = 5_000_000
"""Characters of a conversation's messages."""

FULL = "This conversation has reached its limit ({limit:,} {things}). Start a new conversation."


class GuardedGraph(SystemGraph):
    """A graph that takes only the user's messages from its callers.

    Servers pass on what clients sent. Handlers of `@auth.on` see only some of it, and some servers ignore their changes.
    """

    async def astream(self, input: Any, config: Any = None, **options: Any) -> AsyncIterator[Any]:
        """Cleans the input, and waits for a slot of the user. All asynchronous runs call this method."""
        check_run(options)
        services = await current_services()
        async with services.runs.slot(user_named(config or {})):
            if input is not None and not isinstance(input, Command):
                input = await self._begin(input, config or {})
            cleaned, workspace_id = await self._clean(input, config or {})
            if workspace_id:
                caller = current_caller(services, config)
                options["context"] = await with_workspace(services, caller, options.get("context"), workspace_id)
            limited: Any = dict(config or {})
            if (steps := (self.config or {}).get("recursion_limit")) is not None:
                limited["recursion_limit"] = steps  # a client's lower one would end the run between an answer and its record
            async for part in super().astream(cleaned, limited, **options):
                yield part

    async def abulk_update_state(self, config: RunnableConfig, supersteps: Sequence[Sequence[StateUpdate]]) -> RunnableConfig:
        """Cleans the values. `aupdate_state` calls this method."""
        state = await self._state(config)
        cleaned = [[await _clean_update(update, state, config) for update in updates] for updates in supersteps]
        return await super().abulk_update_state(config, cleaned)

    async def _begin(self, asked: Any, config: Any) -> Any:
        """Returns the input of a run: what was asked; None continues the same run, which a server repeats after its restart.

        Adds to the state what an earlier, stopped run had finished beside unfinished calls. A new question would drop it.
        """
        configurable = config.get("configurable") or {}
        if not isinstance(self.checkpointer, BaseCheckpointSaver) or not configurable.get("thread_id"):
            return asked
        if configurable.get("checkpoint_id") or configurable.get("checkpoint_ns"):
            return asked  # continues from a place that its client chose
        latest: RunnableConfig = {"configurable": {"thread_id": configurable["thread_id"], "checkpoint_ns": ""}}
        saved = await self.checkpointer.aget_tuple(latest)
        if saved is None:
            return asked
        if configurable.get("run_id") and saved.metadata.get("run_id") == str(configurable["run_id"]):
            return None
        if any(channel == "messages" for _, channel, _ in saved.pending_writes or ()):
            await super().abulk_update_state(latest, [[StateUpdate(None, END)]])
        return asked

    async def _clean(self, sent: Any, config: Any) -> tuple[Any, str | None]:
        """Returns the permitted part of the input, with names in place of files, and the conversation's workspace or None."""
        state = await self._state(config)
        for field, things, limit in ("messages", "messages", MOST_MESSAGES), ("quoted", "passages", MOST_PASSAGES):
            if len(state.get(field) or ()) > limit:
                raise Invalid(FULL.format(limit=limit, things=things))
        if sum(len(str(message.content)) for message in state.get("messages") or ()) > MOST_CHARACTERS:
            raise Invalid(FULL.format(limit=MOST_CHARACTERS, things="characters"))
        return await _read_files(_clean_sent(sent, state, starts_run=True), config)

    async def _state(self, config: Any) -> Mapping[str, Any]:
        """Values of the conversation at the checkpoint of `config`. Raises Invalid for the state of a subagent."""
        configurable = config.get("configurable") or {}
        if configurable.get("checkpoint_ns"):
            raise Invalid(NO_STEPS)
        if not isinstance(self.checkpointer, BaseCheckpointSaver) or not configurable.get("thread_id"):
            return {}
        place = {key: configurable[key] for key in ("thread_id", "checkpoint_id") if configurable.get(key)}
        checkpoint = await self.checkpointer.aget({"configurable": {**place, "checkpoint_ns": ""}})
        return checkpoint["channel_values"] if checkpoint else {}


def _clean_sent(sent: Any, state: Mapping[str, Any], *, starts_run: bool = False) -> Any:
    if not isinstance(sent, Command):
        return clean_values(sent, state, starts_run=starts_run)
    parts = clean_command({"update": sent.update, "goto": sent.goto, "resume": sent.resume}, state, starts_run=starts_run)
    return Command(update=parts["update"], goto=parts["goto"], resume=parts["resume"])


async def _clean_update(update: StateUpdate, state: Mapping[str, Any], config: Any) -> StateUpdate:
    check_step(update.as_node)
    values, _ = await _read_files(_clean_sent(update.values, state), config)
    return StateUpdate(values, update.as_node)


async def _read_files(cleaned: Any, config: Any) -> tuple[Any, str | None]:
    values = cleaned.update if isinstance(cleaned, Command) else cleaned
    if not has_files(values):
        return cleaned, None
    services = await current_services()
    read = await read_files(services, current_caller(services, config), values)
    values = replace(cleaned, update=read.values) if isinstance(cleaned, Command) else read.values
    return values, read.workspace_id
