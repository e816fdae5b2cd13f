from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class State:
    """Values of the options before the command."""

    user: str | None
