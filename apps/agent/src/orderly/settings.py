"""Every setting, read from the environment (or a .env file) once, when `load_settings` is called."""

from __future__ import annotations

import ipaddress
import os
from functools import cached_property
from pathlib import Path
from typing import Literal, Self
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import AliasChoices, Field, SecretStr, ValidationError, field_validator, model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from orderly.errors import Misconfigured


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach a server that listens there."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


StoreKind = Literal["embedded", "postgres", "supabase"]


class Settings(BaseSettings):
    """With nothing set, everything runs on this machine: embedded Postgres, offline engine, offline planner."""

    model_config = SettingsConfigDict(env_prefix="ORDERLY_", extra="ignore", frozen=True, populate_by_name=True)

    home: Path = Field(default=Path("~/.orderly"), description="Folder of the embedded database, files and models.")
    firm: str = Field(default="Local firm", description="Name of the tenant that the embedded store starts with.")
    local_user: str = Field(
        default="local@orderly.invalid", description="Embedded mode: who the command line and direct tool calls act for."
    )
    timezone: str = Field(default="Australia/Sydney", description="Time zone in which dates are written.")

    database_url: SecretStr | None = Field(
        default=None, validation_alias="DATABASE_URL", description="Any Postgres with pgvector, instead of the embedded one."
    )
    supabase_url: str | None = Field(default=None, validation_alias="SUPABASE_URL", description="Supabase project address.")
    supabase_anon_key: SecretStr | None = Field(
        default=None,
        validation_alias=AliasChoices("SUPABASE_ANON_KEY", "SUPABASE_KEY"),
        description="Supabase public key, used by the agent beside the caller's own short-lived token.",
    )
    supabase_service_key: SecretStr | None = Field(
        default=None,
        validation_alias=AliasChoices("SUPABASE_SERVICE_ROLE_KEY", "SUPABASE_SERVICE_KEY"),
        description="Supabase service key: for ingestion and the operator's commands only.",
    )
    supabase_jwt_secret: SecretStr | None = Field(
        default=None, validation_alias="SUPABASE_JWT_SECRET", description="HS256 secret of the project's tokens."
    )
    supabase_jwks_url: str | None = Field(
        default=None, validation_alias="SUPABASE_JWKS_URL", description="Address of the project's public signing keys."
    )
    supabase_bucket: str = Field(default="documents", description="Storage bucket that holds the files.")

    supabase_db_url: SecretStr | None = Field(
        default=None,
        validation_alias="SUPABASE_DB_URL",
        description="Direct or session-pooler connection to the project's database, which `orderly worker` listens on.",
    )

    lease_seconds: int = Field(
        default=30,
        ge=2,
        description="A worker that gave no sign for so long has lost its documents; others take them.",
    )
    max_attempts: int = Field(
        default=5, ge=1, description="How often a document is begun before it counts as failed, when each try is cut short."
    )
    retry_seconds: float = Field(
        default=5.0, ge=0, description="Wait before the second try of what can heal; doubled with every further one."
    )
    stop_seconds: float = Field(
        default=20.0,
        ge=0,
        description="How long a worker that is told to stop finishes what it has begun before it hands it back.",
    )

    isaacus_api_key: SecretStr | None = Field(
        default=None, validation_alias="ISAACUS_API_KEY", description="Isaacus key. Without it the offline engine serves."
    )
    isaacus_base_url: str = Field(
        default="https://api.isaacus.com", validation_alias="ISAACUS_BASE_URL", description="Isaacus address."
    )
    deepseek_api_key: SecretStr | None = Field(
        default=None, validation_alias="DEEPSEEK_API_KEY", description="Key of the vision endpoint that reads scans."
    )
    ocr_base_url: str = Field(default="https://api.deepseek.com", description="Any OpenAI-compatible vision endpoint.")
    ocr_model: str = Field(default="deepseek-ocr", description="Vision model at that endpoint.")
    openai_api_key: SecretStr | None = Field(
        default=None,
        validation_alias="OPENAI_API_KEY",
        description="Key of the chat model. Without it the offline planner serves.",
    )
    openai_base_url: str | None = Field(
        default=None, validation_alias="OPENAI_BASE_URL", description="Any OpenAI-compatible chat endpoint."
    )
    model: str = Field(default="gpt-5.5", description="Chat model at that endpoint.")

    tool_calls: int = Field(
        default=20, ge=1, description="Tool calls that one run may make, its subagents together; planning does not count."
    )
    tool_calls_warning: int = Field(default=4, ge=0, description="Tool calls left from which the model is told to wrap up.")
    context_passages: int = Field(
        default=5, ge=0, le=20, description="Passages of the bound matter that are put beside the user's message; 0 for none."
    )
    context_similarity: float = Field(
        default=0.5, ge=-1, le=1, description="Cosine similarity to the message from which a passage is put beside it."
    )
    context_tokens: int = Field(
        default=100_000, ge=8_000, description="Conversation length at which older messages are summarised, in tokens."
    )

    secret: SecretStr | None = Field(
        default=None, description="Seals identities inside runs. Made in the home folder when not set; share it between nodes."
    )
    studio_token: SecretStr | None = Field(
        default=None,
        description="Development: the token that LangGraph Studio, which sends none, acts with. On a loopback address only.",
    )
    bind_host: str = Field(default="", description="Address the server listens on; set by `orderly serve`.")

    max_file_mb: int = Field(default=200, ge=1, description="Largest file accepted, in MiB.")
    max_pages: int = Field(default=10_000, ge=1, description="Most pages (slides, sheets) of one file that are read.")
    max_characters: int = Field(
        default=20_000_000, ge=1_000, description="Most characters of one file that are read; past it the document is partial."
    )
    chunk_chars: int = Field(default=1_500, ge=200, le=8_000, description="Longest chunk, in characters.")
    chunk_overlap: int = Field(default=200, ge=0, description="Overlap where one clause is split, in characters.")
    read_budget_chars: int = Field(default=48_000, ge=1_000, description="Most characters get_document_text returns at once.")

    @field_validator("timezone")
    @classmethod
    def _known_zone(cls, value: str) -> str:
        try:
            ZoneInfo(value)
        except (ZoneInfoNotFoundError, ValueError) as error:
            msg = f"unknown time zone {value!r}"
            raise ValueError(msg) from error
        return value

    @field_validator("*", mode="before")
    @classmethod
    def _blank_is_unset(cls, value: object, info: object) -> object:
        if isinstance(value, str) and not value.strip():
            return cls.model_fields[info.field_name].get_default(call_default_factory=True)  # type: ignore[attr-defined]
        return value

    @model_validator(mode="after")
    def _overlap_fits(self) -> Self:
        if self.chunk_overlap >= self.chunk_chars:
            msg = "chunk_overlap must be smaller than chunk_chars"
            raise ValueError(msg)
        return self

    @cached_property
    def home_dir(self) -> Path:
        return self.home.expanduser().absolute()

    @property
    def store_kind(self) -> StoreKind:
        if self.supabase_url:
            return "supabase"
        return "postgres" if self.database_url else "embedded"


def _checkout_env() -> list[Path]:
    """The checkout's .env. Never that of the current folder: it may have come with a client's documents."""
    return [folder / ".env" for folder in Path(__file__).resolve().parents if (folder / "langgraph.json").is_file()]


def load_settings() -> Settings:
    """Read the environment, the .env of the checkout and the one in ORDERLY_HOME; what the environment says counts first.

    Raises:
        Misconfigured: names the setting and what is wrong with it, never its value.
    """
    home = Path(os.environ.get("ORDERLY_HOME") or Settings.model_fields["home"].default).expanduser()
    try:
        return Settings(_env_file=[*_checkout_env(), home / ".env"])
    except ValidationError as error:
        wrong = "; ".join(f"{'.'.join(map(str, e['loc']))}: {e['msg']}" for e in error.errors(include_input=False))
        raise Misconfigured(f"Settings are not usable: {wrong}") from None
