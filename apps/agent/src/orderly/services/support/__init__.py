"""Support: what a sentence of an answer states, its figures and names, and which words it alters."""

from orderly.services.support.alterations import find_altered
from orderly.services.support.claims import Claim, find_claim
from orderly.services.support.facts import Facts, read_facts
from orderly.services.support.figures import Figure, are_same, around, figures, has_figure
from orderly.services.support.names import unknown_names
from orderly.services.support.plain import plain_text
from orderly.services.support.quoted_words import QuotedWords, read_quoted_words
from orderly.services.support.shares import Share
from orderly.services.support.statements import is_definite
from orderly.services.support.words import content_stems, stem, subject_stems

__all__ = [
    "Claim",
    "Facts",
    "Figure",
    "QuotedWords",
    "Share",
    "are_same",
    "around",
    "content_stems",
    "figures",
    "find_altered",
    "find_claim",
    "has_figure",
    "is_definite",
    "plain_text",
    "read_facts",
    "read_quoted_words",
    "stem",
    "subject_stems",
    "unknown_names",
]
