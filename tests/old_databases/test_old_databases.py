"""Tests that databases of every schema since version 1.0.0 are upgraded when opened, and that their games go on.

``make.py`` documents their contents and how they were made. The first Mentat made ``GROWN``, and each later schema
upgraded it. A game that a corrected ruling changes is held with a notice, as it would be for its game master;
``CORRECTED`` lists the reasons.
"""

from __future__ import annotations

import lzma
from collections.abc import Callable, Iterator
from datetime import datetime
from functools import cache
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext

from bot.games import proof
from bot.games.proof import check_running_games
from bot.record.lines import Decided
from bot.record.reader import difference_from_rules, read_record
from bot.store import acts, games
from bot.store.archive import record_lines
from bot.store.database import open_database, reading, writing
from bot.store.games import seats_of
from bot.store.glance import schema_steps
from bot.store.record import stored_lines
from bot.store.rows import METADATA
from tests.moderator.table import GAME_MASTER, World
from tests.old_databases.make import ARBITER, CLERK, CUP, FINISHED, OBSERVER, RUNNING, SECOND

HERE = Path(__file__).parent
GROWN = "0012-grown"
"""Its games have no record and no sheets, and their letters have reply tokens."""
SCHEMAS = [step.schema for step in schema_steps("")]
KEPT = sorted(file.name.partition(".")[0] for file in HERE.glob("*.db.xz"))

CORRECTED: dict[tuple[str, str], str] = {}
"""The rules decision for which each game of a schema is now held."""


@pytest.fixture(params=KEPT)
def schema(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def renewed(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], bytes]:
    """Return a function for a schema's database after the current Mentat has opened it."""

    @cache
    def database(schema: str) -> bytes:
        file = tmp_path_factory.mktemp(schema) / "mentat.db"
        file.write_bytes(lzma.decompress((HERE / f"{schema}.db.xz").read_bytes()))
        open_database(file).dispose()
        return file.read_bytes()

    return database


@pytest.fixture
def old(schema: str, renewed: Callable[[str], bytes], tmp_path: Path) -> Iterator[World]:
    """Yield the current Mentat on a database of that schema, at the time of its last mail."""
    (tmp_path / "mentat.db").write_bytes(renewed(schema))
    world = World.at(tmp_path)
    with reading(world.engine) as conn:
        last = conn.exec_driver_sql("SELECT max(received_at) FROM message").scalar_one()
    world.now = datetime.fromisoformat(last)
    yield world
    world.engine.dispose()


def wait_for_turn(world: World, turn: int) -> None:
    """Let time pass in the running game, with nobody writing, until that turn begins."""
    for _ in range(300):
        if world.table(RUNNING).play.state.turn >= turn:
            return
        world.wait(24)
    raise AssertionError(f"turn {turn} was never reached")


def test_there_is_a_database_of_every_schema() -> None:
    assert sorted(set(KEPT) - {GROWN}) == SCHEMAS


def test_an_old_database_gets_the_tables_that_are_declared(old: World) -> None:
    with reading(old.engine) as conn:
        assert compare_metadata(MigrationContext.configure(conn), METADATA) == []


@pytest.mark.parametrize("game", [FINISHED, RUNNING])
def test_the_record_of_an_old_game_holds_or_a_corrected_ruling_changes_it(old: World, schema: str, game: str) -> None:
    with reading(old.engine) as conn:
        found = proof.verify(proof.full_record(conn, game))
    assert found.holds == ((schema, game) not in CORRECTED), found.difference


@pytest.mark.parametrize("writes", [False, True])
def test_a_finished_game_gets_its_record_when_it_is_asked_for(old: World, schema: str, writes: bool) -> None:
    if (schema, FINISHED) in CORRECTED:
        pytest.skip("its log leads to something else today")
    with (writing if writes else reading)(old.engine) as conn:
        asked = record_lines(conn, FINISHED)
    with reading(old.engine) as conn:
        again, kept, found = (
            record_lines(conn, FINISHED),
            stored_lines(conn, FINISHED),
            proof.full_record(conn, FINISHED),
        )
    assert asked == again
    assert bool(kept) == (writes or schema != GROWN)
    record = read_record(asked)
    assert difference_from_rules(record) == ""
    assert record.head.game == FINISHED
    assert {line.day for line in record.lines if isinstance(line, Decided)} != {None}
    assert proof.verify(found).holds


def test_a_running_game_gets_its_record_so_far_when_it_goes_on(old: World, schema: str) -> None:
    if (schema, RUNNING) in CORRECTED:
        pytest.skip("it is held")
    with reading(old.engine) as conn:
        before = record_lines(conn, RUNNING)
        had = games.game_start(conn, RUNNING)
    old.wait(24)
    with reading(old.engine) as conn:
        after, found = record_lines(conn, RUNNING), proof.full_record(conn, RUNNING)
    assert after.startswith(before)
    assert (had.head == "") == (schema == GROWN)
    assert len(after) > len(before)
    assert proof.verify(found).holds
    wait_for_turn(old, 3)
    with reading(old.engine) as conn:
        assert proof.verify(proof.full_record(conn, RUNNING)).difference == ""


