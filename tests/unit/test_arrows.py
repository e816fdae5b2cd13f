"""Import rules: imports between packages point downwards, and a package of services is imported through its `__init__`."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from collections.abc import Container, Iterator
from dataclasses import dataclass
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import orderly

PACKAGE = Path(orderly.__file__).parent

# Lowest level first. A room may import rooms of its own level and below; inside services only rooms below.
LEVELS = (
    ("models", "errors", "prompts", "version"),
    ("settings", "telemetry"),
    ("store",),
    ("services.words",),
    ("services.text", "services.values", "services.files", "services.policy"),
    ("services.isolation", "services.engines", "services.completions"),
    ("services.ocr", "services.engines.isaacus", "services.engines.local"),
    ("services.document_processor", "services.deepseek_ocr", "services.isaacus_client"),
    ("services.documents", "services.columns", "services.support"),
    ("services.calculation",),
    ("services.citations", "services.visuals", "services.questions"),
    ("services.search", "services.live"),
    ("services.ingestion", "services.governance", "services.reviews"),
    ("services.exports",),
    ("services.library",),
    ("sign_in",),
    ("wiring",),
    ("sign_in.langgraph_auth",),
    ("agent",),
    ("graph", "document_reviews", "document_service", "jobs", "backup", "upgrade"),
    ("aegra", "mcp"),
    ("cli", "api"),
)
LEVEL = {room: level for level, rooms in enumerate(LEVELS) for room in rooms}
SERVICES = {room for room in LEVEL if room.startswith("services.")}

FOREIGN = {
    "langchain": {"agent", "graph", "cli"},
    "langchain_core": {"agent", "graph", "mcp"},
    "langchain_openai": {"agent"},
    "langgraph": {"agent", "graph", "jobs", "aegra"},
    "langgraph_sdk": {"sign_in.langgraph_auth", "api"},
    "deepagents": {"agent", "graph"},
    "langsmith": {"telemetry"},
    "psycopg": {"store"},
    "psycopg_pool": {"store"},
    "procrastinate": {"jobs"},
    "supabase": {"store"},
    "postgrest": {"store"},
    "pymupdf": {"services.document_processor"},
    "docx": {"services.document_processor", "services.exports"},
    "mammoth": {"services.document_processor"},
    "tesserocr": {"services.ocr"},
    "onnxruntime": {"services.engines.local"},
    "openai": {"services.deepseek_ocr", "services.completions", "services.visuals", "agent"},
    "prometheus_client": {"telemetry", "api"},
    "opentelemetry": {"telemetry"},
    "rfc3161_client": {"services.governance"},
    "orderly_evaluation": {"cli"},
}
"""The rooms that may import a library. Libraries that are not listed may be imported anywhere."""


@dataclass(frozen=True)
class Import:
    name: str
    """Dotted module path, with the imported name as its last part."""
    in_function: bool


def modules() -> list[Path]:
    return sorted(PACKAGE.rglob("*.py"))


def name_of(path: Path) -> str:
    """Returns the dotted path below `orderly`; for an `__init__` the path of its package."""
    parts = path.relative_to(PACKAGE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def room_of(name: str) -> str:
    """Returns the most specific room that holds the module; "" for the packages `orderly` and `orderly.services`."""
    parts = name.split(".")
    return next((room for n in range(len(parts), 0, -1) if (room := ".".join(parts[:n])) in LEVEL), "")


@cache
def imports_of(path: Path) -> tuple[Import, ...]:
    return tuple(_imports(ast.parse(path.read_text(encoding="utf-8")), path, in_function=False))


def _imports(node: ast.AST, path: Path, *, in_function: bool) -> Iterator[Import]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import):
            yield from (Import(alias.name, in_function) for alias in child.names)
        elif isinstance(child, ast.ImportFrom):
            assert child.level == 0, f"{path.name}: relative import"
            yield from (Import(f"{child.module}.{alias.name}", in_function) for alias in child.names)
        else:
            nested = in_function or isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef))
            yield from _imports(child, path, in_function=nested)


def own_imports(path: Path) -> Iterator[Import]:
    for imported in imports_of(path):
        if imported.name.startswith("orderly."):
            yield Import(imported.name.removeprefix("orderly."), imported.in_function)


def is_upward(source: str, target: str) -> bool:
    if source == target or not target:
        return False
    sideways = source in SERVICES and target in SERVICES
    return LEVEL[target] >= LEVEL[source] if sideways else LEVEL[target] > LEVEL[source]


def test_a_room_imports_only_from_rooms_below_it() -> None:
    upward = [
        f"{name} imports {i.name}, which is not below {room}"
        for path in modules()
        if (room := room_of(name := name_of(path)))
        for i in own_imports(path)
        if is_upward(room, room_of(i.name))
    ]
    assert not upward, "\n".join(upward)


def test_no_modules_import_each_other_in_a_circle() -> None:
    """Imports in functions and for types alone count too: whoever reads one module of a circle has to read all."""
    names = {name_of(path): path for path in modules()}
    graph = {name: {_module(i.name, names) for i in own_imports(path)} - {"", name} for name, path in names.items()}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(" imports ".join(reversed(error.args[1])))


def _module(imported: str, names: Container[str]) -> str:
    """Returns the module that holds the imported name."""
    while imported and imported not in names:
        imported = imported.rpartition(".")[0]
    return imported


def test_a_room_of_services_is_imported_through_its_init() -> None:
    """Functions may import a heavy module directly; the client modules of `members` count as part of their room."""
    members = {"services.isaacus_client": "services.engines.isaacus", "services.deepseek_ocr": "services.ocr"}
    direct = [
        f"{name} imports {i.name} past the __init__ of {room}"
        for path in modules()
        for i in own_imports(path)
        if (room := room_of(i.name)) in SERVICES
        and room not in {source := room_of(name := name_of(path)), members.get(source), *members}
        and not i.in_function
        and (PACKAGE / Path(*room.split("."))).is_dir()
        and len(i.name.split(".")) > len(room.split(".")) + 1
    ]
    assert not direct, "\n".join(direct)


def test_a_library_is_imported_only_by_its_rooms() -> None:
    strays = [
        f"{name} imports {library}"
        for path in modules()
        for library in sorted({i.name.split(".")[0] for i in imports_of(path)} & FOREIGN.keys())
        if room_of(name := name_of(path)) not in FOREIGN[library]
    ]
    assert not strays, "\n".join(strays)


def test_every_module_is_in_a_room() -> None:
    without_room = [name for path in modules() if (name := name_of(path)) not in {"", "services"} and not room_of(name)]
    assert not without_room


def test_every_room_exists() -> None:
    missing = [room for room in LEVEL if not list(PACKAGE.glob("/".join(room.split(".")) + "*"))]
    assert not missing


def test_the_planner_imports_only_its_own_package() -> None:
    others = ("__init__.py", "openai_compatible.py")
    planner = [p for p in (PACKAGE / "agent" / "chat_models").glob("*.py") if p.name not in others]
    used = {i.name for p in planner for i in own_imports(p)}
    assert all(name.startswith("agent.chat_models") for name in used)


def test_a_question_without_a_key_loads_no_client_of_a_model() -> None:
    """It takes a fifth of all imports. In a process of its own, since other tests load it."""
    code = "import sys, orderly.cli.ask, orderly.graph; sys.exit(bool({'openai', 'langchain_openai'} & {*sys.modules}))"
    assert subprocess.run([sys.executable, "-c", code], check=False, env={**os.environ, "OPENAI_API_KEY": ""}).returncode == 0


def test_tools_never_import_each_other() -> None:
    shared = {"arguments", "context", "document_tool", "errors", "file_search_events", "references", "schemas", "time_limits"}
    shared |= {"tool_progress"}
    folder = PACKAGE / "agent" / "tools"
    tools = {p.stem for p in folder.glob("*.py")} - shared - {"__init__"}
    for path in folder.glob("*.py"):
        if path.stem in tools:
            used = {i.name.split(".")[2] for i in own_imports(path) if i.name.startswith("agent.tools.")}
            assert not used & tools, path.name


def test_every_folder_of_unit_tests_mirrors_a_package() -> None:
    here = Path(__file__).parent
    folders = {path.parent.relative_to(here) for path in here.rglob("test_*.py")} - {Path("evaluation")}  # that of evals/
    assert [str(folder) for folder in sorted(folders) if not (PACKAGE / folder / "__init__.py").is_file()] == []
