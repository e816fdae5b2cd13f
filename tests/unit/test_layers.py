"""Imports point one way: every module may use its own layer and those below it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import orderly

PACKAGE = Path(orderly.__file__).parent

# Lowest first. A name stands for the module or the package of that name.
LAYERS = (
    ("models", "errors"),
    ("identity", "settings", "cookies", "metrics", "logs", "spans", "openings"),
    ("store",),
    ("services",),
    ("tokens", "oidc", "stores", "engines", "keys", "wiring", "backups"),
    ("rendering", "prompts", "tools", "middleware", "models_chat"),
    ("graph", "tracing", "auth", "running", "served_graph", "document_service", "jobs"),
    ("cli", "evaluation", "api", "mcp_server", "node"),
)
LEVEL = {name: level for level, names in enumerate(LAYERS) for name in names}

FOREIGN = {
    "langchain": {"tools", "middleware", "models_chat", "graph", "auth", "running", "cli"},
    "langchain_core": {"tools", "middleware", "models_chat", "graph", "running"},
    "langchain_openai": {"models_chat"},
    "langgraph": {"tools", "middleware", "graph", "running", "jobs", "served_graph"},
    "langgraph_sdk": {"auth", "api"},
    "deepagents": {"graph"},
    "psycopg": {"store"},
    "psycopg_pool": {"store"},
    "procrastinate": {"jobs"},
    "supabase": {"store"},
    "postgrest": {"store"},
    "pymupdf": {"services"},
    "docx": {"services"},
    "mammoth": {"services"},
    "tesserocr": {"services"},
    "onnxruntime": {"services"},
    "openai": {"services"},
    "prometheus_client": {"metrics", "api"},
    "opentelemetry": {"spans"},
}
"""Who may import a library. What is not named here may be used anywhere."""


def modules() -> list[Path]:
    return sorted(PACKAGE.rglob("*.py"))


def imports_of(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path.name}: relative import"
            yield node.module or ""
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def part_of(path: Path) -> str:
    relative = path.relative_to(PACKAGE)
    return relative.parts[0].removesuffix(".py")


@pytest.mark.parametrize("path", modules(), ids=lambda p: str(p.relative_to(PACKAGE)))
def test_a_module_imports_only_its_own_layer_and_those_below(path: Path) -> None:
    part = part_of(path)
    if part == "__init__":
        return
    own = [name.split(".")[1] for name in imports_of(path) if name.startswith("orderly.")]
    upward = sorted({name for name in own if name in LEVEL and LEVEL[name] > LEVEL[part]})
    assert not upward, f"{path.name} imports {upward} from a layer above"


@pytest.mark.parametrize("path", modules(), ids=lambda p: str(p.relative_to(PACKAGE)))
def test_a_library_stays_in_the_parts_that_own_it(path: Path) -> None:
    part = part_of(path)
    strays = {name.split(".")[0] for name in imports_of(path)}
    strays = {name for name in strays if name in FOREIGN and part not in FOREIGN[name]}
    assert not strays, f"{path.name} imports {sorted(strays)}"


def test_every_part_has_its_layer() -> None:
    parts = {part_of(path) for path in modules()} - {"__init__"}
    assert parts <= set(LEVEL)


def test_the_planner_sees_only_messages_and_schemas() -> None:
    planner = [p for p in modules() if part_of(p) == "models_chat" and p.name != "__init__.py"]
    used = {name for p in planner for name in imports_of(p) if name.startswith("orderly.")}
    assert all(name.startswith("orderly.models_chat") for name in used)


def test_tools_never_import_each_other() -> None:
    shared = {
        "calling",
        "document_tool",
        "errors",
        "file_search_events",
        "rendering",
        "time_limits",
        "watching",
    }
    tools = {p.stem for p in (PACKAGE / "tools").glob("*.py")} - shared - {"__init__"}
    for path in (PACKAGE / "tools").glob("*.py"):
        if path.stem in tools:
            used = {name.split(".")[2] for name in imports_of(path) if name.startswith("orderly.tools.")}
            assert not used & tools, path.name
