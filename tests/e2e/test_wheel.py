"""The wheel holds everything: installed elsewhere, it ingests, answers and serves from a folder without a checkout."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import sysconfig
import time
import venv
from pathlib import Path
from zipfile import ZipFile

import httpx
import pytest

from support.installation import REMOVED_PREFIXES

CHECKOUT = Path(__file__).parents[2]
LEASE = "Lease\n\n1. Rent\n\n1.1 The tenant pays a rent of $4,200 on the first day of each month.\n"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation", "-w", str(folder), str(CHECKOUT)]
    subprocess.run(build, check=True, capture_output=True)
    (made,) = folder.glob("orderly_legal-*.whl")
    return made


@pytest.fixture(scope="module")
def orderly(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The command of an environment that has the wheel, and this environment's other packages, below a symbolic link."""
    link = tmp_path_factory.mktemp("linked") / "link"  # the event loop of the development server may not read links
    link.symlink_to(tmp_path_factory.mktemp("installed"))
    folder = link / "environment"
    venv.create(folder, symlinks=True)
    site = Path(sysconfig.get_path("purelib", vars={"base": str(folder), "platbase": str(folder)}))
    with ZipFile(wheel) as archive:
        archive.extractall(site)
    (site / "others.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return [str(folder / "bin" / "python"), "-c", "from orderly.cli import main; main()"]


@pytest.fixture
def environment() -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(REMOVED_PREFIXES)}
    return {**kept, "ORDERLY_HOME": "../home", "NO_COLOR": "1"}


def test_no_requirement_of_the_wheel_asks_for_torch_or_for_a_model_from_elsewhere(wheel: Path) -> None:
    with ZipFile(wheel) as archive:
        (metadata,) = [archive.read(name).decode() for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
    required = [line.split()[1].lower() for line in metadata.splitlines() if line.startswith("Requires-Dist:")]
    assert required
    assert not [
        name for name in required if name.startswith(("torch", "sentence-transformers", "gt-all", "onnx>", "safetensors"))
    ]


def test_an_installed_wheel_reads_answers_and_serves(orderly: list[str], environment: dict[str, str], tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "lease.txt").write_text(LEASE)

    def run(*arguments: str) -> str:
        done = subprocess.run(
            [*orderly, *arguments], check=False, cwd=elsewhere, env=environment, capture_output=True, text=True, timeout=150
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    imported = [orderly[0], "-c", "import orderly; print(orderly.__file__)"]
    assert str(CHECKOUT) not in subprocess.run(imported, check=True, cwd=elsewhere, capture_output=True, text=True).stdout
    assert "<title>" in _page_of_a_server(orderly, environment, elsewhere, tmp_path / "server.log"), "the server makes its home"
    # The relative home is the same folder for the server and for the commands below.
    cluster = (tmp_path / "home/postgres/postgres").resolve()
    assert list(cluster.glob("data*/PG_VERSION")) and not list(cluster.glob("data*/postmaster.pid")), "its database has ended"
    assert not list(elsewhere.glob(".langgraph_api"))
    run("ingest", "lease.txt", "--matter", "Lease")
    assert "$4,200" in run("ask", "How much is the rent?", "--matter", "M-2026-001")


def _page_of_a_server(orderly: list[str], environment: dict[str, str], folder: Path, log: Path) -> str:
    """Starts a server, reads its page and stops it as a supervisor of services does."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with log.open("wb") as output:
        server = subprocess.Popen(
            [*orderly, "serve", "--port", str(port)],
            cwd=folder, env=environment, stdout=output, stderr=output, start_new_session=True,
        )  # fmt: skip
        try:
            page = _page(f"http://127.0.0.1:{port}/app", server, log)
            os.killpg(server.pid, signal.SIGTERM)
            server.wait(timeout=60)
        except subprocess.TimeoutExpired:
            raise AssertionError(log.read_text()[-6000:]) from None
        finally:
            if server.poll() is None:
                os.killpg(server.pid, signal.SIGKILL)
                server.wait()
    return page


def _page(url: str, server: subprocess.Popen[bytes], log: Path) -> str:
    for _ in range(240):
        try:
            answer = httpx.get(url, timeout=2, follow_redirects=True)
            if answer.is_success:
                return answer.text
        except httpx.HTTPError:
            pass
        assert server.poll() is None, log.read_text()
        time.sleep(0.25)
    raise AssertionError(log.read_text())
