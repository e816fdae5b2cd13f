"""Proposes a column from a question in plain language."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import cache

from orderly.services.columns.column_sets import ReadyColumn, column_sets
from orderly.services.engines.local import stems

LONGEST_TITLE = 60
"""Characters."""
ALIKE = 0.75
"""Share of the stems of two questions that they have in common, from which a ready-made column is proposed."""
SURE = 0.3
"""Weight of a subject from which the ready-made column about it is proposed."""
OTHER_TYPE = 0.8
"""Factor of the weight where the column's type is not the one that the form of the question suggests."""
_VERB = r"(?:is|are|was|were|does|do|did|can|could|may|must|shall|should|will|would|has|have|had)"
_CHOICE = re.compile(rf"^{_VERB}\b.*?(?<![\w-])(?P<one>[\w-]++(?: [\w-]++)?) or (?P<other>[\w-]+(?: [\w-]+)?)\?*$", re.I)
_LISTED = re.compile(r"(?:(?<!\S)[\w-]++(?>(?: [\w-]++)*), )+\Z")
"""What stands before the last but one of several choices: "exclusive, sole or non-exclusive"."""
_A_THING = r"(?:what|which) (?:is|are)?\s*(?:the )?(?:\w+ ){0,3}"
_TYPES = (
    ("parties", r"who (?:are|is) the (?:contracting )?part(?:y|ies)|between (?:whom|which parties)"),
    ("jurisdiction", r"(?:which|what) (?:state['’]s |country['’]s )?(?:laws?|jurisdiction)\b|govern\w* law|law govern"),
    ("duration", r"how (?:long|much (?:notice|time|leave)|many (?:days|weeks|months|years))"),
    ("duration", rf"{_A_THING}(?:period|notice|duration|length)\b"),
    ("money", rf"how much|{_A_THING}(?:rent|price|fees?|salary|amount|cost|bond|deposit|cap|commission|limit)\b"),
    ("date", rf"^when\b|{_A_THING}date\b|by (?:what|which) (?:day|date)"),
    ("number", r"^how many\b|what percentage|what (?:is the )?number"),
)
_VALUES = frozenset({"money", "number", "duration", "date"})
_ASKS = re.compile(
    rf"^(?:(?:what|which|who) (?:is|are|was|were) |how much (?:is|are) |(?:is|are) there "
    rf"|(?:what|which) (?!(?:.* )?(?:{_VERB}|happens|would)\b))",
    re.I,
)
"""Words that only ask. "What can the shop be used for" says nothing without its first word."""
_EXISTS = re.compile(r"^(?:is|are|was|were) there\b", re.I)
_READS_AS = {
    "text": frozenset({"yes_no", "choice", "money", "duration", "date", "parties"}),
    "date": frozenset({"duration", "text"}),
    "number": frozenset({"text"}),
    "yes_no": frozenset({"choice", "text"}),
    "money": frozenset({"text"}),
    "duration": frozenset({"text"}),
}
"""Types of ready-made columns that answer a question whose form suggests another type: "When does the rent go up?"."""
_CONTRACTED = re.compile(r"(?<=^what|^when)['’]s\b|(?<=^who|^how)['’]s\b|(?<=^where)['’]s\b", re.I)
_LEADING = re.compile(r"^(?:the|there|any|a|an)\s+", re.I)


def propose_column(question: str, subjects: Sequence[tuple[str, float]] = ()) -> ReadyColumn:
    """A ready-made column that asks the same, else title and type from the form of the question.

    Args:
        question: The question.
        subjects: What the question is about, with weights 0..1, as of `LegalEngine.subjects`.
    """
    words = " ".join(question.split())
    plain = _CONTRACTED.sub(" is", words)
    answer_type, options = _type(plain)
    if (same := _ready(plain, answer_type)) is not None:
        return replace(same, question=words)
    return _about(subjects, answer_type) or ReadyColumn(_title(plain, answer_type), words, answer_type, None, options)


