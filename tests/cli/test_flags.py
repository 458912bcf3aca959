from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import typer
from typer.core import TyperGroup

from bot.cli import app


def commands(name: str, found: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(found, TyperGroup):
        for each in found.commands:
            yield from commands(f"{name} {each}", found.commands[each])
    else:
        yield name, found


def test_no_flag_is_set_that_nobody_has_written() -> None:
    flags = [
        (name, option)
        for name, each in commands("mentat", typer.main.get_command(app))
        for option in each.params
        if option.param_type_name == "option" and option.is_flag
    ]
    assert len(flags) > 150
    assert [(name, option.opts) for name, option in flags if option.default is not False] == []
