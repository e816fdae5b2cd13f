"""Input of the Responses API and of chat completions: messages, earlier turns, instructions and files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Discriminator, Field, Tag

from orderly.errors import Invalid

MOST_CHARACTERS = 1_000_000
MOST_INSTRUCTIONS = 20_000
"""Characters of instructions, with system and developer messages."""
MOST_ITEMS = 500
MOST_FILES = 10
"""Files in the input of one response."""

FUNCTION_ITEMS = ("function_call", "function_call_output", "custom_tool_call", "custom_tool_call_output")


class TextPart(BaseModel):
    model_config = ConfigDict(extra="ignore")

    type: Literal["input_text", "text", "output_text"] = "input_text"
    text: str = Field(max_length=MOST_CHARACTERS)


class RefusalPart(BaseModel):
    model_config = ConfigDict(extra="ignore")

    type: Literal["refusal"]
    refusal: str


class FilePart(BaseModel):
    """A file for the conversation: its content, or a document that the caller may read."""

    model_config = ConfigDict(extra="ignore")

    type: Literal["input_file"]
    file_id: str | None = Field(default=None, max_length=200)
    file_data: str | None = Field(default=None, description="Base64, with or without `data:…;base64,`.")
    filename: str | None = Field(default=None, max_length=255)
    file_url: str | None = Field(default=None, description="Refused: this server fetches nothing from addresses.")


class ImagePart(BaseModel):
    """A picture, which becomes a document of the conversation and is read by OCR."""

    model_config = ConfigDict(extra="ignore")

    type: Literal["input_image"]
    image_url: str | None = Field(default=None, description="`data:image/…;base64,…`; other addresses are refused.")
    file_id: str | None = Field(default=None, max_length=200)


Part = Annotated[TextPart | RefusalPart | FilePart | ImagePart, Field(discriminator="type")]


class Message(BaseModel):
    model_config = ConfigDict(extra="ignore")

    type: Literal["message"] = "message"
    role: Literal["user", "assistant", "system", "developer"]
    content: Annotated[str, Field(max_length=MOST_CHARACTERS)] | list[Part]


class OtherItem(BaseModel):
    """An item of an earlier response that a client sends back, such as a search call; only its type is read."""

    model_config = ConfigDict(extra="ignore")

    type: str = Field(max_length=100)


def _kind(item: Any) -> str:
    kind = item.get("type", "message") if isinstance(item, dict) else getattr(item, "type", "message")
    return "message" if kind == "message" else "other"


Item = Annotated[Annotated[Message, Tag("message")] | Annotated[OtherItem, Tag("other")], Discriminator(_kind)]


@dataclass(frozen=True, slots=True)
class Asked:
    """What a request asks."""

    questions: tuple[str, ...]
    """The user's messages, in order; the last is the question."""
    instructions: str
    """The client's instructions, system and developer messages."""
    earlier_answers: tuple[str, ...]
    """The assistant's messages as the client sent them. They are not verified."""
    files: tuple[FilePart | ImagePart, ...]
    """Files of the user's messages."""


def read_input(given: str | Sequence[Message | OtherItem], instructions: str | None) -> Asked:
    """Sorts the input. Raises Invalid for empty input, tool calls of the client, and a last message that is not the user's."""
    items: Sequence[Message | OtherItem] = [Message(role="user", content=given)] if isinstance(given, str) else given
    if any(isinstance(item, OtherItem) and item.type in FUNCTION_ITEMS for item in items):
        raise Invalid("Orderly works with its own tools: function calls of the client cannot be part of the input.")
    messages = [item for item in items if isinstance(item, Message)]
    told = [text for text in [instructions or "", *_texts(messages, "system", "developer")] if text.strip()]
    questions = [text for text in _texts(messages, "user") if text.strip()]
    if not questions:
        raise Invalid("The input is empty: it needs a message of the user.")
    if next(m.role for m in reversed(messages) if m.role in ("user", "assistant")) != "user":
        raise Invalid("The last message of the input must be the user's.")
    if sum(map(len, told)) > MOST_INSTRUCTIONS:
        raise Invalid(f"Instructions may have {MOST_INSTRUCTIONS:,} characters in all.")
    files = tuple(part for m in messages if m.role == "user" and not isinstance(m.content, str) for part in _files(m.content))
    if len(files) > MOST_FILES:
        raise Invalid(f"One response takes at most {MOST_FILES} files.")
    return Asked(tuple(questions), "\n\n".join(told), tuple(_texts(messages, "assistant")), files)


def _texts(messages: Sequence[Message], *roles: str) -> list[str]:
    return [_text(message.content) for message in messages if message.role in roles]


def _text(content: str | list[Part]) -> str:
    return content if isinstance(content, str) else "\n".join(part.text for part in content if isinstance(part, TextPart))


def _files(content: list[Part]) -> list[FilePart | ImagePart]:
    return [part for part in content if isinstance(part, FilePart | ImagePart)]
