"""A tournament's public data: at every stage, it is verifiable and contains nothing sealed."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import msgspec
import pytest
from sqlalchemy import update

from bot.archive import shelf, site
from bot.archive.tournament_pages import tournament_files
from bot.archive.tournaments import FORMATS, export_tournament
from bot.competition.outcomes import SeatOutcome, TableOutcome, Tenure
from bot.competition.published import Published, encode_published
from bot.competition.verification import verify
from bot.desk import sight
from bot.desk.powers import DeskRequest
from bot.games import observers
from bot.store import acts, tournament_rounds, tournaments
from bot.store.acts import DeskAct
from bot.store.database import reading, writing
from bot.store.publication import Viewer, published_tournament
from bot.store.tables import GAME
from bot.store.tournaments import PairApart, Paper
from bot.tournament import progress
from bot.tournament import rounds as dates
from bot.tournament.desk import By, Caller
from tests.tournament.cup import CUP, SECRET, Entered, end_game, token_for

TWO_HEATS = 'title = "The Cup"\n[rounds]\nheats = 2\nsemifinal = 0\nfinal = 6\n'


def seen(cup: Entered, viewer: Viewer = "everybody") -> Published:
    with reading(cup.world.engine) as conn:
        return published_tournament(conn, CUP, cup.world.now, viewer)


def checks(cup: Entered) -> Published:
    """Return the document that everybody sees, after verifying it."""
    document = seen(cup)
    assert verify(encode_published(document)).difference == ""
    return document


def result(cup: Entered, number: int, table: int, winners: int = 1, state: Any = "confirmed") -> None:
    """Add a table's result."""
    with writing(cup.world.engine) as conn:
        there = next(each for each in tournament_rounds.tables_of(conn, CUP, number) if each.number == table)
        known = {each.number: each.handle for each in tournaments.entrants_of(conn, CUP)}
        seats = tuple(
            SeatOutcome(
                faction=held.faction, dot=held.dot, tenures=(Tenure(entrant=known[held.entrant], first=1, last=5),)
            )
            for held in tournament_rounds.tenures_of(conn, CUP, number, table)
        )
        outcome = TableOutcome(
            game=there.game_id, ruleset="wbc-2018", kind="stronghold", how="strongholds", turn=5, round=number,
            table=table, winners=tuple(seat.faction for seat in seats[:winners]), seats=seats,
            ended=cup.world.now.date(),
        )  # fmt: skip
        made = tournament_rounds.Result(CUP, outcome, state, "", "", cup.world.now)
        tournament_rounds.add_result(conn, made)
        tournament_rounds.change_table(conn, CUP, number, table, state="finished")
        tournaments.touch(conn, CUP)


def started(folder: Path, players: int = 12, settings: str = TWO_HEATS) -> Entered:
    cup = Entered.at(folder, players, settings)
    cup.draw()
    cup.start()
    return cup


# --- a whole life ----------------------------------------------------------------------------------------------------


def test_the_export_checks_at_every_step_from_the_opening_to_the_end(tmp_path: Path) -> None:
    cup = Entered.at(tmp_path, 12, TWO_HEATS)
    assert checks(cup).rounds == ()
    cup.draw()
    drawn = checks(cup)
    assert [one.draw is not None for one in drawn.rounds] == [True, True]
    assert drawn.secret == ""
    cup.start()
    assert checks(cup).still_playing == 4
    for number in (1, 2):
        for table in (1, 2):
            result(cup, number, table, winners=1 + (number + table) % 3)
    assert checks(cup).still_playing == 0
    for number in (1, 2):
        dates.close_round(Caller(cup.open_games, cup.world.now, By()), CUP, number)
    cup.draw()
    cup.start()
    result(cup, 3, 1)
    assert checks(cup).standings[0].keys[0] == ("stage", "final")
    dates.close_round(Caller(cup.open_games, cup.world.now, By()), CUP, 3)
    progress.finish_tournament(Caller(cup.open_games, cup.world.now, By()), CUP)
    over = checks(cup)
    assert (over.state, over.secret) == ("finished", SECRET)
    assert verify(encode_published(over)).notes[0].startswith("Rounds 1, 2: drawn without a beacon")
    assert tournament_files(over)


def test_a_game_that_ends_is_in_the_standings_and_may_be_protested_against(tmp_path: Path) -> None:
    cup = started(tmp_path)
    end_game(cup.world, cup.tables()[0].game_id, "atreides")
    cup.tick(1)
    document = checks(cup)
    assert [(one.outcome.table, one.state) for one in document.results] == [(1, "provisional")]
    assert document.standings[0].points == "12"
    assert document.still_playing == 3


