"""All outgoing requests honour the proxy and certificate variables of the environment."""

from __future__ import annotations

import asyncio
import gc
import socket
import ssl
import threading
import warnings
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from pydantic import SecretStr

from orderly.agent.chat_models import chat_model
from orderly.models import Caller
from orderly.services.deepseek_ocr import DeepSeekOCR
from orderly.services.isaacus_client import IsaacusClient
from orderly.settings import Settings
from orderly.sign_in.oidc import OpenIdProvider, new_authorization_request
from orderly.store.blobs_supabase import SupabaseBlobs
from orderly.store.supabase import HS256TokenSource, SupabaseStore

KEY = SecretStr("k" * 40)


async def _model(url: str) -> None:
    model: Any = chat_model(Settings(openai_api_key=KEY, openai_base_url=f"{url}/v1", _env_file=None))
    try:
        await model.ainvoke("Hello")
    finally:
        await model.root_async_client.close()


async def _isaacus(url: str) -> None:
    client = IsaacusClient(KEY.get_secret_value(), base_url=url)
    try:
        await client.embed(["Hello"])
    finally:
        await client.close()


async def _vision(url: str) -> None:
    reader = DeepSeekOCR(KEY.get_secret_value(), base_url=url)
    try:
        await reader.recognise(b"png")
    finally:
        await reader.close()


async def _database(url: str) -> None:
    store = SupabaseStore(url, KEY, HS256TokenSource(KEY))
    try:
        await store.rpc(Caller("somebody"), "whoami", {})
    finally:
        await store.close()


async def _storage(url: str) -> None:
    blobs = SupabaseBlobs(url, KEY)
    try:
        await blobs.delete(f"{uuid4()}/{uuid4()}/{uuid4()}/lease.txt")
    finally:
        await blobs.close()


async def _provider(url: str) -> None:
    async with httpx.AsyncClient() as http:
        await OpenIdProvider(url, "orderly", None, {}, "groups", http).address(
            new_authorization_request(b"s" * 32), "https://here.example"
        )


WAYS = (_model, _isaacus, _vision, _database, _storage, _provider)
Call = Callable[[str], Awaitable[None]]


@pytest.fixture(params=WAYS, ids=lambda outgoing_call: outgoing_call.__name__.strip("_"))
def outgoing_call(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Call]:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "SSL_CERT_FILE", "SSL_CERT_DIR"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)
    yield request.param
    # Libraries leak sockets of aborted handshakes; collect them here, so that no ResourceWarning fails a later test.
    with warnings.catch_warnings(action="ignore", category=ResourceWarning):
        gc.collect()


@contextmanager
def listening(context: ssl.SSLContext | None = None) -> Iterator[tuple[int, asyncio.Queue[str]]]:
    """Listens on a port without ever replying; yields the port and the first lines of complete requests. Runs in a thread, so that
    aborted connections leave nothing in the client's event loop."""
    asked: asyncio.Queue[str] = asyncio.Queue()
    loop, ending = asyncio.get_running_loop(), threading.Event()

    def hear(connection: socket.socket) -> None:
        connection.settimeout(5)
        with (
            suppress(OSError),
            connection,
            context.wrap_socket(connection, server_side=True) if context else connection as talk,
        ):
            if line := talk.recv(1 << 16).partition(b"\r\n")[0].decode("latin-1"):
                loop.call_soon_threadsafe(asked.put_nowait, line)

    def serve() -> None:
        while not ending.is_set():
            with suppress(TimeoutError):
                hear(listener.accept()[0])

    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(0.1)
        thread = threading.Thread(target=serve)
        thread.start()
        try:
            yield listener.getsockname()[1], asked
        finally:
            ending.set()
            thread.join()


async def first_request_line(outgoing_call: Call, url: str, asked: asyncio.Queue[str], seconds: float = 20.0) -> str | None:
    """Returns None if no request arrived before the call ended or the time was up."""
    calling, hearing = asyncio.ensure_future(outgoing_call(url)), asyncio.ensure_future(asked.get())
    await asyncio.wait([calling, hearing], timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
    for task in (calling, hearing):
        task.cancel()
    await asyncio.gather(calling, hearing, return_exceptions=True)
    return hearing.result() if not hearing.cancelled() else None


async def test_outgoing_requests_use_the_proxy(outgoing_call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    with listening() as (port, asked):
        monkeypatch.setenv("HTTPS_PROXY", f"http://127.0.0.1:{port}")
        assert (
            await first_request_line(outgoing_call, "https://outside.invalid", asked) == "CONNECT outside.invalid:443 HTTP/1.1"
        )


async def test_outgoing_requests_trust_the_configured_authority(
    outgoing_call: Call, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with listening(_certified(tmp_path)) as (port, asked):
        monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "ca.pem"))
        line = await first_request_line(outgoing_call, f"https://127.0.0.1:{port}", asked)
    assert line is not None
    assert line.endswith("HTTP/1.1")


async def test_outgoing_requests_refuse_an_unknown_authority(outgoing_call: Call, tmp_path: Path) -> None:
    with listening(_certified(tmp_path)) as (port, asked):
        assert await first_request_line(outgoing_call, f"https://127.0.0.1:{port}", asked, seconds=0.5) is None


def _certified(folder: Path) -> ssl.SSLContext:
    """Returns a server context with a certificate of a new authority, which is written to ca.pem."""
    now = datetime.now(UTC)
    authority, key = ec.generate_private_key(ec.SECP256R1()), ec.generate_private_key(ec.SECP256R1())
    names = {who: x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, who)]) for who in ("Firm CA", "server")}

    def signed(who: str, of: ec.EllipticCurvePrivateKey, *extensions: tuple[x509.ExtensionType, bool]) -> x509.Certificate:
        made = x509.CertificateBuilder(names["Firm CA"], names[who], of.public_key(), x509.random_serial_number(),
                                       now - timedelta(hours=1), now + timedelta(hours=1))  # fmt: skip
        for extension, critical in extensions:
            made = made.add_extension(extension, critical)
        return made.sign(authority, hashes.SHA256())

    ca = signed("Firm CA", authority, (x509.BasicConstraints(ca=True, path_length=None), True))
    own = signed("server", key, (x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), False))
    pem = serialization.Encoding.PEM
    (folder / "ca.pem").write_bytes(ca.public_bytes(pem))
    (folder / "server.pem").write_bytes(
        own.public_bytes(pem) + key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(folder / "server.pem")
    return context
