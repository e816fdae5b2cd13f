"""Lists the tables of figures whose code has changed since they were measured: `make stale`."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGES = ("quality", "benchmarks", "capacity")
STATED = re.compile(r"Figures of (\d{1,2} [A-Z][a-z]+ \d{4}) \(`([0-9a-f]{8})`\)\. <!-- measures: ([^>]+) -->")


@dataclass(frozen=True)
class Table:
    place: str
    date: str
    commit: str
    """Of its oldest row."""
    paths: tuple[str, ...]
    """The code that it measures."""

    def changes(self) -> list[str]:
        """The later commits to the code, newest first, as abbreviated hash and date."""
        return git("log", "--no-merges", "--format=%h of %cs", f"{self.commit}..HEAD", "--", *self.paths).splitlines()


def tables(page: str, text: str) -> Iterator[Table]:
    """Raises ValueError for a table that does not say when it was measured and what it measures."""
    lines = text.split("\n")
    for number, line in enumerate(lines, 1):
        if line.startswith("|") and not lines[number - 2].startswith("|"):
            place = f"docs/{page}.md:{number}"
            stated = STATED.fullmatch(lines[number - 3]) if number > 2 and not lines[number - 2] else None
            if stated is None:
                raise ValueError(f"{place}: two lines above a table, its date, commit and code are stated")
            yield Table(place, stated[1], stated[2], tuple(stated[3].split()))


def all_tables() -> list[Table]:
    return [table for page in PAGES for table in tables(page, (ROOT / f"docs/{page}.md").read_text(encoding="utf-8"))]


def git(*arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=ROOT, check=True, capture_output=True, text=True).stdout.strip()


if __name__ == "__main__":
    found = all_tables()
    changed = sorted(((table.changes(), table) for table in found), key=lambda pair: -len(pair[0]))
    for changes, table in changed:
        if changes:
            print(
                f"{len(changes):4} commits, the last {changes[0]}, since {table.date}: {table.place} ({' '.join(table.paths)})"
            )
    print(f"{sum(bool(changes) for changes, _ in changed)} of {len(found)} tables are older than the code that they measure.")
