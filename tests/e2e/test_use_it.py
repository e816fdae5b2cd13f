"""The README's commands of "Use it", run as they stand in one shell."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
LEASE = (
    "LEASE\n\n1. Term\nThe term is two years.\n\n2. Termination\nEither party may end this lease on ninety days' written notice.\n\n"
    + ("3. Liability\nThe Landlord's limitation of liability is $10,000.\n")
)


def test_the_readmes_commands_work_as_they_stand(tmp_path: Path) -> None:
    text = (ROOT / "README.md").read_text()
    first, second = re.findall(r"```\n(.*?)```", text.split("## Use it")[1].split("## Keys")[0], re.DOTALL)
    (tmp_path / "contracts").mkdir()
    (tmp_path / "contracts" / "Lease.txt").write_text(LEASE)
    (tmp_path / ".venv").mkdir()
    (tmp_path / ".venv" / "bin").symlink_to(Path(sys.executable).parent)
    script = "shopt -s expand_aliases\nset -e\n" + first + second
    env = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "LANG": "C.UTF-8"}
    done = subprocess.run(
        ["bash", "-c", script], cwd=tmp_path, env=env, capture_output=True, text=True, timeout=170, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "ninety days' written notice" in done.stdout and "Lease.txt, Section 2" in done.stdout
    assert "Matter: M-2026-001 Smith v Jones" in done.stderr
    assert "$10,000" in done.stdout
    assert f"For the installation in {tmp_path}/.orderly:" in done.stderr and re.search(
        r"^ord_[\w-]{40,}$", done.stdout, re.MULTILINE
    )
