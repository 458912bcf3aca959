"""Powers that show sealed information: who may use them, and who is told."""

from __future__ import annotations

import pytest
from sqlalchemy import update

from bot.desk import positions, sight
from bot.desk.powers import DeskRequest, PowerRefused, Use
from bot.render.news import event_sentence
from bot.store import acts
from bot.store import games as store
from bot.store.database import reading, writing
from bot.store.games import Sealed, UnknownGame, require_sight
from bot.store.tables import GAME as GAMES
from rules.components import FACTIONS
from tests.moderator.table import GAME, World, address_of


def test_a_prediction_tells_nobody_changes_nothing_and_stands_in_the_act_log(begun: World) -> None:
    begun.silence_until("bidding")
    entries, letters, state = begun.table().entries, begun.written(), begun.table().play.state
    told = sight.predict_phase(DeskRequest(begun.moderator.open_games, GAME, begun.now, Use(why="the tie")))
    assert told
    assert (begun.table().entries, begun.written(), begun.table().play.state) == (entries, letters, state)
    with reading(begun.engine) as conn:
        [act] = acts.acts_of(conn, game_id=GAME)
    assert (act.what, act.words, act.why) == ("predict", "1/bidding", "the tie")


def test_a_prediction_tells_what_comes_and_nothing_that_has_happened_in_the_phase_already(world: World) -> None:
    world.new_game("ah-basic", ("atreides", "guild", "harkonnen"))
    world.silence_until("bidding")
    asked = world.table().play.questions()[0].faction
    world.say(asked, "bid 1")
    assert asked == "atreides"
    assert sight.predict_phase(DeskRequest(world.moderator.open_games, GAME, world.now)) == (
        "Guild passed on card 1.",
        "Harkonnen passed on card 1.",
        "Atreides bought card 1 for 1 spice, paid to the bank.",
        "Card 2 of 3 came up.",
        "Guild passed on card 2.",
        "Harkonnen passed on card 2.",
        "Atreides passed on card 2.",
        "Nobody wanted card 2: 2 cards went back on top of the deck.",
    )


def test_what_is_sealed_may_be_seen_of_no_game_that_there_is_not_and_of_a_blind_one_after_its_end(begun: World) -> None:
    with reading(begun.engine) as conn, pytest.raises(UnknownGame) as unknown:
        require_sight(conn, "sietch-13")
    assert str(unknown.value) == "There is no game 'sietch-13' here; `mentat game list` shows all games."
    sight.play_blind(DeskRequest(begun.moderator.open_games, GAME, begun.now))
    with writing(begun.engine) as conn:
        conn.execute(update(GAMES).values(status="over"))
    with reading(begun.engine) as conn:
        require_sight(conn, GAME)


def test_in_a_blind_game_nothing_sealed_is_shown_until_the_glass_is_broken(begun: World) -> None:
    games = begun.moderator.open_games
    sight.play_blind(DeskRequest(games, GAME, begun.now))
    with reading(begun.engine) as conn, pytest.raises(Sealed, match="break-glass"):
        require_sight(conn, GAME)
    with pytest.raises(PowerRefused, match="played blind"):
        sight.predict_phase(DeskRequest(games, GAME, begun.now))
    with pytest.raises(PowerRefused, match="already being played blind"):
        sight.play_blind(DeskRequest(games, GAME, begun.now))
    begun.silence_until("revival")
    begun.say("guild", "deal with harkonnen: leave me Carthag")
    assert positions.preview_rollback(DeskRequest(games, GAME, begun.now), 0).private == {}
    with pytest.raises(PowerRefused, match="Give a reason"):
        sight.break_glass(DeskRequest(games, GAME, begun.now))
    before = begun.written()
    sight.break_glass(DeskRequest(games, GAME, begun.now, Use(why="a bid that cannot be")))
    told = begun.letters(after=before)
    assert {letter.recipient for letter in told} == {address_of(faction) for faction in FACTIONS}
    assert all("bid that cannot be" not in letter.text for letter in told)
    with reading(begun.engine) as conn:
        require_sight(conn, GAME)
    seen = positions.preview_rollback(DeskRequest(games, GAME, begun.now), 0)
    assert seen.private != {}
    with reading(begun.engine) as conn:
        happened = store.events_of(conn, GAME)
    alone = [event_sentence(event.kind, event.facts, {}) for event in happened if event.audience is not None]
    assert any(alone)
    assert set(seen.public).isdisjoint(filter(None, alone))
    with pytest.raises(PowerRefused, match="no glass"):
        sight.break_glass(DeskRequest(games, GAME, begun.now, Use(why="again")))
