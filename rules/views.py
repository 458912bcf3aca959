"""Views of a game: exactly what one viewer may know (AH.XIII.A, AH.XIII.B, timing model section 10).

``view`` returns what ``mentat game show --json`` shows; anything that the viewer must not know is None. Everything that
a player sees of the position is made from this view. Spice, reserves, cards and traitors are behind the shields; the
board, the tanks, the discards and the alliances are public. The identity of players who have already answered is also
secret: other players see a question as open until its stop is over.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from msgspec import UNSET

from rules.chapters import occupancy, revival_costs
from rules.chapters.deals import WAITS_FOR_PAUSE
from rules.chapters.public_facts import ALL_DISCARDS_SEEN, CAPTIVES_SEEN, hand_counts_seen, leaders_on_board
from rules.components import Faction, Leader, leaders_of
from rules.components.board import MOBILE_STRONGHOLD, STRONGHOLDS, TERRITORIES, TerritoryId
from rules.decisions.catalogue import TOKENS_FLIP, factions_with, rules_of
from rules.decisions.faction_rules import FactionRules
from rules.decisions.question import Question
from rules.factions.great_houses import KWISATZ_HADERACH
from rules.orders import Order, PhaseName
from rules.orders.readings import as_facts
from rules.rulesets.ruleset import RuleSet
from rules.state.events import Viewer
from rules.state.game import Game
from rules.state.state import APART, Deal, Player, State

UNDECLARED: tuple[PhaseName, ...] = ("spice", "charity", "bidding", "revival")
"""The phases in which last turn's coexistence continues until something else is declared (WBC.XV.10)."""


class Seen(Protocol):
    """The part of a game in play that is needed for a view."""

    @property
    def state(self) -> State: ...

    @property
    def game(self) -> Game: ...

    def questions(self) -> list[Question]: ...

    def number_of(self, question: Question) -> int: ...

    def answered(self) -> list[tuple[Question, tuple[Order, ...]]]: ...


def view(play: Seen, viewer: Viewer) -> dict[str, Any]:
    """Return the position as the viewer may see it. Names are those in ``data/``, and forces are written "3+2".

    ``coexisting`` lists the territories where the Bene Gesserit stand apart; if the rule set calls such tokens
    advisors, the key is ``advisors``. ``questions`` holds the viewer's own questions with their facts and defaults. For
    other players' questions it shows only that they are open. A reaction for which everybody is asked appears only
    once, without the name of a faction.
    """
    return views(play, (viewer,))[viewer]


def views(play: Seen, viewers: Sequence[Viewer]) -> dict[Viewer, dict[str, Any]]:
    """Return the views of several viewers. Parts that are the same for all of them are computed only once."""
    game, state, rules = play.game, play.state, play.game.rules
    alike = _open_to_all(game)
    discard = state.treachery_discard
    top, whole = list(discard[-1:]), list(discard)
    all_discards = ALL_DISCARDS_SEEN(rules)
    shields = _Shields(game)
    return {
        viewer: {
            **alike,
            **_own_deals(state, viewer),
            **_by_powers(game, viewer),
            "next_storm": state.next_storm if viewer == "gm" or _watches_storm(game, viewer) else None,
            "players": shields.seen_by(viewer),
            "discard": whole if all_discards or viewer == "gm" else top,
            "questions": _questions(play, viewer),
        }
        for viewer in viewers
    }


def _open_to_all(game: Game) -> dict[str, Any]:
    state, rules = game.state, game.rules
    apart = list(coexisting(game))
    return {
        "ruleset": rules.name,
        "turn": state.turn,
        **_announced(game),
        "phase": state.phase,
        "storm": state.storm,
        "next_storm": None,
        "shield_wall": state.shield_wall,
        "worms_seen": state.worms_seen,
        "winner": list(state.winners),
        "alliances": [list(group) for group in state.alliances],
        "players": {},
        "forces": {
            area: {faction: str(forces) for faction, forces in here.items()}
            for area, here in sorted(state.forces.items())
        },
        "spice": dict(sorted(state.spice.items())),
        "leaders_on_board": leaders_on_board(state, rules),
        "coexisting": apart,
        "advisors": apart if TOKENS_FLIP(rules) else [],
        "ornithopters": occupancy.visible_ornithopters(game),
        "kwisatz_haderach": state.kwisatz_haderach if KWISATZ_HADERACH(rules) else None,
        "lost_in_battle": state.lost_in_battle if KWISATZ_HADERACH(rules) else None,
        "discard": [],
        "set_aside": list(state.set_aside),
        "spice_discard": [list(pile) for pile in state.spice_discard],
        "deals": [_deal(deal, "public", state) for deal in state.deals if _hears(deal, "public", state)],
        **_escrow(game),
        **_of_expansion(game),
        "truths": list(state.truths),
        "questions": [],
    }


