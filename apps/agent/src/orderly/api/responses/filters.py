"""OpenAI's filters of a file search: comparisons of a document's attributes, joined by "and" and "or"."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from orderly.api.responses.stores import attributes_of
from orderly.store.functions.documents import Document

MOST_VALUES = 1_000
Value = Annotated[str, Field(max_length=1_000)] | int | float

_TYPES: Mapping[str, tuple[type, ...]] = {"filename": (str,), "document_id": (str,), "created_at": (int, float)}
"""Attributes of a document, and the types of the values that they are compared with."""

_COMPARED: Mapping[str, Callable[[Any, Any], bool]] = {
    "eq": operator.eq,
    "ne": operator.ne,
    "gt": operator.gt,
    "gte": operator.ge,
    "lt": operator.lt,
    "lte": operator.le,
    "in": lambda value, values: value in values,
    "nin": lambda value, values: value not in values,
}


class Comparison(BaseModel):
    """Compares `filename`, `document_id` or `created_at` (seconds since 1970), the attributes of every document."""

    model_config = ConfigDict(extra="forbid")

    type: Literal["eq", "ne", "gt", "gte", "lt", "lte", "in", "nin"]
    key: str = Field(max_length=200)
    value: Value | Annotated[list[Value], Field(max_length=MOST_VALUES)]

    @model_validator(mode="after")
    def _comparable(self) -> Comparison:
        if self.key not in _TYPES:
            raise ValueError(f"Documents have no attribute {self.key!r} to filter by; they have {', '.join(_TYPES)}.")
        several = self.type in ("in", "nin")
        if isinstance(self.value, list) != several:
            raise ValueError(f"{self.type!r} compares with {'a list of values' if several else 'one value'}.")
        values = self.value if isinstance(self.value, list) else [self.value]
        if not all(isinstance(value, _TYPES[self.key]) for value in values):
            kind = "a number, seconds since 1970" if self.key == "created_at" else "text"
            raise ValueError(f"{self.key!r} is compared with {kind}.")
        return self

    def matches(self, document: Document) -> bool:
        return _COMPARED[self.type](attributes_of(document)[self.key], self.value)


class Compound(BaseModel):
    model_config = ConfigDict(extra="forbid")

    type: Literal["and", "or"]
    filters: list[Filter] = Field(min_length=1, max_length=50)

    def matches(self, document: Document) -> bool:
        every = all if self.type == "and" else any
        return every(filter.matches(document) for filter in self.filters)


Filter = Annotated[Comparison | Compound, Field(discriminator="type")]

Compound.model_rebuild()
