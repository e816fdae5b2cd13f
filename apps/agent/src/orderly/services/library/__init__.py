"""The operations that a caller may do with documents. Each checks access first."""

from orderly.services.library.document_questions import put_question
from orderly.services.library.library import DocumentList, Library, RunStart
from orderly.services.library.similarities import with_similarities

__all__ = ["DocumentList", "Library", "RunStart", "put_question", "with_similarities"]
