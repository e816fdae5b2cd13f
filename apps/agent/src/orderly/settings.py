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

    serve_worker: bool = Field(default=True, description="The server reads uploaded files itself, beside any `orderly worker`.")
    serve_worker_jobs: int = Field(default=1, ge=1, le=32, description="Documents that the server reads at a time.")

    isaacus_api_key: SecretStr | None = Field(
        default=None, validation_alias="ISAACUS_API_KEY", description="Isaacus key. Without it the offline engine serves."
    )
    isaacus_base_url: str = Field(
        default="https://api.isaacus.com", validation_alias="ISAACUS_BASE_URL", description="Isaacus address."
    )
    isaacus_embedder: str = Field(
        default="kanon-2-embedder", validation_alias="ISAACUS_EMBEDDER", description="Model that makes vectors."
    )
    isaacus_dimensions: int | None = Field(
        default=None, validation_alias="ISAACUS_DIMENSIONS", description="Length of the vectors; the model's own when not set."
    )
    isaacus_reranker: str = Field(
        default="kanon-2-reranker", validation_alias="ISAACUS_RERANKER", description="Model that ranks passages."
    )
    isaacus_extractor: str = Field(
        default="kanon-answer-extractor", validation_alias="ISAACUS_EXTRACTOR", description="Model that finds answers."
    )
    isaacus_classifier: str = Field(
        default="kanon-universal-classifier", validation_alias="ISAACUS_CLASSIFIER", description="Model that finds clauses."
    )
    isaacus_enricher: str = Field(
        default="kanon-2-enricher", validation_alias="ISAACUS_ENRICHER", description="Model that finds structure at ingestion."
    )
    isaacus_concurrency: int = Field(
        default=8, ge=1, validation_alias="ISAACUS_CONCURRENCY", description="Requests of this process under way at a time."
    )
    isaacus_queue: int = Field(
        default=256, ge=0, validation_alias="ISAACUS_QUEUE", description="Requests that may wait; further ones are turned away."
    )
    isaacus_sagemaker_endpoints: str = Field(
        default="",
        validation_alias="ISAACUS_SAGEMAKER_ENDPOINTS",
        description="A private deployment: SageMaker endpoints, separated by spaces, each NAME or NAME:MODEL,MODEL.",
    )
    aws_region: str = Field(
        default="",
        validation_alias=AliasChoices("AWS_REGION", "AWS_DEFAULT_REGION"),
        description="Region of the SageMaker endpoints.",
    )
    aws_access_key_id: str = Field(
        default="", validation_alias="AWS_ACCESS_KEY_ID", description="Who calls the SageMaker endpoints."
    )
    aws_secret_access_key: SecretStr | None = Field(
        default=None, validation_alias="AWS_SECRET_ACCESS_KEY", description="Secret of AWS_ACCESS_KEY_ID."
    )
    aws_session_token: SecretStr | None = Field(
        default=None, validation_alias="AWS_SESSION_TOKEN", description="Where the AWS key is a temporary one."
    )
    enrich: bool = Field(
        default=False, description="Have Isaacus find sections, defined terms and the type of every document at ingestion."
    )
    call_log: Path | None = Field(
        default=None, description="File that gets a line of JSON for every call to Isaacus: sizes and tokens, no texts."
    )
    deepseek_api_key: SecretStr | None = Field(
        default=None, validation_alias="DEEPSEEK_API_KEY", description="Key of the vision endpoint that reads scans."
    )
    ocr_base_url: str = Field(default="https://api.deepseek.com", description="Any OpenAI-compatible vision endpoint.")
    ocr_model: str = Field(default="deepseek-ocr", description="Vision model at that endpoint.")
    vision_model: str = Field(
        default="",
        description="Vision model at that endpoint that describes pages without text; blank: the same.",
    )
    colivara_api_key: SecretStr | None = Field(
        default=None,
        validation_alias="COLIVARA_API_KEY",
        description="ColiVara key: pages are also found by what they look like. Documents are sent to it whole.",
    )
    colivara_base_url: str = Field(default="https://api.colivara.com", description="ColiVara address, or your own server's.")
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

    oidc_issuer: str = Field(
        default="", description="The firm's identity provider (OpenID Connect): its issuer, as it names itself."
    )
    oidc_client_id: str = Field(default="", description="Orderly's client id at the identity provider.")
    oidc_client_secret: SecretStr | None = Field(
        default=None, description="Its secret there; without one it is a public client, held by PKCE alone."
    )
    oidc_roles: str = Field(
        default="",
        description="Who may sign in as what: GROUP=ROLE; GROUP=ROLE, with the roles admin, conflicts_officer, member.",
    )
    oidc_group_claim: str = Field(default="groups", description="Claim of the ID token that lists a person's groups.")

    server_database_url: SecretStr | None = Field(
        default=None,
        description="Database of the production server's conversations. Default: Orderly's name with `_conversations`.",
    )
    redis_url: SecretStr | None = Field(
        default=None,
        description="Redis that the production server's nodes share. Without it there is one, and a crash loses its runs.",
    )

    secret: SecretStr | None = Field(
        default=None, description="Seals identities inside runs. Made in the home folder when not set; share it between nodes."
    )
    audit_key: SecretStr | None = Field(
        default=None,
        description="Signs the record: 32 bytes in base64. Made in the home folder when not set; share it between nodes.",
    )
    audit_folder: Path | None = Field(
        default=None,
        description="Where signed heads of the record are kept; best where lines can only be added. Default: home.",
    )
    studio_token: SecretStr | None = Field(
        default=None,
        description="Development: the token that LangGraph Studio, which sends none, acts with. On a loopback address only.",
    )
    log_json: bool = Field(default=False, description="Log lines as JSON, with the ids of request and run.")
    metrics_token: SecretStr | None = Field(
        default=None,
        description="Token of whoever may read /api/metrics. Without it they are read on the server's own machine alone.",
    )
    bind_host: str = Field(default="", description="Address the server listens on; set by `orderly serve`.")

    link_seconds: int = Field(
        default=300, ge=10, le=86_400, description="How long a link to a file works, for who it was made for."
    )
    public_url: str = Field(
        default="", description="Address under which people reach the server, for links in answers; blank: links without one."
    )

    requests_per_minute: int = Field(
        default=1_200, ge=0, description="Requests that one user may send a minute, to each node; 0: no limit."
    )
    sign_ins_per_minute: int = Field(
        default=20, ge=0, description="Attempts to sign in to the page a minute from one address; 0: no limit."
    )
    event_streams: int = Field(
        default=50, ge=0, description="Streams of live status that one user may have open at a time, on each node; 0: no limit."
    )
    max_request_kb: int = Field(default=4_096, ge=64, description="Largest request that is no file, in KiB.")
    max_file_mb: int = Field(default=200, ge=1, description="Largest file accepted, in MiB.")
    uploads_dir: Path | None = Field(
        default=None, description="Folder of unfinished uploads, shared between nodes; default: in the home folder."
    )
    upload_hours: float = Field(default=24, gt=0, le=720, description="How long an unfinished upload is kept, in hours.")
    max_open_uploads: int = Field(default=100, ge=1, description="Unfinished uploads of one person.")
    max_chat_files: int = Field(default=50, ge=1, description="Most files in the workspace of one chat.")
    max_chat_characters: int = Field(
        default=500_000,
        ge=1_000,
        description="Most characters of one file of a chat that are read; past it the document is partial, and says so.",
    )
    max_attachments: int = Field(
        default=1_000, ge=0, description="Most files taken in from inside one file, at all depths together."
    )
    max_attachment_depth: int = Field(
        default=5, ge=0, description="How deep files inside files are followed: an e-mail in an e-mail is 1 deep."
    )
    max_pages: int = Field(default=10_000, ge=1, description="Most pages (slides, sheets) of one file that are read.")
    max_characters: int = Field(
        default=20_000_000, ge=1_000, description="Most characters of one file that are read; past it the document is partial."
    )
    reading_processes: int = Field(default=2, ge=1, le=64, description="Processes that read files, at most.")
    reading_seconds: float = Field(default=600, gt=0, description="Longest that reading one file may take, without OCR.")
    ocr_page_seconds: float = Field(default=120, gt=0, description="Longest that drawing or recognising one page may take.")
    reading_memory_mb: int = Field(
        default=2_048, ge=512, description="Most memory of a process that reads files, in MiB, libraries (some 300) included."
    )
    chunk_chars: int = Field(default=1_500, ge=200, le=8_000, description="Longest chunk, in characters.")
    chunk_overlap: int = Field(default=200, ge=0, description="Overlap where one clause is split, in characters.")
    read_budget_chars: int = Field(default=48_000, ge=1_000, description="Most characters get_document_text returns at once.")

    read_budget_tokens: int = Field(
        default=6_000, ge=500, le=200_000, description="Most tokens (of 4 characters) that read returns at once."
    )

    list_seconds: float = Field(default=10, gt=0, le=600, description="Longest time for a listing or a name, in seconds.")
    image_seconds: float = Field(default=15, gt=0, le=600, description="Longest time for the picture of a page, in seconds.")
    visual_seconds: float = Field(default=15, gt=0, le=600, description="Longest time for a search by sight, in seconds.")
    read_seconds: float = Field(default=30, gt=0, le=600, description="Longest time for reading a text, in seconds.")
    search_seconds: float = Field(
        default=60,
        ge=3,
        le=600,
        description="Longest time for a search, in seconds; exact searches tell what they did not reach.",
    )

    page_dpi: int = Field(default=110, ge=50, le=300, description="Dots per inch of the pictures of pages.")
    model_sees: bool = Field(
        default=False, description="The chat model reads pictures: view_page then shows it the page. Others get the text alone."
    )

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
    def uses_isaacus(self) -> bool:
        return self.isaacus_api_key is not None or bool(self.isaacus_sagemaker_endpoints)

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
