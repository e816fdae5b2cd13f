"""The people of the matrix, what they may, and the one rule once more: written from its words, not from its SQL.

A person has a role in a matter when they are signed in, work at the matter's firm, are a member, and are not screened off now; a
chat's workspace opens in its own conversation alone. A document of a group is for that group, a deleted one for nobody, and what a
person keeps for themselves for that person. Walls are for the owners of a matter to put up, and for conflicts officers; people, groups and membership are for
administrators. Both know the name of every matter of their firm, and read in none.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Literal

Role = Literal["viewer", "editor", "owner"]
Need = Literal["viewer", "editor", "owner", "owner or officer", "officer", "admin"]
RANKS = {"viewer": 0, "editor": 1, "owner": 2, "owner or officer": 2, "officer": 3, "admin": 3}

Keeper = Literal["", "its maker", "its maker or an owner"]
"""Whose something is within its matter: everybody's, or only some people's."""

HOME, ELSEWHERE = "Firm", "Other firm"
CONVERSATION = "conversation-1"
PARTNERS = "partners"


class Outcome(StrEnum):
    THROUGH = "through"
    """Answered, or refused for a reason that has nothing to do with access."""
    ABSENT = "absent"
    FORBIDDEN = "forbidden"
    UNSIGNED = "unsigned"


@dataclass(frozen=True)
class Person:
    name: str
    firm: str = HOME
    roles: Mapping[str, Role] = field(default_factory=dict)
    screened: Mapping[str, tuple[str, str | None]] = field(default_factory=dict)
    """Matter to (start, end) as SQL intervals from now; end None: for good."""
    lifted: bool = False
    """Their walls were lifted before their end."""
    groups: frozenset[str] = frozenset()
    conversation: str | None = None
    admin: bool = False
    officer: bool = False
    credential: Literal["token", "none", "expired", "revoked", "forged", "no profile"] = "token"
    account: str | None = None
    """The person as whom this one signs in, where not their own."""

    @property
    def signed_in(self) -> bool:
        return self.credential == "token"

    @property
    def email(self) -> str:
        return f"{(self.account or self.name).replace(' ', '.')}@{self.firm.split()[0].lower()}.example"


OWNER = Person("owner", roles={"main": "owner", "workspace": "owner"}, groups=frozenset({PARTNERS}))

PEOPLE = (
    OWNER,
    Person("editor", roles={"main": "editor"}),
    Person("viewer", roles={"main": "viewer"}),
    Person("partner", roles={"main": "viewer"}, groups=frozenset({PARTNERS})),
    Person("stranger"),
    Person("neighbour", roles={"second": "owner"}),
    Person("other tenant", firm=ELSEWHERE, roles={"foreign": "owner"}),
    Person("second viewer", roles={"second": "viewer"}),
    Person("foreign viewer", firm=ELSEWHERE, roles={"foreign": "viewer"}),
    Person("left for another firm", firm=ELSEWHERE, roles={"main": "owner"}, groups=frozenset({PARTNERS})),
    Person("screened owner", roles={"main": "owner"}, screened={"main": ("-1 hour", None)}, groups=frozenset({PARTNERS})),
    Person("screened no longer", roles={"main": "owner"}, screened={"main": ("-2 hours", "-1 hour")}),
    Person("screened from tomorrow", roles={"main": "owner"}, screened={"main": ("1 day", None)}),
    Person("screened until lifted", roles={"main": "owner"}, screened={"main": ("-2 hours", None)}, lifted=True),
    Person("tenant admin", admin=True),
    Person("conflicts officer", officer=True),
    Person("foreign officer", firm=ELSEWHERE, officer=True),
    Person("foreign admin", firm=ELSEWHERE, admin=True),
    replace(OWNER, name="owner in the conversation", conversation=CONVERSATION, account="owner"),
    Person("stranger in the conversation", conversation=CONVERSATION, account="stranger"),
    Person("anonymous", credential="none"),
    replace(OWNER, name="expired token", credential="expired", account="owner"),
    replace(OWNER, name="revoked token", credential="revoked", account="owner"),
    replace(OWNER, name="forged token", credential="forged", account="owner"),
    Person("nobody known", credential="no profile"),
)


@dataclass(frozen=True)
class Compartment:
    """What is shown to the same people: a matter, a group's document in it, what was deleted."""

    name: str
    matter: str
    firm: str = HOME
    conversation: str | None = None
    group: str | None = None
    deleted: bool = False


