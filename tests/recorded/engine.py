"""The engine as recorded games use it. All their imports from the rules and the store are in this module.

The same program records with today's code and replays with later code. If a module moves or a name changes, only this
file and ``looking`` need to change. The values that they return (JSON and texts) never name a class.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, cast

import msgspec

from bot.lab.occurrences import karama_effects
from bot.lab.scenes import SCENES
from bot.lab.soak import Setting, late_position, scene_setting, setting
from bot.lab.soak_players import DaringPlayer
from bot.store.record import decode_entry, encode_entry
from rules.components import FACTIONS, as_faction
from rules.components.chance import Chance
from rules.decisions.question import Question
from rules.engine import turn
from rules.engine.catalogue import load_rule_set
from rules.engine.log import Submitted
from rules.engine.play import Play
from rules.random_players import RandomPlayer, random_seats
from rules.rulesets.ruleset import RULE_SETS, factions_of
from rules.state.events import Event
from rules.state.state import State
from tests.recorded.looking import Looker, Sections, pool_of
from tests.recorded.mastering import RandomMaster

Style = Literal["plain", "daring", "corrected"]
EXPANSION: dict[str, Any] = {"expansion": "ixians-tleilaxu"}
Seats = Sequence[tuple[str, int]]
Told = bytes
"""An event in its canonical form."""

_canonical = msgspec.json.Encoder(order="deterministic")
_position = msgspec.json.Decoder(State)


def canonical(event: Event) -> Told:
    """Return an event and its audience as canonical bytes. The number is left out, so that one event more or less is a
    single difference, rather than one for each later event."""
    values = cast(dict[str, Any], msgspec.to_builtins(event))
    return _canonical.encode({name: value for name, value in values.items() if name != "number"})


class EngineGame:
    """A game that the code of this checkout plays, entry by entry, from its set-up or from a ``position``."""

    def __init__(
        self,
        ruleset: str,
        options: Mapping[str, Any],
        seed: str,
        seats: Sequence[tuple[str, int]],
        position: bytes = b"",
    ) -> None:
        rules = load_rule_set(ruleset)
        rules = rules.with_options(options) if options else rules
        dots = {as_faction(faction): dot for faction, dot in seats}
        state = _position.decode(position) if position else turn.opening_state(rules, dots)
        self._play = Play(rules, seed, state)
        self._play.begin_phase(state.phase)
        self._play.advance()
        self._told = 0
        self._looker: Looker | None = None

    def watch(self, log: Sequence[bytes], pool: Sequence[bytes]) -> None:
        """Watch the game from now on. ``log`` is the log that it will have, and ``pool`` holds orders to try."""
        entries = map(decode_entry, log)
        orders = [[(e.faction, o) for o in e.orders] if isinstance(e, Submitted) else [] for e in entries]
        self._looker = Looker(self._play, orders, pool_of(pool))
        self._looker.note()

    def look(self) -> Sections:
        assert self._looker is not None
        return self._looker.look()

    def tries(self, entry: int) -> list[tuple[str, str]]:
        """Return orders that might be sent after this entry, each with its outcome."""
        assert self._looker is not None
        return [(str(tried), told) for tried, told in self._looker.tries(entry)]

    def news(self) -> list[Told]:
        """Return the events since the last call."""
        fresh = self._play.events[self._told :]
        self._told += len(fresh)
        return [canonical(event) for event in fresh]

    def take(self, entry: bytes) -> bool:
        """Run one log entry. Return False if some of the questions that expire in it are not open now. Raise ValueError
        if an order is refused, or if the entry cannot be read."""
        decoded = decode_entry(entry)
        before = len(self._play.log)
        self._play.replay([decoded])
        if self._looker:
            self._looker.note()
        return self._play.log[before:] == [decoded]

    def refuses(self, entry: bytes) -> bool:
        """Return True if an order of an entry would be refused now, without changing anything."""
        try:
            decoded = decode_entry(entry)
        except ValueError:  # it cannot be read
            return True
        if not isinstance(decoded, Submitted):
            return False
        return any(self._play.check(decoded.faction, order).status == "refused" for order in decoded.orders)

    def let_silence_answer(self, but_not: Collection[str] = ()) -> list[str]:
        """Let the open questions take their default, except those in ``but_not`` if there are others, and let the game
        go on. Return the questions, named as ``waits_for`` names them."""
        asked = {_named(question): question.key for question in self._play.questions()}
        fresh = [name for name in asked if name not in but_not] or list(asked)
        self._play.expire([asked[name] for name in fresh])
        self._play.advance()
        return fresh

    def waits_for(self) -> list[str]:
        """Return the open questions: "discards of fremen"."""
        return [_named(question) for question in self._play.questions()]

    @property
    def phase(self) -> str:
        return str(self._play.state.phase)

    @property
    def over(self) -> bool:
        return self._play.over


def _named(question: Question) -> str:
    about = f" ({question.subject})" if question.subject else ""
    return f"{question.kind} of {question.faction}{about}"


class RandomGame(EngineGame):
    """A game in which a random player plays all seats. In the style "corrected", a game master acts too."""

    def __init__(self, begun: Begun, style: Style) -> None:
        super().__init__(begun.ruleset, begun.options, begun.seed, begun.seats, begun.position)
        self._player = begun.player or (
            DaringPlayer(f"player {begun.seed}", impulses=35, strays=5)
            if style == "daring"
            else RandomPlayer(f"player {begun.seed}", impulses=25, strays=5, bargains=begun.bargains)
        )
        self._master = RandomMaster(f"master {begun.seed}") if style == "corrected" else None

    def act(self) -> list[bytes]:
        """Let somebody act. Return the resulting log entries, or none if the act was refused."""
        before = len(self._play.log)
        if self._master is None or not self._master.act(self._play):
            self._player.act(self._play)
        return [encode_entry(entry) for entry in self._play.log[before:]]


@dataclass(frozen=True)
class Begun:
    """The beginning of a game to record: its set-up, or a ``position``."""

    ruleset: str
    options: Mapping[str, Any]
    seed: str
    seats: Seats
    position: bytes = b""
    player: RandomPlayer | None = None
    bargains: int = 0


def seats_of(seed: str, players: int) -> list[tuple[str, int]]:
    """Return this many factions and their player dots, as dealt by the seed."""
    factions = list(FACTIONS)
    Chance(seed, {}).shuffle("factions", factions)
    return list(random_seats(seed, factions[:players]).items())


def rule_sets() -> list[tuple[str, dict[str, Any]]]:
    """Return every rule set. Those that allow an expansion are returned a second time with it."""
    plain: list[tuple[str, dict[str, Any]]] = [(name, {}) for name in RULE_SETS]
    return [*plain, *((name, EXPANSION) for name in RULE_SETS if name.startswith("gf9-"))]


def whole(ruleset: str, options: Mapping[str, Any], seed: str, players: int) -> Begun:
    """Return the beginning of a game from its set-up, with this many players, who bargain a lot."""
    game = setting(ruleset, seed, players, tuple(options.items()))
    return Begun(ruleset, options, seed, list(random_seats(seed, game.factions).items()), bargains=40)


def late(ruleset: str, options: Mapping[str, Any], seed: str, players: int) -> Begun:
    """Return the beginning of a game at a late position, where rare events are likely."""
    return _from_position(setting(ruleset, seed, players, tuple(options.items()), late=True))


def scene(ruleset: str, options: Mapping[str, Any], seed: str, name: str) -> Begun:
    return _from_position(scene_setting(ruleset, seed, name, tuple(options.items())))


def scenes(ruleset: str, options: Mapping[str, Any]) -> list[str]:
    """Return the scenes that can be played with a rule set."""
    rules = load_rule_set(ruleset).with_options(options)
    effects, factions = set(karama_effects(rules)), factions_of(rules)
    return [
        name for name, scene in SCENES.items()
        if effects.issuperset(scene.wishes) and set(scene.needs) <= set(factions)
    ]  # fmt: skip


def _from_position(game: Setting) -> Begun:
    seats = random_seats(game.seed, game.factions)
    state = late_position(game.rules, game.seed, seats, game.wishes, SCENES.get(game.scene))
    return Begun(
        game.ruleset, dict(game.options), game.seed, list(seats.items()), msgspec.json.encode(state), game.player()
    )
