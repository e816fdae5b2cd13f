"""A document as a question can name it: by the words of its file name, its title and its parties."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from orderly.services.questions.kinds import kinds_of
from orderly.services.questions.party_roles import party_roles

OPENING = 2_500
"""Leading characters of a document that name it and its parties."""
TITLE = 700
"""Leading characters that hold the title and the first party."""
IN_NAME, IN_TITLE, IN_OPENING, IN_SIGNATURES = 1.0, 1.0, 0.6, 0.5
"""Weights of a word in the file name, in the title, after it, and where the parties sign."""
SIGNATURES = 900
"""Characters behind words of execution, and at the end, that may hold the parties' names."""
TOKEN = re.compile(r"[^\W_]+(?:['’&.][^\W_]+)*")
_SUFFIX = re.compile(r"(?<=\w{3})(?:inc|corp|ltd|llc|plc|holdings|company|pty)\Z")
_EXECUTION = re.compile(r"\bin witness whereof\b|\b(?:executed|signed)(?: and delivered)? (?:as|by|for)\b", re.IGNORECASE)
_CAPITALISED = re.compile(r"\b[A-Z][\w&’'.]+")
_POSSESSIVE = re.compile(r"['’]s\Z")


@dataclass(frozen=True, slots=True)
class Nameable:
    """A document as a question can name it."""

    id: str
    words: Mapping[str, float]
    """Words of the file name, the title and the parties, with their weights."""
    name: str = ""
    """The file name's words in lower case, which a question may hold as they are: "deed of guarantee"."""
    in_name: frozenset[str] = frozenset()
    """The forms of these words."""
    kinds: frozenset[str] = frozenset()
    """What the document is, by its file name and heading: a lease, a judgment."""
    roles: Mapping[str, str] = field(default_factory=dict)
    """Words of the parties' names, with the roles that the document uses for them."""

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
            for token in TOKEN.findall(part):
                for word in word_forms(token.lower()):
                    words[word] = max(words.get(word, 0.0), weight)
        name = filename_words(filename)
        in_name = frozenset(form for word in name.lower().split() for form in word_forms(word))
        return cls(id, words, " ".join(name.lower().split()), in_name, kinds_of(name, text), party_roles(text))


def _signatures(text: str) -> str:
    """Capitalised words where the parties sign."""
    places = [text[m.start() : m.start() + SIGNATURES] for m in list(_EXECUTION.finditer(text))[-3:]]
    return " ".join(_CAPITALISED.findall(" ".join([*places, text[-SIGNATURES:]])))


def filename_words(filename: str) -> str:
    """The words of a file name, separated: "ServiceAgreement_v2.docx" becomes "Service Agreement v 2"."""
    stem = filename.rsplit(".", 1)[0]
    return re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Za-z])(?=\d)|(?<=\d)(?=[A-Za-z])|[_\-]+", " ", stem)


def word_forms(word: str) -> list[str]:
    """The word as it may be written: without a possessive ending, dots, a company's suffix or a plural."""
    plain = _POSSESSIVE.sub("", word).replace(".", "").replace("’", "").replace("'", "")
    forms = [plain, _SUFFIX.sub("", plain), plain.removesuffix("s") if len(plain) > 4 else plain]
    return [form for form in dict.fromkeys(forms) if form]
