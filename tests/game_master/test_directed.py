"""Game master's orders for a seat, and games on hold: processed in the same way as mailed orders."""

from __future__ import annotations

from datetime import timedelta

import pytest
from sqlalchemy import update

from bot.desk import clocks, positions, seats
from bot.desk.powers import DeskRequest, PowerRefused, Use
from bot.games import proof
from bot.moderator import seat_lines
from bot.store import acts
from bot.store import games as held_lines
from bot.store.database import reading, writing
from bot.store.tables import GAME as GAMES
from rules.components import FACTIONS
from rules.decisions.question import Question
from tests.moderator.returned import bounce_of
from tests.moderator.table import GAME, World, address_of
from tests.moderator.test_lines import in_movement


def bidding(world: World) -> Question:
    world.silence_until("bidding")
    return next(q for q in world.table().play.questions() if q.kind == "bid")


def test_an_order_for_a_seat_is_answered_to_it_alone_and_nobody_else_hears_whose_it_was(begun: World) -> None:
    asked = bidding(begun)
    twin_before = begun.written()
    taken = seat_lines.order_for_seat(
        DeskRequest(begun.moderator.open_games, GAME, begun.now, Use(why="phoned")), asked.faction, ["pass"]
    )
    assert [line.status for line in taken] == ["accepted"]
    letters = begun.letters(after=twin_before)
    own = [letter for letter in letters if letter.recipient == address_of(asked.faction)]
    assert "The game master has entered this order for you" in " ".join(own[0].text.split())
    for letter in letters:
        if letter.recipient != address_of(asked.faction):
            assert "has entered" not in letter.text
    with reading(begun.engine) as conn:
        [act] = acts.acts_of(conn, game_id=GAME)
        assert (act.what, act.words, act.why) == ("order", f"{asked.faction}: pass", "phoned")
        assert proof.verify(proof.full_record(conn, GAME)).holds


def test_others_get_the_same_letters_as_if_the_player_had_written(
    world: World, tmp_path_factory: pytest.TempPathFactory
) -> None:
    worlds = [world, World.at(tmp_path_factory.mktemp("twin"))]
    told = []
    for by_master, each in zip((False, True), worlds, strict=True):
        each.new_game()
        asked = bidding(each)
        before = each.written()
        if by_master:
            seat_lines.order_for_seat(
                DeskRequest(each.moderator.open_games, GAME, each.now, Use(why="phoned")), asked.faction, ["pass"]
            )
        else:
            each.say(asked.faction, "pass")
        others = [one for one in each.letters(after=before) if one.recipient != address_of(asked.faction)]
        told.append([(one.recipient, one.subject, one.text, one.html) for one in others])
    worlds[1].engine.dispose()
    assert told[0] == told[1] != []


def test_what_cannot_be_taken_changes_nothing(begun: World) -> None:
    before, entries = begun.written(), begun.table().entries
    for lines in (["attack at dawn"], ["bid 99"], ["status please?"]):
        with pytest.raises(PowerRefused):
            seat_lines.order_for_seat(DeskRequest(begun.moderator.open_games, GAME, begun.now), "guild", lines)
    assert (begun.written(), begun.table().entries) == (before, entries)


def test_of_what_cannot_be_taken_each_line_is_told_with_its_reason(begun: World) -> None:
    with pytest.raises(PowerRefused) as refused:
        seat_lines.order_for_seat(
            DeskRequest(begun.moderator.open_games, GAME, begun.now), "guild", ["bid 99", "Thanks, all!"]
        )
    assert str(refused.value) == (
        "bid 99: This is the setup phase; that is decided in the bidding phase.; "
        "Thanks, all!: I cannot find an order in this; “help” says what you can do now."
    )


def test_a_dry_run_says_what_would_become_of_an_order(begun: World) -> None:
    asked = bidding(begun)
    before, entries = begun.written(), begun.table().entries
    taken = seat_lines.order_for_seat(
        DeskRequest(begun.moderator.open_games, GAME, begun.now, Use(dry_run=True)), asked.faction, ["pass"]
    )
    assert taken[0].status == "accepted"
    assert (begun.written(), begun.table().entries) == (before, entries)


