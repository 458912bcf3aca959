"""Every kind of letter, from positions made by hand.

`WRITTEN` contains one letter of each kind about a game. `KINDS` adds letters with as much as possible: six players,
time banks, allies, long names and texts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from msgspec.structs import replace

from bot.render import letters
from bot.render.blocks import Paragraph, Title
from bot.render.material import (
    LineVerdict,
    News,
    Pages,
    PressReceived,
    RecordHead,
    Rendering,
    Revelation,
    SheetCall,
)
from rules.components import FACTIONS, Faction, leaders_of
from rules.engine.catalogue import load_rule_set
from tests.reports.positions import BEFORE, DUE, HARKONNEN, LINES, MOVEMENT, SHIPMENT, TURN, VIEW

WON = News(4, "mentat", "game-won", {"how": "strongholds", "instead_of": [], "winners": ["guild", "atreides"]}, {})
REVEALED = Revelation(
    hands={"guild": ["Shield", "Karama"], "atreides": [], "emperor": ["Lasgun"], "harkonnen": ["Crysknife"]},
    traitors={"guild": ["Bashar"], "harkonnen": ["Gurney Halleck", "Bashar"]}, captives={"harkonnen": ["Burseg"]},
    prediction={"faction": "fremen", "turn": 5},
)  # fmt: skip
OVER = replace(
    HARKONNEN, wanted=(), seed="spice", view={**VIEW, "phase": "over", "winner": ["guild", "atreides"]},
    background=(*TURN[-1:], WON), revealed=REVEALED,
    record=RecordHead("1a2b3c4d5e6f7a8b" * 4, "sietch-12.jsonl.gz", "7f" * 32),
)  # fmt: skip
PUBLIC = replace(
    HARKONNEN, reader=replace(HARKONNEN.reader, viewer="public", name="", reply_to=""), wanted=(), held=(),
    form_code="", secrets={}, news=TURN, background=BEFORE, record=RecordHead("0123456789abcdef" * 4),
)  # fmt: skip
PASSED = PressReceived("fremen", "Shall we ally?\n\nStilgar", 2, ("guild",), answerable=True)

RULES = {**load_rule_set("wbc-2018").options, "alone": 3, "allied": 4, "last": 15}

WRITTEN: Mapping[str, Callable[[], Rendering]] = {
    "setup": lambda: letters.setup_letter(replace(HARKONNEN, rules=RULES)),
    "report": lambda: letters.private_report(HARKONNEN),
    "reply": lambda: letters.reply_to_orders(HARKONNEN, LINES, ["The attached file map.pdf was not read."]),
    "answered": lambda: letters.reply_to_orders(replace(HARKONNEN, wanted=()), LINES[1:2], ()),
    "reminder": lambda: letters.reminder(HARKONNEN),
    "summary": lambda: letters.public_summary(PUBLIC),
    "end": lambda: letters.end_of_game(OVER),
    "notice": lambda: letters.notice(HARKONNEN, "taken back to turn 3", ["The game was taken back.", "A slip."]),
    "press": lambda: letters.press(
        HARKONNEN, PressReceived("fremen", "Shall we ally?\n\nStilgar", 2, ("guild",), answerable=True)
    ),
}

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
    LineVerdict("bid " + "9" * 300, "unread", reason="I do not know that number."),
    LineVerdict("Grüße an alle <b>und</b> " + "Donaudampfschifffahrtsgesellschaft" * 3, "talk"),
)
FIGHTS = (("arrakeen", "bene-gesserit"), ("habbanya-ridge-sietch", "atreides"))

RICH = replace(
    HARKONNEN,
    reader=replace(HARKONNEN.reader, tag="g7k2h9q4"), tempo="Every day a round.", options={"expansion": "none"},
    archive=("The archive shows it.", "You stand there as Ann."), forum=("It has a thread.",),
    press=("Say it to all.",),
    sheet=("standing: charity",), remarks=("A line of your sheet did not count.",), cared_for=("emperor",),
    banks={"harkonnen": 90}, wanted=(replace(SHIPMENT, answered=("no shipment",)), MOVEMENT), edition="2019",
    secrets={**HARKONNEN.secrets, "prediction": {"faction": "guild", "turn": 3}, "captured": {"Burseg": "emperor"},
             "next_storm": 4},
    view={
        **VIEW, "shield_wall": False, "last_turn": 10, "escrow": [{"from": "guild", "to": "emperor", "spice": 3}],
        "leaders_on_board": {"arrakeen": ["Lady Jessica"]}, "auction": {"known": ["Shield"]},
        "deck_known": [{"where": "top", "card": "Lasgun"}],
    },
)  # fmt: skip
"""A position with an example of nearly everything that a letter can mention."""

KINDS: Mapping[str, Callable[[], Rendering]] = {
    **WRITTEN,
    "crowded report": lambda: letters.private_report(CROWDED),
    "crowded summary": lambda: letters.public_summary(
        replace(PUBLIC, view=CROWDED.view, banks=CROWDED.banks, pages=CROWDED.pages)
    ),
    "summary with its picture": lambda: letters.with_picture(letters.public_summary(PUBLIC), PUBLIC),
    "call": lambda: letters.private_report(
        replace(CROWDED, wanted=(), call=SheetCall("battle", DUE, FIGHTS))  # type: ignore[arg-type]  # territories by their ids
    ),
    "answer to long lines": lambda: letters.reply_to_orders(CROWDED, (*LINES, *LONG), ()),
    "answer to nothing": lambda: letters.reply_to_orders(replace(HARKONNEN, wanted=()), (), ()),
    "answer to status": lambda: letters.reply_to_orders(
        replace(CROWDED, wanted=()), (LineVerdict("status", "done", "status", "The position is below."),), (), True
    ),
    "reminder of games": lambda: letters.reminder_of_games((CROWDED, HARKONNEN), "last-reminder"),
    "briefing": lambda: letters.briefing(CROWDED, "You are Harkonnen from now on", ["Another played before you."]),
    "crowded end": lambda: letters.end_of_game(replace(OVER, view={**OVER.view, "players": SIX})),
    "farewell": lambda: letters.farewell("sietch-12", "your seat has another player", ["Farewell."]),
    "game master": lambda: letters.notice(None, "a mail could not be read", ["It came from " + "x" * 200 + "."]),
    "long press": lambda: letters.press(
        CROWDED, PressReceived("bene-gesserit", "Will you " + "ally" * 60 + "?\n\n" + "so " * 200, 99, (), to_all=True)
    ),
    "unsigned press": lambda: letters.press(CROWDED, PressReceived(None, "Beware.", 99, copied=True)),
    "unsigned press to all": lambda: letters.press(CROWDED, PressReceived(None, "Beware.", 1, to_all=True)),
    "press to all": lambda: letters.press(HARKONNEN, PressReceived("guild", "Hear.", 1, to_all=True, copied=True)),
    "rich setup": lambda: letters.setup_letter(replace(RICH, rules=RULES)),
    "rich report": lambda: letters.private_report(RICH),
    "rich briefing": lambda: letters.briefing(RICH, "You are Harkonnen from now on", ["Another played before you."]),
    "answer to a post": lambda: letters.reply_to_orders(RICH, LINES, ["A note."], posted=True),
    "last reminder": lambda: letters.reminder(RICH, "last-reminder"),
    "call without a deadline": lambda: letters.private_report(replace(RICH, call=SheetCall("storm", None))),
    "digest of games": lambda: letters.digest_of_games((RICH, CROWDED, HARKONNEN), "cup", "3 games", ["Round 1."]),
    "full summary": lambda: letters.full_summary(PUBLIC, (RICH,)),
    "report to Atreides": lambda: letters.private_report(
        replace(
            HARKONNEN,
            reader=replace(HARKONNEN.reader, viewer="atreides"),
            wanted=(),
            sheet=("standing: charity",),
            view={
                **VIEW,
                "players": {
                    **VIEW["players"],
                    "atreides": {**VIEW["players"]["atreides"], "spice": 0, "hand": [], "reserves": "20"},
                },
            },
        )
    ),
    "end without a record": lambda: letters.end_of_game(
        replace(
            OVER,
            record=RecordHead("", "sietch-12.dune", ""),
            background=(
                *OVER.background,
                News(
                    3,
                    "battle",
                    "treachery-called",
                    {"caller": "harkonnen", "leader": "Bashar", "victim": "emperor", "side": "harkonnen"},
                    {},
                ),
            ),
        ),
    ),
    "ready blocks": lambda: letters.of_blocks("cup", "the draw", [Title("The draw"), Paragraph("Drawn.")], "Drawn"),
    "ready blocks to the game master": lambda: letters.to_game_master("the draw", [Paragraph("Drawn.")], "Drawn"),
}
