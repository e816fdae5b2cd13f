"""Live document events of a matter."""

from orderly.services.live.document_events import Announcements, Change, watch

__all__ = ["Announcements", "Change", "watch"]
