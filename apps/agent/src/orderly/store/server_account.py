"""The user account of the embedded Postgres. Postgres refuses to run as root, so root starts it as "nobody"."""

from __future__ import annotations

import os
import pwd
import secrets
import shutil
import stat
from dataclasses import dataclass
from pathlib import Path

from orderly.errors import Misconfigured

SYSTEM_FOLDER = Path("/var/lib/orderly")
"""Data and binaries for "nobody" if the home or the installation is in a directory that only root can enter."""


@dataclass(frozen=True, slots=True)
class ServerAccount:
    uid: int
    gid: int

    @classmethod
    def current(cls) -> ServerAccount:
        if os.geteuid() != 0:
            return cls(os.geteuid(), os.getegid())
        try:
            nobody = pwd.getpwnam("nobody")
        except KeyError as exc:
            raise Misconfigured("Postgres cannot run as root, and there is no user nobody: set DATABASE_URL.") from exc
        return cls(nobody.pw_uid, nobody.pw_gid)

    @property
    def differs(self) -> bool:
        return self.uid != os.geteuid()

    def may_reach(self, path: Path) -> bool:
        """Whether the account can traverse all parent directories of `path`."""
        return not self.differs or all(p.stat().st_mode & stat.S_IXOTH for p in path.resolve().parents)

    def own_folder(self, path: Path) -> None:
        """Creates the folder `path`, owned by the account, with mode 0700."""
        path.mkdir(mode=0o700, exist_ok=True)
        if self.differs:
            os.chown(path, self.uid, self.gid)


def server_folder(home: Path, account: ServerAccount) -> Path:
    """Returns the folder of cluster, socket and log: `home/postgres` or the target of that link. Creates it. Blocking."""
    folder = home / "postgres"
    if not folder.exists():
        if account.may_reach(folder):
            account.own_folder(folder)
        else:
            _system_folder()
            target = SYSTEM_FOLDER / secrets.token_hex(8)
            account.own_folder(target)
            folder.unlink(missing_ok=True)
            folder.symlink_to(target)
    return folder.resolve()


def reachable_binaries(binaries: Path, account: ServerAccount) -> Path:
    """Returns `binaries`, or a copy that the account can execute. Blocking; the caller holds the server's lock."""
    if account.may_reach(binaries / "bin" / "postgres"):
        return binaries
    stamp = int((binaries / "bin" / "postgres").stat().st_mtime)
    copy = _system_folder() / f"{binaries.name}-{stamp}"
    if not copy.exists():
        unfinished = SYSTEM_FOLDER / f".{copy.name}-{secrets.token_hex(4)}"
        shutil.copytree(binaries, unfinished, symlinks=True)
        try:
            unfinished.rename(copy)
        except OSError:  # another process created the copy
            shutil.rmtree(unfinished)
    return copy


def _system_folder() -> Path:
    try:
        SYSTEM_FOLDER.mkdir(mode=0o711, parents=True, exist_ok=True)
    except OSError as exc:
        raise Misconfigured(
            "Running as root, the embedded Postgres needs a home that other users may pass through: set ORDERLY_HOME."
        ) from exc
    return SYSTEM_FOLDER
