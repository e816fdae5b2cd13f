"""From a file to a published revision: upload, register, ingest."""

from orderly.services.ingestion.intake import LEFT_OUT, Choice, Choose, Duplicates, IfExists, Intake, OnDuplicate, Received
from orderly.services.ingestion.leases import Progress
from orderly.services.ingestion.pipeline import Ingested, Ingestor
from orderly.services.ingestion.receive import Receiver
from orderly.services.ingestion.reembedding import Reembedded, Reembedder
from orderly.services.ingestion.uploads import Appending, Busy, Upload, Uploads

__all__ = [
    "LEFT_OUT",
    "Appending",
    "Busy",
    "Choice",
    "Choose",
    "Duplicates",
    "IfExists",
    "Ingested",
    "Ingestor",
    "Intake",
    "OnDuplicate",
    "Progress",
    "Received",
    "Receiver",
    "Reembedded",
    "Reembedder",
    "Upload",
    "Uploads",
]
