"""Counts the tokens of a chat request with a fixed approximation, so that figures are comparable on every machine.

Tokenizers of hosted models are downloaded on first use; this one needs no file. It divides text as OpenAI's tokenizers do
before they merge bytes (words with the space before them, digits by three, runs of punctuation, line breaks) and counts one
token per started eight letters of a word and per started four marks of a run.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

_PIECES = re.compile(r"(?P<word>[^\r\n\w]?[^\W\d_]+)|\d{1,3}|(?P<marks> ?(?:[^\s\w]|_)+)|\s+")
_LETTERS, _MARKS = 8, 4
_PER_MESSAGE = 4
"""Tokens of a message beside its text: role and delimiters."""


def count_tokens(text: str) -> int:
    """Approximate number of tokens of `text`."""
    total = 0
    for match in _PIECES.finditer(text):
        length = match.end() - match.start()
        total += -(-length // _LETTERS) if match["word"] else -(-length // _MARKS) if match["marks"] else 1
    return total


def request_parts(request: Mapping[str, Any]) -> list[str]:
    """The texts of a request in the order in which endpoints put them before the model: tool schemas, then messages."""
    tools = [_compact(tool["function"]) for tool in request.get("tools") or ()]
    return [*tools, *(_message_text(message) for message in request["messages"])]


def prompt_tokens(request: Mapping[str, Any]) -> int:
    """Approximate prompt tokens of a chat completions request."""
    return sum(map(count_tokens, request_parts(request))) + _PER_MESSAGE * len(request["messages"])


def shared_prefix_tokens(request: Mapping[str, Any], earlier: Sequence[Mapping[str, Any]]) -> int:
    """Tokens of the longest beginning that `request` shares with one of the earlier requests, which endpoints cache."""
    text = "\n".join(request_parts(request))
    shared = max((_common_length(text, "\n".join(request_parts(other))) for other in earlier), default=0)
    return count_tokens(text[:shared])


def _message_text(message: Mapping[str, Any]) -> str:
    content = message.get("content") or ""
    text = content if isinstance(content, str) else "".join(part.get("text", "") for part in content)
    calls = [_compact(call["function"]) for call in message.get("tool_calls") or ()]
    return "\n".join([f"{message['role']}: {text}", *calls])


def _compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _common_length(one: str, other: str) -> int:
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if one[:middle] == other[:middle] else (low, middle - 1)
    return low
