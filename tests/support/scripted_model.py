"""The scripted chat endpoint of the evaluation, for tests."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[2] / "evals"))  # for programs, which pytest does not start

from orderly_evaluation.model_script.peer import (
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
