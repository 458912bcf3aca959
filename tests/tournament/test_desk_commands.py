"""Commands that make, draw and start a tournament: their messages, JSON output and exit codes."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from bot.competition.published import RoundKind
from bot.competition.settings import settings_digest
from bot.games.silent_players import BELIEVED_POINTS
from bot.store import tournament_rounds, tournaments
from bot.store.database import reading, writing
from bot.store.tournaments import Paper
from bot.tournament import progress, substitutes
from bot.tournament.desk import By, Caller, Refused
from rules.components import as_faction
from tests.cli.conftest import Mentat
from tests.moderator.table import World
from tests.tournament.cup import CUP, ONE_HEAT, PLAYERS, Cup, Entered, address


@pytest.fixture
def file(tmp_path: Path) -> Path:
    written = tmp_path / "cup.toml"
    written.write_text(ONE_HEAT, encoding="utf-8")
    return written


def entered(place: World, players: int) -> Entered:
    cup = Entered(place)
    cup.enter(players)
    return cup


def test_from_an_example_to_the_first_letters(mentat: Mentat, place: World, tmp_path: Path) -> None:
    example = tmp_path / "wanted.toml"
    assert mentat("tournament", "new", "--example", "heats", str(example)).code == 0
    text = example.read_text(encoding="utf-8")
    assert "heats = 3" in text
    made = mentat("tournament", "new", CUP, str(example), "--json").json
    assert (made["state"], made["already"], len(made["commitment"])) == ("draft", False, 64)
    assert mentat("tournament", "open", CUP).code == 0
    entered(place, 12)
    assert "is not published before" in mentat("tournament", "draw", CUP, "--beacon", "4 8 15").err
    frozen = mentat("tournament", "freeze", CUP, "--json").json
    assert (frozen["round"], frozen["beacon_at"][:10]) == (1, re.findall('beacon_date = "(.*)"', text)[0])
    assert "nothing was done" in mentat("tournament", "freeze", CUP).out
    drawn = mentat("tournament", "draw", CUP, "--no-beacon")
    assert drawn.code == 0
    assert "Rounds 1 to 3 of cup (heat): 12 entrants at 6 tables." in drawn.out
    started = mentat("tournament", "start", CUP, "--json").json
    assert len(started["started"]) == 6
    assert place.letters(address(1))[-1].faction is not None


def test_done_again_each_says_that_nothing_was_done(mentat: Mentat, place: World, file: Path) -> None:
    for words in (("new", CUP, str(file)), ("open", CUP)):
        assert mentat("tournament", *words).code == 0
    entered(place, 6)
    for words in (("draw", CUP), ("start", CUP)):
        assert mentat("tournament", *words).code == 0
        again = mentat("tournament", *words)
        assert (again.code, "nothing was done" in again.out) == (0, True), words
    assert mentat("tournament", "start", CUP).out == "Its table has already begun; nothing was done.\n"
    for typed in (("new", CUP, str(file)), ("amend", CUP, "settings", str(file)), ("draw", CUP, "--round", "1")):
        again = mentat("tournament", *typed)
        assert (again.code, "nothing was done" in again.out) == (0, True), typed


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("open", "nowhere"), 2, "There is no tournament 'nowhere'"),
        (("new", "Cup!", "FILE"), 1, "lower-case letters"),
        (("new", "other", "missing.toml"), 2, "is missing"),
        (("new", "other"), 2, "--example heats"),
        (("new", "--example", "duel"), 2, "is not one of heats"),
        (("draw", CUP), 1, "Open it with `mentat tournament open cup`"),
        (("start", CUP), 1, "draw before you start"),
        (("open", CUP, "--until", "soon"), 1, "is not a date"),
        (("grant", CUP, "ann@example.org", "king"), 2, "the rights are director"),
        (("grant", CUP, "ann", "clerk"), 1, "not one mail address"),
        (("apart", CUP, "E001", "E002", "--why", "one household"), 1, "no entrant"),
        (("amend", CUP, "points", "FILE"), 2, "amend cup settings FILE"),
        (("cancel", CUP, "--if", "7"), 1, "has changed since"),
        (("show", CUP, "--as", "E009"), 1, "a viewer is director, public"),
        (("show", CUP, "--round", "2"), 1, "has no round 2"),
    ],
)
def test_what_cannot_be_is_said_in_one_sentence(
    mentat: Mentat, place: World, file: Path, words: tuple[str, ...], code: int, said: str
) -> None:
    assert mentat("tournament", "new", CUP, str(file)).code == 0
    ran = mentat("tournament", *(str(file) if word == "FILE" else word for word in words))
    assert (ran.code, ran.out) == (code, "")
    assert said in " ".join(ran.err.split())


def test_settings_with_several_faults_name_each(mentat: Mentat, place: World, file: Path) -> None:
    file.write_text('title = "x"\nformat = "duel"\n[rounds]\nheat = 3\n', encoding="utf-8")
    ran = mentat("tournament", "new", CUP, str(file))
    assert ran.code == 2
    assert "format" in ran.err
    assert "heat" in ran.err


def test_an_example_never_takes_the_place_of_a_file(mentat: Mentat, place: World, file: Path) -> None:
    ran = mentat("tournament", "new", "--example", "swiss", str(file))
    assert ran.code == 1
    assert file.read_text(encoding="utf-8") == ONE_HEAT


def test_a_handover_and_a_right_are_typed(mentat: Mentat, place: World, file: Path) -> None:
    mentat("tournament", "new", CUP, str(file))
    assert mentat("tournament", "grant", CUP, "ann@example.org", "director").code == 0
    assert mentat("tournament", "handover", CUP, "bob@example.org").code == 0
    again = mentat("tournament", "grant", CUP, "ann@example.org", "director", "--json").json
    assert again["already"]


def test_who_is_handed_a_tournament_confirms_by_mail(mentat: Mentat, place: World, file: Path) -> None:
    mentat("tournament", "new", CUP, str(file))
    mentat("tournament", "handover", CUP, "bob@example.org")
    code = place.newest("bob@example.org").text.split("confirm ")[1].split(".")[0].split()[0]
    answer = place.mail("guild", f"confirm {code}", sender="bob@example.org", to="mentat@arrakis.example")
    assert place.moderator.deliver(answer, place.now).reason == "a tournament has another director"


def test_a_dry_run_says_to_whom_it_would_write_and_leaves_nothing(mentat: Mentat, place: World, file: Path) -> None:
    mentat("tournament", "new", CUP, str(file))
    mentat("tournament", "open", CUP)
    entered(place, 2)
    ran = mentat("tournament", "cancel", CUP, "--why", "Too few.", "--dry-run")
    assert (ran.code, place.letters()) == (0, [])
    assert "Nothing was done" in ran.out
    assert "Letters: 2" in ran.out
    assert f"The Cup was cancelled: {address(1)}, {address(2)}" in ran.out


# --- show and list ---------------------------------------------------------------------------------------------------


def test_the_list_names_every_tournament_with_its_state(mentat: Mentat, place: World, file: Path) -> None:
    assert "There is no tournament yet" in mentat("tournament", "list").out
    mentat("tournament", "new", CUP, str(file))
    assert mentat("tournament", "list", "--json").json[0]["state"] == "draft"
    assert "The Cup" in mentat("tournament", "list").out


def test_show_asks_for_the_beacon_that_was_announced_and_says_when_entries_have_closed(
    mentat: Mentat, place: World, tmp_path: Path
) -> None:
    settings = tmp_path / "beacon.toml"
    settings.write_text(f'beacon = "the lottery"\nbeacon_date = "2200-01-02"\n{ONE_HEAT}', encoding="utf-8")
    assert mentat("tournament", "new", CUP, str(settings)).code == 0
    assert mentat("tournament", "open", CUP, "--until", "2200-01-01").code == 0
    entered(place, 12)
    out = mentat("tournament", "show", CUP).out
    assert "entries close on 2200-01-01" in out
    assert '(mentat tournament draw cup --beacon "…")' in out
    with reading(place.engine) as conn:
        late = progress.open_matters(conn, tournaments.find_tournament(conn, CUP), datetime(2200, 1, 3, tzinfo=UTC))
    assert late[-1].what.startswith("entries closed on 2200-01-01")


def test_show_says_what_waits_and_by_which_command_it_goes_on(mentat: Mentat, place: World, file: Path) -> None:
    mentat("tournament", "new", CUP, str(file))
    assert "mentat tournament open cup" in mentat("tournament", "show", CUP).out
    mentat("tournament", "open", CUP)
    out = mentat("tournament", "show", CUP).out
    assert "entries are open; 0 are in, and a table needs 5" in out
    assert "tournament draw" not in out
    cup = entered(place, 12)
    cup.enter(1, "entered")
    out = mentat("tournament", "show", CUP).out
    assert "round 1 (heat) can be drawn for 12" in out
    assert "1 has not confirmed: E013" in out
    mentat("tournament", "draw", CUP, "--without-unconfirmed")
    assert "2 tables have not begun (mentat tournament start cup --round 1)" in mentat("tournament", "show", CUP).out
    mentat("tournament", "start", CUP)
    out = mentat("tournament", "show", CUP).out
    assert "2 tables are playing, until" in out
    assert "1.1  playing, turn 1" in out
    assert "ends about" in out


@pytest.mark.parametrize("viewer", ["public", "E001", "director"])
def test_nobody_is_shown_an_address_a_secret_or_anothers_turn(tmp_path: Path, viewer: str) -> None:
    cup = Entered.at(tmp_path, 12)
    cup.enter(2, "entered")
    cup.draw(without_unconfirmed=True)
    cup.start()
    with reading(cup.world.engine) as conn:
        seen = progress.tournament_view(conn, cup.cup, cup.world.now, viewer)
    told = str(seen)
    assert "players.example" not in told
    assert cup.cup.secret not in told
    assert "Player" not in told
    turns = [table["table"] for table in seen["rounds"][0]["tables"] if "turn" in table]
    own = f"1.{next(seat.table for seat in cup.seats() if seat.entrant == 1)}"
    assert turns == {"public": [], "E001": [own], "director": ["1.1", "1.2"]}[viewer]
    assert ("waits" in seen) == (viewer == "director")


def test_the_end_is_foreseen_from_the_rounds_that_are_still_to_come(tmp_path: Path) -> None:
    cup = Entered.at(tmp_path, 12)
    with reading(cup.world.engine) as conn:
        assert progress.forecast_end(conn, cup.cup, cup.world.now) == cup.world.now + timedelta(days=2 * 65)
    begun = cup.world.now
    cup.draw()
    cup.start()
    cup.world.now += timedelta(days=10)
    with reading(cup.world.engine) as conn:
        assert progress.forecast_end(conn, cup.cup, cup.world.now) == begun + timedelta(days=2 * 65)


def test_a_viewer_who_is_nobody_is_refused(tmp_path: Path) -> None:
    cup = Entered.at(tmp_path, 6)
    with reading(cup.world.engine) as conn, pytest.raises(Refused, match="a viewer is"):
        progress.find_viewer(conn, tournaments.find_tournament(conn, CUP), "E999")


# --- what is shown of a running tournament ---------------------------------------------------------------------------


def waits(cup: Cup) -> list[tuple[str, str]]:
    """Return each open matter with the command that resolves it."""
    with reading(cup.world.engine) as conn:
        return [
            (each.what, each.command)
            for each in progress.open_matters(conn, tournaments.find_tournament(conn, CUP), cup.now)
        ]


def change_round(cup: Cup, number: int = 1, **changed: object) -> None:
    with writing(cup.world.engine) as conn:
        tournament_rounds.change_round(conn, CUP, number, **changed)


def change(cup: Cup, **changed: object) -> None:
    with writing(cup.world.engine) as conn:
        tournaments.touch(conn, CUP, **changed)


def test_show_follows_a_round_from_its_factions_to_its_close(cup: Cup) -> None:
    cup.round()
    opens = cup.now + timedelta(days=3)
    one_by_one = cup.settings.replace("heats = 2", "heats = 2\nparallel = false")
    change(cup, settings=f'{one_by_one}[factions]\nby = "preference"\n')
    change_round(cup, state="drawn", opens=opens, ends=None)
    with writing(cup.world.engine) as conn:
        for table in (1, 2):
            tournament_rounds.change_table(conn, CUP, 1, table, state="planned")
    assert waits(cup) == [(f"round 1: factions (preference) until {opens:%Y-%m-%d %H:%M}Z", "")]
    change_round(cup, opens=None)
    assert waits(cup) == [("round 1: 2 tables have not begun", "mentat tournament start cup --round 1")]
    change_round(cup, state="playing")
    with writing(cup.world.engine) as conn:
        tournament_rounds.change_table(conn, CUP, 1, 1, state="playing")
    begun = [("round 1: 1 table has not begun", "mentat tournament start cup --round 1")]
    assert waits(cup) == [*begun, ("round 1: 1 table is playing", "")]
    with writing(cup.world.engine) as conn:
        tournament_rounds.change_table(conn, CUP, 1, 1, state="finished")
    assert waits(cup) == begun
    with writing(cup.world.engine) as conn:
        tournament_rounds.change_table(conn, CUP, 1, 2, state="void")
    assert waits(cup) == [("round 1: every table has its result", "mentat tournament round cup 1 close")]
    change_round(cup, state="closed")
    assert waits(cup) == [("round 2 (heat) can be drawn for 12", "mentat tournament draw cup")]


def test_show_names_protests_and_entrants_whose_mail_comes_back(cup: Cup) -> None:
    cup.round()
    with writing(cup.world.engine) as conn:
        tournaments.file_paper(conn, Paper(CUP, 3, "protest", "No.", cup.now, 1, 2))
        tournaments.change_entrant(conn, CUP, 4, undelivered=BELIEVED_POINTS)
        tournaments.change_entrant(conn, CUP, 5, undelivered=BELIEVED_POINTS - 1)
        tournaments.change_entrant(conn, CUP, 15, undelivered=BELIEVED_POINTS)
    assert [what for what, _ in waits(cup)][1:-1] == [
        "a protest about table 1.2 waits for an arbiter",
        "mail to E004, E015 bounces; nothing is sent there until they write",
    ]


def test_where_tables_are_drawn_as_players_are_free_show_waits_for_six(cup: Cup) -> None:
    change(cup, settings=cup.settings.replace("heats = 2", "heats = 2\nload = 1"))
    cup.round(1, [range(1, 7)])
    with writing(cup.world.engine) as conn:
        tournaments.change_entrant(conn, CUP, 7, state="withdrawn")
    assert waits(cup)[1:] == [("the next table is drawn when six are free", "")]
    with writing(cup.world.engine) as conn:
        tournaments.change_entrant(conn, CUP, 7, state="playing")
    assert waits(cup)[1:] == [("round 2 (heat) can be drawn for 6", "mentat tournament draw cup")]


@pytest.mark.parametrize(
    ("state", "said"),
    [("draft", [("Open it with `mentat tournament open cup`.", "")]), ("drawn", []), ("finished", [])],
)
def test_before_entries_and_after_the_end_show_has_nothing_to_draw(
    cup: Cup, state: str, said: list[tuple[str, str]]
) -> None:
    change(cup, state=state)
    assert waits(cup) == said


def test_a_tournament_is_shown_to_each_as_far_as_they_may_know(cup: Cup) -> None:
    cup.round()
    with pytest.raises(Refused, match=r"cup has no round 2; it has 1\."):
        seen(cup, "public", 2)
    left = cup.sitting("guild").entrant
    substitutes.substitute(Caller(cup.open_games, cup.now, By(why="gone")), CUP, "1.1", as_faction("guild"), "E013")
    guild = {viewer: guild_of(seen(cup, viewer)) for viewer in ("director", "public", "E001", "E007")}
    assert guild == {"director": "E013", "public": f"E{left:03d}", "E001": "E013", "E007": f"E{left:03d}"}
    cup.end("cup-1-1", "atreides", how="prediction")
    cup.tick()
    told = {viewer: "winners" in seen(cup, viewer)["rounds"][0]["tables"][0] for viewer in guild}
    assert told == {"director": True, "public": False, "E001": True, "E007": False}
    change_round(cup, state="closed")
    first = seen(cup, "public", 1)["rounds"][0]["tables"][0]
    assert (first["winners"], first["kind"], guild_of(seen(cup, "public"))) == (["atreides"], "prediction", "E013")
    assert seen(cup, "e001")["you"] == {"handle": "E001", "state": "playing", "standby": False}


def seen(cup: Cup, viewer: str, number: int = 0) -> dict[str, Any]:
    with reading(cup.world.engine) as conn:
        tournament = tournaments.find_tournament(conn, CUP)
        named = progress.find_viewer(conn, tournament, viewer)
        return progress.tournament_view(conn, tournament, cup.now, named, number)


def guild_of(shown: dict[str, Any]) -> str:
    """Return the handle of the Guild's player at the first table."""
    seats = shown["rounds"][0]["tables"][0]["seats"]
    return str(next(seat["entrant"] for seat in seats if seat["faction"] == "guild"))


