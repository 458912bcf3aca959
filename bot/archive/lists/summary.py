"""One finished game in a few lines: all that the lists of the archive need of it.

Summaries are kept from one build to the next, so that a list of a thousand games needs none of them played again.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterable
from datetime import date

import msgspec

from bot.archive.given import Finished
from bot.archive.steps import Step, head_of
from bot.orders.archive_names import default_name
from bot.record.outcome import Outcome
from rules.components import Faction

LONGEST = 60
"""How many signs of a name the lists have."""

KARAMA = "Karama"


class Seat(msgspec.Struct, frozen=True, omit_defaults=True):
    """Who played a faction, from which ``dot``; the ``name`` is empty where they chose none, and only the faction and
    the game stand for them. ``listed`` are those who agreed to stand in the list of players."""

    faction: Faction
    name: str = ""
    listed: bool = False
    caretaker: bool = False
    dot: int = 0


class Summary(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A game that is over. ``how`` is the kind of victory (the fact of `game-won`), ``instead_of`` whose victory had
    been foreseen, ``held`` the strongholds at the end, ``held_over_turns`` the sum of those at the end of each turn,
    ``alliances`` those at the end, ``first_alliances`` those of the first nexus, ``traitors`` how many a faction
    called, ``karama`` what each Karama cost at the auction with its turn
    (only where that is published), ``record`` the SHA-256 of its `game.jsonl`, empty where that is not published."""

    id: str
    ruleset: str
    began: date | None = None
    ended: date | None = None
    turns: int
    winners: tuple[Faction, ...] = ()
    how: str = ""
    instead_of: tuple[Faction, ...] = ()
    seats: tuple[Seat, ...]
    held: dict[Faction, int] = {}
    held_over_turns: dict[Faction, int] = {}
    alliances: tuple[tuple[Faction, ...], ...] = ()
    first_alliances: tuple[tuple[Faction, ...], ...] = ()
    traitors: dict[Faction, int] = {}
    battles: int = 0
    karama: tuple[tuple[int, int], ...] = ()
    commitment: str = ""
    record: str = ""


_encoder = msgspec.json.Encoder(order="deterministic")
_decoder = msgspec.json.Decoder(Summary)


def encode(summary: Summary) -> bytes:
    """The summary as JSON, the same bytes each time."""
    return _encoder.encode(summary)


def decode(data: bytes | msgspec.Raw) -> Summary:
    """The summary from its JSON; msgspec.MsgspecError if it is none."""
    return _decoder.decode(data)


class Summing:
    """Sees the steps of a finished game, and then gives its summary."""

    def __init__(self, game: Finished) -> None:
        self._game = game
        self._full = game.policy.ended == "full"
        self._turns = 0
        self._end = Outcome()
        self._instead_of: tuple[Faction, ...] = ()
        self._battles = 0
        self._karama: list[tuple[int, int]] = []

    def see(self, step: Step) -> None:
        """The next step."""
        self._turns = step.turn
        event = step.event
        if event is None:
            return
        self._end.see(event)
        if event.kind == "game-won":
            self._instead_of = tuple(event.facts["instead_of"])
        elif event.kind == "battle-begins":
            self._battles += 1
        elif event.kind == "card-sold" and self._full and not event.facts.get("karama"):
            bought = event.private.get(event.facts["buyer"], {}).get("card")
            self._karama += [(event.turn, event.facts["price"])] if bought == KARAMA else []

    def summary(self) -> Summary:
        """What there is to say of the game, after its last step."""
        game, head = self._game, head_of(self._game)
        cast, end = sorted(game.cast.values(), key=lambda one: one.dot), self._end
        return Summary(
            id=game.id, ruleset=head.ruleset, began=game.began, ended=game.ended, turns=self._turns,
            winners=end.winners, how=end.how, instead_of=self._instead_of, held=dict(end.held),
            held_over_turns=dict(end.over_turns), alliances=end.alliances, first_alliances=end.first_alliances or (),
            traitors=dict(end.traitors),
            seats=tuple(
                Seat(one.faction, _own_name(one.name, one.faction, game.id), one.listed, one.caretaker, one.dot)
                for one in cast
            ),
            battles=self._battles, karama=tuple(self._karama), commitment=head.commitment,
            record=hashlib.sha256(game.record).hexdigest() if self._full else "",
        )  # fmt: skip


def summary_of(game: Finished, steps: Iterable[Step]) -> Summary:
    """The summary from all steps of the game at once."""
    summing = Summing(game)
    for step in steps:
        summing.see(step)
    return summing.summary()


def tidy(name: str, longest: int = LONGEST) -> str:
    """A name on one line and not too long, without signs that nobody sees or that turn the direction of writing.

    >>> tidy("  Paul\\n Muad'Dib \\u202e"), tidy("Shaddam the Fourth", 8)
    ("Paul Muad'Dib", 'Shaddam…')
    """
    seen = "".join(
        sign if unicodedata.category(sign)[0] != "C" else " " if sign.isspace() else "" for sign in name[: 20 * LONGEST]
    )
    line = _SPACE.sub(" ", seen).strip()
    return line if len(line) <= longest else line[: longest - 1].rstrip() + "…"


_SPACE = re.compile(r"\s+")


def _own_name(name: str, faction: Faction, game: str) -> str:
    """The name that somebody chose; empty for the one that says no more than the faction and the game."""
    return "" if name == default_name(faction, game) else tidy(name)
