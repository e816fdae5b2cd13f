"""The offline legal engine: all-MiniLM-L6-v2 embeddings, BM25 and a lexicon of legal concepts."""

from orderly.services.engines.local.clause_types import names_clause_type, says_clause_type
from orderly.services.engines.local.engine import LocalEngine, read_presence
from orderly.services.engines.local.folds import FOLDS, fold_of
from orderly.services.engines.local.legal_terms import other_terms
from orderly.services.engines.local.presence_types import Presence, PresenceReading, presence_types
from orderly.services.engines.local.queries import content_parts, name_words
from orderly.services.engines.local.sentences import content_words, sentences, stem, stems, trimmed
from orderly.services.engines.local.vocabulary import is_alike, is_known_word, lexicon_words

__all__ = [
    "FOLDS",
    "LocalEngine",
    "Presence",
    "PresenceReading",
    "content_parts",
    "content_words",
    "fold_of",
    "is_alike",
    "is_known_word",
    "lexicon_words",
    "name_words",
    "names_clause_type",
    "other_terms",
    "presence_types",
    "read_presence",
    "says_clause_type",
    "sentences",
    "stem",
    "stems",
    "trimmed",
]
