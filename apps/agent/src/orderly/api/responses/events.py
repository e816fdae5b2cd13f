"""Response objects, and the events that build one up, in OpenAI's order and shapes (openai-python, types/responses)."""

from __future__ import annotations

import time
import uuid
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from orderly.api.responses.requests import INCLUDE_RESULTS, MODEL, ResponseRequest

Event = dict[str, Any]
WORDS = ("chunk_text", "text")
"""What of a search result only comes where it is asked for."""


class ResponseEvents:
    """One response as it comes about. Every method yields the events of one step, numbered through."""

    def __init__(self, request: ResponseRequest, thread_id: str) -> None:
        self._full_results = INCLUDE_RESULTS in request.include
        self._number = 0
        self._searches: dict[str, int] = {}
        self._message: tuple[str, dict[str, Any]] | None = None
        """Id and place of the message whose words are coming."""
        self._written = ""
        self.told: set[str] = set()
        """Ids of the messages whose words were given."""
        # With all that the searches found: what is kept can be asked for with more than was asked for at first.
        self.whole: dict[str, Any] = {
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

    @property
    def body(self) -> dict[str, Any]:
        """The response object as this request is to see it."""
        return {**self.whole, "output": [self._shown(item) for item in self.whole["output"]]}

    def begin(self) -> Iterator[Event]:
        yield self._event("response.created", response=self.body)
        yield self._event("response.in_progress", response=self.body)

    def search(self, told: Mapping[str, Any]) -> Iterator[Event]:
        """From a custom event of the search tool."""
        if self._message is not None:
            yield from self.finish_text()
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
            self._searches[item_id] = len(self.whole["output"])
            self.whole["output"].append(item)
            yield self._event("response.output_item.added", output_index=self._searches[item_id], item=dict(item))
        index = self._searches[item_id]
        yield self._event(told["type"], item_id=item_id, output_index=index)
        if stage == "completed":
            item = self.whole["output"][index]
            item["status"] = "completed"
            item["results"] = [dict(result) for result in told["results"]]
            yield self._event("response.output_item.done", output_index=index, item=self._shown(item))

    def _shown(self, item: Mapping[str, Any]) -> dict[str, Any]:
        return dict(item) if self._full_results else without_words(item)

    def text(self, message_id: str, delta: str) -> Iterator[Event]:
        """Words of a message of the assistant, as they come. They are whole when `finish_text` is called."""
        if self._message is not None and self._message[0] != message_id:
            yield from self.finish_text()
        if self._message is None:
            item_id, index = f"msg_{uuid.uuid4().hex}", len(self.whole["output"])
            self._message, self._written = (message_id, {"item_id": item_id, "output_index": index, "content_index": 0}), ""
            self.told.add(message_id)
            self.whole["output"].append(_message_item(item_id, "in_progress", []))
            yield self._event("response.output_item.added", output_index=index, item=dict(self.whole["output"][index]))
            yield self._event("response.content_part.added", **self._message[1], part=_text_part("", []))
        self._written += delta
        yield self._event("response.output_text.delta", **self._message[1], delta=delta, logprobs=[])

    @property
    def open_message(self) -> str | None:
        """Id of the message whose words are coming."""
        return self._message[0] if self._message else None

    def finish_text(self, citations: Sequence[Mapping[str, Any]] = ()) -> Iterator[Event]:
        """`citations`: of the conversation so far; those that the message carries a mark of are its annotations."""
        assert self._message is not None
        place, text = self._message[1], self._written
        annotations = file_citations(text, citations)
        for number, annotation in enumerate(annotations):
            yield self._event("response.output_text.annotation.added", **place, annotation_index=number, annotation=annotation)
        yield self._event("response.output_text.done", **place, text=text, logprobs=[])
        part = _text_part(text, annotations)
        yield self._event("response.content_part.done", **place, part=part)
        item = self.whole["output"][place["output_index"]]
        item.update(status="completed", content=[part])
        self._message = None
        yield self._event("response.output_item.done", output_index=place["output_index"], item=dict(item))

    def complete(self) -> Iterator[Event]:
        self.whole["status"] = "completed"
        yield self._event("response.completed", response=self.body)

    def fail(self, code: str, message: str) -> Iterator[Event]:
        if self._message is not None:
            yield from self.finish_text()
        for item in self.whole["output"]:
            item["status"] = "failed" if item["status"] == "in_progress" else item["status"]
        self.whole.update(status="failed", error={"code": code, "message": message})
        yield self._event("response.failed", response=self.body)

    def _event(self, kind: str, **fields: Any) -> Event:
        event = {"type": kind, "sequence_number": self._number, **fields}
        self._number += 1
        return event


def without_words(item: Mapping[str, Any]) -> dict[str, Any]:
    """An item of output as it is without `include`: search results name what was found and don't hold its words."""
    if not item.get("results"):
        return dict(item)
    results = [{key: value for key, value in result.items() if key not in WORDS} for result in item["results"]]
    return {**item, "results": results}


def _message_item(item_id: str, status: str, content: list[dict[str, Any]]) -> dict[str, Any]:
    return {"type": "message", "id": item_id, "role": "assistant", "status": status, "content": content}


def _text_part(text: str, annotations: list[dict[str, Any]]) -> dict[str, Any]:
    return {"type": "output_text", "text": text, "annotations": annotations, "logprobs": []}


def file_citations(text: str, citations: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """A file citation for every verified quotation that has its mark in the text, standing where the quotation ends."""
    found = []
    for citation in citations:
        mark = text.find(f"[{citation['number']}]")
        if mark < 0:
            continue  # of an earlier answer
        quoted = text.rfind(citation["text"], 0, mark)
        annotation = {
            "type": "file_citation",
            "file_id": citation["document_id"],
            "filename": citation["document_name"],
            "index": quoted + len(citation["text"]) if quoted >= 0 else mark,
        }
        found.append(annotation)
    return sorted(found, key=lambda annotation: int(annotation["index"]))
