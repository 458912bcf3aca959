"""Every kind of letter, with as much in it as there can be: six players, time banks, allies, long names and words."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from bot.reports import letters
from bot.reports.given import Call, LineRead, Pages, Passed, Rendered
from rules.components import FACTIONS, Faction, leaders_of
from tests.reports.golden_letters import OVER, PUBLIC, WRITTEN
from tests.reports.positions import DUE, HARKONNEN, LINES, SHIPMENT, VIEW

SIX: dict[Faction, dict[str, Any]] = {
    faction: {
        "dot": 2 + 3 * number, "ally": "emperor" if faction == "bene-gesserit" else "bene-gesserit" if
        faction == "emperor" else "", "tanks": "12+5", "hand_count": 4, "spice": None, "hand": None, "reserves": None,
        "leaders": dict.fromkeys(leaders_of(faction), "ready"),
    }
    for number, faction in enumerate(FACTIONS)
}  # fmt: skip
SIX["harkonnen"] |= {"spice": 17, "reserves": "9", "hand": ["Crysknife", "Karama", "Tleilaxu Ghola", "Weather Control"]}
CROWDED = replace(
    HARKONNEN,
    view={**VIEW, "players": SIX, "alliances": [["bene-gesserit", "emperor"]], "forces": {
        "habbanya-ridge-sietch/17": {"bene-gesserit": "10", "fremen": "15+3"}, "arrakeen/10": {"emperor": "15+5"},
        "the-great-flat": {"harkonnen": "10", "atreides": "3"}}},
    banks=dict.fromkeys(FACTIONS, 60 * 336), pages=Pages("https://dune.example.org/rules", "https://dune.example.org/how"),
    players={faction: f"Player of {faction}" for faction in FACTIONS},
    wanted=(replace(SHIPMENT, choices=tuple(f"ship {n} to Habbanya Ridge Sietch" for n in range(1, 13))),),
)  # fmt: skip
LONG = (
    LineRead("bid " + "9" * 300, "unread", reason="I do not know that number."),
    LineRead("Grüße an alle <b>und</b> " + "Donaudampfschifffahrtsgesellschaft" * 3, "talk"),
)
FIGHTS = (("arrakeen", "bene-gesserit"), ("habbanya-ridge-sietch", "atreides"))

KINDS: Mapping[str, Callable[[], Rendered]] = {
    **WRITTEN,
    "crowded report": lambda: letters.private_report(CROWDED),
    "crowded summary": lambda: letters.public_summary(
        replace(PUBLIC, view=CROWDED.view, banks=CROWDED.banks, pages=CROWDED.pages)
    ),
    "summary with its picture": lambda: letters.with_picture(letters.public_summary(PUBLIC), PUBLIC),
    "call": lambda: letters.private_report(
        replace(CROWDED, wanted=(), call=Call("battle", DUE, FIGHTS))  # type: ignore[arg-type]  # territories by their ids
    ),
    "answer to long lines": lambda: letters.reply_to_orders(CROWDED, (*LINES, *LONG), ()),
    "answer to nothing": lambda: letters.reply_to_orders(replace(HARKONNEN, wanted=()), (), ()),
    "answer to status": lambda: letters.reply_to_orders(
        replace(CROWDED, wanted=()), (LineRead("status", "done", "status", "The position is below."),), (), True
    ),
    "reminder of games": lambda: letters.reminder_of_games((CROWDED, HARKONNEN), "last-reminder"),
    "briefing": lambda: letters.briefing(CROWDED, "You are Harkonnen from now on", ["Another played before you."]),
    "crowded end": lambda: letters.end_of_game(replace(OVER, view={**OVER.view, "players": SIX})),
    "farewell": lambda: letters.farewell("sietch-12", "your seat has another player", ["Farewell."]),
    "game master": lambda: letters.notice(None, "a mail could not be read", ["It came from " + "x" * 200 + "."]),
    "long press": lambda: letters.press(
        CROWDED, Passed("bene-gesserit", "Will you " + "ally" * 60 + "?\n\n" + "so " * 200, 99, (), to_all=True)
    ),
    "unsigned press": lambda: letters.press(CROWDED, Passed(None, "Beware.", 99, copied=True)),
    "unsigned press to all": lambda: letters.press(CROWDED, Passed(None, "Beware.", 1, to_all=True)),
}
"""Each with a name that says what it is."""
