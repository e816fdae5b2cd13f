"""From a file to a published revision: upload, register, ingest."""

from orderly.services.ingestion.claims import Progress
from orderly.services.ingestion.contents import READING_SECONDS, add_contents, wait_until_read
from orderly.services.ingestion.pipeline import Ingested, Ingestor
from orderly.services.ingestion.reembedding import Reembedded, Reembedder
from orderly.services.ingestion.registration import LEFT_OUT, Choice, Choose, Duplicates, FileIngestor, Registered, Registrar
from orderly.services.ingestion.uploads import Appending, Busy, Upload, Uploads

__all__ = [
    "LEFT_OUT",
    "READING_SECONDS",
    "Appending",
    "Busy",
    "Choice",
    "Choose",
    "Duplicates",
    "FileIngestor",
    "Ingested",
    "Ingestor",
    "Progress",
    "Reembedded",
    "Reembedder",
    "Registered",
    "Registrar",
    "Upload",
    "Uploads",
    "add_contents",
    "wait_until_read",
]
