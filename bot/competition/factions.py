"""Ways to assign factions to a table's players other than a simple draw: two cards, preferences, an auction, trades.

All functions depend only on the draw and on the players' sealed papers. Entrants are always in *drawn order*, which
settles any question that the papers leave open, so nobody gains by writing early.

**Two cards.** Each player is offered two faction cards and says in a sealed paper which one they keep; all choices are
shown at the same time. If there are enough factions, no card is offered to two players. At a table of six with six
factions, each faction is offered twice, so players come in pairs who hold the same two cards. If the number of players
is odd, three of them share three factions: each holds two of these. Two players who hold the same cards both get their
wish unless they want the same faction. As many wishes as possible are granted, and drawn order decides the rest.
Nobody learns who holds the same cards before the choices are shown.

**Preferences.** `guild, fremen = atreides, *, harkonnen` means: the Guild first, then the Fremen or the Atreides, then
any other faction, and the Harkonnen last. A player loses one place for each faction that they prefer to the one they
get. The assignment minimises the sum of ``(lost before + lost now)²``, where "before" means in earlier rounds. So a
player whose wish was granted has a smaller chance in the next round than a player whose wish was not, and nobody is
always last.

**Auction.** Each player files one sealed paper that gives the worth of each faction to them, in tenths of a point of
this table. The factions are assigned so that their total worth is as high as possible. Each player pays what their
presence costs the others: the total worth that the others could have had without that player, less the total worth that
they now have. This is the Vickrey price, which here is also the lowest price at which nobody prefers another faction.
The price does not depend on a player's own paper, so an honest bid is always best.

**Trades.** One player writes `trade E003 paying 2`, and the other writes `trade E001 getting 2`. The swap is made when
the two papers agree. The new faction of the player who pays starts with that much less spice, and the new faction of
the other player with that much more. Nobody can pay more spice than their new faction has. A swap cancels all open
papers of both players, because their factions have changed.

**Undrawn factions** (WBC.HR.1d). At a table of fewer than six, `trade guild` asks for a faction that nobody at the
table drew. The player gets it once all others at the table have agreed. A player who does not answer counts as
refusing.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Literal

from bot.competition.outcomes import Handle
from bot.competition.published import TableDrawn
from bot.competition.scoring import NotANumber, read_points
from bot.competition.seating_designs import allowed_factions
from bot.competition.seating_search import SEATS
from bot.competition.settings import TournamentSettings
from rules.components import FACTION_FACTS, Faction, faction_name, the_faction
from rules.components.chance import Chance
from rules.rulesets import ruleset
from rules.rulesets.ruleset import factions_with_expansion

FEWEST_LETTERS = 3


class PaperRefused(ValueError):
    pass


def faction_named(words: str, among: Sequence[Faction]) -> Faction:
    """Return the faction in ``among`` that the words name.

    Three letters or more are enough if no other name begins with them. Raise PaperRefused if no faction matches.

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
    raise PaperRefused(f"{shown!r} is not a faction of this table; the factions are {known}.")


def _bare(words: str) -> str:
    return re.sub(r"[\s_-]+", " ", words.strip().casefold())


def box_of(settings: TournamentSettings) -> tuple[Faction, ...]:
    """Return the factions that can be drawn or chosen, in the order of the data. Raise RuleSetError or LookupError if
    the settings name an expansion that does not exist or that the rule set does not have."""
    expansion = ruleset.expansion_in(settings.tables.ruleset, settings.tables.options)
    return factions_with_expansion(expansion.name if expansion else "")


Costs = Mapping[Handle, Mapping[Faction, int]]


def cheapest_assignment(entrants: Sequence[Handle], factions: Sequence[Faction], costs: Costs) -> dict[Handle, Faction]:
    """Give each entrant one faction so that the sum of the costs is as low as possible.

    Of several equally cheap assignments, the one that costs the first entrant least is chosen, then the one that costs
    the second least, and so on. Any remaining tie goes to factions that come earlier in ``factions``. An entrant cannot
    get a faction for which they have no cost. Raise ValueError if no assignment exists.
    """

    @cache
    def least(number: int, taken: int) -> int | None:
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
        raise ValueError("The factions cannot be assigned to all players.")
    assigned, taken = {}, 0
    for number, entrant in enumerate(entrants):
        best = least(number, taken)
        _, bit = min((own, bit) for rest, own, bit in _choices(number, taken) if rest + own == best)
        assigned[entrant] = factions[bit]
        taken |= 1 << bit
    return assigned


Offer = tuple[Faction, Faction]


