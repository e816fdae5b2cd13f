"""Reads a data folder: contracts/, nda/, retrieval.json, *.jsonl. All calls block briefly."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from orderly.errors import Invalid

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Dataset:
    folder: Path

    def rows(self, name: str) -> list[Row]:
        """Rows of a .jsonl file. Raises Invalid if the file is missing."""
        return read_rows(self._file(name))

    def tests(self) -> list[Row]:
        tests: list[Row] = json.loads(self._file("retrieval.json").read_text(encoding="utf-8"))["tests"]
        return tests

    def sources(self, folder: str) -> list[Path]:
        found = sorted((self.folder / folder).glob("*.txt"))
        if not found:
            raise Invalid(f"There are no .txt files in {folder}/ of the data folder.")
        return found

    def names_by_text(self) -> dict[str, str]:
        """Names of the contracts and agreements by their text."""
        paths = [path for folder in ("contracts", "nda") for path in sorted((self.folder / folder).glob("*.txt"))]
        return {path.read_text(encoding="utf-8"): path.stem for path in paths}

    def text(self, folder: str, name: str) -> str:
        return (self.folder / folder / f"{name}.txt").read_text(encoding="utf-8")

    def size(self, name: str) -> int:
        """Bytes of a file."""
        return self._file(name).stat().st_size

    def has(self, name: str) -> bool:
        return (self.folder / name).is_file()

    def _file(self, name: str) -> Path:
        if not self.has(name):
            raise Invalid(f"The data folder has no {name}.")
        return self.folder / name


def read_rows(path: Path) -> list[Row]:
    # Not splitlines(): it also splits at line separators inside texts.
    return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line.strip()]


def write_rows(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
