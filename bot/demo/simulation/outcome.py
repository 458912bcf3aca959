"""What came of the games of a simulation, and in what two outcomes differ."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from bot.games import proof
from bot.store import comparing
from bot.store.database import Engine, reading


@dataclass(slots=True)
class Outcome:
    """How an installation stands at the end.

    ``games``: of each game the digests of its parts. ``letters``: by recipient and the address that answers them, the
    Message-IDs in the order in which they first went out, each with the SHA-256 of the letter. ``mails`` came in;
    ``sent_again`` letters went out more than once; ``rounds`` and ``seconds`` it took. ``wrong``: what must never be,
    in sentences.
    """

    games: Mapping[str, Mapping[str, str]]
    letters: Mapping[tuple[str, str], list[tuple[str, str]]]
    mails: int = 0
    sent_again: int = 0
    rounds: int = 0
    seconds: float = 0.0
    wrong: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Sent:
    """What went out, in order. A letter that goes out again is noted, and must be the same to the byte."""

    by_place: dict[tuple[str, str], list[tuple[str, str]]] = field(default_factory=dict)
    again: int = 0
    changed: list[str] = field(default_factory=list)
    _known: dict[str, str] = field(default_factory=dict)

    def note(self, recipient: str, reply_to: str, message_id: str, raw: bytes) -> bool:
        """Whether the letter went out for the first time."""
        digest = hashlib.sha256(raw).hexdigest()
        known = self._known.get(message_id)
        if known is not None:
            self.again += 1
            if known != digest:
                self.changed.append(message_id)
            return False
        self._known[message_id] = digest
        self.by_place.setdefault((recipient, reply_to), []).append((message_id, digest))
        return True


def taken(engine: Engine, names: list[str], sent: Sent, verify: int) -> Outcome:
    """The outcome in a database whose letters have gone out; ``verify`` games are played again from their logs."""
    with reading(engine) as conn:
        found = Outcome({name: comparing.digests(conn, name) for name in names}, sent.by_place, sent_again=sent.again)
        records = [proof.record(conn, name) for name in names[:verify]]
        twice, unsent, given_up = comparing.taken_twice(conn), comparing.unsent(conn), comparing.given_up(conn)
    found.wrong += [f"{kept.id}: {proved.difference}" for kept in records if not (proved := proof.verify(kept)).holds]
    found.wrong += [f"the letter {name} went out again with other words" for name in sent.changed]
    for number, what in ((twice, "mails were taken twice"), (unsent, "letters wait"), (given_up, "letters are lost")):
        if number:
            found.wrong.append(f"{number} {what}")
    return found


def differences(one: Outcome, other: Outcome) -> Iterator[str]:
    """In what two outcomes differ, in sentences; none where they are alike."""
    for name in sorted(set(one.games) | set(other.games)):
        here, there = one.games.get(name, {}), other.games.get(name, {})
        parts = [part for part in {**here, **there} if here.get(part) != there.get(part)]
        if parts:
            yield f"{name}: {', '.join(parts)} differ"
    for place in sorted(set(one.letters) | set(other.letters)):
        first, second = one.letters.get(place, []), other.letters.get(place, [])
        if first == second:
            continue
        who = f"the letters to {place[0]} that {place[1]} answers"
        if sorted(first) == sorted(second):
            yield f"{who} went out in another order"
        else:
            missing, more = len(set(first) - set(second)), len(set(second) - set(first))
            yield f"{who} differ: {missing} of {len(first)} are missing, {more} are others"
