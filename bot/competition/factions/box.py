"""The factions of a tournament: those that lie in the box of its games, with an expansion two more (IT.GEN.2)."""

from __future__ import annotations

from bot.competition.settings import TournamentSettings
from rules.components import Faction
from rules.rulesets import expansions
from rules.rulesets.box import factions_with


def box_of(settings: TournamentSettings) -> tuple[Faction, ...]:
    """The factions among which is drawn and chosen, in the order of the data. RuleSetError or LookupError where the
    settings name an expansion that the rule set has not got, or that does not exist."""
    expansion = expansions.of(settings.tables.ruleset, settings.tables.options)
    return factions_with(expansion.name if expansion else "")
