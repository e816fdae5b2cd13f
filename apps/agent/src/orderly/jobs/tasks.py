"""Tasks of the queue. A job only names a document, or a row of a review; state and lease are in the database."""

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
    """Registers all tasks. SQL functions (08_ingestion.sql, 15_reviews.sql) create jobs by these task names."""

    @app.task(name="process_document", queue=QUEUE)
    async def process_document(document_id: str) -> None:
        try:
            await operator.ingestor.process(document_id, retry=True)
        except DocumentNotFound:
            _log.info("Document %s no longer exists.", document_id)
        except OrderlyError as error:
            # The document is retried after its lease expires.
            _log.warning("Document %s was not processed: %s", document_id, error.message)
        except Exception:
            _log.exception("Document %s: unexpected error.", document_id)
            raise

    @app.task(name="answer_review", queue=QUEUE)
    async def answer_review(review_id: str, document_id: str) -> None:
        try:
            await operator.rows.answer(review_id, document_id)
        except OrderlyError as error:
            # The row is retried after its lease expires.
            _log.warning("Review %s, document %s: not answered: %s", review_id, document_id, error.message)
        except Exception:
            _log.exception("Review %s, document %s: unexpected error.", review_id, document_id)
            raise

    _register_housekeeping(app, operator)


def _register_housekeeping(app: App, operator: Operator) -> None:
    @app.periodic(cron="* * * * *")
    @app.task(name="sign_audit_heads", queue=QUEUE, queueing_lock="sign", pass_context=True)
    async def sign_audit_heads(context: JobContext, timestamp: int = 0) -> None:
        try:
            await sign_heads(operator.worker, operator.witness)
        except (OrderlyError, OSError):
            _log.exception("The audit log heads could not be signed.")

    @app.periodic(cron="*/10 * * * *")
    @app.task(name="purge_deleted", queue=QUEUE, queueing_lock="purge", pass_context=True)
    async def purge_deleted(context: JobContext, timestamp: int = 0) -> None:
        try:
            conversations = await redactable(operator.conversations_url)
            await purge(operator.worker, operator.blobs, operator.ingestor.visuals, conversations=conversations)
        except OrderlyError as error:
            _log.warning("Deleted documents could not be purged: %s", error.message)

    @app.periodic(cron="23 3 * * *")
    @app.task(name="apply_retention", queue=QUEUE, queueing_lock="retention", pass_context=True)
    async def apply_retention(context: JobContext, timestamp: int = 0) -> None:
        try:
            conversations = await server_conversations(operator.conversations_url)
            await retention.apply(operator.worker, operator.blobs, conversations)
        except OrderlyError as error:
            _log.warning("Retention could not be applied: %s", error.message)
