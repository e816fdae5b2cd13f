"""What a worker does when a job wakes it. Jobs only point at the database, which knows what is to be done and who does it."""

from __future__ import annotations

import logging

from procrastinate import App, JobContext

from orderly.errors import DocumentNotFound, OrderlyError
from orderly.jobs.conversation_redaction import redactable
from orderly.services.governance import purge, retention, sign_heads
from orderly.store.conversations import server_conversations
from orderly.wiring.services import Operator

QUEUE = "orderly"

_log = logging.getLogger(__name__)


def register_tasks(app: App, operator: Operator) -> None:
    """The names stand in supabase/schemas/08_ingestion.sql too, where jobs are made."""

    @app.task(name="process_document", queue=QUEUE)
    async def process_document(document_id: str) -> None:
        try:
            await operator.ingestor.process(document_id, retry=True)
        except DocumentNotFound:
            _log.info("Document %s is gone.", document_id)
        except OrderlyError as error:
            # Nothing is lost: once the claim has run out, the document is taken again.
            _log.warning("Document %s was left: %s", document_id, error.message)
        except Exception:
            _log.exception("Document %s: reading it ended in an error of Orderly's own.", document_id)
            raise

    _register_housekeeping(app, operator)


def _register_housekeeping(app: App, operator: Operator) -> None:
    @app.periodic(cron="* * * * *")
    @app.task(name="sign_audit_heads", queue=QUEUE, queueing_lock="sign", pass_context=True)
    async def sign_audit_heads(context: JobContext, timestamp: int = 0) -> None:
        try:
            await sign_heads(operator.worker, operator.witness)
        except (OrderlyError, OSError):
            _log.exception("The heads of the record could not be signed just now.")

    @app.periodic(cron="*/10 * * * *")
    @app.task(name="purge_deleted", queue=QUEUE, queueing_lock="purge", pass_context=True)
    async def purge_deleted(context: JobContext, timestamp: int = 0) -> None:
        try:
            conversations = await redactable(operator.conversations_url)
            await purge(operator.worker, operator.blobs, operator.ingestor.visuals, conversations=conversations)
        except OrderlyError as error:
            _log.warning("Deleted documents could not be purged just now: %s", error.message)

    @app.periodic(cron="23 3 * * *")
    @app.task(name="apply_retention", queue=QUEUE, queueing_lock="retention", pass_context=True)
    async def apply_retention(context: JobContext, timestamp: int = 0) -> None:
        try:
            conversations = await server_conversations(operator.conversations_url)
            await retention.apply(operator.worker, operator.blobs, conversations)
        except OrderlyError as error:
            _log.warning("What has been kept long enough could not be removed just now: %s", error.message)
