"""An item of a list is shown with the words that introduce it."""

from __future__ import annotations

from typing import Any

import pytest

from orderly.services.questions.presence import DocumentAnswer
from orderly.services.questions.shown_lists import with_lists
from orderly.services.text import RevisionView

LIST = """7. Confidentiality

7.1 Each party must:
(a) not disclose any Confidential Information;
(b) use it for the Purpose only; and
(c) return it on request.

7.2 The obligations end after three years.

8. Notices

8.1 A notice is given in writing.
"""


def view_of(text: str) -> RevisionView:
    document: Any = {"id": "d", "filename": "d", "matter_id": "m", "status": "ready", "status_reason": ""}
    document["revision"] = {"id": "r", "paged": False, "health": {}}
    row: Any = {"document": document, "text": text, "pages": [], "sections": []}
    return RevisionView(row)


def shown(view: RevisionView, words: str, question: str) -> list[str]:
    start = view.text.index(words)
    passage = view.passage(start, start + len(words))
    answer = with_lists(DocumentAnswer("d", "d", "answer", (passage,)), view, question)
    return [" ".join(p.text.split()) for p in answer.passages]


@pytest.mark.parametrize("question", ["What are the confidentiality obligations?", "May it be disclosed?"])
def test_a_short_list_is_shown_whole_with_its_lead_in(question: str) -> None:
    assert shown(view_of(LIST), "use it for the Purpose only;", question) == [
        "Each party must: (a) not disclose any Confidential Information; (b) use it for the Purpose only; and (c) return it on request."
    ]


def test_an_item_of_a_long_list_is_shown_behind_its_lead_in() -> None:
    filler = "".join(
        f"({letter}) keep the register of part {letter} complete and in good order at all times;\n"
        for letter in "defghijklmnopqr"
    )
    view = view_of(LIST.replace("(b) use", f"{filler}(z) use"))
    (text,) = shown(view, "use it for the Purpose only;", "May it be used?")
    assert text.startswith("Each party must: (a) not disclose") and text.endswith("use it for the Purpose only;")
    assert shown(view, "use it for the Purpose only;", "What are the obligations?")[0].endswith("(c) return it on request.")


def test_a_heading_introduces_no_list() -> None:
    assert shown(view_of(LIST), "A notice is given in writing.", "How is a notice given?") == ["A notice is given in writing."]


def test_words_that_introduce_a_list_are_shown_with_its_items_and_not_with_the_next_clause() -> None:
    text = "5.1 The Company may end the employment if you:\n\na) steal;\n\nb) lie; or\n\nc) stay away.\n\n5.2 You may resign as follows: today.\n"
    [found] = shown(view_of(text), "The Company may end the employment if you:", "When may the employment end?")
    assert found.endswith("c) stay away.") and "5.2" not in found
