"""Restricts a run to some of the caller's matters or documents. The restriction only narrows access.

Other matters are refused by the access rule itself: a caller's claims carry the restriction into every statement.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar

from orderly.errors import Invalid
from orderly.models import Caller
from orderly.store.functions.matters import MatterName

M = TypeVar("M", bound=MatterName)


def restrict_matters(caller: Caller, matters: Sequence[M]) -> list[M]:
    """Returns the matters in the run's scope, without the files of its conversation."""
    return [matter for matter in matters if caller.kept_to is None or matter["id"] in caller.kept_to]


def kept_to(caller: Caller, matters: Sequence[str] | None) -> Caller:
    """The caller, kept to these matters too; None: to no further ones. A restriction that is there stays in force."""
    if matters is None:
        return caller
    return replace(caller, kept_to=tuple(id for id in matters if caller.kept_to is None or id in caller.kept_to))


def require_document_in_scope(caller: Caller, document_id: str) -> None:
    """Raises Invalid for a document outside the run's scope."""
    if caller.documents is not None and document_id not in caller.documents:
        raise Invalid("This question is kept to chosen documents; that document is not one of them.")


def restrict_within(caller: Caller, within: Sequence[str] | None) -> Sequence[str] | None:
    """Ids to search within: the documents of the run's scope, or those of them that are given."""
    if caller.documents is None:
        return within
    return [id for id in within or () if id in caller.documents] or caller.documents
