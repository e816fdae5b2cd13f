"""Every table of figures says when, at which commit and on which code it was measured; `make stale` lists the older ones."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
from datetime import date, datetime
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
spec = importlib.util.spec_from_file_location("stale", ROOT / "docs/stale.py")
assert spec is not None and spec.loader is not None
stale = sys.modules["stale"] = importlib.util.module_from_spec(spec)
spec.loader.exec_module(stale)


def test_every_table_names_code_that_exists_and_a_day_that_was() -> None:
    found = stale.all_tables()
    assert len(found) > 40
    for table in found:
        assert datetime.strptime(table.date, "%d %B %Y").date() <= date.today(), table.place
        assert [path for path in table.paths if not (ROOT / path).exists()] == [], table.place


def test_every_table_names_a_commit_of_the_history() -> None:
    inside = subprocess.run(
        ["git", "rev-parse", "--is-shallow-repository"], cwd=ROOT, check=False, capture_output=True, text=True
    )
    if inside.stdout.strip() != "false":
        pytest.skip("there is no whole history here")
    for table in stale.all_tables():
        day = stale.git("show", "--no-patch", "--format=%cd", "--date=format-local:%-d %B %Y", table.commit)
        assert day == table.date, table.place


def test_a_table_that_does_not_say_it_is_refused() -> None:
    stated = "Figures of 21 November 2026 (`bec23f05`). <!-- measures: apps/agent -->"
    table = "| what | figure |\n|---|---|\n| pages | 3 |\n"
    [found] = stale.tables("page", f"# Page\n\n{stated}\n\n{table}")
    assert (found.place, found.commit, found.paths) == ("docs/page.md:5", "bec23f05", ("apps/agent",))
    for text in (f"# Page\n\n{table}", f"# Page\n\n{stated}\n\nWords.\n\n{table}", f"{stated}\n\n{table}\nMore.\n\n{table}"):
        with pytest.raises(ValueError, match="its date, commit and code"):
            list(stale.tables("page", text))


def test_the_list_names_the_changes_since() -> None:
    table = stale.Table("docs/page.md:1", "", "HEAD", ("docs",))
    assert table.changes() == []


REPEATED = re.compile(
    r"`(?:make |orderly |python )[^`]+`|`(?:tests|evals)/\S+\.py`|[Nn]o command repeats|Nothing in this section is measured"
)


@pytest.mark.parametrize("page", stale.PAGES)
def test_every_section_with_figures_says_how_to_measure_again(page: str) -> None:
    sections = re.split(r"^#+ ", (ROOT / f"docs/{page}.md").read_text(), flags=re.M)
    silent = [section.partition("\n")[0] for section in sections if "\n|---" in section and not REPEATED.search(section)]
    assert silent == []