def test_a_game_on_hold_takes_orders_and_resolves_nothing(begun: World) -> None:
    asked = bidding(begun)
    games, letters = begun.moderator.open_games, begun.written()
    clocks.hold(DeskRequest(games, GAME, begun.now, Use(why="a question about the Voice")))
    assert all("Voice" not in letter.text for letter in begun.letters(after=letters))
    entries, stop = begun.table().entries, begun.table().play.stop_name
    begun.say(asked.faction, "pass", "", "Nonsense about worms today.")
    answer = " ".join(begun.newest(asked.faction).text.split())
    assert "The game is on hold, so this will wait" in answer
    assert begun.wait(24 * 9) == 0
    assert (begun.table().entries, begun.table().play.stop_name) == (entries, stop)
    for power in (clocks.resume, clocks.hold, clocks.process_overdue):
        with pytest.raises(PowerRefused, match="on hold"):
            power(DeskRequest(games, GAME, begun.now))
    seats.set_caretaker(DeskRequest(games, GAME, begun.now), "guild", True)
    assert begun.table().entries == entries


def test_a_mail_without_a_line_to_a_game_that_stands_still_is_told_so(begun: World) -> None:
    with writing(begun.engine) as conn:
        conn.execute(update(GAMES).where(GAMES.c.id == GAME).values(status="held"))
    begun = begun.another_process()
    why = "The game is held until the game master has looked at it, so we took no orders from your mail."
    begun.say("guild", "status")
    assert " ".join(begun.newest("guild").text.split()).count(why) == 1
    begun.say("guild")
    assert " ".join(begun.newest("guild").text.split()).count(why) == 1


def test_what_was_ordered_on_hold_is_played_in_its_order_when_the_game_goes_on(begun: World) -> None:
    asked = bidding(begun)
    games = begun.moderator.open_games
    clocks.hold(DeskRequest(games, GAME, begun.now))
    due = max(begun.table().deadlines.values(), key=lambda each: each.due).due
    begun.now += timedelta(days=2)
    begun.say(asked.faction, "pass")
    entries, before = begun.table().entries, begun.written()
    seat_lines.release_game(DeskRequest(games, GAME, begun.now))
    table = begun.table()
    assert table.entries > entries
    assert table.on_hold is None
    assert table.stopped_at is None
    told = begun.letters(after=before)
    assert {letter.recipient for letter in told} >= {address_of(faction) for faction in FACTIONS}
    assert any("while it was on hold" in " ".join(letter.text.split()) for letter in told)
    assert max(each.due for each in table.deadlines.values()) > due
    with reading(begun.engine) as conn:
        assert proof.verify(proof.full_record(conn, GAME)).holds
    with pytest.raises(PowerRefused, match="not on hold"):
        seat_lines.release_game(DeskRequest(games, GAME, begun.now))
    begun.silence_until("revival")


@pytest.mark.parametrize(
    ("lines", "taken_back"),
    [(("cancel pass",), "Withdrawn: pass"), (("Cancel PASS",), "Withdrawn: pass"), (("cancel",), "Withdrawn: pass"),
     (("bid 9", "cancel pass", "cancel bid 9"), "Withdrawn: bid 9")],
)  # fmt: skip
def test_what_was_ordered_on_hold_and_cancelled_there_is_not_played_when_the_game_goes_on(
    begun: World, lines: tuple[str, ...], taken_back: str
) -> None:
    asked = bidding(begun)
    games = begun.moderator.open_games
    clocks.hold(DeskRequest(games, GAME, begun.now))
    begun.say(asked.faction, "pass")
    begun.say(asked.faction, *lines)
    assert taken_back in " ".join(begun.newest(asked.faction).text.split())
    entries = begun.table().entries
    seat_lines.release_game(DeskRequest(games, GAME, begun.now))
    assert begun.table().entries == entries


def test_cancelling_one_line_on_hold_leaves_the_others(begun: World) -> None:
    asked = bidding(begun)
    games = begun.moderator.open_games
    clocks.hold(DeskRequest(games, GAME, begun.now))
    begun.say(asked.faction, "pass", "waive reactions until movement")
    begun.say(asked.faction, "cancel waive reactions until movement")
    begun.say(asked.faction, "cancel bid 3")
    assert "No such order is on file" in " ".join(begun.newest(asked.faction).text.split())
    entries = begun.table().entries
    seat_lines.release_game(DeskRequest(games, GAME, begun.now))
    assert begun.table().entries > entries


def test_who_cannot_be_reached_since_they_ordered_on_hold_is_not_taken_for_heard_from_when_the_game_goes_on(
    begun: World,
) -> None:
    asked = bidding(begun)
    games = begun.moderator.open_games
    clocks.hold(DeskRequest(games, GAME, begun.now))
    begun.say(asked.faction, "pass")
    begun.moderator.deliver(bounce_of(begun.newest(asked.faction)), begun.now)
    assert begun.table().seats[asked.faction].unreachable
    seat_lines.release_game(DeskRequest(games, GAME, begun.now))
    assert begun.table().seats[asked.faction].unreachable


