"""The result of a search: passages, and what was searched."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from orderly.errors import EngineFailed
from orderly.services.documents import ReadCoverage
from orderly.services.engines import LegalEngine
from orderly.services.search.raw_text import RawPassage
from orderly.services.text import Passage
from orderly.services.visuals import VisualResult
from orderly.store.functions.matters import MatterName
from orderly.store.functions.search import SearchedDocument

Mode = Literal["hybrid", "semantic"]


@dataclass(frozen=True, slots=True)
class SearchResult:
    matter: MatterName
    query: str
    passages: tuple[Passage, ...] = field(kw_only=True)
    documents: Sequence[SearchedDocument] = field(kw_only=True)
    """All documents in scope, to report those that were not searched."""
    stages: tuple[str, ...] = field(kw_only=True)
    """The stages that contributed: "vectors", "full text", "legal concepts", "reranking", "raw text"."""
    engine: str = field(kw_only=True)
    failure: EngineFailed | None = None
    """The failure of the legal engine; the passages are then full text results."""
    named: tuple[str, ...] = ()
    """Documents that the query names; only these were searched."""
    repeated: int = 0
    """Number of dropped near-duplicates."""
    words_only: tuple[str, ...] = ()
    """Documents without vectors of this engine, searched by full text only."""
    read: tuple[ReadCoverage, ...] = ()
    """If nothing was found: how each document that was searched was read, and nothing else."""
    scoped: bool = False
    """The caller restricted the search to folders, documents or sections."""
    raw: tuple[RawPassage, ...] = ()
    """Pieces of files that are not indexed yet."""
    raw_searched: tuple[str, ...] = ()
    """Ids of documents whose files were searched word by word."""
    raw_unread: Mapping[str, str] = field(default_factory=dict)
    """Document id -> reason why the file of a document without passages was not searched."""
    matter_numbers: Mapping[str, str] = field(default_factory=dict)
    """Document id -> matter number, if several matters were searched."""
    seen: VisualResult | None = None
    """Pages found by visual search that no passage covers; None if visual search is not configured."""
    sight_failed: str = ""
    """Reason why visual search failed."""

    @property
    def engine_failed(self) -> bool:
        return self.failure is not None


@dataclass(frozen=True, slots=True)
class SearchQuery:
    text: str
    max_results: int
    within: Sequence[str] | None = None
    """Ids of documents, folders and sections; None or none: the documents that the query names, or all."""
    mode: Mode = "hybrid"


def engine_used(engine: LegalEngine, stages: Sequence[str], failure: EngineFailed | None) -> str:
    """What an output names as the engine of its results."""
    if failure is None:
        return engine.description
    by_vectors = ", after a search by vectors" if "vectors" in stages else ""
    return f"keyword search{by_vectors}. {failure.message}"
