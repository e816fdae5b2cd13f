"""Tasks of the queues. A job only wakes a worker, or names a row of a review; state and lease are in the database.

Each queue has workers of its own, so that signing, purging and deletion never wait behind reading.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass

from procrastinate import App, JobContext

from orderly.errors import OrderlyError
from orderly.jobs import upkeep
from orderly.wiring.services import Operator

QUEUE, REVIEWS, UPKEEP = "orderly", "reviews", "upkeep"
QUEUES = (QUEUE, REVIEWS, UPKEEP)
"""The queues, as `private.lane_of` in supabase/schemas/08_ingestion.sql names them."""

_log = logging.getLogger(__name__)


@dataclass(slots=True)
class Slots:
    """The documents that a worker reads at a time. The last free slot is for people who have no document in work."""

    total: int
    stopping: Callable[[], bool]
    busy: int = 0

    @property
    def is_last(self) -> bool:
        return self.total > 1 and self.busy >= self.total


def register_tasks(app: App, operator: Operator, slots: Slots) -> None:
    """Registers all tasks. SQL functions (08_ingestion.sql, 15_reviews.sql) create jobs by these task names."""

    @app.task(name="process_document", queue=QUEUE)
    async def process_document(document_id: str) -> None:
        """Reads one document after another, whichever the job names, until none waits that this slot may take."""
        slots.busy += 1
        try:
            while not slots.stopping() and await operator.ingestor.process_next(for_others=slots.is_last):
                pass
        except OrderlyError as error:
            # The document is retried after its lease expires.
            _log.warning("A document was not processed: %s", error.message)
        except Exception:
            _log.exception("A document was not processed: unexpected error.")
            raise
        finally:
            slots.busy -= 1

    @app.task(name="answer_review", queue=REVIEWS)
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
    @app.task(name="sign_audit_heads", queue=UPKEEP, queueing_lock="sign", pass_context=True)
    async def sign_audit_heads(context: JobContext, timestamp: int = 0) -> None:
        await upkeep.sign_record(operator)

    @app.periodic(cron="7 * * * *")
    @app.task(name="anchor_audit_heads", queue=UPKEEP, queueing_lock="anchor", pass_context=True)
    async def anchor_audit_heads(context: JobContext, timestamp: int = 0) -> None:
        await upkeep.anchor_record(operator)

    @app.periodic(cron="*/10 * * * *")
    @app.task(name="purge_deleted", queue=UPKEEP, queueing_lock="purge", pass_context=True)
    async def purge_deleted(context: JobContext, timestamp: int = 0) -> None:
        await upkeep.purge_documents(operator)

    @app.periodic(cron="23 3 * * *")
    @app.task(name="apply_retention", queue=UPKEEP, queueing_lock="retention", pass_context=True)
    async def apply_retention(context: JobContext, timestamp: int = 0) -> None:
        await upkeep.apply_rules(operator)
