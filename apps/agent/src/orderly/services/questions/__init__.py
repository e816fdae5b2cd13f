"""Questions to one or many documents: which documents are meant, and whether each has the answer."""

from orderly.services.questions.asking import PAGE, DocumentAnswers, ask_document, ask_each, ask_revision
from orderly.services.questions.document_names import Named, named_documents
from orderly.services.questions.follow_ups import Asked, complete_question
from orderly.services.questions.many_documents import asks_of_all
from orderly.services.questions.name_index import NameIndex
from orderly.services.questions.nameable import OPENING, Nameable
from orderly.services.questions.objects import objects_of, speaks, words_of
from orderly.services.questions.ordering import in_order, order_of, with_figures
from orderly.services.questions.presence import DocumentAnswer
from orderly.services.questions.respelling import respelt
from orderly.services.questions.subjects import Subject, find_subject

__all__ = [
    "OPENING",
    "PAGE",
    "Asked",
    "DocumentAnswer",
    "DocumentAnswers",
    "NameIndex",
    "Nameable",
    "Named",
    "Subject",
    "ask_document",
    "ask_each",
    "ask_revision",
    "asks_of_all",
    "complete_question",
    "find_subject",
    "in_order",
    "named_documents",
    "objects_of",
    "order_of",
    "respelt",
    "speaks",
    "with_figures",
    "words_of",
]
