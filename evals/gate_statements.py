"""Statements about a document with the quotation that supports them: true ones, and ones with one thing altered."""

from __future__ import annotations

import calendar
import random
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from orderly.services.citations.gate import Verified, decide
from orderly.services.text import RevisionView

NUMBER_WORDS = {
    "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10, "twelve": 12, "fifteen": 15, "eighteen": 18,
    "twenty": 20, "thirty": 30, "forty-five": 45, "sixty": 60, "ninety": 90,
}  # fmt: skip
WORD_OF = {value: word for word, value in NUMBER_WORDS.items()}
MONTHS = list(calendar.month_name)[1:]
_DURATION = re.compile(
    rf"\b(?:(?P<word>{'|'.join(NUMBER_WORDS)})\s*(?:\((?P<again>\d+)\))?|(?P<digits>\d{{1,3}}))[\s-]+(?P<rest>(?:calendar |business |consecutive )?)(?P<unit>days?|months?|years?|weeks?)\b",
    re.IGNORECASE,
)
_MONEY = re.compile(r"(?:US|A)?\$\s?(?P<amount>\d[\d,]*(?:\.\d+)?)(?P<scale>\s(?:million|thousand))?")
_PERCENT = re.compile(r"(?P<amount>\d+(?:\.\d+)?)\s?%")
_DATE = re.compile(rf"\b(?P<month>{'|'.join(MONTHS)})\s+(?P<day>\d{{1,2}}),?\s+(?P<year>(?:19|20)\d\d)\b")
_DATE_2 = re.compile(rf"\b(?P<day>\d{{1,2}})(?:st|nd|rd|th)?\s+(?P<month>{'|'.join(MONTHS)})\s+(?P<year>(?:19|20)\d\d)\b")
_NEGATIVE = re.compile(r"\b(?:not|no|nor|neither|none|nothing|never|without|unless|except|cannot)\b", re.IGNORECASE)
_FOOT = re.compile(r"\bPage \d+ [A-Z]")
NAME = re.compile(r"(?<=[a-z,] )(?:[A-Z][a-z]{3,})(?: [A-Z][a-z]{2,})?")


@dataclass(frozen=True, slots=True)
class Statement:
    kind: str
    view: RevisionView
    answer: str
    altered: bool


def plain(sentence: str, r: random.Random) -> str:
    """The sentence in the words of a person who reports it."""
    text = re.sub(r"^\W*(?:\(?[a-z0-9]{1,4}[.)]\s*)+(?:\d[\d.]*\s*)?", "", sentence)
    text = text.replace('"', "").replace("“", "").replace("”", "").rstrip(" .;:,")
    for pattern, options in (
        (r"\bshall not\b", ("must not", "shall not", "may not", "cannot")), (r"\bshall\b", ("must", "shall", "has to", "is required to")),
        (r"\bnot less than\b", ("at least", "not less than")), (r"\bnot more than\b", ("at most", "no more than")),
        (r"\bprior to\b", ("before", "prior to")), (r"\bin the event that\b", ("if",)), (r"\bper annum\b", ("a year", "per year", "per annum")),
        (r"\bpursuant to\b", ("under",)), (r"\bterminate\b", ("end", "terminate")), (r"\bcommence\b", ("begin", "commence")), (r"\bupon\b", ("on", "upon")),
        (r"\bis entitled to\b", ("may", "is entitled to")), (r"\bhereunder\b", ("under it",)), (r"\bthis Agreement\b", ("the agreement", "this Agreement")),
    ):  # fmt: skip
        if "shall" in pattern and re.search(rf"{pattern[:-2]}\s+be\b|{pattern[:-2]}\s+have\b", text):
            fitting = tuple(o for o in options if "required" not in o and o != "has to")
        else:
            fitting = options
        text = re.sub(pattern, lambda m, o=fitting: r.choice(o), text)
    return _DURATION.sub(lambda m: _other_form(m, r), text)


def _other_form(match: re.Match[str], r: random.Random) -> str:
    value = int(match["digits"]) if match["digits"] else NUMBER_WORDS[match["word"].lower()]
    if match["again"] and int(match["again"]) != value:
        return match[0]
    word = WORD_OF.get(value, str(value))
    joint = "-" if match[0][match.start("unit") - match.start() - 1] == "-" else " "
    return (
        r.choice([str(value), word, f"{word} ({value})"] if joint == " " else [str(value), word])
        + joint
        + match["rest"]
        + match["unit"]
    )


