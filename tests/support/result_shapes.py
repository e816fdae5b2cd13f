"""Compares results of the database with the types that the store's coroutines declare."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Callable, Iterator
from functools import cache
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints, is_typeddict

from orderly.store import functions

Coroutine = Callable[..., Any]


@cache
def coroutines() -> dict[str, Coroutine]:
    """Returns every coroutine of `orderly.store.functions` by name; names must be unique."""
    found: dict[str, Coroutine] = {}
    for info in pkgutil.iter_modules(functions.__path__):
        module = importlib.import_module(f"{functions.__name__}.{info.name}")
        for name, value in vars(module).items():
            if inspect.iscoroutinefunction(value) and value.__module__ == module.__name__:
                assert name not in found, f"{name} is defined in two modules"
                found[name] = value
    return found


@cache
def hints(typed: Any) -> dict[str, Any]:
    return get_type_hints(typed)


def type_errors(function: str, result: Any) -> list[str]:
    """Returns the differences between a function's JSON and its coroutine's type; [] for functions without a coroutine."""
    coroutine = coroutines().get(function)
    return [] if coroutine is None else list(mismatches(result, hints(coroutine)["return"], function))


def as_declared(function: str, result: Any) -> Any:
    """Returns the result. Raises AssertionError if it differs from the coroutine's type."""
    wrong = type_errors(function, result)
    assert not wrong, "\n".join(wrong)
    return result


def mismatches(value: Any, declared: Any, path: str) -> Iterator[str]:
    origin, arguments = get_origin(declared), get_args(declared)
    if origin in (Union, UnionType):
        yield from _in_union(value, arguments, path)
    elif is_typeddict(declared):
        yield from _in_object(value, declared, path)
    elif origin in (list, tuple):
        yield from _in_array(value, origin, arguments, path)
    elif origin is dict:
        yield from _in_map(value, arguments[1], path)
    elif origin is Literal:
        if value not in arguments:
            yield f"{path}: {value!r:.80} is none of {arguments}"
    elif not _plain(value, declared):
        yield f"{path}: {value!r:.80} is no {getattr(declared, '__name__', declared)}"


def _in_union(value: Any, options: tuple[Any, ...], path: str) -> Iterator[str]:
    """Yields the differences from the best matching option; objects and arrays precede null."""
    tried = [list(mismatches(value, option, path)) for option in options]
    if all(tried):
        yield from max(tried, key=lambda wrong: min(len(line.partition(": ")[0]) for line in wrong))


def _in_object(value: Any, declared: Any, path: str) -> Iterator[str]:
    if not isinstance(value, dict):
        yield f"{path}: {value!r:.80} is no object"
        return
    fields = hints(declared)
    for name in sorted(declared.__required_keys__ - value.keys()):
        yield f"{path}: {name} is missing"
    for name in sorted(value.keys() - fields.keys()):
        yield f"{path}: {name} is not declared in {declared.__name__}"
    for name in fields.keys() & value.keys():
        yield from mismatches(value[name], fields[name], f"{path}.{name}")


def _in_map(value: Any, kind: Any, path: str) -> Iterator[str]:
    if not isinstance(value, dict):
        yield f"{path}: {value!r:.80} is no object"
        return
    for key, item in value.items():
        yield from mismatches(item, kind, f"{path}.{key}")


def _in_array(value: Any, origin: Any, arguments: tuple[Any, ...], path: str) -> Iterator[str]:
    if not isinstance(value, list):
        yield f"{path}: {value!r:.80} is no array"
        return
    if origin is tuple and len(value) != len(arguments):
        yield f"{path}: {len(value)} places for {len(arguments)}"
        return
    kinds = arguments if origin is tuple else arguments * len(value)
    for number, (item, kind) in enumerate(zip(value, kinds, strict=True)):
        yield from mismatches(item, kind, f"{path}[{number}]")


def _plain(value: Any, declared: Any) -> bool:
    if declared is Any or declared is object:
        return True
    if declared in (None, NoneType):
        return value is None
    if declared is bool or isinstance(value, bool):
        return declared is bool and isinstance(value, bool)
    return isinstance(value, (int, float) if declared is float else declared)
