"""Opens an 8-bit graph so that it computes the same on every processor."""

from __future__ import annotations

import onnxruntime as ort

from orderly.services.engines.local.model_files import ModelFile

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
