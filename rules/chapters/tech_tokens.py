"""Tech tokens (IT.TECH): their owners, triggers and payments.

Each token starts with one faction; tokens of factions that are not in play are dealt to others after the first storm.
The three tokens are triggered by charity, by free revival and by shipping from off the planet. Any faction can trigger
a token, with one exception for each token. At the end of the phase in which it was triggered, a token pays its owner
one spice for every tech token they own. A faction that beats another in battle takes one of its tokens. A faction that
owns all three holds the equivalent of a stronghold (``rules.chapters.victory``).
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from msgspec import UNSET

from rules.components import FACTION_FACTS, Faction
from rules.components.factions import TECH_TOKENS, TechToken
from rules.decisions.question import Flow, Stop
from rules.decisions.windows import karama_can, window
from rules.rulesets.options import Option
from rules.rulesets.ruleset import expansion_of
from rules.state.game import Game
from rules.state.state import Expansion

PLAYED = Option("tech_tokens", {"with_factions": "with_factions", "on": "on", "off": "off"})
"""The games that use tech tokens: those with one of the expansion's factions, all, or none (IT.GEN.3)."""
DEALT_ON = Option("third_token_of_two", {"out": False, "dealt_on": True})
"""True if tokens are still dealt when everybody already has one (IT.TECH.4)."""
ADVISORS_COUNT = Option("advisor_triggers_heighliners", {"no": False, "yes": True})
"""True if an advisor who goes along with a shipment also counts as a shipment (IT.TECH.10)."""


def are_played(game: Game) -> bool:
    # IT.GEN.3
    if game.state.expansion is UNSET or PLAYED(game.rules) == "off":
        return False
    new = (faction for faction in game.state.players if FACTION_FACTS[faction].expansion == expansion_of(game.rules))
    return PLAYED(game.rules) == "on" or any(new)


# --- Owners -------------------------------------------------------------------------------------------------------


def at_the_start(game: Game) -> None:
    # IT.TECH.2
    if are_played(game):
        box = game.state.box
        box.tech_tokens = {token: facts.owner for token, facts in TECH_TOKENS.items() if game.plays(facts.owner)}
        if box.tech_tokens:
            game.tell("tech-tokens", owners=dict(box.tech_tokens), dealt=False)


def after_first_storm(game: Game) -> None:
    """Shuffle the tech tokens whose faction is not in play, and deal them to factions without one, beginning with the
    first player (IT.TECH.3, IT.TECH.4, IT.ORDER.3)."""
    if not are_played(game) or game.state.turn > 1:
        return
    box = game.state.box
    left = [token for token in TECH_TOKENS if token not in box.tech_tokens]
    game.chance.shuffle("tech-tokens", left)
    dealt: dict[TechToken, Faction] = {}
    while left:
        owners = {*box.tech_tokens.values(), *dealt.values()}
        able = [faction for faction in game.order_of_play() if faction not in owners]
        if not able and DEALT_ON(game.rules):
            able = list(game.order_of_play())
        if not able:
            break
        for faction in able[: len(left)]:
            dealt[left.pop(0)] = faction
    if dealt:
        box.tech_tokens = {token: owner for token in TECH_TOKENS if (owner := (box.tech_tokens | dealt).get(token))}
        game.tell("tech-tokens", owners=dealt, dealt=True)


def owned_by(game: Game, faction: Faction) -> list[TechToken]:
    return [token for token, owner in game.state.box.tech_tokens.items() if owner == faction]


def has_full_set(game: Game, faction: Faction) -> bool:
    """Return whether the faction owns all three tech tokens, which together count as one stronghold (IT.TECH.21)."""
    return game.state.expansion is not UNSET and len(owned_by(game, faction)) == len(TECH_TOKENS)


# --- Payments -----------------------------------------------------------------------------------------------------


def set_off(game: Game, phase: str, doer: Faction) -> None:
    """Trigger the tech token that pays at the end of this phase; until then spice lies on it (IT.TECH.6 to 9,
    IT.TECH.12, IT.TECH.14). It makes no difference how many factions trigger it."""
    if game.state.expansion is UNSET:
        return
    box = game.state.box
    for token in box.tech_tokens:
        facts = TECH_TOKENS[token]
        if facts.pays_at == phase and doer != facts.not_by and token not in box.tech_spice:
            box.tech_spice.append(token)


def pay_at_the_end(game: Game) -> Flow:
    """Pay the owner of each triggered tech token one spice for every tech token they own (IT.TECH.11, IT.TECH.13). A
    Karama can stop the payment if the rule set allows that (IT.TECH.20)."""
    if game.state.expansion is UNSET:
        return
    box: Expansion = game.state.box
    for token in list(box.tech_spice):
        owner = box.tech_tokens[token]
        amount = len(owned_by(game, owner))
        if (yield from _is_paid(game, token, owner, amount)):
            game.gain(owner, amount)
            game.tell("tech-token-paid", token=token, faction=owner, amount=amount)
    box.tech_spice = []


def _is_paid(game: Game, token: TechToken, owner: Faction, amount: int) -> Generator[Stop, None, bool]:
    if not karama_can(game.rules, "cancel token payment"):
        return True
    moments = game.moments
    moments.token_pays = token
    about: dict[str, Any] = {"token": token, "by": owner, "amount": amount}
    yield from window(game, "token-payment", lambda: moments.token_pays is not None, **about)
    paid, moments.token_pays = moments.token_pays is not None, None
    return paid
