"""Under whose name the embedded Postgres runs. It refuses root, so root starts it as the unprivileged user "nobody"."""

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
"""Where root keeps what "nobody" must reach when the home or the installation lies behind a closed directory."""


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
        """Whether every directory above `path` lets the account through. No permission of theirs is ever changed."""
        return not self.differs or all(p.stat().st_mode & stat.S_IXOTH for p in path.resolve().parents)

    def own_folder(self, path: Path) -> None:
        """Create `path`, for the account's eyes only."""
        path.mkdir(mode=0o700, exist_ok=True)
        if self.differs:
            os.chown(path, self.uid, self.gid)


def server_folder(home: Path, account: ServerAccount) -> Path:
    """The folder of cluster, socket and log: `home/postgres`, or what that link points to. Blocking."""
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
    """`binaries`, or a copy of them where the account can run it. Blocking; the caller holds the server's lock."""
    if account.may_reach(binaries / "bin" / "postgres"):
        return binaries
    stamp = int((binaries / "bin" / "postgres").stat().st_mtime)
    copy = _system_folder() / f"{binaries.name}-{stamp}"
    if not copy.exists():
        unfinished = SYSTEM_FOLDER / f".{copy.name}-{secrets.token_hex(4)}"
        shutil.copytree(binaries, unfinished, symlinks=True)
        try:
            unfinished.rename(copy)
        except OSError:  # another home's first start was quicker
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
