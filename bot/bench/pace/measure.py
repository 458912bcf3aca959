"""Many games, and what a game comes to: days, stops a turn, letters a player."""

from __future__ import annotations

import statistics
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bot.bench.pace.game import Lasted, play_game
from bot.orders.commands import LettersMode

TURNS = 10
STEP_HOURS = 24.0
MOST_LETTERS_AT_STEADY = 4.0
"""Letters to a player in a turn besides answers, at steady with sheets and ``letters wanted``."""
LONGEST_AT_STEADY = 70.0
"""Days of a game of ten turns at steady, half of the games at most."""


@dataclass(frozen=True, slots=True)
class Paced:
    """What games at one tempo come to, with sheets or without. ``phases`` are the days of a game spent in each phase;
    ``letters`` come to a player unasked, ``answers`` for mails of their own."""

    tempo: str
    sheets: bool
    mode: LettersMode
    games: int
    median_days: float
    worst_days: float
    stops_a_turn: float
    letters_a_turn: float
    letters_a_day: float
    answers_a_turn: float
    missed_a_turn: float
    phases: dict[str, float]


def pace(
    tempo: str, games: int, *, sheets: bool, ruleset: str = "wbc-2018", turns: int = TURNS, mode: LettersMode = "all"
) -> Paced:  # fmt: skip
    """Play so many whole games at a tempo. A game that is won before its last turn is played again with other luck."""
    found: list[Lasted] = []
    with tempfile.TemporaryDirectory(prefix="mentat-pace-") as folder:
        number = 0
        while len(found) < games:
            lasted = play_game(Path(folder), f"{number}", ruleset, tempo, turns, STEP_HOURS, sheets=sheets, mode=mode)
            number += 1
            if lasted.turns == turns:
                found.append(lasted)
    return summed(tempo, found, sheets=sheets, mode=mode)


def summed(tempo: str, found: Sequence[Lasted], *, sheets: bool, mode: LettersMode = "all") -> Paced:
    """The games together."""
    turns, days = sum(game.turns for game in found), sum(game.days for game in found)
    phases: dict[str, float] = {}
    for game in found:
        for phase, hours in game.hours.items():
            phases[phase] = phases.get(phase, 0.0) + hours / 24 / len(found)
    players = found[0].players

    def each(values: int) -> float:
        return round(values / turns / players, 2)

    letters = sum(game.letters for game in found)
    return Paced(
        tempo, sheets, mode, len(found),
        median_days=round(statistics.median(game.days for game in found), 1),
        worst_days=round(max(game.days for game in found), 1),
        stops_a_turn=round(sum(sum(game.stops.values()) for game in found) / turns, 1),
        letters_a_turn=each(letters),
        letters_a_day=round(letters / days / players, 2),
        answers_a_turn=each(sum(game.answers for game in found)),
        missed_a_turn=each(sum(game.missed for game in found)),
        phases={phase: round(phases[phase], 1) for phase in sorted(phases, key=phases.__getitem__, reverse=True)},
    )  # fmt: skip