@pytest.mark.parametrize(
    ("settings", "to_come"),
    [
        ("[rounds]\nheats = 3\nsemifinal = 0", 2),
        ("[rounds]\nheats = 3\nsemifinal = 0\nfinal = 0", 1),
        ("[rounds]\nheats = 3\nparallel = false\nsemifinal = 0", 4),
        ("[rounds]\nheats = 3\nsemifinal = 11", 3),
        ("[rounds]\nheats = 3\nsemifinal = 12", 2),
        ('format = "swiss"\n[rounds]\nswiss = 3', 3),
        ('format = "league"', 1),
        ('format = "knockout"', 2),
    ],
)
def test_the_end_of_each_format_is_foreseen_before_its_first_round(cup: Cup, settings: str, to_come: int) -> None:
    change(cup, settings=f'title = "The Cup"\n{settings}\n')
    assert forecast(cup) == cup.now + timedelta(days=65 * to_come)


@pytest.mark.parametrize(
    ("settings", "kind", "to_come"),
    [
        ("[rounds]\nheats = 3\nparallel = false\nsemifinal = 0", "heat", 3),
        ("[rounds]\nheats = 1\nsemifinal = 11", "semifinal", 2),
        ("[rounds]\nheats = 1\nsemifinal = 0", "final", 1),
        ('format = "swiss"\n[rounds]\nswiss = 3', "swiss", 2),
        ('format = "league"', "league", 0),
        ('format = "knockout"', "knockout", 1),
    ],
)
def test_what_was_drawn_is_not_still_to_come(cup: Cup, settings: str, kind: RoundKind, to_come: int) -> None:
    change(cup, settings=f'title = "The Cup"\n{settings}\n')
    with writing(cup.world.engine) as conn:
        tournament_rounds.add_round(
            conn, tournament_rounds.Round(CUP, 1, kind, "playing", cup.now, cup.now + timedelta(days=20))
        )
    assert forecast(cup) == cup.now + timedelta(days=20 + 65 * to_come)
    change_round(cup, state="drawn", ends=None)
    assert forecast(cup) == cup.now + timedelta(days=65 * (1 + to_come))
    change_round(cup, state="closed")
    assert forecast(cup) == cup.now + timedelta(days=65 * to_come)


