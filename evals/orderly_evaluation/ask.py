"""Evaluation task: conversations with the graph and the configured model. Measures what an answer shows, and what it costs."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from orderly.agent.middleware.run_context import RunContext
from orderly.agent.run import Answer, Conversation, Usage, ask
from orderly.errors import Invalid
from orderly.graph import build_graph
from orderly_evaluation.answer_figures import score
from orderly_evaluation.bench import Bench, Matter
from orderly_evaluation.dataset import Row

MOST_LIKELY = 2
"""Likely passages that count; an answer that lists more has not named the place."""
PER_PRICE = 1_000_000
"""Tokens that a price is for."""


async def run(bench: Bench) -> dict[str, Any]:
    conversations = bench.sample(bench.data.rows("ask.jsonl"))
    matter = await bench.matter("contracts")
    settings = bench.services.settings
    prices = read_prices(settings.prices, settings.model) if settings.openai_api_key else {}
    graph, rows = build_graph(settings), []
    for row in bench.track("ask", conversations):
        conversation = Conversation()
        for number, turn in enumerate(row["turns"]):
            answer = await ask(
                graph,
                bench.services,
                bench.caller,
                turn["question"],
                context=RunContext(matter_id=matter.id),
                conversation=conversation,
            )
            rows.append(prediction(row["id"], number, answer, matter, prices))
    bench.write("ask", rows)
    return score(conversations, rows)


def prediction(id: str, turn: int, answer: Answer, matter: Matter, prices: Mapping[str, float]) -> Row:
    """Quotations of one answer by standing, its text and its cost."""
    used = answer.usage
    return {
        "id": id,
        "turn": turn,
        "cited": _places(answer, "answer", matter),
        "likely": _places(answer, "likely", matter)[:MOST_LIKELY],
        "requests": used.requests,
        "tokens": used.input_tokens + used.output_tokens,
        "tokens_in": used.input_tokens,
        "tokens_out": used.output_tokens,
        "tokens_cached": used.cached_tokens,
        "seconds": round(answer.seconds, 3),
        "money": money(used, prices),
        "text": answer.text,
    }


def _places(answer: Answer, standing: str, matter: Matter) -> list[Row]:
    return [
        {"doc": matter.names[c["document_id"]], "start": c["start"], "end": c["end"]}
        for c in answer.citations
        if c["standing"] == standing
    ]


def read_prices(file: Path | None, model: str) -> Mapping[str, float]:
    """Reads a model's prices per million tokens: `["MODEL"]` with `input`, `output` and, if it differs, `cached`.

    Raises:
        Invalid: the file has no prices for the model, or they are no numbers.
    """
    if file is None:
        return {}
    prices = tomllib.loads(file.read_text(encoding="utf-8")).get(model)
    if not isinstance(prices, dict) or not {"input", "output"} <= prices.keys():
        raise Invalid(f'{file.name} has no table ["{model}"] with the prices input and output.')
    if not all(isinstance(price, int | float) for price in prices.values()):
        raise Invalid(f'The prices of ["{model}"] in {file.name} have to be numbers.')
    return prices


def money(used: Usage, prices: Mapping[str, float]) -> float | None:
    """Cost of the tokens, in the currency of the prices; None without prices."""
    if not prices:
        return None
    fresh = used.input_tokens - used.cached_tokens
    cached = used.cached_tokens * prices.get("cached", prices["input"])
    return (fresh * prices["input"] + cached + used.output_tokens * prices["output"]) / PER_PRICE
