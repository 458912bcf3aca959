"""Keeps the record while a game is played, and makes it anew from a log.

What happened in a game since it was recorded last becomes lines (``bot.record.lines``): first what the set-up drew and
told, then each entry of the log, and after it what was drawn and told because of it, in that order. A record is a
function of the log, the acts and the game's own key: the same bytes, whether it was kept entry by entry over months or
is made at once by ``whole``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import date

import msgspec

from bot.record.lines import Act, AnyLine, Chain, Decided, Drawn, End, Head
from bot.record.words import Words
from rules.engine.log import Before, Entry
from rules.engine.play import Play
from rules.engine.rule_sets import load_rule_set
from rules.rulesets.ruleset import RuleSet


class Recorder:
    """Adds to the chain what happened in a game since this was asked last.

    ``entries``, ``events`` and ``draws`` are how many of the whole game are recorded. Where nobody counted the draws,
    those that were made before the first entry that is not recorded yet are taken as recorded. ``key`` hides the words
    of offers (``bot.record.words``).

    >>> recorder = Recorder(Chain(seed), 0, 0, key)  # doctest: +SKIP
    >>> lines = [recorder.begin(head), *recorder.fresh(play, day)]  # doctest: +SKIP
    """

    __slots__ = ("_draws", "_events", "_words", "chain", "entries")

    def __init__(
        self, chain: Chain, entries: int, events: int, key: bytes | Words | None, draws: int | None = None
    ) -> None:
        self.chain = chain
        self.entries = entries
        self._words = key if isinstance(key, Words) else Words(key)
        self._events: int | None = events
        self._draws = 0 if entries == events == 0 else draws

    def begin(self, head: Head) -> bytes:
        """The first line."""
        return self.chain.add(head)

    def fresh(self, play: Play, day: date | None) -> list[bytes]:
        """The lines of what is not recorded yet; ``day`` is the day of the entries among it. ValueError if the play no
        longer holds some of that."""
        self._find_start(play)
        lines: list[AnyLine] = []
        for number in range(self.entries, play.entries_before + len(play.log)):
            place = number - play.entries_before
            before = play.before[place]
            lines += self._upto(play, before)
            entry = self._words.entry(_as_stored(play.log[place]))
            lines.append(Decided(n=number, day=day, turn=before.turn, phase=before.phase, entry=entry))
            self.entries += 1
        lines += self._upto(play, play.so_far)
        return [self.chain.add(line) for line in lines]

    def act(self, act: Act) -> bytes:
        """What the game master did. After a rollback ``fresh`` goes on from where the game was taken back to."""
        if is_rollback(act):
            assert act.entries is not None
            self.entries, self._events, self._draws = act.entries, None, None
        return self.chain.add(act)

    def end(self, end: End) -> bytes:
        """The last line of a game that is over."""
        return self.chain.add(end)

    def _find_start(self, play: Play) -> None:
        """Where to go on, if that is not counted: before the first entry that is not recorded."""
        place = self.entries - play.entries_before
        if place < 0:
            raise ValueError(
                f"entry {self.entries} of the log is to be recorded, and {play.entries_before} came before"
            )
        before = play.before[place] if place < len(play.before) else play.so_far
        self._events = before.events if self._events is None else self._events
        self._draws = before.draws if self._draws is None else self._draws

    def _upto(self, play: Play, upto: Before) -> Iterator[AnyLine]:
        """The lines for what was drawn and told between the end of the record and that point, in the order in which it
        happened."""
        assert self._events is not None
        assert self._draws is not None
        draws, told = play.game.draws, play.events
        place = self._draws - (play.so_far.draws - len(draws))
        drawn = draws[place : place + upto.draws - self._draws]
        first = self._events - (play.state.events - len(told))
        events = told[first : first + upto.events - self._events]
        if place < 0 or first < 0:
            raise ValueError("what is to be recorded is no longer in memory")
        self._events, self._draws = upto.events, upto.draws
        drawn.reverse()
        for event in events:
            while drawn and drawn[-1].events <= event.number:
                yield _drawn(*drawn.pop()[1:])
            yield self._words.told(event)
        while drawn:
            yield _drawn(*drawn.pop()[1:])


_entries: msgspec.json.Decoder[Entry] = msgspec.json.Decoder(Entry)


def _as_stored(entry: Entry) -> Entry:
    """The entry as it comes back from the log: a dial that was computed may be 3, and one that was read is 3.0."""
    return _entries.decode(msgspec.json.encode(entry))


def _drawn(label: str, size: int, got: int) -> Drawn:
    return Drawn(label=label, size=size, got=got)


def is_rollback(act: Act) -> bool:
    """Whether the act took entries of the log back."""
    return act.what == "rollback" and act.entries is not None


def rules_of(head: Head) -> RuleSet:
    """The rule set of a game with its own options; LookupError or ValueError if they cannot be played here."""
    return load_rule_set(head.ruleset).with_options(head.options)


def whole(
    head: Head, seed: str, story: Iterable[Decided | Act], key: bytes | Words | None, ended: date | None = None
) -> Iterator[bytes]:
    """The record of a game from its log, entry by entry, and the acts between: the lines, as they are made, with the
    end of a game that is over. ValueError or another error of the rules if the log does not play.

    >>> record = b"".join(line + b"\\n" for line in whole(head, seed, story, key))  # doctest: +SKIP
    """
    recorder = Recorder(Chain(seed), 0, 0, key)
    yield recorder.begin(head)
    rules, seats = rules_of(head), dict(head.seats)
    play = Play.start(rules, seed, seats)
    yield from recorder.fresh(play, None)
    log: list[Entry] = []
    for part in story:
        if isinstance(part, Decided):
            log.append(part.entry)
            play.replay([part.entry])
            yield from recorder.fresh(play, part.day)
            continue
        if is_rollback(part):
            del log[part.entries :]
            play = Play.start(rules, seed, seats)
            play.replay(log)
        yield recorder.act(part)
    if play.over:
        yield recorder.end(End(turn=play.state.turn, winners=tuple(play.state.winners), day=ended, seed=seed))
