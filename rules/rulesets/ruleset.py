"""Rule sets: the options on which the documents differ, and the values that each named rule set gives them.

A rule set is data (`data/rule-sets/*.toml`). The phases read an option at the one place where the documents
differ; nowhere is it asked which edition is played. The comments name the clauses that an option rests on;
numbers like A-16 are the open questions of `docs/rule-sets.md`. Each default is the value of wbc-2018.

Not everything that can be written down is played yet: `PLAYED` says what is, and `require_playable` refuses the rest
when a game starts, so that an option is never silently ignored.
"""

import difflib
import typing
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from functools import cache
from typing import Any, Literal

from rules.components.facts import document

Value = str | int | bool

RULE_SETS: tuple[str, ...] = (
    "wbc-2018",
    "ah-basic",
    "ah-optional",
    "ah-advanced",
    "vaca-2.0",
    "gf9-basic",
    "gf9-advanced",
)


class RuleSetError(Exception):
    """A rule set or an option that does not exist, or is not played; the message says what would be right."""


@dataclass(frozen=True, slots=True)
class RuleSet:
    """The options of one game. Numbers of players or alliances are 0 where there is no limit."""

    name: str = "wbc-2018"
    title: str = "WBC Dune 2018"
    books: tuple[str, ...] = ("wbc-2018", "ah-1979")

    # --- Length, sequence, winning ----------------------------------------------------------------------------------

    max_turns: int = 15  # AH.V; GF9.SEQ.1
    phase_structure: Literal["six_rounds", "nine_phases"] = "six_rounds"  # AH.V; GF9.SEQ.2
    solo_strongholds_extra: int = 0  # AH.XVIII.A.2
    two_player_strongholds: int = 4  # AH.IV; VACA.IV-1; GF9.SETUP.7; A-33
    # AH.XII.E.1; WBC.HR.3; VACA.HR.A; GF9.MENTAT.2
    alliance_strongholds: Literal["three", "four", "members_plus_two"] = "members_plus_two"
    alliance_max: int = 2  # AH.XII.C.2; WBC.HR.2; VACA.HR.B
    alliances_enabled: Literal["yes", "no"] = "yes"  # AH.XVIII.A.1
    alliance_min_players: int = 4  # WBC.HR.2a
    # WBC.HR.3d; VACA.XII.E.1.b; GF9.MENTAT.2
    solo_win_while_allied: Literal["shared_with_ally", "needs_alliance_number"] = "needs_alliance_number"
    shield_wall_rule: Literal["none", "longer_game_territory", "wbc"] = "wbc"  # AH.XVIII.B; WBC.HR.4
    storm_locked_stronghold_counts: Literal["both", "neither"] = "neither"  # WBC.HR.4l; FAQ.STORM.2; A-29
    # WBC.IV.1; VACA.XV.B.1; FAQ.BG.7
    bg_alone_after_coexisting_counts: Literal["not_this_turn", "at_once"] = "not_this_turn"
    simultaneous_win: Literal["share", "share_or_play_on", "dot_order"] = "dot_order"  # FAQ.OBJECT.1; WBC.MISC.5; A-30
    fremen_special_win_tueks: Literal["required", "ignored"] = "required"  # VACA.IV.B; VACA.FAC.FRE.4; FAQ.FREMEN.3
    prediction_time: Literal["before_traitors", "after_factions"] = "after_factions"  # WBC.III.2; VACA.III.E.1.a
    alliances_small_games: Literal["pairs_at_3", "none", "as_larger"] = "pairs_at_3"  # WBC.HR.2a; A-34

    # --- Set-up -----------------------------------------------------------------------------------------------------

    # WBC.HR.1a; GF9.SETUP.3, 4
    faction_assignment: Literal["agree_else_random", "random", "random_or_draft"] = "random"
    # WBC.HR.1c, WBC.HR.1d; GF9.SETUP.5
    faction_swaps: Literal["no", "yes", "yes_and_undrawn_by_consent"] = "yes_and_undrawn_by_consent"
    seating: Literal["choose", "random"] = "random"  # WBC.HR.1b
    traitor_pool: Literal["all_leaders", "in_play_only"] = "in_play_only"  # WBC.III.1; VACA.III.E.2-1; GF9.SETUP.10
    # AH.III.E.2; GF9.SETUP.12, 13; FAQ.TRAITORS.2
    traitor_pick: Literal["opponent_only", "own_if_no_opponent", "any_of_four"] = "opponent_only"
    bg_start: Literal["polar_sink", "any_territory"] = "any_territory"  # AH.XV.B.1; FAQ.BG.1
    starred_tokens: Literal["plain", "elite"] = "elite"  # AH.II.B.1; FAQ.KARAMA-EMP.4
    trade_moves_seat: bool = False  # WBC.HR.1; A-03
    bg_prediction_default: Literal["random", "none"] = "random"

    # --- Storm ------------------------------------------------------------------------------------------------------

    first_storm_damage: Literal["path_and_stop", "stop_only", "none"] = "none"  # WBC.VI.8; VACA.VI.A-2
    storm_movement: Literal["dial_1_3", "fremen_marker_1_6"] = "fremen_marker_1_6"  # AH.XVI; GF9.STORM.3; FAQ.DIFF.3
    # AH.AID.TIMED.2; WBC.VI.2; FAQ.STORM.1
    weather_control_window: Literal["before_reveal", "after_reveal", "either"] = "after_reveal"
    storm_card_order: Literal["weather_first", "as_played"] = "weather_first"  # WBC.VI.2, 3; FAQ.STORM.4
    storm_cards_turn1: Literal["allowed", "forbidden"] = "forbidden"  # WBC.VI.5, 6
    fremen_storm_loss: Literal["all", "half_up"] = "half_up"  # VACA.VI.D.1; FAQ.FREMEN.1
    fremen_ship_into_storm: Literal["no", "half_loss"] = "half_loss"  # VACA.IX.C.1.c.i; FAQ.FREMEN.1
    dot_order_before_storm: Literal["old_sector", "new_sector"] = "old_sector"  # AH.IX.A; A-01
    storm_without_fremen: Literal["marker_hidden", "dials"] = "marker_hidden"  # AH.XVI.D; A-05

    # --- Spice blow, worms, nexus -----------------------------------------------------------------------------------

    spice_blows: int = 2  # AH.XXI; FAQ.ATREIDES.2
    nexus_timing: Literal["before_feeding", "end_of_phase"] = "before_feeding"  # AH.XII.B; GF9.SPICE.9
    # WBC.VII.1; VACA.VII.A.2.d-1; GF9.SPICE.8, 9
    nexus_count: Literal["first_worm_only", "first_worm_per_pile", "every_worm"] = "every_worm"
    # AH.VII.C; VACA.VII.A.2.d-2; FAQ.DIFF.8
    extra_worms: Literal["ignored", "fremen_any_territory", "fremen_sand_only"] = "fremen_any_territory"
    turn1_worm_reshuffle: Literal["at_once", "after_phase"] = "at_once"  # AH.VII.D; GF9.SPICE.2
    worm_ride_moment: Literal["after_nexus", "when_worm_appears"] = "after_nexus"  # AH.SHIELD.FRE.3; GF9.SPICE.9
    # WBC.VII.7, 8; VACA.VII.A.2.b-1; FAQ.FREMEN.2
    worm_ride_storm: Literal["no_entry", "no_entry_or_exit"] = "no_entry_or_exit"
    worm_ally_protection: Literal["automatic", "fremen_choice"] = "automatic"  # WBC.VII.11, 12; FAQ.ADV-KARAMA.4
    # WBC.VII.9, 10; FAQ.SHIP.3
    worm_ride_full_stronghold: Literal["bg_coexisting_ignored", "closed"] = "bg_coexisting_ignored"
    spice_deck_refill: Literal["when_empty", "turn8_pile_rule"] = "turn8_pile_rule"  # AH.XXI.B; GF9.SETUP.2
    turn1_worms: Literal["ignored", "counted"] = "ignored"  # AH.VII.D; WBC.X10; A-06
    nexus_offers_public: bool = False
    additional_worm_when: Literal["after_nexus", "before_nexus"] = "after_nexus"  # AH.XII.B; A-08
    worm_karama_scope: Literal["one_faction", "both"] = "one_faction"  # WBC.AID.31; A-54

    # --- Charity and bidding ----------------------------------------------------------------------------------------

    charity_max_spice: int = 0  # AH.VIII.I; GF9.CHARITY.1
    charity_payout: Literal["flat_two", "top_up_to_two"] = "flat_two"  # GF9.CHARITY.2
    charity_slot: Literal["start_of_bidding", "own_phase"] = "start_of_bidding"  # GF9.SEQ.2
    bg_charity: Literal["no", "from_turn_2", "from_turn_1"] = "from_turn_2"  # AH.XV.B.2; FAQ.DIFF.13
    bid_seconds: int = 5  # GF9.BID.15
    # AH.AID.KARAMA; VACA.VIII.C; FAQ.KARAMA.2
    overbid: Literal["karama_intent", "karama_holder_may_bluff"] = "karama_intent"
    # WBC.VIII.16, 17; FAQ.KARAMA.4
    karama_purchase: Literal["at_end_of_auction", "infinity_bid", "take_at_once"] = "infinity_bid"
    overbid_found: Literal["reject", "forfeit_and_redraw"] = "reject"  # VACA.HR.C
    ally_bid_cap: Literal["own_plus_pledge", "combined_holdings"] = "own_plus_pledge"  # VACA.XII.E.3; FAQ.ALLIANCES.3
    discards_visible: Literal["top_card", "all"] = "all"  # WBC.VIII.20; AH.III.C
    choam_auto: bool = True
    failed_karama_bid: Literal["reauction", "second_bidder", "forfeit_all"] = "reauction"
    bid_reentry: bool = True  # WBC.VIII.3; A-48
    ally_direct_payment: bool = True  # AH.XII.E.3, E.4; WBC.X04; A-35
    hand_counts_public: Literal["bidding_only", "always"] = "bidding_only"  # AH.XIII.B; A-31
    late_peek_karama: Literal["refuse", "spend"] = "refuse"

    # --- Revival ----------------------------------------------------------------------------------------------------

    revival_slot: Literal["start_of_movement", "own_phase"] = "start_of_movement"  # GF9.REV.1
    # AH.IX.D.4; WBC.X22; GF9.REV.6, 7
    leader_revival_when: Literal["end_of_own_move", "revival_phase"] = "end_of_own_move"
    # AH.QA.D.2; VACA.IX.D.1; FAQ.TLEILAXU.9
    leader_revival_condition: Literal["all_five_dead", "none_available"] = "none_available"
    ghola_leader_same_turn: Literal["no", "yes"] = "no"  # AH.QA.A.5; VACA.IX.D.3; FAQ.DIFF.12
    revival_limit_card_exempt: Literal["yes", "no"] = "yes"  # AH.IX.B.2; GF9.REV.4
    # VACA.FAC.FRE.REVIVAL; FAQ.FREMEN.5
    fremen_bought_revival: Literal["moot", "never", "to_five_with_tleilaxu"] = "moot"
    # VACA.IX.D.2.a; FAQ.TLEILAXU.10; WBC A-16
    kh_revival: Literal["as_leader", "two_spice_any_turn"] = "as_leader"
    # FAQ.TLEILAXU.15, 16; FAQ.KARAMA-EMP.3
    emperor_ally_revival: Literal["gift_within_limit", "plus_three_paid"] = "gift_within_limit"
    killed_captive_state: Literal["face_up", "face_down_died_twice"] = "face_up"  # FAQ.HARKONNEN.5
    starred_revival_limit_all: bool = True  # AH.SHIELD.EMP; A-56

    # --- Shipment ---------------------------------------------------------------------------------------------------

    guild_timing: Literal["in_order", "free"] = "free"  # AH.SHIELD.GUI.5; FAQ.KARAMA-GUI.5
    guild_ally_shipments: Literal["all_three", "no_return"] = "all_three"  # VACA.FAC.GUI.ALLY; FAQ.DIFF.10
    # WBC.IX.20, 24; VACA.IX.C.1.i; FAQ.FREMEN.6
    fremen_with_guild: Literal["planet_to_planet_only", "cross_planet_from_reserves", "any_guild_form"] = (
        "any_guild_form"
    )
    guild_ship_out_of_storm: Literal["allowed", "forbidden"] = "forbidden"  # WBC.IX.25; VACA.IX.C.1.c.ii; FAQ.GUILD.1
    # AH.XV.B.3; VACA.IX.C.1.e; FAQ.BG.13
    advisor_destination: Literal["polar_sink", "same_territory", "either"] = "either"
    # VACA.FAC.BG.2; WBC.XV.20 to 22
    advisor_trigger: Literal["off_planet_only", "any_shipment_onto_dune"] = "off_planet_only"
    guild_own_help_paid_to: Literal["guild", "bank"] = "guild"  # WBC.IX.7; FAQ.ALLIANCES.5
    karama_half_rate_for: Literal["own_only", "any_player"] = "own_only"  # AH.AID.KARAMA; FAQ.KARAMA.1
    guild_silent: Literal["in_order", "last"] = "in_order"
    guild_force_window: Literal["wbc", "own_slot"] = "wbc"  # WBC.AID.37; WBC.X24; A-13
    cancelled_shipment_fee: Literal["refund", "lost"] = "refund"
    cancelled_shipment_retry: bool = False
    advisor_when: Literal["after_reactions", "at_once"] = "after_reactions"
    advisor_retry: bool = False
    guild_karama_vs_fremen_guild_shipping: bool = False  # WBC.XVII.17; A-37
    bg_enter_full_stronghold: Literal["coexisting", "forbidden"] = "coexisting"

    # --- Movement ---------------------------------------------------------------------------------------------------

    # AH.IX.C.2.a.1; WBC.IX.13; VACA.IX.C.2.a.i; GF9.MOVE.2
    ornithopter_check: Literal[
        "start_of_own_move", "start_of_movement_round", "end_of_storm", "start_of_force_move"
    ] = "end_of_storm"
    ornithopter_after_worm_ride: Literal["yes", "no"] = "no"  # VACA.IX.C.2.a.i.a; WBC.IX.15
    # VACA.IX.C.2.a.i.b; VACA.XV.B.2; WBC.IX.16
    ornithopter_after_leaving_coexistence: Literal["no", "if_alone", "yes"] = "no"
    bg_coexisting_may_fly: Literal["no", "yes"] = "yes"  # AH.XV.B.4; WBC.XV.23, 24
    hajr_rechecks_ornithopters: Literal["no", "yes"] = "no"  # FAQ.SHIP.4
    ally_territory: Literal["never_enter", "pass_through"] = "never_enter"  # AH.XII.E.5; GF9.ALLIANCE.8; FAQ.SHIP.2
    allies_found_together: Literal["may_stay", "second_mover_leaves_or_loses"] = "may_stay"  # GF9.ALLIANCE.9
    # WBC.XV.14; VACA.XII.E.5.a; FAQ.BG.5
    bg_beside_ally: Literal["not_allowed", "must_coexist", "may_coexist", "must_leave"] = "must_coexist"
    stronghold_limit_counts_coexisting_bg: Literal["yes", "no"] = "no"  # VACA.IX.C.1.d; FAQ.BG.2

    # --- Bene Gesserit presence -------------------------------------------------------------------------------------

    bg_presence_model: Literal["none", "coexistence", "advisor_fighter"] = "coexistence"  # AH.XV.B.4; FAQ.DIFF.11
    # AH.XV.B.5; WBC.X14; FAQ.BG.4; A-12
    bg_silent_default: Literal["coexist", "not_coexisting", "keep_type"] = "coexist"
    # VACA.XV.B.3; WBC.IX.2; FAQ.BG.4
    bg_declare_window: Literal["start_of_movement_round", "after_revival", "after_nexus_until_shipment"] = (
        "after_revival"
    )
    bg_own_arrival: Literal["choose", "fighters_stay_advisors_choose"] = "choose"  # FAQ.BG.8; FAQ.BG.11
    bg_reaction_to_reinforcement: Literal["no", "yes"] = "no"  # FAQ.BG.14
    # WBC.XV.12; FAQ.BG.14
    bg_undo_non_coexistence_same_turn: Literal[
        "on_entry_to_bg_only_territory", "after_vacated_then_new_faction", "on_any_intrusion"
    ] = "after_vacated_then_new_faction"
    bg_revert_when_alone: Literal["next_turn", "at_once"] = "next_turn"  # VACA.XV.B.1; FAQ.BG.7
    bg_flip_under_storm: Literal["allowed", "forbidden"] = "allowed"  # FAQ.BG.15
    # AH.XV.B.5; WBC.XV.10; WBC.X14
    bg_undeclared_status: Literal["coexisting", "not_coexisting", "keep_type"] = "not_coexisting"

    # --- Battle -----------------------------------------------------------------------------------------------------

    # AH.X.A.2.a; VACA.X.A.2.a; GF9.STORM.8; FAQ.STORM.3
    storm_battle: Literal["separated_only", "same_sector_only", "none_in_storm"] = "same_sector_only"
    combat_model: Literal["tokens", "spice_supported"] = "spice_supported"  # AH.XXII; FAQ.BATTLES.3
    # WBC.HR.6a, WBC.HR.6c; FAQ.DIFF.5
    fremen_support: Literal["paid", "free", "free_and_lendable"] = "free_and_lendable"
    losses_vs_spice: Literal["exact", "at_most"] = "exact"  # AH.XXII.C; FAQ.ADV-COMBAT.1
    missing_leader: Literal["reject", "lowest_inserted"] = "lowest_inserted"  # WBC.X.23; VACA.X.B.2.a
    leader_waiver_by_consent: Literal["yes", "no"] = "no"  # AH.QA.B.7; GF9.BATTLE.10
    invalid_plan: Literal["reject", "wbc_repair"] = "wbc_repair"  # WBC.X.23 to 26
    voice_cheap_hero: Literal["exempt", "allowed"] = "exempt"  # AH.SHIELD.BG.3; FAQ.DIFF.4
    voice_vocabulary: Literal["six_classes", "class_or_exact_card"] = "six_classes"  # FAQ.BG.16
    # AH.QA.B.6; VACA.X.B.6.a-1
    truthtrance_in_battle: Literal["any_time", "between_steps", "not_inside_prescience"] = "between_steps"
    kh_from: Literal["next_turn", "next_battle"] = "next_battle"  # VACA.X.B.2.a.i-1; FAQ.ATREIDES.1
    # WBC.XV.5; VACA.X.B.2.a.i-2
    kh_companion: Literal["any_leader_played", "own_leader_or_cheap_hero"] = "own_leader_or_cheap_hero"
    leader_capture: Literal["off", "on"] = "on"  # AH.SHIELD.HAR.3; FAQ.KARAMA-HAR.5
    captive_identity: Literal["public", "secret"] = "secret"  # WBC.X.28; FAQ.HARKONNEN.2
    captive_betrays_owner: Literal["automatic", "not_stated"] = "automatic"  # AH.SHIELD.HAR.3; VACA.X.D.1.c
    # AH.X.D.3; WBC.X.34; VACA.HRL.A; GF9.TRAITOR.3
    traitor_vs_lasgun_shield: Literal["traitor_first", "explosion_too"] = "traitor_first"
    traitor_winner_may_discard: Literal["no", "yes"] = "yes"  # AH.X.C.6; FAQ.BATTLES.1
    used_leader_display: Literal["returned", "stays_until_battles_end"] = "returned"  # GF9.BATTLE.21
    default_plan: Literal["lowest_all_unpaid", "lowest_dial_zero"] = "lowest_all_unpaid"  # WBC.X.23; A-22
    missing_leader_uses_cheap_hero: bool = True  # AH.X.C.9; A-23
    two_cards_random_unless_bound: bool = True
    excess_battle_spice: Literal["spent", "returned"] = "spent"  # AH.XXII.A.2; A-25
    loss_default: Literal["save_starred", "save_tokens"] = "save_starred"
    fremen_losses: Literal["full_strength", "half_strength"] = "full_strength"
    fremen_ally_support_default: bool = True  # WBC.HR.6b; A-20
    sardaukar_vs_fremen_ally: int = 2
    prescience_number_shows_spice: bool = False
    answer_lapse_on_theft: bool = True
    constraint_conflict: Literal["earlier", "later"] = "earlier"
    kwisatz_haderach: Literal["off", "on"] = "on"  # AH.SHIELD.ATR.4
    kh_with_cheap_hero: bool = True  # WBC.XV.5; WBC.X16; A-32
    kh_count: Literal["own_battles", "all_battles"] = "own_battles"
    capture_after_traitor: bool = True
    killed_captive_public: bool = True

    # --- Collection and spice transfers -----------------------------------------------------------------------------

    city_income: Literal["off", "on"] = "on"  # AH.XIX; AH.XXIII; VACA.XI.C; GF9.COLLECT.3
    bribery: Literal["allowed", "forbidden"] = "allowed"  # AH.XIII.C; GF9.BRIBE.1; FAQ.DESIGN.1
    deals_between_allies: Literal["yes", "no"] = "yes"  # GF9.BRIBE.1; FAQ.DIFF.6
    # WBC.HR.5a; FAQ.BRIBERY.1; WBC.X02
    spice_transfer_timing: Literal["immediate", "collection", "mentat_pause_escrow", "wbc2009"] = "collection"
    # WBC.X01; FAQ.EMPEROR.1
    emperor_transfer: Literal["cards_revival_shipment", "to_ally", "to_ally_any_reason", "to_and_from"] = "to_ally"
    transfer_amount: Literal["public", "private"] = "private"  # WBC.XIII.2, 3; FAQ.BRIBERY.1
    gift_before_charity: Literal["allowed", "allowed_as_escrow", "impossible"] = "impossible"  # FAQ.CHARITY.1
    card_notes: Literal["all", "atreides_only"] = "all"  # WBC.MISC.1; WBC.X25; A-52
    transfer_order: Literal["debts_then_gifts", "gifts_then_debts"] = "debts_then_gifts"
    debt_shortfall: Literal["carry", "void"] = "carry"
    deal_in_collection: Literal["same_round", "next_turn"] = "same_round"
    deal_enforcement: Literal["structured", "none"] = "structured"  # WBC.XIII.8, 9; A-62

    # --- Karama and Truthtrance -------------------------------------------------------------------------------------

    karama_special: Literal["off", "on"] = "on"  # AH.XVII; VACA.SCOPE.2; FAQ.ADV-KARAMA.1
    karama_special_uses: Literal["per_card", "once_per_game"] = "per_card"  # AH.XVII.B; FAQ.ADV-KARAMA.1
    # FAQ.ADV-KARAMA.6 to 12
    karama_special_window: Literal["any_time", "wbc_windows", "own_phase_only"] = "wbc_windows"
    # AH.QA.A.4; WBC.AID.18; FAQ.KARAMA.6
    karama_vs_atreides_bidding: Literal["all_cards", "remaining_cards", "one_card"] = "remaining_cards"
    karama_cancel_list: Literal["ah_pad", "gf9_list"] = "ah_pad"  # AH.AID.KARAMA; FAQ.KARAMA-*
    # WBC.HR.6d; WBC.AID.31; FAQ.KARAMA.7
    karama_vs_alliance_powers: Literal["no", "worm_and_support_only", "yes"] = "worm_and_support_only"
    karama_vs_emperor_income: Literal["no", "yes"] = "no"  # FAQ.KARAMA-EMP.1
    fremen_karama_worm_nexus: Literal["no", "yes"] = "no"  # AH.QA.A.8; FAQ.ADV-KARAMA.3
    # WBC.XVII.18; FAQ.ADV-KARAMA.2
    fremen_karama_worm_window: Literal["any_time", "spice_or_own_move", "spice_phase"] = "spice_or_own_move"
    fremen_karama_worm_place: Literal["any_territory", "sand_only"] = "any_territory"  # AH.AID.KARAMA; FAQ.ADV-KARAMA.4
    fremen_karama_worm_cancellable: Literal["yes", "no"] = "no"  # WBC.AID.34; FAQ.ADV-KARAMA.5
    # WBC.XVII.6; FAQ.HARKONNEN.3
    harkonnen_karama_return: Literal["any_card", "original_hand_only"] = "original_hand_only"
    emperor_karama_window: Literal["any_time", "revival_phase"] = "any_time"  # WBC.XVII.19; FAQ.ADV-KARAMA.7
    truthtrance_future: Literal["any", "this_turn_only"] = "any"  # WBC.AID.6; FAQ.TRUTHTRANCE.6
    truthtrance_yes_obliges: Literal["no", "yes"] = "no"  # WBC.AID.7; FAQ.TRUTHTRANCE.3
    truthtrance_unknown_answer: Literal["not_allowed", "allowed_card_kept"] = "not_allowed"  # FAQ.TRUTHTRANCE.5
    bg_worthless_as_karama: Literal["no", "yes"] = "yes"  # AH.SHIELD.BG; AH.AID.ADV
    karama_worm_ride: bool = True  # WBC.AID.34; A-36
    karama_scope_fremen: Literal["separate", "together"] = "separate"  # WBC.X07; A-42
    fremen_support_karama_window: Literal["as_step_8", "any_gap"] = "as_step_8"  # WBC.X06; A-41
    atreides_full_plan_window: Literal["any_gap", "step_6"] = "any_gap"  # WBC.X12
    atreides_karama_commits: bool = True  # WBC.X13; A-18
    atreides_karama_own_battle_reveal: Literal["public", "atreides_only"] = "public"
    forced_plan: Literal["finalise", "draft_now"] = "draft_now"  # WBC.XVII.11; A-19
    theft_limit: Literal["original_hand", "targets_hand"] = "original_hand"  # WBC.XVII.6; A-44
    theft_ignores_limit_during: bool = True
    truthtrance_silence: Literal["state_then_no", "wait", "yes"] = "state_then_no"  # WBC.AID.4; A-02

    def with_options(self, options: Mapping[str, object]) -> "RuleSet":
        """The same rule set with some options changed.

        Raises `RuleSetError` for an option or a value that does not exist. A "yes"/"no" or "on"/"off" option may be
        given as true or false. Example: `load_rule_set("ah-basic").with_options({"city_income": "on"})`.
        """
        changes: dict[str, Any] = {option: _checked(option, value) for option, value in options.items()}
        return replace(self, **changes)

    def option(self, name: str) -> Value:
        """The value of an option by its name, for tables and reports; rules read attributes."""
        value: Value = getattr(self, _known(name))
        return value


