"""Tool calls that a model writes as text: as JSON, in XML, or in the forms of Hermes, Llama, Mistral and Qwen."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from typing import Any

Call = tuple[str, dict[str, Any]]

_MARKS = (
    r"<tool_calls?>|<function_calls?>|<function[= ]|<invoke[ >]|<\|python_tag\|>|<\|tool_calls?|\[TOOL_CALLS\]|<｜tool"
    r"|<\|channel\|>commentary|```(?:json|tool_call|tool_code|python)?\s*[\[{]|^\s*[\[{](?=\s*[\[{\"])"
)
_NAME_KEYS = ("name", "tool", "tool_name", "function_name", "action")
_ARGUMENT_KEYS = ("arguments", "parameters", "args", "input", "tool_input", "action_input", "kwargs")
_MAYBE_MARK = re.compile(r"(?:[<\[`{][^<>\n]{0,20}|\A\s*)\Z")
_FUNCTION = re.compile(
    r"<(?:function|invoke)[= ]\s*(?:name=)?[\"']?(?P<name>[\w.]+)[\"']?\s*>(?P<body>.*?)</(?:function|invoke)>", re.S
)
_PARAMETER = re.compile(r"<parameter[= ]\s*(?:name=)?[\"']?(?P<key>\w+)[\"']?\s*>(?P<value>.*?)</parameter>", re.S)
_LINE_CALL = re.compile(r"(?P<call>(?<![a-z_])[a-z_]{3,}+\(.*\))", re.S)


class WrittenCalls:
    """Holds the text of a stream back from the first mark of a written tool call on.

    Args:
        names: Names of the tools that the model was offered; a tag or a call of that name is a mark too.
    """

    def __init__(self, names: frozenset[str]) -> None:
        self._names = names
        own = "|".join(map(re.escape, sorted(names))) or r"(?!)"
        self._named = re.compile(rf"[\"'](?:{own})[\"']|<(?:{own})>|\b(?:{own})\(")
        self._mark = re.compile(rf"{_MARKS}|<(?:{own})>|^\s*\[?\s*(?:functions\.)?(?:{own})\(", re.MULTILINE)
        self._buffer = ""
        self.held = ""
        """Text from the mark on."""

    def feed(self, text: str) -> str:
        if self.held:
            self.held += text
            return ""
        self._buffer += text
        if match := self._mark.search(self._buffer):
            out, self.held, self._buffer = self._buffer[: match.start()], self._buffer[match.start() :], ""
            return out
        line = self._buffer.rfind("\n") + 1
        maybe = _MAYBE_MARK.search(self._buffer)
        begins_name = any(name.startswith(self._buffer[line:].strip(" [")) for name in self._names)
        cut = min(maybe.start() if maybe else len(self._buffer), line if begins_name else len(self._buffer))
        out, self._buffer = self._buffer[:cut], self._buffer[cut:]
        return out

    def rest(self) -> str:
        """The text that was held back for a mark that did not come."""
        rest, self._buffer = self._buffer, ""
        return rest

    @property
    def looks_like_calls(self) -> bool:
        """Whether the held text is a call that could not be read, and not an answer with braces."""
        return (
            self._named.search(self.held) is not None
            or re.match(r"\s*(?:<tool_call|<function|<invoke|<\||\[TOOL_CALLS|<｜tool)", self.held) is not None
        )


def parse_calls(text: str) -> list[Call]:
    """The tool calls in `text`; empty if it has none that are whole. Nothing is completed or corrected."""
    return [*_tagged(text)] or [*_in_json(text)] or _as_python(text)


def _tagged(text: str) -> Iterator[Call]:
    for match in _FUNCTION.finditer(text):
        values = {m["key"]: _value(m["value"]) for m in _PARAMETER.finditer(match["body"])}
        body = match["body"].strip()
        if not values and body:
            try:
                values = json.loads(body)
            except ValueError:
                continue
        if isinstance(values, dict):
            yield match["name"], values
    if not _FUNCTION.search(text):
        for match in re.finditer(r"<(?P<name>[a-z]+(?:_[a-z]+)+)>(?P<body>\s*<.*?)</(?P=name)>", text, re.S):
            fields = re.findall(r"<(\w+)>(.*?)</\1>", match["body"], re.S)
            if fields and match["name"] not in ("tool_call", "tool_calls", "function_call", "function_calls"):
                yield match["name"], {key: _value(value) for key, value in fields}


def _value(text: str) -> Any:
    text = text.strip()
    try:
        return json.loads(text)
    except ValueError:
        return text


def _in_json(text: str) -> Iterator[Call]:
    decoder, at = json.JSONDecoder(), 0
    while (at := min((n for n in (text.find("{", at), text.find("[", at)) if n >= 0), default=-1)) >= 0:
        try:
            value, end = decoder.raw_decode(text, at)
        except ValueError:
            # Mistral writes the name before the arguments; a bare `[` belongs to a mark.
            at += 1
            continue
        calls = list(_calls_of(value))
        before = re.search(r"(?<![a-z])([a-z]+(?:_[a-z]+)+)(?:\[ARGS\]|<[^<>]*>|\s|to=functions\.|\bjson\b)*\Z", text[:at])
        if not calls and before and isinstance(value, dict):
            calls = [(before[1], value)]
        yield from calls
        at = end


def _calls_of(value: Any) -> Iterator[Call]:
    if isinstance(value, list):
        for item in value:
            yield from _calls_of(item)
    elif isinstance(value, dict):
        if isinstance(inner := value.get("tool_calls") or value.get("function"), list | dict):
            yield from _calls_of(inner)
            return
        name = next((value[key] for key in _NAME_KEYS if isinstance(value.get(key), str)), None)
        arguments = next((value[key] for key in _ARGUMENT_KEYS if key in value), None)
        if isinstance(arguments, str):
            arguments = _value(arguments)
        if name and isinstance(arguments, dict):
            yield name, arguments


def _as_python(text: str) -> list[Call]:
    """Calls as Llama writes them: `[search(query="rent")]`."""
    match = _LINE_CALL.search(re.sub(r"```\w*|<\|python_tag\|>", "", text))
    if match is None:
        return []
    try:
        tree = ast.parse(f"[{match['call']}]", mode="eval").body
    except (SyntaxError, ValueError, RecursionError):
        return []
    calls: list[Call] = []
    for node in tree.elts if isinstance(tree, ast.List) else []:
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name) or node.args:
            return []
        try:
            calls.append((node.func.id, {str(k.arg): ast.literal_eval(k.value) for k in node.keywords if k.arg}))
        except ValueError:
            return []
    return calls