@cache
def _columns() -> Sequence[ReadyColumn]:
    return tuple({column.title: column for found in column_sets().values() for column in found.columns}.values())


def _about(subjects: Sequence[tuple[str, float]], answer_type: str) -> ReadyColumn | None:
    """The ready-made column of a fitting type that is about the most likely of the subjects.

    It keeps its own question, because a yes to it may be a no to theirs: "Can we assign?" asks for "Is assignment prohibited?".
    """
    weights = dict(subjects)
    found = [(weights.get(c.label, 0.0) * _fit(c, answer_type), c) for c in _columns()]
    weight, column = max(found, key=lambda one: one[0])
    return column if weight >= SURE else None


def _fit(column: ReadyColumn, answer_type: str) -> float:
    if column.answer_type == answer_type:
        return 1.0
    return OTHER_TYPE if column.answer_type in _READS_AS.get(answer_type, ()) else 0.0


def _ready(question: str, answer_type: str) -> ReadyColumn | None:
    """The ready-made column whose title or question shares most stems with the question, of the type that it asks for."""
    asked, asked_who = set(stems(question)), question.lower().startswith("who ")
    best: tuple[float, ReadyColumn] | None = None
    for column in _columns():
        if column.answer_type == "yes_no" and (answer_type in _VALUES or asked_who):
            continue  # "What is the cap on liability?" asks how much, not whether
        for wording in (column.title, column.question):
            known = set(stems(wording))
            share = len(asked & known) / len(asked | known) if asked and known else 0.0
            if share >= ALIKE and (best is None or share > best[0]):
                best = share, column
    return None if best is None else best[1]


def _type(question: str) -> tuple[str, tuple[str, ...]]:
    choice = _CHOICE.match(question)
    if (
        choice is not None
        and not _EXISTS.match(question)
        and choice["other"].lower() not in ("not", "more", "less", "otherwise")
    ):
        return "choice", _options(choice)
    for name, pattern in _TYPES:
        if re.search(pattern, question, re.I):
            return name, ()
    return ("yes_no" if re.match(rf"{_VERB}\b", question, re.I) else "text"), ()


def _options(choice: re.Match[str]) -> tuple[str, ...]:
    """Both sides of "or", with as many words as the shorter side has; of a list with commas every item."""
    one, other = choice["one"].split(), choice["other"].split()
    if listed := _LISTED.search(choice.string[: choice.start("one")]):
        first, *more = listed[0].rstrip(", ").split(", ")
        return " ".join(first.split()[-len(one) :]), *more, " ".join(one), " ".join(other)
    length = min(len(one), len(other))
    return " ".join(one[-length:]), " ".join(other[:length])


def _title(question: str, answer_type: str) -> str:
    """The question without its asking words: "Can the landlord move us?" becomes "Landlord can move us"."""
    words = question.rstrip("?. ")
    verb = re.match(
        r"(?P<verb>can|may|must|shall|should|will|would|could)\s+(?P<who>(?:the|a|an|any|either)?\s*\S+)\s+(?P<what>.+)",
        words,
        re.I,
    )
    choice = re.match(r"(?:is|are)\s+(?P<who>(?:the|this|an?)?\s*\S+)\s+(?P<what>.+)", words, re.I)
    if answer_type == "choice" and choice is not None:
        words = f"{_LEADING.sub('', choice['who'].strip())}: {choice['what']}"
    elif answer_type == "yes_no" and verb is not None:
        words = f"{_LEADING.sub('', verb['who'].strip())} {verb['verb'].lower()} {verb['what']}"
    else:
        words = _LEADING.sub("", _ASKS.sub("", words)) or words
    if len(words) > LONGEST_TITLE:
        words = words[:LONGEST_TITLE].rsplit(" ", 1)[0] + " …"
    return words[:1].upper() + words[1:]
