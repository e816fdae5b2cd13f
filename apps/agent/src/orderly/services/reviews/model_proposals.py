"""What a language model proposes for the cells that rules left open: quotation and value, both checked against the document.

One reading of the document serves all of its open columns. A quotation that is not in the document is dropped. A value is found
if the quotation states it; else the cell is a candidate.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from orderly.errors import ModelFailed
from orderly.prompts import prompt
from orderly.services.completions import PromptModel
from orderly.services.reviews.cell_answers import MOST_SPANS, CellAnswer
from orderly.services.reviews.stated_values import proposed_value
from orderly.services.text import RevisionView, find_occurrences
from orderly.store.functions.review_cells import AnswerType
from orderly.store.functions.reviews import WaitingColumn

OVERLAP = 1_000
"""Characters that two parts of a long document share, so that no quotation is cut."""

FORMS: dict[AnswerType, str] = {
    "text": "a few words",
    "date": "a date, such as 2026-03-01",
    "duration": "a period, such as 90 days",
    "money": "an amount with its currency, such as AUD 1,500.00",
    "number": "a number",
    "yes_no": "yes or no",
    "jurisdiction": "a state or country",
    "parties": "names, divided by semicolons",
    "choice": "one of: ",
}

NOT_STATED = "Proposed by the language model: the document has these words, but they do not state this value for certain."
NOT_ASKED = "The language model could not be asked: {reason}"


@dataclass(frozen=True, slots=True)
class Proposer:
    model: PromptModel
    part_characters: int
    """Characters of a document that one request holds."""

    async def improve(self, view: RevisionView, answers: Sequence[CellAnswer]) -> list[CellAnswer]:
        """The answers, each replaced by a checked proposal that is better. A request holds all columns that are still open."""
        best = {answer.column["id"]: answer for answer in answers}
        for part in _parts(view.text, self.part_characters):
            still_open = [answer.column for answer in best.values() if answer.state != "found"]
            if not still_open:
                break
            try:
                proposals = _read_reply(await self.model.complete(_prompt(part, still_open)), still_open)
            except ModelFailed as failure:
                note = NOT_ASKED.format(reason=failure.message)
                return [a if a.state == "found" else replace(a, note=f"{a.note} {note}".strip()) for a in best.values()]
            for column, quotation, value in proposals:
                checked = self._check(view, column, quotation, value)
                known = best[column["id"]]
                if checked is not None and (checked.state == "found" or not _has_value(known)):
                    best[column["id"]] = replace(
                        checked, spans=list(dict.fromkeys((*checked.spans, *known.spans)))[:MOST_SPANS]
                    )
        return list(best.values())

    def _check(self, view: RevisionView, column: WaitingColumn, quotation: str, value: str) -> CellAnswer | None:
        """The answer that a proposal gives; None if the document does not have its quotation."""
        span = next(find_occurrences(quotation, view.text), None)
        if span is None:
            return None
        words = " ".join(view.text[slice(*span)].split())
        read, is_stated = proposed_value(column["answer_type"], words, value, column["options"])
        note = "" if is_stated else NOT_STATED
        return CellAnswer(column, "found" if is_stated else "candidate", read, [span], model=self.model.name, note=note)


def _has_value(answer: CellAnswer) -> bool:
    """Whether a value was read, or a text found, and not only words from which a person reads the value."""
    return answer.value is not None and (answer.value["type"] == "text" or len(answer.value) > len(("type", "text")))


def _prompt(text: str, columns: Sequence[WaitingColumn]) -> str:
    listed = "\n".join(f"{n}. {c['title']}: {c['question']} ({_form(c)})" for n, c in enumerate(columns, 1))
    before, after = prompt("cells").replace("$columns", listed).replace("$fence", secrets.token_hex(8)).split("$text")
    return before + text + after


def _form(column: WaitingColumn) -> str:
    return FORMS[column["answer_type"]] + ", ".join(column["options"] if column["answer_type"] == "choice" else ())


def _parts(text: str, most: int) -> Iterator[str]:
    for start in range(0, max(len(text) - OVERLAP, 1), most - OVERLAP):
        yield text[start : start + most]


def _read_reply(reply: str, columns: Sequence[WaitingColumn]) -> Iterator[tuple[WaitingColumn, str, str]]:
    """Column, quotation and value of each entry in its form. Raises ModelFailed if the reply is no JSON object."""
    begin, end = reply.find("{"), reply.rfind("}") + 1
    try:
        read: Any = json.loads(reply[begin:end])
    except ValueError as exc:
        raise ModelFailed("unreadable", "its reply could not be read.") from exc
    entries = read.get("cells") if isinstance(read, dict) else None
    for entry in entries if isinstance(entries, list) else ():
        number, quotation, value = (
            entry.get(key) if isinstance(entry, dict) else None for key in ("column", "quotation", "value")
        )
        if isinstance(number, int) and 0 < number <= len(columns) and isinstance(quotation, str) and value is not None:
            yield columns[number - 1], quotation.strip(), str(value).strip()
