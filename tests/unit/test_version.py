"""The version of a checkout, a clone without history, a release, an archive, a source distribution and a bare folder."""

from __future__ import annotations

import re
import runpy
import shutil
import subprocess
import tarfile
from pathlib import Path

import pytest
from click.testing import CliRunner

from orderly.cli import cli
from orderly.version import version

CHECKOUT = Path(__file__).parents[2]
MODULE = Path("apps/agent/src/orderly/version.py")


def built(root: Path) -> str:
    return str(runpy.run_path(str(root / MODULE))["built_version"]())


def git(root: Path, *arguments: str) -> None:
    who = ("-c", "user.name=Ada", "-c", "user.email=ada@firm.example")
    subprocess.run(["git", "-C", str(root), *who, *arguments], check=True, capture_output=True)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of the files that state the version, in a folder that is no checkout."""
    for name in (MODULE, Path(".gitattributes"), Path(".git_archival.txt")):
        target = tmp_path / "copy" / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(CHECKOUT / name, target)
    return tmp_path / "copy"


@pytest.fixture
def checkout(folder: Path) -> Path:
    git(folder, "init", "--quiet")
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message=first", "--date=2026-11-27T03:00:00Z")
    return folder


def test_a_commit_is_a_development_version_with_its_time_and_hash_also_without_history(checkout: Path, tmp_path: Path) -> None:
    assert re.fullmatch(r"\d+\.\d+\.\d+\.dev20\d{12}\+g[0-9a-f]{8}", built(checkout))
    git(checkout, "commit", "--quiet", "--allow-empty", "--message=second")
    subprocess.run(["git", "clone", "-q", "--depth=1", f"file://{checkout}", tmp_path / "shallow"], check=True)
    assert built(tmp_path / "shallow") == built(checkout)


def test_a_tag_is_the_version_until_a_file_changes(checkout: Path) -> None:
    git(checkout, "tag", "v0.3.0")
    assert built(checkout) == "0.3.0"
    (checkout / MODULE).write_text((checkout / MODULE).read_text() + "\n")
    assert built(checkout).endswith(".modified")


def test_an_archive_a_source_distribution_and_a_bare_folder_need_no_git(
    checkout: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    git(checkout, "archive", "--output", str(tmp_path / "archive.tar"), "HEAD")
    unpacked = tmp_path / "unpacked"
    with tarfile.open(tmp_path / "archive.tar") as archive:
        archive.extractall(unpacked, **({"filter": "data"} if hasattr(tarfile, "data_filter") else {}))  # since Python 3.11.4
    here = built(checkout)
    assert here.startswith(built(unpacked).split("+", maxsplit=1)[0]) and built(unpacked) != here.split("+", maxsplit=1)[0]
    (unpacked / "PKG-INFO").write_text("Metadata-Version: 2.4\nName: orderly-legal\nVersion: 0.4.2\n")
    assert built(unpacked) == "0.4.2"
    monkeypatch.setenv("PATH", "")
    shutil.rmtree(checkout / ".git")
    assert built(checkout).endswith(".dev0")
    monkeypatch.setenv("ORDERLY_BUILD_VERSION", "1.2.3")
    assert built(checkout) == "1.2.3"


def test_the_command_prints_it() -> None:
    assert CliRunner().invoke(cli, ["--version"]).output == f"orderly {version()}\n"
