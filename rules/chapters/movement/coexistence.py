"""Coexistence of the Bene Gesserit, and who may enter where (AH.XV.B.4 to 5, WBC.XV.8 to 16, AH.XII.E.5, AH.IX.C.2.f).

Coexistence belongs to the territory, not to the tokens, and is declared where Bene Gesserit and others stand
together: at the beginning of the movement round, and later at the instant when they meet. Until the turn ends
"coexist" stays; "fight" may change only where all the others have left and somebody else comes (WBC.XV.12). In the
Polar Sink nobody fights, holds or collects anything, so nothing is declared there.

The same facts decide who may enter a territory: not where an ally stands, nor a stronghold with two other players,
and coexisting Bene Gesserit count as absent.
"""

from __future__ import annotations

from rules.components import Faction, board, faction_name
from rules.components.board import POLAR_SINK, STRONGHOLDS, TERRITORIES, TerritoryId
from rules.decisions.asking import ask
from rules.decisions.closures import Asked
from rules.decisions.question import Flow, Question
from rules.orders import Coexist, Fight, Order, QuestionKind
from rules.rulesets.refusal import Refusal
from rules.state.game import Game
from rules.state.moments import SlotMoment

BENE_GESSERIT: Faction = "bene-gesserit"
NOBODYS = board.territory_of(POLAR_SINK)

# --- Declarations --------------------------------------------------------------------------------------------------


def declarations(game: Game) -> Flow:
    """Before the first move: one declaration for each territory that is shared (AH.XV.B.5-a, WBC.IX.2)."""
    if _coexistence_exists(game):
        yield from _declare_where_due(game, "bg-status")


def meetings(game: Game) -> Flow:
    """Whenever tokens have come or gone: declarations for the territories where they have met (WBC.XV.11).

    Call it after each change on the board in the movement round; it asks only where a declaration is due.
    """
    if _coexistence_exists(game):
        _note_who_left(game)
        due = _due(game)
        for territory in due:
            if _must_coexist(game, territory):
                _record(game, territory, Coexist(territory), forced=True)  # at once, with the entry (WBC.XV.15)
        if due:
            yield from _declare_where_due(game, "intrusion")


def accompany(game: Game, territory: TerritoryId) -> None:
    """An advisor has come with a shipment: the Bene Gesserit coexist there (AH.XV.B.3)."""
    if _coexistence_exists(game) and territory != NOBODYS and game.state.presence.get(territory) != "coexist":
        _record(game, territory, Coexist(territory), forced=True)


def _coexistence_exists(game: Game) -> bool:
    return game.rules.bg_presence_model == "coexistence" and game.plays(BENE_GESSERIT)


def _others(game: Game, territory: TerritoryId) -> list[Faction]:
    return [faction for faction in game.state.forces_in(territory) if faction != BENE_GESSERIT]


def _due(game: Game) -> list[TerritoryId]:
    """Where the Bene Gesserit are not alone and have something to declare, in board order."""
    mine = {board.territory_of(area) for area, here in game.state.forces.items() if BENE_GESSERIT in here}
    due = {territory for territory in mine - {NOBODYS} if _undeclared(game, territory) and _others(game, territory)}
    return [territory for territory in TERRITORIES if territory in due] if due else []


def _undeclared(game: Game, territory: TerritoryId) -> bool:
    """Whether nothing was declared there yet, or all who met fighters there left."""
    declared = game.state.presence.get(territory)
    return declared is None or (declared == "fight" and territory in _slot(game).vacated)


def _declare_where_due(game: Game, kind: QuestionKind) -> Flow:
    if not _due(game):
        return
    answers = yield from ask(lambda: [_question(game, kind, territory) for territory in _due(game)])
    for territory in _due(game):
        order = answers.of(BENE_GESSERIT, territory)
        if isinstance(order, Fight | Coexist):
            _record(game, territory, order, forced=_must_coexist(game, territory))


def _must_coexist(game: Game, territory: TerritoryId) -> bool:
    """Beside an ally; and as the third faction in a stronghold, be it that they come there last or that worm riders
    came in because they had coexisted (WBC.XV.14, WBC.VII.10, A-38)."""
    others = _others(game, territory)
    if any(game.state.allied(BENE_GESSERIT, other) for other in others):
        return True
    if TERRITORIES[territory].kind != "stronghold" or len(others) < 2:
        return False
    return _slot(game).moving == BENE_GESSERIT or ("fremen" in others and territory in game.state.coexisted)


def _question(game: Game, kind: QuestionKind, territory: TerritoryId) -> Question:
    forced = _must_coexist(game, territory)

    def check(order: Order) -> Refusal | None:
        if isinstance(order, Fight | Coexist) and order.territory == territory:
            if forced and isinstance(order, Fight):
                where = TERRITORIES[territory].name
                return Refusal(
                    f"You must coexist in {where}: beside an ally, or as the third in a stronghold.", "WBC.XV.14"
                )
            return None
        return Refusal(f"What is asked is whether you coexist in {TERRITORIES[territory].name}.", "WBC.XV.9")

    return Asked(
        BENE_GESSERIT,
        kind,
        Coexist(territory),
        check,
        lambda: [Coexist(territory)] if forced else [Coexist(territory), Fight(territory)],
        subject=territory,
        about={"territory": territory, "others": _others(game, territory)},
    )


