"""The size of every room stays within its budget, and the whole within the sum: what is added is paid for by what it replaces.

budget.toml has for each room its lines, modules and compiled expressions. Whoever raises a room says why in the same commit and
lowers another; `total` only falls. Lower a room's figures when it has shrunk: python tests/unit/test_budget.py writes them.
"""

from __future__ import annotations

import ast
import tomllib
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parents[2]
BUDGET = Path(__file__).with_name("budget.toml")
PACKAGE = ROOT / "apps/agent/src/orderly"
FIGURES = ("lines", "modules", "expressions")


def room_of(path: Path) -> str:
    """The folder of a module; within `services` the folder below it. Modules beside the rooms are "entry"."""
    folders = path.relative_to(PACKAGE).parts[:-1]
    return "entry" if not folders else "/".join(folders[:2] if folders[0] == "services" else folders[:1])


def expressions(source: str) -> int:
    """Calls of re.compile."""
    calls = (node.func for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call))
    return sum(isinstance(f, ast.Attribute) and f.attr == "compile" and ast.unparse(f.value) == "re" for f in calls)


def measured() -> dict[str, dict[str, int]]:
    rooms: dict[str, Counter[str]] = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        source = path.read_text(encoding="utf-8")
        found = Counter(lines=source.count("\n"), modules=1, expressions=expressions(source))
        rooms.setdefault(room_of(path), Counter()).update(found)
    return {room: {figure: found[figure] for figure in FIGURES} for room, found in sorted(rooms.items())}


def lines_of_tests() -> int:
    return sum(path.read_text(encoding="utf-8").count("\n") for path in (ROOT / "tests").rglob("*.py"))


def sums(rooms: dict[str, dict[str, int]]) -> dict[str, int]:
    return {figure: sum(found[figure] for found in rooms.values()) for figure in FIGURES}


def test_every_room_is_within_its_budget() -> None:
    budget = tomllib.loads(BUDGET.read_text(encoding="utf-8"))
    over = [
        f"{room}: {found[figure]} {figure}, budget {budget['rooms'].get(room, {}).get(figure, 0)}"
        for room, found in measured().items()
        for figure in FIGURES
        if found[figure] > budget["rooms"].get(room, {}).get(figure, 0)
    ]
    assert over == []


def test_the_whole_is_within_its_budget() -> None:
    budget = tomllib.loads(BUDGET.read_text(encoding="utf-8"))
    total = sums(measured())
    assert {figure: total[figure] for figure in FIGURES if total[figure] > budget["total"][figure]} == {}
    assert lines_of_tests() <= budget["total"]["test_lines"]


def write(total: dict[str, int], rooms: dict[str, dict[str, int]]) -> None:
    lines = ["[total]", *(f"{figure} = {count}" for figure, count in total.items()), "", "[rooms]"]
    lines += [
        f'"{room}" = {{ {", ".join(f"{figure} = {n}" for figure, n in found.items())} }}' for room, found in rooms.items()
    ]
    BUDGET.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    before = tomllib.loads(BUDGET.read_text(encoding="utf-8")) if BUDGET.exists() else {}
    rooms = measured()
    now = {**sums(rooms), "test_lines": lines_of_tests()}
    write({figure: min(count, before.get("total", {}).get(figure, count)) for figure, count in now.items()}, rooms)
