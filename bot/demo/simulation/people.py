"""The made-up people of a simulation: scripted players who now and then forget a letter or send a mail twice.

Each person plays in two games, with the same address. What they answer in a game follows from the letters of that game
alone, so it does not matter in which order the letters of their two games come.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from email import policy
from email.parser import BytesHeaderParser
from email.utils import parseaddr

from bot.demo.players import Dice, ScriptedPlayer
from bot.demo.programs import PROGRAMS

FORGETS = 40
"""One letter of so many is left unanswered: a deadline passes, a reminder comes."""

SENDS_TWICE = 30
"""One mail of so many arrives twice."""

_NUMBERS_APART = 1_000_000
_HEADS = BytesHeaderParser(policy=policy.compat32)


@dataclass(slots=True)
class Forgetful(ScriptedPlayer):
    """A person in one of their games who leaves a letter unanswered now and then."""

    def lines_for(self, subject: str, text: str, game: str) -> list[str]:
        """Their orders, if they do not forget."""
        lines = ScriptedPlayer.lines_for(self, subject, text, game)
        return [] if lines and self.dice.below(FORGETS) < 1 else lines


@dataclass(frozen=True, slots=True)
class Posted:
    """A letter as it went out: to whom, which address answers it, its Message-ID, and the whole of it."""

    recipient: str
    reply_to: str
    message_id: str
    raw: bytes

    @classmethod
    def of(cls, recipient: str, raw: bytes) -> Posted:
        """A letter, by what its head says."""
        head = _HEADS.parsebytes(raw)
        reply_to = parseaddr(str(head["Reply-To"] or head["From"]))[1]
        return cls(recipient, reply_to, str(head["Message-ID"]), raw)


@dataclass(slots=True)
class People:
    """Everybody who plays, at their mail programs, and what sort of player each is."""

    seed: str
    sort: type[ScriptedPlayer] = Forgetful
    _seats: dict[tuple[str, str], ScriptedPlayer] = field(default_factory=dict)

    def answers(self, letters: Iterable[Posted], now: datetime) -> Iterator[bytes]:
        """What everybody writes who has read these letters, game by game."""
        by_seat: dict[tuple[str, str], list[bytes]] = {}
        for letter in letters:
            by_seat.setdefault((letter.reply_to, letter.recipient), []).append(letter.raw)
        for place, raws in sorted(by_seat.items()):
            yield from self._of(place, raws, now)

    def _of(self, place: tuple[str, str], raws: Sequence[bytes], now: datetime) -> Iterator[bytes]:
        seat = self._seats.get(place) or self._seats.setdefault(place, self._new(*place))
        for mail in seat.read(raws, now):
            yield mail.raw
            if seat.dice.below(SENDS_TWICE) < 1:
                yield mail.raw
        seat.letters.clear()

    def _new(self, reply_to: str, address: str) -> ScriptedPlayer:
        dice = Dice(self.seed, reply_to, address)
        name = address.partition("@")[0].partition(".")[0].title()
        program = PROGRAMS[int(dice.below(len(PROGRAMS)))]
        return self.sort(name, address, program, dice, sent=_NUMBERS_APART * int(dice.below(_NUMBERS_APART)))
