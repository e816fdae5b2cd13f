"""What an operator is told: host, database and reason; Redis; a used port; the log's path; the folder of the keys."""

from __future__ import annotations

import asyncio
import re
import socket
import tempfile
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from pydantic import SecretStr

from orderly.cli import cli, ingest_report
from orderly.cli.serve import hold_home
from orderly.errors import Conflict, Misconfigured, OrderlyError, StorageFailed, StoreUnavailable
from orderly.settings import Settings
from orderly.store.embedded import EmbeddedPostgres
from orderly.wiring import installation_checks
from orderly.wiring.installation_checks import require_redis

REDIS = "redis://:s3cret@127.0.0.1:{port}/0"


def run(*arguments: str, **environment: str) -> Result:
    return CliRunner().invoke(cli, arguments, env=environment)


def error_of(result: Result) -> OrderlyError:
    assert isinstance(result.exception, OrderlyError), (result.output, result.exception)
    return result.exception


def redis_settings(port: int) -> Settings:
    return Settings(redis_url=SecretStr(REDIS.format(port=port)), _env_file=None)


async def test_redis_is_asked_with_its_password_before_a_node_starts() -> None:
    told: list[bytes] = []

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        told.append(await reader.readuntil(b"s3cret\r\n"))
        writer.write(b"+OK\r\n")
        told.append(await reader.readuntil(b"PING\r\n"))
        writer.write(b"+PONG\r\n")
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    async with server:
        await require_redis(redis_settings(server.sockets[0].getsockname()[1]))
    assert told == [b"*2\r\n$4\r\nAUTH\r\n$6\r\ns3cret\r\n", b"*1\r\n$4\r\nPING\r\n"]


async def test_redis_is_asked_at_a_socket_in_the_file_system() -> None:
    with tempfile.TemporaryDirectory() as folder:  # short: a socket's path has 108 bytes at most
        place = f"{folder}/redis.sock"
        settings = Settings(redis_url=SecretStr(f"unix://{place}?db=0"), _env_file=None)
        with pytest.raises(Misconfigured) as refused:
            await require_redis(settings)
        assert place in refused.value.operator

        async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.readuntil(b"PING\r\n")
            writer.write(b"+PONG\r\n")
            writer.close()

        async with await asyncio.start_unix_server(answer, place):
            await require_redis(settings)


