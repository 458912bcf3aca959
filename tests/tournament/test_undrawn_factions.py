"""At a table of fewer than six, a player can get an undrawn faction if all other players there agree."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from msgspec import structs

from bot.competition.factions import judge_wish, read_exchange
from bot.competition.published import encode_published, with_sums
from bot.competition.verification import verify
from bot.store import tournament_rounds, tournaments
from bot.store.database import reading, writing
from bot.store.publication import published_tournament
from bot.tournament import calendar, drawing, game_starts
from bot.tournament.desk import Caller
from bot.tournament.drawing import DrawRequest
from rules.components import FACTIONS, Faction, as_faction, faction_name
from tests.tournament.cup import end_game
from tests.tournament.entries import Cup

SETTINGS = 'title = "The Cup"\n[rounds]\nheats = 1\n[factions]\nby = "trade"\ntrade_hours = 24\n'
NAMES = ("ann", "bob", "cid", "dora", "eve")


class Five(Cup):
    """An event with five players drawn at one table, who write mail."""

    def factions(self) -> dict[str, Faction]:
        with reading(self.world.engine) as conn:
            held = {seat.entrant: as_faction(seat.faction) for seat in tournament_rounds.now_sitting(conn, "cup")}
        return {name: held[number] for number, name in enumerate(NAMES, 1)}

    @property
    def undrawn(self) -> Faction:
        [found] = set(FACTIONS) - set(self.factions().values())
        return found

    def asks(self, name: str, *lines: str) -> str:
        self.answers(name, *lines)
        return self.read(name)

    def read(self, name: str, which: int = -1) -> str:
        return " ".join(self.letters(name)[which].text.split())

    def tick(self, hours: int = 0) -> None:
        self.wait(hours)
        calendar.tick(self.world.moderator.open_games, self.world.now)


@pytest.fixture
def five(tmp_path: Path) -> Five:
    return drawn(tmp_path)


def drawn(folder: Path, settings: str = SETTINGS) -> Five:
    cup = Five(Cup.at(folder, settings).world)
    for name in NAMES:
        cup.enters(name)
        cup.wait(2)
    drawing.draw(Caller(cup.world.moderator.open_games, cup.world.now), "cup", DrawRequest())
    return cup


@pytest.mark.clause("WBC.HR.1d")
def test_a_player_gets_an_undrawn_faction_once_everybody_else_has_agreed(five: Five) -> None:
    own, wanted = five.factions()["ann"], five.undrawn
    assert f"write trade {wanted}." in five.read("ann")
    assert re.search(r"up to 65 days: until \d+ \w+ if the first game begins on \d+ \w+\.", five.read("ann"))
    assert "Everybody else at table 1.1 is being asked" in five.asks("ann", f"trade {wanted}")
    for name in NAMES[1:]:
        assert f"would like to have the {faction_name(wanted)} instead" in five.read(name)
        assert f"agree 1.1 {wanted}" in five.newest(name).text
        five.tick(1)
        assert five.factions()["ann"] == own
        assert "You agree that they may play" in five.asks(name, f"agree 1.1 {wanted}")
    five.tick()
    assert five.factions()["ann"] == wanted
    assert f"you play {faction_name(wanted)}" in five.read("ann")
    assert f"plays {faction_name(wanted)} instead of {faction_name(own)}" in five.read("bob")
    five.tick(24)
    open_games = five.world.moderator.open_games
    game_starts.start_games(Caller(open_games, five.world.now), "cup")
    assert set(five.world.table("cup-r1-t01").seats) == set(five.factions().values())
    with reading(five.world.engine) as conn:
        published = published_tournament(conn, "cup", five.world.now)
    assert verify(encode_published(published)).difference == ""
    assert any(f"gave {own} for the undrawn {wanted}" in act.words for act in published.acts)


@pytest.mark.clause("WBC.HR.1d")
@pytest.mark.parametrize("last", ["no", "", "decline"])
def test_one_who_refuses_or_is_silent_ends_the_wish_and_is_not_named(five: Five, last: str) -> None:
    own, wanted = five.factions()["ann"], five.undrawn
    five.answers("ann", f"trade {wanted}")
    for name in NAMES[1:4]:
        five.answers(name, "yes")
    if last:
        five.answers("eve", last)
    five.tick(0 if last else 25)
    assert five.factions()["ann"] == own
    letters = [" ".join(sent.text.split()) for sent in five.letters("ann")]
    [told] = [text for text in letters if "Not everybody at table 1.1 agreed" in text]
    assert not any(word in told for word in ("Eve", "E005", faction_name(five.factions()["eve"])))
    if last:
        assert "it will not be asked again" in five.asks("ann", f"trade {wanted}")
        assert "nothing has changed" in five.asks("eve", f"agree {wanted}")
        five.tick()
        assert five.factions()["ann"] == own


def test_who_agreed_can_take_it_back_until_it_is_settled(five: Five) -> None:
    own, wanted = five.factions()["ann"], five.undrawn
    five.answers("ann", f"trade {wanted}")
    five.answers("bob", "agree")
    five.answers("bob", f"no {wanted}")
    for name in NAMES[2:]:
        five.answers(name, "agree")
    five.tick()
    assert five.factions()["ann"] == own


def test_a_swap_at_the_table_ends_the_wish(five: Five) -> None:
    before, wanted = five.factions(), five.undrawn
    five.answers("ann", f"trade {wanted}")
    five.answers("bob", "trade E003")
    five.answers("cid", "trade E002")
    five.tick()
    assert "factions or players at table 1.1 have changed" in five.read("ann")
    for name in NAMES[1:]:
        five.answers(name, f"agree {wanted}")
    five.tick()
    assert five.factions() == {**before, "bob": before["cid"], "cid": before["bob"]}


def test_a_second_wish_for_the_same_faction_ends_the_first(five: Five) -> None:
    wanted = five.undrawn
    five.answers("ann", f"trade {wanted}")
    for name in NAMES[2:]:
        five.answers(name, "agree")
    five.answers("bob", f"trade {wanted}")
    assert "somebody else at table 1.1 has asked for it too" in five.read("ann", -2)
    for name in ("ann", *NAMES[2:]):
        five.answers(name, "agree")
    five.tick()
    assert five.factions()["bob"] == wanted


def test_a_taken_faction_leaves_no_offer_of_a_swap_behind(five: Five) -> None:
    before, wanted = five.factions(), five.undrawn
    five.answers("bob", "trade E001")
    five.answers("ann", f"trade {wanted}")
    for name in NAMES[1:]:
        five.answers(name, "agree")
    five.tick()
    five.answers("ann", "trade E002")
    five.tick(1)
    assert five.factions() == {**before, "ann": wanted}


@pytest.mark.parametrize(
    "line",
    [
        "I'd like to swap my {own} for the undrawn {wanted}",
        "I would like to have the undrawn {wanted}, please.",
        "trade my {own} for {wanted}",
        "exchange {own} for the {wanted}",
    ],
)
def test_a_wish_in_plain_words_is_understood(five: Five, line: str) -> None:
    own, wanted = (faction_name(each) for each in (five.factions()["ann"], five.undrawn))
    five.answers("ann", line.format(own=own, wanted=wanted))
    assert "asks for the" in five.newest("bob").subject, five.read("ann")


def test_what_a_player_does_not_have_they_cannot_give(five: Five) -> None:
    theirs, wanted = five.factions()["bob"], five.undrawn
    assert "You do not have" in five.asks("ann", f"trade my {theirs} for {wanted}")
    with reading(five.world.engine) as conn:
        assert not tournaments.papers_of(conn, "cup", "wish", "swap", state=None)


def test_a_faction_that_the_event_leaves_out_cannot_be_had(tmp_path: Path) -> None:
    five = drawn(tmp_path, SETTINGS + '[tables]\nmissing = "bene-gesserit"\n')
    assert "You cannot have the" in five.asks("ann", "trade bene gesserit")


def test_a_faction_that_nobody_could_have_is_found_in_an_export(tmp_path: Path) -> None:
    five = drawn(tmp_path, SETTINGS + '[tables]\nmissing = "bene-gesserit"\n')
    five.tick(24)
    game_starts.start_games(Caller(five.world.moderator.open_games, five.world.now), "cup")
    end_game(five.world, "cup-r1-t01", five.factions()["ann"])
    five.tick()
    with reading(five.world.engine) as conn:
        document = published_tournament(conn, "cup", five.world.now)
    assert verify(encode_published(document)).difference == ""
    [result] = document.results
    *seats, last = sorted(result.outcome.seats, key=lambda seat: seat.faction != five.factions()["ann"])
    outcome = structs.replace(result.outcome, seats=(*seats, structs.replace(last, faction="bene-gesserit")))
    forged = with_sums(structs.replace(document, results=(structs.replace(result, outcome=outcome),)))
    assert "the bene-gesserit were played there" in verify(encode_published(forged)).difference


def test_who_takes_a_seat_meanwhile_has_not_agreed(five: Five) -> None:
    own, wanted = five.factions()["ann"], five.undrawn
    five.enters("fay")
    five.answers("ann", f"trade {wanted}")
    for name in NAMES[1:]:
        five.answers(name, "agree")
    with writing(five.world.engine) as conn:
        seat = next(seat for seat in tournament_rounds.now_sitting(conn, "cup") if seat.entrant == 5)
        tournament_rounds.change_tenure(conn, seat, entrant=six(five))
    five.tick()
    with reading(five.world.engine) as conn:
        assert own in {seat.faction for seat in tournament_rounds.now_sitting(conn, "cup") if seat.entrant == 1}
    assert "players at table 1.1 have changed" in five.read("ann")


def six(cup: Cup) -> int:
    with reading(cup.world.engine) as conn:
        return max(each.number for each in tournaments.entrants_of(conn, "cup"))


@pytest.mark.clause("WBC.HR.1d")
@pytest.mark.parametrize(
    ("answers", "found"),
    [
        ({"E002": True, "E003": True}, "granted"),
        ({"E002": True, "E003": None}, "waits"),
        ({"E002": False, "E003": None}, "refused"),
        ({"E002": True}, "changed"),
        ({"E002": True, "E003": True, "E004": True}, "changed"),
    ],
)
def test_every_player_who_sits_there_must_agree(answers: dict[str, bool | None], found: str) -> None:
    assert judge_wish("E001", ["E001", "E002", "E003"], answers) == found


@pytest.mark.parametrize(
    ("text", "wanted"),
    [("guild", "guild"), ("for the undrawn guild", "guild"), ("E003 paying 2", None), ("E003 for 2", None)],
)
def test_only_factions_make_an_exchange(text: str, wanted: str | None) -> None:
    assert read_exchange(text, "emperor", FACTIONS) == wanted
