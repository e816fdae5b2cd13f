"""What a figure of an answer may follow from, and the arithmetic of amounts.

Cue words of the texts decide which steps are tried.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from decimal import Decimal
from functools import cached_property, lru_cache
from itertools import combinations, islice, pairwise, product

from orderly.services.calculation.business_days import Step, calendars_in
from orderly.services.support import Facts, Share, read_facts
from orderly.services.values import DateValue, Duration, Money, find_dates, parse_words
from orderly.services.words import ANY_MONTH

Amount = Duration | Money | Share | tuple[int, int, Decimal, bool]
Said = DateValue | Amount
Found = tuple[float, str, float, float]
"""A value, and how it comes of two others."""
_SHORT = 300
"""Characters of a paragraph that is read by itself."""
MOST, _MOST_ADDED, _MOST_DAYS, _MOST_DOUBLE = 12, 99, 6, 8
"""Figures of one kind in one text, and of a sum of all of them; days; figures that two steps combine."""
_WORDS = """
AGE age aged birth born turn turns turned birthday
AHEAD after from following later since plus of beginning commencing starting next
BACK before prior earlier preceding back ago minus
CLEAR clear_days clear_day clear_weeks clear_months clear_month clear_business clear_working
COMPOUND compounded compounding increase increases increased anniversary anniversaries review reviews each every
EDGE end_of month_end quarter_end last_day first_day s_end
END end ends ended ending expire expires expired expiry expiring until till last terminates term lasts through runs run
INCLUSIVE inclusive including included beginning commencing starting
LEAST at_least not_less not_fewer no_fewer no_less
NEIGHBOUR the_day_after the_day_before the_day_following the_day_preceding next_day following_day previous_day preceding_day
RATA rata proportion proportionate apportioned index cpi
RECUR each every anniversary annually yearly quarterly monthly instalment instalments review reviews further increase increases
ROLL next_business following_business preceding_business next_working weekend weekends saturday sunday holiday
"""
_CUES: dict[str, set[str]] = {}
"""Cues, by the words that give them, up to three together."""
for _cue, *_forms in map(str.split, _WORDS.strip().splitlines()):
    for _form in _forms:
        _CUES.setdefault(_form, set()).add(_cue)
_HEADS = {form.split("_")[0] for form in _CUES if "_" in form} | {"following", "next"}
_TIMES = dict.fromkeys(["half", "halves", "double", "doubles", "doubled", "twice", "both"], 2.0)
_TIMES |= {"treble": 3.0, "triple": 3.0}
MONTHS_OF = {"annu": 12.0, "half-year": 6.0, "quarter": 3.0, "month": 1.0, "fortnight": 12 / 26, "week": 12 / 52}
_UNITS = {"annu": (1, "Y"), "month": (1, "M"), "week": (1, "W"), "fortnight": (2, "W"), "day": (1, "D")}
SIZE = {"Y": 12.0, "M": 1.0, "W": 7.0, "D": 1.0}
_WRITTEN = re.compile(r"\d[\d,]*(?:\.(\d+))?")
_BOUND = re.compile(
    r"\b(?:(?:some|about|around|approximately|approx\.?|roughly|circa|close\s+to)|(?P<just>(?:just|slightly|well)\s+)?"
    r"(?:(?P<below>(?:less|fewer)\s+than|under|below|short\s+of|almost|nearly|not\s+quite)|(?P<above>more\s+than|over|above)))\s*\Z",
    re.IGNORECASE,
)
_NTH = re.compile(
    r"\b(?:(?P<nth>[\w-]*(?:st|nd|rd|th))\s+(?P<business>business\s+|working\s+)?(?P<unit>day|week|month)\s+"
    r"(?=after|before|from|prior|follow)|(?P<hours>\d+|[a-z]+(?:-[a-z]+)?)\s+hours\b)",
    re.IGNORECASE,
)
_SHORT_DATE = re.compile(rf"\b(?:\d{{1,2}}(?:st|nd|rd|th)?\s+(?:{ANY_MONTH})|(?:{ANY_MONTH})\s+\d{{1,2}})\b(?!,?\s+\d{{4}})")


@lru_cache(maxsize=2048)
def cues_of(text: str) -> frozenset[str]:
    """The words of a text, in lower case, also two and three together, with the cues that they give."""
    words = re.findall(r"[a-z]+", text.lower())
    found = {*words, *("_".join(words[n : n + size]) for n, word in enumerate(words) if word in _HEADS for size in (2, 3))}
    return frozenset(found).union(*(_CUES[word] for word in found & _CUES.keys()))


def columns_of(row: str, table: str) -> list[tuple[str, str]]:
    """What stands between the head of a Markdown table and a row, column by column, with the row's own cell."""
    lines = [line.strip().strip("|").split("|") for line in table.splitlines() if "|" in line and re.search(r"\w", line)]
    words = [re.sub(r"\W+", "", "".join(cells)) for cells in lines]
    at = words.index(re.sub(r"\W+", "", row)) if re.sub(r"\W+", "", row) in words[1:] else 0
    return [("\n".join(column[1:at]), column[at]) for column in zip(*lines, strict=False)] if at else []


