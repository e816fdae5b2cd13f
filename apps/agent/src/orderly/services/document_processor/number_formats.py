"""Number formats of Excel (ECMA-376, 18.8.30), divided into sections and signs."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

_SIGN = re.compile(
    r'"(?P<quoted>[^"]*)"?'
    r"|\\(?P<escaped>.)"
    r"|_.|\*."
    r"|\[(?P<elapsed>h+|m+|s+)\]"
    r"|\[(?P<condition>[<>=]{1,2})\s*(?P<limit>-?[\d.]+)\]"
    r"|\[\$(?P<currency>[^\]-]*)(?:-(?P<locale>[^\]]*))?\]"
    r"|\[[^\]]*\]"
    r"|(?P<general>General)"
    r"|(?P<half>AM/PM|A/P)"
    r"|(?P<exponent>E[+-])"
    r"|(?P<date>y+|m+|d+|h+|s+)"
    r"|(?P<other>.)",
    re.IGNORECASE | re.DOTALL,
)
_COMPARE: dict[str, Callable[[float, float], bool]] = {
    "<": operator.lt, ">": operator.gt, "=": operator.eq, "<=": operator.le, ">=": operator.ge, "<>": operator.ne,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Sign:
    kind: str
    """"literal", "elapsed", "general", "half", "exponent", "date", or "other": a placeholder or a mark."""
    text: str


@dataclass(frozen=True, slots=True)
class SimpleFormat:
    """A section of the usual kind: "$#,##0.00"."""

    before: str
    figures: str
    """For `format`."""
    decimals: int
    percent: bool
    after: str


_SIMPLE = re.compile(r"(?P<whole>#,##0|0)(?:\.(?P<decimals>0{1,15}))?(?P<percent>%)?")


@dataclass(frozen=True, slots=True)
class FormatSection:
    signs: tuple[Sign, ...]
    condition: tuple[str, float] | None = None
    locale: str = ""
    simple: SimpleFormat | None = None
    is_time: bool = False
    """It shows a date, a time or a duration."""

    def has(self, kind: str) -> bool:
        return any(sign.kind == kind for sign in self.signs)

    def marks(self) -> str:
        """The placeholders and marks alone."""
        return "".join(sign.text for sign in self.signs if sign.kind == "other")

    def meets(self, value: float) -> bool:
        return self.condition is None or _COMPARE[self.condition[0]](value, self.condition[1])


@lru_cache(maxsize=2048)
def sections_of(number_format: str) -> tuple[FormatSection, ...]:
    sections: list[FormatSection] = []
    signs: list[Sign] = []
    condition: tuple[str, float] | None = None
    locale = ""
    for found in _SIGN.finditer(number_format):
        kind = found.lastgroup or ""
        if found["other"] == ";":
            sections.append(_section(signs, condition, locale))
            signs, condition, locale = [], None, ""
        elif found["condition"]:
            condition = _condition(found["condition"], found["limit"])
        elif found["currency"] is not None:
            locale = found["locale"] or locale
            signs.append(Sign("literal", found["currency"]))
        elif kind in ("quoted", "escaped"):
            signs.append(Sign("literal", found[kind]))
        elif kind in ("elapsed", "general", "half", "exponent", "date", "other"):
            signs.append(Sign(kind, found[kind]))
    return (*sections, _section(signs, condition, locale))


def _section(signs: list[Sign], condition: tuple[str, float] | None, locale: str) -> FormatSection:
    is_time = any(sign.kind in ("date", "elapsed") for sign in signs)
    return FormatSection(tuple(signs), condition, locale, _simple(signs), is_time)


def _simple(signs: list[Sign]) -> SimpleFormat | None:
    """The section as one of the usual kind; None for others."""
    at = [n for n, sign in enumerate(signs) if sign.kind == "other" and sign.text in "#0?,.%"]
    inside = signs[at[0] : at[-1] + 1] if at else []
    around = [*signs[: at[0]], *signs[at[-1] + 1 :]] if at else []
    found = _SIMPLE.fullmatch("".join(sign.text for sign in inside))
    literal = all(sign.kind == "literal" or (sign.kind == "other" and sign.text not in "/@") for sign in around)
    if found is None or not literal or any(sign.kind != "other" for sign in inside):
        return None
    decimals = len(found["decimals"] or "")
    before, after = ("".join(sign.text for sign in part) for part in (signs[: at[0]], signs[at[-1] + 1 :]))
    figures = f"{',' if ',' in found['whole'] else ''}.{decimals}f"
    return SimpleFormat(before, figures, decimals, found["percent"] is not None, after)


def _condition(sign: str, limit: str) -> tuple[str, float] | None:
    try:
        return (sign, float(limit)) if sign in _COMPARE else None
    except ValueError:
        return None


def section_for(value: float, sections: tuple[FormatSection, ...]) -> tuple[FormatSection, bool]:
    """The section that shows a number, and whether a minus sign goes before it."""
    if len(sections) == 1 and sections[0].condition is None:
        return sections[0], value < 0
    numeric = sections[:3]
    if any(section.condition for section in numeric):
        chosen = next((section for section in numeric if section.meets(value)), numeric[-1])
        below_zero = chosen.condition is not None and chosen.condition[0].startswith("<") and chosen.condition[1] <= 0
        return chosen, value < 0 and not below_zero
    if value < 0 and len(numeric) > 1:
        return numeric[1], False
    if value == 0 and len(numeric) > 2:
        return numeric[2], False
    return numeric[0], value < 0


def text_section(sections: tuple[FormatSection, ...]) -> FormatSection | None:
    """The section that shows text; None: text is shown as it is."""
    last = sections[-1]
    return last if len(sections) == 4 or "@" in last.marks() else None
