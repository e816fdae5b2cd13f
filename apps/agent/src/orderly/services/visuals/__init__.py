"""Pages by what they show: an index made at ingestion, or an outside service that sees."""

from orderly.services.visuals.colivara import ColiVara
from orderly.services.visuals.descriptions import VisionModel
from orderly.services.visuals.index import VisualIndexer
from orderly.services.visuals.search import VisualHit, VisualResult, VisualSearch

__all__ = ["ColiVara", "VisionModel", "VisualHit", "VisualIndexer", "VisualResult", "VisualSearch"]