def framed(statement: str, quote: str, name: str, r: random.Random) -> str:
    """An answer that makes a statement and quotes for it."""
    first = statement[0].upper() + statement[1:]
    inner = quote.replace("“", '"').replace("”", '"')
    form = r.randrange(6)
    if form == 0:
        return f"{first}: “{inner}” [{name}]."
    if form == 1:
        return f"{first}. The document says: “{inner}” [{name}]."
    if form == 2:
        return f"{first}.\n\n> {inner}\n\n[{name}]\n"
    if form == 3:
        return f"- {first} (“{inner}” [{name}]).\n"
    if form == 4:
        return f"The clause reads: “{inner}” [{name}]. In other words, {statement}."
    return f"**Answer.** {first}.\n\nEvidence: “{inner}” [{name}]"


# ---------------------------------------------------------------- short statements of one value


def _value_statement(sentence: str, r: random.Random) -> str | None:
    options = []
    for match in _DURATION.finditer(sentence):
        options.append(f"the period is {_other_form(match, r)}")
    for match in _MONEY.finditer(sentence):
        options.append(f"the amount is {match[0]}")
    for match in _PERCENT.finditer(sentence):
        rate = match["amount"]
        options.append(r.choice([f"the rate is {rate}%", f"the rate is {rate} per cent", f"it is {rate} percent"]))
    for match in [*_DATE.finditer(sentence), *_DATE_2.finditer(sentence)]:
        day, month, year = int(match["day"]), match["month"], match["year"]
        options.append(r.choice([f"the date is {day} {month} {year}", f"it is dated {month} {day}, {year}"]))
    return r.choice(options) if options else None


# ---------------------------------------------------------------- alterations of one thing


def _number(match: re.Match[str], group: str, r: random.Random) -> str:
    raw = match[group]
    value = float(raw.replace(",", ""))
    new = r.choice(
        [v for v in (value * 2, value + 1, value + 10, max(value - 1, 1), value * 10, round(value / 2) or 3) if v != value]
    )
    text = f"{int(new):,}" if "," in raw else (f"{new:g}" if "." in raw else str(int(new)))
    return text


def alter_duration(text: str, r: random.Random) -> str | None:
    found = list(_DURATION.finditer(text))
    if not found:
        return None
    match = r.choice(found)
    value = int(match["digits"]) if match["digits"] else NUMBER_WORDS[match["word"].lower()]
    if r.random() < 0.3:
        unit = r.choice([u for u in ("day", "month", "year", "week") if not match["unit"].lower().startswith(u)])
        new = match[0][: match.start("unit") - match.start()] + unit + ("s" if match["unit"].endswith("s") else "")
    else:
        other = r.choice([v for v in WORD_OF if v != value])
        new = f"{r.choice([str(other), WORD_OF[other]])}{match[0][match.start('unit') - match.start() - 1]}{match['rest']}{match['unit']}"
    return text[: match.start()] + new + text[match.end() :]


def _alter(pattern: re.Pattern[str], group: str) -> Callable[[str, random.Random], str | None]:
    def alter(text: str, r: random.Random) -> str | None:
        found = list(pattern.finditer(text))
        if not found:
            return None
        match = r.choice(found)
        new = _number(match, group, r)
        return None if new == match[group] else text[: match.start(group)] + new + text[match.end(group) :]

    return alter


def alter_date(text: str, r: random.Random) -> str | None:
    found = [*_DATE.finditer(text), *_DATE_2.finditer(text)]
    if not found:
        return None
    match = r.choice(found)
    group = r.choice(["day", "month", "year"])
    if group == "month":
        new = r.choice([m for m in MONTHS if m != match["month"]])
    elif group == "day":
        new = str(r.choice([d for d in range(1, 28) if d != int(match["day"])]))
    else:
        new = str(int(match["year"]) + r.choice([-2, -1, 1, 2, 10]))
    return text[: match.start(group)] + new + text[match.end(group) :]


def alter_negation(text: str, r: random.Random) -> str | None:
    if match := re.search(r"\b(?:shall|must|may|will|does|do|is|are|can)(?P<not> not)\b|\bcan(?P<nn>not)\b", text):
        group = "not" if match["not"] else "nn"
        return text[: match.start(group)] + text[match.end(group) :]
    found = list(re.finditer(r"\b(?:shall|must|may|will)\b(?! not)", text))
    return None if not found else text[: (m := r.choice(found)).end()] + " not" + text[m.end() :]


