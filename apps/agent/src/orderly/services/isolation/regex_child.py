"""The program of a process that matches regular expressions."""

from __future__ import annotations

from typing import Any

from orderly.services.isolation.regex_matching import Matches, match
from orderly.services.isolation.serving import serve


def _answer(_operation: str, asked: Any) -> Matches:
    return match(asked["pattern"], asked["text"], asked["spans"], ignore_case=asked["ignore_case"])


if __name__ == "__main__":
    serve(_answer)