COMPARTMENTS = (
    Compartment("main", "main"),
    Compartment("restricted", "main", group=PARTNERS),
    Compartment("deleted", "main", deleted=True),
    Compartment("restricted and deleted", "main", group=PARTNERS, deleted=True),
    Compartment("second", "second"),
    Compartment("foreign", "foreign", firm=ELSEWHERE),
    Compartment("workspace", "workspace", conversation=CONVERSATION),
)
BY_NAME = {c.name: c for c in COMPARTMENTS}


def role_in(person: Person, place: Compartment) -> Role | None:
    """Their role in the matter of a compartment."""
    if not person.signed_in or person.firm != place.firm:
        return None
    matter = BY_NAME[place.matter]
    if matter.conversation is not None and matter.conversation != person.conversation:
        return None
    if not person.lifted and _in_force(person.screened.get(place.matter)):
        return None
    return person.roles.get(place.matter)


def _in_force(screen: tuple[str, str | None] | None) -> bool:
    return screen is not None and screen[0].startswith("-") and not (screen[1] or "").startswith("-")


def sees(person: Person, place: Compartment) -> bool:
    """Whether what is inside a compartment may reach them."""
    return role_in(person, place) is not None and not place.deleted and (place.group is None or place.group in person.groups)


def hears_of(person: Person, place: Compartment) -> bool:
    """Whether they may know that its documents are there, or were: of the deleted, those know that could read them before."""
    return sees(person, replace(place, deleted=False))


def in_group(person: Person, firm: str) -> bool:
    """Whether they belong to the group that there is in a firm; who has left the firm does no longer."""
    return person.signed_in and firm == HOME == person.firm and PARTNERS in person.groups


def reopens(person: Person, place: Compartment) -> bool:
    """Whether a conversation of theirs that has read in a compartment is still open to them: also when what it read is deleted."""
    there = replace(person, conversation=BY_NAME[place.matter].conversation)
    return role_in(there, place) is not None and (place.group is None or place.group in person.groups)


def names(person: Person, place: Compartment) -> bool:
    """Whether they may know that a matter exists, and its name."""
    office = (person.officer or person.admin) and governed(person, place)
    return person.signed_in and (office or role_in(person, place) is not None)


def governed(person: Person, place: Compartment) -> bool:
    """Whether it is for the officers and administrators of their firm. A chat's workspace is for nobody but its user."""
    return person.firm == place.firm and BY_NAME[place.matter].conversation is None


def expected(person: Person, place: Compartment | None, need: Need, *, inside: bool = True, keeper: Keeper = "") -> Outcome:
    """What naming something in a compartment must come to.

    Args:
        person: who asks.
        place: where the thing is; None: nowhere, there is no such thing.
        need: the role that the operation takes.
        inside: the thing is a document or part of one; else the matter itself, which stays when a document goes.
        keeper: whose the thing is.
    """
    if not person.signed_in:
        return Outcome.UNSIGNED
    if need == "admin" and not person.admin:
        return Outcome.FORBIDDEN
    if place is None:
        return Outcome.ABSENT
    if need == "admin":
        return Outcome.THROUGH if governed(person, place) else Outcome.ABSENT
    if "officer" in need and person.officer and governed(person, place):
        return Outcome.THROUGH
    role = role_in(person, place)
    if role is None or (inside and not sees(person, place)):
        return Outcome.ABSENT
    its_own = (person.account or person.name) == owner_of(place)
    if keeper and not its_own and not (role == "owner" and "owner" in keeper):
        return Outcome.ABSENT
    return Outcome.THROUGH if RANKS[role] >= RANKS[need] else Outcome.FORBIDDEN


def owner_of(place: Compartment) -> str:
    """Who made what is in a compartment."""
    return {"second": "neighbour", "foreign": "other tenant"}.get(place.matter, "owner")
