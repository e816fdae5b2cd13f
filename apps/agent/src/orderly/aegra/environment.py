"""Environment variables of Aegra, which Aegra reads once at import."""

from __future__ import annotations

import importlib
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from orderly.errors import Misconfigured
from orderly.settings import Settings
from orderly.wiring.server_files import server_folder

CONFIG = "aegra.json"


def aegra_environment(settings: Settings, database_url: str, runs: int) -> dict[str, str]:
    """Environment variables for Aegra. `runs`: concurrent runs in this process."""
    redis = settings.redis_url
    chosen = {
        "AEGRA_CONFIG": str(server_folder(CONFIG, settings) / CONFIG),
        "DATABASE_URL": database_url,
        "RUN_MIGRATIONS_ON_STARTUP": "false",
        "REDIS_BROKER_ENABLED": "true" if redis else "false",
        "WORKER_COUNT": "1",
        "N_JOBS_PER_WORKER": str(runs),
        "CRON_ENABLED": "false",
        # Aegra's own sweep of old threads asks nobody and leaves their files; rules of retention remove both.
        "AEGRA_THREAD_TTL": "",
        "LANGGRAPH_THREAD_TTL": "",
    }
    if redis:
        chosen["REDIS_URL"] = redis.get_secret_value()
    defaults = {"ENV_MODE": "PRODUCTION", "LOG_LEVEL": "WARNING", "BG_JOB_TIMEOUT_SECS": "900"}
    return {**{name: os.environ.get(name, value) for name, value in defaults.items()}, **chosen}


def load_aegra(environment: Mapping[str, str], module: str) -> Any:
    """Imports an Aegra module with `environment` set temporarily. Afterwards DATABASE_URL is Orderly's again."""
    try:
        with _environment(environment):
            importlib.import_module("aegra_api.settings")
            return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if not (error.name or "").startswith("aegra_api"):
            raise
        raise Misconfigured(
            "The production server is not installed here: it needs Python 3.12 or newer and deploy/aegra.lock. "
            "docs/operations.md says how."
        ) from error


@contextmanager
def _environment(values: Mapping[str, str]) -> Iterator[None]:
    previous = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in previous.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
