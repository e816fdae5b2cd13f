"""README and .env.example name only existing targets, commands, variables and paths."""

from __future__ import annotations

import re
from pathlib import Path

import click
import pytest
from pydantic import AliasChoices

from orderly.cli import COMMANDS, cli
from orderly.settings import Settings

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()


def variables() -> set[str]:
    """Returns every environment variable that a setting is read from."""
    names = set()
    for name, field in Settings.model_fields.items():
        alias = field.validation_alias
        names |= set(alias.choices) if isinstance(alias, AliasChoices) else {alias or f"ORDERLY_{name.upper()}"}
    return {str(name) for name in names}


@pytest.mark.parametrize("target", sorted(set(re.findall(r"`?make ([a-z]+)", README))))
def test_every_make_target_of_the_readme_exists(target: str) -> None:
    assert re.search(rf"^{target}:", (ROOT / "Makefile").read_text(), re.MULTILINE)


@pytest.mark.parametrize("line", re.findall(r"^orderly ([a-z].*?)(?: +#.*)?$", README, re.MULTILINE))
def test_every_command_of_the_readme_exists_with_its_options(line: str) -> None:
    command = cli.get_command(click.Context(cli), line.split(maxsplit=1)[0])
    assert command is not None
    if isinstance(command, click.Group) and not line.split()[1].startswith("-"):
        command = command.get_command(click.Context(command), line.split()[1])
        assert command is not None
    known = {option for parameter in command.params for option in parameter.opts}
    assert set(re.findall(r"--[a-z-]+", line)) <= known


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_a_help_text(name: str) -> None:
    command = cli.get_command(click.Context(cli), name)
    assert command is not None and command.help


def test_every_variable_in_the_readme_and_the_example_is_a_setting() -> None:
    named = set(re.findall(r"`((?:ORDERLY|SUPABASE|ISAACUS|DEEPSEEK|OPENAI|DATABASE)_[A-Z_]+)`", README))
    example = set(re.findall(r"^#? ?([A-Z][A-Z_]+)=", (ROOT / ".env.example").read_text(), re.MULTILINE))
    assert named | example <= variables() | {"ORDERLY_TOKEN", "ORDERLY_USER"}
    assert {"ISAACUS_API_KEY", "OPENAI_API_KEY", "SUPABASE_URL", "DATABASE_URL"} <= example


def test_every_path_of_the_readme_exists() -> None:
    package = ROOT / "apps/agent/src/orderly"
    for path in re.findall(r"`(apps/[\w/.*-]+|supabase/[\w/]+)`", README):
        found = list(ROOT.glob(path.replace("<tool>", "*")))
        assert found, path
    assert package.is_dir()


def test_every_setting_has_a_description() -> None:
    assert all(field.description for field in Settings.model_fields.values())
