"""Whether, how often and in which phase a Karama has a faction's special power (AH.XVII.A, FAQ.ADV-KARAMA.6 to 10)."""

from __future__ import annotations

from collections.abc import Mapping

from rules.orders import KaramaEffect, PhaseName
from rules.rulesets.options import Option, switch
from rules.rulesets.ruleset import RuleSet

SPECIAL_KARAMA = switch("karama_special")
SPECIAL_KARAMA_ONCE = Option("karama_special_uses", {"per_card": False, "once_per_game": True})

_WHENEVER: Mapping[KaramaEffect, PhaseName] = {}
_OWN_PHASES: Mapping[KaramaEffect, PhaseName] = {
    "worm": "spice", "take cards": "bidding", "revive": "revival", "stop shipment": "movement", "see plan": "battle",
    "stop revival": "revival",
    "hms": "movement",
}  # fmt: skip
SPECIAL_KARAMA_PHASES = Option(
    "karama_special_window", {"any_time": _WHENEVER, "wbc_windows": _WHENEVER, "own_phase_only": _OWN_PHASES}
)
"""The phase to which each special power is held; what is not named is played whenever there is something that it can
touch (FAQ.ADV-KARAMA.6 to 10)."""
SPECIAL_REVIVAL_PHASE: Option[PhaseName | None] = Option(
    "emperor_karama_window", {"any_time": None, "revival_phase": "revival"}
)

OPTIONS = (SPECIAL_KARAMA, SPECIAL_KARAMA_ONCE, SPECIAL_KARAMA_PHASES, SPECIAL_REVIVAL_PHASE)


def phase_of_special_karama(rules: RuleSet, effect: KaramaEffect) -> PhaseName | None:
    """The only phase in which this special power is played; None where it is not held to one."""
    only = SPECIAL_KARAMA_PHASES(rules).get(effect)
    return SPECIAL_REVIVAL_PHASE(rules) if only is None and effect == "revive" else only
