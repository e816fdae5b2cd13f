"""Lists in OpenAI's format, with cursors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from pydantic import BaseModel, Field

from orderly.errors import Invalid


class PageQuery(BaseModel):
    limit: int = Field(default=20, ge=1, le=100)
    order: Literal["asc", "desc"] = "desc"
    after: str | None = Field(default=None, max_length=200, description="Id of the last object of the page before.")
    before: str | None = Field(default=None, max_length=200, description="Id of the first object of the page after.")


def listed(objects: Sequence[Mapping[str, Any]], page: PageQuery) -> dict[str, Any]:
    """One page of `objects`, which are given oldest first. Raises Invalid for a cursor that names none of them."""
    ordered = list(objects) if page.order == "asc" else list(reversed(objects))
    places = {item["id"]: place for place, item in enumerate(ordered)}
    for cursor in (page.after, page.before):
        if cursor is not None and cursor not in places:
            raise Invalid(f"The list holds no object {cursor}.")
    end = places[page.before] if page.before is not None else len(ordered)
    start = places[page.after] + 1 if page.after is not None else max(end - page.limit, 0) if page.before is not None else 0
    shown = ordered[start:end][: page.limit]
    return {
        "object": "list",
        "data": shown,
        "first_id": shown[0]["id"] if shown else None,
        "last_id": shown[-1]["id"] if shown else None,
        "has_more": start + len(shown) < len(ordered),
    }
