"""Reviews as files: Excel, CSV, Word."""

from orderly.services.exports.exports import FORMATS, MEDIA_TYPES, Exports, Format

__all__ = ["FORMATS", "MEDIA_TYPES", "Exports", "Format"]
