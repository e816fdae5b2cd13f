"""Finds the documents that a question names: by file name, by title or by a party, also misspelt."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from math import log

from orderly.services.questions.spelling import closest

OPENING = 2_500
"""Leading characters of a document that name it and its parties."""
TITLE = 700
"""Leading characters that hold the title and the first party."""
IN_NAME, IN_TITLE, IN_OPENING, IN_SIGNATURES = 1.0, 1.0, 0.6, 0.5
"""Weights of a word in the file name, in the title, after it, and where the parties sign."""
SIGNATURES = 900
"""Characters behind words of execution, and at the end, that may hold the parties' names."""
MIN_SHARE = 0.5
"""Share of a name's words, weighted by rarity, that a document has to have."""
RARE = 0.15
"""Share of the documents that may have a word for it to name one of them."""
TOGETHER = 8
"""Letters of several words that a document may write as one."""
TIED = 0.93
"""Documents whose share of the name is within this part of the best are named alike."""

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
_DEALS = NOUNS | frozenset(_DEAL_LIST.split())
"""Words for what parties agree on, of which the second kind may identify a document."""
_SMALL_LIST = "a an and the of to for in on no with by or at from under v vs number"
_SMALL = frozenset(_SMALL_LIST.split())
_QUESTION_LIST = (
    "which what who whom whose when where why how does do did is am are was were can could may might must shall should will "
    "would has have had need and or but so then also now in under for of on at by to from with as the a an if whether compare "
    "list show find tell give name state explain describe check summarise summarize any all each both every same please what's "
    "i we you he she it they me us them there here my our your his her its their this that these those not no yes ok okay"
)
_QUESTION_WORDS = frozenset(_QUESTION_LIST.split())
_ACRONYM_LIST = "ip ipr it prc us usa uk uae eu nsw gst vat mfn rofr rofo ceo cfo gdpr gaap usd aud eur gbp sla kpi pty"
_ACRONYMS = frozenset(_ACRONYM_LIST.split())
"""Acronyms of things, places and currencies, which name no document by themselves."""
_JOINED = re.compile(r"(?:['’]s)?,?\s+(?:(?:with|of|between|from|by|for|to)\s+(?:the\s+)?)?", re.IGNORECASE)
"""What may stand between two parts of one document's name."""
_DIVIDERS = frozenset(("and", "or", "versus", "vs", "with", "differ", "from", "to"))
_TOKEN = re.compile(r"[^\W_]+(?:['’&.][^\W_]+)*")
_PLACE = re.compile(
    r"(?:\blaws?|\bcourts?|\bstate|\bterritory|\bcommonwealth)\s+(?:of|in)\s+(?:the\s+)?(?:\w+\s+of\s+)?\Z", re.IGNORECASE
)
_AFTER_PLACE = re.compile(r"\s+(?:laws?|courts?|time)\b", re.IGNORECASE)
_SUFFIX = re.compile(r"(?<=\w{3})(?:inc|corp|ltd|llc|plc|holdings|company|pty)\Z")
_EXECUTION = re.compile(r"\bin witness whereof\b|\b(?:executed|signed)(?: and delivered)? (?:as|by|for)\b", re.IGNORECASE)
_CAPITALISED = re.compile(r"\b[A-Z][\w&’'.]+")
_BEFORE_NAME = re.compile(
    r".*(?P<article>\b(?:the|an?|our|my|this))\s+(?P<words>(?:[\w-]+\s+){1,4})(?P<joint>with|of|between|from|by|for)\s+(?:the\s+)?\Z",
    re.IGNORECASE | re.DOTALL,
)
_ENDS_NAME = re.compile(
    r"\s*(?:[,;?.!]|\Z)| (?:is|was|be|been|has|have|does|do|did|may|must|can|could|shall|should|will|would)\b"
)
_POSSESSIVE = re.compile(r"['’]s\Z")


@dataclass(frozen=True, slots=True)
class Nameable:
    """A document as a question can name it."""

    id: str
    words: Mapping[str, float]
    """Words of the file name, the title and the parties, with their weights."""
    name: str = ""
    """The file name's words in lower case, which a question may hold as they are: "deed of guarantee"."""

    @classmethod
    def of(cls, id: str, filename: str, text: str) -> Nameable:
        """`text`: the document, or its beginning."""
        words: dict[str, float] = {}
        parts = (
            (filename_words(filename), IN_NAME),
            (text[:TITLE], IN_TITLE),
            (text[:OPENING], IN_OPENING),
            (_signatures(text[OPENING:]), IN_SIGNATURES),
        )
        for part, weight in parts:
            for token in _TOKEN.findall(part):
                for word in _forms(token.lower()):
                    words[word] = max(words.get(word, 0.0), weight)
        return cls(id, words, " ".join(filename_words(filename).lower().split()))