@pytest.mark.parametrize("said", [b"-WRONGPASS invalid username-password pair\r\n", b"HTTP/1.1 400 Bad Request\r\n"])
async def test_what_is_no_usable_redis_is_named_with_its_address_and_answer(said: bytes) -> None:
    async def answer(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(said)
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    async with server:
        port = server.sockets[0].getsockname()[1]
        with pytest.raises(Misconfigured) as refused:
            await require_redis(redis_settings(port))
    assert f"127.0.0.1:{port}" in refused.value.operator and said.decode().strip() in refused.value.operator
    assert "s3cret" not in refused.value.operator


def test_doctor_names_a_redis_and_a_disk_that_fail(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(installation_checks, "LEAST_FREE_GB", 1e9)
    away = {"DATABASE_URL": "postgresql://orderly:s3cret@127.0.0.1:1/firm", "ORDERLY_REDIS_URL": REDIS.format(port=1)}
    done = run("doctor", ORDERLY_HOME=str(tmp_path), **away)
    assert done.exit_code == 1
    assert "✗ redis: Redis at 127.0.0.1:1 (ORDERLY_REDIS_URL) cannot be reached" in done.output
    assert "✗ disk: only " in done.output and str(tmp_path) in done.output
    assert "✗ database: The database firm cannot be used" in done.output and "refused" in done.output
    assert "s3cret" not in done.output


@pytest.mark.parametrize("command", [("serve",), ("node", "serve")])
def test_servers_refuse_a_used_port_and_an_unreachable_database_before_they_start(
    command: tuple[str, ...], tmp_path: Path
) -> None:
    away = {"ORDERLY_HOME": str(tmp_path), "DATABASE_URL": "postgresql://orderly@127.0.0.1:1/firm"}
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        assert f"port {port}: Address already in use" in error_of(run(*command, "--port", port, **away)).operator
    refused = error_of(run(*command, "--port", port, **away))
    assert isinstance(refused, StoreUnavailable)
    assert "firm" in refused.operator and "127.0.0.1" in refused.operator


async def test_an_embedded_database_that_does_not_start_names_its_log_and_its_end(tmp_path: Path) -> None:
    tmp_path.chmod(0o711)
    server = EmbeddedPostgres(tmp_path / "home", timeout=1)
    async with server:
        pass
    (server.folder / "data18" / "postgresql.conf").write_text("no setting = 1\n")
    with pytest.raises(StoreUnavailable) as refused:
        await server.__aenter__()
    assert str(server.folder / "server.log") in refused.value.operator
    assert "syntax error in file" in refused.value.operator


def test_the_folder_of_the_keys_is_checked_before_the_backup(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    keys, home = tmp_path / "file" / "keys", str(tmp_path / "home")
    refused = error_of(run("backup", str(tmp_path / "backup"), "--keys", str(keys), ORDERLY_HOME=home))
    assert isinstance(refused, StorageFailed) and str(keys) in refused.operator
    assert not (tmp_path / "backup").exists()


def test_the_first_user_of_a_server_needs_the_firms_name(database_url: str, tmp_path: Path) -> None:
    own = {"DATABASE_URL": database_url, "ORDERLY_HOME": str(tmp_path)}
    assert "ORDERLY_FIRM" in error_of(run("user", "add", "ada@firm.example", **own)).operator
    assert "✓ firm: none yet" in run("doctor", **own).output
    assert "✓ firm: Firm LLP, without users" in run("doctor", ORDERLY_FIRM="Firm LLP", **own).output
    assert run("user", "add", "ada@firm.example", ORDERLY_FIRM="Firm LLP", **own).output.startswith(
        "Added ada@firm.example to Firm LLP"
    )
    assert "✓ firm: Firm LLP" in run("doctor", ORDERLY_FIRM="Firm LLP", **own).output
    assert (
        "✗ firm: There is no firm Firm Ltd (ORDERLY_FIRM), but Firm LLP" in run("doctor", ORDERLY_FIRM="Firm Ltd", **own).output
    )
    other = error_of(run("user", "add", "grace@firm.example", ORDERLY_FIRM="Firm Ltd", **own))
    assert "orderly firm rename" in other.operator


def test_a_firm_is_renamed_and_people_are_added_to_it_by_either_setting(database_url: str, tmp_path: Path) -> None:
    own = {"DATABASE_URL": database_url, "ORDERLY_HOME": str(tmp_path)}
    run("user", "add", "ada@firm.example", "--firm", "Local firm", **own)
    assert run("firm", "rename", "Local firm", "Firm LLP", **own).output.startswith("Local firm is called Firm LLP now")
    for address, setting in (("grace@firm.example", {}), ("hedy@firm.example", {"ORDERLY_FIRM": "Firm LLP"})):
        assert run("user", "add", address, **setting, **own).output == f"Added {address} to Firm LLP.\n"
    assert run("retention", "set", "audit", "400", **own).output == "Firm LLP: audit: 400 days\n"
    assert "Local firm" in error_of(run("firm", "rename", "Local firm", "Firm Ltd", **own)).message
    run("user", "add", "joan@other.example", "--firm", "Other LLP", **own)
    assert isinstance(error_of(run("firm", "rename", "Other LLP", "Firm LLP", **own)), Conflict)


def test_a_file_that_takes_long_says_how_far_it_is_also_without_a_terminal(
    database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = {"DATABASE_URL": database_url, "ORDERLY_HOME": str(tmp_path)}
    run("user", "add", "ada@firm.example", "--firm", "Firm LLP", **own)
    file = tmp_path / "long.txt"
    file.write_text("\n\n".join(f"{n}. The tenant pays the rent of month {n} to landlord {n}." * 8 for n in range(400)))
    monkeypatch.setattr(ingest_report, "SECONDS_BETWEEN_LINES", 0.01)
    done = run("--as", "ada@firm.example", "ingest", str(file), "--matter", "Long", **own)
    assert "… long.txt: reading" in done.output and "✓ long.txt: " in done.output
    assert re.search(r"… long\.txt: embedding, \d+ of \d+", done.output)


def test_a_home_is_held_by_one_server_and_is_made_where_it_is_missing(tmp_path: Path) -> None:
    hold_home(tmp_path / "absent" / "home", "http://127.0.0.1:2024")
    with pytest.raises(Misconfigured) as refused:
        hold_home(tmp_path / "absent" / "home", "http://127.0.0.1:2025")
    assert "already, at http://127.0.0.1:2024" in refused.value.operator
    (tmp_path / "file").touch()
    with pytest.raises(Misconfigured) as refused:
        hold_home(tmp_path / "file" / "home", "http://127.0.0.1:2026")
    assert f"cannot write to {tmp_path / 'file' / 'home'}" in refused.value.operator
