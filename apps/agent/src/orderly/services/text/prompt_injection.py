"""Detects prompt injection: text in documents that addresses the assistant instead of the reader.

No protection depends on the detection: the data fence, the citation gate and the caller's permissions hold without it.
Findings are shown to the user.
"""

from __future__ import annotations

import re
from itertools import product
from re import Match

MAX_EXCERPT_CHARS = 300
"""Characters of a finding that are reported."""


def _combinations(*parts: tuple[str, ...]) -> tuple[str, ...]:
    return tuple("".join(words) for words in product(*parts))


_PATTERNS: tuple[tuple[str, tuple[str, ...]], ...] = (
    (
        r"\b(?:ignore|disregard|forget|override|bypass)\b[^.\n]{0,40}"
        r"\b(?:instructions?|prompts?|system messages?|guardrails?)\b",
        ("ignore", "disregard", "forget", "override", "bypass"),
    ),
    (r"\byou are (?:now )?(?:an? |the )?(?:ai|assistant|chat\s?bot|language model|llm|system)\b", ("you are ",)),
    (
        r"\b(?:as an?|to the|to any|note to|attention) (?:ai|language model|llm)\b",
        _combinations(("as a ", "as an ", "to the ", "to any ", "note to ", "attention "), ("ai", "language model", "llm")),
    ),
    (r"\b(?:system prompt|developer message|jailbreak)\b", ("system prompt", "developer message", "jailbreak")),
    (
        r"(?:^|[.!?]\s+)(?:do not|don['’]t|never) (?:tell|inform|mention|reveal|report|show)\b"
        r"[^.\n]{0,60}\b(?:user|lawyer|human)\b",
        _combinations(("do not ", "don't ", "don’t ", "never "), ("tell", "inform", "mention", "reveal", "report", "show")),
    ),
    (
        r"\b(?:isaacus_(?:search|extract|classify)|get_document_text|list_matter_documents|list_matters|resolve_citation"
        r"|search_keyword|think_tool|write_todos|visual_search|view_page)\b",
        (
            *("isaacus_", "get_document_text", "list_matter", "resolve_citation", "search_keyword"),
            *("think_tool", "write_todos", "visual_search", "view_page"),
        ),
    ),
    (
        r"\b(?:call|invoke|run|use) (?:the |every |all )?(?:tools?|functions?)\b",
        _combinations(("call ", "invoke ", "run ", "use "), ("", "the ", "every ", "all "), ("tool", "function")),
    ),
    (r"^[^\S\n]*+(?:system|assistant)\s*+:\s", ("system", "assistant")),
    (
        r"<\|[a-z_]+\|>|\[/?INST\]|</?(?:system|assistant|tool(?:_result)?)>|\[(?:end of )?data (?:[0-9a-f]+|[a-z]{14})\]",
        ("<|", "inst]", "system>", "assistant>", "tool>", "tool_result>", "data "),
    ),
    (
        r"^(?:Answer found in|Citation verified:|Clause Analysis for) \[",
        ("answer found in [", "citation verified: [", "clause analysis for ["),
    ),
)
"""Regular expressions, each with lower-case words of which every match contains at least one. The cheap search for the words
lets most patterns be skipped.
"""

_COMPILED_PATTERNS = tuple((re.compile(pattern, re.IGNORECASE | re.MULTILINE), words) for pattern, words in _PATTERNS)
_SENTENCE_END = re.compile(r"[.!?](?=\s)|\n")


def find_injections(text: str) -> list[tuple[int, int]]:
    """Spans of the sentences or lines that address an assistant, in order, each cut to `MAX_EXCERPT_CHARS`."""
    found: list[tuple[int, int]] = []
    lowered = _to_lower(text)
    matches = [m for pattern, words in _COMPILED_PATTERNS if any(w in lowered for w in words) for m in pattern.finditer(text)]
    for match in sorted(matches, key=Match.start):
        begin = max(
            (m.end() for m in _SENTENCE_END.finditer(text, max(match.start() - MAX_EXCERPT_CHARS, 0), match.start())), default=0
        )
        begin = max(begin, match.start() - MAX_EXCERPT_CHARS)
        ending = _SENTENCE_END.search(text, max(match.end() - 1, begin))
        end = min(ending.end() if ending else len(text), begin + MAX_EXCERPT_CHARS)
        begin += len(text[begin:end]) - len(text[begin:end].lstrip())
        end -= len(text[begin:end]) - len(text[begin:end].rstrip())
        if begin < end and (not found or begin >= found[-1][1]):
            found.append((begin, end))
    return found


def _to_lower(text: str) -> str:
    """Lower-cases as `re.IGNORECASE` does, which equates some foreign letters with i, s and k."""
    return text.lower() if text.isascii() else text.casefold().replace("i\u0307", "i").replace("ı", "i")
