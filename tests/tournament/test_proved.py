"""Entrants can prove a round's and a tournament's results with a checksum and the games' records."""

from __future__ import annotations

import re
from pathlib import Path

from bot.store.archive import record_of
from bot.store.database import reading
from bot.tournament import results, rounds
from bot.tournament.desk import Caller, acting
from tests.cli.conftest import Mentat
from tests.moderator.table import World
from tests.tournament.cup import CUP, SECRET, Entered, make
from tests.tournament.test_whole_events import BY, HEATS


def words(cup: Entered, number: int) -> str:
    return " ".join(cup.letters(number)[-1].text.split())


def won_by_guild(mentat: Mentat, place: World) -> Entered:
    """Play an event with one round and one table until its game has ended."""
    make(place, HEATS.format(heats=1, semifinal=0).replace("final = 6", "final = 0"), SECRET)
    cup = Entered(place)
    assert mentat("tournament", "open", CUP).code == 0
    cup.enter(6)
    cup.draw()
    cup.start()
    with acting(Caller(cup.open_games, place.now), CUP) as (session, _):
        rounds.end_game(session, "cup-r1-t01", "agreed", ["guild"])
    cup.tick(1)
    return cup


def test_a_round_that_is_closed_and_the_end_can_be_checked_with_what_the_letters_say(
    mentat: Mentat, place: World, tmp_path: Path
) -> None:
    cup = won_by_guild(mentat, place)
    caller = Caller(cup.open_games, place.now, BY)
    rounds.close_round(caller, CUP, 1)
    told = words(cup, 1)
    assert "Round 1 of The Cup is closed" in told
    assert "in the standings, with" in told
    assert "It was the last round" in told
    said = re.search(r"the sum of round 1 is ([0-9a-f]{64})", told)
    head = re.search(r"The record of your game cup-r1-t01 ends with ([0-9a-f]{64})", told)
    assert said
    assert head
    cup.tick(80)
    assert cup.cup.state == "finished"
    whole = re.search(r"The sum of that file is ([0-9a-f]{64})", words(cup, 1))
    assert whole
    file, records = tmp_path / "cup.json", tmp_path / "records"
    assert mentat("tournament", "export", CUP, str(file)).code == 0
    (records / "cup-r1-t01").mkdir(parents=True)
    with reading(place.engine) as conn:
        kept = record_of(conn, "cup-r1-t01")
    record = records / "cup-r1-t01" / "game.jsonl"
    record.write_bytes(kept)
    alone = mentat("tournament", "verify", str(file)).out
    assert "Taken on trust: the winners of 1.1, whose records are missing." in alone
    for letter in (said[1], whole[1]):
        ran = mentat("tournament", "verify", str(file), "--records", str(records), "--sum", letter)
        assert (ran.code, ran.err) == (0, "")
        assert "Proved by records: the winners of 1 of 1 table." in ran.out
        assert "Taken on trust: nothing." in ran.out
    assert mentat("tournament", "verify", str(file), "--sum", "ab" * 32).code == 1
    record.write_bytes(kept.replace(b'"winners":["guild"]', b'"winners":["fremen"]'))
    assert mentat("tournament", "verify", str(file), "--records", str(records)).code == 1


def test_a_result_that_a_director_changed_is_taken_on_trust_and_not_called_forged(
    mentat: Mentat, place: World, tmp_path: Path
) -> None:
    cup = won_by_guild(mentat, place)
    caller = Caller(cup.open_games, place.now, BY)
    results.amend_result(caller, CUP, "1.1", results.ResultChanges(winners=("fremen",)))
    file, record = tmp_path / "cup.json", tmp_path / "records" / "cup-r1-t01" / "game.jsonl"
    assert mentat("tournament", "export", CUP, str(file)).code == 0
    record.parent.mkdir(parents=True)
    with reading(place.engine) as conn:
        record.write_bytes(record_of(conn, "cup-r1-t01"))
    ran = mentat("tournament", "verify", str(file), "--records", str(tmp_path / "records"))
    assert (ran.code, ran.err) == (0, "")
    assert "Taken on trust: the winners of 1.1, which an act of the organisers changed." in ran.out
