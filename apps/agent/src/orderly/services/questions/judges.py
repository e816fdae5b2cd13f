"""Finds who decided a case: questions that ask for the judge, and the places where a judgment names them."""

from __future__ import annotations

import re

from orderly.models import Span

_JUDGE = r"(?:judges?|justices?|magistrates?|bench|coram)"
_ASKS = re.compile(
    rf"\bwho (?:was|were|is|are) (?:the |on the )?(?:\w+ )?{_JUDGE}\b"
    rf"|\b(?:which|what) {_JUDGE}\b(?! (?:says?|said|held|thought|found|that)\b)"
    rf"|\bnames? (?:of )?(?:the |each )?{_JUDGE}\b|\bbefore (?:whom|which {_JUDGE})\b"
    r"|\bwhose judgment\b|\bwho (?:gave|delivered) (?:the )?(?:\w+ )?judgment\b"
    r"|\bwho (?:heard|decided|tried) (?:it|this"
    r"|(?:the|this|that|these|those|each|both)(?: \w+)? (?:cases?|appeals?|applications?|claims?|matters?))\b",
    re.IGNORECASE,
)
_TITLE = (
    r"(?:(?:THE |The )?(?:RIGHT |Right )?(?:HON(?:OURABLE)?|Hon(?:ou?rable)?)\b|(?:LORD|LADY|MR|MRS|MS|CHIEF) JUSTICE\b"
    r"|(?:Lord|Lady|Mr|Mrs|Ms|Chief) Justice\b|JUSTICE\b|Justice\b|(?:HIS|HER|His|Her) (?:HONOUR|Honour)\b"
    r"|(?:SIR|DAME|Sir|Dame) [A-Z]"
    r"|(?:MASTER|Master|RECORDER|Recorder|JUDGE|Judge|MAGISTRATE|Magistrate|Registrar|REGISTRAR) [A-Z]"
    r"|[A-Z][\w'’ -]{1,40},? (?:CJ|ACJ|JJ?A?|LJJ?|AJA?|P|DCJ|FM)\b)"
)
_BEFORE = re.compile(
    rf"^[ \t*_|]*(?:B ?E ?F ?O ?R ?E|Before|CORAM|Coram|JUDGES?|Judges?)[ \t*_]*:[ \t*_|]*\s*(?P<names>{_TITLE}[^\n]*"
    rf"(?:\s*\n\s*(?:(?:and|AND)\s+)?{_TITLE}[^\n]*)*)",
    re.MULTILINE,
)
_CERTIFIED = re.compile(
    r"\bI certify that\b[^.]{0,160}?\b(?:true copy|reasons)\b[^.]{0,120}?"
    r"\b(?:Justices?|Honours?|Magistrate|Judge|Registrar|Court)\b"
    r"(?:[\s,]+(?:and[\s]+|Justice[\s]+|Judge[\s]+|Magistrate[\s]+)?[A-Z][\w'’-]+)*\.?"
)


def asks_judge(question: str) -> bool:
    """Whether a question asks who decided a case."""
    return _ASKS.search(question) is not None


def named_judges(text: str) -> list[Span]:
    """Where a judgment names its judges: at its beginning, or where it is certified."""
    if before := _BEFORE.search(text):
        return [before.span("names")]
    return [match.span() for match in _CERTIFIED.finditer(text)]
