"""The offline planner as orchestrator: chooses the matter, delegates, and relays the reports."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage

from orderly.agent.chat_models.attached_note import split_note
from orderly.agent.chat_models.intents import intent_of, questions_in
from orderly.agent.chat_models.listed_names import Matter, matters_in, named_matter
from orderly.agent.chat_models.planned_calls import call

SIGNATURE = (
    "_Offline planner: no language model took part. The quotations are exact; whether they settle the question is for you "
    "to judge._"
)
RESTRICTED = "This conversation is kept to the matters listed here"
"""Sentence of the system prompt in a run that is restricted to several matters."""
UNAVAILABLE = "This run cannot look into documents:"
"""Begins the line of the system prompt that says why matters and documents could not be loaded."""
_UNAVAILABLE = re.compile(rf"^{re.escape(UNAVAILABLE)} (?P<reason>.+)$", re.MULTILINE)
NO_MATTERS = "You have no matters yet. Create one and add documents to it, then ask again."
RELAYED = frozenset({"task", "list_matters", "list_matter_documents", None})
"""Tools whose results are answers. A language model that the policy stopped may have searched itself: the planner asks anew."""
ATTACHED = "Part of this conversation now: {files}. What would you like to know?"
LONGEST = 50_000
"""Characters of a message that the planner reads."""
TOO_LONG = (
    f"The message has more than {LONGEST:,} characters, which the offline planner does not read. Ask a shorter question, or "
    "add the text to the matter as a document."
)
EARLIER = 4
"""Earlier questions that a follow-up may refer to."""
CAPABILITIES = (
    "I answer questions about the documents of a matter: what a document says (with the exact words, page and section), which "
    "documents there are, which clauses an agreement has, how two documents differ on a point, how often words occur, or the "
    "text of a document."
)


def delegate(messages: Sequence[BaseMessage]) -> AIMessage:
    """Returns the next message of the orchestrator."""
    question, attached, later = _last_question(messages)
    earlier = _earlier_questions(messages)
    results = [m for m in later if isinstance(m, ToolMessage) and m.name in RELAYED]
    if results:
        return AIMessage(_relay(results))
    if len(question) > LONGEST or (attached and not question):
        return AIMessage(TOO_LONG if question else ATTACHED.format(files=attached))
    kind = intent_of(question).kind
    if kind == "hello":
        return AIMessage(CAPABILITIES)
    if kind == "matters":
        return call(("list_matters", {}))
    system_text = "\n".join(m.text for m in messages if isinstance(m, SystemMessage))
    matters, bound = matters_in(system_text)
    matter = named_matter(question, matters, bound=bound is not None) or bound or (matters[0] if len(matters) == 1 else None)
    if not matters and matter is None:
        failed = _UNAVAILABLE.search(system_text)
        return AIMessage(failed["reason"] if failed else NO_MATTERS)
    if matter is None and RESTRICTED in system_text:
        return call(*(_task(q, m, earlier) for m in matters for q in questions_in(question)))
    if kind == "list":
        return call(("list_matter_documents", {"matter_id": matter.id if matter else ""}))
    return call(*(_task(q, matter, earlier) for q in questions_in(question)))


def _last_question(messages: Sequence[BaseMessage]) -> tuple[str, str, Sequence[BaseMessage]]:
    """The last question, the names of the files that came with it, and the messages after it."""
    at = max((n for n, m in enumerate(messages) if isinstance(m, HumanMessage)), default=-1)
    return (*split_note(messages[at].text if at >= 0 else ""), messages[at + 1 :])


def _earlier_questions(messages: Sequence[BaseMessage]) -> list[str]:
    """The user's questions before the last one, each on one line."""
    asked = [m for m in messages if isinstance(m, HumanMessage) and "lc_source" not in m.additional_kwargs]
    return [text for m in asked[:-1] if (text := " ".join(split_note(m.text)[0].split()))][-EARLIER:]


def _task(question: str, matter: Matter | None, earlier: Sequence[str]) -> tuple[str, dict[str, Any]]:
    """A task for the document agent. Without a matter, the `MatterChoice` middleware asks the user and inserts the answer.

    Earlier questions stand on lines before the question, for a question that follows them.
    """
    named = f"Matter: {matter.number} (ID: {matter.id})\n" if matter else ""
    description = f"{named}Question: " + "\n".join([*earlier, " ".join(question.split())])
    return "task", {"description": description, "subagent_type": "document-agent"}


def _relay(results: Sequence[ToolMessage]) -> str:
    """Joins the reports unchanged, because any change could break a quotation."""
    return "\n\n---\n\n".join(result.text.strip() for result in results) + f"\n\n{SIGNATURE}"
