"""What a client may write into a conversation: the messages of its user.

Everything else in the state is evidence: answers, results of tools, passages and citations. Gate and record stand on it.
What stock clients send back in good faith (the state that they were shown, answers to open tool calls) is dropped; anything
else is refused with a sentence.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from orderly.errors import Invalid
from orderly.sign_in.message_files import characters, sent_file

State = Mapping[str, Any]
"""Values of a conversation."""

MESSAGES = "messages"

MOST_MESSAGES = 100
"""Messages of one write."""

MOST_SENT = 2_500
"""Messages of one write with those that are dropped: some clients send the whole conversation."""

MOST_CHARACTERS = 1_000_000
"""Characters of the messages of one write, without the contents of files."""

MOST_RESUME_CHARACTERS = 10_000

MOST_NAMED = 5_000
"""Entries of each list in a run's settings: documents, matters, tools."""

NOT_AN_OBJECT = "The input of a run is an object with `messages`."
NOT_THE_USERS = (
    "Only the user's messages are accepted: the messages of the assistant, of tools and of the system are not a client's."
)
NOT_A_MESSAGE = "A message has a role and a content, which is text or a list of blocks."
NO_STEPS = "A run starts at the question. Clients cannot send it to another step."
NO_STOPS = (
    "A run ends at its answer. Clients cannot stop it before or after one of its steps (interrupt_before, interrupt_after)."
)
TOO_MANY = f"A request may have at most {MOST_MESSAGES} messages with {MOST_CHARACTERS:,} characters."
TOO_MANY_NAMED = f"A run's settings may name at most {MOST_NAMED:,} documents, matters or tools each."
TOO_LONG = f"An answer to a question of the run may have at most {MOST_RESUME_CHARACTERS:,} characters."

OUTER_STEPS = frozenset({"__start__", "__input__", "__end__", "__copy__"})
"""Steps as which a client may update the state: those before and after the agents' own."""

_ROLES = {
    **dict.fromkeys(("human", "user", "HumanMessage", "HumanMessageChunk"), "user"),
    **dict.fromkeys(("tool", "function", "ToolMessage", "ToolMessageChunk", "FunctionMessage", "FunctionMessageChunk"), "tool"),
}
"""Roles by the names that LangChain accepts. Other names are nobody's that a client may speak for."""


def clean_values(values: Any, state: State | None, *, starts_run: bool = False) -> dict[str, Any] | None:
    """Returns what remains of a run's input or of an update of the state: the user's messages.

    Args:
        values: As the client sent them.
        state: State of the conversation; None: not known, and messages with an id count as repetitions of the state.
        starts_run: Whether a run begins with the values. Clients are not told why a run fails, so a user's message with the id
            of another's loses the id instead.

    Raises:
        Invalid: The values would change something other than the user's messages, or exceed a limit.
    """
    if values is None:
        return None
    if not isinstance(values, Mapping):
        raise Invalid(NOT_AN_OBJECT)
    known = state or {}
    if changed := sorted(str(key) for key, value in values.items() if key != MESSAGES and value and value != known.get(key)):
        raise Invalid(f"Clients cannot set {', '.join(changed)[:200]}: Orderly writes these fields of a conversation itself.")
    if values.get(MESSAGES) is None:
        return {}
    return {MESSAGES: _clean_messages(values[MESSAGES], state, starts_run)}


def clean_command(command: Mapping[str, Any], state: State | None, *, starts_run: bool = False) -> dict[str, Any]:
    """Returns a command whose update holds only the user's messages.

    Args:
        command: With `update`, `goto` and `resume`, each optional.
        state, starts_run: As for `clean_values`.

    Raises:
        Invalid: As `clean_values`; or the command goes to a step, or its answer is too long.
    """
    goto = command.get("goto") or ()
    if any(step != "__end__" for step in (goto if isinstance(goto, (list, tuple)) else (goto,))):
        raise Invalid(NO_STEPS)
    if len(str(command.get("resume") or "")) > MOST_RESUME_CHARACTERS:
        raise Invalid(TOO_LONG)
    if not command.get("update"):
        return dict(command)
    return {**command, "update": clean_values(command["update"], state, starts_run=starts_run)}


