"""Runs each ability of a client and prints what became of it, as JSON: "" or the reason why it failed."""

from __future__ import annotations

import asyncio
import inspect
import json
import os
from collections.abc import Callable
from typing import Any

MATTER = os.environ["ORDERLY_MATTER"]
QUESTION = "Which law governs the lease?"
LOAN = b"Loan\n\n1. Interest\n\n1.1 The borrower pays interest of 7 per cent each year.\n"


def check(condition: object, shown: object = "") -> None:
    if not condition:
        raise AssertionError(f"not as expected: {shown}"[:500])


def refused(call: Callable[[], Any], words: str) -> None:
    try:
        answer = call()
    except Exception as error:  # noqa: BLE001
        said = f"{error} {getattr(getattr(error, 'response', None), 'text', '')}"
        check(words in said, said)
    else:
        check(False, answer)


def report(*abilities: Callable[[], Any]) -> None:
    """Each function is an ability with the function's name. ORDERLY_ABILITY: the only one that is run."""
    only = os.environ.get("ORDERLY_ABILITY")
    wanted = tuple(ability for ability in abilities if only in (None, ability.__name__))
    print(json.dumps(asyncio.run(_run(wanted))))  # noqa: T201


async def _run(abilities: tuple[Callable[[], Any], ...]) -> dict[str, str]:
    found = {}
    for ability in abilities:
        name = ability.__name__.replace("_", "-")
        try:
            result = ability()
            if inspect.isawaitable(result):
                await result
            found[name] = ""
        except Exception as error:  # noqa: BLE001
            found[name] = f"{type(error).__name__}: {error}"[:500]
    return found
