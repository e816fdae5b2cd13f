"""What the gate told of an answer, and the text that it showed."""

from __future__ import annotations

import re

from orderly.services.citations import TOLD, AnswerGate

TAKEN_OUT = "“…”"
NUMBER = re.compile(r"\s*\[\d+\]")


def is_told(gate: AnswerGate, words: str = "") -> bool:
    """Whether a span that has `words` is told."""
    return any(c.verdict in TOLD and words in gate.text[c.start : c.end] for c in gate.checks)


def is_caught(gate: AnswerGate) -> bool:
    """Whether a quotation is taken out or anything is told."""
    return TAKEN_OUT in gate.text or is_told(gate)


def is_supported(gate: AnswerGate) -> bool:
    """Whether a span of three words or more, which can hold a statement, has the verdict "supported"."""
    return any(c.verdict == "supported" and len(gate.text[c.start : c.end].split()) > 2 for c in gate.checks)


def without_numbers(gate: AnswerGate) -> str:
    """The text shown, without the source numbers that the gate issued."""
    text = gate.text
    for at in sorted((at for at in gate.take_issued() if at < len(text)), reverse=True):
        start = len(text[:at].rstrip())
        text = text[:start] + NUMBER.sub("", text[start:], count=1)
    return text