@pytest.mark.parametrize(
    ("players", "to_come"),
    [(6, 1), (7, 2), (11, 2), (18, 2), (19, 3), (36, 3), (54, 3), (55, 4)],
)
def test_a_knockout_is_foreseen_as_if_two_won_each_table(cup: Cup, players: int, to_come: int) -> None:
    change(cup, settings='title = "The Cup"\nformat = "knockout"\n')
    with writing(cup.world.engine) as conn:
        for number in range(1, 13):
            tournaments.change_entrant(conn, CUP, number, state="confirmed" if number <= players else "withdrawn")
    cup.enter(max(players - PLAYERS, 0))
    assert forecast(cup) == cup.now + timedelta(days=65 * to_come)


def test_a_ladder_has_no_end_and_what_is_over_has_had_its_own(cup: Cup) -> None:
    change(cup, settings='title = "The Cup"\nformat = "ladder"\n')
    assert forecast(cup) is None
    change(cup, settings=cup.settings, state="open", until=cup.now + timedelta(days=10))
    assert forecast(cup) == cup.now + timedelta(days=10 + 2 * 65)
    change(cup, until=cup.now - timedelta(days=10))
    assert forecast(cup) == cup.now + timedelta(days=2 * 65)
    change(cup, state="finished", finished_at=cup.now - timedelta(days=1))
    assert forecast(cup) == cup.now - timedelta(days=1)


