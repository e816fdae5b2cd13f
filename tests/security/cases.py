"""Cases of the leak matrix: every operation, with ids of every kind and compartment, by every person."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from security.people import (
    BY_NAME,
    Compartment,
    Keeper,
    Need,
    Outcome,
    Person,
    expected,
    in_group,
    opens_bare_response,
    reopens,
    role_in,
)
from security.world import INSIDE, WORDS, World

MALFORMED = ("' or true --", "../../etc/passwd", "%", "\u202e\u0661", "7" * 300)
NOWHERE = ("random", "wrong kind", "number", *(f"malformed {n}" for n in range(len(MALFORMED))))
PLACES = ("random", *BY_NAME, *(n for n in NOWHERE if n != "random"))

SLOTS: Mapping[str, tuple[str, ...]] = {
    "matter_ref": ("matter", "number"),
    "matter_id": ("matter", "number"),
    "matter": ("matter", "number"),
    "document_id": ("document",),
    "document": ("document",),
    "version_of": ("document",),
    "revision_id": ("revision",),
    "citation_id": ("citation",),
    "citation": ("citation",),
    "folder_id": ("folder",),
    "folder": ("folder",),
    "parent_id": ("folder",),
    "chunk_id": ("chunk",),
    "chunk_ids": ("chunk",),
    "within": ("document",),
    "document_ids": ("document",),
    "response_id": ("response", "bare response"),
    "screen_id": ("screen",),
    "screen": ("screen",),
    "group_id": ("group",),
    "group_ref": ("group",),
    "review_id": ("review",),
    "column_id": ("column",),
    "cell_id": ("cell",),
    "run_id": ("run",),
    "thread_id": ("thread",),
    "run": ("run",),
    "member_email": ("colleague",),
    "person_email": ("colleague",),
    "path_part_id": ("matter", "number", "title", "folder", "document", "section", "chunk", "citation"),
}
"""Argument that takes an id -> kinds of things."""

NUMBERED = frozenset(slot for slot, kinds in SLOTS.items() if "number" in kinds) | {"chunk_id"}
"""Arguments that also accept a matter's number."""


@dataclass(frozen=True)
class Answer:
    outcome: Outcome
    text: str
    """Everything that reached the caller: body, message, headers."""
    worked: bool = False
    """True for a result, False for any refusal."""
    broken: bool = False
    """True for a failure that no request may cause, such as a 500."""


Invoke = Callable[[Person, Mapping[str, Any]], Awaitable[Answer]]


@dataclass(frozen=True)
class Operation:
    """One way to call a function, tool or route. `slots`: argument -> kind of id; `plain`: the other arguments."""

    name: str
    invoke: Invoke
    slots: Mapping[str, str]
    plain: Mapping[str, Any] = field(default_factory=dict)
    need: Need = "viewer"
    keeper: Keeper = ""
    lists: frozenset[str] = frozenset()
    """Slots that take a list of ids."""
    filters: frozenset[str] = frozenset()
    """Slots that only filter results: a hidden id filters everything out."""
    open_to_all: bool = False
    """The operation needs no sign-in, so it may reveal nothing."""
    by_link: bool = False
    """The id is a signed link that contains the caller; without a sign-in the link is invalid."""
    names_by_id: bool = False
    """The operation reads the audit record, which may contain ids of hidden things, but none of their words."""
    rule: Callable[[Person, str, Compartment | None], Outcome] | None = None
    """Expected outcome for (person, kind, place) where it differs from the rule about matters. Without slots: ("", None)."""
    told_apart: frozenset[str] = frozenset()
    """Kinds of the caller's own things whose closed and missing state may read differently."""
    tolerated: str = ""
    """Reason why this operation refuses hidden things with another outcome than "not found"."""

    @property
    def title(self) -> str:
        return f"{self.name}({', '.join(f'{a}: {k}' for a, k in self.slots.items())})"


@dataclass(frozen=True)
class Case:
    operation: Operation
    person: Person
    places: Mapping[str, str]
    """Slot -> place: the same for all slots, or one slot from another place."""

    def __str__(self) -> str:
        return f"{self.person.name}: {self.operation.title} {dict(self.places)}"

    @property
    def mixed(self) -> bool:
        return len(set(self.places.values())) > 1


def value(world: World, slot: str, kind: str, place: str) -> str:
    """Returns the id for a slot, kind and place."""
    if place in BY_NAME:
        return world.places[place].get(kind, "no such thing here")
    if place == "random":
        return "resp_" + "f" * 32 if kind.endswith("response") else str(UUID(int=0x4F9D0C6E00004000800000000000ABCD))
    if place == "wrong kind":
        return world.users["owner"]
    if place == "number":
        return "99-NONE" if slot in NUMBERED else world.places["main"]["number"]
    return MALFORMED[int(place.removeprefix("malformed "))]


def arguments(world: World, case: Case) -> dict[str, Any]:
    operation = case.operation
    named: dict[str, Any] = {slot: value(world, slot, kind, case.places[slot]) for slot, kind in operation.slots.items()}
    given = {**operation.plain, **{slot: [id] if slot in operation.lists else id for slot, id in named.items()}}
    for slot in [slot for slot in given if "." in slot]:
        outer, _, inner = slot.partition(".")
        within: Any = {inner: given.pop(slot)}
        if outer.endswith("[]"):
            name = outer.removesuffix("[]")
            within = [{**(given.get(name) or [{}])[0], **within}]
        given[outer.removesuffix("[]")] = within
    return given


def outcomes(case: Case) -> tuple[Outcome, ...]:
    """Returns the outcome that the rule gives for each id of the case."""
    return tuple(
        _outcome(case, kind, BY_NAME.get(case.places[slot]))
        for slot, kind in case.operation.slots.items()
        if slot not in case.operation.filters
    )


