"""Well-behaved clients: they retry on any node, follow a run on any node, and never send a question twice."""

from __future__ import annotations

import asyncio
import random
import re
import time
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

import httpx
from langgraph_sdk import get_client
from langgraph_sdk.client import LangGraphClient

from stress.nodes.processes import Firm

QUESTION = {"messages": [{"role": "user", "content": "Which law governs the lease?"}]}
ANSWER = "laws of New South Wales"
UNREACHABLE = re.compile("The (?:document store|database) cannot be reached")
"""What a run tells that could not read while the database was down, or could not begin."""
ENDED = {"success", "error", "interrupted", "timeout"}
TROUBLE = (httpx.HTTPError, ConnectionError)
ANSWER_SECONDS = 180.0


@dataclass
class Outcomes:
    answered: int = 0
    errors: list[str] = field(default_factory=list)
    """Runs that ended in an error reported to the client."""
    lost: list[str] = field(default_factory=list)
    duplicated: list[str] = field(default_factory=list)
    moved: int = 0
    """Runs whose stream broke and was continued on another node."""
    streamed_elsewhere: int = 0
    """Runs started on one node whose events came from the other."""
    uploaded: dict[str, str] = field(default_factory=dict)
    """File name -> document id in the reply."""
    upload_retries: int = 0
    first_event: list[float] = field(default_factory=list)
    """Seconds from the question to the first event."""
    whole_answer: list[float] = field(default_factory=list)


def _is_temporary(error: Exception) -> bool:
    """Sign-in can only answer 401, so its message says when the database is down ("just now")."""
    if not isinstance(error, httpx.HTTPStatusError) or error.response.status_code >= 500:
        return True
    return error.response.status_code == 401 and "just now" in str(error)


class Asker:
    def __init__(self, firm: Firm, outcomes: Outcomes, picker: random.Random) -> None:
        self._firm, self._outcomes, self._picker = firm, outcomes, picker
        headers = {"Authorization": f"Bearer {firm.token}"}
        self._clients: list[LangGraphClient] = [
            get_client(url=url, headers=headers, timeout=httpx.Timeout(60, connect=3)) for url in firm.urls[: len(firm.nodes)]
        ]

    async def ask(self) -> None:
        started, followed = self._picker.randrange(len(self._clients)), self._picker.randrange(len(self._clients))
        began = time.monotonic()
        thread = await self._any("threads", "create", first=started)
        run = await self._start(thread["thread_id"], started)
        try:
            async with asyncio.timeout(ANSWER_SECONDS):
                quiet = await self._follow(thread["thread_id"], run, started, followed, began)
                status = await self._ended(thread["thread_id"], run)
        except TimeoutError:
            self._outcomes.lost.append(f"run {run} did not end within {ANSWER_SECONDS:.0f} s")
            return
        await self._judge(thread["thread_id"], run, status)
        if quiet:
            self._outcomes.whole_answer.append(time.monotonic() - began)

    async def _any(self, part: str, method: str, *arguments: Any, first: int = 0, **options: Any) -> Any:
        """Calls a client method on the nodes in turn until one answers."""
        for attempt in range(240):
            client = self._clients[(first + attempt) % len(self._clients)]
            try:
                return await getattr(getattr(client, part), method)(*arguments, **options)
            except TROUBLE as error:
                if not _is_temporary(error):
                    raise
                await asyncio.sleep(0.5)
        raise TimeoutError

    async def _start(self, thread: str, first: int) -> str:
        """Starts a run. A broken request may have arrived, so the thread's runs are listed before a retry."""
        for attempt in range(240):
            client = self._clients[(first + attempt) % len(self._clients)]
            try:
                made = await client.runs.create(
                    thread, "orderly", input=QUESTION, context={"matter_id": self._firm.matter}, stream_mode="updates"
                )
                return str(made["run_id"])
            except TROUBLE:
                await asyncio.sleep(0.5)
                if known := await self._any("runs", "list", thread, first=first + attempt + 1):
                    return str(known[0]["run_id"])
        raise TimeoutError

    async def _follow(self, thread: str, run: str, started: int, followed: int, began: float) -> bool:
        """Streams the run; returns True if the stream did not break."""
        first = True
        try:
            async for _ in self._clients[followed].runs.join_stream(thread, run, stream_mode="updates"):
                if first:
                    self._outcomes.first_event.append(time.monotonic() - began)
                    self._outcomes.streamed_elsewhere += started != followed
                first = False
        except TROUBLE:
            self._outcomes.moved += 1
            return False
        return not first

    async def _ended(self, thread: str, run: str) -> str:
        while True:
            status = str((await self._any("runs", "get", thread, run))["status"])
            if status in ENDED:
                return status
            await asyncio.sleep(1)

    async def _judge(self, thread: str, run: str, status: str) -> None:
        state = await self._any("threads", "get_state", thread)
        messages = (state["values"] or {}).get("messages") or []
        questions = sum(m["type"] == "human" for m in messages)
        answers = sum(m["type"] == "ai" and ANSWER in str(m["content"]) for m in messages)
        if questions > 1 or answers > 1:
            self._outcomes.duplicated.append(f"run {run}: {questions} questions, {answers} answers")
        elif status == "success" and answers == 1:
            self._outcomes.answered += 1
        elif status == "error" or any(m["type"] == "ai" and UNREACHABLE.search(str(m["content"])) for m in messages):
            self._outcomes.errors.append(f"run {run}")
        else:
            self._outcomes.lost.append(f"run {run} ended as {status} without an answer")


async def upload(firm: Firm, outcomes: Outcomes, picker: random.Random) -> None:
    """Sends one file until a node confirms it. A confirmed upload may be neither lost nor duplicated."""
    name = f"memo-{uuid4().hex[:10]}.txt"
    text = f"Memorandum {name}. The Lessee shall pay rent of ${picker.randint(1_000, 99_999)} by direct debit.\n"
    headers = {"Authorization": f"Bearer {firm.token}"}
    async with httpx.AsyncClient(headers=headers, timeout=httpx.Timeout(60, connect=3)) as http:
        for _ in range(240):
            url = f"{firm.urls[picker.randrange(len(firm.nodes))]}/api/matters/{firm.matter}/documents"
            try:
                answer = await http.post(url, params={"if_exists": "skip"}, files={"file": (name, text, "text/plain")})
                if answer.is_success:
                    outcomes.uploaded[name] = str(answer.json().get("id"))
                    return
                if answer.status_code < 500 and answer.status_code != 409 and "just now" not in answer.text:
                    raise RuntimeError(f"an upload was refused: {answer.status_code} {answer.text[:300]}")
            except TROUBLE:
                pass
            outcomes.upload_retries += 1
            await asyncio.sleep(0.5)
    raise RuntimeError(f"{name} could not be uploaded")
