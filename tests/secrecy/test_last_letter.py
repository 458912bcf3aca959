"""Tests that everybody's last letter includes the record, which proves the game and contains no personal data."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

from bot.desk.powers import DeskRequest
from bot.desk.seats import freeze_seat
from bot.games.proof import verify_file
from rules.components import Faction
from tests.moderator.table import GAME, World

FEW: tuple[Faction, ...] = ("atreides", "guild", "harkonnen")


def test_the_record_holds_no_person_and_no_talk_of_two_players_and_still_proves_the_game(
    world: World, tmp_path: Path
) -> None:
    world.new_game("wbc-2018", factions=FEW, max_turns=2)
    old = world.token("guild")
    freeze_seat(DeskRequest(world.moderator.open_games, GAME, world.now), "guild")
    world.silence_until("bidding")
    world.say("guild", "press to harkonnen: the worm has ears", "press to gm: I met them in Vienna")
    world.say("guild", "deal with harkonnen: I meet you in Vienna", "deal with harkonnen: pay me 1 spice for 2 spice")
    world.say("guild", "deal with atreides: peace in the north")
    world.say("atreides", "accept")
    world.say("guild", "deal with atreides: war in Vienna; I pay 1")
    world.say("harkonnen", "decline", "deal with guild: Vienna, or I tell Atreides")
    world.say("guild", "when card 9: bid 3", "standing: charity", "letters wanted", "ship 40 to carthage please")
    seats = world.table().seats.values()
    secrets = [word for seat in seats for word in (seat.address, seat.token, seat.bounce_token)]
    while world.wait(24):
        pass
    assert "Vienna" in "".join(letter.text for letter in world.letters("harkonnen"))
    (attached,) = world.newest("atreides").message.iter_attachments()
    text = gzip.decompress(attached.get_content()).decode()
    for word in (*secrets, old, "players.example", "Vienna", "worm has ears", "carthage", "card 9"):
        assert word not in text
    kinds = [line["event"]["kind"] for line in map(json.loads, text.splitlines()) if line["t"] == "event"]
    assert kinds.count("offer-made") == 5
    assert kinds.count("deal-made") == 1
    assert "peace in the north" in text
    file = tmp_path / "record.jsonl.gz"
    file.write_bytes(attached.get_content())
    assert verify_file(file).holds
