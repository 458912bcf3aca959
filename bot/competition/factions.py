"""How factions come to the players of a table other than by the draw: two cards, preferences, an auction, trades.

All are functions of what was drawn and what the players sealed. Entrants stand in *drawn order*, which decides what
the papers leave open, so nobody gains by writing early.

**Two cards.** Everybody is offered two faction cards and keeps one, sealed; all are shown together. Where the box has
factions to spare, nobody else holds one's two cards. A table of six with six factions offers each faction twice: two
players hold the same two cards (with an odd number, three hold three in a ring). Both get their wish unless they wish
the same; as many wishes as possible are granted, and drawn order decides the rest. Nobody learns who holds the same
cards before all are shown.

**Preferences.** `guild, fremen = atreides, *, harkonnen`: the Guild first, then Fremen or Atreides alike, then any of
the others, then Harkonnen. A player who gets the n-th best of their list loses as many places as there are factions
that they prefer. Losses of earlier rounds count: the assignment has the least sum of ``(lost before + lost now)²``. So
somebody whose wish was granted pays in the next round if they and another want the same, and nobody is always last.

**Auction.** Everybody seals one paper: what each faction is worth to them, in tenths of a point of this table. The
factions go to where they are worth most in all. Each player pays what the others together lose by it: the sum that
they could have had without that player, less the sum that they have (Vickrey's price, here also the lowest at which
nobody prefers another faction). The price does not depend on one's own paper, so it is best to write the truth.

**Trades.** One writes `trade E003 paying 2`, the other `trade E001 getting 2`: the swap is made when both papers agree.
The payer pays the spice from what their new faction starts with, and it goes to the other's new faction; nobody can pay
more than there is. A swap cancels all open papers of both, as their factions are not what they were.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

from bot.competition.outcomes import Handle
from bot.competition.scoring import NotANumber, read_points
from bot.competition.settings import TournamentSettings
from rules.components import FACTION_FACTS, Faction, faction_name
from rules.components.chance import Chance
from rules.rulesets import ruleset
from rules.rulesets.ruleset import factions_with_expansion

FEWEST_LETTERS = 3


class PaperRefused(ValueError):
    """What was filed cannot be what is asked for; the message tells its writer what would be."""


def faction_named(words: str, among: Sequence[Faction]) -> Faction:
    """The faction that is meant, of those that are played here; three letters or more of its name are enough where they
    begin no other. PaperRefused for what is none of them.

    >>> faction_named("Bene Gesserit", ["guild", "bene-gesserit"]), faction_named("bg", ["bene-gesserit"])
    ('bene-gesserit', 'bene-gesserit')
    """
    said = _bare(words)
    for faction in among:
        facts = FACTION_FACTS[faction]
        if said in map(_bare, (faction, facts.name, facts.abbreviation, *facts.aliases)):
            return faction
    begun = [faction for faction in among if len(said) >= FEWEST_LETTERS and _bare(faction).startswith(said)]
    if len(begun) == 1:
        return begun[0]
    shown = words.strip()[:40]
    known = ", ".join(map(faction_name, among))
    raise PaperRefused(f"{shown!r} is no faction of this table; there are {known}.")


def _bare(words: str) -> str:
    return re.sub(r"[\s_-]+", " ", words.strip().casefold())


def box_of(settings: TournamentSettings) -> tuple[Faction, ...]:
    """The factions among which is drawn and chosen, in the order of the data. RuleSetError or LookupError where the
    settings name an expansion that the rule set has not got, or that does not exist."""
    expansion = ruleset.expansion_in(settings.tables.ruleset, settings.tables.options)
    return factions_with_expansion(expansion.name if expansion else "")


Costs = Mapping[Handle, Mapping[Faction, int]]


def cheapest_assignment(entrants: Sequence[Handle], factions: Sequence[Faction], costs: Costs) -> dict[Handle, Faction]:
    """One faction for each entrant so that the sum of the costs is the least.

    Of several such assignments it is the one in which the first entrant has the least cost, then the second, and so on;
    and where that too is the same, the one whose factions come first in the order given. A faction without a cost for
    an entrant cannot be theirs. ValueError where nobody can be served so.
    """

    @cache
    def least(number: int, taken: int) -> int | None:
        """What the entrants from this one on cost at least."""
        if number == len(entrants):
            return 0
        found = [rest + own for rest, own, _ in _choices(number, taken)]
        return min(found, default=None)

    def _choices(number: int, taken: int) -> list[tuple[int, int, int]]:
        own = costs[entrants[number]]
        choices = []
        for bit, faction in enumerate(factions):
            if taken >> bit & 1 or faction not in own:
                continue
            rest = least(number + 1, taken | 1 << bit)
            if rest is not None:
                choices.append((rest, own[faction], bit))
        return choices

    if least(0, 0) is None:
        raise ValueError("There is no assignment of a faction to everybody.")
    assigned, taken = {}, 0
    for number, entrant in enumerate(entrants):
        best = least(number, taken)
        _, bit = min((own, bit) for rest, own, bit in _choices(number, taken) if rest + own == best)
        assigned[entrant] = factions[bit]
        taken |= 1 << bit
    return assigned


Offer = tuple[Faction, Faction]


def offer_cards(entrants: Sequence[Handle], factions: Sequence[Faction], seed: str, label: str) -> dict[Handle, Offer]:
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


def assign_kept_cards(
    entrants: Sequence[Handle], offers: Mapping[Handle, Offer], papers: Mapping[Handle, Faction]
) -> dict[Handle, Faction]:
    """What each gets of their two cards; entrants in drawn order. Who filed no choice takes what the others leave."""
    factions = sorted({faction for one in entrants for faction in offers[one]})
    costs = {
        one: {faction: int(one in papers and papers[one] != faction) for faction in sorted(offers[one])}
        for one in entrants
    }
    return cheapest_assignment(entrants, factions, costs)


def read_choice(text: str, offer: Offer) -> Faction:
    """What stands in a line `keep guild` after its first word. PaperRefused for a faction that was not offered."""
    if not text.strip():
        raise PaperRefused(f"Write which of the two you keep: keep {offer[0]}.")
    return faction_named(text, offer)


Wishes = tuple[tuple[Faction, ...], ...]
"""Groups of factions, the best first; those of one group are liked alike."""

REST = "*"


def read_preferences(text: str, factions: Sequence[Faction]) -> Wishes:
    """What stands in a line `preferences guild, fremen, *` after its first word. What is not named stands where the
    `*` is, and at the end where there is none. PaperRefused with a sentence for anything else.

    >>> read_preferences("guild, fremen, *", ["atreides", "fremen", "guild", "harkonnen"])
    (('guild',), ('fremen',), ('atreides', 'harkonnen'))
    """
    groups: list[list[Faction] | None] = []
    named: set[Faction] = set()
    for part in re.split(r"[,;>]", text.strip().rstrip(".")):
        said = [one.strip() for one in re.split(r"[=/]", part)]
        if said == [REST]:
            if None in groups:
                raise PaperRefused("The * stands there twice; it means all factions that are not named.")
            groups.append(None)
            continue
        group = []
        for one in said:
            if one in ("", REST):
                raise PaperRefused("Write the factions with commas between: preferences guild, fremen = atreides, *.")
            faction = faction_named(one, factions)
            if faction in named:
                raise PaperRefused(f"{one!r} stands there twice.")
            named.add(faction)
            group.append(faction)
        groups.append(group)
    rest = [faction for faction in factions if faction not in named]
    whole = [rest if group is None else group for group in groups] + ([] if None in groups else [rest])
    return tuple(tuple(sorted(group, key=factions.index)) for group in whole if group)


def wishes_among(wishes: Wishes, factions: Collection[Faction]) -> Wishes:
    """The same wishes where only these factions can be had.

    >>> wishes_among((("guild",), ("fremen", "emperor")), ["emperor", "fremen"])
    (('fremen', 'emperor'),)
    """
    groups = (tuple(faction for faction in group if faction in factions) for group in wishes)
    return tuple(group for group in groups if group)


def places_lost(wishes: Wishes, faction: Faction) -> int:
    """How many factions they would rather have had; none where they filed no list.

    >>> wishes = (("guild",), ("fremen", "emperor"), ("atreides",))
    >>> [places_lost(wishes, faction) for faction in ("guild", "emperor", "atreides")]
    [0, 1, 3]
    """
    better = 0
    for group in wishes:
        if faction in group:
            return better
        better += len(group)
    return better


def assign_by_preference(
    entrants: Sequence[Handle],
    factions: Sequence[Faction],
    papers: Mapping[Handle, Wishes],
    lost_before: Mapping[Handle, int] | None = None,
) -> dict[Handle, Faction]:
    """Who gets which faction; entrants in drawn order, which decides between assignments that are as good. Who filed no
    list likes all alike. ``lost_before``: the places that somebody lost in earlier rounds."""
    costs = {
        one: {faction: ((lost_before or {}).get(one, 0) + places_lost(papers.get(one, ()), faction)) ** 2
              for faction in factions}
        for one in entrants
    }  # fmt: skip
    return cheapest_assignment(entrants, factions, costs)


Worths = Mapping[Faction, int]
"""What each faction is worth to somebody, in tenths of a point; nothing where it is missing."""


@dataclass(frozen=True, slots=True)
class Sale:
    """What an entrant got, and what they pay for it in tenths of a point."""

    faction: Faction
    price: int


def hold_auction(
    entrants: Sequence[Handle], factions: Sequence[Faction], papers: Mapping[Handle, Worths]
) -> dict[Handle, Sale]:
    """Who gets which faction at what price; entrants in drawn order. Nothing is worth anything to who sent no paper."""
    costs = {one: {faction: -papers.get(one, {}).get(faction, 0) for faction in factions} for one in entrants}
    assigned = cheapest_assignment(entrants, factions, costs)
    whole = _worth(assigned, costs)
    sold = {}
    for one in entrants:
        others = [other for other in entrants if other != one]
        without = _worth(cheapest_assignment(others, factions, costs), costs)
        with_them = whole + costs[one][assigned[one]]
        sold[one] = Sale(assigned[one], without - with_them)
    return sold


def _worth(assigned: Mapping[Handle, Faction], costs: Mapping[Handle, Mapping[Faction, int]]) -> int:
    return -sum(costs[one][faction] for one, faction in assigned.items())


_BID = re.compile(r"\s*([^\W\d_][^\d,;:=]*?)(?:\s*[:=]\s*|\s+)(-?[\w./+-]*\d[\w./+-]*)\s*[,;]?")


def read_worths(text: str, factions: Sequence[Faction]) -> dict[Faction, int]:
    """What stands in a line `bid atreides 3 bene gesserit 5.5, guild 0` after its first word: each faction with what it
    is worth in points. Those not named are worth nothing. PaperRefused with a sentence for anything else.

    >>> read_worths("atreides 3 bene gesserit 5.5, guild 0", ["atreides", "bene-gesserit", "guild", "fremen"])
    {'atreides': 30, 'bene-gesserit': 55, 'guild': 0, 'fremen': 0}
    """
    worths: dict[Faction, int] = {}
    rest = text.strip()
    if not rest:
        raise PaperRefused("Write each faction with what it is worth to you in points: bid atreides 3 guild 1.5.")
    while rest:
        found = _BID.match(rest)
        if found is None:
            raise PaperRefused(f"After {rest[:40]!r} a number of points is missing; write bid atreides 3 guild 1.5.")
        faction = faction_named(found[1], factions)
        if faction in worths:
            raise PaperRefused(f"{found[1].strip()!r} stands there twice.")
        worths[faction] = _tenths(found[2])
        rest = rest[found.end() :].strip()
    return {faction: worths.get(faction, 0) for faction in factions}


def _tenths(said: str) -> int:
    try:
        tenths = read_points(said) * 10
    except NotANumber as error:
        raise PaperRefused(str(error)) from None
    if tenths != Fraction(int(tenths)):
        raise PaperRefused(f"{said!r} is finer than a tenth of a point.")
    return int(tenths)


@dataclass(frozen=True, slots=True)
class Trade:
    """A paper: ``by`` would swap factions with ``to``, and pay so much spice (or get it, if below 0)."""

    by: Handle
    to: Handle
    pays: int = 0

    @property
    def answer(self) -> Trade:
        """The paper by which the other agrees."""
        return Trade(self.to, self.by, -self.pays)


@dataclass(frozen=True, slots=True)
class TradeResult:
    """How it stands after the trades: who has which faction, with how much spice each starts, and the swaps that were
    made, in their order."""

    factions: Mapping[Handle, Faction]
    spice: Mapping[Faction, int]
    made: tuple[Trade, ...] = ()


def make_trades(
    factions: Mapping[Handle, Faction], spice: Mapping[Faction, int], papers: Iterable[Trade]
) -> TradeResult:
    """All papers of a table in the order in which they came. A new paper to the same player takes the place of the old
    one; one that cannot be (``refusal``) has no effect."""
    now, purse = dict(factions), dict(spice)
    waiting: dict[tuple[Handle, Handle], Trade] = {}
    made: list[Trade] = []
    for paper in papers:
        if trade_refusal(paper, now, purse):
            continue
        waiting[paper.by, paper.to] = paper
        if waiting.get((paper.to, paper.by)) != paper.answer:
            continue
        now[paper.by], now[paper.to] = now[paper.to], now[paper.by]
        purse[now[paper.by]] -= paper.pays
        purse[now[paper.to]] += paper.pays
        made.append(paper)
        both = {paper.by, paper.to}
        waiting = {pair: other for pair, other in waiting.items() if not both & set(pair)}
    return TradeResult(now, purse, tuple(made))


def trade_refusal(paper: Trade, factions: Mapping[Handle, Faction], spice: Mapping[Faction, int]) -> str:
    """Why such a trade cannot be, as a sentence; "" if it can."""
    if paper.by == paper.to or paper.by not in factions or paper.to not in factions:
        return "A faction is traded with another player of the same table."
    payer_gets = factions[paper.to if paper.pays >= 0 else paper.by]
    if abs(paper.pays) > spice[payer_gets]:
        return (
            f"The spice is paid from what {payer_gets} starts with, which is {spice[payer_gets]}: "
            f"{abs(paper.pays)} is too much."
        )
    return ""


_TRADE = re.compile(r"(?:with\s+)?(.+?)(?:[\s,]+(paying|pays?|getting|gets?|for)\s+(\S+)(?:\s+spice)?)?", re.IGNORECASE)


def read_trade(text: str, by: Handle, factions: Mapping[Handle, Faction]) -> Trade:
    """What stands in a line `trade E003 paying 2` after its first word, or `trade with the guild getting 2`.
    PaperRefused with a sentence for anything else.

    >>> read_trade("with guild getting 2", "E001", {"E001": "emperor", "E003": "guild"})
    Trade(by='E001', to='E003', pays=-2)
    """
    found = _TRADE.fullmatch(text.strip().rstrip("."))
    if found is None:
        raise PaperRefused("Write with whom you would swap: trade E003, trade E003 paying 2, or trade E003 getting 2.")
    whom, way, number = found.groups()
    whom = re.sub(r"^the\s+", "", whom, flags=re.IGNORECASE)
    if whom.upper() in factions:
        to = whom.upper()
    else:
        owner = {faction: handle for handle, faction in factions.items()}
        to = owner[faction_named(whom, list(owner))]
    if to == by:
        raise PaperRefused("A faction is traded with another player of the same table.")
    if number is not None and not re.fullmatch(r"[0-9]{1,3}", number, re.ASCII):
        raise PaperRefused(f"{number[:20]!r} is no amount of spice.")
    spice = int(number or 0)
    return Trade(by, to, -spice if way and way.lower().startswith(("get", "for")) else spice)
