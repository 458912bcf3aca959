"""What tokens are worth on the dial, and what the winner must give up for it (AH.X.B.1, AH.X.C.6, AH.XXII).

In the basic game a token counts one. In the advanced game it counts full with one spice behind it and half without
(AH.XXII.A.1); a starred token is worth two, but one where its bonus does not hold (AH.SHIELD.EMP.2,
AH.AID.ADV.FRE.4-a). Whom the Fremen support, themselves first, fights at full strength for nothing (WBC.HR.6).

Strength is reckoned in halves, so that all numbers are whole: a dial of 2.5 is 5 halves.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from rules.components import FACTION_FACTS, Faction, Forces
from rules.decisions.catalogue import rules_of
from rules.rulesets.options import Option
from rules.state.game import Game
from rules.state.moments import BattleMoment
from rules.state.state import NONE

SPICE_COUNTS = Option("combat_model", {"tokens": False, "spice_supported": True})
STARS_COUNT = Option("starred_tokens", {"plain": False, "elite": True})


class Worth(NamedTuple):
    """How a side's tokens count: what a starred one is worth, whether strength has to be paid for, and whether an
    ordinary one counts a half whatever spice is there (``half``), so that spice stands behind starred ones alone."""

    elite: int
    paid: bool
    half: bool = False


def forces_in(game: Game, battle: BattleMoment, faction: Faction) -> Forces:
    """The tokens that the faction has in this battle, in all its sectors together (AH.QA.B.1-b)."""
    total = NONE
    for area in battle.areas:
        total += game.here(area, faction)
    return total


def worth(game: Game, battle: BattleMoment, faction: Faction) -> Worth:
    """How the faction's tokens count in this battle."""
    paid = SPICE_COUNTS(game.rules) and not supported_free(game, battle, faction)
    return Worth(_elite_worth(game, battle, faction), paid, half=rules_of(game, faction).ordinary_counts_half)


def supported_free(game: Game, battle: BattleMoment, faction: Faction) -> bool:
    """Whether somebody's support holds for this faction here (WBC.HR.6a, WBC.HR.6c, WBC.HR.6d)."""
    if "fremen support" in battle.cancelled:
        return False
    return any(rules_of(game, other).supports(game, faction) for other in game.state.ally_group(faction))


def has_bonus(game: Game, battle: BattleMoment, faction: Faction) -> bool:
    """Whether starred tokens of the faction stand here and count more than one."""
    return forces_in(game, battle, faction).elite > 0 and _elite_worth(game, battle, faction) > 1


def karama_against(faction: Faction) -> str:
    """The effect of a Karama that takes the bonus of the faction's starred tokens away: "cancel sardaukar"."""
    return f"cancel {FACTION_FACTS[faction].elite_name.lower()}"


def _elite_worth(game: Game, battle: BattleMoment, faction: Faction) -> int:
    counts = STARS_COUNT(game.rules) or FACTION_FACTS[faction].elite_always
    return rules_of(game, faction).starred_worth(game, battle) if counts else 1


@lru_cache(maxsize=4096)
def most(forces: Forces, worth: Worth, spice: int) -> int:
    """The highest dial in halves with so much spice.

    >>> most(Forces(6), Worth(2, paid=True), 2)  # two full, four halves: 4
    8
    >>> most(Forces(3, 2), Worth(2, paid=False, half=True), 0)
    11
    """
    if not worth.paid:
        return (1 if worth.half else 2) * forces.ordinary + 2 * worth.elite * forces.elite
    full_elite = min(spice, forces.elite)
    full_ordinary = 0 if worth.half else min(spice - full_elite, forces.ordinary)
    return forces.ordinary + worth.elite * forces.elite + full_ordinary + worth.elite * full_elite


def highest(forces: Forces, worth: Worth, spice: int, limit: int) -> int:
    """The highest dial in halves, up to a limit, that tokens and spice really make (WBC.X.24)."""
    dial = min(limit, most(forces, worth, spice))
    while not losses(forces, worth, spice, dial):
        dial -= 1
    return dial


def least_spice(forces: Forces, worth: Worth, held: int, dial: int) -> int | None:
    """The least spice with which the tokens make this dial, up to what is held; None if they cannot."""
    if not worth.paid:
        return 0 if losses(forces, worth, 0, dial) else None
    return next((spice for spice in range(held + 1) if losses(forces, worth, spice, dial)), None)