# --- What may be written -------------------------------------------------------------------------------------

_NUMBERS: Mapping[str, range] = {
    "max_turns": range(1, 16),
    "solo_strongholds_extra": range(3),
    "two_player_strongholds": range(3, 6),
    "alliance_max": range(7),
    "alliance_min_players": range(7),
    "spice_blows": range(1, 3),
    "charity_max_spice": range(6),
    "bid_seconds": range(61),
    "sardaukar_vs_fremen_ally": range(1, 3),
}


def _read_options() -> dict[str, tuple[Value, ...]]:
    """Every option with its values, from the types of the fields."""
    types = typing.get_type_hints(RuleSet)
    allowed: dict[str, tuple[Value, ...]] = {}
    for field in fields(RuleSet):
        if field.name in ("name", "title", "books"):
            continue
        if types[field.name] is bool:
            allowed[field.name] = (True, False)
        elif types[field.name] is int:
            allowed[field.name] = tuple(_NUMBERS[field.name])
        else:
            allowed[field.name] = typing.get_args(types[field.name])
    return allowed


OPTIONS: Mapping[str, tuple[Value, ...]] = _read_options()
"""Every option and the values that it may have."""


def _known(option: str) -> str:
    if option not in OPTIONS:
        raise RuleSetError(f"There is no option {option!r} of a rule set{_did_you_mean(option, OPTIONS)}.")
    return option


