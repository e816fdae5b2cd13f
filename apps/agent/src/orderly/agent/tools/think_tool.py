from __future__ import annotations

from langchain_core.tools import tool


@tool(parse_docstring=True)
async def think_tool(reflection: str) -> str:
    """Plan the next step or weigh what was found, before acting on it.

    Nothing is read or changed. Use it to decide which documents matter, what is still missing, and whether the
    passages found really answer the question.

    Args:
        reflection: What is known, what is missing, and what to do next
    """
    return f"Reflection recorded: {reflection}"
