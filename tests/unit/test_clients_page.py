"""The lines of docs/clients.md are lines of the programs that `make clients` runs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/clients.md").read_text()
PROGRAMS = [path for path in (ROOT / "tests/e2e/clients").glob("*/*") if path.suffix in (".py", ".mjs")]
TESTED = "\n".join(path.read_text() for path in PROGRAMS)
LINES = [
    line.strip() for block in re.findall(r"```(?:python|js|yaml)\n(.*?)```", PAGE, re.DOTALL) for line in block.splitlines()
]
SET_BY_THE_TEST = {'"http://127.0.0.1:2024/v1"': '"{os.environ["ORDERLY_URL"]}/v1"'}


@pytest.mark.parametrize("line", LINES)
def test_the_line_is_run_by_a_test(line: str) -> None:
    for shown, run in SET_BY_THE_TEST.items():
        line = line.replace(f"{{model_id: orderly, model_name: orderly, api_base: {shown}, api_key_name: orderly}}",
                            f"{{{{model_id: orderly, model_name: orderly, api_base: {run}, api_key_name: orderly}}}}")  # fmt: skip
    assert line in TESTED
