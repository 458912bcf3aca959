"""The archive: all pages of a finished game, compared with playing its log again, and a build with nothing new."""

from __future__ import annotations

import time
from collections.abc import Sequence
from datetime import date
from functools import partial
from pathlib import Path

from bot.archive.given import Cast, Finished
from bot.archive.site import Offered, build
from bot.bench.measure import Measured, Stopwatch
from bot.record.lines import Decided, Head
from bot.record.reading import read
from bot.record.recording import whole
from rules.components import FACTIONS
from rules.components.chance import commitment
from rules.components.factions import faction_name
from rules.engine.log import Entry
from rules.engine.play import Play
from rules.engine.rule_sets import load_rule_set
from rules.selfplay.random_player import random_game, random_seats

ENDED = date(2026, 11, 22)
MOST_SECONDS = 2.4
"""What a game may take, so that a hundred are built in four minutes on one core."""


def archives(folder: Path, ruleset: str, games: int) -> list[Measured]:
    """Random games of six, each built alone into an archive that grows; then all once more, unchanged."""
    rules = load_rule_set(ruleset)
    replayed, built = Stopwatch(time.process_time), Stopwatch(time.process_time)
    offered: list[Offered[Finished]] = []
    for number in range(games):
        seed = f"archive {number}"
        log = random_game(rules, seed).log
        with replayed.running():
            Play.start(rules, seed, random_seats(seed, FACTIONS)).replay(log)
        game = _finished(ruleset, seed, log)
        offered.append(Offered(game.id, seed, partial(_loaded, game)))
        with built.running():
            build(folder, offered)
    again = Stopwatch(time.process_time)
    with again.running():
        found = build(folder, offered)
    if found.games:
        raise RuntimeError("an archive was written anew though nothing had changed")
    return [
        Measured("pages of a game", built.median * 1e3, "ms", built.median / replayed.median, "a game from log"),
        Measured("the same, at worst", built.worst, "s", built.worst / MOST_SECONDS, "what it may take", 1),
        Measured("nothing changed", again.total * 1e3, "ms", again.total / built.median, "pages of a game"),
    ]


def _loaded(game: Finished) -> Finished:
    return game


def _finished(ruleset: str, seed: str, log: Sequence[Entry]) -> Finished:
    """The game as the archive is given it."""
    seats = random_seats(seed, FACTIONS)
    name = seed.replace(" ", "-")
    head = Head(game=name, ruleset=ruleset, options={}, seats=seats, commitment=commitment(seed), day=ENDED)
    story = [Decided(n=number, entry=entry, day=ENDED) for number, entry in enumerate(log)]
    record = b"".join(line + b"\n" for line in whole(head, seed, story, bytes(32), ENDED))
    cast = {faction: Cast(faction, dot, f"{faction_name(faction)} of {name}") for faction, dot in seats.items()}
    return Finished(name, record, read(record).lines, cast, ended=ENDED)
