"""Response objects and their streaming events, in OpenAI's order and format (openai-python, types/responses)."""

from __future__ import annotations

import time
import uuid
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from orderly.agent.middleware.answer_record import cited_in
from orderly.agent.middleware.gated_chat_model import CHECKS
from orderly.api.responses.requests import INCLUDE_RESULTS, MODEL, ResponseRequest

Event = dict[str, Any]
TEXT_FIELDS = ("chunk_text", "text")
"""Fields of a search result that are returned only on request (`include`)."""


class ResponseEvents:
    """Builds one response. Each method yields the events of one step; sequence numbers run through the response."""

    def __init__(self, request: ResponseRequest, thread_id: str) -> None:
        self._full_results = INCLUDE_RESULTS in request.include
        self._number = 0
        self._searches: dict[str, int] = {}
        self._message: tuple[str, dict[str, Any]] | None = None
        """Id and position of the message that is being streamed."""
        self._text = ""
        self.streamed_ids: set[str] = set()
        """Ids of the messages whose text was sent."""
        # Holds the complete search results: a stored response can be fetched later with a larger `include`.
        self.full_body: dict[str, Any] = {
            "id": f"resp_{uuid.uuid4().hex}",
            "object": "response",
            "created_at": int(time.time()),
            "status": "in_progress",
            "error": None,
            "incomplete_details": None,
            "instructions": request.instructions,
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
        """The response object, with the search results that `include` asks for."""
        return {**self.full_body, "output": [self._visible_item(item) for item in self.full_body["output"]]}

    def begin(self) -> Iterator[Event]:
        yield self._event("response.created", response=self.body)
        yield self._event("response.in_progress", response=self.body)

    def search(self, data: Mapping[str, Any]) -> Iterator[Event]:
        """Converts a custom event of the search tool."""
        if self._message is not None:
            yield from self.finish_text()
        stage = data["type"].rsplit(".", 1)[1]
        item_id = data["item_id"]
        if item_id not in self._searches:
            item = {
                "type": "file_search_call",
                "id": item_id,
                "status": "in_progress",
                "queries": data["queries"],
                "results": None,
            }
            self._searches[item_id] = len(self.full_body["output"])
            self.full_body["output"].append(item)
            yield self._event("response.output_item.added", output_index=self._searches[item_id], item=dict(item))
        index = self._searches[item_id]
        yield self._event(data["type"], item_id=item_id, output_index=index)
        if stage == "completed":
            item = self.full_body["output"][index]
            item["status"] = "completed"
            item["results"] = [dict(result) for result in data["results"]]
            yield self._event("response.output_item.done", output_index=index, item=self._visible_item(item))

    def _visible_item(self, item: Mapping[str, Any]) -> dict[str, Any]:
        return dict(item) if self._full_results else without_text(item)

    def text(self, message_id: str, delta: str) -> Iterator[Event]:
        """Adds a text delta to a message of the assistant; `finish_text` completes the message."""
        if self._message is not None and self._message[0] != message_id:
            yield from self.finish_text()
        if self._message is None:
            item_id, index = f"msg_{uuid.uuid4().hex}", len(self.full_body["output"])
            self._message, self._text = (message_id, {"item_id": item_id, "output_index": index, "content_index": 0}), ""
            self.streamed_ids.add(message_id)
            self.full_body["output"].append(_message_item(item_id, "in_progress", []))
            yield self._event("response.output_item.added", output_index=index, item=dict(self.full_body["output"][index]))
            yield self._event("response.content_part.added", **self._message[1], part=_text_part("", []))
        self._text += delta
        yield self._event("response.output_text.delta", **self._message[1], delta=delta, logprobs=[])

    @property
    def open_message(self) -> str | None:
        """Id of the message that is being streamed."""
        return self._message[0] if self._message else None

    def finish_text(self, values: Mapping[str, Any] | None = None) -> Iterator[Event]:
        """Completes the open message. Its record in the run's state gives the annotations and the checks."""
        assert self._message is not None
        place, text = self._message[1], self._text
        values = values or {}
        record = _record(self._message[0], values)
        annotations = file_citations(text, cited_in(record, values.get("citations") or []))
        for number, annotation in enumerate(annotations):
            yield self._event("response.output_text.annotation.added", **place, annotation_index=number, annotation=annotation)
        yield self._event("response.output_text.done", **place, text=text, logprobs=[])
        part = _text_part(text, annotations) | ({"checks": record[CHECKS]} if CHECKS in record else {})
        yield self._event("response.content_part.done", **place, part=part)
        item = self.full_body["output"][place["output_index"]]
        item.update(status="completed", content=[part])
        self._message = None
        yield self._event("response.output_item.done", output_index=place["output_index"], item=dict(item))

    def count(self, usage: Mapping[str, Any]) -> None:
        """Adds the tokens of one call of the chat model, as its endpoint counts them."""
        counted = self.full_body["usage"] = self.full_body["usage"] or no_usage()
        for field in ("input_tokens", "output_tokens", "total_tokens"):
            counted[field] += usage.get(field) or 0

    def complete(self) -> Iterator[Event]:
        self.full_body["usage"] = self.full_body["usage"] or no_usage()
        self.full_body["status"] = "completed"
        yield self._event("response.completed", response=self.body)

    def fail(self, code: str, message: str) -> Iterator[Event]:
        if self._message is not None:
            yield from self.finish_text()
        for item in self.full_body["output"]:
            item["status"] = "failed" if item["status"] == "in_progress" else item["status"]
        self.full_body.update(status="failed", error={"code": code, "message": message})
        yield self._event("response.failed", response=self.body)

    def _event(self, kind: str, **fields: Any) -> Event:
        event = {"type": kind, "sequence_number": self._number, **fields}
        self._number += 1
        return event


def no_usage() -> dict[str, Any]:
    details = {"input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}
    return {"input_tokens": 0, "output_tokens": 0, "total_tokens": 0, **details}


def without_text(item: Mapping[str, Any]) -> dict[str, Any]:
    """An output item without the text of its search results. `text` stays as "", since some clients need the field."""
    if not item.get("results"):
        return dict(item)
    results = [{**{k: v for k, v in result.items() if k not in TEXT_FIELDS}, "text": ""} for result in item["results"]]
    return {**item, "results": results}


def _message_item(item_id: str, status: str, content: list[dict[str, Any]]) -> dict[str, Any]:
    return {"type": "message", "id": item_id, "role": "assistant", "status": status, "content": content}


def _text_part(text: str, annotations: list[dict[str, Any]]) -> dict[str, Any]:
    return {"type": "output_text", "text": text, "annotations": annotations, "logprobs": []}


def _record(message_id: str, values: Mapping[str, Any]) -> Mapping[str, Any]:
    found = [m.get("additional_kwargs") for m in values.get("messages") or () if m.get("id") == message_id]
    return (found[0] if found else None) or {}


def file_citations(text: str, citations: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """One `file_citation` per citation of an answer; `index`: the end of the quotation, else of its mark, else of the text."""
    found = []
    for citation in citations:
        mark = text.find(f"[{citation['number']}]")
        mark = len(text) if mark < 0 else mark  # of a draft, which carries no numbers
        quoted = text.rfind(citation["text"], 0, mark)
        annotation = {
            "type": "file_citation",
            "file_id": citation["document_id"],
            "filename": citation["document_name"],
            "index": quoted + len(citation["text"]) if quoted >= 0 else mark,
            "standing": citation.get("standing", "answer"),
        }
        found.append(annotation)
    return sorted(found, key=lambda annotation: int(annotation["index"]))
