"""`orderly eval`. Its code is in the repository's folder evals/, which is not installed."""

from __future__ import annotations

import sys
from pathlib import Path

import click

import orderly
from orderly.errors import Invalid

EVALS = Path(orderly.__file__).parents[4] / "evals"


def command_of(folder: Path) -> click.Command:
    """Raises Invalid where the folder does not hold the evaluation, as beside an installed wheel."""
    if not (folder / "orderly_evaluation").is_dir():
        raise Invalid("orderly eval needs Orderly's repository: run it from a checkout, as installed by make setup.")
    if str(folder) not in sys.path:
        sys.path.append(str(folder))
    from orderly_evaluation.command import evaluate  # noqa: PLC0415  # not installed

    return evaluate


evaluate = command_of(EVALS)
