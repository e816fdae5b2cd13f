"""Compares figures with a baseline to detect regressions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

TOLERANCE = 0.01
"""Largest decline that is not a regression."""
LESS_IS_BETTER = frozenset(
    {"impossible_answered", "share_of_text_returned", "other_types_per_expert_span", "printed_wrong", "no_label"}
    | {"false_absence"}
)
NO_QUALITY = frozenset({"n", "counts", "cost", "answerable", "characters", "seconds"})


@dataclass(frozen=True, slots=True)
class Change:
    figure: str
    before: float
    after: float

    @property
    def dropped(self) -> bool:
        less = self.figure.rsplit(".", 1)[-1] in LESS_IS_BETTER
        worse = self.after - self.before if less else self.before - self.after
        return worse > TOLERANCE


def figures(metrics: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, float]]:
    """(dotted name, value) of every quality figure."""
    for name, value in metrics.items():
        if isinstance(value, Mapping) and name not in NO_QUALITY:
            yield from figures(value, f"{prefix}{name}.")
        elif isinstance(value, int | float) and not isinstance(value, bool) and name not in NO_QUALITY:
            yield f"{prefix}{name}", float(value)


def changes(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[Change]:
    """The figures of both that differ."""
    old, new = dict(figures(before)), dict(figures(after))
    return [Change(name, old[name], new[name]) for name in new if name in old and old[name] != new[name]]
