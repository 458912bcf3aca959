"""Options that contradict each other: what a game master may not ask for together.

Every option by itself may have any value that is played, and much has no effect beside something else without harm.
What stands here are wishes that another option turns into nothing, or into the opposite of what it says: whoever asks
for one of them has not noticed the other, and is told both names when a game is made.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from rules.rulesets.options import RuleSetError, Value, written
from rules.rulesets.ruleset import RuleSet


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Nobody can want ``option`` to be one of ``values`` while ``other`` is one of ``others``; ``why`` says so in
    words."""

    option: str
    values: tuple[Value, ...]
    other: str
    others: tuple[Value, ...]
    why: str


NO_ALLIANCES = "without alliances it has no meaning"
NO_DEALS = "where no deals are made no spice of theirs changes hands"
NO_KWISATZ_HADERACH = "without the Kwisatz Haderach it has no meaning"
NO_CAPTIVES = "where no leaders are captured it has no meaning"
NO_STARS = "where starred tokens are as good as others it has no meaning"
NO_SPECIAL_KARAMA = "without the special Karama powers it has no meaning"
OPEN_SPICE = "what waits before a shield lies there for all to see"

CONTRADICTIONS: tuple[Contradiction, ...] = (
    Contradiction("alliance_max", (2, 3), "alliances_enabled", ("off",), NO_ALLIANCES),
    Contradiction("alliance_min_players", (4,), "alliances_enabled", ("off",), NO_ALLIANCES),
    Contradiction("alliance_strongholds", ("four", "members_plus_two"), "alliances_enabled", ("off",), NO_ALLIANCES),
    Contradiction("deals_between_allies", ("on",), "alliances_enabled", ("off",), NO_ALLIANCES),
    Contradiction(
        "alliances_small_games", ("pairs_at_3",), "alliance_min_players", (0,),
        "it is for games with fewer players than alliances need, and they need none",
    ),
    Contradiction("deals_between_allies", ("on",), "bribery", ("forbidden",), NO_DEALS),
    Contradiction("spice_transfer_timing", ("mentat_pause_escrow",), "bribery", ("forbidden",), NO_DEALS),
    Contradiction("spice_transfer_timing", ("mentat_pause_escrow",), "transfer_amount", ("private",), OPEN_SPICE),
    Contradiction("transfer_amount", ("private",), "spice_transfer_timing", ("mentat_pause_escrow",), OPEN_SPICE),
    Contradiction("kh_count", ("own_battles", "all_battles"), "kwisatz_haderach", ("off",), NO_KWISATZ_HADERACH),
    Contradiction("kh_with_cheap_hero", ("on",), "kwisatz_haderach", ("off",), NO_KWISATZ_HADERACH),
    Contradiction("kh_revival", ("two_spice_any_turn",), "kwisatz_haderach", ("off",), NO_KWISATZ_HADERACH),
    Contradiction("captive_identity", ("public", "secret"), "leader_capture", ("off",), NO_CAPTIVES),
    Contradiction("captive_betrays_owner", ("automatic",), "leader_capture", ("off",), NO_CAPTIVES),
    Contradiction("starred_revival_limit_all", ("on",), "starred_tokens", ("plain",), NO_STARS),
    Contradiction("sardaukar_vs_fremen_ally", (2,), "starred_tokens", ("plain",), NO_STARS),
    Contradiction(
        "fremen_support", ("free", "free_and_lendable"), "combat_model", ("tokens",),
        "where battles take no spice nobody fights without it",
    ),
    Contradiction(
        "storm_without_fremen", ("marker_hidden",), "storm_movement", ("dial_1_3",),
        "a storm that is dialled has no markers",
    ),
    Contradiction(
        "missing_leader_uses_cheap_hero", ("on",), "missing_leader", ("reject",),
        "where a plan without a leader is refused none is put in",
    ),
    Contradiction(
        "two_cards_random_unless_bound", ("on",), "invalid_plan", ("reject",),
        "where a wrong plan is refused no card is drawn",
    ),
    Contradiction(
        "forced_plan", ("finalise",), "karama_special", ("off",),
        "without special Karama powers nobody looks at a plan",
    ),
    Contradiction("karama_special_uses", ("once_per_game",), "karama_special", ("off",), NO_SPECIAL_KARAMA),
    Contradiction("karama_special_window", ("own_phase_only",), "karama_special", ("off",), NO_SPECIAL_KARAMA),
    Contradiction("emperor_karama_window", ("revival_phase",), "karama_special", ("off",), NO_SPECIAL_KARAMA),
    Contradiction("fremen_karama_worm_place", ("sand_only",), "karama_special", ("off",), NO_SPECIAL_KARAMA),
    Contradiction("killed_captive_state", ("face_down_died_twice",), "leader_capture", ("off",), NO_CAPTIVES),
    Contradiction(
        "losses_vs_spice", ("at_most",), "combat_model", ("tokens",),
        "where battles take no spice it backs no losses",
    ),
    Contradiction(
        "nexus_count", ("first_worm_per_pile",), "spice_blows", (1,),
        "with one blow a turn there is one pile",
    ),
)  # fmt: skip


def require_consistent(rules: RuleSet, asked: Mapping[str, object]) -> None:
    """RuleSetError with both names where what a game master ``asked`` for contradicts another option of the rule set,
    in which it stands already."""
    for found in CONTRADICTIONS:
        value, other = rules.options.get(found.option), rules.options.get(found.other)
        if found.option in asked and value in found.values and other in found.others:
            one, against = f"{found.option} = {written(value)}", f"{found.other} = {written(other)}"
            raise RuleSetError(f"{one} contradicts {against}: {found.why}. Change one of the two.")
