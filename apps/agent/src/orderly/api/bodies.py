"""The base of every request body of Orderly's own API."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class Body(BaseModel):
    """Refuses fields that it does not know (422): a misspelt one would otherwise leave a default in force, unseen.

    The bodies of OpenAI's API are not of this kind, as its clients send fields that have no meaning here.
    """

    model_config = ConfigDict(extra="forbid")
