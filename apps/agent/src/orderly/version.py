"""The version of this program: from git in a checkout, otherwise what was built in. The build reads this module too.

A commit with a tag such as v0.2.0 is that version. Any other commit is a development version of the next one, with the commit's
time, which orders versions, and its hash. Neither history nor network is needed.
"""

from __future__ import annotations

import os
import re
import subprocess
from datetime import UTC, datetime
from functools import cache
from importlib import metadata
from pathlib import Path

NEXT = "0.1.0"
DISTRIBUTION = "orderly-legal"

_ROOT = Path(__file__).resolve().parents[4]
"""The checkout or the unpacked source distribution, when the package lies in one."""


@cache
def version() -> str:
    """The version of the running program. Blocks at the first call in a checkout."""
    if found := _from_git(_ROOT):
        return found
    try:
        return metadata.version(DISTRIBUTION)
    except metadata.PackageNotFoundError:  # the package's folder alone was copied
        return f"{NEXT}.dev0"


def built_version() -> str:
    """The version for a wheel or source distribution of this folder: the build runs it."""
    return os.environ.get("ORDERLY_BUILD_VERSION") or _from_git(_ROOT) or _from_archive(_ROOT) or f"{NEXT}.dev0"


def _from_git(root: Path) -> str | None:
    """None where the folder is no checkout of its own, and where git is missing or refuses."""
    if not (root / ".git").exists():
        return None
    try:
        tags, commit, changes = (
            _git(root, *arguments)
            for arguments in (
                ("tag", "--points-at", "HEAD", "--list", "v[0-9]*"),
                ("log", "-1", "--format=%ct %h", "--abbrev=8"),
                ("status", "--porcelain", "--untracked-files=no"),
            )
        )
    except (OSError, subprocess.CalledProcessError):
        return None
    if tags and not changes:
        return tags.splitlines()[-1].removeprefix("v")
    return _development(*commit.split()) + (".modified" if changes else "")


def _git(root: Path, *arguments: str) -> str:
    done = subprocess.run(["git", "-C", str(root), *arguments], check=True, capture_output=True, text=True)  # noqa: S603, S607
    return done.stdout.strip()


def _from_archive(root: Path) -> str | None:
    """From a source distribution, or from an archive that git made (.git_archival.txt)."""
    information, archived = root / "PKG-INFO", root / ".git_archival.txt"
    if information.is_file() and (found := re.search(r"^Version: (\S+)$", information.read_text("utf-8"), re.MULTILINE)):
        return found.group(1)
    if archived.is_file() and (found := re.fullmatch(r"(\d+) ([0-9a-f]+)", archived.read_text("utf-8").strip())):
        return _development(*found.groups())
    return None


def _development(seconds: str, commit: str) -> str:
    return f"{NEXT}.dev{datetime.fromtimestamp(int(seconds), UTC):%Y%m%d%H%M%S}+g{commit}"


if __name__ == "__main__":
    print(built_version())  # noqa: T201
