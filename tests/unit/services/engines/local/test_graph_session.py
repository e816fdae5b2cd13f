"""Threads that run the models are shared fairly."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from orderly.services.engines.local.embedding_model import Model
from orderly.services.engines.local.graph_session import SharedThreads
from orderly.services.engines.local.reader import Reader


@pytest.mark.parametrize("count", [1, 2, 3])
def test_a_call_of_one_text_does_not_wait_for_the_rest_of_a_long_call(count: int) -> None:
    """As a question does beside the ingestion of a long document: each text ends only when the test lets it."""
    shared, pace, run = SharedThreads(count, "test"), threading.Semaphore(0), list[str]()
    begun, all_queued, queued = threading.Event(), threading.Event(), threading.Event()

    def work(text: str) -> str:
        begun.set()
        assert pace.acquire(timeout=60)
        run.append(text)
        return text.upper()

    def passages() -> Iterator[str]:
        yield from (f"passage {n}" for n in range(100))
        all_queued.set()

    def question() -> Iterator[str]:
        assert begun.wait(60)
        all_queued.wait(0.3)  # it is not set, unless a call queues all that it has
        yield "question"
        queued.set()  # the next text is asked for when this one is queued

    with ThreadPoolExecutor(2) as callers:
        long = callers.submit(shared.map, work, passages())
        short = callers.submit(shared.map, work, question())
        assert queued.wait(60)
        for _ in range(101):
            pace.release()
        assert short.result(60) == ["QUESTION"]
        assert long.result(60) == [f"PASSAGE {n}" for n in range(100)]
    assert run.index("question") <= 4 * count
    assert len(run) == 101


def test_an_error_ends_the_call_and_leaves_the_threads_to_others() -> None:
    shared = SharedThreads(2, "test")
    with pytest.raises(ZeroDivisionError):
        shared.map(lambda n: 1 / n, [1, 2, 0, 4, *range(5, 50)])
    assert shared.map(lambda n: 1 / n, [1, 2, 4]) == [1, 0.5, 0.25]


def test_both_models_run_all_that_they_read_on_shared_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    run = list[int]()
    genuine = SharedThreads.map

    def counted(self: SharedThreads, work: Any, texts: Any) -> list[Any]:
        done = genuine(self, work, texts)
        run.append(len(done))
        return done

    monkeypatch.setattr(SharedThreads, "map", counted)
    Model(threads=1).embed(["one", "two", "three"])
    reader = Reader(threads=1)
    reader.read("When is rent due?", ["Rent is due monthly.", "The roof is red."])
    reader.support("Rent is due monthly.", ["Rent is due each month."])
    assert run == [3, 2, 1]
