"""The servers that can run the graph. ORDERLY_TEST_ENGINE selects the server under test: langgraph or aegra."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import ClassVar, Protocol

ROOT = Path(__file__).parents[2]
AEGRA = Path(os.environ.get("ORDERLY_AEGRA_VENV", ROOT / ".venv-aegra")) / "bin" / "orderly"


class Engine(Protocol):
    health: str

    def start(self, orderly: Path, environment: Mapping[str, str]) -> tuple[list[str], dict[str, str]]:
        """Returns the command without its port, and additional environment variables."""
        ...

    def folder(self, home: Path) -> Path:
        """The current folder of the server of a home."""
        ...

    def stop(self) -> None: ...


class LangGraphDev:
    health = "/ok"

    def start(self, orderly: Path, environment: Mapping[str, str]) -> tuple[list[str], dict[str, str]]:
        return [str(orderly), "serve"], {}

    def folder(self, home: Path) -> Path:
        """A folder of its own: this server keeps conversations in its current folder, where another would overwrite them."""
        folder = home / "server"
        if not folder.exists():
            folder.mkdir()
            shutil.copy(ROOT / "langgraph.json", folder)
            (folder / "apps").symlink_to(ROOT / "apps")
        return folder

    def stop(self) -> None: ...


class Aegra:
    """One Aegra node with its own Redis."""

    health = "/health"
    _upgraded: ClassVar[set[str]] = set()
    """Home folders whose database is migrated."""

    def __init__(self) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="orderly-redis-"))
        self._redis = start_redis(self._folder)

    def start(self, orderly: Path, environment: Mapping[str, str]) -> tuple[list[str], dict[str, str]]:
        more = {"ORDERLY_REDIS_URL": redis_url(self._folder)}
        if environment["ORDERLY_HOME"] not in self._upgraded:
            done = subprocess.run(
                [AEGRA, "node", "upgrade"],
                check=False,
                env={**environment, **more},
                capture_output=True,
                text=True,
                timeout=120,
            )
            assert done.returncode == 0, done.stderr
            self._upgraded.add(environment["ORDERLY_HOME"])
        return [str(AEGRA), "node", "serve"], more

    def folder(self, home: Path) -> Path:
        return ROOT

    def stop(self) -> None:
        self._redis.terminate()
        self._redis.wait(timeout=10)
        shutil.rmtree(self._folder, ignore_errors=True)


def start_redis(folder: Path) -> subprocess.Popen[bytes]:
    """Starts Redis on a socket in `folder`, without persistence: Redis may never hold the only copy of anything."""
    with (folder / "redis.log").open("ab") as log:
        return subprocess.Popen(
            ["redis-server", "--port", "0", "--unixsocket", str(folder / "redis.sock"), "--save", "", "--dir", str(folder)],
            stdout=log,
            stderr=log,
        )


def redis_url(folder: Path) -> str:
    return f"unix://{folder}/redis.sock?db=0"


def engine() -> Engine:
    return Aegra() if os.environ.get("ORDERLY_TEST_ENGINE") == "aegra" else LangGraphDev()
