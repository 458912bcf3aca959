"""Secret acts, done in one of two equal games. A third player must not be able to tell the games apart.

``tests.properties.twins`` changes hidden facts; here a player *does* something that nobody else may notice. They send
orders ahead, waive reactions, offer a deal, answer while others are still asked, or send an order that is refused.
Afterwards, uninvolved players must see the same position, questions, outcomes of their own orders, events and number of
stops. Then both games continue in silence to the end of the phase, and must still look the same.

``python -m tests.properties.secrecy gf9-advanced 5000 [FIRST] [NAME=VALUE ...]`` compares five thousand pairs of both
kinds in games by one rule set, with these options. It prints how often each act or change was compared, and one leak of
every sort.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bot.cli.session import read_options
from bot.lab.soak import Setting, setting
from rules.cards.karama_movement_and_battle import FOR_ANY_PLAYER
from rules.components import Faction, as_faction
from rules.components.chance import Chance
from rules.decisions.catalogue import is_unseen
from rules.engine.play import Play
from rules.orders import Deal, Decline, EmperorGives, Give, Karama, Key, Order, Show, Waive
from rules.rulesets.options import Value
from rules.state.events import Viewer
from tests.properties.random_games import plain_player
from tests.properties.twins import Leak, compare, difference, sight

STEPS = 12
"""The maximum number of stops for which the game continues after a secret act."""


@dataclass(frozen=True, slots=True)
class Secret:
    """A secret act: its name, the player, the order, and the parties who may know of it. ``shows`` says when everybody
    may know: "never" before the phase is over, or "at the end of the stop"."""

    name: str
    by: Faction
    order: Order
    parties: tuple[Faction, ...]
    shows: str = "never"


def attack(game: Setting, play: Play, chance: Chance) -> str:
    """Do one secret act in a copy of the game, and compare what the others see. Return its name, or "" if there was
    none.

    Raise Leak if an uninvolved player sees a difference.
    """
    possible = [secret for secret in secrets(play, chance) if len(secret.parties) < len(play.state.players)]
    if not possible:
        return ""
    secret = chance.pick("secret", possible)
    one, other = copy_of(game, play), copy_of(game, play)
    outcome = other.submit(secret.by, [secret.order])[0]
    other.advance()
    onlookers: list[Viewer] = [faction for faction in play.state.players if faction not in secret.parties]
    onlookers.append("public")
    name = f"{secret.name}, {outcome.status}"
    _compare(name, secret, one, other, onlookers)
    if secret.shows == "never":
        for _ in range(STEPS):
            if (one.state.phase, one.state.turn) != (play.state.phase, play.state.turn):
                break
            _go_on(one, other)
            _compare(name, secret, one, other, onlookers)
    return name


def copy_of(game: Setting, play: Play) -> Play:
    """Return an independent copy of the game."""
    return Play.resume(play.game.rules, game.seed, play.snapshot, play.log[play.snapshot.entries :])


def _go_on(one: Play, other: Play) -> None:
    """Let all visible questions, and hidden offers, take their default."""
    visible: set[Key] = {question.key for question in one.questions() if not question.at_once}
    for play in (one, other):
        play.expire(visible.union(q.key for q in play.questions() if q.kind == "offer" and not q.at_once))
        play.advance()


def _compare(name: str, secret: Secret, one: Play, other: Play, onlookers: Sequence[Viewer]) -> None:
    for onlooker in onlookers:
        seen, also = sight(one, one.snapshot, onlooker), sight(other, one.snapshot, onlooker)
        for what in (*seen, *also):
            if seen.get(what) != also.get(what):
                where = f"{one.state.phase} of turn {one.state.turn}, {secret.by}: {secret.order}"
                raise Leak(
                    f"{name}: to {onlooker} {what} differs ({where}):\n{difference(seen.get(what), also.get(what))}"
                )


# --- secret acts -------------------------------------------------------------------------------------------------


def secrets(play: Play, chance: Chance) -> Iterator[Secret]:
    """Yield the acts that are possible now and that only the player, and perhaps a partner, may know of."""
    factions = list(play.state.players)
    by = chance.pick("by", factions)
    partner = chance.pick("partner", [faction for faction in factions if faction != by])
    both = (by, partner)
    if _others_waited_for(play, by):
        yield Secret("a waiver", by, Waive("mentat"), (by,))
    offered = chance.draw("pays", play.state.players[by].spice + 2)
    yield Secret("spice shown", by, Show("spice", readers=(partner,)), both)
    yield Secret("a hand shown", by, Show("hand", readers=(partner,)), both)
    yield Secret("a deal offered", by, Deal(partner, "Leave me Carthag", offered, 1), both)
    if "emperor" in factions and partner != "emperor":
        yield Secret("a gift offered", "emperor", EmperorGives(1, partner), ("emperor", partner))
    if any(question.kind == "transfer" for question in play.asked()):
        yield Secret("a gift promised", by, Give(1, partner), (*both, *_promised(play, by)))
    yield from _half_rates(play, by)
    yield from _answers(play, chance)
    yield from _out_of_season(play, by, chance)


def _half_rates(play: Play, by: Faction) -> Iterator[Secret]:
    """Yield a Karama for the shipment in this slot; nothing shows it before the shipment."""
    slot = play.game.moments.slot
    shipper = slot.mover if slot else None
    if shipper is None or not (shipper == by or FOR_ANY_PLAYER(play.game.rules)):
        return
    order = Karama("half shipping", faction=None if shipper == by else shipper)
    if is_unseen(play.game, order) and play.check(by, order).status == "accepted":
        yield Secret("a half rate meant", by, order, (by, shipper), "at the end of the stop")


def _answers(play: Play, chance: Chance) -> Iterator[Secret]:
    """Yield an answer while another player is still asked, or a declined offer."""
    waiting = play.questions()
    for question in waiting:
        asked = question.faction
        if question.kind == "offer":
            offers = [other for other in waiting if (other.faction, other.kind) == (asked, "offer")]
            givers = [as_faction(other.facts["from"]) for other in offers]
            if question.beside or _others_waited_for(play, asked):
                yield Secret("an offer declined", asked, Decline(), (asked, *givers))
        elif question.beside or _others_waited_for(play, asked):
            order = chance.pick("answer", list(question.samples()))
            partner = (order.faction, *_promised(play, asked)) if isinstance(order, Give) else _promised(play, asked)
            allies = play.state.ally_group(asked) if question.kind == "ally-support" else ()
            parties = (asked, *partner, *allies)
            yield Secret(f"an answer to {question.kind}", asked, order, parties, "at the end of the stop")


def _promised(play: Play, giver: Faction) -> tuple[Faction, ...]:
    """Return the factions to which this faction has promised a gift that it may withdraw."""
    given = play.game.filed.get((giver, "transfer", ""), ())
    return tuple(order.faction for order in given if isinstance(order, Give))


def _others_waited_for(play: Play, by: Faction) -> bool:
    """Return True if the stop stays open, whatever this player does."""
    return any(not question.beside and question.faction != by for question in play.questions())


def _out_of_season(play: Play, by: Faction, chance: Chance) -> Iterator[Secret]:
    """Yield orders that answer no open question of this player. They are held or refused."""
    known = [question for question in play.asked() if question.faction != by]
    for question in known:
        order = chance.pick("stray", list(question.samples()))
        if not _wanted(play, by, order):
            yield Secret("a stray order", by, order, (by,), "at the end of the stop")


def _wanted(play: Play, by: Faction, order: Order) -> bool:
    return any(question.faction == by and question.fits(order) for question in play.asked())


# --- searches ------------------------------------------------------------------------------------------------------


def watch(game: Setting, chance: Chance, often: int) -> Iterator[str]:
    """Play a random game, and compare pairs of both kinds on the way. Yield the name of each comparison, or the leak.

    ``often`` is the percentage of stops at which a secret act is done.
    """
    play, player = game.start(), plain_player(game)
    snapshot = None
    while not play.over:
        if play.snapshot is not snapshot:
            snapshot = play.snapshot
            for viewer in play.state.players:
                try:
                    yield compare(play.game.rules, game.seed, snapshot, viewer, chance)
                except Leak as leak:
                    yield f"LEAK {leak}"
        if chance.draw("watch", 100) < often:
            try:
                yield attack(game, play, chance)
            except Leak as leak:
                yield f"LEAK {leak}"
        player.act(play)


def hunt(ruleset: str, pairs: int, first: int = 0, options: tuple[tuple[str, Value], ...] = ()) -> int:
    """Compare this many pairs, print one leak of each sort, and count the leaks. Every second game begins late."""
    compared, leaks = Counter[str](), Counter[str]()
    number = first
    while compared.total() < pairs:
        game = setting(ruleset, f"hunt {number}", 3 + number // 2 % 4, options, late=number % 2 == 1)
        for name in watch(game, Chance(game.seed, {}), 20):
            if name.startswith("LEAK"):
                sort = name.partition("(")[0].partition(" in the ")[0]
                leaks[sort] += 1
                if leaks[sort] == 1:
                    print(f"{game.seed}: {name[:2000]}", flush=True)
            elif name:
                compared[name] += 1
            if compared.total() >= pairs:
                break
        number += 1
    for name, times in (*compared.most_common(), *leaks.most_common()):
        print(f"{times:7} {name}")
    return leaks.total()


if __name__ == "__main__":
    pairs, *first = [int(given) for given in sys.argv[2:] if "=" not in given]
    own_options = read_options([given for given in sys.argv[2:] if "=" in given])
    found = hunt(sys.argv[1], pairs, first[0] if first else 0, tuple(own_options.items()))
    print(f"{found} leaks in {sys.argv[2]} pairs of {sys.argv[1]}")
    sys.exit(1 if found else 0)