def _signatures(text: str) -> str:
    """Capitalised words where the parties sign."""
    places = [text[m.start() : m.start() + SIGNATURES] for m in list(_EXECUTION.finditer(text))[-3:]]
    return " ".join(_CAPITALISED.findall(" ".join([*places, text[-SIGNATURES:]])))


def filename_words(filename: str) -> str:
    """The words of a file name, separated: "ServiceAgreement_v2.docx" becomes "Service Agreement v 2"."""
    stem = filename.rsplit(".", 1)[0]
    return re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Za-z])(?=\d)|(?<=\d)(?=[A-Za-z])|[_\-]+", " ", stem)


@dataclass(frozen=True, slots=True)
class Named:
    """What a question names. Without documents, `question` is the question itself."""

    question: str
    """The question with "the agreement" instead of the names."""
    documents: tuple[str, ...] = ()
    """Ids, in the order of the names."""
    alike: tuple[str, ...] = ()
    """Ids of documents that one name fits equally well."""
    corrected: tuple[tuple[str, str], ...] = ()
    """(word as written, word of a document), for misspelt names."""


@dataclass(frozen=True, slots=True)
class _Word:
    text: str
    start: int
    end: int
    capital: bool


def named_documents(question: str, documents: Sequence[Nameable]) -> Named:
    """Finds the documents of each name in the question; none if nothing in it names a document."""
    counts: dict[str, int] = {}
    for document in documents:
        for word in document.words:
            counts[word] = counts.get(word, 0) + 1
    corrected: list[tuple[str, str]] = []
    spans: list[tuple[int, int]] = []
    fits: list[list[str]] = []
    for name in _names(question, counts):
        matched, fixed = _matches(name, counts, len(documents))
        best = _best(name, matched, documents, counts)
        if not best:
            continue
        corrected += fixed
        titles = {d.id: d.words for d in documents}
        best, end = _with_tail(question, name, best, titles)
        start = _with_head(question, name[0].start, best, titles)
        if spans and _JOINED.fullmatch(question[spans[-1][1] : start]):  # "the supply contract with Acme" is one name
            spans[-1] = (spans[-1][0], end)
            fits[-1] = [d for d in fits[-1] if d in best] or best
        else:
            spans.append((start, end))
            fits.append(best)
    found = list(dict.fromkeys(d for best in fits for d in best))
    alike = list(dict.fromkeys(d for best in fits if len(best) > 1 for d in best))
    if not found:  # a name of nouns alone: "the Deed of Guarantee"
        whole = {document.id: span for document in documents if (span := _whole_name(question, document.name))}
        found, spans = list(whole), list(dict.fromkeys(whole.values()))
    return Named(_without(question, sorted(spans)), tuple(found), tuple(alike), tuple(corrected))


def _whole_name(question: str, name: str) -> tuple[int, int] | None:
    """The place of a file name of several words that stands in the question as it is."""
    if " " not in name:
        return None
    words = r"[\s_-]+".join(map(re.escape, name.split()))
    match = re.search(rf"(?<!\w){words}(?!\w|\.\d)", question, re.IGNORECASE)
    return match.span() if match else None


def has_name(question: str) -> bool:
    """Whether a part of the question is written like the name of a document."""
    return bool(_names(question))


def _names(question: str, known: Collection[str] | None = None) -> list[list[_Word]]:
    """Runs of words that may name a document: capitalised words within a sentence, with the lower-case words around them.

    `known`: words of documents. The first word, always capitalised, begins a name only if it is, or resembles, one of them.
    """
    words = [_Word(m[0], *m.span(), m[0][0].isupper() or m[0][0].isdigit()) for m in _TOKEN.finditer(question)]
    runs: list[list[_Word]] = []
    n = 0
    while n < len(words):
        if place := _place(question, words, n):
            n += place
        elif known is not None and n == 0 and not _is_known(words[0].text.lower(), known):
            n += 1
        elif _begins_name(question, words, n):
            run = _run(question, words, n)
            runs += _divided(run)
            n += len(run)
        else:
            n += 1
    return [run for run in runs if any(_is_content(word) for word in run)]


def _is_known(word: str, known: Collection[str]) -> bool:
    return any(form in known for form in _forms(word)) or closest(word, known) is not None


