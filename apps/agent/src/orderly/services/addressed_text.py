"""Text in documents that speaks to the assistant instead of the reader: attempts to have it follow a document.

Nothing depends on finding them. The fence, the gate and the rights of the caller hold whether or not an attempt is recognised;
this is so that the lawyer hears of it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

LONGEST = 300
"""Characters of an attempt that are told."""

_ATTEMPTS = re.compile(
    r"""
    \b(?:ignore|disregard|forget|override|bypass)\b [^.\n]{0,40} \b(?:instructions?|prompts?|system\ messages?|guardrails?)\b
    | \byou\ are\ (?:now\ )? (?:an?\ |the\ )? (?:ai|assistant|chat\s?bot|language\ model|llm|system)\b
    | \b(?:as\ an?|to\ the|to\ any|note\ to|attention)\ (?:ai|language\ model|llm)\b
    | \b(?:system\ prompt|developer\ message|jailbreak)\b
    | (?:^|[.!?]\s+) (?:do\ not|don['’]t|never)\ (?:tell|inform|mention|reveal|report|show)\b
      [^.\n]{0,60} \b(?:user|lawyer|human)\b
    | \b(?:isaacus_(?:search|extract|classify)|get_document_text|list_matter_documents|list_matters|resolve_citation
      |search_keyword|think_tool|write_todos|visual_search|view_page)\b
    | \b(?:call|invoke|run|use)\ (?:the\ |every\ |all\ )?(?:tools?|functions?)\b
    | ^\s*(?:system|assistant)\s*:\s
    | <\|[a-z_]+\|> | \[/?INST\] | </?(?:system|assistant|tool(?:_result)?)> | \[(?:end\ of\ )?data\ [0-9a-f]+\]
    | ^(?:Answer\ found\ in|Citation\ verified:|Clause\ Analysis\ for)\ \[
    """,
    re.VERBOSE | re.IGNORECASE | re.MULTILINE,
)
_SENTENCE_END = re.compile(r"[.!?](?=\s)|\n")


def attempts(text: str) -> list[tuple[int, int]]:
    """Spans of the sentences or lines that speak to an assistant, in order, each cut to `LONGEST`."""
    found: list[tuple[int, int]] = []
    for match in _ATTEMPTS.finditer(text):
        begin = max((m.end() for m in _SENTENCE_END.finditer(text, max(match.start() - LONGEST, 0), match.start())), default=0)
        begin = max(begin, match.start() - LONGEST)
        ending = _SENTENCE_END.search(text, max(match.end() - 1, begin))
        end = min(ending.end() if ending else len(text), begin + LONGEST)
        begin += len(text[begin:end]) - len(text[begin:end].lstrip())
        end -= len(text[begin:end]) - len(text[begin:end].rstrip())
        if begin < end and (not found or begin >= found[-1][1]):
            found.append((begin, end))
    return found


def hidden_places(health: Mapping[str, Any]) -> int:
    """How often hidden text was found in a document, and kept out of its text."""
    return len((health.get("details") or {}).get("hidden_text") or ())
