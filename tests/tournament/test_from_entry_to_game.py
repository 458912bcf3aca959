"""Six people enter by mail, are drawn, trade factions by mail and get their game's first letters, all through real
mail processing."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from bot.store import tournament_rounds
from bot.store.database import reading
from bot.tournament import calendar, drawing, game_starts
from bot.tournament.desk import Caller
from bot.tournament.drawing import DrawRequest
from rules.components import FACTION_FACTS, as_faction
from tests.tournament.entries import Cup, address

SETTINGS = 'title = "The Cup"\n[rounds]\nheats = 1\n[factions]\nby = "trade"\ntrade_hours = 24\n'
NAMES = ("ann", "bob", "cid", "dora", "eve", "fay")


def test_from_the_entry_to_the_first_letter_of_the_game(tmp_path: Path) -> None:
    cup = Cup.at(tmp_path, SETTINGS)
    numbers = {}
    for name in NAMES:
        numbers[name] = cup.enters(name).number
        cup.wait(2)
    open_games = cup.world.moderator.open_games
    assert not drawing.draw(Caller(open_games, cup.world.now), "cup", DrawRequest()).already
    faction = factions(cup)
    own, other = faction[numbers["ann"]], faction[numbers["bob"]]
    told = cup.newest("ann").text
    assert "You can trade your faction" in " ".join(told.split())
    cup.answers("ann", "trade with E002 paying 1")
    cup.wait(1)
    cup.answers("bob", "trade E001 getting 1")
    cup.wait(1)
    assert (factions(cup)[numbers["ann"]], factions(cup)[numbers["bob"]]) == (other, own)
    cup.wait(24)
    calendar.tick(open_games, cup.world.now)
    cup.answers("cid", "trade E001")
    assert "None of your tables is waiting for that" in cup.newest("cid").text
    before = cup.world.written()
    assert game_starts.start_games(Caller(open_games, cup.world.now), "cup").now == (("1.1", "cup-r1-t01"),)
    first = cup.world.letters(after=before)
    assert Counter(sent.recipient for sent in first) == Counter({address(name): 1 for name in NAMES})
    for sent in first:
        assert "This is table 1.1 of The Cup. The round ends on " in " ".join(sent.text.split())
    spice = {one: player.spice for one, player in cup.world.table("cup-r1-t01").play.state.players.items()}
    assert spice[as_faction(other)] == FACTION_FACTS[as_faction(other)].spice - 1
    assert spice[as_faction(own)] == FACTION_FACTS[as_faction(own)].spice + 1


def factions(cup: Cup) -> dict[int, str]:
    with reading(cup.world.engine) as conn:
        return {seat.entrant: seat.faction for seat in tournament_rounds.now_sitting(conn, "cup")}
