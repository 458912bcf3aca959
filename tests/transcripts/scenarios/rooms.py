"""Tests of other rooms told whole: tournaments, forums, commands, the desk, the moderator.

Such a test plays something that seldom comes about and looks at one thing; here everything is looked at. ``rooms.toml``
names them by module, each with the numbers of its parameters; they were chosen for much that is reached in little time.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import time_machine

from tests.transcripts.scenario import add
from tests.transcripts.told import told
from tests.transcripts.transcript import Piece

ROOMS = Path(__file__).parents[1] / "rooms.toml"
LATER = datetime(2026, 6, 1, 12, tzinfo=UTC)
"""When commands are typed: the games of their tests began long before."""


def play(module: str, chosen: Mapping[str, list[int]], folder: Path) -> Iterator[Piece]:
    """The chosen tests of a module."""
    if not module.startswith("cli."):
        yield from told(folder, module, chosen)
        return
    with time_machine.travel(LATER, tick=False):
        yield from told(folder, module, chosen)


for _module, _chosen in tomllib.loads(ROOMS.read_text(encoding="utf-8")).items():
    add(f"rooms-{_module}".replace("test_", ""), partial(play, _module, _chosen))
