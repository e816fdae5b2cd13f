"""Search in one or all matters: vectors, full text, keywords."""

from orderly.services.search.all_matters import search_all_matters
from orderly.services.search.keyword_queries import ApartMatch, KeywordMode, KeywordQuery, KeywordResult, Place
from orderly.services.search.keywords import KeywordSearch
from orderly.services.search.matter_search import vector_text
from orderly.services.search.one_matter import search_matter
from orderly.services.search.related_passages import passages_near
from orderly.services.search.results import Mode, SearchQuery, SearchResult

__all__ = [
    "ApartMatch",
    "KeywordMode",
    "KeywordQuery",
    "KeywordResult",
    "KeywordSearch",
    "Mode",
    "Place",
    "SearchQuery",
    "SearchResult",
    "passages_near",
    "search_all_matters",
    "search_matter",
    "vector_text",
]
