"""Two faction cards are offered to everybody, and each keeps one, sealed; all are shown together.

Where the box has factions to spare, nobody else holds one's two cards. A table of six with six factions has only as
many factions as players, so each is offered twice: two players hold the same two cards (three hold three in a ring,
where the number is odd). Then both get what they wish unless they wish the same; as many wishes as possible are
granted, and drawn order decides the rest. Nobody is told who holds the same cards before all are shown.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bot.competition.factions.assignment import cheapest
from bot.competition.factions.naming import PaperRefused, faction_named
from bot.competition.outcomes import Handle
from rules.components import Faction
from rules.components.chance import Chance

Offer = tuple[Faction, Faction]


def offered(entrants: Sequence[Handle], factions: Sequence[Faction], seed: str, label: str) -> dict[Handle, Offer]:
    """Two cards for each, by draws of the seed under this label. ValueError with fewer factions than entrants, or
    for one entrant alone."""
    if len(entrants) < 2 or len(factions) < len(entrants):
        raise ValueError("For two cards there must be two players at least, and a faction for each.")
    chance = Chance(seed, {})
    players, cards = sorted(entrants), sorted(factions)
    chance.shuffle(f"{label}/players", players)
    chance.shuffle(f"{label}/cards", cards)
    to_spare = len(cards) - len(players)
    alone = len(players) if to_spare >= len(players) else min(to_spare, len(players) - 2)
    offers: dict[Handle, Offer] = {}
    for number, player in enumerate(players[:alone]):
        offers[player] = (cards[2 * number], cards[2 * number + 1])
    players, cards = players[alone:], cards[2 * alone :]
    while players:
        ring = 3 if len(players) == 3 else 2
        for number, player in enumerate(players[:ring]):
            offers[player] = (cards[number], cards[(number + 1) % ring])
        players, cards = players[ring:], cards[ring:]
    return {one: offers[one] for one in entrants}


def kept(
    entrants: Sequence[Handle], offers: Mapping[Handle, Offer], papers: Mapping[Handle, Faction]
) -> dict[Handle, Faction]:
    """What each gets of their two cards; entrants in drawn order. Who filed no choice takes what the others leave."""
    factions = sorted({faction for one in entrants for faction in offers[one]})
    costs = {
        one: {faction: int(one in papers and papers[one] != faction) for faction in sorted(offers[one])}
        for one in entrants
    }
    return cheapest(entrants, factions, costs)


def read_choice(text: str, offer: Offer) -> Faction:
    """What stands in a line `keep guild` after its first word. PaperRefused for a faction that was not offered."""
    if not text.strip():
        raise PaperRefused(f"Write which of the two you keep: keep {offer[0]}.")
    return faction_named(text, offer)
