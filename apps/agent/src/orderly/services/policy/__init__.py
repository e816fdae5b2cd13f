"""What is allowed and what is counted: egress, rate limits, usage by matter, restriction of a run to matters."""

from orderly.services.policy import call_meter, matter_usage
from orderly.services.policy.call_meter import Call
from orderly.services.policy.egress import (
    NAMES,
    PROCESSORS,
    in_scope,
    permitted,
    permitting,
    places,
    policy_of,
    policy_of_document,
    refusal,
)
from orderly.services.policy.matter_scope import kept, only_kept
from orderly.services.policy.rate_limits import KnownTokens, Places, RateLimiter

__all__ = [
    "NAMES",
    "PROCESSORS",
    "Call",
    "KnownTokens",
    "Places",
    "RateLimiter",
    "call_meter",
    "in_scope",
    "kept",
    "matter_usage",
    "only_kept",
    "permitted",
    "permitting",
    "places",
    "policy_of",
    "policy_of_document",
    "refusal",
]
