"""`orderly eval` is the repository's, and says so where it is not."""

from __future__ import annotations

from pathlib import Path

import pytest

from orderly.cli import COMMANDS, EXIT_CODES
from orderly.cli.evaluation import EVALS, command_of
from orderly.errors import Invalid


def test_a_checkout_has_the_command() -> None:
    assert COMMANDS["eval"] == "evaluation:evaluate"
    assert {"--out", "--compare"} <= {option for parameter in command_of(EVALS).params for option in parameter.opts}


def test_an_installed_wheel_says_that_it_needs_the_repository(tmp_path: Path) -> None:
    with pytest.raises(Invalid, match="orderly eval needs Orderly's repository"):
        command_of(tmp_path / "evals")
    assert dict(EXIT_CODES)[Invalid] == 2