# --- who sees what ---------------------------------------------------------------------------------------------------


def test_names_are_shown_by_consent_and_cleaned(tmp_path: Path) -> None:
    cup = Entered.at(tmp_path, 5, TWO_HEATS)
    cup.enter(1, shown=True)
    with writing(cup.world.engine) as conn:
        tournaments.change_entrant(conn, CUP, 6, name="Fay\n\u202e<b> " + "x" * 300)
    names = [one.name for one in seen(cup).entrants]
    assert names[:5] == [""] * 5
    assert names[5].startswith("Fay <b> xxx")
    assert len(names[5]) <= 60
    assert [one.name for one in seen(cup, "directors").entrants][:2] == ["Player 1", "Player 2"]


def test_who_waits_is_a_number_and_not_a_name_and_who_has_not_confirmed_is_nobody(tmp_path: Path) -> None:
    cup = Entered.at(tmp_path, 6, TWO_HEATS)
    cup.enter(2, "standby")
    cup.enter(3, "entered")
    document = seen(cup)
    assert [one.handle for one in document.entrants] == [f"E{number:03d}" for number in range(1, 7)]
    assert document.waiting == 2
    assert len(seen(cup, "directors").entrants) == 11


def test_acts_are_opened_to_those_whom_they_are_for_and_all_of_them_at_the_end(tmp_path: Path) -> None:
    cup = Entered.at(tmp_path, 6, TWO_HEATS)
    later = cup.world.now + timedelta(days=1)
    with writing(cup.world.engine) as conn:
        acts.log_act(conn, DeskAct(cup.world.now, "note", words="for entrants", audience="entrants"), tournament_id=CUP)
        acts.log_act(
            conn,
            DeskAct(cup.world.now, "protest", words="table 1.1 by ann@example.org", why="a lie", audience="directors"),
            tournament_id=CUP,
        )
        acts.log_act(
            conn,
            DeskAct(cup.world.now, "rule", words="opens later", audience="directors", opens_at=later),
            tournament_id=CUP,
        )

    def words(viewer: Viewer = "everybody") -> list[str]:
        return [act.words for act in seen(cup, viewer).acts if act.command in ("note", "protest", "rule")]

    assert words() == []
    assert [act.number for act in seen(cup).acts] == [1, 2]
    assert words("entrant") == ["for entrants"]
    assert len(words("directors")) == 3
    cup.world.now = later
    assert words() == ["opens later"]
    with writing(cup.world.engine) as conn:
        tournaments.touch(conn, CUP, state="finished")
    assert words() == ["for entrants", "table 1.1 by (an address)", "opens later"]
    assert [act.why for act in seen(cup).acts if act.command == "protest"] == [""]


def test_of_a_table_that_is_played_no_more_is_said_than_who_was_drawn_for_it(tmp_path: Path) -> None:
    cup = started(tmp_path)
    before = seen(cup)
    first = cup.tables()[0]
    held = next(seat for seat in cup.seats() if (seat.round, seat.table) == first.place)
    with writing(cup.world.engine) as conn:
        tournament_rounds.next_tenure(conn, held, 3, replace(held, entrant=0, first=4, why="caretaker", last=0))
        tournament_rounds.change_table(conn, CUP, first.round, first.number, last_turn=9)
    assert encode_published(seen(cup)) == encode_published(before)
    assert encode_published(seen(cup, "entrant")) == encode_published(before)
    assert seen(cup, "directors").rounds[0].tables[0].last_turn == 9


def test_of_a_game_that_was_taken_back_nothing_is_said_while_it_goes_on(tmp_path: Path) -> None:
    cup = started(tmp_path)
    before = encode_published(seen(cup))
    result(cup, 1, 1)
    with writing(cup.world.engine) as conn:
        (made,) = tournament_rounds.result_versions(conn, CUP)
        tournament_rounds.set_result_state(conn, made, "withdrawn")
        tournament_rounds.change_table(conn, CUP, 1, 1, state="playing")
    assert encode_published(seen(cup)) == before
    result(cup, 1, 1, winners=2)
    assert [one.state for one in checks(cup).results] == ["withdrawn", "confirmed"]


