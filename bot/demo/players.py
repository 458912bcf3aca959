"""Scripted players: mail clients that read the letters of their own mailbox and answer them.

A player knows nothing of the game but what their letters say. They find the questions and the legal orders in the form
of the newest letter, choose with a small taste of their own, and send their answer through their mail program. Now and
then they mistype, or order something foolish, as people do; the answer tells them what is still open, and they go on.
"""

from __future__ import annotations

import email
import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from email import policy
from email.headerregistry import HeaderRegistry
from email.message import EmailMessage
from functools import lru_cache

from bot.demo.programs import Original, Program, Writer

_FORM = re.compile(r"^\[form \w+\]$(.*?)^\[end of form \w+\]$", re.MULTILINE | re.DOTALL)
_QUIET = "waive reactions until mentat"
_TURN = " turn _"
_TURNS = 10
_LAST_TURN = re.compile(r"on\s+which\s+turn\s+\(1\s+to\s+(\d+)\)")

# What a player with a little ambition likes: the words of an order, and how much more often it is chosen.
_TASTE = (
    ("no ", 0.3),
    ("pass", 0.5),
    ("pass all", 0.1),
    ("bid karama", 0.2),
    ("ship", 3.0),
    ("move", 3.0),
    ("plan", 1.0),
    ("revive", 3.0),
    ("charity", 5.0),
    ("ally", 0.6),
    ("break", 0.2),
    ("karama", 0.3),
)
_STRONGHOLDS = ("Arrakeen", "Carthag", "Tuek's Sietch", "Sietch Tabr", "Habbanya Ridge Sietch")


class Dice:
    """A small stream of numbers that is the same for the same words (the demo repeats for a seed)."""

    def __init__(self, *words: object) -> None:
        self._state = hashlib.sha256(repr(words).encode()).digest()

    def below(self, size: float) -> float:
        """A number from 0 up to, but not, ``size``."""
        self._state = hashlib.sha256(self._state).digest()
        return int.from_bytes(self._state[:7], "big") / 2**56 * size


@dataclass(frozen=True, slots=True)
class Mail:
    """A mail that a player sends."""

    to: str
    raw: bytes


@dataclass(frozen=True, slots=True)
class Letter:
    """A letter that came: its bytes, and what they say."""

    raw: bytes
    message: EmailMessage


_READING = policy.default.clone(header_factory=lru_cache(1_000)(HeaderRegistry()))
"""The standard library reads a Content-Type anew each time it is asked for it, which is half its work with a mail."""


@dataclass(slots=True)
class ScriptedPlayer:
    """One player, their mail program and their dice."""

    name: str
    address: str
    program: Program
    dice: Dice
    letters: list[Letter] = field(default_factory=list)
    sent: int = 0
    _turns: dict[str, str] = field(default_factory=dict)

    def read(self, messages: Sequence[bytes], now: datetime) -> list[Mail]:
        """Read what has come, and answer of each game the newest letter that asks for something."""
        answers: dict[str, tuple[EmailMessage, list[str]]] = {}
        for raw in messages:
            letter = email.message_from_bytes(raw, policy=_READING)
            self.letters.append(Letter(raw, letter))
            to = _address(str(letter["Reply-To"] or letter["From"]))
            lines = self.lines_for(str(letter["Subject"]), _text(letter), to)
            if lines:
                answers[to] = (letter, lines)
        return [self.write_back(letter, to, lines, now) for to, (letter, lines) in answers.items()]

    def write_back(self, letter: EmailMessage, to: str, lines: Sequence[str], now: datetime) -> Mail:
        """A mail of theirs with these lines, in answer to a letter that they read."""
        self.sent += 1
        original = Original(
            str(letter["Subject"]), str(letter["From"]), to, str(letter["Message-ID"]),
            str(letter["References"] or ""), str(letter["Date"]), _text(letter),
        )  # fmt: skip
        return Mail(to, self.program(original, Writer(self.name, self.address, self.sent), lines, now))

    def lines_for(self, subject: str, text: str, game: str) -> list[str]:
        """Their orders for the questions of a letter: one each, from the legal ones that the form offers. ``game`` is
        the address to which they answer."""
        form = _FORM.search(text)
        if form is None:
            return []
        last = _LAST_TURN.search(text)
        turns = int(last[1]) if last else _TURNS
        lines = [chosen for options in _questions(form[1]) if (chosen := self._choose(options, turns))]
        if lines and self.dice.below(40) < 1:
            lines.insert(0, _mistyped(lines[0]))
        turn = re.search(r"Turn (\d+)", subject)
        if lines and turn and turn[1] != self._turns.get(game):
            self._turns[game] = turn[1]
            lines.append(_QUIET)
        return lines

    def _choose(self, options: Sequence[str], turns: int) -> str:
        weights = [_weight(option) for option in options]
        pick = self.dice.below(sum(weights))
        chosen = options[-1] if options else ""
        for option, weight in zip(options, weights, strict=True):
            pick -= weight
            if pick < 0:
                chosen = option
                break
        return chosen.replace(_TURN, f" turn {1 + int(self.dice.below(turns))}")


def _questions(form: str) -> list[list[str]]:
    """The offered orders, question by question (each begins with a remark)."""
    found: list[list[str]] = []
    for line in form.split("\n"):
        if line.startswith("#"):
            found.append([])
        elif found and (line.startswith("[ ] ") or line.endswith(_TURN)):
            found[-1].append(line.removeprefix("[ ] ").strip())
    return found


def _weight(order: str) -> float:
    weight = 1.0
    for words, liked in _TASTE:
        if order.startswith(words):
            weight = liked
    if order.startswith(("ship", "move")):
        if any(f"to {place}" in order for place in _STRONGHOLDS):
            weight *= 4
        count = re.search(r"\d+", order)
        weight *= 1 + (int(count[0]) if count else 0) / 4
    return weight


def _mistyped(order: str) -> str:
    """The same order with two letters of its first word changed about."""
    return order[1:2] + order[0:1] + order[2:] if len(order) > 3 else order


def _text(letter: EmailMessage) -> str:
    body = letter.get_body(("plain",))
    return str(body.get_content()).replace("\r\n", "\n") if body else ""


def _address(field_value: str) -> str:
    found = re.search(r"<([^>]+)>", field_value)
    return found[1] if found else field_value.strip()
