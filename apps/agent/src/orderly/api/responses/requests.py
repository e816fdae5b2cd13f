"""Request models of the Responses API, in OpenAI's format."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

from orderly.api.responses.filters import Filter
from orderly.api.responses.input_items import MOST_CHARACTERS, MOST_ITEMS, Asked, Item, read_input
from orderly.errors import Invalid, NotFound
from orderly.models import FEW_RESULTS

MODEL = "orderly"
INCLUDE_RESULTS = "file_search_call.results"

MOST_MATTERS = 20
"""Maximum number of matters of one response."""


class FileSearchTool(BaseModel):
    type: Literal["file_search"]
    vector_store_ids: list[Annotated[str, Field(max_length=200)]] = Field(
        default_factory=list,
        max_length=MOST_MATTERS,
        description="Matters, by id, number, slug or title. "
        "Empty: the files of the conversation, or the matter that the question names.",
    )
    max_num_results: int = Field(default=FEW_RESULTS, ge=1, le=50)
    filters: Filter | None = Field(default=None, description="Keeps the search to the documents that match.")
    ranking_options: Any = Field(default=None, description="Ignored: the installation chooses the reranker.")

    @field_validator("filters", mode="before")
    @classmethod
    def _none(cls, filters: Any) -> Any:
        return filters or None


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
    input: Annotated[str, Field(min_length=1, max_length=MOST_CHARACTERS)] | Annotated[list[Item], Field(max_length=MOST_ITEMS)]
    tools: list[FileSearchTool] = Field(default_factory=list, max_length=1)
    include: list[str] = Field(default_factory=list)
    stream: bool = False
    store: bool = True
    previous_response_id: str | None = None
    conversation: str | Conversation | None = None
    instructions: str | None = Field(
        default=None, description="The asker's preferences for the answer. The installation's own rules come first."
    )
    background: Literal[False] | None = None
    prompt: None = None
    text: TextSettings | None = None
    tool_choice: Literal["auto"] | None = None
    metadata: dict[str, str] = Field(default_factory=dict, max_length=16)

    @field_validator("tools", mode="before")
    @classmethod
    def _own_tools_only(cls, tools: Any) -> Any:
        kinds = {str(tool.get("type")) for tool in tools if isinstance(tool, dict)} if isinstance(tools, list) else set()
        if other := kinds - {"file_search"}:
            raise ValueError(f"Orderly works with its own tools: leave out the tools of type {', '.join(sorted(other))}.")
        return tools

    @property
    def chat(self) -> str | None:
        """Id of the conversation to continue."""
        return self.conversation.id if isinstance(self.conversation, Conversation) else self.conversation

    @property
    def matters(self) -> list[str]:
        """Names of the matters (id, number, slug or title), as the client sent them."""
        return [id for tool in self.tools for id in tool.vector_store_ids]

    @property
    def filters(self) -> Filter | None:
        return next((tool.filters for tool in self.tools), None)

    @property
    def max_results(self) -> int:
        return next((tool.max_num_results for tool in self.tools), FEW_RESULTS)

    def asked(self) -> Asked:
        """What the request asks.

        Raises:
            NotFound: unknown model.
            Invalid: unusable input, or both `previous_response_id` and `conversation`.
        """
        require_model(self.model)
        if self.previous_response_id and self.chat:
            raise Invalid("Give previous_response_id or conversation, not both.")
        return read_input(self.input, self.instructions)


def require_model(model: str) -> None:
    """Raises NotFound for any model but the one there is."""
    if model != MODEL:
        raise NotFound(f"There is no model {model!r}; the one there is: {MODEL!r}.")
