"""Which way the rule set has the Bene Gesserit's tokens stand among those of others."""

from __future__ import annotations

from rules.factions.bene_gesserit.advisor_fighter import AdvisorFighter
from rules.factions.bene_gesserit.coexistence import Coexistence
from rules.factions.bene_gesserit.presence import Presence
from rules.rulesets.options import Option

PRESENCE: Option[Presence] = Option(
    "bg_presence_model", {"none": Presence(), "coexistence": Coexistence(), "advisor_fighter": AdvisorFighter()}
)
