"""All settings. `load_settings` reads them from the environment and .env files.

The module is one list and so longer than others: it holds every limit and default that an operator may set.
"""

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
    """Whether the host is a loopback address."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def machine_zone() -> str:
    """The name of the machine's time zone: of the variable TZ or of /etc/localtime; UTC where neither names one. Blocking."""
    for name in (os.environ.get("TZ", ""), os.path.realpath("/etc/localtime").partition("/zoneinfo/")[2]):
        try:
            return ZoneInfo(name).key
        except (ZoneInfoNotFoundError, ValueError):
            continue
    return "UTC"


MIN_SECRET_CHARS = 16

StoreKind = Literal["embedded", "postgres", "supabase"]


class Settings(BaseSettings):
    """By default everything runs on this machine: embedded Postgres, offline engine, offline planner."""

    model_config = SettingsConfigDict(env_prefix="ORDERLY_", extra="ignore", frozen=True, populate_by_name=True)

    # This machine
    home: Path = Field(
        default=Path("~/.orderly"), validate_default=True, description="Folder of the embedded database, files and models."
    )
    firm: str = Field(default="Local firm", description="Name of the embedded store's first tenant.")
    local_user: str = Field(
        default="local@orderly.invalid", description="Embedded mode: user of the command line and of direct tool calls."
    )
    timezone: str = Field(default_factory=machine_zone, description="Time zone of displayed dates. Default: the machine's.")

    # Database, sign-in and files
    database_url: SecretStr | None = Field(
        default=None, validation_alias="DATABASE_URL", description="Postgres with pgvector; default: embedded Postgres."
    )
    supabase_url: str | None = Field(default=None, validation_alias="SUPABASE_URL", description="Supabase project address.")
    supabase_anon_key: SecretStr | None = Field(
        default=None,
        validation_alias=AliasChoices("SUPABASE_ANON_KEY", "SUPABASE_KEY"),
        description="Supabase public key, used with short-lived tokens of the callers.",
    )
    supabase_service_key: SecretStr | None = Field(
        default=None,
        validation_alias=AliasChoices("SUPABASE_SERVICE_ROLE_KEY", "SUPABASE_SERVICE_KEY"),
        description="Supabase service key, for ingestion and operator commands only.",
    )
    supabase_jwt_secret: SecretStr | None = Field(
        default=None, validation_alias="SUPABASE_JWT_SECRET", description="HS256 secret that signs the project's tokens."
    )
    supabase_jwks_url: str | None = Field(
        default=None, validation_alias="SUPABASE_JWKS_URL", description="URL of the project's public signing keys."
    )
    supabase_bucket: str = Field(default="documents", description="Storage bucket that holds the files.")

    supabase_db_url: SecretStr | None = Field(
        default=None,
        validation_alias="SUPABASE_DB_URL",
        description="Direct or session-pooler connection to the project's database, needed by `orderly worker`.",
    )

    # Workers
    lease_seconds: int = Field(
        default=30,
        ge=2,
        description="Lease of a document. Without a heartbeat for this long, other workers take it over.",
    )
    max_attempts: int = Field(default=5, ge=1, description="Interrupted attempts after which a document fails.")
    retry_seconds: float = Field(
        default=5.0, ge=0, description="Wait before the first retry of a transient failure; doubles with every retry."
    )
    stop_seconds: float = Field(
        default=20.0,
        ge=0,
        description="Grace period in which a stopping worker finishes its documents before it releases them.",
    )

    serve_worker: bool = Field(
        default=True, description="Whether the server ingests uploaded files itself, in addition to any `orderly worker`."
    )
    serve_worker_jobs: int = Field(
        default=2,
        ge=1,
        le=32,
        description="Documents that the server ingests concurrently; the last is kept for users who have none in work.",
    )

    # Isaacus
    isaacus_api_key: SecretStr | None = Field(
        default=None,
        validation_alias="ISAACUS_API_KEY",
        description="Isaacus API key; without a key the offline engine is used.",
    )
    isaacus_base_url: str = Field(
        default="https://api.isaacus.com", validation_alias="ISAACUS_BASE_URL", description="Isaacus base URL."
    )
    isaacus_embedder: str = Field(
        default="kanon-2-embedder", validation_alias="ISAACUS_EMBEDDER", description="Embedding model."
    )
    isaacus_dimensions: int | None = Field(
        default=None, validation_alias="ISAACUS_DIMENSIONS", description="Vector length; default: the model's."
    )
    isaacus_reranker: str = Field(
        default="kanon-2-reranker", validation_alias="ISAACUS_RERANKER", description="Reranking model."
    )
    isaacus_extractor: str = Field(
        default="kanon-answer-extractor", validation_alias="ISAACUS_EXTRACTOR", description="Answer extraction model."
    )
    isaacus_classifier: str = Field(
        default="kanon-universal-classifier", validation_alias="ISAACUS_CLASSIFIER", description="Clause classification model."
    )
    isaacus_enricher: str = Field(
        default="kanon-2-enricher",
        validation_alias="ISAACUS_ENRICHER",
        description="Document structure model, used at ingestion.",
    )
    isaacus_concurrency: int = Field(
        default=8, ge=1, validation_alias="ISAACUS_CONCURRENCY", description="Concurrent requests per process."
    )
    isaacus_queue: int = Field(
        default=256,
        ge=0,
        validation_alias="ISAACUS_QUEUE",
        description="Requests that may wait for a slot; further requests fail.",
    )
    isaacus_seconds: float = Field(
        default=25,
        gt=0,
        le=600,
        validation_alias="ISAACUS_SECONDS",
        description="Time limit for Isaacus per question, in seconds, retries included. A search then uses keywords.",
    )
    isaacus_sagemaker_endpoints: str = Field(
        default="",
        validation_alias="ISAACUS_SAGEMAKER_ENDPOINTS",
        description="Private deployment: SageMaker endpoints, separated by spaces, each NAME or NAME:MODEL,MODEL.",
    )
    aws_region: str = Field(
        default="",
        validation_alias=AliasChoices("AWS_REGION", "AWS_DEFAULT_REGION"),
        description="Region of the SageMaker endpoints, and of the bucket of anchors.",
    )
    aws_access_key_id: str = Field(
        default="", validation_alias="AWS_ACCESS_KEY_ID", description="AWS key id for the SageMaker endpoints and the bucket."
    )
    aws_secret_access_key: SecretStr | None = Field(
        default=None, validation_alias="AWS_SECRET_ACCESS_KEY", description="Secret of AWS_ACCESS_KEY_ID."
    )
    aws_session_token: SecretStr | None = Field(
        default=None, validation_alias="AWS_SESSION_TOKEN", description="Session token of a temporary AWS key."
    )
    enrich: bool = Field(
        default=False, description="Whether Isaacus finds sections, defined terms and the type of every document at ingestion."
    )
    call_log: Path | None = Field(
        default=None, description="File that receives one JSON line per call to Isaacus: sizes and tokens, no texts."
    )

    # OCR, and pages found by sight
    deepseek_api_key: SecretStr | None = Field(
        default=None, validation_alias="DEEPSEEK_API_KEY", description="API key of the vision endpoint for OCR."
    )
    ocr_base_url: str = Field(
        default="https://api.deepseek.com", description="Base URL of an OpenAI-compatible vision endpoint."
    )
    ocr_model: str = Field(default="deepseek-ocr", description="OCR model of this endpoint.")
    vision_model: str = Field(
        default="",
        description="Model of this endpoint that describes pages without text; blank: ORDERLY_OCR_MODEL.",
    )
    colivara_api_key: SecretStr | None = Field(
        default=None,
        validation_alias="COLIVARA_API_KEY",
        description="ColiVara API key; enables visual page search. Whole documents are sent to ColiVara.",
    )
    colivara_base_url: str = Field(
        default="https://api.colivara.com", description="Base URL of ColiVara or of a server of your own."
    )

    # Chat model, and the limits of a question
    openai_api_key: SecretStr | None = Field(
        default=None,
        validation_alias="OPENAI_API_KEY",
        description="API key of the chat model; without a key the offline planner is used.",
    )
    openai_base_url: str | None = Field(
        default=None, validation_alias="OPENAI_BASE_URL", description="Base URL of an OpenAI-compatible chat endpoint."
    )
    model: str = Field(default="gpt-5.5", description="Chat model of this endpoint.")
    second_model: str = Field(
        default="",
        description="Model of this endpoint that reads each answer again, its sentences against their quotations; "
        "blank: Isaacus, or without it ORDERLY_MODEL; off: nobody.",
    )

    # Beside the model, since a firm pays its own price for it.
    prices: Path | None = Field(
        default=None, description="TOML file of model prices per million tokens, for `orderly eval`: docs/quality.md."
    )

    model_seconds: float = Field(
        default=300, gt=0, le=3_600, description="Time limit for one reply of the chat model, in seconds, retries included."
    )
    tool_calls: int = Field(
        default=20, ge=1, description="Limit of tool calls per question, including subagents, repeats and planning."
    )
    question_tokens: int = Field(
        default=300_000,
        ge=1_000,
        description="Tokens of the chat model per question, including subagents, from which the model is told to answer.",
    )
    tool_calls_warning: int = Field(default=4, ge=0, description="Remaining tool calls at which the model is told to finish.")
    context_tokens: int = Field(
        default=100_000, ge=8_000, description="Conversation length in tokens at which older messages are summarised."
    )

    # Sign-on
    oidc_issuer: str = Field(default="", description="Issuer of the firm's identity provider (OpenID Connect).")
    oidc_client_id: str = Field(default="", description="Orderly's client id at the identity provider.")
    oidc_client_secret: SecretStr | None = Field(
        default=None, description="Orderly's client secret; without a secret, Orderly is a public client with PKCE."
    )
    oidc_roles: str = Field(
        default="",
        description="Roles by group: GROUP=ROLE; GROUP=ROLE. Roles: admin, conflicts_officer, member.",
    )
    oidc_group_claim: str = Field(default="groups", description="Claim of the ID token that lists a user's groups.")
    oidc_trust_email: bool = Field(
        default=False,
        description="Trust e-mail addresses of which the identity provider does not say whether they are verified.",
    )

    # Production server
    server_database_url: SecretStr | None = Field(
        default=None,
        description="Database of the server's conversations. Default: Orderly's database name plus `_conversations`.",
    )
    redis_url: SecretStr | None = Field(
        default=None,
        description="Redis shared by the production server's nodes. Without it, run one node; a crash loses its runs.",
    )

    # Secrets and the record
    secret: SecretStr | None = Field(
        default=None,
        description="Secret that seals identities in runs, shared between nodes. Default: created in the home folder.",
    )
    audit_key: SecretStr | None = Field(
        default=None,
        description="Signs the audit log: 32 bytes in base64, shared between nodes. Default: created in the home folder.",
    )
    audit_folder: Path | None = Field(
        default=None,
        description="Folder of the signed audit log heads, preferably append-only storage. Default: the home folder.",
    )
    audit_anchor_folder: Path | None = Field(
        default=None, description="Folder on another volume that receives anchors of the signed audit log heads every hour."
    )
    audit_bucket_url: str = Field(
        default="", description="Address of an S3 bucket with object lock that receives these anchors (AWS key and region)."
    )
    audit_bucket_days: int = Field(default=3_650, ge=0, description="Days for which an anchor in the bucket is locked.")
    audit_timestamp_url: str = Field(
        default="", description="Address of a time-stamping authority (RFC 3161) that stamps these anchors."
    )
    audit_timestamp_roots: Path | None = Field(
        default=None, description="PEM file with the authority's root certificates. Needed with ORDERLY_AUDIT_TIMESTAMP_URL."
    )

    # The server: who may use it, logs, links
    studio_token: SecretStr | None = Field(
        default=None,
        description="Development: token for LangGraph Studio, which sends none. Loopback addresses and ORDERLY_ORIGINS only.",
    )
    origins: str = Field(
        default="",
        description="Origins of other pages that may use the server from a browser, separated by spaces, such as "
        "https://smith.langchain.com. Default: only Orderly's own page.",
    )
    log_json: bool = Field(default=False, description="Whether log lines are JSON, with the ids of request and run.")
    metrics_token: SecretStr | None = Field(
        default=None,
        description="Token for /api/metrics. Without it, only the server's own machine may read the metrics.",
    )
    bind_host: str = Field(default="", description="Address that the server listens on; set by `orderly serve`.")

    link_seconds: int = Field(
        default=300, ge=10, le=86_400, description="Lifetime of a link to a file, in seconds. A link works only for its user."
    )
    public_url: str = Field(
        default="", description="Public address of the server, for links in answers; blank: relative links."
    )

    # Limits per user
    requests_per_minute: int = Field(default=1_200, ge=0, description="Requests per minute, user and node; 0: no limit.")
    sign_ins_per_minute: int = Field(
        default=20, ge=0, description="Sign-in attempts per minute and client address; 0: no limit."
    )
    event_streams: int = Field(default=50, ge=0, description="Open status streams per user and node; 0: no limit.")
    open_requests: int = Field(
        default=100, ge=0, description="Open responses of a user, streams included, per node; 0: no limit."
    )
    requests_at_a_time: int = Field(
        default=2,
        ge=0,
        description="Requests of a user whose response has not started, per node; further ones wait. 0: no limit.",
    )
    runs_at_a_time: int = Field(
        default=4,
        ge=0,
        description="Runs of a user at a time, per node, without a model half as many; further ones wait. 0: no limit.",
    )
    searches_at_a_time: int = Field(
        default=2, ge=0, description="Searches and page images of a user at a time, per node; further ones wait. 0: no limit."
    )

    # Limits of files, conversations and reviews
    max_request_kb: int = Field(default=4_096, ge=64, description="Largest request without a file, in KiB.")
    max_file_mb: int = Field(default=200, ge=1, description="Largest file accepted, in MiB.")
    uploads_dir: Path | None = Field(
        default=None, description="Folder of unfinished uploads, shared between nodes. Default: in the home folder."
    )
    upload_hours: float = Field(default=24, gt=0, le=720, description="Lifetime of an unfinished upload, in hours.")
    max_open_uploads: int = Field(default=100, ge=1, description="Limit of unfinished uploads per user.")
    max_chat_files: int = Field(default=50, ge=1, description="Limit of files per chat workspace.")
    max_waiting_files: int = Field(
        default=5_000, ge=1, description="Limit of files of a user that wait to be read; ten times as many of a firm."
    )
    max_waiting_mb: int = Field(
        default=20_000, ge=1, description="Limit of the size of these files, in MiB; ten times as much of a firm."
    )
    max_waiting_pages: int = Field(
        default=250_000, ge=1, description="Limit of the pages of these files, as estimated; ten times as many of a firm."
    )
    max_waiting_passages: int = Field(
        default=1_000_000,
        ge=1,
        description="Limit of the passages of these files, three a page until counted; ten times for a firm.",
    )
    max_chat_characters: int = Field(
        default=500_000,
        ge=1_000,
        description="Characters read per file of a chat; a longer document is partial.",
    )
    max_review_cells: int = Field(
        default=50_000, ge=1, description="Cells (documents times columns) that the reviews of one matter hold together."
    )
    max_attachments: int = Field(default=1_000, ge=0, description="Limit of attachments ingested per file, over all depths.")
    max_attachment_depth: int = Field(
        default=5, ge=0, description="Depth of ingested attachments; an e-mail in an e-mail has depth 1."
    )
    max_pages: int = Field(default=10_000, ge=1, description="Pages (slides, sheets) read per file.")
    max_characters: int = Field(
        default=20_000_000, ge=1_000, description="Characters read per file; a longer document is partial."
    )

    # Reading of files
    reading_processes: int = Field(default=2, ge=1, le=64, description="Limit of processes that read files.")
    reading_seconds: float = Field(default=600, gt=0, description="Time limit for reading one file without OCR, in seconds.")
    ocr_page_seconds: float = Field(default=120, gt=0, description="Time limit for rendering or OCR of one page, in seconds.")
    reading_memory_mb: int = Field(
        default=2_048,
        ge=512,
        description="Memory limit of a process that reads files, in MiB, including about 300 MiB of libraries.",
    )
    chunk_chars: int = Field(default=1_500, ge=200, le=8_000, description="Limit of characters per chunk.")
    chunk_overlap: int = Field(default=200, ge=0, description="Overlap of chunks of one clause, in characters.")

    # Time limits of tools
    search_seconds: float = Field(
        default=60,
        ge=3,
        le=600,
        description="Time limit for a search, in seconds. Exact searches report documents that were not searched.",
    )

    # Page images
    model_sees: bool = Field(
        default=False,
        description="Whether the chat model accepts images: view_page then returns the page image, else only the text.",
    )

    @field_validator("secret")
    @classmethod
    def _long_enough(cls, value: SecretStr | None) -> SecretStr | None:
        """Anyone who guesses the secret can impersonate any user."""
        if value is not None and len(value.get_secret_value().encode()) < MIN_SECRET_CHARS:
            msg = f"too short: at least {MIN_SECRET_CHARS} characters, made at random"
            raise ValueError(msg)
        return value

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

    @field_validator("*", mode="after")
    @classmethod
    def _whole_path(cls, value: object) -> object:
        """A path names the same place from every folder: the development server changes its own."""
        return value.expanduser().absolute() if isinstance(value, Path) else value

    @model_validator(mode="after")
    def _overlap_fits(self) -> Self:
        if self.chunk_overlap >= self.chunk_chars:
            msg = "chunk_overlap must be smaller than chunk_chars"
            raise ValueError(msg)
        return self

    @cached_property
    def listed_origins(self) -> frozenset[str]:
        return frozenset(origin.rstrip("/") for origin in self.origins.replace(",", " ").split())

    @property
    def uses_isaacus(self) -> bool:
        return self.isaacus_api_key is not None or bool(self.isaacus_sagemaker_endpoints)

    @property
    def reads_again(self) -> bool:
        """Whether answers are read a second time."""
        return self.second_model.strip().casefold() != "off"

    @property
    def store_kind(self) -> StoreKind:
        if self.supabase_url:
            return "supabase"
        return "postgres" if self.database_url else "embedded"


def _checkout_env() -> list[Path]:
    """The checkout's .env. The current folder's .env is not read, since it may come with a client's documents."""
    return [folder / ".env" for folder in Path(__file__).resolve().parents if (folder / "langgraph.json").is_file()]


def _variable(place: tuple[int | str, ...]) -> str:
    """Returns the environment variable of an invalid setting. Pydantic names the field, or the alias of its variable."""
    name = ".".join(map(str, place))
    return f"ORDERLY_{name.upper()}" if name in Settings.model_fields else name


def load_settings() -> Settings:
    """Reads the environment, then .env in ORDERLY_HOME, then the checkout's .env; the first value found counts.

    Raises:
        Misconfigured: names the setting and the problem, never the value.
    """
    home = Path(os.environ.get("ORDERLY_HOME") or Settings.model_fields["home"].default).expanduser()
    try:
        return Settings(_env_file=[*_checkout_env(), home / ".env"])
    except ValidationError as error:
        wrong = "; ".join(f"{_variable(e['loc'])}: {e['msg']}" for e in error.errors(include_input=False))
        raise Misconfigured(f"Settings are not usable: {wrong}") from None
