"""Tokenises and embeds texts with all-MiniLM-L6-v2 on onnxruntime. All calls block: run them in a thread."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import onnxruntime as ort
from numpy.typing import NDArray
from onnxruntime.capi.onnxruntime_pybind11_state import InvalidGraph, InvalidProtobuf
from tokenizers import Encoding, Tokenizer

from orderly.errors import EngineRefused, Misconfigured
from orderly.services.engines.local import model_weights, onnx_graph
from orderly.services.engines.local.windows import cover

WINDOW = 256
"""Tokens of the model's training window, including the two special tokens."""
SPECIAL_TOKENS = 2
BATCH_TOKENS = 2_048
"""Tokens per batch, including padding; larger batches are not faster on a few cores."""
GRAPH_VERSION = 1

Vectors = NDArray[np.float32]


class Model:
    """The constructor loads the model in about 0.5 s. On first use it also builds the ONNX graph in `cache_dir`.

    Raises Misconfigured if the packaged weights are missing or their checksum differs.
    """

    def __init__(self, cache_dir: Path, *, threads: int) -> None:
        files = model_weights.packaged_model()
        files.check_tokenizer()
        self._tokenizer = Tokenizer.from_file(str(files.tokenizer))
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        self._session = _session(_cached_graph(files, cache_dir), threads)

    def windows(self, text: str) -> list[tuple[int, int]]:
        """Spans that cover every token of `text`; each fits the window."""
        return cover(self._words(text), WINDOW - SPECIAL_TOKENS)

    def _words(self, text: str) -> list[tuple[int, int, int]]:
        """(start, end, number of word pieces) of each word, in order."""
        encoding = self._tokenizer.encode(text, add_special_tokens=False)
        words: list[tuple[int, int, int]] = []
        previous = None
        for word, (start, end) in zip(encoding.word_ids, encoding.offsets, strict=True):
            if word == previous:
                words[-1] = (words[-1][0], end, words[-1][2] + 1)
            else:
                words.append((start, end, 1))
            previous = word
        return words

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Array (texts, 384), L2-normalised. Raises EngineRefused for a text longer than the window."""
        encodings = self._tokenizer.encode_batch(list(texts))
        if any(len(encoding.ids) > WINDOW for encoding in encodings):
            raise EngineRefused(f"A passage is longer than the offline engine's window of {WINDOW} tokens.")
        vectors = np.empty((len(encodings), onnx_graph.WIDTH), np.float32)
        for batch in _batches([len(encoding.ids) for encoding in encodings]):
            vectors[batch] = self._run([encodings[i] for i in batch])
        return vectors

    def embed_first_windows(self, texts: Sequence[str]) -> Vectors:
        """Like `embed`, but embeds only the first window of a long text. Use it for comparisons, never for stored vectors."""
        return self.embed([self._first_window(text) for text in texts])

    def _first_window(self, text: str) -> str:
        # A word piece has at least one character, so this text always fits.
        if len(text) <= WINDOW - SPECIAL_TOKENS:
            return text
        spans = self.windows(text)
        return text[: spans[0][1]] if spans else text

    def _run(self, encodings: Sequence[Encoding]) -> Vectors:
        longest = max(len(encoding.ids) for encoding in encodings)
        ids = np.zeros((len(encodings), longest), np.int64)
        mask = np.zeros_like(ids)
        for row, encoding in enumerate(encodings):
            ids[row, : len(encoding.ids)] = encoding.ids
            mask[row, : len(encoding.ids)] = 1
        (vectors,) = self._session.run(["vectors"], {"ids": ids, "mask": mask})
        return np.asarray(vectors, np.float32)


def _batches(lengths: Sequence[int]) -> list[list[int]]:
    """Groups positions of texts with similar lengths into batches, to minimise padding."""
    batches: list[list[int]] = []
    for position in sorted(range(len(lengths)), key=lambda i: lengths[i], reverse=True):
        if batches and (len(batches[-1]) + 1) * lengths[batches[-1][0]] <= BATCH_TOKENS:
            batches[-1].append(position)
        else:
            batches.append([position])
    return batches


def _session(graph_file: Path, threads: int) -> ort.InferenceSession:
    options = ort.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    # Idle threads must not spin: the server needs the cores.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    try:
        return ort.InferenceSession(str(graph_file), options, providers=["CPUExecutionProvider"])
    except (InvalidGraph, InvalidProtobuf) as exc:
        raise Misconfigured(f"The offline engine's cached model {graph_file.name} is damaged: delete it.") from exc


def _cached_graph(files: model_weights.ModelFiles, cache_dir: Path) -> Path:
    target = cache_dir / f"{model_weights.NAME.lower()}-{model_weights.WEIGHTS_SHA256[:12]}-{GRAPH_VERSION}.onnx"
    if target.exists():
        return target
    files.check_weights()
    try:
        cache_dir.mkdir(parents=True, exist_ok=True)
        _write_atomically(target, onnx_graph.build(files.weights))
    except OSError as exc:
        raise Misconfigured("The offline engine cannot write its model cache. Check the cache folder.") from exc
    return target


def _write_atomically(target: Path, content: bytes) -> None:
    """Writes a temporary file and renames it to `target`, so other processes never read a partial file."""
    descriptor, temporary = tempfile.mkstemp(dir=target.parent, suffix=".part")
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(content)
        Path(temporary).replace(target)
    finally:
        Path(temporary).unlink(missing_ok=True)