def offer_cards(entrants: Sequence[Handle], factions: Sequence[Faction], seed: str, label: str) -> dict[Handle, Offer]:
    """Draw two cards for each entrant from the seed, using this label. Raise ValueError if there is only one entrant,
    or if there are fewer factions than entrants."""
    if len(entrants) < 2 or len(factions) < len(entrants):
        raise ValueError("Offering two cards takes at least two players, and a faction for each.")
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
    """Assign each entrant, in drawn order, one of their two cards. Entrants who did not file a choice get what is
    left."""
    factions = sorted({faction for one in entrants for faction in offers[one]})
    costs = {
        one: {faction: int(one in papers and papers[one] != faction) for faction in sorted(offers[one])}
        for one in entrants
    }
    return cheapest_assignment(entrants, factions, costs)


def read_choice(text: str, offer: Offer) -> Faction:
    if not text.strip():
        raise PaperRefused(f"Write which of the two you keep: keep {offer[0]}.")
    return faction_named(text, offer)


Wishes = tuple[tuple[Faction, ...], ...]
"""Groups of factions, with the best group first. The factions in a group are equally good."""

REST = "*"


def read_preferences(text: str, factions: Sequence[Faction]) -> Wishes:
    """Read the rest of a line `preferences guild, fremen, *`.

    Factions that are not named take the place of the `*`, or come last if there is none. Raise PaperRefused, with a
    sentence for the player, if the text is anything else.

    >>> read_preferences("guild, fremen, *", ["atreides", "fremen", "guild", "harkonnen"])
    (('guild',), ('fremen',), ('atreides', 'harkonnen'))
    """
    groups: list[list[Faction] | None] = []
    named: set[Faction] = set()
    for part in re.split(r"[,;>]", text.strip().rstrip(".")):
        said = [one.strip() for one in re.split(r"[=/]", part)]
        if said == [REST]:
            if None in groups:
                raise PaperRefused("The * appears twice; it means all factions that you do not name.")
            groups.append(None)
            continue
        group = []
        for one in said:
            if one in ("", REST):
                raise PaperRefused("Separate the factions with commas: preferences guild, fremen = atreides, *.")
            faction = faction_named(one, factions)
            if faction in named:
                raise PaperRefused(f"{one!r} appears twice.")
            named.add(faction)
            group.append(faction)
        groups.append(group)
    rest = [faction for faction in factions if faction not in named]
    whole = [rest if group is None else group for group in groups] + ([] if None in groups else [rest])
    return tuple(tuple(sorted(group, key=factions.index)) for group in whole if group)


def wishes_among(wishes: Wishes, factions: Collection[Faction]) -> Wishes:
    """Return the wishes without the factions that are not available.

    >>> wishes_among((("guild",), ("fremen", "emperor")), ["emperor", "fremen"])
    (('fremen', 'emperor'),)
    """
    groups = (tuple(faction for faction in group if faction in factions) for group in wishes)
    return tuple(group for group in groups if group)


