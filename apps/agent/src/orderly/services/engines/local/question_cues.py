"""What kind of answer a question wants, and expressions that such answers contain."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from orderly.services.engines.local.lexical import Scores

_MONTHS = "january|february|march|april|may|june|july|august|september|october|november|december"
_WEEKDAYS = "monday|tuesday|wednesday|thursday|friday|saturday|sunday"
_CUES = (
    # who
    (
        r"\bwho\b|\bwhom\b|\bwhose\b|\bwhich (?:party|person|body|court|judge|company)\b",
        r"\b(?:persons?|minister|registrar|directors?|board|committee|company|court|tribunal|party|employe[er]|judge|secretary|"
        r"commissioner|president|pty|ltd|inc|llc|trustee|tenant|landlord|less(?:or|ee)|agent)\b",
    ),
    # when, how long
    (
        r"\bhow (?:long|soon|quickly|late|early|many (?:days|weeks|months|years|hours)|much (?:notice|warning|time))\b|"
        r"\bwhen\b|\btime limit\b|\bdeadline\b|\b(?:by )?what (?:time|date)\b",
        rf"\b(?:days?|weeks?|fortnights?|months?|years?|hours?)\b|\b\d{{1,2}} (?:{_MONTHS})\b|\b(?:{_MONTHS}) \d"
        rf"|\bon (?:an? |each |every |the )?(?:{_WEEKDAYS})\b|\bin (?:advance|arrears?)\b",
    ),
    # how much
    (
        r"\bhow (?:much|large|big|high)\b|\bwhat (?:amount|sum|price|fee|rate|percentage|interest)\b|\bcosts?\b|"
        r"\bpenalt|\bfines?\b",
        r"[$€£]\s?\d|\b\d+(?:\.\d+)?\s?(?:%|per ?cent)|\bpenalty\b|\bdollars\b",
    ),
    # how many
    (
        r"\bhow (?:many|old)\b|\bminimum\b|\bmaximum\b|\bat least\b|\bquorum\b|\bmajority\b",
        r"\b(?:\d+|one|two|three|four|five|six|seven|eight|nine|ten|twelve|half|third|quarter|majority|two-thirds|three-quarters)\b",
    ),
    # how often
    (
        r"\bhow (?:often|frequently|regularly)\b",
        r"\b(?:daily|(?:bi-?)?(?:week|month)ly|fortnight\w*|quarterly|annual\w*|yearly|every|each|once|twice|times|per \w+"
        r"|an? (?:day|week|month|quarter|year))\b",
    ),
    # definition
    (
        r"\b(?:mean(?:s|ing)?|defin\w+|counts? as|considered (?:to be )?an?|qualif\w+ as|what is an?)\b",
        r"\bmeans\b|\bincludes\b|\bis defined\b|\bhas the meaning\b|[\"“][^\"”]{2,40}[\"”]",
    ),
    # exception
    (
        r"\bexcept|\bexempt|\bunless\b|\bnot apply\b|\bexcluded\b|\bwithout (?:consent|notice)\b",
        r"\bexcept|\bunless\b|\bdoes not apply\b|\bother than\b|\bexempt|\bexclud|\bnotwithstanding\b|\bsubject to\b",
    ),
    # may
    (
        r"^(?:can|may|could|(?:is|are) .*\b(?:allowed|able|entitled|permitted))\b",
        r"\b(?:may|entitled|right|permit\w*|must not|shall not|may not|prohibit\w*)\b",
    ),
    # must, is it so
    (r"^(?:must|does|do|has|is|are|should)\b", r"\b(?:must|shall|required|is to|will|may|agrees?)\b"),
    # why
    (
        r"\bwhy\b|\breasons?\b|\bgrounds?\b|\bbasis\b",
        r"\bbecause\b|\breasons?\b|\bgrounds?\b|\bsince\b|\btherefore\b|\bsatisfied\b|\baccordingly\b",
    ),
    # outcome of a case
    (
        r"\boutcome\b|\bresult\b|\bdecided?\b|\bordered\b|\borders?\b|\bwon\b|\bwin\b|\bsucce|\bdismiss|\bconclu|"
        r"\bruling\b|\bheld\b",
        r"\bdismissed\b|\ballowed\b|\borders? that\b|\bset aside\b|\brefused\b|\bgranted\b|\bupheld\b|\bjudgment for\b|"
        r"\bi would\b|\bappeal (?:is|be)\b|\bmust (?:fail|be)\b",
    ),
)  # fmt: skip
_NUMBERS = (
    r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|"
    r"ninety|hundred|thousand|million|half|third|quarter|two-thirds|three-quarters|nil|no|free)\b"
)
_MEASURED = (
    "price|fee|amount|sum|limit|rate|percentage|share|proportion|interest|penalty|fine|salary|wage|pay|rent|premium|excess|deposit|bond|"
    "number|age|value|distance|maximum|minimum|majority|quorum"
)
_TIMES = (
    rf"days?|weeks?|months?|years?|hours?|{_MONTHS}|immediately|promptly|forthwith|soon|until|when|upon|after|before|once|whenever|"
    r"while|during|any time|twice|every|each|per|annual\w*|monthly|fortnight\w*|weekly|daily|yearly|quarterly"
)
_MEASURES = (
    (
        re.compile(
            r"\bhow (?:much|many|large|big|high|old|far)\b"
            rf"|^(?:up to |at |in |by )?(?:what|which)\b[^?,]{{0,50}}\b(?:{_MEASURED})\b",
            re.I,
        ),
        re.compile(_NUMBERS, re.I),
    ),
    (
        re.compile(
            r"\bhow (?:long|soon|quickly|late|early|often)\b|^when\b|^what date\b"
            r"|^(?:by|from|on|until|since) (?:when|what|which)\b",
            re.I,
        ),
        re.compile(rf"{_NUMBERS}|\b(?:{_TIMES})\b", re.I),
    ),
)
"""Questions for a measure or a time, and what every answer to them contains."""
CUES = tuple((re.compile(asked, re.I), re.compile(said, re.I)) for asked, said in _CUES)


def cue_scores(question: str, texts: Sequence[str]) -> Scores:
    """Per text, how many expressions of the wanted kinds of answer it contains, rare ones weighing more."""
    total = np.zeros(len(texts))
    for asked, said in CUES:
        if asked.search(question.strip()):
            found = np.array([said.search(text) is not None for text in texts], np.float64)
            total += found * np.log1p(1 / (found.mean() + 1e-3)) if len(texts) else 0.0
    return total


def lacks_measure(question: str, text: str) -> bool:
    """Whether the question asks for a measure or a time, and the text states none."""
    return any(asked.search(question.strip()) and not said.search(text) for asked, said in _MEASURES)
