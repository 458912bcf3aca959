"""Tests for a game's outcome as made public, and for the sentence about the first difference from its record."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from bot.competition.outcomes import SeatOutcome, TableOutcome, Tenure
from bot.record.dune import result
from bot.record.lines import Act, AnyLine, Decided, Drawn, End, Told
from bot.record.reader import Difference, Outcome, counting_lines, difference_from_play, outcome_of, read_record
from rules.components.factions import FACTIONS
from rules.engine.catalogue import load_rule_set
from rules.engine.log import LastTurn
from rules.engine.play import Play
from rules.random_players import random_seats
from rules.state.events import Event
from tests.archive.records import KEY, recorded


def told(kind: str, turn: int, **facts: Any) -> Event:
    return Event(0, turn, "mentat", kind, facts)


GAME = [
    told("strongholds", 1, held={"guild": ["arrakeen"], "fremen": ["sietch-tabr", "tueks-sietch"]}),
    told("nexus-over", 2, alliances=[("guild", "fremen")]),
    told("battle-won", 2, winner="guild", by="treachery"),
    told("battle-won", 2, winner="fremen", by="strength"),
    told("battle-without-winner", 2, why="two traitors", sides=["guild", "atreides"]),
    told("battle-without-winner", 2, why="lasgun", sides=["fremen", "atreides"]),
    told("strongholds", 2, held={"guild": ["arrakeen", "carthag", "tueks-sietch"], "atreides": []}),
    told("nexus-over", 3, alliances=[]),
    told("game-won", 3, winners=["guild", "fremen"], how="fremen"),
]


def test_the_outcome_of_a_table_has_all_that_was_told_of_it() -> None:
    outcome = outcome_of(GAME)
    assert outcome.table("sietch-7", "ah-basic", {"guild": 14, "atreides": 2, "fremen": 8}) == TableOutcome(
        game="sietch-7", ruleset="ah-basic", kind="default", winners=("guild", "fremen"), turn=3, how="fremen",
        seats=(
            SeatOutcome(faction="atreides", dot=2, tenures=(), strongholds=0, strongholds_over_turns=0),
            SeatOutcome(faction="fremen", dot=8, tenures=(), strongholds=0, strongholds_over_turns=2),
            SeatOutcome(faction="guild", dot=14, tenures=(), strongholds=3, strongholds_over_turns=4),
        ),
        ended=None, days=0, letters=0, alliances=(), first_alliances=(("fremen", "guild"),),
        traitors={"guild": 2, "atreides": 1}, rules={},
    )  # fmt: skip
    whole = outcome.table(
        "sietch-7", "ah-basic", {"guild": 14}, names={"guild": "Edric"}, began=date(2026, 11, 1),
        ended=date(2026, 11, 9), letters=7, rules={"max_turns": 5},
    )  # fmt: skip
    assert (whole.seats[0].tenures, whole.ended, whole.days, whole.letters, whole.rules) == (
        (Tenure(entrant="Edric", first=1, last=3),), date(2026, 11, 9), 9, 7, {"max_turns": 5},
    )  # fmt: skip
    assert outcome.table("g", "ah-basic", {}, ended=date(2026, 11, 9)).days == 0
    assert outcome.table("g", "ah-basic", {}, began=date(2026, 11, 9)).days == 0


@pytest.mark.parametrize(
    ("winners", "how", "kind"),
    [
        (["guild"], "strongholds", "stronghold"), (["guild"], "most strongholds", "stronghold"),
        (["bene-gesserit"], "prediction", "prediction"), (["guild"], "guild", "default"),
        (["fremen"], "fremen", "default"), (["guild"], "agreed", "agreed"), (["guild"], "adjudicated", "adjudicated"),
        (["guild"], "something new", "stronghold"), ([], "strongholds", "void"),
    ],
)  # fmt: skip
def test_the_games_own_word_for_a_victory_says_its_kind(winners: list[str], how: str, kind: str) -> None:
    assert outcome_of([told("game-won", 4, winners=winners, how=how)]).kind == kind


def test_a_game_that_goes_on_has_reached_its_last_turn_and_nobody_has_won() -> None:
    outcome = outcome_of([told("storm", 5), told("storm", 4)])
    assert (outcome.turn, outcome.kind, outcome.winners) == (5, "void", ())
    assert Outcome().table("g", "ah-basic", {}).first_alliances == ()


def test_the_result_names_the_winners_or_nobody() -> None:
    assert result(End(turn=12, winners=("bene-gesserit", "emperor"), seed="s")) == "bene-gesserit emperor, turn 12"
    assert result(End(turn=3, winners=(), seed="s")) == "nobody, turn 3"


def line(number: int) -> Decided:
    return Decided(n=number, turn=1, phase="setup", entry=LastTurn(3))


def test_what_a_rollback_undid_does_not_count() -> None:
    drawn, event = Drawn(label="storm", size=6, got=2), Told(event=told("storm", 1))
    back = Act(what="rollback", entries=1)
    lines: list[AnyLine] = [drawn, line(0), event, line(1), event, Act(what="extend 24"), line(2), back, line(1), drawn]
    found = counting_lines(lines)
    assert [each.number for each in found] == [0, 1, 2, 8, 9]
    assert [type(each.line) for each in found] == [Drawn, Decided, Told, Decided, Drawn]
    assert [each.number for each in counting_lines([line(0), Act(what="rollback", entries=7), line(1)])] == [0, 2]
    assert [each.number for each in counting_lines([line(0), Act(what="rollback"), line(1)])] == [0, 2]


def test_the_first_difference_is_told_with_its_line() -> None:
    assert str(Difference(4, 2, b"", b"{x}")) == "line 5 should not be there: {x}"
    assert str(Difference(4, 2, b"{x}", b"")) == "after line 4 this is missing: {x}"
    assert str(Difference(4, 2, b"{x}", b"{y}")) == "line 5 should be {x}, but is {y}"


def test_a_record_is_compared_line_by_line_with_the_game_that_was_played_again() -> None:
    lines = read_record(recorded(acts=False, players=3)).lines
    play = Play.start(load_rule_set("wbc-2018"), "record", random_seats("record", FACTIONS[:3]))
    decided = [place for place, each in enumerate(lines) if isinstance(each, Decided)]
    begun = lines[: decided[5]]
    entries = [each.entry for each in begun if isinstance(each, Decided)]
    play.replay(entries)
    kept = counting_lines(begun)
    assert difference_from_play(kept, play, KEY) is None
    short, cut = difference_from_play(kept[:-1], play, KEY), difference_from_play([], play, KEY)
    assert short is not None
    assert cut is not None
    assert (short.number, short.entry, short.found) == (kept[-2].number + 1, len(entries) - 1, b"")
    assert short.expected
    assert (cut.number, cut.entry, cut.found) == (0, 0, b"")
    long = difference_from_play([*kept, kept[0]], play, KEY)
    assert long is not None
    assert (long.number, long.expected) == (kept[0].number, b"")
