"""What of the press of a game that is over everybody may read: what its players were told before the first of it."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from rules.components import Faction

_MAIL_ADDRESS = re.compile(r"[^\s@<>()]{1,64}@[^\s@<>()]{1,200}\.\w+")
NO_ADDRESS = "…@…"


@dataclass(frozen=True, slots=True)
class Shown:
    """A press as a page shows it. ``faction`` is None where its writer stays unknown; ``readers`` are empty where it
    went to all."""

    turn: int
    faction: Faction | None
    readers: tuple[Faction, ...]
    words: str


@dataclass(frozen=True, slots=True)
class Sent:
    """A press that has gone out."""

    turn: int
    faction: Faction
    readers: tuple[Faction, ...]
    to_all: bool
    signed: bool
    words: str


def may_be_shown(sent: Iterable[Sent], private: Collection[Faction], *, everything: bool) -> list[Shown]:
    """What is shown, in order: what went to all, and, where ``everything`` may be known, what went to some, unless its
    writer or a reader wants it ``private``. Who did not sign is named by the same rule. Mail addresses are taken
    out."""
    return [
        Shown(
            each.turn, each.faction if each.signed or (everything and each.faction not in private) else None,
            () if each.to_all else each.readers, _MAIL_ADDRESS.sub(NO_ADDRESS, each.words),
        )
        for each in sent
        if each.to_all or (everything and not {each.faction, *each.readers} & set(private))
    ]  # fmt: skip
