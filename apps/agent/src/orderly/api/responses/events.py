"""Response objects, and the events that build one up, in OpenAI's order and shapes (openai-python, types/responses)."""

from __future__ import annotations

import time
import uuid
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from orderly.api.responses.requests import INCLUDE_RESULTS, MODEL, ResponseRequest

Event = dict[str, Any]

PIECE = 60
"""Characters of text in one delta."""


class ResponseEvents:
    """One response as it comes about. Every method yields the events of one step, numbered through."""

    def __init__(self, request: ResponseRequest, thread_id: str) -> None:
        self._full_results = INCLUDE_RESULTS in request.include
        self._number = 0
        self._searches: dict[str, int] = {}
        self.body: dict[str, Any] = {
            "id": f"resp_{uuid.uuid4().hex}",
            "object": "response",
            "created_at": int(time.time()),
            "status": "in_progress",
            "error": None,
            "incomplete_details": None,
            "instructions": None,
            "max_output_tokens": None,
            "metadata": request.metadata,
            "model": MODEL,
            "output": [],
            "parallel_tool_calls": False,
            "previous_response_id": request.previous_response_id,
            "conversation": {"id": thread_id},
            "store": request.store,
            "temperature": None,
            "text": {"format": {"type": "text"}},
            "tool_choice": "auto",
            "tools": [tool.model_dump() for tool in request.tools],
            "top_p": None,
            "truncation": "disabled",
            "usage": None,
        }

    def begin(self) -> Iterator[Event]:
        yield self._event("response.created", response=dict(self.body))
        yield self._event("response.in_progress", response=dict(self.body))

    def search(self, told: Mapping[str, Any]) -> Iterator[Event]:
        """From a custom event of the search tool."""
        stage = told["type"].rsplit(".", 1)[1]
        item_id = told["item_id"]
        if item_id not in self._searches:
            item = {
                "type": "file_search_call",
                "id": item_id,
                "status": "in_progress",
                "queries": told["queries"],
                "results": None,
            }
            self._searches[item_id] = len(self.body["output"])
            self.body["output"].append(item)
            yield self._event("response.output_item.added", output_index=self._searches[item_id], item=dict(item))
        index = self._searches[item_id]
        yield self._event(told["type"], item_id=item_id, output_index=index)
        if stage == "completed":
            item = self.body["output"][index]
            item["status"] = "completed"
            item["results"] = [self._result(result) for result in told["results"]]
            yield self._event("response.output_item.done", output_index=index, item=dict(item))

    def _result(self, result: Mapping[str, Any]) -> dict[str, Any]:
        hidden = () if self._full_results else ("chunk_text", "text")
        return {key: value for key, value in result.items() if key not in hidden}

    def answer(self, text: str, annotations: Sequence[Mapping[str, Any]]) -> Iterator[Event]:
        item_id, index = f"msg_{uuid.uuid4().hex}", len(self.body["output"])
        place = {"item_id": item_id, "output_index": index, "content_index": 0}
        item: dict[str, Any] = {"type": "message", "id": item_id, "role": "assistant", "status": "in_progress", "content": []}
        yield self._event("response.output_item.added", output_index=index, item=dict(item))
        empty: dict[str, Any] = {"type": "output_text", "text": "", "annotations": [], "logprobs": []}
        yield self._event("response.content_part.added", **place, part=empty)
        for at in range(0, len(text), PIECE):
            yield self._event("response.output_text.delta", **place, delta=text[at : at + PIECE], logprobs=[])
        for number, annotation in enumerate(annotations):
            yield self._event("response.output_text.annotation.added", **place, annotation_index=number, annotation=annotation)
        yield self._event("response.output_text.done", **place, text=text, logprobs=[])
        part = {**empty, "text": text, "annotations": list(annotations)}
        yield self._event("response.content_part.done", **place, part=part)
        item.update(status="completed", content=[part])
        self.body["output"].append(item)
        yield self._event("response.output_item.done", output_index=index, item=item)

    def complete(self) -> Iterator[Event]:
        self.body["status"] = "completed"
        yield self._event("response.completed", response=dict(self.body))

    def fail(self, code: str, message: str) -> Iterator[Event]:
        self.body.update(status="failed", error={"code": code, "message": message})
        yield self._event("response.failed", response=dict(self.body))

    def _event(self, kind: str, **fields: Any) -> Event:
        event = {"type": kind, "sequence_number": self._number, **fields}
        self._number += 1
        return event


def file_citations(text: str, citations: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """A file citation for every verified quotation, standing where the quotation ends in the answer."""
    found = []
    for citation in citations:
        at = text.find(citation["text"])
        index = at + len(citation["text"]) if at >= 0 else len(text)
        found.append(
            {
                "type": "file_citation",
                "file_id": citation["document_id"],
                "filename": citation["document_name"],
                "index": index,
            }
        )
    return found
