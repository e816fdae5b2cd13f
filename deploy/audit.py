"""Reports known vulnerabilities of the locked dependencies: `python deploy/audit.py PIP_AUDIT LOCK [--strict]`.

Exits with 1 if a vulnerability is known; with --strict also if pip-audit could not check a dependency. The advisory service needs
the network; unchecked dependencies are reported.
"""

from __future__ import annotations

import json
import subprocess
import sys

SECONDS = 300


def main(pip_audit: str, lock: str, *options: str) -> int:
    command = [pip_audit, "--require-hashes", "--disable-pip", "--requirement", lock, "--format", "json", "--progress-spinner", "off"]
    try:
        report = subprocess.run(command, check=False, capture_output=True, text=True, timeout=SECONDS).stdout
        dependencies = json.loads(report)["dependencies"]
    except (OSError, ValueError, KeyError, subprocess.TimeoutExpired):
        print("Known vulnerabilities: the check failed, so nothing is known.")
        return 1 if "--strict" in options else 0
    vulnerable = [found for found in dependencies if found.get("vulns")]
    unchecked = [found for found in dependencies if "skip_reason" in found]
    for found in vulnerable:
        print(f"{found['name']} {found['version']}: " + ", ".join(vulnerability["id"] for vulnerability in found["vulns"]))
    checked = len(dependencies) - len(unchecked)
    print(f"Known vulnerabilities: {checked} of {len(dependencies)} dependencies checked, {len(vulnerable)} vulnerable.")
    return 1 if vulnerable or (unchecked and "--strict" in options) else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
