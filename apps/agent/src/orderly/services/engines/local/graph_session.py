"""Opens an 8-bit graph so that it computes the same on every processor, and runs it on threads that callers share fairly."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

import onnxruntime as ort

from orderly.services.engines.local.model_files import ModelFile

In = TypeVar("In")
Out = TypeVar("Out")

WITHOUT_OVERFLOW = ("session.x64quantprecision", "1")
"""Option of onnxruntime. Processors without VNNI add products of 8-bit numbers in 16 bits by default, which overflow: vectors
were .96 alike, answers differed, and a store did not fit another machine's vectors. With the option they add in 32 bits, as
all others do (onnxruntime, "Quantize ONNX Models", on U8S8 and U8U8)."""


def open_session(file: ModelFile) -> ort.InferenceSession:
    """A session of one thread: callers run one text each on several threads, which keeps the cores busier than all on one text.

    Raises Misconfigured if the file is missing or its checksum differs.
    """
    options = ort.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.add_session_config_entry(*WITHOUT_OVERFLOW)
    return ort.InferenceSession(str(file.check()), options, providers=["CPUExecutionProvider"])


class SharedThreads:
    """Threads on which calls take turns: a call of one text does not wait for the rest of a call of hundreds."""

    def __init__(self, count: int, name: str) -> None:
        self._waiting = 2 * count  # of one call; one per thread would leave a thread idle while the oldest text takes longer
        self._pool = ThreadPoolExecutor(count, thread_name_prefix=name)

    def map(self, work: Callable[[In], Out], texts: Iterable[In]) -> list[Out]:
        """Results in order. Blocks. An error of `work` ends the call."""
        done: list[Out] = []
        running: deque[Future[Out]] = deque()
        for text in texts:
            if len(running) == self._waiting:
                done.append(running.popleft().result())
            running.append(self._pool.submit(work, text))
        return done + [future.result() for future in running]
