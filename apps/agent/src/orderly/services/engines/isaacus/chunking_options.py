"""How Isaacus divides long texts: three answers, of which "not said" and null are different ones."""

from __future__ import annotations

from enum import Enum
from typing import Literal, TypedDict

from orderly.errors import EngineRefused


class ChunkingOptions(TypedDict, total=False):
    size: int | None
    """Tokens a chunk, at least 1; None: what the model takes."""
    overlap_ratio: float | None
    """From 0, below 1. Not together with `overlap_tokens`."""
    overlap_tokens: int | None


class Omitted(Enum):
    OMIT = "omit"


OMIT: Literal[Omitted.OMIT] = Omitted.OMIT
"""Isaacus' own chunking. None would switch it off, and a long text would be cut at the model's window."""

Chunking = ChunkingOptions | None | Literal[Omitted.OMIT]


def chunking_field(options: Chunking) -> dict[str, object]:
    """The part of a request's body. Raises EngineRefused for options that Isaacus would refuse."""
    if options is OMIT:
        return {}
    if options is not None:
        _check(options)
    return {"chunking_options": options}


def _check(options: ChunkingOptions) -> None:
    size, ratio, tokens = options.get("size"), options.get("overlap_ratio"), options.get("overlap_tokens")
    if size is not None and size < 1:
        raise EngineRefused("A chunk holds at least one token.")
    if ratio is not None and tokens is not None:
        raise EngineRefused("The overlap of chunks is a ratio or a number of tokens, not both.")
    if (ratio is not None and not 0 <= ratio < 1) or (tokens is not None and tokens < 0):
        raise EngineRefused("The overlap of chunks is a ratio from 0 to below 1, or at least 0 tokens.")
