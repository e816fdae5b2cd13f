"""What a sentence alters that repeats its quotation nearly word for word: a negation, a duty, a name, a number, an opposite."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from functools import cache, lru_cache
from importlib import resources
from typing import Any, NamedTuple

from orderly.services.document_processor import is_word
from orderly.services.support.words import content_stems, stem
from orderly.services.values import parse_words
from orderly.services.words import NEGATIONS

_LEAST_SHARE = 0.65
"""Share of a sentence's words that its quotation has in this order, from which the two are compared."""
_LEAST_SHARED = 0.3
"""Share of its words of meaning, below which it need not be compared."""
_LEAST_WORDS, _MOST_WORDS, _MOST_KNOWN = 5, 120, 400
_NEAR = 6
"""Words around a change in which a negation concerns it."""
_MOST_BEFORE = 4
"""Words such as "in other words" before the repetition."""
_MOST_REPLACED = 3
"""Words that stand for as many others at most; longer stretches are other wording."""
_WORD = re.compile(r"[^\W_]+(?:['’.-][^\W_]+)*")


class _Word(NamedTuple):
    text: str
    """As written."""
    folded: str
    form: str
    """As compared."""


class _Change(NamedTuple):
    known: Sequence[_Word]
    """Words of the quotation that the sentence has not."""
    said: Sequence[_Word]
    """Words of the sentence in their place."""
    is_inside: bool
    """Whether both have the words on both sides of it, or it replaces the first or last words by as many."""
    is_first: bool
    is_denied: bool
    """Whether the sentence has a negation right around it."""


class _Data(NamedTuple):
    negators: frozenset[str]
    denying: frozenset[str]
    exclusive: frozenset[frozenset[str]]
    no_names: frozenset[str]
    same: dict[str, str]
    pattern: re.Pattern[str]
    """Finds the phrases of `same`."""


@cache
def _data() -> _Data:
    raw: dict[str, Any] = tomllib.loads(resources.files(__package__).joinpath("altered_words.toml").read_text(encoding="utf-8"))
    same = {phrase: plain for plain, phrases in raw["same"].items() for phrase in phrases}
    phrases = "|".join(re.escape(phrase).replace(r"\ ", r"\s+") for phrase in sorted(same, key=len, reverse=True))
    return _Data(
        NEGATIONS | frozenset(raw["negators"]),
        frozenset(raw["denying"]),
        frozenset(map(frozenset, raw["exclusive"])),
        frozenset(raw["no_names"]),
        same,
        re.compile(rf"\b(?:{phrases})(?!\w)", re.IGNORECASE),
    )


def find_altered(statement: str, evidence: str) -> str | None:
    """The word by which a sentence that repeats the evidence says something else; None if it alters or repeats nothing."""
    if len(statement.split()) < _LEAST_WORDS:
        return None
    meant = content_stems(statement)
    if len(meant & content_stems(evidence)) < _LEAST_SHARED * len(meant):
        return None
    said, known = _words(statement), _words(evidence)
    if not _LEAST_WORDS <= len(said) <= _MOST_WORDS or len(known) > _MOST_KNOWN:
        return None
    ours, theirs = [word.form for word in said], [word.form for word in known]
    forms = set(theirs)
    if len(ours) - sum(form in forms for form in ours) > (1 - _LEAST_SHARE) * len(ours) + _MOST_BEFORE:
        return None
    operations = SequenceMatcher(None, theirs, ours, autojunk=False).get_opcodes()
    lead = operations[0][4] if operations[0][0] == "insert" and operations[0][4] <= _MOST_BEFORE else 0
    if sum(b - a for kind, a, b, _, _ in operations if kind == "equal") < _LEAST_SHARE * (len(ours) - lead):
        return None
    changes = list(_changes(operations, said, known))
    if (word := _find_negation(changes)) is not None:
        return word
    found = (_find_replaced(one, set(ours), forms) for one in changes if one.is_inside)
    return next((word for word in found if word is not None), None)