def test_a_finished_game_is_opened_and_its_letters_are_still_there(old: World) -> None:
    table = old.table(FINISHED)
    assert table.status == "over"
    assert table.play.over
    assert table.play.state.winners
    for faction in table.seats:
        assert any(FINISHED in letter.subject for letter in old.letters(faction))


def test_a_running_game_goes_on_with_an_order_or_is_held_with_a_notice(old: World, schema: str) -> None:
    problems = check_running_games(old.moderator.open_games, old.now)
    if (schema, RUNNING) in CORRECTED:
        assert [RUNNING in problem for problem in problems] == [True]
        assert f"{RUNNING} is stopped" in old.newest(GAME_MASTER).text
        return
    assert problems == []
    (bidder,) = (faction for faction, kinds in old.asked(RUNNING).items() if "bid" in kinds)
    before = old.table(RUNNING)
    verdict = old.say(bidder, old.line(bidder, "bid", game=RUNNING), game=RUNNING)
    assert verdict.disposition == "orders"
    assert old.newest(bidder).subject != "" or old.table(RUNNING).seats[bidder].taken
    after = old.table(RUNNING)
    assert after.entries > before.entries
    with reading(old.engine) as conn:
        assert proof.verify(proof.full_record(conn, RUNNING)).holds


def test_a_running_game_that_rules_change_is_held_with_a_notice_and_its_players_are_told(old: World) -> None:
    with writing(old.engine) as conn:  # as if the new rules told one event more
        last = "SELECT max(number) FROM event WHERE game_id = 'running'"
        conn.exec_driver_sql(f"DELETE FROM event WHERE game_id = 'running' AND number = ({last})")
        conn.exec_driver_sql("UPDATE game SET rules_digest = 'of other rules'")
    (problem,) = check_running_games(old.moderator.open_games, old.now)
    assert problem.startswith(f"{RUNNING} is stopped")
    assert f"{RUNNING} is stopped" in old.newest(GAME_MASTER).text
    before = old.table(RUNNING).entries
    old.say("fremen", "pass", game=RUNNING)
    assert "The game is held" in " ".join(old.newest("fremen").text.split())
    assert old.table(RUNNING).entries == before


def test_deadlines_carry_a_running_game_into_its_next_turn_and_every_player_is_told(old: World, schema: str) -> None:
    if (schema, RUNNING) in CORRECTED:
        return
    written = {faction: len(old.letters(faction)) for faction in old.table(RUNNING).seats}
    wait_for_turn(old, 3)
    for faction, letters in written.items():
        assert len(old.letters(faction)) > letters
    with reading(old.engine) as conn:
        assert proof.verify(proof.full_record(conn, RUNNING)).holds


def test_letters_on_the_way_and_mail_that_was_kept_are_still_there(old: World) -> None:
    with reading(old.engine) as conn:
        unsent = conn.exec_driver_sql("SELECT count(*) FROM letter WHERE sent_at IS NULL").scalar_one()
        sent = conn.exec_driver_sql("SELECT count(*) FROM letter WHERE sent_at IS NOT NULL").scalar_one()
    assert unsent
    assert sent
    assert {"orders", "rejected"} <= {disposition for disposition, _ in old.messages()}


def test_letters_that_went_out_before_come_back_to_the_token_that_they_had(old: World, schema: str) -> None:
    with reading(old.engine) as conn:
        seats = seats_of(conn, RUNNING)
    assert all((seat.token == seat.bounce_token) == (schema == GROWN) for seat in seats.values())


def test_sheets_and_absences_are_kept(old: World, schema: str) -> None:
    if schema == GROWN:
        return
    table = old.table(RUNNING)
    assert [filed.text for filed in table.sheets["fremen"].active()] == ["standing: charity", "standing: no revival"]
    assert [filed.text for filed in table.sheets["atreides"].active()] == ["when card 2: bid 1"]
    assert set(table.absences) == {"atreides"}


def test_an_observer_and_a_second_address_are_kept(old: World, schema: str) -> None:
    if schema == GROWN:
        return
    if (schema, RUNNING) not in CORRECTED:
        wait_for_turn(old, 3)
    assert old.letters(OBSERVER)
    assert any("is over" in letter.subject for letter in old.letters(OBSERVER))
    raw = old.mail("guild", "status", sender=SECOND, game=RUNNING)
    assert old.moderator.deliver(raw, old.now).disposition == "orders"


def test_acts_and_rights_of_a_game_and_a_tournament_are_kept(old: World, schema: str) -> None:
    if schema < "0013":
        return
    with reading(old.engine) as conn:
        assert [act.what for act in acts.acts_of(conn, game_id=RUNNING)] == ["observe", "grant"]
        assert [act.what for act in acts.acts_of(conn, tournament_id=CUP)] == ["new", "grant"]
        there = [*acts.rights_of(conn, game_id=RUNNING), *acts.rights_of(conn, tournament_id=CUP)]
        assert [(who.address, who.right) for who in there] == [(CLERK, "clerk"), (ARBITER, "arbiter")]
