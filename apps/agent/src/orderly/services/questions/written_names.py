"""Finds the words of a question that are written like the name of a document."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import pairwise

from orderly.services.questions.many_documents import asks_of_all
from orderly.services.questions.nameable import TOKEN, word_forms
from orderly.services.questions.spelling import closest
from orderly.services.values import find_jurisdictions

_NOUN_LIST = (
    "agreement contract deed lease licence license nda memo memorandum letter amendment addendum policy judgment act program "
    "programme undertaking guarantee mortgage will conditions terms"
)
NOUNS = frozenset(_NOUN_LIST.split())
"""Words for a document, which identify none."""
_DEAL_LIST = (
    "deal arrangement alliance collaboration consultancy cooperation distributorship engagement facility franchise loan "
    "outsourcing partnership promotion purchase retainer settlement sponsorship sublease subscription supply tenancy venture"
)
DEALS = NOUNS | frozenset(_DEAL_LIST.split())
"""Words for what parties agree on, of which the second kind may identify a document."""
_SMALL_LIST = "a an and the of to for in on no with by or at from under v vs number"
SMALL = frozenset(_SMALL_LIST.split())
_QUESTION_LIST = (
    "which what who whom whose when where why how does do did is am are was were can could may might must shall should will "
    "would has have had need and or but so then also now in under for of on at by to from with as the a an if whether compare "
    "list show find tell give name state explain describe check summarise summarize any all each both every same please what's "
    "i we you he she it they me us them there here my our your his her its their this that these those not no yes ok okay "
    "over since until during upon within after before about into through than once except without while because although"
)
QUESTION_WORDS = frozenset(_QUESTION_LIST.split())
_ACRONYM_LIST = "ip ipr it prc us usa uk uae eu nsw gst vat mfn rofr rofo ceo cfo gdpr gaap usd aud eur gbp sla kpi pty"
_ACRONYMS = frozenset(_ACRONYM_LIST.split())
"""Acronyms of things, places and currencies, which name no document by themselves."""
LONGEST, BEFORE_NOUN = 14, 4
"""Words of the longest name, and lower-case words before its noun."""
BEFORE_PLACE = 200
"""Characters in which "the law of" stands before a place."""
_DIVIDERS = frozenset(("and", "or", "versus", "vs", "with", "differ", "from", "to"))
_DETERMINERS = frozenset(("the", "this", "that", "its", "their", "a", "an", "any", "our", "my"))
_PART_LIST = "section clause article schedule annexure appendix exhibit paragraph para part item page rule regulation"
_PARTS = frozenset(_PART_LIST.split())
_THING_LIST = "licence license letter policy act undertaking guarantee mortgage will conditions terms memo memorandum"
THINGS = frozenset(_THING_LIST.split())
"""Words for a document that also mean something in one: "the bank guarantee under the lease"."""
TITLES = frozenset(("mr", "ms", "mrs", "dr", "miss"))
_PARTY_LIST = (
    "landlord tenant lessor lessee owner supplier customer buyer seller vendor purchaser licensor licensee employer employee "
    "executive lender borrower guarantor distributor client provider franchisor franchisee company consultant contractor party"
)
_PARTIES = frozenset(_PARTY_LIST.split())
"""Roles, which name no document also where they are capitalised."""
"""Words for a part of a document, which a number follows."""
_PART_NUMBER = re.compile(r"\d[\w.]*|[A-Z]|[IVXLC]+")
_PLACE = re.compile(
    r"(?:\blaws?|\bcourts?|\bstate|\bterritory|\bcommonwealth)\s+(?:of|in)\s+(?:the\s+)?(?:\w+\s+of\s+)?\Z", re.IGNORECASE
)
_AFTER_PLACE = re.compile(r"\s+(?:laws?|courts?|time)\b", re.IGNORECASE)
_CASE = re.compile(r"\s+(?:case|decision|judge?ment|proceedings?|litigation|appeal)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class NameWord:
    text: str
    start: int
    end: int
    capital: bool


def has_name(question: str) -> bool:
    """Whether a part of the question is written like the name of a document."""
    return bool(written_names(question))


def written_names(question: str, known: Collection[str] | None = None) -> list[list[NameWord]]:
    """Runs of words that may name a document: capitalised words within a sentence, with the lower-case words around them.

    `known`: words of documents. The first word, always capitalised, begins a name only if it is, or resembles, one of them.
    """
    words = [NameWord(m[0], *m.span(), m[0][0].isupper() or m[0][0].isdigit()) for m in TOKEN.finditer(question)]
    runs: list[list[NameWord]] = []
    of_all = asks_of_all(question)
    n = 0
    while n < len(words):
        if other := _reference(words, n) or _place(question, words, n, of_all=of_all):
            n += other
        elif known is not None and n == 0 and not _is_known(words[0].text.lower(), known):
            n += 1
        elif _begins_name(question, words, n):
            run = _run(question, words, n)
            runs += _divided(run)
            n += len(run)
        else:
            n += 1
    return [run for run in runs if any(is_content(word) for word in run) and not all(_is_role(word) for word in run)]


def _is_role(word: NameWord) -> bool:
    text = re.sub(r"['’]s\Z", "", word.text.lower())
    return text in _PARTIES or text.removesuffix("s") in _PARTIES


def _is_known(word: str, known: Collection[str]) -> bool:
    return any(form in known for form in word_forms(word)) or closest(word, known) is not None


def _reference(words: Sequence[NameWord], n: int) -> int:
    """Number of words from `n` on that refer to a part of a document: "Section 9", "clause 7.3"."""
    is_part = words[n].text.lower().removesuffix("s") in _PARTS
    return 2 if is_part and n + 1 < len(words) and _PART_NUMBER.fullmatch(words[n + 1].text) else 0


def _place(question: str, words: Sequence[NameWord], n: int, *, of_all: bool) -> int:
    """Number of capitalised words from `n` on that name a place whose law or courts are meant: "the law of New York"."""
    count = 0
    while (
        count < LONGEST
        and n + count < len(words)
        and words[n + count].capital
        and words[n + count].text.lower() not in QUESTION_WORDS
    ):
        count += 1
    if not count or _ends_in_noun(question, words, n + count - 1):  # "the law of the Acme supply agreement" names a document
        return 0
    start, end = words[n].start, words[n + count - 1].end
    is_place = not _CASE.match(question, end) and (
        _PLACE.search(question, max(0, start - BEFORE_PLACE), start)
        or _AFTER_PLACE.match(question, end)
        or (of_all and _is_jurisdiction(question[start:end]))  # "which contracts choose Texas?"
    )
    return count if is_place else 0


def _is_jurisdiction(words: str) -> bool:
    return any((j.start, j.end) == (0, len(words)) for j in find_jurisdictions(words)[:1])


def is_place(name: Sequence[NameWord]) -> bool:
    """Whether a name is that of a state or country, which may be what is asked about."""
    return _is_jurisdiction(" ".join(word.text for word in name))


def _begins_name(question: str, words: Sequence[NameWord], n: int) -> bool:
    word = words[n]
    if word.text.lower() in QUESTION_WORDS | SMALL | _ACRONYMS:
        return False
    if word.text.isdigit() and n and words[n - 1].text.lower() not in _DETERMINERS:  # "year 3 of the Acme lease"
        return False
    if word.capital:
        return True
    return n > 0 and words[n - 1].text.lower() in ("the", "this", "our", "my") and _ends_in_noun(question, words, n)


def _ends_in_noun(question: str, words: Sequence[NameWord], n: int) -> bool:
    """Whether a word for a document follows within three words, without a verb or mark between: "the employment contract"."""
    for ahead in range(1, 4):
        if n + ahead >= len(words) or question[words[n + ahead - 1].end : words[n + ahead].start].strip(" -/"):
            return False
        text = words[n + ahead].text.lower()
        if text in NOUNS:
            return True
        if text in SMALL | QUESTION_WORDS:
            return False
    return False


def _run(question: str, words: Sequence[NameWord], first: int) -> list[NameWord]:
    """The words from `first` on that one name or several joined names hold, up to the last noun for a document or capital.

    Lower-case words belong to a name if they lead to a noun for a document ("the Acme supply and service agreement") or only
    join capitalised words ("the Bank of Sydney"). Any other may be a verb: "does Acme indemnify Blue Harbour?".
    """
    run = [words[first]]
    at = first + 1
    while at < len(words) and len(run) <= LONGEST and _adjoins(question, words, at):
        if words[at].capital and words[at].text.lower() not in QUESTION_WORDS:
            run.append(words[at])
            at += 1
            continue
        between = _lower_words(question, words, at)
        nouns = [n for n, word in enumerate(between) if word.text.lower() in DEALS and not _is_verb(between, n)]
        is_apart = nouns and any(word.text.lower() in _DETERMINERS for word in between[: nouns[0]])  # "Acme assign the lease"
        nouns = [n for n in nouns if not any(word.text.lower() in _DETERMINERS for word in between[nouns[0] : n])]
        named = nouns[-1] + 1 if nouns and nouns[0] <= BEFORE_NOUN and not is_apart else 0
        at += len(between)
        if all(word.text.lower() in SMALL | _DIVIDERS for word in between[named:]) and between and at < len(words):
            run += between
        else:
            run += between[:named]
            break
    named_words = [word.text.lower() in NOUNS or (word.capital and word.text.lower() not in _ACRONYMS) for word in run]
    last = max((n for n, is_named in enumerate(named_words) if is_named), default=0)
    return run[: last + 1]


def _is_verb(words: Sequence[NameWord], n: int) -> bool:
    """Whether a word for a deal is a verb: "deal with"."""
    return words[n].text.lower() == "deal" and n + 1 < len(words) and words[n + 1].text.lower() == "with"


def _adjoins(question: str, words: Sequence[NameWord], at: int) -> bool:
    """Whether no mark that ends a name stands before a word."""
    gap = question[words[at - 1].end : words[at].start]
    return not gap.strip(" -_/&,'’.") and ("," not in gap or words[at].capital)


def _lower_words(question: str, words: Sequence[NameWord], at: int) -> list[NameWord]:
    """The lower-case words from `at` on up to a capitalised word, a mark, or a word that begins a question."""
    found: list[NameWord] = []
    for n in range(at, min(len(words), at + LONGEST)):
        text = words[n].text.lower()
        if words[n].capital or not _adjoins(question, words, n) or text in QUESTION_WORDS - SMALL - _DIVIDERS:
            break
        found.append(words[n])
    return found


def _divided(run: list[NameWord]) -> list[list[NameWord]]:
    """Divides "the X agreement and the Y agreement", but not "the X licence and maintenance agreement"."""
    parts: list[list[NameWord]] = [[]]
    for n, word in enumerate(run):
        if word.text.lower() in _DIVIDERS and n and _names_another(run, n):
            parts.append([])
        parts[-1].append(word)
    return [_trimmed(part) for part in parts if _trimmed(part)]


def _names_another(run: Sequence[NameWord], n: int) -> bool:
    """Whether a name of its own follows the dividing word at `n`: capitalised, behind "the" or a complete name."""
    article = n + 1 < len(run) and run[n + 1].text.lower() == "the"
    after = run[n + 1 + article] if n + 1 + article < len(run) else None
    complete = run[n - 1].text.lower() in NOUNS
    if run[n].text.lower() in ("with", "from", "to") and not article:  # "the supply contract with Acme" is one name
        return False
    return after is not None and ((after.capital and (article or complete)) or (complete and article and run[n].text == "and"))


def _trimmed(part: list[NameWord]) -> list[NameWord]:
    start = next((n for n, word in enumerate(part) if word.text.lower() not in SMALL | _DIVIDERS), len(part))
    return part[start:]


def is_content(word: NameWord) -> bool:
    return word.text.lower() not in SMALL | NOUNS | TITLES


def is_before_noun(run: Sequence[NameWord], word: NameWord) -> bool:
    """Whether a word of a run stands just before a word for a document: "endorsement" in "the endorsement agreement"."""
    return any(one is word and following.text.lower() in DEALS for one, following in pairwise(run))
