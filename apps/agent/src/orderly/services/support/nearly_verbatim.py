"""What a sentence alters that repeats its quotation nearly word for word: a negation, a duty, a name, a number, an opposite."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from functools import lru_cache
from typing import NamedTuple

from orderly.services.document_processor import is_word
from orderly.services.support.denials import denies
from orderly.services.support.parties import role_of
from orderly.services.support.polarity import with_plain_modals
from orderly.services.support.relations import are_opposite, relation
from orderly.services.support.tokens import Word, content, read_words
from orderly.services.support.wording import without_idioms
from orderly.services.values import parse_words

_LEAST_SHARE = 0.65
"""Share of a sentence's words that its quotation has, from which the two are compared word by word."""
_LEAST_SHARED = 0.5
"""Share of its words of meaning, below which it need not be compared."""
_LEAST_WORDS, _MOST_WORDS, _MOST_KNOWN = 5, 120, 400
_MOST_REPLACED = 3
"""Words that stand for as many others at most; longer stretches are other wording."""
_MOST_BEFORE = 4
_NEGATORS = frozenset("not no never neither none nothing nobody".split())
_BEFORE = re.compile(r"\b(?:prior\s+to|in\s+advance\s+of|ahead\s+of)\b", re.IGNORECASE)
_AFTER = re.compile(r"(?<!\bthe )(?<!\bsuch )\b(?:following|subsequent\s+to)\b(?!\s*:)", re.IGNORECASE)
_REVERSING = frozenset("unless except until without only nor".split())
"""Words that make a permission of a ban: what must not be done unless."""
_EXCEPTED = frozenset("excepted excepting excluded excluding".split())
_SAME = dict(
    pair.split("/")
    for pair in "shall/must will/must cannot/not neednot/not can/may upon/on prior/before pursuant/under per/a an/a".split()
)
_EXCLUSIVE = frozenset(
    frozenset(pair.split("/"))
    for pair in """
    must/may before/after and/or if/unless with/without either/neither any/no all/none earlier/later greater/lesser
    higher/lower least/most longer/shorter more/less within/after first/last including/excluding until/after both/either
    """.split()
)
"""Words of which one, in the place of the other, says something else."""
_NO_NAMES = frozenset("the this that these those such any all each every agreement provided upon".split())
_ANYONE = frozenset("party parties person persons".split())


class _Change(NamedTuple):
    known: Sequence[Word]
    """Words of the quotation that the sentence has not."""
    said: Sequence[Word]
    """Words of the sentence in their place."""
    is_inside: bool
    """Whether both have the words on both sides of it, or it replaces the first words by as many."""
    is_first: bool


def find_altered(statement: str, evidence: str) -> str | None:
    if len(statement.split()) < _LEAST_WORDS:
        return None
    meant, shared = content(statement), {word.stem for word in content(evidence)}
    if sum(word.stem in shared for word in meant) < _LEAST_SHARED * len(meant):
        return None
    said, known = _words(statement), _words(evidence)
    if not _LEAST_WORDS <= len(said) <= _MOST_WORDS or len(known) > _MOST_KNOWN:
        return None
    ours, theirs = [_form(word) for word in said], [_form(word) for word in known]
    forms = set(theirs)
    if sum(form in forms for form in ours) < _LEAST_SHARE * len(ours):
        return None
    operations = SequenceMatcher(None, theirs, ours, autojunk=False).get_opcodes()
    if sum(b - a for kind, a, b, _, _ in operations if kind == "equal") < _LEAST_SHARE * len(ours):
        return None
    changes = list(_changes(operations, said, known))
    if (word := _find_negation(changes, said, known)) is not None:
        return word
    is_denied = any(word.folded in _NEGATORS for word in said)
    inside = [change for change in changes if change.is_inside]
    return next((word for one in inside if (word := _find_replaced(one, is_denied, set(ours), forms)) is not None), None)


def repeats(statement: str, evidence: str) -> bool:
    """Whether a sentence is the evidence itself, behind a few words such as "in other words"."""
    said, known = [_form(word) for word in _words(statement)], [_form(word) for word in _words(evidence)]
    return bool(known) and said[-len(known) :] == known and len(said) - len(known) <= _MOST_BEFORE