def test_the_caretaker_keeps_a_seat_that_it_was_given_since_its_player_ordered_on_hold(begun: World) -> None:
    asked = bidding(begun)
    games = begun.moderator.open_games
    clocks.hold(DeskRequest(games, GAME, begun.now))
    begun.say(asked.faction, "pass")
    seats.set_caretaker(DeskRequest(games, GAME, begun.now), asked.faction, True)
    seat_lines.release_game(DeskRequest(games, GAME, begun.now))
    assert begun.table().seats[asked.faction].care


def test_a_game_that_was_paused_before_stays_paused_after_its_hold(begun: World) -> None:
    games = begun.moderator.open_games
    clocks.pause(DeskRequest(games, GAME, begun.now))
    clocks.hold(DeskRequest(games, GAME, begun.now))
    seat_lines.release_game(DeskRequest(games, GAME, begun.now))
    assert begun.table().stopped_why == clocks.PAUSE


def test_what_a_player_ordered_on_hold_is_not_played_for_whoever_takes_their_seat(begun: World) -> None:
    asked = bidding(begun)
    games = begun.moderator.open_games
    clocks.hold(DeskRequest(games, GAME, begun.now))
    begun.say(asked.faction, "pass")
    seats.replace_player(DeskRequest(games, GAME, begun.now), asked.faction, "gus@elsewhere.example")
    entries = begun.table().entries
    seat_lines.release_game(DeskRequest(games, GAME, begun.now))
    assert begun.table().entries == entries


def test_what_was_ordered_on_hold_is_not_played_when_the_game_was_taken_back_since(begun: World) -> None:
    asked = bidding(begun)
    games = begun.moderator.open_games
    clocks.hold(DeskRequest(games, GAME, begun.now))
    begun.say(asked.faction, "pass")
    start = positions.entries_at(games, GAME, 1, "bidding")
    before = begun.written()
    positions.roll_back(DeskRequest(games, GAME, begun.now), start)
    told = {one.recipient for one in begun.letters(after=before) if "on hold no longer count" in one.text}
    assert told == {address_of(faction) for faction in FACTIONS}
    seat_lines.release_game(DeskRequest(games, GAME, begun.now))
    assert begun.table().entries == start


def test_what_was_held_before_a_game_was_on_hold_and_cancelled_there_is_not_played_when_it_goes_on(
    world: World,
) -> None:
    shipper = in_movement(world)
    games = world.moderator.open_games
    world.say(shipper, "no move")
    [held] = world.table().play.game.held[shipper]
    clocks.hold(DeskRequest(games, GAME, world.now))
    world.say(shipper, "cancel no move", "status")
    assert "Withdrawn: no move." in " ".join(world.newest(shipper).text.split())
    assert world.table().play.game.held[shipper] == [held]
    seat_lines.release_game(DeskRequest(games, GAME, world.now))
    assert world.table().play.game.held.get(shipper, []) == []
    with reading(world.engine) as conn:
        assert held_lines.held_lines_of(conn, GAME, shipper) == []


def test_a_line_kept_on_hold_is_cancelled_in_other_words_for_the_same(begun: World) -> None:
    asked = bidding(begun)
    clocks.hold(DeskRequest(begun.moderator.open_games, GAME, begun.now))
    begun.say(asked.faction, "waive reactions until movement", "when card 2: pass", "", "Nonsense about worms today.")
    begun.say(asked.faction, "cancel pass if card 2")
    assert "Withdrawn: when card 2: pass." in " ".join(begun.newest(asked.faction).text.split())
    begun.say(asked.faction, "cancel more nonsense 4")
    with reading(begun.engine) as conn:
        assert held_lines.held_lines_of(conn, GAME, asked.faction) == ["waive reactions until movement"]


def test_one_cancel_on_hold_takes_back_what_was_kept_and_what_the_game_held(world: World) -> None:
    shipper = in_movement(world)
    games = world.moderator.open_games
    world.say(shipper, "no move")
    clocks.hold(DeskRequest(games, GAME, world.now))
    world.say(shipper, "no shipment")
    world.say(shipper, "cancel")
    told = " ".join(world.newest(shipper).text.split())
    assert "Withdrawn: no move. Withdrawn: no shipment." in told
    seat_lines.release_game(DeskRequest(games, GAME, world.now))
    assert "shipment" in world.asked()[shipper]
    assert world.table().play.game.held.get(shipper, []) == []


def test_what_is_refused_on_hold_is_told_as_refused_and_not_as_waiting(world: World) -> None:
    shipper = in_movement(world)
    clocks.hold(DeskRequest(world.moderator.open_games, GAME, world.now))
    world.say(shipper, "bid 99")
    told = " ".join(world.newest(shipper).text.split())
    assert "bid 99 REFUSED" in told
    assert "The game is on hold, so this will wait" not in told
