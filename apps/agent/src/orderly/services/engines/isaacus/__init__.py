"""Parts of the Isaacus client: connection, error translation, reply validation and IQL queries."""

from orderly.services.engines.isaacus.call_log import CallLog
from orderly.services.engines.isaacus.model_names import Models
from orderly.services.engines.isaacus.request_limiter import RequestLimiter
from orderly.services.engines.isaacus.sagemaker import NO_KEY, SageMakerTransport, parse_endpoints
from orderly.services.engines.isaacus.sigv4 import Credentials, SigV4

__all__ = ["NO_KEY", "CallLog", "Credentials", "Models", "RequestLimiter", "SageMakerTransport", "SigV4", "parse_endpoints"]
