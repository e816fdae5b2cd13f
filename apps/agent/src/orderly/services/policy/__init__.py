"""Limits on runs: egress policy, rate limits, usage accounting, restriction to matters and documents."""

from orderly.services.policy import call_meter, matter_usage
from orderly.services.policy.call_meter import Call
from orderly.services.policy.egress import (
    NAMES,
    PROCESSORS,
    external_endpoints,
    has_policy,
    permitted,
    permitting,
    policy_of,
    policy_of_document,
    refusal,
)
from orderly.services.policy.matter_scope import kept_to, require_document_in_scope, restrict_matters, restrict_within
from orderly.services.policy.rate_limits import ConcurrencyLimiter, KnownTokens, RateLimiter
from orderly.services.policy.user_slots import UserSlots

__all__ = [
    "NAMES",
    "PROCESSORS",
    "Call",
    "ConcurrencyLimiter",
    "KnownTokens",
    "RateLimiter",
    "UserSlots",
    "call_meter",
    "external_endpoints",
    "has_policy",
    "kept_to",
    "matter_usage",
    "permitted",
    "permitting",
    "policy_of",
    "policy_of_document",
    "refusal",
    "require_document_in_scope",
    "restrict_matters",
    "restrict_within",
]
