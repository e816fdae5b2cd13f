"""OpenAI's chat completions on top of responses: request, completion object and chunks."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

from orderly.api.responses.events import Event
from orderly.api.responses.input_items import MOST_CHARACTERS, MOST_ITEMS
from orderly.api.responses.requests import MODEL, ResponseRequest
from orderly.errors import Invalid

MATTER = "matter"
"""Key of `metadata` that names the matter."""


class ChatPart(BaseModel):
    """A part of a message: `text`, `image_url` or `file`, in OpenAI's format."""

    model_config = ConfigDict(extra="ignore")

    type: str = Field(max_length=50)
    text: str | None = Field(default=None, max_length=MOST_CHARACTERS)
    image_url: dict[str, Any] | None = None
    file: dict[str, Any] | None = None
    refusal: str | None = None


class ChatMessage(BaseModel):
    model_config = ConfigDict(extra="ignore")

    role: Literal["system", "developer", "user", "assistant"]
    content: Annotated[str, Field(max_length=MOST_CHARACTERS)] | list[ChatPart] | None = None


class StreamOptions(BaseModel):
    model_config = ConfigDict(extra="ignore")

    include_usage: bool = False


class CompletionRequest(BaseModel):
    """Sampling options are ignored: the installation chooses the model."""

    model_config = ConfigDict(extra="ignore")

    model: str = MODEL
    messages: list[ChatMessage] = Field(min_length=1, max_length=MOST_ITEMS)
    stream: bool = False
    stream_options: StreamOptions | None = None
    n: Literal[1] | None = None
    tools: list[Any] | None = None
    metadata: dict[str, str] = Field(
        default_factory=dict, max_length=16, description="`matter`: the matter to ask, by id, number or slug."
    )

    @field_validator("tools")
    @classmethod
    def _own_tools_only(cls, tools: list[Any] | None) -> None:
        if tools:
            raise ValueError("Orderly works with its own tools: leave out tools.")

    def as_response(self) -> ResponseRequest:
        """The same request to the Responses API. It is not stored."""
        matter = self.metadata.get(MATTER)
        return ResponseRequest.model_validate(
            {
                "model": self.model,
                "input": [_item(message) for message in self.messages],
                "tools": [{"type": "file_search", "vector_store_ids": [matter]}] if matter else [],
                "store": False,
            }
        )


def _item(message: ChatMessage) -> dict[str, Any]:
    content = message.content or ""
    parts = content if isinstance(content, str) else [_part(part) for part in content]
    return {"type": "message", "role": message.role, "content": parts}


def _part(part: ChatPart) -> dict[str, Any]:
    if part.type == "image_url":
        return {"type": "input_image", "image_url": (part.image_url or {}).get("url")}
    if part.type == "file":
        return {
            "type": "input_file",
            **{k: v for k, v in (part.file or {}).items() if k in ("file_id", "file_data", "filename")},
        }
    if part.type == "refusal":
        return {"type": "refusal", "refusal": part.refusal or ""}
    if part.type != "text":
        raise Invalid(f"Parts of type {part.type} cannot be read here: send text, image_url or file.")
    return {"type": "text", "text": part.text or ""}


def completion(response: Mapping[str, Any], address: str) -> dict[str, Any]:
    """The completion object of a completed response. `address`: of the server, for links to the documents."""
    texts = [part for item in response["output"] if item["type"] == "message" for part in item["content"]]
    message = {
        "role": "assistant",
        "content": "\n\n".join(part["text"] for part in texts),
        "refusal": None,
        "annotations": [_link(annotation, address) for part in texts for annotation in part["annotations"]],
    }
    choice = {"index": 0, "message": message, "finish_reason": "stop", "logprobs": None}
    return {**_head(response, "chat.completion"), "choices": [choice], "usage": _usage(response)}


def _usage(response: Mapping[str, Any]) -> dict[str, int]:
    counted = response["usage"]
    names = {"prompt_tokens": "input_tokens", "completion_tokens": "output_tokens", "total_tokens": "total_tokens"}
    return {name: counted[here] for name, here in names.items()}


def _link(citation: Mapping[str, Any], address: str) -> dict[str, Any]:
    """A citation as chat completions have it, with a link to the document on the page, and the fields of a `file_citation`."""
    url = f"{address}/app?document={citation['file_id']}"
    place = {"start_index": citation["index"], "end_index": citation["index"]}
    return {**citation, "type": "url_citation", "url_citation": {**place, "title": citation["filename"], "url": url}}


async def chunks(
    events: AsyncIterator[tuple[Event, dict[str, Any]]], address: str, *, with_usage: bool
) -> AsyncIterator[dict[str, Any]]:
    """The chunks of a streamed completion. The one that ends it holds the annotations, or is an error object."""
    written = False
    async for event, response in events:
        if event["type"] == "response.created":
            yield _chunk(response, {"role": "assistant", "content": ""})
        elif event["type"] == "response.content_part.added" and written:
            yield _chunk(response, {"content": "\n\n"})
        elif event["type"] == "response.output_text.delta":
            written = True
            yield _chunk(response, {"content": event["delta"]})
        elif event["type"] == "response.completed":
            annotations = completion(response, address)["choices"][0]["message"]["annotations"]
            yield _chunk(response, {"annotations": annotations} if annotations else {}, "stop")
            if with_usage:
                yield {**_head(response, "chat.completion.chunk"), "choices": [], "usage": _usage(response)}
        elif event["type"] == "response.failed":
            yield {"error": {"message": response["error"]["message"], "type": "server_error", "param": None, "code": None}}


def _chunk(response: Mapping[str, Any], delta: dict[str, Any], finish_reason: str | None = None) -> dict[str, Any]:
    choice = {"index": 0, "delta": delta, "finish_reason": finish_reason, "logprobs": None}
    return {**_head(response, "chat.completion.chunk"), "choices": [choice]}


def _head(response: Mapping[str, Any], kind: str) -> dict[str, Any]:
    identity = str(response["id"]).removeprefix("resp_")
    return {"id": f"chatcmpl-{identity}", "object": kind, "created": response["created_at"], "model": MODEL}