def _record(game: Game, territory: TerritoryId, order: Fight | Coexist, *, forced: bool) -> None:
    game.state.presence[territory] = "coexist" if isinstance(order, Coexist) else "fight"
    slot = _slot(game)
    slot.opponents[territory] = _others(game, territory)
    if territory in slot.vacated:
        slot.vacated.remove(territory)
    game.tell("bg-declared", territory=territory, coexists=isinstance(order, Coexist), forced=forced)


def _note_who_left(game: Game) -> None:
    """Remember where fighters were left alone, and forget it where one of those who left has come back."""
    slot = _slot(game)
    for territory, declared in game.state.presence.items():
        if declared != "fight":
            continue
        met = slot.opponents.setdefault(territory, [])
        others = _others(game, territory)
        if not others and territory not in slot.vacated:
            slot.vacated.append(territory)
        elif others and territory in slot.vacated and any(faction in met for faction in others):
            slot.vacated.remove(territory)
        if territory not in slot.vacated:
            met.extend(faction for faction in others if faction not in met)


def _slot(game: Game) -> SlotMoment:
    if game.moments.slot is None:
        game.moments.slot = SlotMoment()
    return game.moments.slot


def never_declared(game: Game, order: Fight | Coexist) -> Refusal | None:
    """Why this declaration cannot be due any more this round."""
    name = TERRITORIES[order.territory].name
    if not _coexistence_exists(game):
        return Refusal("There is no coexistence in this game.", "AH.AID.ADV.BG.1")
    if order.territory == NOBODYS:
        return Refusal("Nobody fights in the Polar Sink; nothing is declared there.", "WBC.XV.9")
    declared = game.state.presence.get(order.territory)
    if declared == "coexist":
        return Refusal(f"You coexist in {name} until the turn ends.", "WBC.XV.13")
    if declared == "fight" and isinstance(order, Coexist) and order.territory not in _slot(game).vacated:
        why = f"You declared to fight in {name}; that changes only when all others have left and somebody else comes."
        return Refusal(why, "WBC.XV.12")
    return None


# --- Who may enter -------------------------------------------------------------------------------------------------


def barred(game: Game, faction: Faction, territory: TerritoryId) -> Refusal | None:
    """Why the faction may not enter (or cross) the territory because of those who stand there; None where it may."""
    there = game.state.forces_in(territory)
    if territory == NOBODYS or not there:
        return None
    for other in there:
        if game.state.allied(faction, other) and (refusal := _barred_by_ally(game, faction, other, territory)):
            return refusal
    if TERRITORIES[territory].kind != "stronghold":
        return None
    counted = [other for other in there if other != faction and not absent(game, other, territory)]
    if len(counted) < 2 or _may_coexist(game, faction, territory):
        return None
    names = " and ".join(faction_name(other) for other in counted)
    return Refusal(f"{TERRITORIES[territory].name} is full: two other players are there, {names}.", "AH.IX.C.2.f-b")


def closed(game: Game, faction: Faction) -> frozenset[TerritoryId]:
    """All territories that the faction can neither enter nor cross: only allies close others than strongholds."""
    allies = [ally for ally in game.state.ally_group(faction) if ally != faction]
    with_allies = {
        board.territory_of(area) for ally in allies for area, here in game.state.forces.items() if ally in here
    }
    return frozenset(territory for territory in with_allies.union(STRONGHOLDS) if barred(game, faction, territory))


def absent(game: Game, faction: Faction, territory: TerritoryId) -> bool:
    """Whether the faction's tokens there count for nothing, as they coexist (AH.XV.B.4-d, AH.XV.B.4-e)."""
    return faction == BENE_GESSERIT and game.state.coexisting(territory)


def _may_coexist(game: Game, faction: Faction, territory: TerritoryId) -> bool:
    """Whether the Bene Gesserit may come in where nobody else could: coexisting they do not count (A-38)."""
    return (
        faction == BENE_GESSERIT
        and _coexistence_exists(game)
        and game.rules.bg_enter_full_stronghold == "coexisting"
        and game.state.presence.get(territory) != "fight"
    )


def _barred_by_ally(game: Game, faction: Faction, ally: Faction, territory: TerritoryId) -> Refusal | None:
    """Allies do not enter each other's territories; the Bene Gesserit and their ally coexist instead (WBC.XV.14 to
    16)."""
    name = TERRITORIES[territory].name
    if BENE_GESSERIT not in (faction, ally) or game.rules.bg_beside_ally != "must_coexist":
        return Refusal(f"Your ally {faction_name(ally)} stands in {name}.", "AH.XII.E.5-a")
    if game.state.presence.get(territory) != "fight":
        return None
    if faction == BENE_GESSERIT:
        return Refusal(f"Your ally stands in {name}, and you declared not to coexist there.", "WBC.XV.14")
    if any(other != faction for other in _others(game, territory)):
        return Refusal(f"In {name} your ally Bene Gesserit does not coexist with others who are there.", "WBC.XV.16")
    return None
