"""Short ids of passages, and earlier answers as a model reads them again."""

from __future__ import annotations

from typing import Any

import pytest
from langchain_core.messages import AIMessage

from orderly.agent.middleware.short_ids import as_read_again, passage_handle

RECORD = {"document_id": "d", "paged": True, "page_first": 3, "section_label": "", "section_title": ""}


@pytest.mark.parametrize(
    ("record", "handle", "again"),
    [
        ({"section_label": "6.2"}, "D1 6.2", "D1 P1"),
        ({"section_label": "Section 6.2(a)"}, "D1 6.2(a)", "D1 P1"),
        ({"section_label": "Schedule 1, Section 2"}, "D1 Schedule 1, 2", "D1 P1"),
        ({"section_label": "[42]"}, "D1 ¶42", "D1 P1"),
        ({"section_title": "Message 3"}, "D1 Message 3", "D1 P1"),
        ({"section_title": "A title " * 9}, "D1 P1", "D1 P2"),
        ({}, "D1 P1", "D1 P2"),
    ],
)
def test_a_passage_has_the_id_by_which_it_is_cited(record: dict[str, Any], handle: str, again: str) -> None:
    handles: dict[str, str] = {}
    handles["one"] = passage_handle(RECORD | record, handles)
    assert (handles["one"], handles["d"], passage_handle(RECORD | record, handles)) == (handle, "D1", again)


def test_an_earlier_answer_is_read_without_its_ending_and_with_ids_in_place_of_its_numbers() -> None:
    body = "The rent [1] is due [2]. As held at [3], so [4]."
    marks = [*(body.index(f"[{n}]") for n in (1, 2, 4)), len(body) + 13]
    kwargs = {"body": len(body), "source_marks": marks, "checks": [{"reason": "Check"}]}
    message = AIMessage(f"{body}\n\nSources:\n- [1] a.pdf", additional_kwargs=kwargs)
    cited = [
        {"number": 1, "section_label": "6.2"},
        {"number": 2},
        {"number": 3},
        {"number": 4, "document_id": "e", "paged": False},
    ]
    read = as_read_again(message, [RECORD | one for one in cited], handles := {})
    assert read.content == "The rent [D1 6.2] is due [D1 p 3]. As held at [3], so [D2]."
    assert handles == {"d": "D1", "e": "D2"}
    assert as_read_again(plain := AIMessage("No [1]."), cited, {}) is plain
