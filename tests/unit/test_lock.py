"""The lock file pins every dependency by hash and matches the installed versions. Needs no network."""

from __future__ import annotations

import re
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from packaging.markers import Marker

LOCK = Path(__file__).parents[2] / "apps" / "agent" / "requirements.lock"
PINNED = re.compile(
    r"^([A-Za-z0-9_.\-]+)(?:\[[^\]]*\])?==([^\s;\\]+)([^\n]*)\n((?:\s+--hash=sha256:[0-9a-f]{64}[ \\]*\n)*)", re.M
)


def test_every_dependency_is_pinned_by_version_and_hash_and_names_no_url() -> None:
    text = LOCK.read_text()
    names = re.findall(r"^[A-Za-z0-9_.\-]+", text, re.M)
    found = PINNED.findall(text)
    assert len(found) == len(names) > 100
    assert [name for name, _, _, hashes in found if not hashes] == []
    assert "://" not in text


def test_installed_versions_match_the_lock() -> None:
    other = []
    for name, locked, rest, _ in PINNED.findall(LOCK.read_text()):
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