def places_lost(wishes: Wishes, faction: Faction) -> int:
    """Return the number of factions that the player prefers to this one, or 0 if they filed no list.

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
    """Assign factions by preference. If several assignments are equally good, drawn order decides. Entrants who filed
    no list like all factions equally. ``lost_before`` counts the places that each entrant lost in earlier rounds."""
    costs = {
        one: {
            faction: ((lost_before or {}).get(one, 0) + places_lost(papers.get(one, ()), faction)) ** 2
            for faction in factions
        }
        for one in entrants
    }
    return cheapest_assignment(entrants, factions, costs)


Worths = Mapping[Faction, int]
"""The worth of each faction to a player, in tenths of a point. A faction that is missing is worth 0."""


@dataclass(frozen=True, slots=True)
class Sale:
    faction: Faction
    price: int


def hold_auction(
    entrants: Sequence[Handle], factions: Sequence[Faction], papers: Mapping[Handle, Worths]
) -> dict[Handle, Sale]:
    """Sell the factions to the entrants, who are in drawn order. If an entrant filed no paper, every faction is worth 0
    to them."""
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
    """Read the rest of a line `bid atreides 3 bene gesserit 5.5, guild 0`, which gives the worth of each faction in
    points.

    The result is in tenths of a point. Factions that are not named are worth nothing. Raise PaperRefused, with a
    sentence for the player, if the text is anything else.

    >>> read_worths("atreides 3 bene gesserit 5.5, guild 0", ["atreides", "bene-gesserit", "guild", "fremen"])
    {'atreides': 30, 'bene-gesserit': 55, 'guild': 0, 'fremen': 0}
    """
    worths: dict[Faction, int] = {}
    rest = text.strip()
    if not rest:
        raise PaperRefused("List each faction and how many points it is worth to you: bid atreides 3 guild 1.5.")
    while rest:
        found = _BID.match(rest)
        if found is None:
            raise PaperRefused(f"Points are missing after {rest[:40]!r}; write, for example: bid atreides 3 guild 1.5.")
        faction = faction_named(found[1], factions)
        if faction in worths:
            raise PaperRefused(f"{found[1].strip()!r} appears twice.")
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
    """A paper in which ``by`` offers to swap factions with ``to`` and to pay ``pays`` spice. If ``pays`` is below 0,
    ``by`` wants to be paid."""

    by: Handle
    to: Handle
    pays: int = 0

    @property
    def answer(self) -> Trade:
        return Trade(self.to, self.by, -self.pays)


@dataclass(frozen=True, slots=True)
class TradeResult:
    factions: Mapping[Handle, Faction]
    spice: Mapping[Faction, int]
    made: tuple[Trade, ...] = ()


def make_trades(
    factions: Mapping[Handle, Faction], spice: Mapping[Faction, int], papers: Iterable[Trade]
) -> TradeResult:
    """Apply all papers of a table in the order in which they arrived. A new paper replaces an earlier one to the same
    player. A paper that cannot be carried out (``trade_refusal``) has no effect."""
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
    if paper.by == paper.to or paper.by not in factions or paper.to not in factions:
        return "You can trade factions only with another player at your table."
    payer_gets = factions[paper.to if paper.pays >= 0 else paper.by]
    if abs(paper.pays) > spice[payer_gets]:
        return (
            f"The spice is paid from the starting spice of {payer_gets}, which is {spice[payer_gets]}: "
            f"{abs(paper.pays)} is too much."
        )
    return ""


_TRADE = re.compile(r"(?:with\s+)?(.+?)(?:[\s,]+(paying|pays?|getting|gets?|for)\s+(\S+)(?:\s+spice)?)?", re.IGNORECASE)


def read_trade(text: str, by: Handle, factions: Mapping[Handle, Faction]) -> Trade:
    """Read the rest of a line `trade E003 paying 2` or `trade with the guild getting 2`.

    Raise PaperRefused, with a sentence for the player, if the text is anything else.

    >>> read_trade("with guild getting 2", "E001", {"E001": "emperor", "E003": "guild"})
    Trade(by='E001', to='E003', pays=-2)
    """
    owner = {faction: handle for handle, faction in factions.items()}
    if (wanted := read_exchange(text, factions[by], list(owner)) if by in factions else None) and owner[wanted] != by:
        return Trade(by, owner[wanted])
    found = _TRADE.fullmatch(text.strip().rstrip("."))
    if found is None:
        raise PaperRefused("Name the player to trade with: trade E003, trade E003 paying 2, or trade E003 getting 2.")
    whom, way, number = found.groups()
    whom = re.sub(r"^the\s+", "", whom, flags=re.IGNORECASE)
    if whom.upper() in factions:
        to = whom.upper()
    else:
        to = owner[faction_named(whom, list(owner))]
    if to == by:
        raise PaperRefused("You can trade factions only with another player at your table.")
    if number is not None and not re.fullmatch(r"[0-9]{1,3}", number, re.ASCII):
        raise PaperRefused(f"{number[:20]!r} is not an amount of spice; write a whole number.")
    spice = int(number or 0)
    return Trade(by, to, -spice if way and way.lower().startswith(("get", "for")) else spice)


_EXCHANGE = re.compile(
    r"(?:(?:for|with|to)\s+)?(?:(?:my\s+)?(?P<own>.+?)\s+(?:for|against|to)\s+)?(?:the\s+)?(?:undrawn\s+)?(?P<wanted>.+)",
    re.IGNORECASE,
)


def read_exchange(text: str, own: Faction, box: Sequence[Faction]) -> Faction | None:
    """Return the faction that the player wants in exchange for theirs, or None if the line contains anything besides
    factions. Raise PaperRefused if the faction that they offer is not theirs.

    >>> read_exchange("my emperor for the undrawn guild", "emperor", ["emperor", "guild"])
    'guild'
    """
    found = _EXCHANGE.fullmatch(text.strip(" ."))
    if found is None:
        return None
    try:
        given = faction_named(found["own"], box) if found["own"] else own
        wanted = faction_named(found["wanted"], box)
    except PaperRefused:
        return None
    if given != own:
        raise PaperRefused(f"You do not have {the_faction(given)}; you have {the_faction(own)}.")
    return wanted


def undrawn_factions(settings: TournamentSettings, table: TableDrawn) -> list[Faction]:
    """Return the factions that nobody drew and that a player of the table may take if all agree (WBC.HR.1d)."""
    if len(table.seats) >= SEATS:
        return []
    drawn = {seat.faction for seat in table.seats}
    allowed = allowed_factions(len(table.seats), settings.tables.missing, box_of(settings))
    return [faction for faction in allowed if faction not in drawn]


def judge_wish(
    by: Handle, sitting: Collection[Handle], answers: Mapping[Handle, bool | None]
) -> Literal["granted", "refused", "changed", "waits"]:
    """Decide a player's wish for an undrawn faction from the answers of the players who were asked (WBC.HR.1d).

    The wish is granted only if everybody else who now sits at the table agrees. None means that a player has not
    answered yet.
    """
    if by not in sitting or {*answers, by} != set(sitting):
        return "changed"
    if False in answers.values():
        return "refused"
    return "granted" if all(answers.values()) else "waits"
