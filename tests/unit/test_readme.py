"""README, docs/ and .env.example name only existing targets, commands, variables and paths."""

from __future__ import annotations

import re
from pathlib import Path

import click
import pytest
from pydantic import AliasChoices

from orderly.agent.drawing import mermaid
from orderly.cli import COMMANDS, cli
from orderly.graph import graph
from orderly.settings import Settings

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()
CLI = (ROOT / "docs/cli.md").read_text()
PAGES = {page.name: page.read_text() for page in (*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md"))}
ALL = "\n".join(PAGES.values())
PACKAGE = ROOT / "apps/agent/src/orderly"
PATH = r"`((?:apps|deploy|docs|evals|supabase|tests|" + "|".join(p.name for p in PACKAGE.iterdir()) + r")/[\w/.*-]+)`"
LINK = r"\]\(([^)#:\s]+)(?:#[^)]*)?\)"


def variables() -> set[str]:
    """Returns every environment variable that a setting is read from."""
    names = set()
    for name, field in Settings.model_fields.items():
        alias = field.validation_alias
        names |= set(alias.choices) if isinstance(alias, AliasChoices) else {alias or f"ORDERLY_{name.upper()}"}
    return {str(name) for name in names}


@pytest.mark.parametrize(
    "name", sorted(set(re.findall(r"`((?!ORDERLY_)[A-Z][A-Z_]{3,}|test_\w+\.py|\w+\.test\.ts)`", PAGES["SECURITY.md"])))
)
def test_every_test_and_list_that_security_names_exists(name: str) -> None:
    if name.isupper():
        assert any(re.search(rf"^{name}\b", path.read_text(), re.MULTILINE) for path in (ROOT / "tests").rglob("*.py"))
    else:
        assert any(path for folder in ("tests", "apps/web/src") for path in (ROOT / folder).rglob(name))


@pytest.mark.parametrize("target", sorted(set(re.findall(r"(?:`|^)make ([a-z][a-z0-9-]*)", ALL, re.MULTILINE))))
def test_every_make_target_of_the_documentation_exists(target: str) -> None:
    assert re.search(rf"^{target}:", (ROOT / "Makefile").read_text(), re.MULTILINE)


@pytest.mark.parametrize("line", re.findall(r"^ *orderly ([a-z].*?)(?: +#.*)?$", ALL, re.MULTILINE))
def test_every_command_of_the_documentation_exists_with_its_options_and_choices(line: str) -> None:
    command: click.Command | None = cli
    for word in line.split():
        if not isinstance(command, click.Group) or word.startswith("-"):
            break
        command = command.get_command(click.Context(command), word)
    assert command is not None
    known = {option for parameter in command.params for option in parameter.opts}
    assert set(re.findall(r"--[a-z-]+", line)) <= known
    for parameter in (p for p in command.params if isinstance(p.type, click.Choice)):
        for given in re.findall(rf"(?:{'|'.join(parameter.opts)}) (\S+)", line):
            parameter.type.convert(given, parameter, None)


def test_the_page_of_commands_lists_every_command() -> None:
    assert set(re.findall(r"^orderly ([a-z-]+)", CLI, re.MULTILINE)) == set(COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_a_help_text(name: str) -> None:
    command = cli.get_command(click.Context(cli), name)
    assert command is not None and command.help


def test_every_variable_in_the_documentation_and_the_example_is_a_setting() -> None:
    named = set(re.findall(r"\b((?:ORDERLY|SUPABASE|ISAACUS|DEEPSEEK|OPENAI|COLIVARA|DATABASE|AWS)_[A-Z_]+)\b", ALL))
    example = set(re.findall(r"^#? ?([A-Z][A-Z_]+)=", (ROOT / ".env.example").read_text(), re.MULTILINE))
    of_programs = {"ORDERLY_TOKEN", "ORDERLY_USER", "ORDERLY_URL", "ORDERLY_MATTER"}
    assert named | example <= variables() | of_programs
    assert {"ISAACUS_API_KEY", "OPENAI_API_KEY", "SUPABASE_URL", "DATABASE_URL"} <= example


@pytest.mark.parametrize("page", PAGES)
def test_every_path_of_the_documentation_exists(page: str) -> None:
    text, folder = PAGES[page], ROOT if (ROOT / page).is_file() else ROOT / "docs"
    missing = [path for path in re.findall(PATH, text) if not [*ROOT.glob(path), *PACKAGE.glob(path)]]
    assert not missing + [link for link in re.findall(LINK, text) if not (folder / link).exists()]


def symbols(text: str) -> set[tuple[str, str]]:
    """Returns (symbol, file or folder) of each "`SYMBOL` in `FILE`" and "`FILE` (`SYMBOL`", where the file is one of the code."""
    found = {
        (symbol, file)
        for named, file in re.findall(r"((?:`[\w.]+`(?:,| and| or)?\s)+)(?:in|of)\s(?:its\s)?`([\w/.@-]+)`", text)
        for symbol in re.findall(r"`([\w.]+)`", named)
    }
    found |= {(symbol, file) for file, symbol in re.findall(r"`([\w/.-]+\.\w+)` \(`([\w.]+)`", text)}
    return {(symbol, file) for symbol, file in found if code_named(file)}


def code_named(file: str) -> list[Path]:
    """Returns the files of code that a page can mean by a path, by its end, or by a folder."""
    roots = (PACKAGE, ROOT / "supabase/schemas", ROOT / "apps/web/src", ROOT / "tests", ROOT / "evals")
    named = [path for path in (ROOT / file, PACKAGE / file, *(p for root in roots for p in root.rglob(file))) if path.exists()]
    found = [path for one in named for path in ([one] if one.is_file() else one.iterdir()) if path.suffix in CODE]
    return found


CODE = {".py", ".sql", ".ts", ".tsx", ".toml", ".mjs"}


@pytest.mark.parametrize("page", PAGES)
def test_every_symbol_named_beside_a_file_is_in_that_file(page: str) -> None:
    text = " ".join(PAGES[page].split())
    wrong = [
        (symbol, file)
        for symbol, file in sorted(symbols(text))
        if not any(re.search(rf"\b{re.escape(symbol)}\b", path.read_text()) for path in code_named(file))
    ]
    assert not wrong


def test_symbols_beside_files_are_found() -> None:
    assert len(symbols(PAGES["CONTRIBUTING.md"])) >= 10 and symbols(PAGES["SECURITY.md"])


def test_the_readme_is_short() -> None:
    assert len(README.split()) < 900


def test_every_setting_has_a_description() -> None:
    assert all(field.description for field in Settings.model_fields.values())


def test_the_graph_in_the_readme_is_drawn_from_the_code() -> None:
    [drawn] = re.findall(r"<!-- graph -->\n```mermaid\n(.*?)\n```\n<!-- /graph -->", README, re.DOTALL)
    assert drawn == mermaid(graph).strip(), "run `make graph`"


def test_one_sentence_says_of_every_key_what_is_sent_with_it() -> None:
    keys = re.findall(r"^\| `(\w+)`", README.split("## Keys", 1)[1].split("\n## ", 1)[0], re.MULTILINE)
    [sentence] = [part for part in README.split("\n\n") if part.startswith("For whoever must decide:")]
    assert len(keys) > 5 and [key for key in keys if f"`{key}`" not in sentence] == []
    assert sentence.count(". ") == 0
