"""Looks up known vulnerabilities of the locked dependencies with pip-audit: `python deploy/audit.py PIP_AUDIT LOCK [--strict]`.

Exits with 1 if a dependency has a known vulnerability, and with --strict also if the advisory service gave no answer for a
dependency. The output says for how many dependencies there was an answer.
"""

from __future__ import annotations

import json
import subprocess
import sys

SECONDS = 300


def main(pip_audit: str, lock: str, *options: str) -> int:
    command = [
        pip_audit,
        "--require-hashes",
        "--disable-pip",
        "--requirement",
        lock,
        "--format",
        "json",
        "--progress-spinner",
        "off",
    ]
    try:
        answer = subprocess.run(command, check=False, capture_output=True, text=True, timeout=SECONDS).stdout
        dependencies = json.loads(answer)["dependencies"]
    except (OSError, ValueError, KeyError, subprocess.TimeoutExpired):
        print("Known vulnerabilities: the advisory service could not be reached, so nothing is known.")
        return 1 if "--strict" in options else 0
    faulty = [found for found in dependencies if found.get("vulns")]
    unknown = [found for found in dependencies if "skip_reason" in found]
    for found in faulty:
        print(f"{found['name']} {found['version']}: " + ", ".join(fault["id"] for fault in found["vulns"]))
    known = len(dependencies) - len(unknown)
    print(
        f"Known vulnerabilities: answers for {known} of {len(dependencies)} dependencies, of which {len(faulty)} are vulnerable."
    )
    return 1 if faulty or (unknown and "--strict" in options) else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