def alter_modality(text: str, r: random.Random) -> str | None:
    found = list(re.finditer(r"\b(?:shall|must|may|has to|is required to)\b(?! not)", text))
    if not found or re.search(r"\b(?:[Nn]either|[Nn]one|[Nn]othing|[Nn]o|[Nn]or)\b", text):
        return None  # "neither may" and "neither shall" say the same
    match = r.choice(found)
    return text[: match.start()] + ("must" if match[0] == "may" else "may") + text[match.end() :]


def _swap(*pairs: tuple[str, str]) -> Callable[[str, random.Random], str | None]:
    """Replaces a word by the one that excludes it."""
    other = {a: b for pair in pairs for a, b in (pair, pair[::-1])}
    pattern = re.compile(rf"(?<!\bthe )\b(?:{'|'.join(map(re.escape, sorted(other, key=len, reverse=True)))})\b")

    def alter(text: str, r: random.Random) -> str | None:
        found = list(pattern.finditer(text))
        if not found:
            return None
        match = r.choice(found)
        return text[: match.start()] + other[match[0]] + text[match.end() :]

    return alter


def alter_joint(text: str, r: random.Random) -> str | None:
    """Puts "and" for "or", but beside a negation, where both may say the same."""
    return None if _NEGATIVE.search(text) else _swap(("and", "or"))(text, r)


def name_alteration(names: Sequence[str]) -> Callable[[str, random.Random], str | None]:
    def alter(text: str, r: random.Random) -> str | None:
        found = [m for m in NAME.finditer(text) if m[0] in names and m[0] not in PLAIN_NAMES]
        others = [name for name in names if name not in text and name not in PLAIN_NAMES]
        if not found or not others:
            return None
        match = r.choice(found)
        return text[: match.start()] + r.choice(others) + text[match.end() :]

    return alter


ALTERATIONS: dict[str, Callable[[str, random.Random], str | None]] = {
    "duration": alter_duration, "money": _alter(_MONEY, "amount"), "percentage": _alter(_PERCENT, "amount"), "date": alter_date,
    "negation": alter_negation, "modality": alter_modality, "joint": alter_joint,
    "order": _swap(("before", "after"), ("prior to", "following")), "choice": _swap(("earlier", "later"), ("lower", "higher")),
    "bound": _swap(("at least", "at most"), ("more than", "less than"), ("minimum", "maximum")), "parties": _swap(("either", "neither"), ("Either", "Neither")),
    "opposite": _swap(("exclusive", "non-exclusive"), ("including", "excluding"), ("includes", "excludes"), ("increase", "decrease"), ("first", "last")),
}  # fmt: skip
PLAIN_NAMES = frozenset(
    ["Agreement", "Party", "Parties", "Section", "Article", "Schedule", "Exhibit", "Clause", "Term", "Contract", "Page", "Date"]
)
FIGURES = ("duration", "money", "percentage", "date")


def statements(
    views: Sequence[RevisionView], each: int, r: random.Random, sentences: Callable[[str], list[str]]
) -> Iterator[Statement]:
    """Yields, for every kind, `each` true statements and `each` altered ones."""
    pool = [
        (view, s)
        for view in views
        for s in sentences(view.text)
        if len(s) < 420 and s.count("(") < 4 and "___" not in s and not _FOOT.search(s)
    ]
    names = {view.name: [n for n, c in _count(NAME.findall(view.text)).items() if c > 4] for view in views}
    for kind in (*ALTERATIONS, "name"):
        made = 0
        for view, sentence in r.sample(pool, len(pool)):
            alter = name_alteration(names[view.name]) if kind == "name" else ALTERATIONS[kind]
            said = plain(sentence, r)
            if kind in FIGURES and r.random() < 0.4:
                said = _value_statement(sentence, r) or said
            wrong = alter(said, r)
            if wrong is None or wrong == said or not isinstance(decide(sentence, view), Verified):
                continue
            yield Statement(kind, view, framed(said, sentence, view.name, r), altered=False)
            yield Statement(kind, view, framed(wrong, sentence, view.name, r), altered=True)
            made += 1
            if made == each:
                break


def _count(names: list[str]) -> dict[str, int]:
    found: dict[str, int] = {}
    for name in names:
        found[name] = found.get(name, 0) + 1
    return found
