"""Rulings with something changed: another number, card or place in their position, another order, sender or stop. What
becomes of each order, what happens then, and what is asked and may be answered at the end.

A ruling that is not changed is no input: it stands for itself (and is recorded, tests/recorded).
"""

from __future__ import annotations

import hashlib
import json
import re
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any

import msgspec

from bot.lab.rulings import BY_THE_WAY
from bot.language.mail_lines import read_lines
from bot.language.orders import write
from bot.table.lines import reading_context
from rules.components import CARDS, FACTIONS, LEADERS
from rules.components.board import AREAS
from rules.engine import turn
from rules.engine.play import Play
from rules.orders import Order
from rules.positions.position import PositionError, position
from rules.rulesets.ruleset import RULE_SETS
from rules.views import view
from tests.approved.subject import Subject, vary_words

RULINGS = Path(__file__).parents[2] / "rulings"
MOST_STOPS = 400
MOST_STEPS = 12
_NAMES: Sequence[Sequence[str]] = (tuple(CARDS), tuple(LEADERS), FACTIONS, tuple(AREAS))
_canonical = msgspec.json.Encoder(order="deterministic", enc_hook=str)


def _seeds() -> Iterator[str]:
    for file in sorted(RULINGS.rglob("*.toml")):
        document = tomllib.loads(file.read_text(encoding="utf-8"))
        steps = [step for step in document.get("step", []) if "expect" not in step]
        start = {**document.get("start", {}), "rng": "mentat"}
        yield _input(document.get("ruleset", "wbc-2018"), document.get("options", {}), start, steps)


def _input(ruleset: str, options: Any, start: Any, steps: Any) -> str:
    return json.dumps([ruleset, options, start, [_short(step) for step in steps]])


def _short(step: Any) -> Any:
    """A stop as "bid of guild", an order as who sends what."""
    if "until" not in step:
        return [step["from"], step["order"]]
    return step["until"] + (f" of {step['of']}" if "of" in step else "")


def _vary(chance: Random, text: str, others: Sequence[str]) -> str:
    """A change or some of the position, of the orders, or of both."""
    ruleset, options, start, steps = json.loads(text)
    other = json.loads(chance.choice(others))
    for _ in range(chance.choice((1, 1, 1, 2, 3))):
        match chance.randrange(10):
            case 0 | 1 | 2:
                start = json.loads(_with_another_value(chance, json.dumps(start), others))
            case 3 if chance.randrange(3) == 0:
                ruleset = chance.choice(list(RULE_SETS))
            case 4 if chance.randrange(3) == 0:
                options = other[1]
            case 5 if other[3]:
                steps = [*steps]
                steps.insert(chance.randrange(len(steps) + 1), chance.choice(other[3]))
            case 6 if steps:
                steps = [*steps]
                place = chance.randrange(len(steps))
                steps[place : place + 1] = chance.choice(([], steps[place : place + 1] * 2))
            case _ if steps:
                steps = [*steps]
                place = chance.randrange(len(steps))
                steps[place] = _other_step(chance, steps[place], start, steps + other[3])
    return json.dumps([ruleset, options, start, steps[:MOST_STEPS]])


def _other_step(chance: Random, step: Any, start: Any, others: Sequence[Any]) -> Any:
    if isinstance(step, str):
        return chance.choice([step, *(each for each in others if isinstance(each, str)), "end"])
    faction, lines = step
    if chance.randrange(4) == 0:
        return [chance.choice(list(start.get("factions", FACTIONS))), lines]
    orders = [each[1] for each in others if not isinstance(each, str)]
    if chance.randrange(2):
        return [faction, _with_another_name(chance, lines)]
    return [faction, vary_words(chance, lines, orders)]


def _with_another_value(chance: Random, text: str, others: Sequence[str]) -> str:
    """A position with another number or name."""
    numbers = list(re.finditer(r"\d+", text))
    if numbers and chance.randrange(3):
        found = chance.choice(numbers)
        value = max(0, int(found[0]) + chance.choice((-2, -1, -1, 1, 1, 2)))
        return f"{text[: found.start()]}{value}{text[found.end() :]}"
    if chance.randrange(4) == 0:
        there, new = json.loads(text), json.loads(chance.choice(others))[2]
        key = chance.choice(list(new))
        return json.dumps({**there, key: new[key]})
    return _with_another_name(chance, text)


def _with_another_name(chance: Random, text: str) -> str:
    """A card, leader, faction or area in a text is another one."""
    names = [(name, sort) for sort in _NAMES for name in sort if name in text]
    if not names:
        return re.sub(r"\d+", lambda found: str(max(0, int(found[0]) + chance.choice((-1, 1)))), text, count=1)
    name, sort = chance.choice(names)
    return text.replace(name, chance.choice(sort), 1)


def _told(text: str) -> str:
    return "\n".join(_story(*json.loads(text)))


def _story(ruleset: str, options: Any, start: Any, steps: Any) -> Iterator[str]:
    try:
        play = position({"ruleset": ruleset, "options": options, "start": start}).play()
        play.begin_phase(play.state.phase)
    except PositionError as wrong:
        yield str(wrong)
        return
    for step in steps:
        if isinstance(step, str):
            yield _until(play, *step.split(" of "))
        elif step[0] in play.state.players:
            yield from _sent(play, *step)
    for event in play.events:
        values = {name: part for name, part in msgspec.to_builtins(event).items() if name not in ("number", "turn")}
        yield _canonical.encode(values).decode()
    for question in play.asked():
        samples = list(question.samples())
        yield f"asked {question.kind} of {question.faction}: {len(samples)}, default {write(question.default)}"
        yield "  " + " | ".join(write(order) for order in [*samples[:2], *samples[-1:]])
    yield hashlib.sha256(_canonical.encode(view(play, "gm"))).hexdigest()[:8]


def _sent(play: Play, faction: Any, lines: str) -> Iterator[str]:
    """What becomes of some lines; what is asked by the way passes first, where that lets them be taken."""
    for line in lines.splitlines():
        for read in read_lines([line], reading_context(play, faction)):
            if not isinstance(read.result, Order):
                yield f"{faction} {read.text}: no order"
                continue
            for _ in range(MOST_STOPS):
                outcome = play.check(faction, read.result)
                if outcome.status != "refused" or not _pass_by(play):
                    break
            (outcome,) = play.submit(faction, [read.result])
            refusal = outcome.refusal
            said = [f"{refusal.reason} [{refusal.topic} {refusal.clause}]"] if refusal else []
            yield "; ".join(
                (f"{faction} {write(read.result)}: {outcome.status}", *said, *(w.reason for w in outcome.warnings))
            )


def _pass_by(play: Play) -> bool:
    waiting = play.questions()
    if play.phase_over and not play.over:
        play.begin_phase(turn.after(play.game))
        return True
    if not waiting or any(question.kind not in BY_THE_WAY for question in waiting):
        return False
    play.expire()
    return True


def _until(play: Play, kind: str, of: str = "") -> str:
    """Silence up to a question, a phase, or the end of this one."""
    for _ in range(MOST_STOPS):
        if play.over or (
            play.phase_over and kind in ("end", f"phase:{turn.next_phase(play.game.rules, play.state.phase)}")
        ):
            break
        if any(question.kind == kind and of in ("", question.faction) for question in play.questions()):
            break
        if play.phase_over:
            play.begin_phase(turn.after(play.game))
        else:
            play.expire()
    return f"until {kind}: turn {play.state.turn}, {play.state.phase}"


SUBJECT = Subject("orders-in-play", ("rules",), _seeds, _vary, _told, keeps_seeds=False)
