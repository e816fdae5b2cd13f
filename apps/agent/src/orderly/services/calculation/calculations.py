"""The arithmetic of an answer: how a figure follows from others in at most two steps, and calculations that come out otherwise.

The kinds of the figures and cue words of the texts decide which steps are tried.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from itertools import islice, product

from orderly.services.calculation.arithmetic import (
    MONTHS_OF,
    MOST,
    SIZE,
    Amount,
    Found,
    Operands,
    Said,
    columns_of,
    combine,
    cues_of,
    hours_and_ordinals,
    measure,
    paragraphs,
    shares_of,
    span_of,
    steps_in,
)
from orderly.services.calculation.business_days import (
    DAYS,
    Step,
    add_period,
    calendars_in,
    is_business_day,
    landings,
    months_between,
    show,
)
from orderly.services.support import Facts, Share, read_facts, stem
from orderly.services.values import ORDINAL_WORDS, DateValue, Duration, Money, parse_words
from orderly.services.words import ANY_MONTH, MONTHS

_MOST_PARTS = 5
"""Paragraphs of the evidence."""
_SCALES = (1, 1_000, 1_000_000, 1_000_000_000)
_SIGNS = {"plus": 1, "+": 1, "less": -1, "minus": -1, "-": -1, "−": -1}
_NEGATIVE = re.compile(r"[(−-]\s*[£$€A-Z]{0,3}\s*\d")
_WEEKDAY = re.compile(r"\b(Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*\.?,?\s+(?:the\s+)?\Z")
_ITEM = re.compile(r"(?:\A|\s)\(?(?:[a-z]|[ivx]{1,4}|\d{1,2})[).]\s")
_THINGS = re.compile(r"\s+(?:of\s+(?:the|its|their|these|those)\s+)?((?:[\w’'-]+\s+){0,2}?[a-z’'-]{2,}(?:s|en))\b")
_F = "[\ue000-\uf8ff]"
"""A figure, in a sentence whose figures are one character each."""
_FORM = re.compile(
    rf"(?P<a>{_F}(?:(?:,|,? and) {_F})*)(?:[ a-z]{{0,30}}?\s*(?P<op>plus|less|minus|[-+−×x*]|times|of|before|prior to"
    rf"|after|from)\s+(?:the\s+)?(?P<b>{_F}))?(?P<gap>[^{_F[1:-1]}.;|]{{0,60}}?)(?:(?P<verb>\b(?:is|are|equals?|makes?|gives?"
    r"|comes? to|amounts? to|totals?|totalling|would be|(?:end|fall|expire)s? on)|=)\s+(?:a total of\s+)?"
    rf"(?P<c>{_F})|(?P<d>{_F})\s+(?:in all|in total|altogether)\b)"
)
_OTHERS = frozenset(["and", "but", "or", "is", "are", "which", "if", "while", "unless"])
"""Words between a calculation and its result that begin something else."""


@dataclass(frozen=True, slots=True)
class Calculated:
    """A figure, `text[start:end]`. Where it is wrong, `value` is the right one in the figure's own form: "£10,609.00"."""

    start: int
    end: int
    right: bool
    """True: the figure follows in at most two steps. False: the sentence's own calculation comes out otherwise."""
    value: str = ""
    how: str = ""
    """For example "24 June 2027 less 6 months"."""


def follows(said: Said, sentence: Facts, near: Facts, evidence: Facts, question: Facts) -> str | None:
    """How a figure of `sentence` follows from others in at most two steps; None if it does not.

    `near`: its block, a table as Markdown. `evidence`: the cited provisions, a paragraph each. Two steps take figures of the
    answer, the question and one paragraph, one step those of all. Amounts are compared as precisely as they are written.
    """
    whole = Operands(said, sentence, near, question, evidence)
    if isinstance(said, DateValue):
        years = [said.year] if said.year else sorted({day.year for day in whole.days()}) if said.month else []
        return next((how for year in years if (how := _as_date(replace(said, year=year), year, whole))), None)
    if not isinstance(said, Duration | Money | Share) and (how := _as_number(float(said[2]), whole)):
        return how
    parts = [part for part in paragraphs(evidence) if not part.is_empty][:_MOST_PARTS]
    figures = [Operands(said, sentence, near, question, part) for part in parts if len(parts) > 1]
    ways = (_derived(said, figure, is_double=figure is not whole or not figures) for figure in (*figures, whole))
    return next((how for how in ways if how), None)


