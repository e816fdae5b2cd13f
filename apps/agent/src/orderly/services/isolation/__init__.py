"""Child processes with limits of time and memory, for input that may be hostile."""

from orderly.services.isolation.messages import pack, unpack
from orderly.services.isolation.pool import ProcessPool, shared_pool
from orderly.services.isolation.process_limits import ProcessLimits
from orderly.services.isolation.program import ChildBug, ChildProgram
from orderly.services.isolation.regex import REGEX, RegexMatcher, TooSlow
from orderly.services.isolation.regex_matching import MOST_MATCHES
from orderly.services.isolation.serving import serve

__all__ = [
    "MOST_MATCHES",
    "REGEX",
    "ChildBug",
    "ChildProgram",
    "ProcessLimits",
    "ProcessPool",
    "RegexMatcher",
    "TooSlow",
    "pack",
    "serve",
    "shared_pool",
    "unpack",
]
