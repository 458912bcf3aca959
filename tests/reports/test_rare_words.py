"""Tests for the exact sentences of events that random games rarely show."""

from __future__ import annotations

from typing import Any

import pytest

from bot.render import news

PLAN = {
    "faction": "fremen", "dial": 3.5, "spice": 2, "leader": "Stilgar", "kwisatz_haderach": False, "weapon": "Lasgun",
    "defense": "", "repairs": [],
}  # fmt: skip
MENDED = PLAN | {
    "dial": 3.0, "spice": 0, "leader": "", "kwisatz_haderach": True, "weapon": "",
    "repairs": ["leader-added", "dial-lowered"],
}  # fmt: skip
SHIPMENT = {"faction": "guild", "forces": "3", "price": 0, "paid_to": "bank"}
DEAL = {"parties": ["guild", "fremen"], "text": "", "pays": {}}
REVIVAL = {"faction": "guild", "forces": "6", "price": 0}
OVERBID = {"faction": "guild", "number": 1, "spice": 2}
WORM = {"territory": "old-gap", "sand": True, "spice": 0, "dead": {}}


@pytest.mark.parametrize(
    ("kind", "facts", "told"),
    [
        ("plan-laid-open", {"target": "fremen", "plan": PLAN},
         "Fremen had to reveal the battle plan: dial 3.5 with 2 spice, Stilgar, Lasgun, no defense."),
        ("plans-revealed", {"territory": "carthag", "plans": [MENDED]},
         "The plans in Carthag: Fremen dial 3, no leader and the Kwisatz Haderach, no weapon, no defense "
         "(changed: the lowest leader was put in, the dial was lowered to what the tokens allow)."),
        ("cancelled", {"by": "guild", "what": "kwisatz haderach", "territory": "carthag"},
         "Guild cancelled the Kwisatz Haderach in the battle in Carthag."),
        ("shipment", SHIPMENT | {"source": "carthag/11", "target": "arrakeen/10"},
         "Guild shipped 3 tokens from Carthag to Arrakeen."),
        ("shipment", SHIPMENT | {"source": "carthag/11", "target": None, "price": 2},
         "Guild shipped 3 tokens from Carthag back to the reserves for 2 spice, payable to the bank."),
        ("deal-made", DEAL | {"text": "peace"}, "A deal between Guild and Fremen: peace."),
        ("deal-made", DEAL | {"text": "peace", "pays": {"guild": 2, "fremen": 1}},
         "A deal between Guild and Fremen: peace; Guild pays 2 spice; Fremen pays 1 spice."),
        ("deal-made", DEAL | {"pays": {"guild": 2}}, "A deal between Guild and Fremen: Guild pays 2 spice."),
        ("worm-ate", WORM | {"sand": False}, "The worm in Old Gap ate nothing there."),
        ("worm-ate", WORM, "The worm in Old Gap found nothing to eat."),
        ("worm-ate", WORM | {"spice": 4, "dead": {"guild": "1", "fremen": "2+1"}},
         "The worm in Old Gap ate 4 spice and 1 token of Guild and 2 tokens and 1 elite of Fremen."),
        ("worm-ate", WORM | {"dead": {"guild": "1"}}, "The worm in Old Gap ate 1 token of Guild."),
        ("strongholds", {"held": {"guild": []}}, "Strongholds held: none."),
        ("game-won", {"how": "guild", "winners": ["guild", "emperor"]},
         "The last turn is over without another winner: the spice flows, and with it the Guild's trade. "
         "Guild and Emperor win."),
        ("game-won", {"how": "most", "winners": ["guild"]},
         "The last turn is over. Guild wins with the most strongholds."),
        ("family-atomics", {"faction": "guild", "dead": {"fremen": "2"}},
         "Guild played Family Atomics and destroyed the Shield Wall: Arrakeen, Carthag and the Imperial Basin lie open "
         "to the storm. Fremen lost 2 tokens on the wall."),
        ("explosion-losses", {"territory": "carthag", "tokens_lost": {"guild": "3", "fremen": "1"}, "spice": 3},
         "Everything in Carthag was lost: Guild 3 tokens, Fremen 1 token and 3 spice."),
        ("tokens-revived", REVIVAL | {"price": 4, "helper": "emperor", "helped": 6},
         "Guild revived 6 tokens for 4 spice, plus 6 spice paid by Emperor."),
        ("tokens-revived", REVIVAL | {"helper": "emperor", "helped": 6},
         "Guild revived 6 tokens, 6 spice paid by Emperor."),
        ("captive-killed", {"loser": "fremen", "spice": 2, "status": "face-down"},
         "Harkonnen took a leader of Fremen to the tanks, face down, for 2 spice."),
        ("overbid-found", OVERBID | {"hand": ["Shield", "Snooper"], "turn_lost": True},
         "Guild could not pay for card 1 and showed Shield, Snooper: no Karama. They lose 2 spice and their next turn; "
         "the card goes back into the deck and another comes up."),
        ("overbid-found", OVERBID | {"hand": [], "turn_lost": False},
         "Guild could not pay for card 1 and showed an empty hand: no Karama. They lose 2 spice; the card goes back "
         "into the deck and another comes up."),
        ("turn-forfeited", {"faction": "guild"},
         "Guild neither ship nor move: they have forfeited this turn by making a bid that they could not pay."),
    ],
)  # fmt: skip
def test_a_rare_event_is_told_word_for_word(kind: str, facts: dict[str, Any], told: str) -> None:
    assert news.word_event(kind, facts, {}) == told
