"""all-MiniLM-L6-v2 on onnxruntime: text to tokens, tokens to vectors. Everything here blocks: call it in a thread."""

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
"""Tokens the model was trained to read at once, the two markers at the ends included."""
MARKERS = 2
BATCH_TOKENS = 2_048
"""Tokens computed together, padding included: larger batches are no faster on a few cores."""
GRAPH_VERSION = 1

Vectors = NDArray[np.float32]


class Model:
    """Loaded by the constructor, in about half a second; the first time ever it also builds the graph in `cache_dir`.

    Raises Misconfigured when the packaged weights are missing or not the genuine ones.
    """

    def __init__(self, cache_dir: Path, *, threads: int) -> None:
        files = model_weights.packaged_model()
        files.check_tokenizer()
        self._tokenizer = Tokenizer.from_file(str(files.tokenizer))
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        self._session = _session(_cached_graph(files, cache_dir), threads)

    def windows(self, text: str) -> list[tuple[int, int]]:
        """Spans of `text` that cover every token, each within the window."""
        return cover(self._words(text), WINDOW - MARKERS)

    def _words(self, text: str) -> list[tuple[int, int, int]]:
        """(start, end, number of word pieces) of every word, in order."""
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
        """(texts, 384), L2-normalised. Raises EngineRefused for a text beyond the window."""
        encodings = self._tokenizer.encode_batch(list(texts))
        if any(len(encoding.ids) > WINDOW for encoding in encodings):
            raise EngineRefused(f"A passage is longer than the offline engine's window of {WINDOW} tokens.")
        vectors = np.empty((len(encodings), onnx_graph.WIDTH), np.float32)
        for batch in _batches([len(encoding.ids) for encoding in encodings]):
            vectors[batch] = self._run([encodings[i] for i in batch])
        return vectors

    def embed_openings(self, texts: Sequence[str]) -> Vectors:
        """As `embed`, but a text beyond the window counts by its first window: for comparing, never for storing."""
        return self.embed([self._opening(text) for text in texts])

    def _opening(self, text: str) -> str:
        # A word piece has at least one character, so that a shorter text always fits.
        if len(text) <= WINDOW - MARKERS:
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
    """Positions grouped so that texts of like length share a batch and little is padding."""
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
    # Waiting threads must not burn the cores that the server needs.
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
        _write_whole(target, onnx_graph.build(files.weights))
    except OSError as exc:
        raise Misconfigured("The offline engine cannot write its model cache. Check the cache folder.") from exc
    return target


def _write_whole(target: Path, content: bytes) -> None:
    """Put the file in place in one step: another process sees either nothing or all of it."""
    descriptor, temporary = tempfile.mkstemp(dir=target.parent, suffix=".part")
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(content)
        Path(temporary).replace(target)
    finally:
        Path(temporary).unlink(missing_ok=True)
