"""Imports point one way, between rooms and inside services, and a room of services is entered by its face."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

import orderly

PACKAGE = Path(orderly.__file__).parent

# Lowest first. A room may import from rooms of its own level and from those below it, inside services only from those below.
LEVELS = (
    ("models", "errors"),
    ("settings", "telemetry"),
    ("store",),
    ("services.text", "services.files", "services.policy"),
    ("services.isolation", "services.engines"),
    ("services.ocr", "services.engines.isaacus", "services.engines.local"),
    ("services.document_processor", "services.deepseek_ocr", "services.isaacus_client"),
    ("services.documents",),
    ("services.citations", "services.visuals"),
    ("services.search", "services.live"),
    ("services.ingestion", "services.governance"),
    ("services.library",),
    ("sign_in",),
    ("wiring",),
    ("sign_in.langgraph_auth",),
    ("agent",),
    ("graph", "document_service", "jobs", "backup"),
    ("aegra", "mcp"),
    ("cli", "evaluation", "api"),
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
    "docx": {"services.document_processor"},
    "mammoth": {"services.document_processor"},
    "tesserocr": {"services.ocr"},
    "onnxruntime": {"services.engines.local"},
    "openai": {"services.deepseek_ocr", "services.visuals"},
    "prometheus_client": {"telemetry", "api"},
    "opentelemetry": {"telemetry"},
}
"""Rooms that may import a library. A library that is not named here may be used anywhere."""


@dataclass(frozen=True)
class Import:
    name: str
    """Dotted, with the imported name at the end."""
    in_function: bool


def modules() -> list[Path]:
    return sorted(PACKAGE.rglob("*.py"))


def name_of(path: Path) -> str:
    """Dotted, below `orderly`; the package's own name for an `__init__`."""
    parts = path.relative_to(PACKAGE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def room_of(name: str) -> str:
    """The longest room that holds the module; "" for the bare packages `orderly` and `orderly.services`."""
    parts = name.split(".")
    return next((room for n in range(len(parts), 0, -1) if (room := ".".join(parts[:n])) in LEVEL), "")


def imports_of(path: Path) -> Iterator[Import]:
    yield from _imports(ast.parse(path.read_text(encoding="utf-8")), path, in_function=False)


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


@pytest.mark.parametrize("path", modules(), ids=lambda p: str(p.relative_to(PACKAGE)))
def test_a_room_imports_only_from_rooms_below_it(path: Path) -> None:
    source = room_of(name_of(path))
    upward = sorted({i.name for i in own_imports(path) if source and is_upward(source, room_of(i.name))})
    assert not upward, f"{path.name} imports {upward} from a room that is not below {source}"


@pytest.mark.parametrize("path", modules(), ids=lambda p: str(p.relative_to(PACKAGE)))
def test_a_room_of_services_is_entered_by_its_face(path: Path) -> None:
    """A function may import a heavy module that its face leaves out; a room's specified client module belongs to the room."""
    members = {"services.isaacus_client": "services.engines.isaacus", "services.deepseek_ocr": "services.ocr"}
    source = room_of(name_of(path))
    around = [
        i.name
        for i in own_imports(path)
        if (room := room_of(i.name)) in SERVICES
        and room not in {source, members.get(source), *members}
        and not i.in_function
        and (PACKAGE / Path(*room.split("."))).is_dir()
        and len(i.name.split(".")) > len(room.split(".")) + 1
    ]
    assert not around, f"{path.name} passes by a face: {around}"


@pytest.mark.parametrize("path", modules(), ids=lambda p: str(p.relative_to(PACKAGE)))
def test_a_library_stays_in_the_rooms_that_own_it(path: Path) -> None:
    room = room_of(name_of(path))
    strays = {i.name.split(".")[0] for i in imports_of(path)}
    strays = {name for name in strays if name in FOREIGN and room not in FOREIGN[name]}
    assert not strays, f"{path.name} imports {sorted(strays)}"


def test_every_module_is_in_a_room() -> None:
    homeless = [name for path in modules() if (name := name_of(path)) not in {"", "services"} and not room_of(name)]
    assert not homeless


def test_every_room_is_there() -> None:
    missing = [room for room in LEVEL if not list(PACKAGE.glob("/".join(room.split(".")) + "*"))]
    assert not missing


def test_the_planner_sees_only_messages_and_schemas() -> None:
    planner = [p for p in (PACKAGE / "agent" / "chat_models").glob("*.py") if p.name != "__init__.py"]
    used = {i.name for p in planner for i in own_imports(p)}
    assert all(name.startswith("agent.chat_models") for name in used)


def test_tools_never_import_each_other() -> None:
    shared = {"context", "document_tool", "errors", "file_search_events", "time_limits", "tool_progress"}
    folder = PACKAGE / "agent" / "tools"
    tools = {p.stem for p in folder.glob("*.py")} - shared - {"__init__"}
    for path in folder.glob("*.py"):
        if path.stem in tools:
            used = {i.name.split(".")[2] for i in own_imports(path) if i.name.startswith("agent.tools.")}
            assert not used & tools, path.name
