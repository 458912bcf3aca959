"""Values as rows."""

from __future__ import annotations

from dataclasses import fields
from typing import Any


def values(of: Any) -> dict[str, Any]:
    """The fields of a dataclass whose names are those of columns."""
    return {field.name: getattr(of, field.name) for field in fields(of)}