def _announced(game: Game) -> dict[str, Any]:
    """Return the last turn, but only if the game master has announced one. (``chapters.victory.last_turn`` also returns
    the last turn of the rule set.)"""
    return {"last_turn": game.state.last_turn} if game.state.last_turn else {}


def _of_expansion(game: Game) -> dict[str, Any]:
    if game.state.expansion is UNSET:
        return {}
    box, tokens = game.state.box, game.state.box.tech_tokens
    return {
        **_mobile_stronghold(game),
        "tech_tokens": {
            token: {"owner": owner, "spice": list(tokens.values()).count(owner) if token in box.tech_spice else 0}
            for token, owner in tokens.items()
        },
        "sandtrout": box.sandtrout,
        "revival_limits": _limits_of_revival(game),
    }


def _limits_of_revival(game: Game) -> dict[Faction, int]:
    """Return each faction's limit during revival, but only in games in which somebody can raise it (IT.REV.8)."""
    able = factions_with(game, FactionRules.most_tokens_revived)
    if game.state.phase != "revival" or not able:
        return {}
    return {faction: revival_costs.turn_limit(game, faction) for faction in game.state.players if faction not in able}


def _mobile_stronghold(game: Game) -> dict[str, Any]:
    if game.strongholds() == STRONGHOLDS:
        return {}
    inside = game.state.forces.get(MOBILE_STRONGHOLD, {})
    forces = {faction: str(forces) for faction, forces in inside.items()}
    return {"hms": {"at": game.state.box.stronghold_at, "forces": forces}}


def _by_powers(game: Game, viewer: Viewer) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for faction in factions_with(game, FactionRules.shown_to_all):
        found |= rules_of(game, faction).shown_to_all(game, viewer)
    return found


def _own_deals(state: State, viewer: Viewer) -> dict[str, Any]:
    if not any(deal.terms for deal in state.deals):
        return {}
    return {"deals": [_deal(deal, viewer, state) for deal in state.deals if _hears(deal, viewer, state)]}


def _hears(deal: Deal, viewer: Viewer, state: State) -> bool:
    return deal.terms is None or not deal.terms.secret or _may_follow(deal, viewer, state)


def _may_follow(deal: Deal, viewer: Viewer, state: State) -> bool:
    return viewer in (*deal.parties, "gm") or state.phase == "over"


def _deal(deal: Deal, viewer: Viewer, state: State) -> dict[str, Any]:
    seen: dict[str, Any] = {"parties": list(deal.parties), "text": deal.text, "turn": deal.turn}
    if (terms := deal.terms) is None:
        return seen
    seen |= {"secret": terms.secret, "until": terms.until}
    seen |= {"condition": as_facts(terms.condition), "broken_if": as_facts(terms.broken_if)}
    if _may_follow(deal, viewer, state):
        seen |= {"stage": terms.stage, "pays": dict(deal.pays), "escrow": dict(terms.escrow)}
    return seen


def _escrow(game: Game) -> dict[str, Any]:
    """Return the public spice in front of the shields, if the rule set makes bribes wait there (FAQ.BRIBERY.1)."""
    if not WAITS_FOR_PAUSE(game.rules):
        return {}
    waiting = [{"from": bribe.payer, "to": bribe.receiver, "spice": bribe.spice} for bribe in game.state.bribes]
    return {"escrow": waiting}


def known(play: Seen, viewer: Viewer) -> dict[str, Any]:
    """Return the viewer's private knowledge, which the view does not contain: traitors, prediction, captives and the
    storm marker. For the game master the result contains the secrets of all factions, by faction. For the public it is
    empty."""
    players = play.state.players
    if viewer == "gm":
        return {faction: _secrets(play.game, player) for faction, player in players.items()}
    if viewer == "public" or viewer not in players:
        return {}
    return _secrets(play.game, players[viewer])


def coexisting(game: Game) -> Sequence[TerritoryId]:
    """Return the territories where tokens coexist (or are advisors) now, in board order. If nothing has been declared
    for a territory this turn, use its status at the end of the last turn."""
    state = game.state
    old = state.coexisted if state.phase in UNDECLARED else ()
    there = [t for t in TERRITORIES if state.presence.get(t, "coexist" if t in old else None) in APART]
    return [t for t in there if any(rules_of(game, faction).may_coexist(game) for faction in state.forces_in(t))]


def _watches_storm(game: Game, viewer: Viewer) -> bool:
    drawn = game.plays(viewer) and rules_of(game, viewer).draws_storm_marker(game)
    return drawn and not game.state.next_storm_unseen


