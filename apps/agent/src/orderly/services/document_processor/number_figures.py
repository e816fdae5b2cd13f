"""Writes a number as a section of a number format shows it: account numbers, amounts, fractions, powers of ten."""

from __future__ import annotations

import re
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction

from orderly.services.document_processor.number_formats import FormatSection, Sign

_PLACES = "0#?"
_MAX_PLACES = 30
_FRACTION = re.compile(r"^(?P<whole>[#0?,]*)(?P<gap>\s*)(?P<over>[#0?]+)\s*/\s*(?P<under>[#0?]+|\d+)$")
_UNITS = tuple(Decimal(1).scaleb(-places) for places in range(_MAX_PLACES + 1))
_LARGEST = 1e100
"""Beyond, numbers are written with a power of ten."""


def write_figures(value: float, section: FormatSection) -> str:
    """The figures of `value`, which is not negative, with the section's words around them."""
    if value > _LARGEST:
        return general(value)
    if simple := section.simple:
        amount = Decimal(repr(value)) * 100 if simple.percent else Decimal(repr(value))
        figures = format(amount.quantize(_UNITS[simple.decimals], ROUND_HALF_UP), simple.figures)
        return f"{simple.before}{figures}{'%' if simple.percent else ''}{simple.after}"
    marks = section.marks()
    if section.has("general"):
        return "".join(general(value) if sign.kind == "general" else sign.text for sign in section.signs)
    if not any(place in marks for place in _PLACES) and "/" not in marks:
        return "".join(sign.text for sign in section.signs if sign.text != "@")
    if "/" in marks:
        return _fraction(value, section)
    if section.has("exponent"):
        return _power(value, section)
    return _decimal(Decimal(repr(value)), section.signs)


def general(value: float) -> str:
    return str(int(value)) if float(value).is_integer() and abs(value) < 1e15 else f"{value:.15g}"


def _decimal(amount: Decimal, signs: tuple[Sign, ...]) -> str:
    places = [at for at, sign in enumerate(signs) if sign.kind == "other" and sign.text in _PLACES]
    point = next((at for at, sign in enumerate(signs) if sign == Sign("other", ".")), None)
    last = max((at for at in places if point is None or at < point), default=-1)
    first = min(places)
    amount *= 100 ** sum(sign == Sign("other", "%") for sign in signs)
    commas = [at for at, sign in enumerate(signs) if sign == Sign("other", ",")]
    for at in {last, max(places)}:
        end = at + 1
        while end in commas:  # each comma behind the last place divides by a thousand
            amount /= 1000
            end += 1
    decimals = [at for at in places if point is not None and at > point][:_MAX_PLACES]
    amount = amount.quantize(Decimal(1).scaleb(-len(decimals)), ROUND_HALF_UP)
    whole, _, part = f"{amount:f}".partition(".")
    before = _whole(whole.lstrip("0"), signs[: last + 1], grouped=any(first < at < last for at in commas))
    after = _part(part, signs, decimals)
    return before + after + _words(signs[(decimals[-1] if decimals else point if point is not None else last) + 1 :])


def _whole(digits: str, signs: tuple[Sign, ...], *, grouped: bool) -> str:
    """Fills the places before the point from the right; the first place takes all digits that are left."""
    places = [at for at, sign in enumerate(signs) if sign.kind == "other" and sign.text in _PLACES]
    written: list[str] = []
    taken = 0
    for at in range(len(signs) - 1, -1, -1):
        sign = signs[at]
        if at not in places:
            written.append("" if sign.text in (",", "@") and sign.kind == "other" else sign.text[::-1])
            continue
        count = len(digits) if at == places[0] else 1
        figures = digits[-count:] if digits and count else ""
        digits = digits[: len(digits) - len(figures)]
        for figure in reversed(figures or {"0": "0", "?": " "}.get(sign.text, "")):
            written.append("," if grouped and taken and taken % 3 == 0 and figure != " " else "")
            written.append(figure)
            taken += 1
    return "".join(written)[::-1]


def _part(digits: str, signs: tuple[Sign, ...], places: list[int]) -> str:
    """The decimal point and the places after it, with the words between them."""
    point = next((at for at, sign in enumerate(signs) if sign == Sign("other", ".")), None)
    if point is None:
        return ""
    written = ["."]
    needed = max((n for n, at in enumerate(places) if signs[at].text == "0" or digits[n : n + 1] not in ("0", "")), default=-1)
    for at in range(point + 1, (places[-1] if places else point) + 1):
        if at not in places:
            written.append(signs[at].text)
        elif (number := places.index(at)) <= needed:
            written.append(digits[number : number + 1])
    return "".join(written)


def _words(signs: tuple[Sign, ...]) -> str:
    return "".join(sign.text for sign in signs if sign.kind != "other" or sign.text not in (",", "@", *_PLACES))


def _power(value: float, section: FormatSection) -> str:
    marks = section.marks().partition(".")[2]
    decimals = sum(mark in _PLACES for mark in marks) - sum(mark in _PLACES for mark in _exponent_marks(section))
    figures, _, power = f"{value:.{max(min(decimals, _MAX_PLACES), 0)}E}".partition("E")
    width = sum(mark in _PLACES for mark in _exponent_marks(section))
    sign = "-" if int(power) < 0 else "+" if section.has("exponent") and "+" in _exponent(section) else ""
    return f"{figures}E{sign}{abs(int(power)):0{max(min(width, _MAX_PLACES), 1)}d}"


def _exponent(section: FormatSection) -> str:
    return next(sign.text for sign in section.signs if sign.kind == "exponent")


def _exponent_marks(section: FormatSection) -> str:
    at = next(at for at, sign in enumerate(section.signs) if sign.kind == "exponent")
    return "".join(sign.text for sign in section.signs[at:] if sign.kind == "other")


def _fraction(value: float, section: FormatSection) -> str:
    at = [n for n, sign in enumerate(section.signs) if sign.kind == "other" and sign.text in "#0?/,123456789"]
    inside = section.signs[at[0] : at[-1] + 1]
    found = _FRACTION.match("".join(sign.text for sign in inside).strip())
    if found is None:
        return general(value)
    exact, under = Fraction(repr(value)), found["under"]
    whole = int(exact) if found["gap"] and found["whole"] else 0
    part = exact - whole
    if under.isdigit() and int(under) > 0:
        over, below = int(part * int(under) + Fraction(1, 2)), int(under)
    else:
        near = part.limit_denominator(10 ** min(len(under), 5) - 1)
        over, below = near.numerator, near.denominator
    if over == below and found["gap"]:
        whole, over = whole + 1, 0
    shown = str(whole) if over == 0 and found["gap"] else f"{whole or ''} {over}/{below}".strip()
    return _words(section.signs[: at[0]]) + shown + _words(section.signs[at[-1] + 1 :])