def paragraphs(facts: Facts) -> Iterator[Facts]:
    """The paragraphs of a text, short ones together."""
    start = 0
    for end in (*(line.start() for line in re.finditer(r"\n", facts.text)), len(facts.text)):
        if end - start >= _SHORT or end == len(facts.text):
            yield replace(
                facts,
                text=facts.text[start:end],
                dates=[d for d in facts.dates if start <= d.start < end],
                durations=[d for d in facts.durations if start <= d.start < end],
                money=[m for m in facts.money if start <= m.start < end],
                percents=[p for p in facts.percents if start <= p[0] < end],
                numbers=[n for n in facts.numbers if start <= n[0] < end],
                frequencies=[f for f in facts.frequencies if start <= f[0] < end],
            )
            start = end


class Operands:
    """A figure of a sentence, with the texts that it may follow from."""

    def __init__(self, said: Said, sentence: Facts, near: Facts, question: Facts, evidence: Facts) -> None:
        self.start, self.end = span_of(said)
        self.text, self.evidence, self.near, self.own = sentence.text, evidence, near, cues_of(sentence.text)
        self.currency = said.currency if isinstance(said, Money) else None
        columns = columns_of(self.text, near.text) if "|" in near.text else []
        written = self.text[self.start : self.end]
        blocks = [read_facts(above if written in cell else f"{above}\n{cell}") for above, cell in columns]
        self.texts = (sentence, question, evidence, *(blocks or [near]))
        self.cues = self.own.union(*(cues_of(text.text) for text in (near, question, evidence)))

    @cached_property
    def places(self) -> tuple[str, ...]:
        return calendars_in(" ".join(text.text for text in self.texts))

    def groups(self, kind: str, said: float = -1.0) -> list[list[float]]:
        """Values other than the figure's, by their text or column: sums of its currency, percents, numbers, months or days."""
        found: list[list[float]] = []
        for text in self.texts:
            values = [float(m.amount) for m in text.money if self.currency in (None, m.currency or self.currency)]
            if kind in ("share", "number"):
                values = [float(figure[2]) for figure in (text.percents if kind == "share" else text.numbers)]
            elif kind != "money":
                values = [d.count * SIZE[d.unit] for d in text.durations if (d.unit in "MY") is (kind == "months")]
            found.append([value for value in values if value not in (said, 0)][:_MOST_ADDED])
        return [group for group in found if group]

    def values(self, kind: str, said: float = -1.0) -> list[float]:
        return list(dict.fromkeys(value for group in self.groups(kind, said) for value in group[:MOST]))[: 2 * MOST]

    def days(self, said: DateValue | None = None) -> list[date]:
        """Days that the texts name, also without a year, other than the figure."""
        known = [found for text in self.texts for found in text.dates if said is None or found.iso != said.iso]
        days = dict.fromkeys(found.date or date(found.year, found.month, 1) for found in known if found.year and found.month)
        years = sorted({said.year, said.year - 1} if said and said.year else {day.year for day in days})
        for text, year in product(self.texts[:2], years):
            for short in _SHORT_DATE.finditer(text.text):
                if text is not self.texts[0] or not short.start() <= self.start < short.end():
                    days |= dict.fromkeys(value.date for value in find_dates(f"{short[0]} {year}") if value.date)
        return list(days)[:_MOST_DAYS]

    def spans(self) -> list[tuple[date, date]]:
        return list(combinations(sorted(self.days()), 2))

    def bounds(self, size: float, near: float, unit: float | None = None) -> tuple[float, float, bool]:
        """The least and the greatest value that the words mean, and whether they are inexact: "about" is `near` of the size."""
        written = _WRITTEN.search(self.text, self.start, self.end)
        if unit is None:  # half of what the last digit counts
            scale = size / max(float(written[0].replace(",", "")), 1e-9) if written else 1.0
            unit = 0.51 / 10 ** len((written and written[1]) or "") * (scale if scale > 999 else 1)
        found = _BOUND.search(self.text, max(self.start - 30, 0), self.start)
        if found and found["below"]:
            return (0.88 if found["just"] or found["below"][0] in "anAN" else 0.6) * size, size * (1 - 1e-6), True
        if found and found["above"]:  # "over three years" may be three
            return size * (1 + (1e-6 if found["above"].lower() != "over" else 0)), (1.14 if found["just"] else 1.7) * size, True
        slack = max(near * size, unit) if found or self.text.startswith(" or so", self.end) else unit
        return size - slack, size + slack, slack > unit

    def steps(self) -> list[Step]:
        return list(dict.fromkeys(step for text in self.texts for step in steps_in(text.text)))


