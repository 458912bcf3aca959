"""Mail with a signature: one that fails is told to the player and to the game master, and to nobody else."""

from __future__ import annotations

import pytest
from sqlalchemy import select

from bot.store.database import reading
from bot.store.tables import MESSAGE
from rules.components import Faction
from tests.moderator.table import GAME_MASTER, World, address_of

FEW: tuple[Faction, ...] = ("atreides", "guild", "harkonnen")
FAULT = "its OpenPGP signature is damaged"


def signed(world: World, line: str, **fields: str) -> bytes:
    """A mail whose signature in clear is none at all."""
    mark = "-----BEGIN PGP SIGNATURE-----"
    return world.mail("guild", "-----BEGIN PGP SIGNED MESSAGE-----", "", line, mark, "iQ", mark, **fields)


def reasons(world: World) -> list[str]:
    with reading(world.engine) as conn:
        return [str(reason) for reason in conn.scalars(select(MESSAGE.c.reason))]


def test_a_signature_that_fails_is_said_and_the_order_stands(world: World) -> None:
    world.new_game(factions=FEW)

    verdict = world.moderator.deliver(signed(world, world.line("guild", "traitor")), world.now)

    assert verdict.taken == 1
    assert "guild" not in world.asked()
    answer = " ".join(world.newest("guild").text.split())
    assert "The OpenPGP signature of your mail is damaged" in answer
    assert "answer this letter with the one word freeze" in answer
    assert FAULT in reasons(world)[-1]


@pytest.mark.parametrize("fields", [{"sender": "worm@evil.example"}, {"to": "mentat@arrakis.example"}])
def test_a_stranger_is_told_nothing_of_their_signature(world: World, fields: dict[str, str]) -> None:
    world.new_game(factions=FEW)
    before = world.written()

    verdict = world.moderator.deliver(signed(world, world.line("guild", "traitor"), **fields), world.now)

    assert verdict.disposition == "rejected"
    assert "guild" in world.asked()
    assert {letter.recipient for letter in world.letters(after=before)} <= {GAME_MASTER, address_of("guild")}
    assert not any("signature" in letter.text for letter in world.letters(after=before))