def _outcome(case: Case, kind: str, place: Compartment | None) -> Outcome:
    person, operation = case.person, case.operation
    if operation.open_to_all:
        return Outcome.THROUGH
    if operation.rule is not None:
        return operation.rule(person, kind, place)
    if operation.need == "admin" and person.signed_in and not person.admin:
        return Outcome.FORBIDDEN
    if kind == "thread" and person.signed_in:
        return Outcome.THROUGH if place is None or reopens(person, place) else Outcome.ABSENT
    if kind == "bare response" and person.signed_in:
        return Outcome.THROUGH if place is not None and opens_bare_response(person, place) else Outcome.ABSENT
    if kind in ("colleague", "group") and person.signed_in:
        if place is None or place.firm != person.firm:
            return Outcome.ABSENT
        # Administrators manage groups; only members of a group restrict documents to the group.
        its_own = kind != "group" or operation.need == "admin" or in_group(person, place.firm)
        return Outcome.THROUGH if its_own else Outcome.FORBIDDEN
    return expected(person, place, operation.need, inside=kind in INSIDE, keeper=operation.keeper)


def expectation(case: Case) -> Outcome:
    """Returns the strictest of the outcomes."""
    found = outcomes(case)
    if not found:
        return _of_the_person(case.person, case.operation)
    return next((o for o in (Outcome.UNSIGNED, Outcome.ABSENT, Outcome.FORBIDDEN) if o in found), Outcome.THROUGH)


def _of_the_person(person: Person, operation: Operation) -> Outcome:
    if operation.rule is not None:
        return operation.rule(person, "", None)
    if not person.signed_in and not operation.open_to_all:
        return Outcome.UNSIGNED
    offices = {"officer": person.officer, "admin": person.admin}
    return Outcome.THROUGH if offices.get(operation.need, True) else Outcome.FORBIDDEN


def cases_of(operation: Operation, person: Person) -> Iterator[Case]:
    """Yields cases with all ids from one place, then with one id from another place."""
    if not operation.slots:
        yield Case(operation, person, {})
        return
    for place in PLACES:
        yield Case(operation, person, dict.fromkeys(operation.slots, place))
    if len(operation.slots) > 1:
        for slot in operation.slots:
            for place in ("random", "restricted", "second", "foreign"):
                yield Case(operation, person, {**dict.fromkeys(operation.slots, "main"), slot: place})


NEAREST = re.compile(r' (?:Your matters|Documents there are): [^"]*')
"""The person's own things whose names are nearest to the one that was not found. They depend on what was sent."""


class Judge:
    """Compares answers with the rule."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._hidden: dict[str, frozenset[str]] = {}
        self._missing_texts: dict[tuple[str, str, tuple[Outcome, ...]], str] = {}
        self.worked: set[str] = set()
        """Titles of operations that gave at least one result."""

    def verdict(self, case: Case, answer: Answer) -> str | None:
        """Returns a description of the failure; None if the answer is right."""
        given = [str(v) for v in arguments(self._world, case).values()]
        if answer.worked:
            self.worked.add(case.operation.title)
        hidden = self._hidden_from(case.person)
        if case.operation.names_by_id and expectation(case) is Outcome.THROUGH:
            hidden = frozenset(m for m in hidden if m.startswith(WORDS))
        if leaked := [m for m in hidden if m in answer.text and not any(m in g for g in given)]:
            return f"LEAK of {leaked[:3]}: {answer.text[:300]}"
        wanted = expectation(case)
        if answer.broken:
            return f"internal error: {answer.text[:300]}"
        if (
            not case.operation.open_to_all
            and answer.outcome is not wanted
            and (answer.worked or not self._equally_safe(case, answer, wanted))
        ):
            return f"expected {wanted}, was {answer.outcome}: {answer.text[:300]}"
        return self._reads_like_missing(case, answer) if answer.outcome is wanted is Outcome.ABSENT else None

    def _equally_safe(self, case: Case, answer: Answer, wanted: Outcome) -> bool:
        """True if another outcome than the expected one reveals as little."""
        if case.operation.by_link and not case.person.signed_in:
            return answer.outcome is Outcome.ABSENT
        if case.mixed or (wanted is Outcome.ABSENT and case.operation.tolerated):
            return True
        if answer.outcome is Outcome.FORBIDDEN:
            return {Outcome.ABSENT, Outcome.FORBIDDEN} <= set(outcomes(case))
        if "number" in case.places.values():  # members of the matter may learn that the number is a matter's
            return role_in(case.person, BY_NAME["main"]) is not None
        # A malformed id is refused as malformed or as an unknown route, possibly before the sign-in is checked.
        malformed = any(place.startswith("malformed") for place in case.places.values())
        return malformed and (wanted in (Outcome.ABSENT, Outcome.FORBIDDEN) or answer.outcome is Outcome.ABSENT)

    def _reads_like_missing(self, case: Case, answer: Answer) -> str | None:
        """Returns a failure if the answer differs, apart from the id, from the answer for another missing thing."""
        if any(place.startswith("malformed") for place in case.places.values()):
            return None
        if case.operation.told_apart & set(case.operation.slots.values()):
            return None
        said = answer.text
        for slot, kind in case.operation.slots.items():
            said = said.replace(value(self._world, slot, kind, case.places[slot]), "<id>")
        said = NEAREST.sub("", said)
        known = self._missing_texts.setdefault((case.operation.title, case.person.name, outcomes(case)), said)
        return None if said == known else f"reads {said[:200]!r}, where another absent thing reads {known[:200]!r}"

    def _hidden_from(self, person: Person) -> frozenset[str]:
        if person.name not in self._hidden:
            self._hidden[person.name] = self._world.hidden_from(person)
        return self._hidden[person.name]
