"""Child processes with limits of time and memory, for input that may be hostile."""

from orderly.services.isolation.messages import Broken, pack, receive, send, unpack
from orderly.services.isolation.pool import ReaderProcesses, shared_processes
from orderly.services.isolation.process_limits import ProcessLimits, allow_seconds, confine, die_with_parent, memory_mb
from orderly.services.isolation.regex import Matcher, TooSlow
from orderly.services.isolation.regex_child import MOST_MATCHES

__all__ = [
    "MOST_MATCHES",
    "Broken",
    "Matcher",
    "ProcessLimits",
    "ReaderProcesses",
    "TooSlow",
    "allow_seconds",
    "confine",
    "die_with_parent",
    "memory_mb",
    "pack",
    "receive",
    "send",
    "shared_processes",
    "unpack",
]
