"""The caller of the current run."""

from __future__ import annotations

from langchain_core.runnables import RunnableConfig
from langgraph.config import get_config

from orderly.models import Caller
from orderly.sign_in.identity import caller_of
from orderly.wiring.services import Services


def current_caller(services: Services, config: RunnableConfig | None = None) -> Caller:
    """Returns the caller sealed in the run's configuration; for a tool called outside a run, the local user.

    Args:
        services: Services with the secret of the seal.
        config: Configuration of the run; None: LangGraph's current configuration.

    Raises:
        Denied: Nobody is signed in, or the sign-in has expired.
    """
    configurable = (get_config() if config is None else config).get("configurable") or {}
    return caller_of(configurable, services.secret, local_user=services.local_user)