@lru_cache(maxsize=512)
def hours_and_ordinals(text: str) -> list[tuple[int, int, int, str, bool]]:
    """Hours (H) and "the third business day after": place, count, unit, and whether it counts business days."""
    found = []
    for nth in _NTH.finditer(text):
        written, unit = (nth["nth"] or nth["hours"]).lower(), (nth["unit"] or "hour")[0].upper()
        digits = re.match(r"\d+", written)
        count = int(digits[0]) if digits else parse_words(written)
        found += [(*nth.span(), count, unit, bool(nth["business"]))] if count else []
    return found


@lru_cache(maxsize=512)
def steps_in(text: str) -> list[Step]:
    """Periods of a text with the direction in which they count, also several of a kind together, and ages."""
    facts, numbers = read_facts(text), read_facts(text).numbers
    periods = [(d.start, d.end, d.count, d.unit, d.business_days) for d in facts.durations] + hours_and_ordinals(text)
    periods += [(a, b, *_UNITS[often], False) for a, b, often in facts.frequencies if text[a] in "aA" and often in _UNITS]
    found = [Step(int(n[2]), "Y", is_sure=True) for n in numbers if "AGE" in cues_of(text) and 10 <= n[2] <= 120]
    for start, end, count, unit, is_business in periods:
        first = max(text.rfind(". ", 0, start), text.rfind("\n", 0, start)) + 1
        last = min(text.find(stop, end) % 99_999 for stop in (". ", "\n"))
        clause, after = cues_of(text[first:last]), cues_of(text[end : end + 24])
        before = " ".join(text[max(start - 16, 0) : start].lower().split()[-2:])
        is_back = "BACK" in after or (before.endswith(("back", "minus", "less")) and before != "not less")
        times = [int(n[2]) for n in numbers if 2 <= n[2] <= 10 and first <= n[0] < last and "RECUR" in clause]
        for n, sign in product((1, *times), (-1,) if is_back else (1,) if "AHEAD" in after else (1, -1)):
            size = sign * n * (count // 24 if unit == "H" else count)
            found.append(Step(size, unit.replace("H", "D"), is_business, is_back or "AHEAD" in after, clause))
    return [step for step in found if 0 < abs(step.days) < (600 if step.is_business else 80_000)][: 2 * MOST]


def combine(
    kind: str, size: float, limits: tuple[float, float, bool], known: list[Found], figure: Operands, *, is_double: bool
) -> str | None:
    """How a value between two limits comes of sums, differences, products, quotients and percentages of values."""
    low, high, is_about = limits
    groups = [*figure.groups(kind, size), *([[100.0]] if kind == "share" else ())]
    amounts = list(dict.fromkeys(value for group in groups for value in group[:MOST]))[: 2 * MOST]
    rates = [value for value in figure.values("share", size if kind == "share" else -1.0) if value < 1000]
    factors, (times, years) = _factors(kind, size, figure), _times(kind, figure)
    sums, products = list[Found](), list[Found]()
    for group in groups:
        places = combinations(range(len(group) + 1), 2) if len(group) <= MOST else [(0, len(group))]
        spans = (group[i:j] for i, j in places if j > i + 1)
        sums += ((sum(span), "sum from {:,.10g} to {:,.10g}", span[0], span[-1]) for span in spans)
    for a, b in combinations(amounts, 2):
        sums += [(abs(b - a), "{:,.10g} less {:,.10g}", max(a, b), min(a, b)), (a + b, "{:,.10g} plus {:,.10g}", a, b)]
    for a, n in product((a for a in amounts if kind != "share" or a != 100), factors):
        products += [(a * n, "{:,.10g} × {:g}", a, n), (a / n, "{:,.10g} ÷ {:g}", a, n)]
    pairs = [(a, r / 100) for a, r in product(amounts, rates) if kind != "share" or a != r]
    rated = [one for a, rate in pairs for one in _rated(a, rate, times, years)]
    same: list[Found] = [(a, "{:,.10g}, rounded", a, a) for a in amounts]
    if exact := next((one for one in (*known, *same, *sums, *products, *rated) if low <= one[0] <= high), None):
        return exact[1].format(*exact[2:])
    if is_about or not is_double or len(amounts) > _MOST_DOUBLE:
        return None
    back = [(1.0, sign * a, f", {word} {a:,.10g}", "spr") for a in amounts for sign, word in ((1, "less"), (-1, "plus"))]
    back += [one for n in factors for one in ((1 / n, 0.0, f", × {n:g}", "sr"), (n, 0.0, f", ÷ {n:g}", "sr"))]
    back += [(100 / n, 0.0, f", × {n:g} %", "sp") for r in rates for n in (r, 100 + r, 100 - r) if n > 0]
    return _second(low, high, back, {"s": sorted(sums), "p": sorted(products), "r": sorted(rated)})


def _second(low: float, high: float, back: list[tuple[float, float, str, str]], first: dict[str, list[Found]]) -> str | None:
    """How one of the first steps' values comes between the limits by a second step, which `back` undoes: scale, then add."""
    for scale, add, how, name in ((scale, add, how, name) for scale, add, how, names in back for name in names):
        for value, text, a, b in islice(first[name], bisect_left(first[name], (low * scale + add,)), None):
            if value > high * scale + add:
                break
            if abs(add) not in (a, b):
                return text.format(a, b) + how
    return None


def _rated(amount: float, rate: float, times: list[float], years: list[float]) -> Iterator[Found]:
    """A percentage of an amount, the amount with it, also compounded, and simple interest for parts of a year."""
    yield amount * rate, "{:,.10g} × {:.6g}", amount, rate
    for n in times:
        yield amount * (1 + rate) ** n, f"{{:,.10g}} plus {rate:.4%} × {{:g}}", amount, n
        if rate < 1:
            yield amount * (1 - rate) ** n, f"{{:,.10g}} less {rate:.4%} × {{:g}}", amount, n
    yield from ((amount * rate * n, f"interest of {rate:.4%} on {{:,.10g}} for {{:g}} years", amount, n) for n in years)


def _times(kind: str, figure: Operands) -> tuple[list[float], list[float]]:
    """How often a percentage is added, by the numbers of the sentence or else of the texts; how many years interest runs."""
    numbers = [float(n[2]) for n in figure.texts[0].numbers] or figure.values("number")
    counts = {n for n in (*numbers, *(m // 12 for m in figure.values("months"))) if 2 <= n <= 30}
    is_compound = "COMPOUND" in (figure.cues if kind == "money" else figure.own)
    times = {1.0, *counts, *(n - 1 for n in counts)} if counts and is_compound else range(1, 11 if is_compound else 2)
    return list(map(float, times)), _years(figure) if kind == "money" and "interest" in figure.cues else []


def _years(figure: Operands) -> list[float]:
    """Parts of a year: periods, and the days between dates, of 365, 360 or 366."""
    days = [*figure.values("days"), *(float((b - a).days) for a, b in figure.spans())]
    return [n / year for n, year in product(days, (365, 360, 366)) if n] + [months / 12 for months in figure.values("months")]


def _factors(kind: str, size: float, figure: Operands) -> list[float]:
    """What amounts are multiplied by or divided by: numbers, payments in a year or a period, doubles and halves, pro rata."""
    numbers = figure.values("number", size if kind == "number" else -1.0)
    found = [*numbers, *(_TIMES[word] for word in _TIMES.keys() & figure.own)]
    if kind != "months":
        own = [MONTHS_OF[f[2]] for f in figure.texts[0].frequencies if f[2] in MONTHS_OF] + figure.values("months")
        others = [MONTHS_OF[f[2]] for text in figure.texts for f in text.frequencies if f[2] in MONTHS_OF]
        found += [max(a, b) / min(a, b) for a, b in product(own, others)]
    if "RATA" in figure.cues:
        found += [1 / years for years in _years(figure)] + [a / b for a, b in product(numbers[:6], numbers[:6])]
    return [n for n in dict.fromkeys(found) if n > 1][: 2 * MOST]


def shares_of(figure: Operands) -> list[Found]:
    """What one amount, or a number beside another, is of the other, and by how much they differ, in percent."""
    pairs = list(combinations(sorted(figure.values("money")), 2))
    pairs += [(min(pair), max(pair)) for group in figure.groups("number") for pair in pairwise(group)]
    found = [(100 * a / b, "{:,.10g} of {:,.10g}", a, b) for a, b in pairs]
    return found + [(100 * (b - a) / c, "difference of {:,.10g} and {:,.10g}", a, b) for a, b in pairs for c in (a, b)]


def span_of(said: Said) -> tuple[int, int]:
    return said[:2] if isinstance(said, tuple) else (said.start, said.end)


def measure(said: Amount) -> tuple[str, float]:
    """Kind and size: periods in months or in days."""
    if isinstance(said, Duration):
        return "months" if said.unit in "MY" else "days", said.count * SIZE[said.unit]
    if isinstance(said, Money):
        return "money", float(said.amount)
    return "share" if isinstance(said, Share) else "number", float(said[2])
