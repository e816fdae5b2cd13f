from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class State:
    """What the options before the command said."""

    user: str | None
