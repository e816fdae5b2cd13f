"""Isaacus requests and tokens per operation: `python tests/benchmarks/bench_isaacus_calls.py`. Uses a peer, no network.

The requests are the product's own, against a peer for the API. Tokens are approximated as four characters
each, over the texts and, once per text, the query. When Isaacus splits a long text, it may count the query once per part.
"""

from __future__ import annotations

import asyncio
import json
import os
import string
import sys
import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import respx
from pydantic import SecretStr

sys.path.insert(0, str(Path(__file__).parents[1]))

from orderly.agent.middleware.run_context import RunContext
from orderly.agent.run import ask
from orderly.graph import graph
from orderly.models import Caller
from orderly.settings import Settings
from orderly.wiring.services import open_operator, open_services
from support.isaacus_peer import KEY, IsaacusPeer

CONTRACTS = Path(__file__).parents[2] / "evals" / "small" / "contracts"
PAGE = 3_000
"""Characters per page."""
PAGES = 100
LETTERS = string.ascii_lowercase
QUESTION = "Which law governs the agreement?"


def hundred_pages() -> str:
    """Returns the text of six contracts, repeated up to 100 pages. Each copy has other letters: equal passages are embedded once."""
    text = "\n\n".join(path.read_text(encoding="utf-8") for path in sorted(CONTRACTS.glob("*.txt")))
    copies = range(PAGE * PAGES // len(text) + 1)
    shifted = [text.translate(str.maketrans(LETTERS, LETTERS[n:] + LETTERS[:n])) for n in copies]
    return "\n\n".join(shifted)[: PAGE * PAGES]


class Counted:
    def __init__(self, log: Path) -> None:
        self._log = log
        self._read = 0
        print(f"{'':34} {'requests':>9} {'tokens':>11}  of which")  # noqa: T201

    async def __call__(self, name: str, work: Callable[[], Awaitable[Any]]) -> Any:
        result = await work()
        lines = self._log.read_text(encoding="utf-8").splitlines() if self._log.exists() else []
        calls = [json.loads(line) for line in lines[self._read :]]
        self._read = len(lines)
        by_endpoint: dict[str, list[int]] = {}
        for call in calls:
            sums = by_endpoint.setdefault(call["endpoint"], [0, 0])
            sums[0], sums[1] = sums[0] + 1, sums[1] + call["input_tokens"]
        parts = ", ".join(f"{n} {endpoint} {tokens:,}" for endpoint, (n, tokens) in by_endpoint.items())
        print(f"{name:34} {len(calls):>9} {sum(c['input_tokens'] for c in calls):>11,}  {parts}")  # noqa: T201
        return result


async def main() -> None:
    for name in ("OPENAI_API_KEY", "DEEPSEEK_API_KEY", "DATABASE_URL", "SUPABASE_URL"):
        os.environ.pop(name, None)
    with tempfile.TemporaryDirectory() as folder, respx.mock(assert_all_called=False) as router:
        IsaacusPeer(largest=100_000_000).mount(router)
        home, log = Path(folder), Path(folder) / "calls.jsonl"
        contract = sorted(CONTRACTS.glob("*.txt"))[1]
        long = home / "long.txt"
        long.write_text(hundred_pages(), encoding="utf-8")
        settings = Settings(home=home, isaacus_api_key=SecretStr(KEY), call_log=log, enrich=False, _env_file=None)
        async with open_services(settings) as services, open_operator(services) as operator:
            assert services.local_user is not None
            caller, counted, library = Caller(services.local_user), Counted(log), services.library
            matter = (await services.store.rpc(caller, "create_matter", {"title": "Costs"}))["id"]
            big = (await services.store.rpc(caller, "create_matter", {"title": "A long document"}))["id"]
            await counted("ingest 100 pages", lambda: operator.file_ingestor.add(caller, big, long))
            document = await counted(
                f"ingest a contract of {len(contract.read_text()) // PAGE} pages",
                lambda: operator.file_ingestor.add(caller, matter, contract),
            )
            id = document.document_id
            await counted("search", lambda: library.search(caller, big, QUESTION, 10))
            await counted("search all matters (2)", lambda: library.search(caller, "all", QUESTION, 10))
            await counted("extract from the contract", lambda: library.extract(caller, id, QUESTION))
            await counted("classify it, 10 clause types", lambda: library.classify(caller, id, None))
            await counted(
                "ask one question of its matter",
                lambda: ask(graph, services, caller, QUESTION, context=RunContext(matter_id=matter)),
            )
        async with (
            open_services(settings.model_copy(update={"enrich": True})) as services,
            open_operator(services) as operator,
        ):
            await counted(
                "ingest 100 pages, enriched", lambda: operator.file_ingestor.add(caller, big, long, on_duplicate="keep")
            )


if __name__ == "__main__":
    asyncio.run(main())