def test_waking_hours_are_sealed_and_the_record_says_so(tmp_path: Path) -> None:
    cup = Entered.at(tmp_path, 0, TWO_HEATS + "[tables]\noverlap_hours = 2\n")
    cup.enter(6, hours=0xFF00)
    cup.draw()
    document = checks(cup)
    draw = document.rounds[0].draw
    assert draw is not None
    assert (draw.hours, draw.hours_sealed) == ((), True)
    assert "waking hours" in verify(encode_published(document)).notes[0]
    assert verify(encode_published(seen(cup, "directors"))).difference == ""


# --- secrecy ---------------------------------------------------------------------------------------------------------

Sealed = Callable[[Entered], None]


def nothing(_: Entered) -> None:
    """Do nothing, as the comparison case."""


def files_papers(cup: Entered) -> None:
    with writing(cup.world.engine) as conn:
        for kind, words in (("preferences", "guild, *"), ("worths", "atreides 3"), ("protest", "they cheat")):
            tournaments.file_paper(conn, Paper(CUP, 1, kind, words, cup.world.now))  # type: ignore[arg-type]


def lives_elsewhere(cup: Entered) -> None:
    with writing(cup.world.engine) as conn:
        tournaments.change_entrant(
            conn, CUP, 2, timezone="Asia/Tokyo", hours=0xFF, connections="my brother E003", conduct="ab"
        )
        tournaments.change_entrant(
            conn, CUP, 3, address="other@elsewhere.example", name="A Secret Name", token="u" * 16
        )


def is_kept_apart(cup: Entered) -> None:
    with writing(cup.world.engine) as conn:
        tournaments.keep_apart(conn, CUP, PairApart(1, 2, "a quarrel"))
        acts.log_act(
            conn, DeskAct(cup.world.now, "apart", words="a pair is kept apart", audience="directors"), tournament_id=CUP
        )


def stands_by(cup: Entered) -> None:
    """Change the order of the waiting entrants, but not their number."""
    with writing(cup.world.engine) as conn:
        tournaments.change_entrant(conn, CUP, 13, confirmed_at=cup.world.now + timedelta(hours=1))


def everything(cup: Entered) -> dict[str, bytes]:
    """Return all pages and exports that people other than directors may read."""
    found: dict[str, bytes] = {}
    for viewer in ("everybody", "entrant"):
        document = seen(cup, viewer)
        found |= {f"{viewer} {name}": data for name, data in tournament_files(document).items()}
        found |= {f"{viewer} {format}": export_tournament(document, format) for format in FORMATS}
    return found


@pytest.mark.parametrize("secret", [files_papers, lives_elsewhere, is_kept_apart, stands_by])
@pytest.mark.parametrize("drawn", [False, True])
def test_two_tournaments_that_differ_in_what_is_sealed_have_the_same_pages_and_exports(
    tmp_path: Path, secret: Sealed, drawn: bool
) -> None:
    def story(folder: Path, secret: Sealed) -> dict[str, bytes]:
        folder.mkdir()
        cup = Entered.at(folder, 12, TWO_HEATS)
        cup.enter(2, "standby")
        if drawn:
            cup.draw()
            cup.start()
        secret(cup)
        if drawn:
            result(cup, 1, 1)
        return everything(cup)

    plain, with_secret = story(tmp_path / "a", nothing), story(tmp_path / "b", secret)
    assert plain == with_secret


def test_pairs_kept_apart_show_only_as_a_digest_in_a_draw_that_would_have_been_the_same(tmp_path: Path) -> None:
    def story(folder: Path, apart: bool) -> Published:
        folder.mkdir()
        cup = Entered.at(folder, 12, 'title = "The Cup"\n[rounds]\nheats = 1\nsemifinal = 0\n')
        if apart:  # they never sit together anyway
            one, other = away
            with writing(cup.world.engine) as conn:
                tournaments.keep_apart(conn, CUP, PairApart(one, other, "a quarrel"))
        cup.draw()
        return seen(cup)

    away = (0, 0)
    plain = story(tmp_path / "a", False)
    draw = plain.rounds[0].draw
    assert draw is not None
    away = (int(draw.tables[0].seats[0].entrant[1:]), int(draw.tables[1].seats[0].entrant[1:]))
    sealed = story(tmp_path / "b", True)
    other = sealed.rounds[0].draw
    assert other is not None
    assert other.apart == ()
    assert re.fullmatch("[0-9a-f]{64}", other.apart_digest)
    if other.tables == draw.tables:
        assert msgspec.structs.replace(other, apart_digest="") == draw
    assert "quarrel" not in encode_published(sealed).decode()
    assert verify(encode_published(sealed)).difference == ""


