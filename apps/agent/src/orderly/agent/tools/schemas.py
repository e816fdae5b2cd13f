"""Tool schemas as models receive them, without what costs tokens and says nothing."""

from __future__ import annotations

from typing import Any

OMITTED = frozenset({"title", "default"})
"""Keys of a parameter that are left out: its description names a default that matters."""

SELDOM = {
    "ask_documents": {"first"},
    "isaacus_search": {"mode"},
    "search_keyword": {"case_sensitive", "context_lines", "limit", "offset"},
    "list_matter_documents": {"content_type"},
    "read": {"limit", "offset"},
}
"""Parameters that a language model is not shown, by tool: a result that has more names them. A call with one is accepted."""

SHORTER = {
    ("isaacus_classify", "clause_types"): "Clause types to find (default: ten standard ones)",
    ("task", "description"): "The whole question, the matter, the documents",
    ("task", "subagent_type"): "document-agent",
}
"""Descriptions that are longer in the declaration, for people or of a library."""


def compact_schema(tool: dict[str, Any]) -> dict[str, Any]:
    """Returns an OpenAI tool whose optional parameters have one type, and whose descriptions have no line breaks.

    `null` is left out of the types: `arguments.lenient` accepts it for every optional parameter.
    """
    function = tool["function"]
    parameters = function.get("parameters") or {"type": "object", "properties": {}}
    tool_name, properties = function["name"], {}
    for name, value in parameters.get("properties", {}).items():
        if name not in SELDOM.get(tool_name, ()):
            properties[name] = _compact(value)
        if (tool_name, name) in SHORTER:
            properties[name]["description"] = SHORTER[tool_name, name]
    compacted = {
        "name": function["name"],
        "description": " ".join(function.get("description", "").split()),
        "parameters": {**{k: v for k, v in parameters.items() if k not in OMITTED}, "properties": properties},
    }
    return {**tool, "function": compacted}


def _compact(parameter: dict[str, Any]) -> dict[str, Any]:
    kinds = [kind for kind in parameter.get("anyOf", ()) if kind.get("type") != "null"]
    merged = {**kinds[0], **{k: v for k, v in parameter.items() if k != "anyOf"}} if len(kinds) == 1 else parameter
    kept = {key: value for key, value in merged.items() if key not in OMITTED}
    if "description" in kept:
        kept["description"] = " ".join(kept["description"].split())
    return kept