@lru_cache(maxsize=512)
def _words(text: str) -> Sequence[_Word]:
    """The words as compared: phrases made plain, and a number that is written twice, "sixty (60)", once."""
    same = _data().same
    plain = _data().pattern.sub(lambda found: same[" ".join(found[0].split()).casefold().replace("’", "'")], text)
    found: list[_Word] = []
    for match in _WORD.finditer(plain):
        folded = match[0].casefold().replace("’", "'").removesuffix("'s")
        number = None if folded.isdigit() else parse_words(folded)
        form = stem(folded) if number is None else str(number)
        if not (found and form.isdigit() and form == found[-1].form):
            found.append(_Word(match[0], folded, form))
    return found


def _changes(
    operations: Sequence[tuple[str, int, int, int, int]], said: Sequence[_Word], known: Sequence[_Word]
) -> Iterator[_Change]:
    for at, (kind, a, b, c, d) in enumerate(operations):
        if kind == "delete" and at == len(operations) - 1:  # what follows is another matter, if it does not deny
            denying = [word for word in known[a : a + _MOST_REPLACED] if word.folded in _data().denying]
            yield _Change(denying, (), is_inside=False, is_first=False, is_denied=False)
        elif kind != "equal":
            inside = 0 < at < len(operations) - 1 or (kind == "replace" and b - a == d - c)
            around = said[max(c - _NEAR, 0) : d + _NEAR]
            yield _Change(known[a:b], said[c:d], inside, at == 0, any(word.folded in _data().negators for word in around))


def _find_negation(changes: Sequence[_Change]) -> str | None:
    """A negation that one of the two has alone, if nothing else they differ by says it."""
    added = [(word, change) for change in changes for word in change.said if _is_negator(word)]
    dropped = [(word, change) for change in changes for word in change.known if _is_negator(word)]
    if bool(added) == bool(dropped):
        return None
    if any(word.folded in _data().denying for change in changes for word in (*change.said, *change.known)):
        return None
    alone = [word for word, change in added if change.is_inside and len(change.said) <= _MOST_REPLACED + 1]
    alone += [word for word, change in dropped if change.is_inside and len(change.known) < _MOST_REPLACED]
    return alone[0].text if alone else None


def _is_negator(word: _Word) -> bool:
    return word.folded in _data().negators or word.folded.endswith("n't")


def _find_replaced(change: _Change, ours: set[str], theirs: set[str]) -> str | None:
    known, said = change.known, change.said
    if not known or not said or max(len(known), len(said)) > _MOST_REPLACED:
        return None
    for one, other in zip(known, said, strict=True) if len(known) == len(said) else ():
        pair = frozenset((one.folded, other.folded))
        if len(said) > 1 and pair != {"must", "may"}:
            continue
        if pair in _data().exclusive and not (change.is_denied and pair & {"may", "and"}):
            return other.text
        if one.form.isdigit() and other.form.isdigit():
            return other.text
    names, known_names = ([w for w in words if _is_name(w, change.is_first)] for words in (said, known))
    if all(w.form in theirs for w in names) and all(w.form in ours for w in known_names):
        return None  # both stand elsewhere too: the words are in another order
    if names and known_names and not any(_is_same(a, b) for a in names for b in known_names):
        return names[0].text
    return None


def _is_name(word: _Word, is_first: bool) -> bool:
    """`is_first`: whether it begins a sentence, where any word has a capital."""
    is_capital = word.text[0].isupper() and len(word.text) > 2 and word.folded not in _data().no_names
    return is_capital and not (is_first and is_word(word.folded))


def _is_same(said: _Word, known: _Word) -> bool:
    """Whether two names may be one: the beginning of the other, or an abbreviation."""
    is_beginning = said.folded.startswith(known.form) or known.folded.startswith(said.form)
    return is_beginning or said.text.isupper() or known.text.isupper()
