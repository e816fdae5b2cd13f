"""The user account of the embedded Postgres. Postgres refuses to run as root, so root starts it as "nobody"."""

from __future__ import annotations

import hashlib
import os
import pwd
import re
import secrets
import shutil
import stat
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from orderly.errors import Misconfigured

SYSTEM_FOLDER = Path("/var/lib/orderly")
"""Data and binaries for "nobody" if the home or the installation is in a directory that only root can enter."""


_COPY, _UNFINISHED, _SOURCE = "postgres-", ".postgres-", "source.txt"
_OLDER_COPY = re.compile(r"\.?pginstall\d+-.*")
"""Copies that versions before 27 November 2026 made, without the libraries."""
ABANDONED_SECONDS = 3_600
"""Age from which a copy that was not finished is one that was interrupted."""


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


def require_own(home: Path) -> None:
    """Raises Misconfigured if root would use the home of somebody else, whom the server's folders would lock out.

    A home that does not exist yet is of the person who ran sudo where the folder that would hold it is theirs.
    """
    place = next(folder for folder in (home, *home.absolute().parents) if folder.exists())
    owner = place.stat().st_uid
    if os.geteuid() != 0 or owner == 0 or (place != home and str(owner) != os.environ.get("SUDO_UID")):
        return
    name = next((known.pw_name for known in pwd.getpwall() if known.pw_uid == owner), str(owner))
    raise Misconfigured(
        f"{home} belongs to {name}, and root would lock {name} out of it. Run the command as {name} (sudo -u {name} …), or set "
        "ORDERLY_HOME to a folder of root."
    )


def set_aside_foreign(folder: Path, account: ServerAccount) -> None:
    """Renames a folder that an earlier version, run as root, left to another account, so that it can be made again.

    A folder that the account may not rename, as in the folder for temporary files, stays.
    """
    if not account.differs and folder.exists() and folder.lstat().st_uid != account.uid:
        with suppress(OSError):
            folder.rename(folder.with_name(f"{folder.name}.of-{folder.lstat().st_uid}-{secrets.token_hex(4)}"))


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
    """Returns `binaries`, or a copy that the account can execute. Blocking; the caller holds the server's lock.

    The copy keeps the layout of the installed package, with the libraries beside it that its programs load by relative paths.
    It is renamed into place when it is complete, and removed when the installation that it was made of is gone or has changed.
    """
    if account.may_reach(binaries / "bin" / "postgres"):
        return binaries
    system, package = _system_folder(), binaries.parent
    source = _source(binaries)
    copy = system / f"{_COPY}{hashlib.sha256(source.encode()).hexdigest()[:16]}"
    _remove_old_copies(system)
    if not copy.exists():
        unfinished = system / f"{_UNFINISHED}{secrets.token_hex(8)}"
        for folder in (binaries, package.with_name(f"{package.name}.libs")):
            if folder.exists():
                shutil.copytree(folder, unfinished / folder.relative_to(package.parent), symlinks=True)
        (unfinished / _SOURCE).write_text(source)
        _open_to_all(unfinished)
        try:
            unfinished.rename(copy)
        except OSError:  # another process created the copy
            shutil.rmtree(unfinished)
    return copy / binaries.relative_to(package.parent)


def _open_to_all(folder: Path) -> None:
    """Lets every account read what its owner may read, and enter and execute likewise, whatever the umask was."""
    for path in (folder, *folder.rglob("*")):
        if not path.is_symlink():
            mode = stat.S_IMODE(path.stat().st_mode)
            path.chmod(mode | (mode & 0o500) >> 3 | (mode & 0o500) >> 6)


def _source(binaries: Path) -> str:
    """The installation that a copy is made of: its path and its age."""
    return f"{binaries.resolve()}\n{(binaries / 'bin' / 'postgres').stat().st_mtime_ns}\n"


def _remove_old_copies(system: Path) -> None:
    """Removes copies of installations that are gone or have changed, copies by older versions, and interrupted ones."""
    stale = time.time() - ABANDONED_SECONDS
    for folder in system.iterdir():
        try:
            if folder.name.startswith(_COPY):
                recorded = (folder / _SOURCE).read_text()
                is_old = _source(Path(recorded.split("\n", 1)[0])) != recorded
            elif folder.name.startswith(_UNFINISHED):
                is_old = folder.stat().st_mtime < stale
            else:
                is_old = _OLDER_COPY.fullmatch(folder.name) is not None
        except OSError:  # the installation is gone, or another process has just finished the copy
            is_old = folder.name.startswith(_COPY)
        if is_old:
            shutil.rmtree(folder, ignore_errors=True)


def _system_folder() -> Path:
    try:
        if not SYSTEM_FOLDER.exists():
            SYSTEM_FOLDER.mkdir(parents=True, exist_ok=True)  # another process may make it at this moment
            SYSTEM_FOLDER.chmod(0o711)
    except OSError as exc:
        raise Misconfigured(
            "Running as root, the embedded Postgres needs a home that other users may pass through: set ORDERLY_HOME."
        ) from exc
    return SYSTEM_FOLDER
