"""Games by mail from their beginning to their end, by people at mail programs of different makes who mistype now and
then, forget a letter, and send a mail twice (``bot.lab.simulation``)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from bot.lab.players_by_mail import People, PostedLetter
from rules.components import Faction
from tests.moderator.table import GAME
from tests.transcripts.scenario import add
from tests.transcripts.story import Story
from tests.transcripts.transcript import Piece

MOST_ROUNDS = 45
SIX: tuple[Faction, ...] = ("atreides", "bene-gesserit", "emperor", "fremen", "guild", "harkonnen")
FIVE: tuple[Faction, ...] = ("atreides", "bene-gesserit", "harkonnen", "ixians", "tleilaxu")
GAMES: Mapping[str, tuple[str, tuple[Faction, ...], Mapping[str, Any]]] = {
    "wbc-2018": ("wbc-2018", SIX[1:5], {}),
    "ah-basic": ("ah-basic", SIX[3:], {}),
    "vaca-2.0": ("vaca-2.0", (SIX[0], SIX[2], SIX[5]), {}),
    "expansion": ("gf9-advanced", FIVE, {"expansion": "ixians-tleilaxu"}),
}


def by_mail(ruleset: str, factions: tuple[Faction, ...], options: Mapping[str, Any], folder: Path) -> Iterator[Piece]:
    """One turn of a game, to its end."""
    story = Story.at(folder)
    world = story.world
    world.new_game(ruleset, factions, max_turns=1, **options)
    people, read = People(ruleset), 0
    for _ in range(MOST_ROUNDS):
        story.does(f"{world.now:%a %d %b %H:%M}")
        fresh = [PostedLetter.of(letter.recipient, letter.message.as_bytes()) for letter in world.letters(after=read)]
        read += len(fresh)
        answers = list(people.answers([one for one in fresh if "players" in one.recipient], world.now))
        for raw in answers:
            story.delivers(_writer(raw), raw, _body(raw))
        if world.table().play.over:
            break
        story.waits(3 if answers else 12)
    while not world.table().play.over:
        story.waits(24)  # and from here on nobody says anything
    for command in ("show", "acts", "verify", "log"):
        story.runs(f"game {command} {GAME}")
    story.runs("mail list")
    yield from story.told()


def _writer(raw: bytes) -> str:
    sender = next(line for line in raw.decode("utf-8", "replace").splitlines() if line.lower().startswith("from:"))
    return f"{sender} writes"


def _body(raw: bytes) -> str:
    """The first lines of what they wrote."""
    return "\n".join(raw.decode("utf-8", "replace").partition("\r\n\r\n")[2].splitlines()[:8])


for _name, (_ruleset, _factions, _options) in GAMES.items():
    add(f"played-{_name}", partial(by_mail, _ruleset, _factions, _options))