def test_no_address_and_no_token_stands_in_anything_that_is_published(tmp_path: Path) -> None:
    cup = started(tmp_path)
    result(cup, 1, 1)
    for name, data in everything(cup).items():
        text = data.decode()
        assert "players.example" not in text, name
        assert not any(token_for(f"entrant {number}") in text for number in range(1, 16)), name
        assert cup.cup.token not in text, name
        assert SECRET not in text, name


# --- tables of a round that is open ----------------------------------------------------------------------------------


def built(cup: Entered, folder: Path) -> set[str]:
    """Build an archive and return the games that have pages in it."""
    over, going = shelf.offered(cup.world.engine)
    made = site.build(folder, over, going, None, shelf.tournaments(cup.world.engine, cup.world.now))
    assert made.problems == ()
    games = folder / "game"
    return {each.name for each in games.iterdir()} if games.exists() else set()


def all_shown(cup: Entered) -> None:
    """Set the games' archive policy to public."""
    with writing(cup.world.engine) as conn:
        conn.execute(update(GAME).values(archive="public full"))


def test_the_archive_shows_no_table_of_a_round_before_it_is_closed(tmp_path: Path) -> None:
    (tmp_path / "world").mkdir()
    cup = started(tmp_path / "world", 6)
    all_shown(cup)
    game = cup.tables()[0].game_id
    assert built(cup, tmp_path / "site") == set()
    text = "".join(
        page.read_text() for page in (tmp_path / "site").rglob("*") if page.suffix in (".html", ".xml", ".csv")
    )
    assert f"game/{game}/" not in text
    end_game(cup.world, game, "atreides")
    assert built(cup, tmp_path / "site") == set(), "that it is over changes nothing"
    with pytest.raises(shelf.NotShown, match="shown when round 1 is closed"):
        shelf.running(cup.world.engine, game)
    with writing(cup.world.engine) as conn:
        conn.execute(update(GAME).where(GAME.c.id == game).values(status="running"))
    with writing(cup.world.engine) as conn:
        for number in (1, 2):
            tournament_rounds.change_round(conn, CUP, number, state="closed")
    assert built(cup, tmp_path / "site") == {table.game_id for table in cup.tables()}
    assert f"game/{game}/" in (tmp_path / "site" / "tournament" / CUP / "round-1.html").read_text()


def test_with_the_other_setting_it_is_shown_a_completed_turn_late_but_not_in_a_final(tmp_path: Path) -> None:
    (tmp_path / "world").mkdir()
    cup = started(tmp_path / "world", 6, TWO_HEATS + '[tables]\nseen = "late"\n')
    all_shown(cup)
    assert built(cup, tmp_path / "site") == set()
    shown = shelf.shelved(cup.world.engine)
    assert shown == [], "no turn is completed yet"
    with writing(cup.world.engine) as conn:
        conn.execute(update(GAME).values(turn=2))
    assert {each.policy.words for each in shelf.shelved(cup.world.engine)} == {"delayed:1 public-only"}
    with writing(cup.world.engine) as conn:
        tournament_rounds.change_round(conn, CUP, 1, kind="final")
    assert [each.place.round for each in shelf.shelved(cup.world.engine) if each.place] == [2]


def test_an_entrant_observes_no_other_table_of_a_round_that_is_open(tmp_path: Path) -> None:
    cup = started(tmp_path)
    one, other = (table.game_id for table in cup.tables()[:2])
    sitting = {seat.entrant for seat in cup.seats() if (seat.round, seat.table) == (1, 2)}
    address = f"player{min(sitting)}@players.example"
    with pytest.raises(observers.ObserverRefused, match="sees its other tables only when the round is closed"):
        sight.add_observer(DeskRequest(cup.open_games, one, cup.world.now), address)
    sight.add_observer(DeskRequest(cup.open_games, other, cup.world.now), "guest@example.org")
    assert json.loads(encode_published(seen(cup)))["tournament"] == CUP


@pytest.mark.parametrize("way", ["trade", "two-cards", "preference", "auction"])
def test_the_export_checks_before_and_after_factions_come_to_players(tmp_path: Path, way: str) -> None:
    cup = Entered.at(tmp_path, 12, f'{TWO_HEATS}[factions]\nby = "{way}"\n')
    cup.draw()
    checks(cup)
    cup.tick(100)
    cup.start()
    result(cup, 1, 1)
    document = checks(cup)
    assert all(faction for table in document.rounds[0].tables for faction, _ in table.seats)
    assert tournament_files(document)
