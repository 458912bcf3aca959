"""Random players, who may do anything that is legal. They are used for long runs, benchmarks and the demo.

They choose among the ``choices`` of a question, and sometimes play a card or power at a stop. Their random numbers are
separate from the game's, so the same seed always gives the same random game, and its log can be replayed like any
other.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeVar

from rules import orders as o
from rules.cards.karama import effects_in
from rules.cards.karama_expansion import FARTHEST_BY_KARAMA
from rules.cards.special_cards import AMAL, GHOLA, HARVESTER, THUMPER
from rules.cards.truthtrance import TRUTHTRANCE
from rules.components import (
    CARDS,
    FACTIONS,
    KARAMA,
    LEADERS,
    WORTHLESS,
    Card,
    Faction,
    Forces,
    Leader,
    board,
    leaders_of,
    meant_as,
)
from rules.components.chance import Chance
from rules.decisions.catalogue import rules_of
from rules.decisions.question import Question
from rules.decisions.windows import ReactionWindow
from rules.engine.play import Play
from rules.factions.mobile_stronghold import move_goals
from rules.orders import readings as r
from rules.rulesets.ruleset import RuleSet, cards_in, factions_of, leaders_in
from rules.state.state import Player

MOST_STOPS = 20_000
"""The maximum number of stops in a random game. A longer game is assumed never to end."""

_THIS_TURN = r.Occasion(turn="this")
_PLAYED: Sequence[tuple[str, tuple[Card, ...]]] = (
    ("a poison weapon", tuple(sorted(meant_as("weapon", "poison")))),
    ("a shield", tuple(sorted(card for card in CARDS if CARDS[card].kind == "shield"))),
    ("a Karama", (KARAMA,)),
)

_AT_THEIR_MOMENT: Sequence[tuple[Card, o.Order]] = (
    (THUMPER, o.Thumper()),
    (HARVESTER, o.Harvester()),
    (AMAL, o.Amal()),
)

T = TypeVar("T")


def random_game(
    rules: RuleSet, seed: str, factions: Sequence[Faction] = FACTIONS, player: RandomPlayer | None = None
) -> Play:
    """Play a whole game from the set-up to its end, and return it. Raise RuntimeError if the game does not end.

    >>> random_game(load_rule_set("ah-basic"), "spice", ["fremen", "guild"]).over  # doctest: +SKIP
    True
    """
    player = player or RandomPlayer(seed)
    play = Play.start(rules, seed, random_seats(seed, factions))
    for _ in range(MOST_STOPS):
        if play.over:
            return play
        player.act(play)
    raise RuntimeError(f"{rules.name}, seed {seed!r}: still in the {play.state.phase} phase of turn {play.state.turn}")


def random_seats(seed: str, factions: Sequence[Faction]) -> dict[Faction, int]:
    dots = list(board.DOTS)
    Chance(seed, {}).shuffle("seats", dots)
    return dict(zip(factions, dots, strict=False))


def _will(act: r.AnyAct, when: r.Occasion = _THIS_TURN) -> r.Reading:
    return r.Reading(act=act, occasion=when)


class RandomPlayer:
    """A player who plays all seats of a game, with one stream of random numbers.

    All settings are percentages. ``boldness`` is how often the player chooses something other than the default.
    ``impulses`` is how often the player considers cards and powers at a stop. ``strays`` is how often the player sends
    an order that was once legal for some faction, whether or not it is legal now. ``bargains`` is how often a play that
    the player considers is a deal with a condition. A percentage of 0 draws no random number, so that older games can
    be repeated.
    """

    def __init__(
        self, seed: str, *, boldness: int = 70, impulses: int = 15, strays: int = 0, bargains: int = 0
    ) -> None:
        self.boldness, self.impulses, self.strays, self.bargains = boldness, impulses, strays, bargains
        self._stream = Chance(seed, {}).draw("player", 2**63)
        self._remembered: list[o.Order] = []
        self._rules: RuleSet | None = None  # of the last game in which they considered a card

    def act(self, play: Play) -> None:
        questions = play.questions()
        asked = self._pick(questions)
        if self._often(self.impulses):
            order = self.impulse(play, asked.faction) or self.answer(asked)
            play.submit(asked.faction, [order])
        elif self._remembered and self._often(self.strays):
            play.submit(self._pick(list(play.state.players)), [self._pick(self._remembered)])
        elif isinstance(asked, ReactionWindow) and asked.play and (eager := self._eager(questions)):
            play.submit(*eager)
        elif asked.blanket:
            play.expire([question.key for question in questions if question.blanket])
        else:
            play.submit(asked.faction, [self.answer(asked)])
        play.advance()

    def _eager(self, questions: Sequence[Question]) -> tuple[Faction, list[o.Order]] | None:
        for one in questions:
            if isinstance(one, ReactionWindow) and one.play and one.refusal(one.play) is None:
                return (one.faction, [one.play]) if self._often(30) else None
        return None

    def answer(self, question: Question) -> o.Order:
        order = self._pick(question.samples()) if self._often(self.boldness) else question.default
        if self.strays:
            self._remembered = [*self._remembered[-40:], order]
        return order

    def impulse(self, play: Play, faction: Faction) -> o.Order | None:
        self._rules = play.game.rules
        orders = list(self._plays(play, play.state.players[faction]))
        while orders:
            order = orders.pop(self._draw(len(orders)))
            if play.check(faction, order).status == "accepted":
                return order
        return None

    def _plays(self, play: Play, player: Player) -> Iterable[o.Order]:
        others = [faction for faction in play.state.players if faction != player.faction]
        hand = player.hand
        if KARAMA in hand or (player.faction == "bene-gesserit" and not WORTHLESS.isdisjoint(hand)):
            yield from self._karamas(play, player, others)
        if TRUTHTRANCE in hand and others:
            yield self._truthtrance(player.faction, self._pick(others))
        if GHOLA in hand:
            yield from self._gholas(play, player)
        for card, order in _AT_THEIR_MOMENT:
            if card in hand:
                yield order
        if rules_of(play.game, player.faction).gives_to_allies(play.game) and player.spice:
            yield from (o.EmperorGives(1 + self._draw(player.spice), other) for other in others)
        if others and self._often(10):
            offered, wanted = self._draw(player.spice + 1), self._draw(4)
            yield o.Deal(self._pick(others), "Leave me Carthag this turn", offered, wanted)
        if others and self.bargains and self._often(self.bargains):
            yield self._bargain(play, player, others)

    def _bargain(self, play: Play, player: Player, others: Sequence[Faction]) -> o.Deal:
        other, turn = self._pick(others), play.state.turn
        place = self._pick(board.STRONGHOLDS)
        until = turn + self._draw(3) if self._often(60) else 0
        breaks = r.PublicFact("stands-in", (other, place)) if self._often(50) else None
        if self._often(30):
            return o.Deal(other, "Keep this between us", broken_if=breaks, until=until, secret=True)
        waits = self._pick(
            (
                None,
                r.PublicFact("turn", (), turn + 1 + self._draw(3)),
                r.PublicFact("shipped-to", (other, place)),
                r.PublicFact("stands-in", (player.faction, place)),
                r.PublicFact("has-bought", (other,)),
                r.PublicFact("battles-won", (player.faction,)),
                r.EachOf((r.PublicFact("nexus"), r.NotSo(r.PublicFact("allied-with", (player.faction, other))))),
                r.OneOf((r.PublicFact("worm"), r.PublicFact("lost-in", (other, place)))),
            )
        )
        aside, theirs = self._draw(1 + player.spice // 2), self._draw(3)
        return o.Deal(other, "Stay away", self._draw(3), self._draw(2), aside, theirs, waits, breaks, until)

    def _karamas(self, play: Play, player: Player, others: Sequence[Faction]) -> Iterable[o.Order]:
        dead = [name for name in leaders_of(player.faction) if play.state.leaders[name].status != "ready"]
        for effect in effects_in(play.game.rules):
            match effect:
                case "worm":
                    yield o.Karama(effect, territory=self._pick(board.PRINTED_TERRITORIES))
                case "revive":
                    if player.tanks.ordinary:
                        yield o.Karama(effect, forces=Forces(min(3, player.tanks.ordinary)))
                    if dead:
                        yield o.Karama(effect, leader=self._pick(dead))
                case "hms":
                    if ways := move_goals(play.game, FARTHEST_BY_KARAMA):
                        yield o.Karama(effect, area=self._pick(ways))
                case "cancel ghola":
                    fallen = [name for name, standing in play.state.leaders.items() if standing.status != "ready"]
                    if fallen:
                        yield o.Karama(effect, leader=self._pick(fallen))
                case "stop revival" | "cancel revival payment":
                    if others:
                        yield o.Karama(effect, faction=self._pick(others))
                case "see plan" | "take cards":
                    if others:
                        whose, cards = self._pick(others), 1 + self._draw(4)
                        yield o.Karama(effect, faction=whose, number=cards if effect == "take cards" else 0)
                case _:
                    yield o.Karama(effect)

    def _gholas(self, play: Play, player: Player) -> Iterable[o.Order]:
        for leader in leaders_of(player.faction):
            if play.state.leaders[leader].status != "ready":
                yield o.Ghola(leader=leader)
        if player.tanks:
            elite = min(1, player.tanks.elite)
            yield o.Ghola(forces=Forces(min(5 - elite, player.tanks.ordinary), elite))
        if player.faction == "atreides":
            yield o.Ghola(kwisatz_haderach=True)

    def _truthtrance(self, asker: Faction, target: Faction) -> o.Truthtrance:
        cards_there, leaders, factions = self._in_the_box()
        card, leader, predicted = self._pick(cards_there), self._pick(leaders), self._pick(factions)
        spice = 1 + self._draw(20)
        weapon, cards = self._pick(_PLAYED)
        there, next_there = self._pick(board.STRONGHOLDS), self._pick(board.STRONGHOLDS)
        ship, move = (board.TERRITORIES[territory].name for territory in (there, next_there))
        dialled, bid = self._draw(6), self._draw(6)
        against = r.Occasion(turn="this", in_battle=True, opponent=asker, only_against=True)
        question, reading = self._pick(
            (
                (f"Do you hold {card}?", r.Reading((r.InHand((card,)),))),
                (f"Is {leader} your traitor?", r.Reading((r.InPay((leader,)),))),
                (f"Did you predict {predicted}?", r.Reading((r.Predicted((predicted,)),))),
                (f"Is your spice at least {spice}?", r.Reading((r.OwnsSpice(r.Amount(spice)),))),
                ("Will you attack me this turn?", _will(r.Attack(asker))),
                (f"Will you play {weapon} this turn?", _will(r.PlayCard(cards))),
                (f"Will you ship to {ship} this turn?", _will(r.ShipTo(there))),
                (f"Will you move to {move} next turn?", _will(r.MoveTo(next_there), when=r.Occasion(turn="next"))),
                (
                    f"Will you dial more than {dialled} against me this turn?",
                    _will(r.Dial(r.Amount(dialled + 0.5)), when=against),
                ),
                (f"Will you bid more than {bid} this turn?", _will(r.BidFor(r.Amount(bid + 1.0)))),
                ("Will you ally with me this turn?", _will(r.AllyWith(asker))),
            )
        )
        return o.Truthtrance(target, question, reading)

    def _in_the_box(self) -> tuple[Sequence[Card], Sequence[Leader], Sequence[Faction]]:
        if self._rules is None:
            return tuple(CARDS), tuple(LEADERS), FACTIONS
        return cards_in(self._rules), leaders_in(self._rules), factions_of(self._rules)

    def _often(self, percent: int) -> bool:
        return self._draw(100) < percent

    def _pick(self, things: Sequence[T]) -> T:
        return things[self._draw(len(things))]

    def _draw(self, size: int) -> int:
        # a linear congruential stream is random enough here, and fast
        self._stream = (self._stream * 6364136223846793005 + 1442695040888963407) % 2**64
        return (self._stream >> 33) % size