def _checked(option: str, value: object) -> Value:
    allowed = OPTIONS[_known(option)]
    meant = (value, *_SWITCHED[value]) if isinstance(value, bool) else (value,)
    for candidate in allowed:
        if any(type(candidate) is type(word) and candidate == word for word in meant):
            return candidate
    guess = _did_you_mean(value, [str(candidate) for candidate in allowed]) if isinstance(value, str) else ""
    raise RuleSetError(f"The option {option} cannot be {_written(value)}; it can be {_listed(allowed)}{guess}.")


_SWITCHED: Mapping[bool, tuple[str, ...]] = {True: ("yes", "on"), False: ("no", "off")}


def _written(value: object) -> str:
    return ("true" if value else "false") if isinstance(value, bool) else str(value)


def _listed(values: Iterable[Value]) -> str:
    """The values as a reader wants them: numbers in a row as a span, words in their order."""
    if isinstance(values, tuple) and len(values) > 3 and all(type(value) is int for value in values):
        return f"a number from {values[0]} to {values[-1]}"
    return " or ".join(_written(value) for value in values)


def _did_you_mean(word: str, known: Iterable[str]) -> str:
    close = difflib.get_close_matches(word, list(known), n=1)
    return f" (did you mean {close[0]}?)" if close else ""


# --- The named rule sets -------------------------------------------------------------------------------------