def _derived(said: Amount, figure: Operands, *, is_double: bool) -> str | None:
    kind, size = measure(said)
    if isinstance(said, Duration):
        limits = figure.bounds(size, 0.1, 1e-6)
        return combine(kind, size, limits, _periods(said, limits[2], figure), figure, is_double=is_double)
    if kind == "number" and size <= MOST:
        return None
    known = shares_of(figure) if kind == "share" else []
    return combine(kind, size, figure.bounds(size, 0.02), known, figure, is_double=is_double)


def _periods(said: Duration, is_about: bool, figure: Operands) -> list[Found]:
    """Other units, instalments, hours, and months or days from date to date, with the last day where the words include it."""
    is_long, known = said.unit in "MY", list[float]()
    is_odd = re.search(r"years?(?:,| and)\s+\Z", figure.text[: said.start]) is not None
    for text in figure.texts:
        is_own = text is figure.texts[0]
        for d in text.durations:
            if (d.unit in "MY") is not is_long and (is_about or is_own):
                known.append(round(d.count * DAYS[d.unit] / (30.44 if is_long else 1), 0 if is_own else 9))
            elif (d.unit in "MY") is is_long and d.business_days is said.business_days:
                is_other = text is figure.evidence or (d.count, d.unit) != (said.count, said.unit)
                known += [d.count * SIZE[d.unit]] if is_other else []
        often = [MONTHS_OF[f[2]] for f in text.frequencies if f[2] in MONTHS_OF and is_long]
        known += [float(n[2]) * months for n, months in product(text.numbers, often)]
        known += [count / 24 for _, _, count, unit, _ in hours_and_ordinals(text.text) if unit == "H"]
    for first, last in figure.spans():
        for end in (last, add_period(last, 1, "D")) if is_long or figure.cues & {"INCLUSIVE", "END"} else (last,):
            months, days = months_between(first, end), (end - first).days
            known += [months, months // 12 * 12, *((months % 12,) if is_odd else ())] if is_long else [days, days // 7 * 7]
            if said.business_days:
                spanned = [add_period(first, n, "D") for n in range(1, min(days, 99) + 1)]
                known += [sum(is_business_day(day, name) for day in spanned) for name in figure.places]
    return [(value, "in other units, or from date to date", 0.0, 0.0) for value in known]


def _as_number(size: float, figure: Operands) -> str | None:
    """An age, a year, or a count of what the texts list or of things of which they state no other number."""
    sentence, evidence = figure.texts[0], figure.evidence
    for first, last in figure.spans():
        if months_between(first, last) // 12 == size:
            return f"years from {show(first)} to {show(last)}"
    months = (0.0, *figure.values("months"))
    if size in {day.year + sign * m // 12 for day, m, sign in product(figure.days(), months, (1, -1))}:
        return "a year from a date"
    starts = ([d.start for d in sentence.dates], [m.start for m in sentence.money], [p.start for p in sentence.percents])
    listed = {n for places in starts if (n := sum(start > figure.end for start in places)) > 1}
    items = len(_ITEM.findall(evidence.text))
    lists = (facts for text in (figure.near, evidence) for facts in (text.dates, text.money, text.percents, text.durations))
    if size > 1 and size in (listed or {items, figure.near.text.count("\n|") - 1, *map(len, lists)}):
        return f"count of {size:g}"
    things, written = _THINGS.match(figure.text, figure.end), figure.text[figure.start : figure.end]
    if re.fullmatch(ORDINAL_WORDS, written, re.IGNORECASE):
        return "place in a series" if size <= 3 or Decimal(size) in evidence.values else None
    if figure.text.startswith(" or more", figure.end) and Decimal(size) - 1 in evidence.values:
        return f"more than {size - 1:g}"
    if listed or things is None or not 2 <= size <= (items or MOST) or parse_words(written) is None:
        return None
    said = {stem(word) for word in things[1].split() if len(word) > 3}
    known = {stem(word) for n in evidence.numbers for word in evidence.text[n[1] : n[1] + 60].split()[:3]}
    return None if said & known else "counted by the sentence itself"


def _as_date(said: DateValue, year: int, figure: Operands) -> str | None:
    """A day that periods and cues make of another: at most two periods, or one period from an end of a month and the like."""
    target, places, own = date(year, said.month or 7, said.day or 15), figure.places, figure.own
    slack = 12 + (0 if said.day else 20 if said.month else 200) + (95 if "EDGE" in figure.cues else 0)
    days, steps = [(day, show(day)) for day in figure.days(said)], figure.steps()

    def is_said(day: date) -> bool:
        return day.year == year and said.month in (None, day.month) and said.day in (None, day.day)

    def ends(start: date, how: str, step: Step, rest: float = 0.0) -> Iterator[tuple[date, str]]:
        if abs((target - start).days - step.days - rest) <= slack:
            yield from ((end, how + rule) for end, rule in step.ends(start, own, places))

    def ways() -> Iterator[tuple[date, str]]:
        yield from ((end, how + rule) for day, how in days for end, rule in landings(day, figure.cues, places))
        for (day, how), step in product(days, steps):
            moved = landings(day, step.cues | own, places) if step.cues & {"EDGE", "NEIGHBOUR"} else ()
            yield from (late for end, rule in ((day, ""), *moved) for late in ends(end, how + rule, step))
        sure = [step for step in steps if step.is_sure]
        listed = [(step.count, step.unit) for step in steps_in(figure.evidence.text)]
        for (day, how), one, two in product(days, sure, sure):
            if abs(one.days) != abs(two.days) or (one.count == two.count and listed.count((one.count, one.unit)) > 1):
                yield from (late for end, rule in islice(ends(day, how, one, two.days), 2) for late in ends(end, rule, two))
        sizes = {MONTHS_OF.get(f[2], 0.0) for text in figure.texts for f in text.frequencies} if "RECUR" in own else set()
        for (day, how), size in product(days, sizes):
            months = (target.year - day.year) * 12 + target.month - day.month
            if size >= 1 and months > 0 and not months % size:
                yield add_period(day, months, "M"), f"{how} plus {months} months"

    return next((how for end, how in ways() if is_said(end)), None)


def wrong_calculations(sentence: str, block: str) -> list[Calculated]:
    """Calculations that a sentence, or a row of a Markdown table `block`, makes itself and that come out otherwise.

    What a clause alone makes right ("14 clear days") is found too: ask `follows` with the clause before telling a date.
    """
    facts, near, nothing = read_facts(sentence), read_facts(block), read_facts("")
    found: list[Calculated] = []
    for start, end, day in ((d.start, d.end, d.date) for d in facts.dates if d.date):
        weekday, right = _WEEKDAY.search(sentence, max(start - 16, 0), start), f"{day:%A}"
        if weekday and not right.startswith(weekday[1]):
            value = f"{right} {sentence[start:end]}"
            found.append(Calculated(weekday.start(), end, False, value, f"{show(day)} is a {right}"))
    for said, result, how in (*_totals(facts, block), *_results(facts)):
        if follows(said, facts, near, nothing, nothing) is None:
            start, end = span_of(said)
            found.append(Calculated(start, end, False, _written_as(said, sentence[start:end], result), how))
    return found


def _totals(facts: Facts, table: str) -> Iterator[tuple[Said, float | date, str]]:
    """The figures of a row of totals, with the sums of their columns."""
    columns = columns_of(facts.text, table) if "|" in table else []
    if "total" in cues_of(next((above for above, cell in columns if "total" in cues_of(cell)), "total")):
        return
    figures: list[Amount] = [*facts.money, *facts.percents, *facts.numbers]
    for said, (above, cell) in product(figures, columns):
        if facts.text[slice(*span_of(said))].strip() == cell.strip(" *_") and not _NEGATIVE.search(above):
            kind, size = measure(said)
            figure = Operands(said, facts, *[read_facts(above)] * 3)
            values = [value for group in figure.groups(kind)[-1:] for value in group]
            slack = len(values) * (figure.bounds(size, 0.02)[1] - size)
            if len(values) > 1 and abs(sum(values) - size) > slack and (kind != "share" or 100 in (size, sum(values))):
                yield said, sum(values), f"sum of {len(values)} figures"


def _results(facts: Facts) -> Iterator[tuple[Said, float | date, str]]:
    """What the sentence says that an operation on its own figures gives, with what it gives."""
    figures: list[Said] = sorted((*facts.dates, *facts.durations, *facts.money, *facts.percents, *facts.numbers), key=span_of)
    text = re.sub(_F, " ", facts.text)
    for number in reversed(range(len(figures))):
        start, end = span_of(figures[number])
        text = f"{text[:start]}{chr(0xE000 + number)}{text[end:]}"
    for form in _FORM.finditer(text):
        one, two, said = ([figures[ord(c) - 0xE000] for c in re.findall(_F, form[name] or "")] for name in ("a", "b", "c"))
        said = said or [figures[ord(form["d"]) - 0xE000]]
        is_back = "back" in text[max(form.start() - 14, 0) : form.end("op")]
        result = None if cues_of(form["gap"]) & _OTHERS else _outcome(one, two, form, is_back, facts.text)
        if result is not None and isinstance(said[0], DateValue if isinstance(result[0], date) else Money):
            how = f" {form['op'] or 'and'} ".join(facts.text[slice(*span_of(figure))].strip() for figure in (*one, *two))
            yield said[0], result[0], result[1] or how


def _outcome(
    one: list[Said], two: list[Said], form: re.Match[str], is_back: bool, text: str
) -> tuple[float | date, str] | None:
    """What an operation gives for the kinds of figures that it takes, and how a date comes about."""
    op = form["op"] or ""
    match one, two:
        case [Money(), _, *_], [] if form["d"] or (form["verb"] or "=")[0] in "aceg=mt":
            return sum(float(money.amount) for money in one if isinstance(money, Money)), ""
        case [Money() as a], [Share() as b] if op in _SIGNS:
            return float(a.amount) * (1 + _SIGNS[op] * float(b.percent) / 100), ""
        case [Share() as a], [Money() as b] if op == "of":
            return float(a.percent * b.amount) / 100, ""
        case [Money() as a], [Money() as b] if op in _SIGNS:
            return float(a.amount + _SIGNS[op] * b.amount), ""
        case [(_, _, Decimal() as a, _)], [Money() as b] if op in ("times", "x", "×", "*", "of"):
            return float(a * b.amount), ""
        case ([Duration() as a], [DateValue() as b]) | ([DateValue() as b], [Duration() as a]) if b.date and a.count < 999:
            is_back = is_back or op in ("before", "prior to") or _SIGNS.get(op) == -1
            step = Step(-a.count if is_back else a.count, a.unit, a.business_days)
            day, how = next(step.ends(b.date, cues_of(text), calendars_in(text)))
            return day, f"{show(b.date)}{how}"
    return None


def _written_as(said: Said, text: str, right: float | date) -> str:
    """A value in the form of the figure in whose place it belongs."""
    if isinstance(right, date):
        if not re.search(ANY_MONTH, text):
            return right.isoformat() if "-" in text else show(right)
        text = re.sub(r"\d{4}", str(right.year), re.sub(ANY_MONTH, MONTHS[right.month - 1], text))
        return re.sub(r"\b\d{1,2}(?:st|nd|rd|th)?\b", str(right.day), text, count=1)
    written = re.search(r"\d[\d,]*(?:\.(\d+))?(?![\d,])", text)
    number = float(written[0].replace(",", "")) if written else 0.0
    scale = round(float(said.amount) / number) if number and isinstance(said, Money) else 1
    if written is None or scale not in _SCALES:
        return f"{right:,.2f}"
    places = len(written[1] or "") or (0 if abs(right / scale % 1) < 1e-6 else 2)
    return f"{text[: written.start()]}{right / scale:,.{places}f}{text[written.end() :]}"
