"""Ranks pieces of texts by the words of a query. Blocking: whole texts take seconds, so a child process does it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from math import log1p
from typing import Any, NamedTuple

from orderly.errors import TooCostly
from orderly.services.engines.local import stems, trimmed
from orderly.services.isolation import ProcessLimits, shared_pool

PIECE_CHARS = 1_200
"""Characters up to which paragraphs of a page are joined to one piece."""

MAX_PIECES = 2_000
"""Pieces that are ranked, the ones with the most words of the query."""

LIMITS = ProcessLimits(processes=3, seconds=20, memory_mb=1024)

_PARAGRAPH_END = re.compile(r"\n[ \t]*\n\s*")


class Piece(NamedTuple):
    text: int
    """Index of the text."""
    page: int
    """Index of the page in the text."""
    start: int
    end: int


PagedText = tuple[str, Sequence[tuple[int, int]]]
"""A text and the spans of its pages."""


class RankingProgram:
    """Satisfies `ChildProgram`."""

    module = "orderly.services.search.raw_ranking_child"

    def reported(self, error: str, message: str) -> Exception:
        raise KeyError(error)

    def too_long(self, _operation: str, seconds: float) -> TooCostly:
        return TooCostly(f"Ranking took longer than {seconds:g} seconds.")

    def too_much_memory(self, memory_mb: int) -> TooCostly:
        return TooCostly(f"Ranking took more than {memory_mb} MB of memory.")

    def crashed(self) -> TooCostly:
        return TooCostly("Ranking failed.")


RANKING = RankingProgram()


async def rank_in_child(texts: Sequence[PagedText], query: str, limit: int) -> list[Piece]:
    """`rank` in a child process. Raises TooCostly."""
    return await shared_pool(RANKING, LIMITS).call("rank", {"texts": texts, "query": query, "limit": limit}, _pieces_of)


def rank(texts: Sequence[PagedText], query: str, limit: int) -> list[Piece]:
    """Returns the best pieces, each word of the query counting by its rarity."""
    wanted = list(dict.fromkeys(stems(query)))
    found = [
        (piece, words)
        for number, (text, pages) in enumerate(texts)
        for piece in _pieces(number, text, pages)
        if (words := _words_in(text[piece.start : piece.end], wanted))
    ]
    found = sorted(found, key=lambda pair: -len(pair[1]))[:MAX_PIECES]
    rarity = {word: log1p(len(found) / sum(word in words for _, words in found)) for _, words in found for word in words}
    ranked = sorted(found, key=lambda pair: -sum(rarity[word] for word in pair[1]))
    return [piece for piece, _ in ranked[:limit]]


def _words_in(text: str, wanted: Sequence[str]) -> frozenset[str]:
    """Returns the stems that occur. The substring test, which is fast, comes first."""
    lower = text.lower()
    possible = {word for word in wanted if word in lower}
    return frozenset(possible.intersection(stems(text))) if possible else frozenset()


def _pieces(number: int, text: str, pages: Sequence[tuple[int, int]]) -> Iterator[Piece]:
    for page, (first, last) in enumerate(pages):
        for start, end in _split(text, first, last):
            yield Piece(number, page, start, end)


def _split(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yields spans of whole paragraphs up to PIECE_CHARS; a longer paragraph is cut at a space."""
    ends = [match.end() for match in _PARAGRAPH_END.finditer(text, start, end)] + [end]
    first = last = start
    for stop in ends:
        if stop - first > PIECE_CHARS and last > first:
            yield from trimmed(text, first, last)
            first = last
        while stop - first > PIECE_CHARS:
            space = text.rfind(" ", first + PIECE_CHARS // 2, first + PIECE_CHARS)
            cut = space + 1 if space > 0 else first + PIECE_CHARS
            yield from trimmed(text, first, cut)
            first = cut
        last = stop
    yield from trimmed(text, first, last)


def _pieces_of(plain: Any) -> list[Piece]:
    return [Piece(*map(int, piece)) for piece in plain]
