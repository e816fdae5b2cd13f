"""How a court disposed of a case: questions that ask for it, and the sentences that say it."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from orderly.services.engines.local.lexical import Scores
from orderly.services.engines.local.sentences import Sentence, stems

_CASE = r"(?:appeals?|applications?|claims?|cross-claims?|proceedings?|motions?|actions?|petitions?|summons|case)"
_ASKS = re.compile(
    r"\bwho\s+(?:won|lost|succeeded|prevailed)\b"
    rf"|\b(?:outcome|result|disposition)\s+(?:of|in)\s+(?:the\s+)?(?:{_CASE}|hearing|trial|judgment|agreement|dispute)\b"
    r"|\bwhat\s+(?:did|does|has|was)\b[^?]{0,60}\b(?:court|judge|tribunal|judgment|decision|justice|registrar)\b[^?]{0,40}"
    r"\b(?:decide[sd]?|h[eo]ld|order(?:ed)?|conclude[sd]?)\b"
    r"|\bwhat\s+(?:(?:orders?|relief|penalt(?:y|ies))\s+(?:did|was|were)|was\s+(?:decided|ordered|held|the\s+(?:outcome|result|decision)))\b"
    rf"|\b(?:was|were|did)\s+(?:the\s+)?(?:\w+\s+)?{_CASE}\s+(?:allowed|dismissed|successful|succeed|fail|upheld|granted|refused)\b"
    r"|\bhow\s+(?:was|did)\s+(?:the\s+)?(?:\w+\s+){0,3}(?:decided|end|resolved)\b"
    r"|\bdid\s+(?:\w+\s+){1,5}(?:win|lose|succeed|prevail)\s*\?",
    re.IGNORECASE,
)
_MAY_ASK = re.compile(
    r"\b(?:did|was|were|has|have|had|is|are|must|can)\b[^?]{0,80}\b(?:w[io]n|lose|lost|succeed(?:ed)?|fail(?:ed)?|prevail(?:ed)?|granted|refused|"
    r"dismissed|allowed|upheld|set\s+aside|ordered|fined|convicted|impose[ds]?|award(?:ed)?|appeal|costs)\b"
    r"|\b(?:what|which|how\s+much|how\s+long|who)\b[^?]{0,80}\b(?:ordered|fined|imposed|awarded|costs|orders)\b",
    re.IGNORECASE,
)
_DISPOSES = re.compile(
    rf"\b{_CASE}\b[^.;]{{0,80}}?\b(?:is|are|be|must\s+be|should\s+be|will\s+be)\s+(?:therefore\s+|accordingly\s+|hereby\s+)?"
    r"(?:dismissed|allowed|upheld|granted|refused|rejected|struck\s+out)\b"
    rf"|\bI\s+(?:\w+\s+){{0,3}}?(?:dismiss|allow|uphold|grant|refuse|reject)\b[^.;]{{0,60}}\b{_CASE}\b"
    r"|\bI\s+(?:(?:would|will|shall|propose\s+to|therefore|accordingly)\s+){1,3}(?:order|declare|impose|make\s+(?:an?|the|those)\s+)"
    r"|\bthere\s+(?:will|shall|must|should)\s+(?:therefore\s+|accordingly\s+)?be\s+(?:an?\s+)?(?:orders?|judgment|declarations?|grant\s+of)\b"
    r"|\bcourt\s+(?:hereby\s+)?(?:orders|declares)\b"
    r"|\bjudgment\s+(?:is|be|should\s+be|will\s+be|must\s+be)\s+(?:entered\s+|given\s+)?(?:for|in\s+favour)\b"
    r"|\bappropriate\s+(?:penalty|sentence|award|fine|sum)\s+(?:is|would\s+be)\b"
    rf"|\b{_CASE}\b\s+(?:therefore\s+|accordingly\s+)?(?:succeeds|fails)\b",
    re.IGNORECASE,
)
_MAY_DISPOSE = re.compile(
    r"\b(?:orders?|declarations?)\b[^.;]{0,40}\b(?:will|shall|should|must)\s+be\s+made\b"
    r"|\b(?:should|must|is\s+to|are\s+to|shall|will)\s+pay\b[^.;]{0,60}\bcosts\b"
    r"|\b(?:appeals?|applications?)\s+(?:allowed|dismissed|granted|refused)\b"
    r"|\bI\s+(?:\w+\s+){0,2}?(?:ordered|declared|imposed|awarded|refused|granted|dismissed|allowed|declined)\b",
    re.IGNORECASE,
)
_REPORTED = re.compile(
    r"\b(?:submit\w*|claim(?:s|ed)|conten[dt]\w*|argu\w+|seeks?|sought|appl(?:y|ies|ied|ying)|moves?|moved|held|asks?|asked|whether|"
    r"if|unless|said|says|proposed|decision\s+to|grounds?)\b",
    re.IGNORECASE,
)
"""Words before what somebody else ordered, or asks a court to order."""
_ORDERS = re.compile(r"\bcourt\s+(?:hereby\s+)?(?:orders|declares)\b", re.IGNORECASE)
WORDING = "The court orders that the appeal is dismissed, the application is granted or refused, and who pays the costs"
_ABOUT_ANY_CASE = frozenset(
    stems(
        f"{WORDING} won lost win succeeded successful prevailed outcome result disposition judgment decision decided held "
        "judge tribunal concluded end resolved case claim proceeding motion action hearing trial dispute make made relief "
        "allowed fail applicant appellant respondent plaintiff defendant man woman company party"
    )
)
GAIN_ONLY, GAIN_ASKED, GAIN_LIKELY, GAIN_FACTOR_LATER = 4.0, 2.0, 1.0, 1.0
"""Log-odds that a sentence which disposes of a case gains where a question asks for nothing else, for that among other
things, or may ask for it; and how many times more at the end of the text, since reasons come first. Set by hand."""


def asks_outcome(question: str) -> bool:
    """Whether a question asks how a case was decided."""
    return _ASKS.search(question) is not None


def with_wording(question: str) -> str:
    """The question, with words of an outcome if it has no others: "Who won?" is near to nothing that a court writes."""
    return f"{question} {WORDING}" if _asks_nothing_else(question) else question


def _asks_nothing_else(question: str) -> bool:
    return asks_outcome(question) and _ABOUT_ANY_CASE.issuperset(stems(question))


def disposes(text: str, start: int = 0, end: int | None = None) -> bool:
    """Whether a sentence surely disposes of a case."""
    return _says(_DISPOSES, text, start, len(text) if end is None else end)


def _says(pattern: re.Pattern[str], text: str, start: int, end: int) -> bool:
    found = pattern.search(text, start, end)
    return found is not None and _REPORTED.search(text, start, found.start()) is None


def sets_out_orders(text: str, start: int, end: int) -> bool:
    return _ORDERS.search(text, start, end) is not None


def outcome_scores(question: str, text: str, found: Sequence[Sentence], *, of_case: bool) -> Scores:
    """What each sentence gains in log-odds by saying how the case was decided; zeros if the question does not ask for it.

    `of_case`: the text is a judgment. In a contract, "shall pay the costs" decides nothing.
    """
    if _asks_nothing_else(question):
        weight = GAIN_ONLY
    else:
        weight = GAIN_ASKED if asks_outcome(question) else GAIN_LIKELY if of_case and _MAY_ASK.search(question) else 0.0
    patterns = (_DISPOSES, _MAY_DISPOSE) if of_case else (_DISPOSES,)
    scores = np.zeros(len(found))
    if weight:
        for row, sentence in enumerate(found):
            if any(_says(pattern, text, sentence.start, sentence.end) for pattern in patterns):
                scores[row] = weight * (1 + GAIN_FACTOR_LATER * sentence.start / len(text))
    return scores
