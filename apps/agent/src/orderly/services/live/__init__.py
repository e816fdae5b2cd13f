"""Changes of documents for clients that watch a matter."""

from orderly.services.live.document_events import Announcements, Change, watch

__all__ = ["Announcements", "Change", "watch"]