class _Shields:
    """The part of the view that shows what each player has in front of their shield and behind it. Parts that look the
    same to all other players are computed only once."""

    __slots__ = ("_alike", "_counted", "_from_outside", "_game", "_leaders_seen", "_rules", "_state")

    def __init__(self, game: Game) -> None:
        state, rules = game.state, game.rules
        self._game, self._state, self._rules = game, state, rules
        self._counted = hand_counts_seen(state, rules)
        secret = any(standing.seen_by for standing in state.leaders.values())
        self._alike = not secret and not any(player.captured for player in state.players.values())
        self._leaders_seen: dict[Faction, dict[Leader, str]] = {}
        self._from_outside: dict[Faction, dict[str, Any]] = {}

    def seen_by(self, viewer: Viewer) -> dict[Faction, dict[str, Any]]:
        return {faction: self._player(player, viewer) for faction, player in self._state.players.items()}

    def _player(self, player: Player, viewer: Viewer) -> dict[str, Any]:
        own = viewer in (player.faction, "gm")
        if own or not self._alike:
            return self._seen(player, viewer, own)
        seen = self._from_outside.get(player.faction)
        if seen is None:
            seen = self._from_outside[player.faction] = self._seen(player, viewer, own)
        return seen

    def _seen(self, player: Player, viewer: Viewer, own: bool) -> dict[str, Any]:
        faction = player.faction
        return {
            "dot": player.dot,
            "ally": ", ".join(ally for ally in self._state.ally_group(faction) if ally != faction),
            "spice": player.spice if own else None,
            "hand": sorted(player.hand) if own else None,
            "hand_count": len(player.hand) if own or self._counted else None,
            "reserves": str(player.reserves) if own else None,
            "tanks": str(player.tanks),
            "leaders": self._leaders(faction, viewer),
            **self._more(faction, viewer),
        }

    def _more(self, faction: Faction, viewer: Viewer) -> Mapping[str, Any]:
        if self._state.expansion is UNSET:
            return {}
        used = faction in self._state.special_karamas
        return {"special_karama_used": used, **rules_of(self._game, faction).shown_of(self._game, viewer)}

    def _leaders(self, faction: Faction, viewer: Viewer) -> dict[Leader, str]:
        leaders = self._leaders_seen.get(faction) if self._alike else None
        if leaders is None:
            state, rules = self._state, self._rules
            leaders = {leader: _leader(state, rules, leader, viewer) for leader in leaders_of(faction)}
            self._leaders_seen[faction] = leaders
        return leaders


def _leader(state: State, rules: RuleSet, leader: Leader, viewer: Viewer) -> str:
    standing = state.leaders[leader]
    if standing.status != "ready" and (not standing.seen_by or viewer == "gm" or viewer in standing.seen_by):
        return standing.status
    captor = next((player for player in state.players.values() if leader in player.captured), None)
    if captor and (CAPTIVES_SEEN(rules) or viewer in (captor.faction, captor.captured[leader], "gm")):
        return "captured"
    if state.expansion is not UNSET and leader in state.expansion.gholas:
        return "ghola"
    return "used" if standing.fought_in or standing.sits_out else "ready"


def _secrets(game: Game, player: Player) -> dict[str, Any]:
    prediction = rules_of(game, player.faction).prediction(game)
    return {
        "traitors": list(player.traitors),
        "prediction": {"faction": prediction.faction, "turn": prediction.turn} if prediction else None,
        "captured": dict(player.captured),
        "next_storm": game.state.next_storm if _watches_storm(game, player.faction) else None,
    }


def _questions(play: Seen, viewer: Viewer) -> list[dict[str, Any]]:
    waiting = play.questions()
    seen = [_in_full(question) for question in waiting if viewer in (question.faction, "gm")]
    if viewer == "gm":
        return seen
    others = [q for q in (*waiting, *(q for q, _ in play.answered())) if q.faction != viewer]
    named = sorted((q.faction, q.kind, q.subject) for q in others if q.public and not q.blanket)
    nameless = sorted({q.kind for q in others if q.public and q.blanket})
    seen += [_outline(faction, kind, subject, blanket=False) for faction, kind, subject in named]
    seen += [_outline(None, kind, "", blanket=True) for kind in nameless]
    return seen


def _in_full(question: Question) -> dict[str, Any]:
    return {
        "faction": question.faction,
        "kind": question.kind,
        "subject": question.subject,
        "about": dict(question.facts),
        "default": question.default,
        "blanket": question.blanket,
    }


def _outline(faction: Faction | None, kind: str, subject: str, *, blanket: bool) -> dict[str, Any]:
    return {"faction": faction, "kind": kind, "subject": subject, "about": {}, "default": None, "blanket": blanket}
