"""Legal engines: the protocol, the permission check and the retry policy."""

from orderly.models import Span
from orderly.services.engines.deadline import before_deadline, engine_seconds
from orderly.services.engines.enrichment import DocumentType, Enriched, Enricher, Segment, Term, shift_offsets
from orderly.services.engines.permitted import PermittedEngine
from orderly.services.engines.protocol import (
    Answer,
    Classified,
    ClausePresence,
    EmbeddingTask,
    Extraction,
    LegalEngine,
    Ranked,
    refuse_blank,
    without_overlaps,
)
from orderly.services.engines.retries import RetryPolicy

__all__ = [
    "Answer",
    "Classified",
    "ClausePresence",
    "DocumentType",
    "EmbeddingTask",
    "Enriched",
    "Enricher",
    "Extraction",
    "LegalEngine",
    "PermittedEngine",
    "Ranked",
    "RetryPolicy",
    "Segment",
    "Span",
    "Term",
    "before_deadline",
    "engine_seconds",
    "refuse_blank",
    "shift_offsets",
    "without_overlaps",
]