def _place(question: str, words: Sequence[_Word], n: int) -> int:
    """Number of capitalised words from `n` on that name a place whose law or courts are meant: "the law of New York"."""
    count = 0
    while n + count < len(words) and words[n + count].capital and words[n + count].text.lower() not in _QUESTION_WORDS:
        count += 1
    if not count or _ends_in_noun(question, words, n + count - 1):  # "the law of the Acme supply agreement" names a document
        return 0
    is_place = _PLACE.search(question[: words[n].start]) or _AFTER_PLACE.match(question, words[n + count - 1].end)
    return count if is_place else 0


def _begins_name(question: str, words: Sequence[_Word], n: int) -> bool:
    word = words[n]
    if word.text.lower() in _QUESTION_WORDS | _SMALL | _ACRONYMS:
        return False
    if word.capital:
        return True
    return n > 0 and words[n - 1].text.lower() in ("the", "this", "our", "my") and _ends_in_noun(question, words, n)


def _ends_in_noun(question: str, words: Sequence[_Word], n: int) -> bool:
    """Whether a word for a document follows within three words, without a verb or mark between: "the employment contract"."""
    for ahead in range(1, 4):
        if n + ahead >= len(words) or question[words[n + ahead - 1].end : words[n + ahead].start].strip(" -/"):
            return False
        text = words[n + ahead].text.lower()
        if text in NOUNS:
            return True
        if text in _SMALL | _QUESTION_WORDS:
            return False
    return False


def _run(question: str, words: Sequence[_Word], first: int) -> list[_Word]:
    """The words from `first` on without a mark between, up to the last noun for a document, else the last capitalised word."""
    run = [words[first]]
    for word in words[first + 1 :]:
        gap = question[run[-1].end : word.start]
        if gap.strip(" -_/&,'’.") or ("," in gap and not word.capital) or len(run) > 14:
            break
        run.append(word)
    named = [word.text.lower() in NOUNS or (word.capital and word.text.lower() not in _ACRONYMS) for word in run]
    last = max((n for n, is_named in enumerate(named) if is_named), default=0)
    return run[: last + 1]


def _divided(run: list[_Word]) -> list[list[_Word]]:
    """Divides "the X agreement and the Y agreement", but not "the X licence and maintenance agreement"."""
    parts: list[list[_Word]] = [[]]
    for n, word in enumerate(run):
        if word.text.lower() in _DIVIDERS and n and _names_another(run, n):
            parts.append([])
        parts[-1].append(word)
    return [_trimmed(part) for part in parts if _trimmed(part)]


def _names_another(run: Sequence[_Word], n: int) -> bool:
    """Whether a name of its own follows the dividing word at `n`: capitalised, behind "the" or a complete name."""
    article = n + 1 < len(run) and run[n + 1].text.lower() == "the"
    after = run[n + 1 + article] if n + 1 + article < len(run) else None
    complete = run[n - 1].text.lower() in NOUNS
    if run[n].text.lower() in ("with", "from", "to") and not article:  # "the supply contract with Acme" is one name
        return False
    return after is not None and ((after.capital and (article or complete)) or (complete and article and run[n].text == "and"))


def _trimmed(part: list[_Word]) -> list[_Word]:
    start = next((n for n, word in enumerate(part) if word.text.lower() not in _SMALL | _DIVIDERS), len(part))
    return part[start:]


def _is_content(word: _Word) -> bool:
    return word.text.lower() not in _SMALL | NOUNS


def _matches(name: Sequence[_Word], counts: Mapping[str, int], size: int) -> tuple[dict[str, str], list[tuple[str, str]]]:
    """Maps the name's words to words of documents; a word that no document has to the closest one."""
    found, fixed = {}, []
    for word in name:
        if not _is_content(word):
            continue
        text = next((form for form in _forms(word.text.lower()) if form in counts), None)
        if text is None and len(word.text) >= 4:
            text = next((w for w in counts if w.startswith(word.text.lower()) and counts[w] <= max(1, RARE * size)), None)
        if text is None and word.capital:
            text = _run_together(name, word, counts)
        if text is None and word.capital and (text := closest(word.text.lower(), counts)):
            fixed.append((word.text, text))
        found[word.text.lower()] = text or ""
    return found, fixed