def check_step(as_node: str | None) -> None:
    """Raises Invalid if the state would be updated as one of the agents' steps, after which others would run."""
    if as_node is not None and as_node not in OUTER_STEPS:
        raise Invalid(NO_STEPS)


def check_run(request: Mapping[str, Any]) -> None:
    """Raises Invalid if a run would stop between its steps, as with an answer that is not on record yet, or names too much."""
    if request.get("interrupt_before") or request.get("interrupt_after"):
        raise Invalid(NO_STOPS)
    context = request.get("context")
    settings = context if isinstance(context, Mapping) else vars(context) if context is not None else {}
    if any(isinstance(value, list) and len(value) > MOST_NAMED for value in settings.values()):
        raise Invalid(TOO_MANY_NAMED)


def _clean_messages(sent: Any, state: State | None, starts_run: bool) -> list[dict[str, Any]]:
    messages = sent if isinstance(sent, list) else [sent]
    if len(messages) > MOST_SENT:
        raise Invalid(TOO_MANY)
    by_id = {_field(message, "id"): message for message in (state or {}).get(MESSAGES) or ()}
    others = {message_id for message_id, message in by_id.items() if _parts(message)[0] != "user"}
    cleaned = [
        _without_id(kept) if starts_run and kept.get("id") in others else kept
        for message in messages
        if (kept := _clean_message(message, by_id, state is not None)) is not None
    ]
    if any(kept.get("id") in others for kept in cleaned):
        raise Invalid(NOT_THE_USERS)
    if len(cleaned) > MOST_MESSAGES or sum(characters(message["content"]) for message in cleaned) > MOST_CHARACTERS:
        raise Invalid(TOO_MANY)
    return cleaned


def _clean_message(sent: Any, by_id: Mapping[Any, Any], is_known: bool) -> dict[str, Any] | None:
    """The user's message, rebuilt from its content and id; None: the message is dropped."""
    role, content, message_id = _parts(sent)
    earlier = by_id.get(message_id) if message_id else None
    if role == "user":
        return {"type": "human", "content": _checked(content), **({"id": message_id} if message_id else {})}
    if role == "tool":
        return None
    if message_id and not is_known and _field(sent, "type") != "remove":
        return None
    if earlier is not None and _text(_field(earlier, "content")) == _text(content):
        return None
    raise Invalid(NOT_THE_USERS)


def _without_id(message: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in message.items() if key != "id"}


def _parts(message: Any) -> tuple[str | None, Any, str | None]:
    """Role, content and id of a message in each notation that LangChain reads. A role that is not listed is None."""
    if isinstance(message, str):
        return "user", message, None
    if isinstance(message, (list, tuple)):
        if len(message) != 2:
            raise Invalid(NOT_A_MESSAGE)
        return _ROLES.get(str(message[0])), message[1], None
    if isinstance(message, Mapping) and message.get("type") == "constructor":
        names, fields = message.get("id"), message.get("kwargs")
        if not (isinstance(names, list) and names and isinstance(fields, Mapping)):
            raise Invalid(NOT_A_MESSAGE)
        return _ROLES.get(str(names[-1])), fields.get("content"), _id(fields.get("id"))
    named = _field(message, "role") or _field(message, "type")
    return _ROLES.get(str(named)), _field(message, "content"), _id(_field(message, "id"))


def _id(value: Any) -> str | None:
    if value is not None and not (isinstance(value, str) and len(value) <= 200):
        raise Invalid(NOT_A_MESSAGE)
    return value or None


def _checked(content: Any) -> Any:
    if isinstance(content, str):
        return content
    if not isinstance(content, list) or not all(isinstance(block, (str, Mapping)) for block in content):
        raise Invalid(NOT_A_MESSAGE)
    for block in content:
        sent_file(block)  # raises for what cannot be read
    return content


def _field(message: Any, name: str) -> Any:
    return message.get(name) if isinstance(message, Mapping) else getattr(message, name, None)


def _text(content: Any) -> str:
    blocks: Sequence[Any] = content if isinstance(content, list) else [content]
    return "".join(str(b.get("text") or "") if isinstance(b, Mapping) else str(b or "") for b in blocks)
