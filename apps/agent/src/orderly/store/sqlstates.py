"""Maps SQLSTATEs to domain errors, for all adapters."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from orderly.errors import (
    Changed,
    ChatFull,
    Conflict,
    Denied,
    DocumentNotFound,
    Invalid,
    MatterNotFound,
    NotFound,
    NotReady,
    OrderlyError,
    StoreUnavailable,
    TakenOver,
    UnknownCaller,
    Unreadable,
)


class SqlFailure(NamedTuple):
    """A database error. `message` may be shown to users only if Orderly's functions raised it (SQLSTATE ORnnn)."""

    sqlstate: str
    message: str = ""
    detail: str = ""
    hint: str = ""


def _not_found(failure: SqlFailure) -> OrderlyError:
    """Creates the error from the detail, which holds the kind, and the hint, which holds the caller's id."""
    by_kind: dict[str, Callable[[str], NotFound]] = {"matter": MatterNotFound, "document": DocumentNotFound}
    make = by_kind.get(failure.detail)
    if make:
        return make(failure.hint)
    return NotFound(f"{failure.detail.capitalize()} {failure.hint} not found or you don't have access.")


def _conflict(failure: SqlFailure) -> OrderlyError:
    kinds: dict[str, type[Conflict]] = {"claim": TakenOver, "workspace": ChatFull, "changed": Changed}
    return kinds.get(failure.detail, Conflict)(failure.message)


UNAVAILABLE = "The database cannot be reached just now. Please try again."

BY_SQLSTATE: dict[str, Callable[[SqlFailure], OrderlyError]] = {
    "OR400": lambda f: Invalid(f.message),
    "OR401": lambda f: UnknownCaller(f.message),
    "OR403": lambda f: Denied(f.message),
    "OR404": _not_found,
    "OR409": _conflict,
    "OR425": lambda f: Unreadable(f.hint) if f.detail in ("failed", "unsupported") else NotReady(),
    "42501": lambda f: Denied("You may not do this."),
}

BY_CLASS: dict[str, Callable[[SqlFailure], OrderlyError]] = {
    "08": lambda f: StoreUnavailable(UNAVAILABLE),
    "22": lambda f: Invalid("A value is not in the form the store expects."),
    "23": lambda f: Conflict("This contradicts what is stored already."),
    "25": lambda f: StoreUnavailable(UNAVAILABLE),
    "28": lambda f: StoreUnavailable(UNAVAILABLE),
    "3D": lambda f: StoreUnavailable(UNAVAILABLE),
    "40": lambda f: StoreUnavailable(UNAVAILABLE),
    "53": lambda f: StoreUnavailable(UNAVAILABLE),
    "54": lambda f: Invalid("A value is too large for the store."),
    "55": lambda f: StoreUnavailable(UNAVAILABLE),
    "57": lambda f: StoreUnavailable(UNAVAILABLE),
    "58": lambda f: StoreUnavailable(UNAVAILABLE),
    "F0": lambda f: StoreUnavailable(UNAVAILABLE),
}


def domain_error(failure: SqlFailure) -> OrderlyError | None:
    """Converts a failure; None for a bug (wrong SQL, unknown function)."""
    make = BY_SQLSTATE.get(failure.sqlstate) or BY_CLASS.get(failure.sqlstate[:2])
    return make(failure) if make else None
