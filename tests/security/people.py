"""The people of the matrix, their rights, and the access rule, implemented from its specification and not from its SQL.

A person has a role in a matter if they are signed in, belong to the matter's firm, are a member, and are not screened off now; a
chat's workspace is accessible in its own conversation only. A document of a group is for that group, a deleted one for nobody, and a
private thing for its maker. Owners of a matter and conflicts officers raise walls; administrators manage people, groups and
membership. A run that names its matters reaches no other matter of its user. Officers and administrators see the name of every matter of their firm and read in none.
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
"""Who may use a thing within its matter: every member (""), or only some."""

HOME, ELSEWHERE = "Firm", "Other firm"
CONVERSATION = "conversation-1"
PARTNERS = "partners"


class Outcome(StrEnum):
    THROUGH = "through"
    """Answered, or refused for a reason other than access."""
    ABSENT = "absent"
    FORBIDDEN = "forbidden"
    UNSIGNED = "unsigned"


@dataclass(frozen=True)
class Person:
    name: str
    firm: str = HOME
    roles: Mapping[str, Role] = field(default_factory=dict)
    screened: Mapping[str, tuple[str, str | None]] = field(default_factory=dict)
    """Matter -> (start, end) as SQL intervals from now; end None: unlimited."""
    lifted: bool = False
    """The person's walls were lifted before their end."""
    groups: frozenset[str] = frozenset()
    conversation: str | None = None
    kept_to: frozenset[str] | None = None
    """Matters that the person's run is kept to; None: it reaches everything that the person may read."""
    admin: bool = False
    officer: bool = False
    credential: Literal["token", "none", "expired", "revoked", "forged", "no profile", "access revoked"] = "token"
    """access revoked: seals, links and tokens of Supabase are valid, but the operator has ended the person's access."""
    account: str | None = None
    """Name of the person whose account this one uses, if it is another's."""

    @property
    def signed_in(self) -> bool:
        return self.credential == "token"

    @property
    def has_claims(self) -> bool:
        """Whether the person's identity is valid, whatever it still opens."""
        return self.credential in ("token", "access revoked")

    @property
    def has_account(self) -> bool:
        """Whether the account is the person's own, rather than another's or none."""
        return self.account is None and self.has_claims

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
    Person("bound to one of two matters", roles={"main": "owner", "second": "owner"}, kept_to=frozenset({"main"})),
    Person("anonymous", credential="none"),
    replace(OWNER, name="expired token", credential="expired", account="owner"),
    replace(OWNER, name="revoked token", credential="revoked", account="owner"),
    replace(OWNER, name="forged token", credential="forged", account="owner"),
    Person("nobody known", credential="no profile"),
    replace(OWNER, name="access revoked", admin=True, officer=True, credential="access revoked"),
)


@dataclass(frozen=True)
class Compartment:
    """Things with the same readers: a matter, a group's document in it, deleted documents."""

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
    """Returns the person's role in the matter of a compartment."""
    if not person.signed_in or person.firm != place.firm:
        return None
    matter = BY_NAME[place.matter]
    if matter.conversation is not None and matter.conversation != person.conversation:
        return None
    if person.kept_to is not None and place.matter not in person.kept_to and matter.conversation is None:
        return None
    if not person.lifted and _in_force(person.screened.get(place.matter)):
        return None
    return person.roles.get(place.matter)


def _in_force(screen: tuple[str, str | None] | None) -> bool:
    return screen is not None and screen[0].startswith("-") and not (screen[1] or "").startswith("-")


def sees(person: Person, place: Compartment) -> bool:
    """Returns True if the content of the compartment may reach the person."""
    return role_in(person, place) is not None and not place.deleted and (place.group is None or place.group in person.groups)


def knows_of(person: Person, place: Compartment) -> bool:
    """Returns True if the person may know that the documents exist or existed; deleted ones by their former readers."""
    return sees(person, replace(place, deleted=False))


def in_group(person: Person, firm: str) -> bool:
    """Returns True if the person belongs to the firm's group; persons who left the firm do not."""
    return person.signed_in and firm == HOME == person.firm and PARTNERS in person.groups


def reopens(person: Person, place: Compartment) -> bool:
    """Returns True if the person's thread that has read in the compartment is still open to them, even if the content is deleted."""
    there = replace(person, conversation=BY_NAME[place.matter].conversation, kept_to=None)
    return role_in(there, place) is not None and (place.group is None or place.group in person.groups)


def maker_of_bare_response(place: Compartment) -> str:
    """Returns who was answered without a quotation in a thread that has read in the compartment: in one, a person who was then walled off."""
    return "screened owner" if place.name == "main" else owner_of(place)


def opens_bare_response(person: Person, place: Compartment) -> bool:
    """Returns True if the person may read the response without quotations. It quotes no document, so only its thread closes it."""
    return (person.account or person.name) == maker_of_bare_response(place) and reopens(person, place)


def names(person: Person, place: Compartment) -> bool:
    """Returns True if the person may know the matter's existence and name."""
    office = (person.officer or person.admin) and governed(person, place)
    return person.signed_in and (office or role_in(person, place) is not None)


def governed(person: Person, place: Compartment) -> bool:
    """Returns True if officers and administrators of the firm govern the compartment; a chat's workspace belongs to its user only."""
    return person.firm == place.firm and BY_NAME[place.matter].conversation is None


def expected(person: Person, place: Compartment | None, need: Need, *, inside: bool = True, keeper: Keeper = "") -> Outcome:
    """Returns the outcome that the rule gives for an id of a compartment.

    Args:
        person: the caller.
        place: compartment of the thing; None: the thing does not exist.
        need: the role that the operation needs.
        inside: the thing is a document or part of one; otherwise the matter, which remains when a document is deleted.
        keeper: who may use the thing within its matter.
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
    """Returns the name of the person who made the things in a compartment."""
    return {"second": "neighbour", "foreign": "other tenant"}.get(place.matter, "owner")
