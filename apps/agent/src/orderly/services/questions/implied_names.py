"""Documents that a question means without naming them: by their kind, or by the role of a party."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from orderly.models import Span
from orderly.services.questions.kinds import ROLES_OF_KINDS, is_of_kind, kind_asked, kind_seeming, kinds_meant, roles_meant
from orderly.services.questions.nameable import Nameable
from orderly.services.questions.party_roles import is_short_name, role_of
from orderly.services.questions.written_names import NOUNS, THINGS, NameWord, is_content

MOST_OF_KIND = 3
"""Documents of one kind that "the lease" may mean."""


def is_no_thing_in(word: str, documents: Sequence[Nameable]) -> bool:
    """Whether a word is none for something in the documents, as "guarantee" is where none of them is a guarantee."""
    return word not in THINGS or any(is_of_kind(word, d.kinds) for d in documents)


def of_document(name: list[NameWord], best: Sequence[Nameable]) -> list[NameWord]:
    """The part of a name that can name one of the documents, none of which need be a guarantee: "the guarantee of Mr Acme"."""
    thing = next((n for n, word in enumerate(name) if not is_no_thing_in(word.text.lower(), best)), None)
    if thing is None:
        return name
    before = [word for word in name[:thing] if word.capital]
    after = next((n for n, word in enumerate(name) if n > thing and word.capital), len(name))
    return before or name[after:]


def role_in(name: Sequence[NameWord], matched: Mapping[str, str], best: Sequence[Nameable]) -> str | None:
    """What the documents call a party that is named without a word for a document: "the Supplier"."""
    if any(word.text.lower() in NOUNS for word in name):
        return None
    words = [matched.get(word.text.lower()) or word.text.lower() for word in name if is_content(word)]
    named = {role for document in best if (role := role_of(words, document.roles))}
    if len(named) != 1 or any(role_of(words, document.roles) is None for document in best):
        return None
    role = named.pop()
    return role if is_short_name(role, words) else f"the {role}"


def of_party(name: Sequence[NameWord], matched: Mapping[str, str], best: Sequence[Nameable]) -> list[str]:
    """The documents of which the one named is a party; all if it is one of none, or a word for a document is named too."""
    words = [matched.get(word.text.lower()) or word.text.lower() for word in name if is_content(word)]
    of_party = [d.id for d in best if role_of(words, d.roles) and not any(word.text.lower() in NOUNS for word in name)]
    return of_party or [d.id for d in best]


def of_kind(question: str, documents: Sequence[Nameable], spans: Sequence[Span]) -> tuple[list[Span], tuple[str, ...]]:
    """Places of "the lease" outside the names, and the documents of that kind where these are few."""
    places, found = [], dict[str, None]()
    for kind, (start, end) in kinds_meant(question):
        fitting = [d.id for d in documents if kind in d.kinds]
        is_named = any(first < end and start < last for first, last in spans)
        if fitting and len(fitting) <= MOST_OF_KIND and len(fitting) < len(documents) and not is_named:
            places.append((start, end))
            found.update(dict.fromkeys(fitting))
    return places, tuple(found)


def all_of_kind(question: str, documents: Sequence[Nameable]) -> tuple[str, ...]:
    """The documents of the kind that a question asks for among all; none if all are, or none is."""
    kind = kind_asked(question)
    fitting = tuple(d.id for d in documents if kind in d.kinds)
    return fitting if len(fitting) < len(documents) else ()


def seeming(question: str, documents: Sequence[Nameable]) -> tuple[str, Span] | None:
    """The only document of a kind that a question seems to mean, and the place of the word."""
    found = kind_seeming(question)
    if found is None:
        return None
    fitting = [d.id for d in documents if found[0] in d.kinds]
    return (fitting[0], found[1]) if len(fitting) == 1 and len(documents) > 1 else None


def by_role(question: str, documents: Sequence[Nameable]) -> tuple[str, bool] | None:
    """The only document that has a party of a role of which the question speaks, and whether another may be meant.

    Without one, the only document of a kind to which the role belongs: "the employee" is "you" in an employment agreement.
    """
    having = {d.id for d in documents if roles_meant(question, set(d.roles.values()))}
    kinds = [kind for kind, roles in ROLES_OF_KINDS.items() if roles_meant(question, roles, any_one=True)]
    of_kinds = {d.id for d in documents if not d.kinds.isdisjoint(kinds)}
    fitting = having or of_kinds
    return (min(fitting), not of_kinds <= having or not having) if len(fitting) == 1 and len(documents) > 1 else None
