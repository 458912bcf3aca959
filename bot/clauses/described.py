"""What options are called and mean to a reader, as `data/options.toml` describes them, part by part of the turn."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rules.components.facts import document

Said = Mapping[str, Any]
"""Of one option: its meaning, its clauses, the open questions it answers, its values in words."""


def described() -> Mapping[str, Mapping[str, Said]]:
    """The options by the title of their part, both in the order of the turn."""
    return {
        str(part["title"]): {name: said for name, said in part.items() if name != "title"}
        for part in document("options.toml").values.values()
    }
