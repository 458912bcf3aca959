"""Players as they are typed: `ann@example.org`, `Ann Smith <ann@example.org>`, and which faction they have."""

from __future__ import annotations

import re
from collections.abc import Sequence

from bot.cli.session import WRONG_USE, fail
from bot.competition.names import clean
from bot.game_master.new_game import Player
from rules.components import FACTION_FACTS, Faction, as_faction

_NAMED = re.compile(r"(?P<name>[^<>]*)<(?P<address>[^<>]*)>\s*")


def player(option: str, text: str) -> Player:
    """One player. What stands before "=" of a named one is how the game master notes them, and nothing of the name."""
    found = _NAMED.fullmatch(text)
    if found is None:
        _check_address(option, text.strip())
        return Player(text.strip())
    address = found["address"].strip()
    _check_address(option, address)
    name = clean(found["name"].rpartition("=")[2])
    if not name:
        fail(f"{option} {text!r}: there is no name before the address; write it like Ann <ann@example.org>.", WRONG_USE)
    return Player(address, name)


def seats(given: Sequence[str]) -> dict[Faction, Player]:
    """Who plays which faction, in the order in which they are typed."""
    found: dict[Faction, Player] = {}
    for text in given:
        name, _, who = text.partition("=")
        if not who:
            fail(f"--seat {text!r}: write it like guild=ann@example.org.", WRONG_USE)
        sits = player("--seat", who.strip())
        try:
            faction = as_faction(name.strip().lower())
        except ValueError:
            fail(f"--seat {text!r}: there is no faction {name!r}; there are {', '.join(FACTION_FACTS)}.", WRONG_USE)
        if faction in found:
            fail(f"--seat {text!r}: {faction} has a player already.", WRONG_USE)
        found[faction] = sits
    return found


def _check_address(option: str, address: str) -> None:
    if not re.fullmatch(r"""[!#-'*+./0-9=?A-Z^_`a-z{|}~-]+@[A-Za-z0-9.-]+""", address):
        fail(f"{option} {address!r}: that is no e-mail address; write it like ann@example.org.", WRONG_USE)
