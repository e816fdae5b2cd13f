"""Live document events of a matter."""

from orderly.services.live.document_events import QUIET_SECONDS, Announcements, Change, watch

__all__ = ["QUIET_SECONDS", "Announcements", "Change", "watch"]
