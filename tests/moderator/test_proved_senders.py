"""Mode token+sender+auth: who has token and address and no proof is as unknown as anybody."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from bot.config import SettingsError
from rules.components import Faction
from tests.mail.signing import Zone, signed
from tests.moderator.table import CONFIG, GAME_MASTER, World, address_of, make_settings

FEW: tuple[Faction, ...] = ("atreides", "guild", "harkonnen")
OWN = address_of("guild")
AUTH = f"""{CONFIG}
[identity]
mode = "token+sender+auth"
"""
GOOD = "Authentication-Results: mx.arrakis.example; dmarc=pass header.from=players.example\r\n"


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    made = World.at(tmp_path, f'{AUTH}authserv_id = "mx.arrakis.example"\n')
    made.new_game(factions=FEW)
    yield made
    made.engine.dispose()


def deliver(world: World, raw: bytes, results: str = "") -> str:
    return world.moderator.deliver(results.encode() + raw, world.now).disposition


def test_a_proved_player_plays(world: World) -> None:
    assert deliver(world, world.mail("guild", world.line("guild", "traitor")), GOOD) == "orders"
    assert "guild" not in world.asked()


@pytest.mark.parametrize(
    "results",
    [
        "",
        GOOD.replace("mx.arrakis", "mx.evil"),
        GOOD.replace("pass", "fail") + GOOD,
        GOOD.replace("from=players", "from=evil"),
        GOOD.replace("; dmarc", "; dkim=pass header.d=evil.example; x"),
    ],
)
def test_token_and_address_without_proof_do_nothing_and_the_owner_is_told(world: World, results: str) -> None:
    before, asked = world.written(), world.asked()
    assert deliver(world, world.mail("guild", world.line("guild", "traitor"), "freeze"), results) == "rejected"
    assert world.asked() == asked
    assert {letter.recipient for letter in world.letters(after=before)} == {OWN, GAME_MASTER}
    assert "which is not proved" in " ".join(world.newest(GAME_MASTER).text.split())
    assert "proved" not in world.newest("guild").text


def test_a_captured_mail_under_another_message_id_does_nothing(world: World) -> None:
    raw = world.mail("guild", "status", message_id="<first@players.example>")
    assert deliver(world, raw, GOOD) == "orders"
    assert deliver(world, raw.replace(b"<first@", b"<second@")) == "rejected"


def test_a_further_address_is_confirmed_only_with_proof(world: World) -> None:
    other = "edric@elsewhere.example"
    deliver(world, world.mail("guild", f"address add {other}"), GOOD)
    reply_to = str(world.newest(other).message["Reply-To"])
    assert deliver(world, world.mail("guild", "confirm", sender=other, to=reply_to)) == "rejected"
    proved = GOOD.replace("players", "elsewhere")
    assert deliver(world, world.mail("guild", "confirm", sender=other, to=reply_to), proved) == "orders"


def test_signatures_are_checked_where_the_settings_say_so(tmp_path: Path) -> None:
    world = World.at(tmp_path, f"{AUTH}dkim = true\n")
    world.new_game(factions=FEW)
    world.moderator.txt_lookup = Zone("players.example")
    assert deliver(world, signed(world.mail("guild", "status"), "players.example")) == "orders"
    assert deliver(world, signed(world.mail("guild", "status"), "evil.example")) == "rejected"
    assert deliver(world, world.mail("guild", "status"), GOOD) == "rejected"
    world.engine.dispose()


def test_a_mode_without_anything_that_proves_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="name your mail server with authserv_id, or set dkim = true"):
        make_settings(tmp_path, AUTH)