@lru_cache(maxsize=8192)
def losses(forces: Forces, worth: Worth, spice: int, dial: int) -> tuple[Forces, ...]:
    """What the winner may lose: tokens that make up the dial with the spice paid (AH.XXII.C-a); none if nothing does.

    As much of the spice as the dial can hold stands behind the tokens lost; what is over is wasted. Fewest starred
    tokens come first, then fewest tokens.

    >>> losses(Forces(4, 2), Worth(2, paid=True), 3, 10)
    (Forces(ordinary=4, elite=1), Forces(ordinary=1, elite=2), Forces(ordinary=2, elite=2), Forces(ordinary=3, elite=2))
    """
    if not worth.paid:
        return _full_and_halves(forces, worth.elite, dial) if worth.half else _full(forces, worth.elite, dial)
    able = forces.elite if worth.half else forces.total
    for backed in range(min(spice, able), -1, -1):
        found = tuple(
            Forces(ordinary, elite)
            for elite in range(forces.elite + 1)
            for ordinary in range(forces.ordinary + 1)
            if _makes(ordinary, elite, worth, backed, dial)
        )
        if found:
            return found
    return ()


@lru_cache(maxsize=4096)
def losses_with_spice_left(forces: Forces, worth: Worth, spice: int, dial: int) -> tuple[Forces, ...]:
    """Which tokens a winner may lose for this dial, where the spice paid is only the most that may stand behind them,
    and less may be used (FAQ.ADV-COMBAT.1).

    >>> losses(Forces(4, 2), Worth(2, paid=True), 4, 10)
    (Forces(ordinary=3, elite=1), Forces(ordinary=4, elite=1))
    >>> losses_with_spice_left(Forces(4, 2), Worth(2, paid=True), 4, 10)[2:4]
    (Forces(ordinary=1, elite=2), Forces(ordinary=2, elite=2))
    """
    if not worth.paid:
        return losses(forces, worth, spice, dial)
    found = {loss for backed in range(spice + 1) for loss in losses(forces, worth, backed, dial)}
    return tuple(sorted(found, key=lambda lost: (lost.elite, lost.ordinary)))


LOSSES = Option("losses_vs_spice", {"exact": losses, "at_most": losses_with_spice_left})


def _full(forces: Forces, elite_worth: int, dial: int) -> tuple[Forces, ...]:
    whole, half = divmod(dial, 2)
    if half:
        return ()
    return tuple(
        Forces(whole - elite_worth * elite, elite)
        for elite in range(forces.elite + 1)
        if 0 <= whole - elite_worth * elite <= forces.ordinary
    )


def _full_and_halves(forces: Forces, elite_worth: int, dial: int) -> tuple[Forces, ...]:
    """Starred tokens at full strength and ordinary ones of a half each that make the dial."""
    return tuple(
        Forces(dial - 2 * elite_worth * elite, elite)
        for elite in range(forces.elite + 1)
        if 0 <= dial - 2 * elite_worth * elite <= forces.ordinary
    )


def _makes(ordinary: int, elite: int, worth: Worth, backed: int, dial: int) -> bool:
    """Whether these tokens, exactly so many of them backed by spice, make the dial."""
    if backed > (elite if worth.half else ordinary + elite):
        return False
    unbacked = ordinary + worth.elite * elite
    least = backed if worth.half else max(0, backed - ordinary)
    return any(
        unbacked + backed - full_elite + worth.elite * full_elite == dial
        for full_elite in range(least, min(elite, backed) + 1)
    )


def dial_text(halves: int) -> str:
    """`dial_text(5) == "2.5"`, `dial_text(6) == "3"`."""
    return f"{halves // 2}.5" if halves % 2 else str(halves // 2)


def as_dial(halves: int) -> float:
    """The number of a plan."""
    return halves / 2


OPTIONS = (SPICE_COUNTS, STARS_COUNT, LOSSES)


def in_halves(dial: float) -> int | None:
    """The dial in halves; None if it is no number of halves, or below nothing.

    >>> in_halves(2.5), in_halves(0.3)
    (5, None)
    """
    halves = dial * 2
    return int(halves) if halves >= 0 and halves == int(halves) else None
