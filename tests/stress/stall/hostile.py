"""Hostile loads of one user. Each is a coroutine that goes on until it is cancelled; refusals do not end it.

python tests/stress/stall/hostile.py NAME URL TOKEN MATTER DOCUMENT
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable
from contextlib import suppress
from email.message import EmailMessage
from typing import Any
from urllib.parse import urlsplit

import httpx
import pymupdf

SLOW = r"^(([a-z ,.])+)+(?!\x00)\x00"
QUESTION = {"role": "user", "content": "Which law governs the lease?"}
CONCURRENT = 24


class Attacker:
    def __init__(self, url: str, token: str, matter: str, document: str) -> None:
        self.address, self.matter, self.document = urlsplit(url), matter, document
        limits = httpx.Limits(max_connections=400, max_keepalive_connections=100)
        headers = {"Authorization": f"Bearer {token}"}
        self.http = httpx.AsyncClient(base_url=url, headers=headers, timeout=120, limits=limits)
        self.number = 0

    async def post(self, path: str, body: Any, **options: Any) -> httpx.Response:
        return await self.http.post(path, json=body, **options)

    async def upload(self, name: str, data: bytes) -> None:
        self.number += 1
        files = {"file": (f"{self.number}-{name}", data)}
        await self.http.post(f"/api/matters/{self.matter}/documents", files=files, params={"if_exists": "keep"})

    async def thread(self) -> str:
        return str((await self.post("/threads", {})).json()["thread_id"])

    async def run(self, messages: Any, thread: str | None = None, **options: Any) -> None:
        body = {"assistant_id": "orderly", "input": {"messages": messages}, "context": {"matter_id": self.matter}, **options}
        await self.post(f"/threads/{thread}/runs/wait" if thread else "/runs/wait", body)

    async def tool(self, name: str, arguments: dict[str, Any], timeout: float = 120) -> None:
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": name, "arguments": arguments}}
        accept = {"Accept": "application/json, text/event-stream"}
        await self.post("/api/mcp", body, headers=accept, timeout=timeout)

    async def open_stream(self, path: str) -> None:
        async with self.http.stream("GET", path) as answer:
            async for _ in answer.aiter_raw():
                pass

    async def connect(self, sent: bytes) -> None:
        _, writer = await asyncio.open_connection(self.address.hostname, self.address.port)
        for byte in sent:
            writer.write(bytes([byte]))
            await writer.drain()
            await asyncio.sleep(1)
        writer.close()


def pdf(pages: int) -> bytes:
    made = pymupdf.open()
    for number in range(pages):
        made.new_page().insert_text(
            (72, 72), [f"Clause {number}.{line} The parties agree on item {line * number}." for line in range(40)]
        )
    return bytes(made.tobytes())


def scan(pages: int) -> bytes:
    """Pages that are pictures of text, for the OCR."""
    made = pymupdf.open()
    for page in pymupdf.open(stream=pdf(pages)):
        made.new_page().insert_image(page.rect, pixmap=page.get_pixmap(dpi=150))
    return bytes(made.tobytes())


def mail(depth: int) -> bytes:
    inner = b"Subject: x\r\n\r\nHello\r\n"
    for level in range(depth):
        mark = f"b{level}".encode()
        inner = (
            b"Content-Type: multipart/mixed; boundary="
            + mark
            + b"\r\n\r\n--"
            + mark
            + b"\r\nContent-Type: message/rfc822\r\n\r\n"
            + inner
            + b"\r\n--"
            + mark
            + b"--\r\n"
        )
    return inner


def uploads(name: str, data: bytes | Callable[[], bytes]) -> Callable[[Attacker], Awaitable[None]]:
    async def load(attacker: Attacker) -> None:
        await attacker.upload(name, data if isinstance(data, bytes) else await asyncio.to_thread(data))

    return load


def tool(name: str, timeout: float = 120, **arguments: Any) -> Callable[[Attacker], Awaitable[None]]:
    async def load(attacker: Attacker) -> None:
        await attacker.tool(name, {"matter_id": attacker.matter, **arguments}, timeout)

    return load


async def join(attacker: Attacker) -> None:
    await attacker.open_stream(f"/threads/{await attacker.thread()}/stream")


async def resume(attacker: Attacker) -> None:
    body = {"assistant_id": "orderly", "command": {"resume": "x" * 1_000_000}}
    await attacker.post(f"/threads/{await attacker.thread()}/runs/wait", body)


async def large_state(attacker: Attacker) -> None:
    thread = await attacker.thread()
    await attacker.run([QUESTION], thread)
    await attacker.post(f"/threads/{thread}/state", {"values": {"messages": [{"role": "user", "content": "x" * 3_000_000}]}})
    await attacker.http.get(f"/threads/{thread}/history")


async def long_thread(attacker: Attacker) -> None:
    thread = await attacker.thread()
    for _ in range(20):
        await attacker.run([{"role": "user", "content": "x" * 500}] * 90 + [QUESTION], thread)


async def deep_state(attacker: Attacker) -> None:
    """A message and a context of brackets inside brackets, deeper than a reader may follow."""
    body = '{"assistant_id": "orderly", "input": {"messages": %s}, "context": {"document_ids": %s}}'
    deep = "[" * 100_000 + "]" * 100_000
    await attacker.http.post("/runs/wait", content=body % (deep, deep), headers={"Content-Type": "application/json"})


async def small_threads(attacker: Attacker) -> None:
    thread = await attacker.thread()
    await attacker.post(f"/threads/{thread}/state", {"values": {"messages": [QUESTION]}, "as_node": "__start__"})
    await attacker.post("/threads/search", {"limit": 1_000})


async def mail_with_attachments(attacker: Attacker) -> None:
    letter = EmailMessage()
    letter["Subject"] = f"Bundle {attacker.number}"
    letter.set_content("The bundle is attached.")
    for number in range(200):
        text = f"Letter {number} of bundle {attacker.number}. The tenant pays rent.\n" * 200
        letter.add_attachment(text.encode(), maintype="text", subtype="plain", filename=f"{number}.txt")
    await attacker.upload("bundle.eml", letter.as_bytes())


LOADS: dict[str, tuple[int, Callable[[Attacker], Awaitable[Any]]]] = {
    "JSON of brackets": (4, uploads("a.json", b"[" * 200_000 + b"]" * 200_000)),
    "one character repeated": (4, uploads("a.txt", b"a" * 4_000_000)),
    "words repeated": (4, uploads("b.txt", b"rent lease term " * 250_000)),
    "random words": (4, uploads("c.txt", b" ".join(str(n * 7919 % 99991).encode() for n in range(300_000)))),
    "XML nested": (4, uploads("a.xml", b"<a>" * 100_000 + b"</a>" * 100_000)),
    "HTML nested": (4, uploads("a.html", b"<div>" * 100_000 + b"x")),
    "HTML table": (4, uploads("t.html", b"<table>" + b"<tr><td>1<td>2</tr>" * 60_000 + b"</table>")),
    "CSV wide": (4, uploads("a.csv", (b"1," * 5_000 + b"\n") * 200)),
    "many small files": (CONCURRENT, uploads("s.txt", b"The tenant pays rent.")),
    "long PDF": (2, uploads("a.pdf", lambda: pdf(400))),
    "scans": (2, uploads("s.pdf", lambda: scan(6))),
    "mails in mails": (4, uploads("a.eml", mail(60))),
    "slow expressions": (CONCURRENT, tool("search_keyword", query=SLOW, mode="regex")),
    "slow expressions, client gone": (CONCURRENT, tool("search_keyword", 0.5, query=SLOW, mode="regex")),
    "expressions with many matches": (CONCURRENT, tool("search_keyword", query=".", mode="regex")),
    "searches by tool": (CONCURRENT, tool("isaacus_search", query="rent and termination of the lease")),
    "searches": (CONCURRENT, lambda a: a.post(f"/api/matters/{a.matter}/search", {"query": "rent " * 1_000})),
    "extractions": (
        CONCURRENT,
        lambda a: a.post(f"/api/documents/{a.document}/extract", {"question": "What is the rent? " * 300}),
    ),
    "classifications": (
        CONCURRENT,
        lambda a: a.post(f"/api/documents/{a.document}/classify", {"clause_types": ["rent", "law"]}),
    ),
    "page images": (CONCURRENT, lambda a: a.http.get(f"/api/documents/{a.document}/pages/1/image", params={"dpi": 300})),
    "runs": (CONCURRENT, lambda a: a.run([QUESTION])),
    "runs of a hundred questions": (8, lambda a: a.run([QUESTION] * 100)),
    "ten thousand messages": (8, lambda a: a.run([QUESTION] * 10_000)),
    "one long message": (8, lambda a: a.run([{"role": "user", "content": "rent " * 190_000}])),
    "large state": (4, large_state),
    "long threads": (4, long_thread),
    "long answers to a question of a run": (8, resume),
    "joined streams": (150, join),
    "event streams": (150, lambda a: a.open_stream(f"/api/matters/{a.matter}/events")),
    "new threads": (CONCURRENT, lambda a: a.thread()),
    "slow headers": (150, lambda a: a.connect(b"POST /threads HTTP/1.1\r\nHost: a\r\n" + b"X: y\r\n" * 100)),
    "slow bodies": (80, lambda a: a.connect(b"POST /threads HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n")),
    "deep JSON in a run": (8, deep_state),
    "many small conversations": (CONCURRENT, small_threads),
    "hundreds of matters": (CONCURRENT, lambda a: a.post("/api/matters", {"title": "A matter of many"})),
    "mails with 200 attachments": (2, mail_with_attachments),
    "long lists of tools and documents": (
        8,
        lambda a: a.run(
            [QUESTION], context={"matter_id": a.matter, "tools": ["read"] * 50_000, "document_ids": ["x"] * 50_000}
        ),
    ),
    "responses": (CONCURRENT, lambda a: a.post("/v1/responses", {"model": "orderly", "input": "Which law governs the lease?"})),
}
"""Name -> (how many at a time, one of them)."""


async def attack(name: str, attacker: Attacker) -> None:
    concurrent, load = LOADS[name]

    async def repeat() -> None:
        while True:
            with suppress(httpx.HTTPError, OSError, KeyError, ValueError):
                await load(attacker)
            await asyncio.sleep(0.05)

    await asyncio.gather(*(repeat() for _ in range(concurrent)))


if __name__ == "__main__":
    chosen, *place = sys.argv[1:]
    asyncio.run(attack(chosen, Attacker(*place)))
