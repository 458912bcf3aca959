"""Tests that a game ended early, by an announced last turn or at once, is replayed and recorded like any other."""

from __future__ import annotations

import random
import re
from typing import Literal

import pytest

from bot.archive.games import FinishedGame, play_steps
from bot.record.dune import write_dune
from bot.record.dune_reader import read_dune
from bot.record.lines import Decided
from bot.record.reader import NotARecord, difference_from_rules, outcome_of, read_record
from rules.cards.promises import _ends_now
from rules.components import FACTIONS, KARAMA, Faction
from rules.engine.catalogue import load_rule_set
from rules.engine.invariants import InvariantBroken, check_invariants
from rules.engine.log import Entry, LastTurn, Stopped
from rules.engine.play import Play
from rules.orders.readings import PlayCard
from rules.random_players import RandomPlayer, random_game, random_seats
from rules.state.events import Event
from rules.state.state import Promise, Scope
from tests.archive.records import of_log

RULE_SETS = ["wbc-2018", "ah-basic", "gf9-advanced"]


def played(ruleset: str, seed: str, *, at: int, decides: Entry) -> Play:
    """Return a random game in which the game master makes a decision after `at` log entries."""
    rules, seats = load_rule_set(ruleset), random_seats(seed, FACTIONS)
    log = random_game(rules, seed, FACTIONS).log
    play = Play.start(rules, seed, seats)
    play.replay(log[: min(at, len(log) - 1)])
    play.replay([decides])
    play.advance()
    dice = random.Random(seed)
    while not play.over:
        play.expire([question.key for question in dice.sample(play.questions(), 1)])
        play.advance()
    return play


def test_two_traitors_count_for_both_sides_and_other_battles_without_a_winner_for_none() -> None:
    def told(kind: str, **facts: object) -> Event:
        return Event(0, 2, "battle", kind, facts)

    outcome = outcome_of([
        told("battle-without-winner", why="two traitors", sides=["guild", "fremen"]),
        told("battle-without-winner", why="lasgun and shield", sides=["guild", "fremen"]),
        told("battle-won", winner="guild", by="treachery"),
        told("battle-won", winner="fremen", by="battle"),
    ])  # fmt: skip
    assert (outcome.traitors, outcome.turn, outcome.winners) == ({"guild": 2, "fremen": 1}, 2, ())


@pytest.mark.clause("AH.V-a")
@pytest.mark.parametrize("ruleset", RULE_SETS)
@pytest.mark.parametrize("seed", ["one", "two", "three"])
def test_the_announced_last_turn_ends_the_game_and_replays(ruleset: str, seed: str) -> None:
    play = played(ruleset, seed, at=40, decides=LastTurn(3))
    assert play.state.turn <= 3
    assert play.state.winners
    again = Play.start(play.game.rules, seed, {f: p.dot for f, p in play.state.players.items()})
    again.replay(play.log)
    assert again.events == play.events
    told = [event for event in play.events if event.kind == "last-turn"]
    assert [(event.audience, event.facts["turn"]) for event in told] == [(None, 3)]


@pytest.mark.parametrize("ruleset", RULE_SETS)
@pytest.mark.parametrize("seed", ["four", "five"])
def test_a_random_game_keeps_its_invariants_when_a_last_turn_comes_at_any_moment(ruleset: str, seed: str) -> None:
    dice, player = random.Random(seed + ruleset), RandomPlayer(seed)
    play = Play.start(load_rule_set(ruleset), seed, random_seats(seed, FACTIONS))
    told_after, ahead = dice.randrange(150), dice.randrange(3)
    acted = 0
    while not play.over:
        if acted == told_after:
            play.announce_last_turn(max(1, play.state.turn) + ahead)
        player.act(play)
        check_invariants(play.game)
        acted += 1
    last = play.state.last_turn
    assert last == 0 or play.state.turn <= last
    assert last
    snapshot, entries = play.snapshot, play.log[play.snapshot.entries :]
    resumed = Play.resume(play.game.rules, seed, snapshot, entries)
    assert (resumed.state.winners, resumed.state.last_turn) == (play.state.winners, last)


@pytest.mark.clause("WBC.AID.8")
def test_what_was_promised_for_this_game_is_due_in_the_turn_that_was_announced_as_the_last() -> None:
    play = Play.start(load_rule_set("wbc-2018"), "due", random_seats("due", FACTIONS))
    promise = Promise(
        "guild", "fremen", "Will you play a Karama in this game?", "yes", 0, Scope(1, 10), PlayCard((KARAMA,))
    )  # fmt: skip
    play.state.turn = 4
    assert not _ends_now(play.game, promise)
    play.state.last_turn = 4
    assert _ends_now(play.game, promise)


