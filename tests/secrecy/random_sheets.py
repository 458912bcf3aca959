"""Random sheet lines as players might file them: caps, plan trees, cards and powers for later, waivers, nonsense.

They are text, so they are parsed as mail is. Many name things that their writer does not hold, because players try
that.
"""

from __future__ import annotations

from collections.abc import Iterator

from rules.components import Faction, leaders_of
from rules.components.chance import Chance
from rules.engine.play import Play

MOST = 4
"""The maximum number of lines in one mail."""


def sheet_lines(play: Play, faction: Faction, chance: Chance) -> tuple[str, ...]:
    """Return a few lines for this faction's sheet."""
    pool = list(_lines(play, faction, chance))
    chance.shuffle("lines", pool)
    chosen = pool[: 1 + chance.draw("many", MOST)]
    return tuple(line if chance.draw("at once", 2) else _on_the_sheet(line) for line in chosen)


def _on_the_sheet(line: str) -> str:
    """Return the line in the form for a sheet, if it would otherwise be an order for now."""
    conditional = line.startswith(("standing:", "when ", "waive ")) or " if " in line or " unless " in line
    return line if conditional else f"standing: {line}"


def _lines(play: Play, faction: Faction, chance: Chance) -> Iterator[str]:
    other = chance.pick("other", [each for each in play.state.players if each != faction])
    yield from _bids(other, chance)
    yield from _cards(other, chance)
    yield from _moves(other, chance)
    yield from _plans(play, faction, other, chance)
    yield "ask me if phase " + chance.pick("phase", ["bidding", "movement", "battle"])
    yield "waive reactions until " + chance.pick("until", ["bidding", "movement", "battle", "mentat"])
    yield "when the sleeper awakens: pass"
    yield f"bid up to 5 if {other} holds karama"


def _bids(other: Faction, chance: Chance) -> Iterator[str]:
    cap, card = chance.draw("cap", 8), 1 + chance.draw("card", 5)
    yield f"bid up to {cap}"
    yield f"when card {card}: bid up to {cap + 2}"
    yield f"when price < {cap} and {other} has passed: bid up to {cap + 1} by 2"
    yield f"pass unless top bidder is {other}"
    yield "standing: charity"
    yield "standing: no charity if spice > 0"


def _cards(other: Faction, chance: Chance) -> Iterator[str]:
    yield chance.pick("effect", ["karama cancel voice", "karama cancel prescience", "karama half shipping"])
    yield f"when window voice against me and fighting {other}: karama cancel voice"
    yield f"when card {1 + chance.draw('blocked', 4)}: karama free card purchase"
    yield f"when window shipment by {other}: karama stop shipment"
    yield f"weather control {chance.draw('sectors', 11)} if storm between 4 and 12"
    yield "family atomics"
    yield "no storm cards"
    yield f"when phase movement: truthtrance {other}: do you hold Karama?"
    yield "ghola 3 if tanks > 2"
    yield f"when phase charity: deal with {other}: peace; I pay 1"


def _moves(other: Faction, chance: Chance) -> Iterator[str]:
    area = chance.pick("area", ["arrakeen", "carthag", "tueks-sietch", "habbanya-ridge-sietch", "polar-sink"])
    yield f"ship {1 + chance.draw('tokens', 3)} to {area}"
    yield f"ship 2 to {area} if {other} has shipped"
    yield chance.pick("idle", ["no shipment", "no move", "standing: no advisor", "no revival", "standing: revive 2"])
    yield f"go now if after {other}"
    yield chance.pick("nexus", [f"ally {other}", "no alliance", f"break alliance if {other} is allied"])


def _plans(play: Play, faction: Faction, other: Faction, chance: Chance) -> Iterator[str]:
    leader = chance.pick("leader", [*leaders_of(faction), "cheap hero"])
    hand = zip(("weapon", "defense"), play.state.players[faction].hand, strict=False)
    plan = f"plan dial {chance.draw('dial', 4)} leader {leader}" + "".join(f" {kind} {card}" for kind, card in hand)
    yield f"when fighting {other}: {plan}"
    yield f"when fighting {other} and voiced not poison weapon: {plan}"
    yield f"when asked number: {plan}"
    yield chance.pick("treachery", ["no treachery", "treachery", f"treachery if fighting {other}"])
    yield chance.pick("capture", ["capture kill", "capture keep", "no capture"])
    yield chance.pick("gift", ["keep nothing", f"give 1 spice to {other}", "no transfer"])
