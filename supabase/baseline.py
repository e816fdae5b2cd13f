"""Writes the baseline migration from the schema files, in the order of `schema_paths` in config.toml: `make baseline`.

Until a later migration changes the schema, the baseline is what the schema files generate. From then on the baseline stays as
it is, because databases have applied it.
"""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path

HERE = Path(__file__).resolve().parent
BASELINE = HERE / "migrations" / "20261124000000_baseline.sql"
DATA = frozenset({"20261124000100_documents_bucket"})
"""Migrations that add rows and leave the schema as it is."""

HEAD = """\
-- Generated from supabase/schemas by `make baseline`. Edit the schema files, not this one.

do $$
begin
  if to_regclass('public.tenants') is not null then
    raise exception 'This database holds tables of another version of Orderly. Nothing was changed.'
      using hint = 'Use an empty project or database, or the version of Orderly that made this one.';
  end if;
end
$$;
"""


def schema_files() -> list[Path]:
    """In the order in which they apply to an empty database."""
    config = tomllib.loads((HERE / "config.toml").read_text(encoding="utf-8"))
    return [HERE / path for path in config["db"]["migrations"]["schema_paths"]]


def generated() -> str:
    """The text of the baseline."""
    parts = [f"-- {path.relative_to(HERE)}\n\n{path.read_text(encoding='utf-8')}" for path in schema_files()]
    return "\n".join([HEAD, *parts])


def later_migrations() -> list[str]:
    """Names of migrations that change the schema after the baseline."""
    names = sorted(path.stem for path in BASELINE.parent.glob("*.sql"))
    return [name for name in names if name != BASELINE.stem and name not in DATA]


def main() -> None:
    if later := later_migrations():
        sys.exit(f"The baseline stays as it is: {later[0]} follows it. Write the change of the schema as a migration.")
    BASELINE.write_text(generated(), encoding="utf-8")


if __name__ == "__main__":
    main()
