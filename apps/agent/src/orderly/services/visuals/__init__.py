"""Visual search: pages found by their figures, tables, signatures and stamps, or by ColiVara."""

from orderly.services.visuals.colivara import ColiVara
from orderly.services.visuals.descriptions import VisionModel
from orderly.services.visuals.index import VisualIndexer
from orderly.services.visuals.visual_search import VisualHit, VisualResult, VisualSearch

__all__ = ["ColiVara", "VisionModel", "VisualHit", "VisualIndexer", "VisualResult", "VisualSearch"]
