"""The program of a process that ranks pieces of texts."""

from __future__ import annotations

from typing import Any

from orderly.services.isolation import serve
from orderly.services.search.raw_ranking import Piece, rank


def _answer(_operation: str, asked: Any) -> list[Piece]:
    return rank(asked["texts"], asked["query"], asked["limit"])


if __name__ == "__main__":
    serve(_answer)