@pytest.mark.parametrize(
    ("decides", "kind"),
    [
        (LastTurn(2), ""), (Stopped("void"), "void"), (Stopped("agreed", ("guild", "fremen")), "agreed"),
        (Stopped("adjudicated", ("emperor",)), "adjudicated"),
    ],
)  # fmt: skip
def test_what_the_game_master_decided_stands_in_both_records(decides: Entry, kind: str) -> None:
    play = played("wbc-2018", "records", at=30, decides=decides)
    record = of_log("wbc-2018", "records", FACTIONS, play.log, acts=False)
    assert difference_from_rules(read_record(record)) == ""
    text = write_dune(read_record(record))
    assert "game master: " in text
    again, _ = read_dune(text.encode())
    assert write_dune(again) == text
    assert [line for line in again.lines if isinstance(line, Decided)][30].entry == decides
    outcome = outcome_of(play.events)
    assert not kind or outcome.kind == kind
    assert set(outcome.winners) == set(play.state.winners)
    lines = read_record(record).lines
    seen = list(play_steps(FinishedGame("g", record, lines, {}), "records"))
    assert seen[-1].phase == "over"
    assert seen[-1].views["public"]["winner"] == list(play.state.winners)


@pytest.mark.parametrize("said", ["last turn", "last turn x", "adjudicate guild", "agreed ixians"])
def test_what_a_game_master_cannot_decide_is_told_with_its_line(said: str) -> None:
    play = played("wbc-2018", "records", at=30, decides=Stopped("void"))
    text = write_dune(read_record(of_log("wbc-2018", "records", FACTIONS, play.log, acts=False)))
    with pytest.raises(NotARecord, match=r"Line \d+: "):
        read_dune(re.sub(r"game master: +void", f"game master: {said}", text).encode())


@pytest.mark.parametrize(
    ("last", "why"), [(0, "already over"), (15, "already the last"), (16, "already the last")]
)  # fmt: skip
def test_a_turn_that_cannot_be_the_last_is_refused(last: int, why: str) -> None:
    play = Play.start(load_rule_set("wbc-2018"), "refused", random_seats("refused", FACTIONS))
    with pytest.raises(ValueError, match=why):
        play.announce_last_turn(last)
    assert not play.log


@pytest.mark.parametrize(
    ("how", "winners", "why"),
    [("void", ("guild",), "no winners"), ("agreed", (), "must have winners"), ("agreed", ("ixians",), "Nobody plays")],
)
def test_an_end_that_does_not_fit_is_refused(how: str, winners: tuple[Faction, ...], why: str) -> None:
    play = Play.start(load_rule_set("wbc-2018"), "refused", random_seats("refused", FACTIONS))
    with pytest.raises(ValueError, match=why):
        play.stop(how, winners)  # type: ignore[arg-type]  # a caller may have read it from anywhere
    play.stop("void")
    with pytest.raises(ValueError, match="over"):
        play.stop("void")
    with pytest.raises(ValueError, match="over"):
        play.announce_last_turn(5)


@pytest.mark.parametrize(("last", "why"), [(-1, "already over"), (0, "already over"), (99, "already the last")])
def test_a_last_turn_that_is_past_or_would_come_no_earlier_is_refused(last: int, why: str) -> None:
    play = Play.start(load_rule_set("wbc-2018"), "too late", random_seats("too late", FACTIONS))
    with pytest.raises(ValueError, match=why):
        play.announce_last_turn(last)
    assert play.state.last_turn in (None, 0)


@pytest.mark.parametrize("how", ["agreed", "adjudicated", "void"])
def test_a_game_that_is_stopped_is_sound_with_and_without_winners(
    how: Literal["agreed", "adjudicated", "void"],
) -> None:
    play = Play.start(load_rule_set("wbc-2018"), "stopped", random_seats("stopped", FACTIONS))
    play.stop(how, () if how == "void" else ("guild",))
    check_invariants(play.game)


def test_a_game_that_is_over_without_a_winner_and_is_not_void_is_unsound() -> None:
    play = Play.start(load_rule_set("wbc-2018"), "stopped", random_seats("stopped", FACTIONS))
    play.state.phase = "over"
    with pytest.raises(InvariantBroken, match="winners"):
        check_invariants(play.game)
