"""Known faults of the locked dependencies, by pip-audit: `python deploy/audit.py PIP_AUDIT LOCK [--strict]`.

Exits with 1 where one is known, and with --strict also where nothing could be learnt of a dependency: the advisory service is
reached over the network, and what it did not answer is said, never taken for good news.
"""

from __future__ import annotations

import json
import subprocess
import sys

SECONDS = 300


def main(pip_audit: str, lock: str, *options: str) -> int:
    command = [pip_audit, "--require-hashes", "--disable-pip", "--requirement", lock, "--format", "json", "--progress-spinner", "off"]
    try:
        answer = subprocess.run(command, check=False, capture_output=True, text=True, timeout=SECONDS).stdout
        dependencies = json.loads(answer)["dependencies"]
    except (OSError, ValueError, KeyError, subprocess.TimeoutExpired):
        print("Known faults of dependencies: could not be asked for, so nothing is known.")
        return 1 if "--strict" in options else 0
    faulty = [found for found in dependencies if found.get("vulns")]
    unknown = [found for found in dependencies if "skip_reason" in found]
    for found in faulty:
        print(f"{found['name']} {found['version']}: " + ", ".join(fault["id"] for fault in found["vulns"]))
    known = len(dependencies) - len(unknown)
    print(f"Known faults: asked and answered for {known} of {len(dependencies)} dependencies, of which {len(faulty)} have some.")
    return 1 if faulty or (unknown and "--strict" in options) else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
