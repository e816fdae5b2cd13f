"""Arguments as models send them: an empty optional argument means its default, one value means a list of one."""

from __future__ import annotations

import json
from typing import Any, cast, get_args, get_origin

from pydantic import BaseModel, create_model, model_validator


def lenient(schema: type[BaseModel]) -> type[BaseModel]:
    """Returns a schema that accepts null, "" and [] for an optional argument, and a single value or JSON for a list."""
    optional = {name for name, field in schema.model_fields.items() if not field.is_required()}
    lists = {name for name, field in schema.model_fields.items() if _takes_list(field.annotation)}

    def normalise(cls: type[BaseModel], values: Any) -> Any:
        if not isinstance(values, dict):
            return values
        values = {name: _as_list(value) if name in lists else value for name, value in values.items()}
        return {name: value for name, value in values.items() if name not in optional or value not in (None, "", [])}

    validators: Any = {"normalise": model_validator(mode="before")(cast(Any, classmethod(normalise)))}
    lenient_schema: type[BaseModel] = create_model(
        schema.__name__, __base__=schema, __doc__=schema.__doc__, __validators__=validators
    )
    return lenient_schema


def _takes_list(annotation: Any) -> bool:
    return any(get_origin(kind) is list for kind in (annotation, *get_args(annotation)))


def _as_list(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    try:
        parsed = json.loads(value)
    except ValueError:
        return [value] if value.strip() else []
    return parsed if isinstance(parsed, list) else [value]
