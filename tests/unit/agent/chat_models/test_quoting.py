"""Quotations of clauses: without numbers, titles and cut words."""

from __future__ import annotations

import pytest

from orderly.agent.chat_models.quoting import clause_parts

ENDS = "The Client may end this agreement on 120 days' notice."
BREACH = "Either party may end it at once if the other is insolvent."


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        (f"9. Termination 9.1 {ENDS} 9.2 {BREACH}", [ENDS, BREACH]),
        (f"9.1 {ENDS} 9.2 Either party may, if the other...", [ENDS]),
        (f"9.1 {ENDS} {BREACH} The Client...", [f"{ENDS} {BREACH}"]),
        (f"4. Ending. {ENDS}", [ENDS]),
        (f"### 9.1 {ENDS} ### 9.2 {BREACH}", [ENDS, BREACH]),
        (f"## 9. Termination 9.1 {ENDS}", [ENDS]),
        (f"## {ENDS}", [ENDS]),
        ("Clause 7.1 does not limit liability for death.", ["Clause 7.1 does not limit liability for death."]),
        (f"{ENDS[:-1]} under clause 9.2 and...", [f"{ENDS[:-1]} under clause 9.2 and..."]),
    ],
)
def test_a_clause_is_quoted_in_its_sub_clauses(text: str, parts: list[str]) -> None:
    assert clause_parts(text) == parts
