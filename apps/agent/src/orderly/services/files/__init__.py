"""Files during upload and download: spools, temporary folders, storage writes, file names, download links."""

from orderly.services.files.blob_writes import put_once
from orderly.services.files.links import INVALID_LINK, FileLinks
from orderly.services.files.names import like_pattern, visible_name
from orderly.services.files.spool import BLOCK_BYTES, MEGABYTE, Spool, copy_to_spool, open_spool, sha256_of, too_large_error
from orderly.services.files.temporary_folders import temporary_folder, within_reach

__all__ = [
    "BLOCK_BYTES",
    "INVALID_LINK",
    "MEGABYTE",
    "FileLinks",
    "Spool",
    "copy_to_spool",
    "like_pattern",
    "open_spool",
    "put_once",
    "sha256_of",
    "temporary_folder",
    "too_large_error",
    "visible_name",
    "within_reach",
]