def _run_together(name: Sequence[_Word], word: _Word, counts: Mapping[str, int]) -> str | None:
    """The word of documents in which several words of the name, this one among them, are written as one: "BLUEHARBOURINC"."""
    at = name.index(word)
    for first in range(max(0, at - 3), at + 1):
        for last in range(len(name), max(at, first + 1), -1):
            joined = "".join(w.text.lower() for w in name[first:last])
            if len(joined) >= TOGETHER and (found := next((w for w in counts if w.startswith(joined)), None)):
                return found
    return None


def _best(
    name: Sequence[_Word], matched: Mapping[str, str], documents: Sequence[Nameable], counts: Mapping[str, int]
) -> list[str]:
    """Ids of the documents that fit the name best; none if a rare word or the larger part of the name fits no document."""
    rarity = {word: log(1 + len(documents) / counts.get(text, 0.5)) for word, text in matched.items()}
    whole = sum(rarity.values())
    shares = {d.id: sum(rarity[w] * d.words.get(text, 0.0) for w, text in matched.items() if text) / whole for d in documents}
    top = max(shares.values(), default=0.0)
    if top < MIN_SHARE * IN_OPENING:
        return []
    best = [id for id, share in shares.items() if share >= TIED * top]
    has = {d.id: d.words for d in documents}
    most = max(2.0, RARE * len(documents))
    names_one = any(text and counts[text] <= most for text in matched.values()) or len(best) == 1
    if not names_one or len(best) > most + 1:
        return []
    if not all(has[id] for id in best):
        return []
    texts = set(matched.values())
    as_named = [d.id for d in documents if d.id in best and texts <= {f for word in d.name.split() for f in _forms(word)}]
    return as_named or best  # a file's own name tells it from one that only mentions the words


def _with_tail(
    question: str, name: Sequence[_Word], best: list[str], words: Mapping[str, Mapping[str, float]]
) -> tuple[list[str], int]:
    """Extends a capitalised name without a noun for a document by the words of a title: "the X product development".

    A single word counts only at the end of the question or before an auxiliary verb: elsewhere it may be the verb.

    Returns the documents whose titles have most of them, and the end of the name.
    """
    end, tail = name[-1].end, list[str]()
    if name[-1].text.lower() in NOUNS:
        return best, end
    last = end
    for match in _TOKEN.finditer(question, end):
        word = match[0].lower()
        if question[last : match.start()].strip(" -/&"):
            break
        last = match.end()
        if word in _SMALL:
            continue
        if not any(words[id].get(word, 0.0) >= IN_TITLE for id in best):
            break
        tail.append(word)
        if len(tail) >= 2 or _ENDS_NAME.match(question, last):
            end = last
    if end == name[-1].end:
        return best, name[-1].end
    counts = {id: sum(words[id].get(word, 0.0) >= IN_TITLE for word in tail) for id in best}
    return [id for id in best if counts[id] == max(counts.values())], end


def _with_head(question: str, start: int, best: list[str], words: Mapping[str, Mapping[str, float]]) -> int:
    """The beginning of a name with the words for the deal before it: "the strategic alliance with" Acme."""
    match = _BEFORE_NAME.match(question, 0, start)
    if match is None:
        return start
    before = match["words"].lower().split()
    if not _SMALL.isdisjoint(before) or not _QUESTION_WORDS.isdisjoint(before):
        return start
    titled = match["joint"].lower() in ("with", "between") and any(words[id].get(before[-1], 0.0) >= IN_TITLE for id in best)
    return match.start("article") if titled or before[-1] in _DEALS else start


def _without(question: str, spans: Sequence[tuple[int, int]]) -> str:
    out, at = "", 0
    for start, end in spans:
        out += re.sub(r"\b(?:the|this|our|my|its)\s+\Z", "", question[at:start], flags=re.IGNORECASE) + "the agreement"
        at = end
        at += (
            len(m[0])
            if (m := re.match(r"(?:['’]s)?(?:\s+(?:agreement|contract|deed|lease|deal|arrangement)\b)?", question[end:]))
            else 0
        )
    flat = " ".join((out + question[at:]).split())
    flat = re.sub(r"\b(the agreement)(?:,? (?:and|or|with|versus|vs\.?|from) (?:the )?agreement)+", r"\1", flat)
    return flat


def _forms(word: str) -> list[str]:
    """The word as it may be written: without a possessive ending, dots, a company's suffix or a plural."""
    plain = _POSSESSIVE.sub("", word).replace(".", "").replace("’", "").replace("'", "")
    forms = [plain, _SUFFIX.sub("", plain), plain.removesuffix("s") if len(plain) > 4 else plain]
    return [form for form in dict.fromkeys(forms) if form]