@lru_cache(maxsize=512)
def _words(text: str) -> Sequence[Word]:
    """The words as compared: without marks, and a number that is written twice, "sixty (60)", once."""
    found: list[Word] = []
    for word in read_words(with_plain_modals(_BEFORE.sub("before", _AFTER.sub("after", without_idioms(text))))):
        if not word.is_mark and not (found and _form(word).isdigit() and _form(word) == _form(found[-1])):
            found.append(word)
    return found


@lru_cache(maxsize=8_192)
def _form(word: Word) -> str:
    same = _SAME.get(word.folded)
    if same is not None:
        return same
    value = None if word.folded.isdigit() else parse_words(word.folded)
    return word.stem if value is None else str(value)


def _changes(
    operations: Sequence[tuple[str, int, int, int, int]], said: Sequence[Word], known: Sequence[Word]
) -> Iterator[_Change]:
    for at, (kind, a, b, c, d) in enumerate(operations):
        if kind != "equal" and not (kind == "delete" and at == len(operations) - 1):  # what follows is another matter
            inside = 0 < at < len(operations) - 1 or (kind == "replace" and at == 0 and b - a == d - c)
            yield _Change(known[a:b], said[c:d], inside, at == 0)


def _find_negation(changes: Sequence[_Change], said: Sequence[Word], known: Sequence[Word]) -> str | None:
    """A negation that one of the two has alone, if nothing else they differ by says it."""
    added = [(word, change) for change in changes for word in change.said if _is_negator(word)]
    dropped = [(word, change) for change in changes for word in change.known if _is_negator(word)]
    if bool(added) == bool(dropped):
        return None
    if denies(" ".join(word.text for change in changes for word in (change.known if added else change.said))):
        return None
    if any(word.folded in _EXCEPTED for word in (known if added else said)):
        return None
    if any(word.folded in _REVERSING for change in changes for word in (change.said if added else change.known)):
        return None
    alone = [word for word, change in added if change.is_inside and len(change.said) <= _MOST_REPLACED]
    alone += [word for word, change in dropped if change.is_inside and len(change.known) < _MOST_REPLACED]
    return alone[0].text if alone else None


def _is_negator(word: Word) -> bool:
    return word.folded in _NEGATORS or word.folded in ("cannot", "neednot") or word.folded.endswith("n't")


def _find_replaced(change: _Change, is_denied: bool, ours: set[str], theirs: set[str]) -> str | None:
    known, said = change.known, change.said
    if not known or not said or max(len(known), len(said)) > _MOST_REPLACED:
        return None
    for one, other in zip(known, said, strict=True) if len(known) == len(said) else ():
        pair = frozenset(_SAME.get(word.folded, word.folded) for word in (one, other))
        if len(said) > 1 and pair != {"must", "may"}:
            continue
        if pair in _EXCLUSIVE and not (is_denied and pair & {"may", "and"}):
            return other.text
        if _form(one).isdigit() and _form(other).isdigit():
            return other.text
    for word in said:
        if any(are_opposite(word.stem, k.stem) for k in known):
            return word.text
    names, known_names = ([w for w in words if _is_name(w, change.is_first)] for words in (said, known))
    if all(_form(w) in theirs for w in names) and all(_form(w) in ours for w in known_names):
        return None  # both stand elsewhere too: the words are in another order
    if names and known_names and not any(_is_same(a, b) for a in names for b in known_names):
        return names[0].text
    return None


def _is_name(word: Word, is_first: bool) -> bool:
    """`is_first`: whether it begins a sentence, where any word has a capital."""
    is_capital = word.text[0].isupper() and len(word.text) > 2 and word.folded not in _NO_NAMES | _ANYONE
    return bool(role_of(word)) or (is_capital and not (is_first and is_word(word.folded)))


def _is_same(said: Word, known: Word) -> bool:
    """Whether two names may be one: the same in meaning, or an abbreviation."""
    return (
        relation(said.stem, known.stem) >= 0.9
        or said.folded.startswith(known.folded[:4])
        or said.text.isupper()
        or known.text.isupper()
    )
