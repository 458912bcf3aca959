"""Games over some days at a table: what is mailed, who is silent, away, out of reach or has a bank; and after each step
what becomes of it: answers, deadlines, sheets, calls, seats."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from typing import Any, cast, get_args

from bot.language.condition_lines import condition_forms
from rules.orders import QuestionKind
from tests.approved.subject import Subject, vary_words
from tests.approved.table_life import CLOCKS, MODES, TEMPOS, Life
from tests.transcripts.scenarios.reading import LINES

RULINGS = Path(__file__).parents[2] / "rulings"
ROOMS = ("bot.language", "bot.table", "bot.table.clock", "bot.desk.game_view")
EVERY, MOST_STEPS, LONGEST = 7, 9, 400

Given = dict[str, Any]


def _rulings() -> Iterator[Mapping[str, Any]]:
    """Every ruling of sheets, and some of all others."""
    for number, file in enumerate(sorted(RULINGS.rglob("*.toml"))):
        if file.parent.name == "sheets" or number % EVERY == 0:
            yield tomllib.loads(file.read_text(encoding="utf-8"))


def _seeds() -> Iterator[str]:
    yield from _odd()
    for number, ruling in enumerate(_rulings()):
        start = ruling["start"]
        rng = start.get("rng", "mentat")
        steps = [step for each in ruling.get("step", ()) if (step := _step(each))]
        yield json.dumps(
            {
                "ruleset": ruling.get("ruleset", "wbc-2018"), "options": ruling.get("options", {}),
                "start": {**start, "rng": rng if isinstance(rng, str) else rng[0]},
                "tempo": TEMPOS[number % len(TEMPOS)], "clock": CLOCKS[number % len(CLOCKS)], "press": "",
                "seats": {}, "steps": steps[:MOST_STEPS] or [["pass", 1440]],
            }
        )  # fmt: skip


def _odd() -> Iterator[str]:
    """Lines that are nearly right or can never be, a few at a time, in a bidding and before a battle."""
    bidding = {"turn": 3, "phase": "bidding", "storm": 3, "factions": ["atreides", "emperor", "guild"],
               "dots": {"atreides": 5, "emperor": 8, "guild": 11}, "treachery_deck": ["Gom Jabbar", "Shield", "Hajr"],
               "alliances": [["emperor", "guild"]],
               "faction": {"emperor": {"spice": 9, "tanks": "3"}, "guild": {"spice": 7, "hand": ["Karama"]},
                           "atreides": {"spice": 5}}}  # fmt: skip
    battle = {"turn": 4, "phase": "battle", "storm": 7, "factions": ["bene-gesserit", "harkonnen", "atreides"],
              "dots": {"bene-gesserit": 8, "harkonnen": 11, "atreides": 2},
              "alliances": [["bene-gesserit", "atreides"]],
              "faction": {"bene-gesserit": {"spice": 3, "hand": ["Karama", "Shield"], "forces": {"arrakeen": "4"}},
                          "atreides": {"spice": 2, "hand": ["Chaumas"], "forces": {"carthag": "3"}},
                          "harkonnen": {"spice": 5, "hand": ["Stunner", "Snooper"],
                                        "forces": {"arrakeen": "5", "carthag": "2"}}}}  # fmt: skip
    for number, start in enumerate((bidding, battle)):
        who = start["factions"][1]  # type: ignore[index]  # a list, as it stands above
        for place in range(0, len(ODD), 3):
            mails = [["mail", who, line] for line in ODD[place : place + 3]]
            for clock in (CLOCKS[place % len(CLOCKS)], CLOCKS[0]):
                yield json.dumps(
                    {
                        "ruleset": ("gf9-advanced", "wbc-2018")[number], "options": {}, "press": "", "clock": clock,
                        "start": {**start, "rng": "mentat"}, "tempo": TEMPOS[(place + number) % len(TEMPOS)],
                        "seats": {who: {"bank": 90, "letters_mode": "wanted"}},
                        "steps": [*mails, ["know", who], ["pass", 1440], ["until", "battle-plan", ""], ["know", who]],
                    }
                )  # fmt: skip


ODD = (
    "when : bid 5", ": bid 5", "when price < 3:", "when price < 3 and price > 5: pass", "when turn 3 and turn 4: pass",
    "when turn 3 or turn 9: bid 2", "when not turn 3: pass", "unless turn 2: bid 1", "when phase storm: charity",
    "when phase battle and phase bidding: pass", "when " + " or ".join(f"price {n}" for n in range(17)) + ": pass",
    "when " + " or ".join(f"price {n}" for n in range(16)) + ": pass", "pass all if price > 3", "pass all",
    "standing: pass all 0 times", "standing: pass all", "standing: pass all twice", "bid 5 0 times", "bid 2 3 times",
    "Do not\nbid 2", "bid 2\nunless the guild is out", "bid 2\nno wait", "if\nbid 2", "he said:\nbid 2",
    "bid 2,\nplease do",
    "Hello Mentat,\n\nbid 2\n\nAnn", "bid 2\nI think that this is what everybody here would have expected of me\nbid 3",
    "when price < 3: ask me\nstanding: bid 1", "when card 1: bid up to 4 by 2 from 2\nwhen card 2: pass\npass all",
    "when card 1: ask me\nwhen price > 2: ask me\nwhen spice < 3: ask me\nwhen hand 2: ask me\nwhen turn 3: ask me\n"
    "when cards left 2: ask me\nwhen reserves < 3: ask me\nstanding: bid 1", "whn price < 3: pass",
    "when pric < 3: pass",
    "when Guild hass passed: pass", "when Guidl has passed: pass", "when price 3, bid 4", "bid 4 when price 3 once",
    "when emperor holds karama: pass", "when card is Karama: pass", "when next storm 3: pass", "standing: no karama",
    "when shield wall is destroyed: pass", "when arrakeen is destroyed: pass",
    "when Feyd-Rautha is my traitor: treachery",
    "standing: plan dial 9 spice 9 leader Feyd-Rautha", "plan dial 1 leader Feyd-Rautha weapon Stunner defense Snooper",
    "when defending: plan dial 2 leader Beast Rabban", "standing: no treachery", "standing: ask me", "ask me", "cancel",
    "cancel bid 2", "cancel standing", "voice harkonnen play shield", "when window voice: karama cancel voice",
    "battle bene-gesserit in arrakeen", "when fighting bene-gesserit: ask me", "bid up to 5 if i have bought no card",
)  # fmt: skip


def _step(step: Mapping[str, Any]) -> list[Any] | None:
    if "order" in step:
        return ["mail", step["from"], step["order"]]
    return ["until", step["until"], step.get("of", "")] if "until" in step else None


# --- variations ------------------------------------------------------------------------------------------------------

_KINDS = get_args(QuestionKind)
_FILLERS = {
    "FACTION": ("Emperor", "guild", "fremen", "harkonnen", "atreides", "bg", "i"),
    "TERRITORY": ("Arrakeen", "carthag", "Red Chasm", "tueks sietch", "Imperial Basin", "Shield Wall"),
    "LEADER": ("Feyd", "Stilgar", "Bashar", "Master Bewt"), "CARD": ("Karama", "a weapon", "Shield", "Lasgun"),
    "PHASE": ("bidding", "battle", "movement"), "KIND": ("shield", "poison weapon"), "QUESTION": ("bid", "shipment"),
    "REACTION": ("voice", "free card", "shipment"), "N": ("1", "2", "< 3", ">= 4", "between 2 and 5"),
}  # fmt: skip
_ORDERS = (
    "ask me",
    "pass",
    "bid 3",
    "bid up to 5",
    "no shipment",
    "no karama",
    "pass all",
    "charity",
    "go now",
    "wait",
)


def _condition(chance: Random) -> str:
    words = (word.strip("()") for word in chance.choice(condition_forms()).split())
    return " ".join(chance.choice(_FILLERS[word]) if word in _FILLERS else word for word in words)


def _sheet_line(chance: Random) -> str:
    """A line with one or two conditions."""
    conditions = [_condition(chance) for _ in range(chance.choice((1, 1, 2)))]
    said = chance.choice((" and ", " or ", " and not ")).join(conditions)
    line = f"{chance.choice(('when', 'when', 'if', 'unless'))} {said}: {chance.choice(_ORDERS)}"
    return chance.choice(("", "", "standing: ")) + line + chance.choice(("", "", "", " twice"))


def _new_step(chance: Random, faction: str, lines: Sequence[str]) -> list[Any]:
    away = chance.randrange(-1, 4)
    match chance.randrange(16):
        case 0 | 1 | 2:
            return ["mail", faction, chance.choice(lines)]
        case 3 | 4 | 5:
            return ["mail", faction, _sheet_line(chance)]
        case 6 | 7:
            return ["pass", chance.choice((1, 60, 359, 360, 719, 720, 721, 1080, 1439, 1440, 1441, 2880))]
        case 8:
            return ["until", chance.choice(_KINDS), chance.choice(("", faction))]
        case 9:
            return ["away", faction, away, away + chance.randrange(4)]
        case 10:
            return [chance.choice(("back", "reached", "care", "heard")), faction]
        case 11:
            return ["unreachable", faction, chance.choice((0, 1, 6, 30, 48))]
        case 12:
            return [chance.choice(("stop", "go", "hold", "later", "taken-back"))]
        case 13:
            return ["ask", faction, _condition(chance)]
        case 14:
            return ["told", faction]
        case _:
            return ["know", faction]


def _new_seat(chance: Random) -> dict[str, Any]:
    made: dict[str, Any] = {
        "timezone": chance.choice(("UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata")),
        "letters_mode": chance.choice(MODES), "bank": chance.choice((0, 1, 60, 600)), "care": chance.random() < 0.2,
        "waking": chance.choice(("", "08:00-22:00", "16:00-02:00")),
    }  # fmt: skip
    return dict(chance.sample(sorted(made.items()), 3))


def _vary(chance: Random, text: str, others: Sequence[str]) -> str:
    given: Given = json.loads(text)
    other: Given = json.loads(chance.choice(others))
    steps: list[list[Any]] = given["steps"]
    factions = given["start"].get("factions", ["guild", "emperor"])
    lines = [step[2] for step in (*steps, *other["steps"]) if step[0] == "mail"]
    lines += [chance.choice(_typed()), chance.choice(_typed()), chance.choice(ODD)]
    for _ in range(chance.choice((1, 1, 2, 3))):
        place = chance.randrange(len(steps) + 1)
        match chance.randrange(12):
            case 0:
                given["tempo"] = chance.choice(TEMPOS)
            case 1:
                given["clock"] = chance.choice(CLOCKS)
            case 2:
                given["seats"] = {**given["seats"], chance.choice(factions): _new_seat(chance)}
            case 3:
                _change_a_number(chance, given["start"])
            case 4 if len(steps) > 1:
                del steps[min(place, len(steps) - 1)]
            case 5 | 6:
                mailed = [step for step in steps if step[0] in ("mail", "ask")]
                if mailed:
                    step = chance.choice(mailed)
                    step[2] = vary_words(chance, step[2], lines)[:LONGEST]
            case 7:
                given["press"] = chance.choice(("", "gunboat", "gunboat,names-until=round", "neighbours"))
            case 8:
                steps[place:place] = steps[place - 1 : place]
            case _:
                steps.insert(place, _new_step(chance, chance.choice(factions), lines))
    given["steps"] = steps[-MOST_STEPS:]
    return json.dumps(given)


def _typed() -> Sequence[str]:
    return [line.replace("⏎", "\n") for line in LINES.read_text(encoding="utf-8").splitlines() if line]


def _change_a_number(chance: Random, start: dict[str, Any]) -> None:
    """A number of the position is one more or less: of spice, of tokens, of the turn."""
    tables: list[dict[str, Any]] = [start, *cast(dict[str, dict[str, Any]], start.get("faction", {})).values()]
    found = [(table, name) for table in tables for name, value in table.items() if type(value) is int]
    if found:
        table, name = chance.choice(found)
        table[name] = max(0, table[name] + chance.choice((-2, -1, 1, 2)))


# --- what is told ----------------------------------------------------------------------------------------------------


def _told(text: str) -> str:
    given: Given = json.loads(text)
    try:
        life = Life(given, datetime(2026, 11, 24, 20, tzinfo=UTC))
    except ValueError as error:
        return f"no such position: {error}"
    pieces = [f"at the beginning\n{life.changed()}"]
    for step in given["steps"]:
        said = life.take(step)
        pieces.append(f"--- {' '.join(map(str, step))}\n{said}\n{life.changed()}")
    return "\n".join(piece.replace("\n\n", "\n").rstrip("\n") for piece in pieces)


SUBJECT = Subject("tables", ROOMS, _seeds, _vary, _told, slow=True)
