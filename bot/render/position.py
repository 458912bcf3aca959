"""The position as blocks: the reader's own position, the table, and the board, all taken from the reader's view."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from bot.render.blocks import Board, Row, Rows, Table
from bot.render.material import Position
from bot.wording import say
from bot.wording.filters import listed, name, strength
from rules.components import Faction, Forces, Leader, traitor_owner
from rules.components.board import AREAS, MOBILE_STRONGHOLD, STRONGHOLDS, Area, seat_order, territory_of

HIDDEN = "–"
NUMBERS = frozenset(("cards", "board", "tanks", "leaders", "bank"))


def own(position: Position, *, at_hand: bool = True) -> Rows:
    # `at_hand`: include spice, tokens and cards, because they have not been listed above
    faction = position.reader.viewer
    player, secrets = position.view["players"][faction], position.secrets
    above = [
        ("own.spice", say("own.spice-line", spice=player["spice"], reserves=player["reserves"], tanks=player["tanks"])),
        ("own.cards", ", ".join(map(name, player["hand"] or ())) or say("own.none")),
    ]
    rows = [
        *(above if at_hand else ()),
        ("own.forces", ", ".join(_standing(position.view, faction)) or say("own.none")),
        ("own.leaders", _leaders(player["leaders"])),
        ("own.traitors", ", ".join(whose(leader) for leader in secrets.get("traitors", ()))),
        ("own.dancers", ", ".join(_dancer(player, leader) for leader in player.get("face_dancers") or ())),
        ("own.gholas", ", ".join(whose(leader) for leader in player.get("gholas", ()))),
        ("own.captives", ", ".join(whose(leader) for leader in secrets.get("captured", ()))),
        ("own.ally", listed(name(ally) for ally in player["ally"].split(", ")) if player["ally"] else ""),
    ]
    if prediction := secrets.get("prediction"):
        rows.append(("own.prediction", say("own.prediction-line", **prediction)))
    if secrets.get("next_storm"):
        rows.append(("own.marker", say("own.marker-line", marker=secrets["next_storm"])))
    if known := (position.view.get("auction") or {}).get("known"):
        rows.append(("own.auction", listed(map(name, known))))
    if known := position.view.get("deck_known"):
        rows.append(("own.deck", listed(say(f"own.deck-{one['where']}", card=one["card"]) for one in known)))
    if faction == "atreides" and position.view.get("kwisatz_haderach"):
        rows.append(
            (
                "own.kwisatz-haderach",
                say(f"own.kwisatz-haderach-{position.view['kwisatz_haderach']}", lost=position.view["lost_in_battle"]),
            )
        )
    return Rows(tuple(Row(say(label), (text,)) for label, text in rows if text))


def table(position: Position) -> Table:
    """Return a table of all players in the order of play, which depends on the storm (AH.IX.A)."""
    view = position.view
    players: Mapping[Faction, Mapping[str, Any]] = view["players"]
    order = order_of_play(view)
    rows, below = [], []
    for faction in order:
        player = players[faction]
        gholas = {leader for other in players.values() for leader in other.get("gholas", ())}
        serve = [status for leader, status in player["leaders"].items() if leader not in gholas]
        serve += [players[whose]["leaders"][leader] for leader, whose in player.get("gholas", {}).items()]
        alive = sum(status not in ("dead", "face-down") for status in serve)
        rows.append(
            (
                name(faction),
                HIDDEN if player["hand_count"] is None else str(player["hand_count"]),
                _sum(here.get(faction) for here in view["forces"].values()),
                player["tanks"],
                str(alive),
                say("table.hours", minutes=position.banks[faction]) if faction in position.banks else HIDDEN,
            )
        )
        allies = player["ally"].split(", ") if player["ally"] else []
        below.append(say("table.below", own=faction == position.reader.viewer, allies=allies))
    columns = ["faction", "cards", "board", "tanks", "leaders", "bank"]
    shown = [
        place
        for place, column in enumerate(columns)
        if (column != "bank" or position.banks) and any(row[place] != HIDDEN for row in rows)
    ]
    head = tuple(say(f"table.{columns[place]}") for place in shown)
    numeric = frozenset(place for place, column in enumerate(shown) if columns[column] in NUMBERS)
    own = order.index(position.reader.viewer) if position.reader.viewer in order else None
    return Table(head, tuple(tuple(row[place] for place in shown) for row in rows), numeric, tuple(below), own)


def order_of_play(view: Mapping[str, Any]) -> list[Faction]:
    return seat_order(view["storm"], {faction: player["dot"] for faction, player in view["players"].items()})


def before_shields(position: Position) -> str:
    held = [
        say("table.bribe", payer=bribe["from"], receiver=bribe["to"], amount=bribe["spice"])
        for bribe in position.view.get("escrow", ())
    ]
    return say("table.bribes", bribes=held) if held else ""


def opponents_told(position: Position) -> str:
    played = [say("table.opponent", faction=faction, how=how) for faction, how in position.opponents.items()]
    return say("table.opponents", opponents=played, minutes=f"{position.opponent_minutes:g}")


def board(position: Position) -> Board:
    view = position.view
    spice = [say("board.spice", area=name(area), amount=amount) for area, amount in view["spice"].items()]
    told = [say("board.storm", sector=view["storm"])]
    if not view["shield_wall"]:
        told.append(say("board.wall-gone"))
    told.append(say("board.spices", spices=listed(spice)) if spice else say("board.no-spice"))
    for where, leaders in view.get("leaders_on_board", {}).items():
        told.append(say("board.leaders", territory=where, leaders=listed(map(name, leaders))))
    if door := view.get("hms", {}).get("at"):
        told.append(say("board.mobile-stronghold", area=door))
    moving = {territory_of(MOBILE_STRONGHOLD)} if "hms" in view else set()
    strongholds = [area for area in AREAS if territory_of(area) in moving.union(STRONGHOLDS)]
    others = [area for area in AREAS if area not in strongholds and view["forces"].get(area)]
    rows = [Row(name(area), (_there(view, area),)) for area in (*strongholds, *others)]
    return Board(" ".join(told), tuple(rows))


def _there(view: Mapping[str, Any], area: Area) -> str:
    apart = "advisors" if territory_of(area) in view.get("advisors", ()) else "coexisting"
    coexists = territory_of(area) in view["coexisting"]
    told = []
    for faction, forces in view["forces"].get(area, {}).items():
        key = f"board.{apart}" if coexists and faction == "bene-gesserit" else "board.forces"
        told.append(say(key, name=name(faction), forces=forces))
    return ", ".join(told) or say("board.empty")


def _standing(view: Mapping[str, Any], faction: str) -> Iterable[str]:
    for area, here in view["forces"].items():
        if faction in here:
            yield say("board.forces", name=name(area), forces=here[faction])


def _leaders(leaders: Mapping[str, str]) -> str:
    by_status: dict[str, list[str]] = {}
    for leader, status in leaders.items():
        by_status.setdefault(status, []).append(say("own.leader", name=leader, strength=strength(leader)))
    order = ("ready", "used", "captured", "ghola", "dead", "face-down")
    return "; ".join(
        say(f"own.leaders-{status}", leaders=", ".join(by_status[status])) for status in order if status in by_status
    )


def _dancer(player: Mapping[str, Any], leader: str) -> str:
    shown = leader in player["revealed_dancers"]
    return say("own.dancer", leader=leader, faction=traitor_owner(Leader(leader)), shown=shown)


def whose(leader: str) -> str:
    return say("own.whose", leader=leader, faction=traitor_owner(Leader(leader)))


def _sum(forces: Iterable[str | None]) -> str:
    total = Forces()
    for each in forces:
        if each:
            total = total + Forces.parse(each)
    return str(total)
