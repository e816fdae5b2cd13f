"""Search in one matter or in all: vectors, full text, exact words."""

from orderly.services.search.all_matters import search_everywhere
from orderly.services.search.hybrid import Mode, SearchResult, search_matter, vector_text
from orderly.services.search.keyword_results import KeywordMode, KeywordQuestion, KeywordResult, Place
from orderly.services.search.keywords import KeywordSearch
from orderly.services.search.related_passages import passages_near

__all__ = [
    "KeywordMode",
    "KeywordQuestion",
    "KeywordResult",
    "KeywordSearch",
    "Mode",
    "Place",
    "SearchResult",
    "passages_near",
    "search_everywhere",
    "search_matter",
    "vector_text",
]