def forecast(cup: Cup) -> datetime | None:
    with reading(cup.world.engine) as conn:
        return progress.forecast_end(conn, tournaments.find_tournament(conn, CUP), cup.now)


def test_programs_get_a_document_of_each_step(mentat: Mentat, place: World, file: Path, tmp_path: Path) -> None:
    def told(*words: str) -> Any:
        ran = mentat("tournament", *words, "--json")
        assert (ran.code, ran.err) == (0, ""), words
        return ran.json

    example = told("new", "--example", "swiss", str(tmp_path / "mine"))
    assert (example["file"], example["format"]) == (str(tmp_path / "mine.toml"), "swiss")
    assert example["settings_sha256"] == settings_digest((tmp_path / "mine.toml").read_text(encoding="utf-8"))
    told("new", CUP, str(file))
    for already in (False, True):
        opened = told("open", CUP, "--until", "2200-01-01")
        assert (opened["state"], opened["already"], opened["until"]) == ("open", already, "2200-01-01 23:59:00+00:00")
    entered(place, 12)
    apart = told("apart", CUP, "E001", "E002", "--why", "one household")
    assert apart == {
        "tournament": CUP, "pair": ["E001", "E002"], "apart": True, "already": False, "together_at": [],
        "dry_run": False,
    }  # fmt: skip
    tried = told("draw", CUP, "--dry-run")
    assert (tried["trial"], tried["draw"], tried["entrants"], tried["tables"]) == (True, None, 12, 2)
    for already in (False, True):
        drawn = told("draw", CUP)
        assert (drawn["already"], drawn["trial"], drawn["rounds"], drawn["sat_out"]) == (already, False, [1], [])
        assert len(drawn["draw"]["tables"]) == 2
    games = {"1.1": "cup-r1-t01", "1.2": "cup-r1-t02"}
    assert told("start", CUP, "--dry-run") == {
        "tournament": CUP, "started": games, "already": [], "waiting": {}, "dry_run": True,
    }  # fmt: skip
    assert told("start", CUP)["started"] == games
    assert told("start", CUP)["already"] == ["1.1", "1.2"]
    shown = told("show", CUP)
    assert (shown["state"], shown["entrants"]) == ("running", {"playing": 12})
    assert [table["game"] for table in shown["rounds"][0]["tables"]] == list(games.values())
    file.write_text(ONE_HEAT.replace("The Cup", "The Great Cup"), encoding="utf-8")
    amended = told("amend", CUP, "settings", str(file), "--why", "greater")
    assert (amended["changed"], amended["dry_run"]) == (["title: The Cup → The Great Cup"], False)
    assert told("amend", CUP, "settings", str(file), "--why", "greater")["changed"] == []
    for already in (False, True):
        assert told("cancel", CUP, "--why", "No.") == {
            "tournament": CUP, "state": "cancelled", "already": already, "dry_run": False,
        }  # fmt: skip


