"""The offline legal engine: all-MiniLM-L6-v2, BM25 and a lexicon of legal concepts."""

from orderly.services.local_engine.engine import LocalEngine

__all__ = ["LocalEngine"]
