"""The operations that a caller may do with documents. Each checks access first."""

from orderly.services.library.document_questions import put_question
from orderly.services.library.library import DocumentList, Library, RunStart

__all__ = ["DocumentList", "Library", "RunStart", "put_question"]
