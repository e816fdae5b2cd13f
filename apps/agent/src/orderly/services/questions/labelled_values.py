"""Items of a reference table that bear the name of what is asked for: "Item 8   Rent   $84,000.00 per annum"."""

from __future__ import annotations

import re

from orderly.models import Span
from orderly.services.engines.local import stem, stems
from orderly.services.questions.objects import speaks
from orderly.services.questions.ordering import orders_by_amounts
from orderly.services.questions.premises import asked_of
from orderly.services.questions.presence import DocumentAnswer, found_at
from orderly.services.questions.quantities import Quantity, states, wanted_quantity
from orderly.services.questions.subjects import ROLES
from orderly.services.text import RevisionView
from orderly.services.values import find_dates

MOST = 2
"""Items of one name; of more, none is meant more than the others."""
_NUMBER = r"(?:(?:item|line|row)?[ \t]*(?:\d{1,2}|[A-Z]|\([A-Za-z0-9]{1,3}\))[.):]?[ \t|]+)?"
_ITEM = re.compile(
    rf"^[ \t|*]*{_NUMBER}(?P<label>[A-Za-z][^\n:|\t]{{1,60}}?)[ \t*]*(?::|[|\t]|[ ]{{2}})[ \t*|:]*(?P<value>\S[^\n]{{0,300}})$",
    re.MULTILINE | re.IGNORECASE,
)
_PLAIN_LIST = "payable annual annum year yearly month monthly amount sum total current initial base gross item"
_PLAIN = frozenset(map(stem, _PLAIN_LIST.split()))
"""Stems that a label or a question may have beside the name."""

_ASKS_FOR_ONE_THING = re.compile(
    r"\A\W*(?:and )?what(?:['’]s| (?:is|are|was|were)) (?:the|our|its|their|your) [\w\s'’-]{3,50}\W*\Z", re.IGNORECASE
)
_ASKS_WHEN = re.compile(
    r"\W*(?:and )?(?:(?:by|from|until|since) )?(?:when|(?:on |by )?(?:what|which) (?:date|day))\b", re.IGNORECASE
)
_DATE = re.compile(r"\bda(?:te|y)s?\b", re.IGNORECASE)
"""What a label may have beside the name of an event: "Repayment date"."""
_SAYS_SOMETHING = re.compile(r"[A-Za-z]{3}|[$€£%]")
"""What is no number of a page."""
_COMPARES = re.compile(r"\b(?:high|larg|bigg|great|dear|low|small|cheap)e(?:r|st)\b", re.IGNORECASE)


def labelled_values(view: RevisionView, question: str) -> DocumentAnswer | None:
    """The items that state what is asked for under its name; None if there is none, or if there are many."""
    quantity: Quantity | None = wanted_quantity(question) or ("money" if orders_by_amounts(question) else None)
    asks_when = _ASKS_WHEN.match(question) is not None
    asked = _names(frozenset(asked_of(view, _COMPARES.sub(" ", question))[0]))
    if not asked or not (quantity or asks_when or _ASKS_FOR_ONE_THING.search(question)):
        return None
    items = [
        item
        for item in _ITEM.finditer(view.text)
        if _is_same(_DATE.sub("", item["label"]) if asks_when else item["label"], asked)
        and (find_dates(item["value"]) if asks_when else _answers(item["value"], quantity))
    ]
    places = [view.passage(*_trimmed(view.text, *item.span())) for item in items]
    return found_at(view, places) if 0 < len(places) <= MOST else None


def _answers(value: str, quantity: Quantity | None) -> bool:
    return states(quantity, value) if quantity else _SAYS_SOMETHING.search(value) is not None


def _is_same(label: str, asked: frozenset[str]) -> bool:
    named = _names(frozenset(stems(label)))
    return bool(named) and all(speaks(o, named) for o in asked) and all(speaks(n, asked) for n in named)


def _names(words: frozenset[str]) -> frozenset[str]:
    return words - _PLAIN - ROLES


def _trimmed(text: str, start: int, end: int) -> Span:
    line = text[start:end]
    return start + len(line) - len(line.lstrip(" \t|")), start + len(line.rstrip(" \t|"))