@cache
def load_rule_set(name: str) -> RuleSet:
    """A named rule set, one of `RULE_SETS`; `RuleSetError` for any other name or a file with a wrong option."""
    if name not in RULE_SETS:
        guess = _did_you_mean(name, RULE_SETS)
        raise RuleSetError(f"There is no rule set {name!r}; there are {', '.join(RULE_SETS)}{guess}.")
    file = document(f"rule-sets/{name}.toml")
    named = RuleSet(name=file.text("name"), title=file.text("title"), books=file.texts("books"))
    try:
        return named.with_options(file.table("options").values)
    except RuleSetError as error:
        raise RuleSetError(f"In {file.where[0].lower()}{file.where[1:]}: {error}") from error


# --- What is played today ------------------------------------------------------------------------------------

PLAYED_SETS: tuple[str, ...] = ("wbc-2018", "ah-basic")
"""The rule sets whose every option the phases follow."""

ALSO_PLAYED: Mapping[str, tuple[Value, ...]] = {
    "max_turns": tuple(_NUMBERS["max_turns"]),
    "alliance_max": (3,),
    "alliances_enabled": ("no",),
    "solo_strongholds_extra": tuple(_NUMBERS["solo_strongholds_extra"]),
    "two_player_strongholds": tuple(_NUMBERS["two_player_strongholds"]),
    "shield_wall_rule": ("longer_game_territory",),
    "charity_max_spice": tuple(_NUMBERS["charity_max_spice"]),
    "fremen_support": ("paid", "free"),
    "sardaukar_vs_fremen_ally": (1,),
    "kh_with_cheap_hero": (False,),
    "kh_count": ("all_battles",),
    "kh_revival": ("two_spice_any_turn",),
    "missing_leader_uses_cheap_hero": (False,),
    "forced_plan": ("finalise",),
    "captive_betrays_owner": ("not_stated",),
    "traitor_winner_may_discard": ("no",),
}
"""Values beyond those that the phases follow too; a phase that learns a value adds it here."""


def _read_played() -> dict[str, frozenset[Value]]:
    played = [load_rule_set(name) for name in PLAYED_SETS]
    return {
        option: frozenset((*(rules.option(option) for rules in played), *ALSO_PLAYED.get(option, ())))
        for option in OPTIONS
    }


PLAYED: Mapping[str, frozenset[Value]] = _read_played()
"""For every option the values that the engine plays."""


def require_playable(rules: RuleSet) -> None:
    """Raises `RuleSetError` naming every option whose value is not played yet."""
    missing = [
        f"{option} = {_written(rules.option(option))} (played: "
        f"{_listed(value for value in allowed if value in PLAYED[option])})"
        for option, allowed in OPTIONS.items()
        if rules.option(option) not in PLAYED[option]
    ]
    if missing:
        raise RuleSetError(f"Mentat does not play these options of {rules.name} yet: {'; '.join(missing)}.")
