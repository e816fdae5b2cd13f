"""The scripted chat endpoint of the evaluation, for tests."""

from __future__ import annotations

from orderly.evaluation.model_script.peer import (
    FENCE,
    Failure,
    Reply,
    Script,
    ScriptedModel,
    Stream,
    raw_texts,
    serve,
    texts,
    tool_names,
)

__all__ = ["FENCE", "Failure", "Reply", "Script", "ScriptedModel", "Stream", "raw_texts", "serve", "texts", "tool_names"]
