"""What one misbehaviour of a chat model is, and the document and the answers that all of them play with."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from orderly_evaluation.model_script.peer import Reply, Script

DOCUMENT = """COMMERCIAL LEASE AGREEMENT

This Lease Agreement is made on 1 March 2024 between Harbour Holdings Pty Ltd (the "Lessor")
and Quay Books Pty Ltd (the "Lessee").

1. Rent
1.1 The Lessee shall pay rent of $4,500 per month in advance on the first day of each month.

2. Termination
2.1 Either party may terminate this Lease by giving not less than ninety (90) days' written notice to the other party.
"""
QUESTION = "How can the lease be ended?"
WORDS = "Either party may terminate this Lease by giving not less than ninety (90) days' written notice to the other party."
ANSWER = f"On ninety days' notice. “{WORDS}” [lease.txt, Section 2.1]"
ANSWERED = f"“{WORDS}” [1]"
FOUND = "giving not less than ninety (90) days' written notice"
"""Words of the passage that the search finds."""

SEARCH: tuple[str, dict[str, Any]] = ("isaacus_search", {"query": "ending the lease by notice"})
SHOWN = "On ninety days' notice."
NEVER = ("Traceback", "Error code", "openai", "sk-", "127.0.0.1", "<think", "tool_call", "function=", "{")
"""Never part of what a user sees."""


@dataclass(frozen=True)
class Behaviour:
    name: str
    replies: Callable[[], Script]
    """Makes the script of one conversation, which may count its requests."""
    shows: Sequence[str] = (ANSWERED,)
    hides: Sequence[str] = ()
    max_requests: int = 12
    model_seconds: float = 20
    max_seconds: float = 30
    settings: dict[str, Any] = field(default_factory=dict)


def first(*replies: Reply) -> Callable[[], Script]:
    """Gives the replies one by one; the last one for every further request."""

    def make() -> Script:
        left = list(replies)
        return lambda request: left.pop(0) if len(left) > 1 else left[0]

    return make


def answered_if_found(*replies: Reply) -> Callable[[], Script]:
    """Gives the replies one by one, then the answer if a tool's result holds the passage, else another text."""

    def make() -> Script:
        left = list(replies)

        def script(request: dict[str, Any]) -> Reply:
            if left:
                return left.pop(0)
            found = any(FOUND in json.dumps(m) for m in request["messages"] if m["role"] == "tool")
            return ANSWER if found else "Nothing was found."

        return script

    return make


def call_delta(arguments: str, name: str = SEARCH[0], **more: Any) -> dict[str, Any]:
    call = {"index": 0, "id": "call_1", "type": "function", "function": {"name": name, "arguments": arguments}}
    return {"tool_calls": [{**call, **more}]}
