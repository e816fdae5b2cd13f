"""Legal engines: the protocol that both satisfy, the check of permission, retries."""

from orderly.services.engines.enrichment import DocumentType, Enriched, Enricher, Segment, Span, Term, moved
from orderly.services.engines.permitted import PermittedEngine
from orderly.services.engines.protocol import Answer, Classified, EmbeddingTask, Extraction, LegalEngine, Ranked, apart
from orderly.services.engines.retries import RetryPolicy

__all__ = [
    "Answer",
    "Classified",
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
    "apart",
    "moved",
]
