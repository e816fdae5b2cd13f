"""Request models of the Responses API, in OpenAI's format."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from orderly.errors import Invalid, NotFound

MODEL = "orderly"
INCLUDE_RESULTS = "file_search_call.results"
DEFAULT_RESULTS = 5
"""Default of `max_num_results` here; the other interfaces return 10."""

MOST_MATTERS = 20
"""Maximum number of matters of one response."""


class FileSearchTool(BaseModel):
    type: Literal["file_search"]
    vector_store_ids: list[Annotated[str, Field(max_length=200)]] = Field(
        default_factory=list,
        max_length=MOST_MATTERS,
        description="Matters, by id or number. Empty: the files of the conversation, or the matter that the question names.",
    )
    max_num_results: int = Field(default=DEFAULT_RESULTS, ge=1, le=50)


class InputText(BaseModel):
    type: Literal["input_text", "text"] = "input_text"
    text: str


class InputMessage(BaseModel):
    """A user message. The conversation stores the assistant's messages; the installation sets the instructions."""

    type: Literal["message"] = "message"
    role: Literal["user"]
    content: str | list[InputText]


class Conversation(BaseModel):
    id: str


class TextFormat(BaseModel):
    type: Literal["text"] = "text"


class TextSettings(BaseModel):
    format: TextFormat = Field(default_factory=TextFormat)


class ResponseRequest(BaseModel):
    """Unsupported options that would change the format of the answer are refused; sampling options are ignored."""

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
    background: Literal[False] | None = None
    prompt: None = None
    text: TextSettings | None = None
    tool_choice: Literal["auto"] | None = None
    metadata: dict[str, str] = Field(default_factory=dict, max_length=16)

    @property
    def chat(self) -> str | None:
        """Id of the conversation to continue."""
        return self.conversation.id if isinstance(self.conversation, Conversation) else self.conversation

    @property
    def matters(self) -> list[str]:
        """Ids or numbers of the matters, as the client sent them."""
        return [id for tool in self.tools for id in tool.vector_store_ids]

    @property
    def max_results(self) -> int:
        return next((tool.max_num_results for tool in self.tools), DEFAULT_RESULTS)

    def messages(self) -> list[dict[str, Any]]:
        """The input as messages of the graph.

        Raises:
            NotFound: unknown model.
            Invalid: empty input, or both `previous_response_id` and `conversation`.
        """
        if self.model != MODEL:
            raise NotFound(f"There is no model {self.model!r}; the one there is: {MODEL!r}.")
        if self.previous_response_id and self.chat:
            raise Invalid("Give previous_response_id or conversation, not both.")
        items = [self.input] if isinstance(self.input, str) else [_text(m.content) for m in self.input]
        if not "".join(items).strip():
            raise Invalid("The input is empty.")
        return [{"role": "user", "content": text} for text in items]


def _text(content: str | list[InputText]) -> str:
    return content if isinstance(content, str) else "\n".join(part.text for part in content)