def test_what_a_draw_and_a_start_come_to_is_said_in_words(mentat: Mentat, place: World, file: Path) -> None:
    for words in (("new", CUP, str(file)), ("open", CUP)):
        mentat("tournament", *words)
    entered(place, 13)
    tried = mentat("tournament", "draw", CUP, "--sit-out", "E013", "--dry-run").out
    assert tried.startswith(
        "Nothing was done. It would be:\nRound 1 of cup (heat): 12 entrants at 2 tables.\n  sat out     E013\n"
    )
    assert "The real draw decides who sits where; a dry run uses a different seed." in tried
    assert "table 1.1" not in tried
    drawn = mentat("tournament", "draw", CUP, "--sit-out", "E013").out
    lines = drawn.splitlines()
    assert lines[:2] == ["Round 1 of cup (heat): 12 entrants at 2 tables.", "  sat out     E013"]
    assert [line.split()[:2] for line in lines[-2:]] == [["table", "1.1"], ["table", "1.2"]]
    assert mentat("tournament", "start", CUP).out == (
        "table 1.1 begins as cup-r1-t01\ntable 1.2 begins as cup-r1-t02\n"
        "Their letters go out with `mentat run` or `mentat send`.\n"
    )
    assert mentat("tournament", "start", CUP).out == "All 2 tables have already begun; nothing was done.\n"
    file.write_text(ONE_HEAT.replace("The Cup", "The Great Cup"), encoding="utf-8")
    amended = mentat("tournament", "amend", CUP, "settings", str(file), "--why", "greater").out
    assert amended.startswith("title: The Cup → The Great Cup\n  settings    ")
    assert mentat("tournament", "cancel", CUP, "--why", "No.").out == "cup is cancelled.\n"
    assert mentat("tournament", "cancel", CUP, "--why", "No.").out == "cup was already cancelled; nothing was done.\n"
