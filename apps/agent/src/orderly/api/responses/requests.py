"""What a client may send, in OpenAI's shapes."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from orderly.errors import Invalid

MODEL = "orderly"
INCLUDE_RESULTS = "file_search_call.results"
DEFAULT_RESULTS = 5
"""Of the file search door; elsewhere it is 10."""


class FileSearchTool(BaseModel):
    type: Literal["file_search"]
    vector_store_ids: list[str] = Field(default_factory=list, max_length=1, description="A matter: its id or number.")
    max_num_results: int = Field(default=DEFAULT_RESULTS, ge=1, le=50)


class InputText(BaseModel):
    type: Literal["input_text", "text"] = "input_text"
    text: str


class InputMessage(BaseModel):
    """Only the user speaks here: what the assistant said is in the conversation, and instructions are the installation's."""

    type: Literal["message"] = "message"
    role: Literal["user"]
    content: str | list[InputText]


class Conversation(BaseModel):
    id: str


class ResponseRequest(BaseModel):
    model_config = ConfigDict(extra="ignore")

    model: str = MODEL
    input: Annotated[str, Field(min_length=1, max_length=1_000_000)] | list[InputMessage]
    tools: list[FileSearchTool] = Field(default_factory=list, max_length=1)
    include: list[str] = Field(default_factory=list)
    stream: bool = False
    store: bool = True
    previous_response_id: str | None = None
    conversation: str | Conversation | None = None
    instructions: None = None
    metadata: dict[str, str] = Field(default_factory=dict, max_length=16)

    @property
    def chat(self) -> str | None:
        """Id of the conversation to go on with."""
        return self.conversation.id if isinstance(self.conversation, Conversation) else self.conversation

    @property
    def matter(self) -> str | None:
        return next((id for tool in self.tools for id in tool.vector_store_ids), None)

    @property
    def max_results(self) -> int:
        return next((tool.max_num_results for tool in self.tools), DEFAULT_RESULTS)

    def messages(self) -> list[dict[str, Any]]:
        """As the graph takes them.

        Raises:
            Invalid: there is no text in it, or both ways to go on with a conversation are used.
        """
        if self.model != MODEL:
            raise Invalid(f"There is no model {self.model!r}; the one there is: {MODEL!r}.")
        if self.previous_response_id and self.chat:
            raise Invalid("Give previous_response_id or conversation, not both.")
        items = [self.input] if isinstance(self.input, str) else [_text(m.content) for m in self.input]
        if not "".join(items).strip():
            raise Invalid("The input is empty.")
        return [{"role": "user", "content": text} for text in items]


def _text(content: str | list[InputText]) -> str:
    return content if isinstance(content, str) else "\n".join(part.text for part in content)
