"""Tournaments are made, opened, changed and cancelled; refusals name the valid options."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from bot.competition.published import TournamentState
from bot.competition.settings import SettingsRefused, settings_digest
from bot.desk.new_game import GuessableSeed
from bot.games.open_games import OpenGames
from bot.store import acts, tournament_rounds, tournaments
from bot.store.database import DatabaseUnavailable, reading, writing
from bot.store.tournament_rounds import Round
from bot.store.tournaments import Paper, Tournament
from bot.tournament import calendar, desk, preparation
from bot.tournament.desk import By, Caller, Refused
from rules.components.facts import data_folder
from tests.moderator.table import CONFIG, START, World
from tests.tournament.cup import CUP, SETTINGS, enter, make

BEACON = SETTINGS + 'beacon = "the lottery"\nbeacon_date = "2025-02-01"\n'


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World.at(tmp_path)


def cup(world: World) -> Tournament:
    with reading(world.engine) as conn:
        return tournaments.find_tournament(conn, CUP)


def open_cup(world: World, until: datetime | None = None) -> preparation.OpenedEntries:
    return preparation.open_entries(Caller(world.moderator.open_games, world.now), CUP, until=until)


def commands(world: World) -> list[str]:
    with reading(world.engine) as conn:
        return [act.what for act in acts.acts_of(conn, tournament_id=CUP)]


def test_the_settings_are_frozen_by_their_hash_and_the_secret_is_committed_to(world: World) -> None:
    made = make(world, secret="spice-must-flow")
    assert made.commitment == "85b2feb771fe1406f15bb836019d48f6ce8e7fc48295d3de8b8f85a44accbd02"
    assert made.settings_digest == hashlib.sha256(SETTINGS.encode()).hexdigest()
    assert (made.state, made.text) == ("draft", SETTINGS)
    assert commands(world) == ["new"]


def test_what_is_due_is_looked_for_only_where_there_is_a_tournament(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked: list[datetime] = []
    monkeypatch.setattr(calendar, "WORK", (lambda _, now: looked.append(now),))
    calendar.tick(world.moderator.open_games, world.now)
    assert looked == []
    make(world)
    calendar.tick(world.moderator.open_games, world.now)
    assert looked == [world.now]


def test_what_fails_of_what_is_due_stops_nothing_else_but_without_the_database_nothing_is_done(
    world: World, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    make(world)
    looked: list[datetime] = []

    def fail(_: OpenGames, now: datetime) -> None:
        raise RuntimeError("a fault")

    def lose(_: OpenGames, now: datetime) -> None:
        raise DatabaseUnavailable("the server is gone")

    monkeypatch.setattr(calendar, "WORK", (fail, lambda _, now: looked.append(now)))
    calendar.tick(world.moderator.open_games, world.now)
    assert looked == [world.now]
    assert [record.getMessage() for record in caplog.records] == ["fail failed and will be retried"]
    monkeypatch.setattr(calendar, "WORK", (lose, lambda _, now: looked.append(now)))
    with pytest.raises(DatabaseUnavailable):
        calendar.tick(world.moderator.open_games, world.now)
    assert looked == [world.now]


def test_a_table_that_fails_does_not_stop_the_others_but_the_loss_of_the_database_does(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with desk.guarded("the notice", "cup-1-1"):
        raise RuntimeError("a fault")
    assert [record.getMessage() for record in caplog.records] == ["the notice failed for cup-1-1 and will be retried"]
    with pytest.raises(DatabaseUnavailable), desk.guarded("the notice", "cup-1-1"):
        raise DatabaseUnavailable("the server is gone")


def test_a_secret_that_is_left_out_has_256_bits_and_no_two_are_alike(world: World) -> None:
    open_games = world.moderator.open_games
    one = preparation.new_tournament(Caller(open_games, world.now), "one", SETTINGS).tournament
    two = preparation.new_tournament(Caller(open_games, world.now), "two", SETTINGS).tournament
    assert len(bytes.fromhex(one.secret)) == 32
    assert one.secret != two.secret


def test_a_secret_that_could_be_guessed_is_refused_where_letters_leave_the_machine(tmp_path: Path) -> None:
    sends = '[smtp]\nkind = "smtp"\nhost = "mail.arrakis.example"\n'
    (tmp_path / "config.toml").write_text("", encoding="utf-8")
    world = World.at(tmp_path, CONFIG.replace('[smtp]\nkind = "directory"\ndirectory = "outgoing"\n', sends))
    with pytest.raises(GuessableSeed, match="--secret"):
        make(world, secret="spice-must-flow")


def test_the_same_again_is_nothing_new_and_other_settings_under_the_same_name_are_refused(world: World) -> None:
    make(world)
    again = preparation.new_tournament(Caller(world.moderator.open_games, world.now), CUP, SETTINGS)
    assert again.already
    assert commands(world) == ["new"]
    with pytest.raises(Refused, match="amend cup settings FILE"):
        make(world, SETTINGS + "rated = false\n")


@pytest.mark.parametrize("name", ["", "Cup", "a b", "x" * 29, "-cup", "cup/../x", "cup\n"])
def test_an_id_is_a_short_name(world: World, name: str) -> None:
    with pytest.raises(Refused, match="lower-case letters"):
        preparation.new_tournament(Caller(world.moderator.open_games, world.now), name, SETTINGS)


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ('[tables]\nruleset = "chess"\n', "chess"),
        ('[tables]\ntempo = "allegro"\n', "allegro"),
        ("[tables]\noptions = { spice_everywhere = 1 }\n", "spice_everywhere"),
        ('[tables]\nclock = { due_at = "noon" }\n', "due_at"),
        ('formt = "heats"\n', "formt"),
    ],
)
def test_what_no_game_could_be_played_by_is_refused_at_once(world: World, settings: str, told: str) -> None:
    with pytest.raises(SettingsRefused, match=told):
        make(world, 'title = "The Cup"\n' + settings)


@pytest.mark.parametrize("example", sorted(path.stem for path in (data_folder() / "tournaments").glob("*.toml")))
def test_each_example_works_as_it_stands_and_says_what_each_setting_does(world: World, example: str) -> None:
    text = (data_folder() / "tournaments" / f"{example}.toml").read_text(encoding="utf-8")
    made = preparation.new_tournament(Caller(world.moderator.open_games, world.now), "cup", text).tournament
    assert made.settings.format == {"wbc": "heats"}.get(example, example)
    for line in text.splitlines():
        assert not line or line[0] in "#[" or "#" in line or line.split(" =")[0] in (
            "title", "format", "rated", "tie_breaks", "beacon", "beacon_date", "witness",
        ), line  # fmt: skip


def test_an_opened_tournament_takes_entries_and_announces_its_beacon(world: World) -> None:
    make(world, BEACON)
    until = START + timedelta(days=30)
    opened = open_cup(world, until)
    assert (opened.tournament.state, opened.tournament.until, opened.already) == ("open", until, False)
    with reading(world.engine) as conn:
        words = acts.acts_of(conn, tournament_id=CUP)[-1].words
    assert "the lottery, of 2025-02-01" in words
    assert open_cup(world, until).already
    assert commands(world) == ["new", "open"]


def test_a_beacon_that_is_known_when_entries_open_or_close_is_refused(world: World) -> None:
    make(world, BEACON)
    with pytest.raises(Refused, match="before entries close"):
        open_cup(world, datetime(2025, 2, 20, tzinfo=UTC))
    world.now = datetime(2025, 2, 1, 9, tzinfo=UTC)
    with pytest.raises(Refused, match="must not exist yet"):
        open_cup(world)
    assert cup(world).state == "draft"


def test_entries_cannot_close_in_the_past(world: World) -> None:
    make(world)
    with pytest.raises(Refused, match="past"):
        open_cup(world, START - timedelta(days=1))


def test_entries_that_close_on_another_day_are_told_to_all_who_have_confirmed(world: World) -> None:
    make(world)
    open_cup(world)
    enter(world, "ann", "bob")
    with writing(world.engine) as conn:
        tournaments.change_entrant(conn, CUP, 2, state="entered")
    until = START + timedelta(days=30)
    world.now += timedelta(days=1)
    assert not open_cup(world, until).already
    [letter] = world.letters()
    assert letter.recipient == "ann@players.example"
    assert f"{until:%Y-%m-%d %H:%M}Z" in " ".join(letter.text.split())
    assert (cup(world).until, cup(world).opened_at) == (until, START)
    assert open_cup(world).already
    assert len(world.letters()) == 1
    assert commands(world) == ["new", "open", "open"]


@pytest.mark.parametrize("state", ["drawn", "running", "finished", "cancelled"])
def test_what_was_opened_long_ago_is_not_opened_again_and_what_can_be_done_is_said(world: World, state: str) -> None:
    make(world)
    with writing(world.engine) as conn:
        tournaments.touch(conn, CUP, state=state)
    with pytest.raises(Refused, match=f"cup is {state}: only a draft can be opened"):
        open_cup(world)


def test_settings_that_were_edited_behind_the_desk_are_refused(world: World) -> None:
    make(world)
    with writing(world.engine) as conn:
        tournaments.touch(conn, CUP, settings=SETTINGS + "rated = false\n")
    with pytest.raises(Refused, match="not those that were frozen"):
        open_cup(world)


def test_a_dry_run_changes_nothing(world: World) -> None:
    make(world)
    preparation.open_entries(Caller(world.moderator.open_games, world.now, dry_run=True), CUP)
    assert cup(world).state == "draft"
    assert commands(world) == ["new"]


def test_what_has_changed_since_it_was_seen_is_not_acted_upon(world: World) -> None:
    make(world)
    open_cup(world)
    with pytest.raises(Refused, match="has changed since"):
        preparation.cancel_tournament(Caller(world.moderator.open_games, world.now, By(seen=0)), CUP)


def amend(world: World, text: str, why: str = "A reason.", *, force: bool = False) -> preparation.SettingsChange:
    return preparation.amend_settings(
        Caller(world.moderator.open_games, world.now, By(why=why)), CUP, text, force=force
    )


def test_a_change_of_the_settings_is_announced_with_what_was_and_what_is(world: World) -> None:
    make(world)
    open_cup(world)
    enter(world, "ann")
    changed = amend(world, SETTINGS + "[rounds]\nheats = 4\n")
    assert changed.lines == ("rounds.heats: (nothing) → 4",)
    assert cup(world).settings_digest == settings_digest(SETTINGS + "[rounds]\nheats = 4\n")
    letter = world.newest("ann@players.example").text
    assert "rounds.heats: (nothing) → 4" in letter
    assert "A reason." in letter
    assert amend(world, SETTINGS + "[rounds]\nheats = 4\n").lines == ()
    assert commands(world) == ["new", "open", "amend settings"]


def test_no_change_is_announced_without_a_reason(world: World) -> None:
    make(world)
    open_cup(world)
    with pytest.raises(Refused, match="--why"):
        amend(world, SETTINGS + "rated = false\n", why="")


def test_a_draft_is_changed_without_a_reason_and_nobody_is_told(world: World) -> None:
    make(world)
    enter(world, "ann")
    before = world.written()
    text = SETTINGS + 'tie_breaks = ["wins", "lot"]\n'
    assert amend(world, text, why="").lines[0].endswith("→ ['wins', 'lot']")
    assert (cup(world).text, world.written(), commands(world)) == (text, before, ["new", "amend settings"])


def test_a_change_before_the_draw_needs_no_force_and_is_told_to_who_confirmed_alone(world: World) -> None:
    make(world)
    open_cup(world)
    enter(world, "ann", "bob", "cid")
    with writing(world.engine) as conn:
        tournaments.change_entrant(conn, CUP, 2, state="entered")
        tournaments.change_entrant(conn, CUP, 3, state="withdrawn")
    before = world.written()
    amend(world, SETTINGS + 'tie_breaks = ["wins", "lot"]\n')
    assert [letter.recipient for letter in world.letters(after=before)] == ["ann@players.example"]
    assert commands(world)[-1] == "amend settings"


@pytest.mark.parametrize("state", ["finished", "cancelled"])
def test_the_settings_of_what_is_over_stand(world: World, state: TournamentState) -> None:
    make(world)
    with writing(world.engine) as conn:
        tournaments.touch(conn, CUP, state=state)
    before = (cup(world), commands(world), world.written())
    with pytest.raises(Refused, match=f"cup is {state}: its settings are final"):
        amend(world, SETTINGS + "rated = false\n", force=True)
    assert (cup(world), commands(world), world.written()) == before


def test_tie_breaks_and_scoring_are_changed_after_a_draw_by_force_alone_which_stays_in_the_record(world: World) -> None:
    make(world)
    with writing(world.engine) as conn:
        tournament_rounds.add_round(conn, Round(CUP, 1, "heat", "drawn", draw=b"{}"))
    for other in ('tie_breaks = ["wins", "lot"]\n', '[scoring]\nsystem = "pot-60"\n'):
        with pytest.raises(Refused, match="--force"):
            amend(world, SETTINGS + other)
    amend(world, SETTINGS + 'tie_breaks = ["wins", "lot"]\n', force=True)
    assert commands(world)[-1] == tournaments.SCORING_CHANGED
    with pytest.raises(Refused, match="can no longer be changed"):
        amend(world, SETTINGS.replace("heats", "swiss") + 'tie_breaks = ["wins", "lot"]\n', force=True)


def test_a_cancelled_tournament_tells_everybody_in_it_once(world: World) -> None:
    make(world)
    open_cup(world)
    enter(world, "ann", "bob")
    open_games = world.moderator.open_games
    assert preparation.cancel_tournament(Caller(open_games, world.now, By(why="Too few.")), CUP)
    assert not preparation.cancel_tournament(Caller(open_games, world.now), CUP)
    assert [sent.recipient for sent in world.letters()] == ["ann@players.example", "bob@players.example"]
    assert "Too few." in world.newest("ann@players.example").text
    with pytest.raises(Refused, match="cancelled"):
        open_cup(world)


def test_with_a_tournament_that_is_cancelled_all_papers_are_gone(world: World) -> None:
    make(world)
    open_cup(world)
    enter(world, "ann")
    with writing(world.engine) as conn:
        tournaments.file_paper(conn, Paper(CUP, 1, "invitation", "", world.now, until=world.now))
        tournaments.file_paper(conn, Paper(CUP, 1, "preferences", "guild, *", world.now))
    assert preparation.cancel_tournament(Caller(world.moderator.open_games, world.now, By(why="Too few.")), CUP)
    with reading(world.engine) as conn:
        assert [paper.state for paper in tournaments.papers_of(conn, CUP, state=None)] == ["gone", "gone"]


def test_the_same_again_with_the_same_secret_is_nothing_new_and_with_another_it_is_refused(world: World) -> None:
    made = make(world, secret="a secret of a draw")
    again = preparation.new_tournament(
        Caller(world.moderator.open_games, world.now), CUP, SETTINGS, secret="a secret of a draw"
    )
    assert (again.already, again.tournament) == (True, made)
    with pytest.raises(Refused, match="with other settings or another secret"):
        make(world, secret="another secret")


def test_a_clock_may_be_written_in_lists(world: World) -> None:
    made = make(world, SETTINGS + '[tables.clock]\ndays_off = ["saturday", "sunday"]\nstep_hours = 24.5\n')
    assert preparation.clock_lines(made.settings) == ["days_off=saturday,sunday", "step_hours=24.5"]


def test_entries_cannot_close_right_now(world: World) -> None:
    make(world)
    with pytest.raises(Refused, match="which is in the past"):
        open_cup(world, world.now)


def test_a_beacon_may_come_to_be_on_the_day_on_which_entries_close_and_not_before_they_open(world: World) -> None:
    make(world, BEACON)
    world.now = datetime(2025, 2, 3, tzinfo=UTC)
    with pytest.raises(Refused, match="must not exist yet"):
        open_cup(world)
    world.now = START
    assert open_cup(world, datetime(2025, 2, 1, 20, tzinfo=UTC)).tournament.state == "open"


def test_entries_that_are_open_are_not_prolonged_beyond_the_beacon(world: World) -> None:
    make(world, BEACON)
    open_cup(world, datetime(2025, 1, 20, tzinfo=UTC))
    later = datetime(2025, 2, 1, 20, tzinfo=UTC)
    assert open_cup(world, later).tournament.until == later
    for now in (world.now, datetime(2025, 2, 1, 19, tzinfo=UTC)):
        world.now = now
        with pytest.raises(Refused, match="would be known before entries close on 2025-02-02: people who enter then"):
            open_cup(world, datetime(2025, 2, 2, 9, tzinfo=UTC))
    assert cup(world).until == later
