"""Visual search: pages found by their figures, tables, signatures and stamps, or by ColiVara."""

from typing import TYPE_CHECKING

from orderly.services.visuals.colivara import ColiVara
from orderly.services.visuals.index import VisualIndexer
from orderly.services.visuals.visual_search import VisualHit, VisualResult, VisualSearch

if TYPE_CHECKING:
    from orderly.services.visuals.descriptions import VisionModel as VisionModel  # imports openai

__all__ = ["ColiVara", "VisualHit", "VisualIndexer", "VisualResult", "VisualSearch"]
