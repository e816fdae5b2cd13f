"""Files on their way into storage: temporary folders, spools, names, links."""

from orderly.services.files.blob_writes import keep
from orderly.services.files.links import FileLinks
from orderly.services.files.names import like_pattern, visible_name
from orderly.services.files.spool import BLOCK, MEGABYTE, Spool, copy_in, sha256_of, spooled, too_large
from orderly.services.files.temporary import temporary_folder

__all__ = [
    "BLOCK",
    "MEGABYTE",
    "FileLinks",
    "Spool",
    "copy_in",
    "keep",
    "like_pattern",
    "sha256_of",
    "spooled",
    "temporary_folder",
    "too_large",
    "visible_name",
]
