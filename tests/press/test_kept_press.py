"""Stored press: delivery times, message counts per seat, and deletion. Seats that share an address belong to one
person."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from sqlalchemy import insert, update

from bot.store import people, press
from bot.store.database import writing
from bot.store.press import Press
from bot.store.tables import DEADLINE, GAME, SEAT
from rules.components import Faction
from tests.moderator.table import GAME as SIETCH
from tests.moderator.table import START, World, address_of

OTHER = "sietch-13"
THREE: tuple[Faction, ...] = ("atreides", "fremen", "guild")
MINUTE = timedelta(minutes=1)


@pytest.fixture
def two_games(tmp_path: Path) -> Iterator[World]:
    made = World.at(tmp_path)
    made.new_game(factions=THREE)
    made.new_game(factions=THREE, game=OTHER)
    yield made
    made.engine.dispose()


def written(words: str, **other: object) -> Press:
    plain = Press(SIETCH, "guild", ("fremen", "atreides"), ("fremen", "atreides"), words, True, 1, START)
    return replace(plain, **other)  # type: ignore[arg-type]


def test_press_goes_out_when_it_is_due_or_its_turn_is_over(two_games: World) -> None:
    with writing(two_games.engine) as conn:
        for each in (
            written("late", state="waiting", due=START + MINUTE),
            written("now", state="waiting", due=START),
            written("after the turn", state="waiting"),
            written("in the next turn", state="waiting", turn=2),
            written("held", state="held", due=START),
            written("sent", due=START),
            written("elsewhere", state="waiting", game_id=OTHER),
        ):
            press.keep_press(conn, each)

        def due(game: str) -> list[str]:
            return [each.words for each in press.due_press(conn, game, START)]

        assert (press.games_with_due(conn, START), due(SIETCH), due(OTHER)) == ([SIETCH], ["now"], [])
        assert press.games_with_due(conn, START - MINUTE) == []
        conn.execute(update(GAME).values(turn=2))
        assert press.games_with_due(conn, START) == sorted([OTHER, SIETCH])
        assert (due(SIETCH), due(OTHER)) == (["now", "after the turn"], ["elsewhere"])
        conn.execute(update(GAME).values(turn=1, status="over"))
        assert due(SIETCH) == ["now", "after the turn", "in the next turn"]


def test_press_is_numbered_as_it_goes_out_and_read_back_as_it_was_written(two_games: World) -> None:
    with writing(two_games.engine) as conn:
        waiting = press.keep_press(conn, written("waiting", state="waiting", due=START))
        first = press.keep_press(conn, written("to all", readers=THREE, said_readers=press.TO_ALL, signed=False))
        elsewhere = press.keep_press(conn, written("elsewhere", game_id=OTHER))
        second = press.keep_press(conn, written("to one", readers=("fremen",), said_readers=("fremen",)))
        assert [each.number for each in (waiting, first, elsewhere, second)] == [0, 1, 1, 2]
        out = press.note_press_sent(conn, waiting)
        assert (out.state, out.number) == ("sent", 3)
        assert press.press_of_game(conn, SIETCH) == [first, second, out]
        assert press.press_of_reader(conn, SIETCH, "atreides") == [first, out]
        assert press.press_of_reader(conn, SIETCH, "guild") == [first]
        assert press.press_counts(conn, SIETCH) == {"atreides": 2, "fremen": 3, "guild": 1}
        press.report_press(conn, second, "fremen")
        press.report_press(conn, replace(second, reported_by=("atreides",)), "atreides")
        assert press.press_of_game(conn, SIETCH)[1].reported_by == ("atreides",)
        press.report_press(conn, replace(second, reported_by=("atreides",)), "fremen")
        assert [each.reported_by for each in press.press_of_game(conn, SIETCH)] == [(), ("atreides", "fremen"), ()]


def test_what_a_seat_wrote_is_counted_if_it_was_passed_on_or_will_be(two_games: World) -> None:
    with writing(two_games.engine) as conn:
        for each in (
            written("second", at=START + 2 * MINUTE),
            written("first", at=START + MINUTE, state="waiting"),
            written("at the instant itself", turn=2),
            written("withdrawn", at=START + MINUTE, state="withdrawn"),
            written("held", at=START + MINUTE, state="held"),
            written("of another", at=START + MINUTE, faction="fremen"),
            written("elsewhere", at=START + MINUTE, game_id=OTHER),
        ):
            press.keep_press(conn, each)
        assert press.sent_since(conn, SIETCH, "guild", START) == [START + MINUTE, START + 2 * MINUTE]
        assert [press.count_in_turn(conn, SIETCH, "guild", turn) for turn in (1, 2, 3)] == [2, 1, 0]


def test_only_what_a_seat_holds_back_itself_is_held_and_withdrawn(two_games: World) -> None:
    with writing(two_games.engine) as conn:
        press.keep_press(conn, written("older", state="held"))
        press.keep_press(conn, written("newer", state="held"))
        press.keep_press(conn, written("sent"))
        press.keep_press(conn, written("of another", faction="fremen", state="held"))
        press.keep_press(conn, written("elsewhere", game_id=OTHER, state="held"))

        def held(game: str, faction: Faction) -> str:
            found = press.held_press(conn, game, faction)
            return found.words if found else ""

        seats: list[tuple[str, Faction]] = [(SIETCH, "guild"), (SIETCH, "fremen"), (OTHER, "guild"), (OTHER, "fremen")]
        assert [held(*seat) for seat in seats] == ["newer", "of another", "elsewhere", ""]
        press.withdraw_press(conn, SIETCH, "guild")
        assert [held(*seat) for seat in seats] == ["", "of another", "elsewhere", ""]
        assert [each.words for each in press.press_of_game(conn, SIETCH)] == ["sent"]


def test_what_is_forgotten_is_of_these_games_or_this_seat_alone(two_games: World) -> None:
    with writing(two_games.engine) as conn:
        for game in (SIETCH, OTHER):
            press.keep_press(conn, written("from the guild", game_id=game))
            press.keep_press(conn, written("from the fremen", game_id=game, faction="fremen"))

        def words() -> list[str]:
            return [each.words for game in (SIETCH, OTHER) for each in press.press_of_game(conn, game)]

        press.forget_press_of_seat(conn, SIETCH, "guild")
        assert words() == ["", "from the fremen", "from the guild", "from the fremen"]
        press.forget_press(conn, [OTHER])
        assert words() == ["", "from the fremen", "", ""]


def test_a_seat_is_muted_alone_and_until_it_is_not(two_games: World) -> None:
    with writing(two_games.engine) as conn:
        press.mute(conn, SIETCH, "guild", START)
        press.mute(conn, OTHER, "fremen", START)
        seats: list[tuple[str, Faction]] = [(SIETCH, "guild"), (SIETCH, "fremen"), (OTHER, "guild"), (OTHER, "fremen")]
        assert [press.is_muted(conn, *seat) for seat in seats] == [True, False, False, True]
        assert (press.unmute(conn, SIETCH, "guild"), press.unmute(conn, SIETCH, "guild")) == (True, False)
        assert [press.is_muted(conn, *seat) for seat in seats] == [False, False, False, True]


def test_the_seats_of_one_person_with_something_open_that_is_not_due_stand_together(two_games: World) -> None:
    with writing(two_games.engine) as conn:
        conn.execute(DEADLINE.delete())
        row = {"opened_at": "1.bidding.0", "kind": "bid", "subject": "", "due": START + MINUTE, "asked_at": START,
               "until": START + MINUTE, "duty": True, "state": "open", "missed": False, "reminded": 0}  # fmt: skip

        def open_in(game: str, faction: Faction, **other: object) -> None:
            conn.execute(insert(DEADLINE), {**row, "game_id": game, "faction": faction, **other})

        open_in(SIETCH, "guild")
        open_in(OTHER, "guild")
        open_in(OTHER, "fremen", due=START)
        open_in(OTHER, "atreides", state="answered")
        late: list[tuple[str, Faction]] = [(SIETCH, faction) for faction in ("fremen", "guild", "atreides")]

        def together() -> list[list[tuple[str, Faction]]]:
            return people.seats_of_persons(conn, late, START)

        alone: list[list[tuple[str, Faction]]] = [[seat] for seat in late]
        assert together() == [alone[0], [(SIETCH, "guild"), (OTHER, "guild")], alone[2]]
        conn.execute(update(GAME).where(GAME.c.id == OTHER).values(stopped_at=START))
        assert together() == alone
        conn.execute(update(GAME).where(GAME.c.id == OTHER).values(stopped_at=None, status="held"))
        assert together() == alone


def test_the_persons_of_some_games_are_known_with_their_zone_and_all_they_play_there(two_games: World) -> None:
    with writing(two_games.engine) as conn:
        here = (SEAT.c.game_id == OTHER, SEAT.c.faction == "fremen")
        conn.execute(update(SEAT).where(*here).values(address=address_of("guild")))
        conn.execute(update(SEAT).where(SEAT.c.faction == "atreides").values(timezone="Asia/Tokyo"))
        found = people.persons_at(conn, [OTHER])
        assert {address: (zone.key, games) for address, (zone, games) in found.items()} == {
            address_of("guild"): ("UTC", [OTHER]), address_of("atreides"): ("Asia/Tokyo", [OTHER]),
        }  # fmt: skip
        both = people.persons_at(conn, [SIETCH, OTHER])
        assert {address: sorted(games) for address, (_, games) in both.items()} == {
            address_of("guild"): sorted([SIETCH, OTHER]), address_of("atreides"): sorted([SIETCH, OTHER]),
            address_of("fremen"): [SIETCH],
        }  # fmt: skip
        assert both[address_of("atreides")][0] == ZoneInfo("Asia/Tokyo")
