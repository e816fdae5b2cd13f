"""Prompt tokens of typical questions at a language model, and the share of them that endpoints cache."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from importlib.resources import files
from typing import Any

from orderly.models import Caller
from orderly.wiring.services import Services
from orderly_evaluation.model_script.costs import measure_costs
from orderly_evaluation.model_script.report import SCANNED

MOST_TOKENS = {"simple": 7_950, "second turn": 7_900, "comparison": 16_400}
"""By question, delegated."""
LEAST_CACHED = {"second turn": 0.80, "comparison": 0.77}


async def test_questions_keep_to_their_tokens_and_repeat_most_of_their_prompts(
    services: Services, ada: Caller, matter: dict[str, Any], add_file: Callable[..., Awaitable[str]]
) -> None:
    for path in (files("orderly") / "demo_documents").iterdir():
        if not path.name.endswith(".md") and SCANNED not in path.name:
            await add_file(path.name, path.read_bytes())
    costs = await measure_costs(services, ada, matter["id"])
    delegated = {cost.name: cost for cost in costs if cost.shape == "delegated"}
    assert all(cost.repeated_share == 1 for cost in costs)
    assert {n: c.prompt_tokens for n, c in delegated.items() if c.prompt_tokens > MOST_TOKENS[n]} == {}
    shares = {name: delegated[name].cached_share for name in LEAST_CACHED}
    assert {name: share for name, share in shares.items() if share < LEAST_CACHED[name]} == {}
