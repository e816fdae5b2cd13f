"""Chunking options of an Isaacus request. An omitted field and null differ."""

from __future__ import annotations

from enum import Enum
from typing import Literal, TypedDict

from orderly.errors import EngineRefused


class ChunkingOptions(TypedDict, total=False):
    size: int | None
    """Tokens per chunk, at least 1; None: the model's window."""
    overlap_ratio: float | None
    """0 <= ratio < 1. Excludes `overlap_tokens`."""
    overlap_tokens: int | None


class Omitted(Enum):
    OMIT = "omit"


OMIT: Literal[Omitted.OMIT] = Omitted.OMIT
"""Isaacus' default chunking. None disables chunking, and Isaacus truncates a long text at the model's window."""

Chunking = ChunkingOptions | None | Literal[Omitted.OMIT]


def chunking_field(options: Chunking) -> dict[str, object]:
    """Request fields for the options. Raises EngineRefused for options that Isaacus would refuse."""
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
