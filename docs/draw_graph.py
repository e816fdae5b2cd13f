"""Writes the drawing of the graph between the markers of README.md: `make graph`."""

from __future__ import annotations

import re
from pathlib import Path

from orderly.agent.drawing import mermaid
from orderly.graph import graph

README = Path(__file__).parents[1] / "README.md"
BLOCK = re.compile(r"(?<=<!-- graph -->\n).*?(?=<!-- /graph -->)", re.DOTALL)


def drawing() -> str:
    """The block of README.md that holds the drawing."""
    return f"```mermaid\n{mermaid(graph).strip()}\n```\n"


if __name__ == "__main__":
    README.write_text(BLOCK.sub(lambda _: drawing(), README.read_text(encoding="utf-8")), encoding="utf-8")
