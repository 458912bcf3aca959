"""Positions that are written down, as those of rulings are: what game each becomes, or what is wrong with it; what is
not as an expectation says; what corrections by a game master make of it; and what the watch over games finds."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator, Sequence
from functools import cache
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any

import msgspec

from rules.components import CARDS, FACTIONS, LEADERS
from rules.components.board import AREAS, TERRITORIES
from rules.engine import log
from rules.engine.invariants import InvariantBroken, check_invariants
from rules.engine.play import Play
from rules.positions.expectation import differences
from rules.positions.position import PositionError, position
from rules.state.game import Game
from rules.state.state import LeaderState, State
from tests.approved.json_inputs import told_briefly, varied
from tests.approved.subject import Subject, vary_words

RULINGS = Path(__file__).parents[2] / "rulings"
KEYS = ("ruleset", "options", "start")
CORRECTIONS = (
    "spice guild +3", "spice atreides -2", "spice red-chasm/7 = 8", "spice Red Chasm = 0", "spice emperor +200",
    "spice guild 3", "spice arrakeen = 2", "forces arrakeen atreides 5", "forces carthag/11 emperor 3+2",
    "forces the-great-flat fremen 0", "forces cielago-north fremen 2", "tanks guild 4", "tanks fremen 1+1",
    "card Lasgun from guild to discard", "card Karama from deck to atreides", "card 'Shield' from discard to deck",
    "card Hajr from guild to guild", "card Spoon from deck to discard", "leader Stilgar alive", "leader Chani dead",
    "leader Nobody dead", "storm 14", "storm 19", "storm 0", "tanks guild 21", "forces arrakeen atreides 1000",
    "shield guild 3", "forces arrakeen", "card Lasgun", "spice guild -1", "card Lasgun from fremen to harkonnen",
    "tanks emperor 20", "forces polar-sink ixians 3+1", "storm fourteen", "spice fremen +0007", "spice fremen -9999",
)  # fmt: skip
MOST_CARDS = 4
_UNHURT = msgspec.to_builtins(LeaderState())


@cache
def _rulings() -> tuple[dict[str, Any], ...]:
    found = []
    for path in sorted(RULINGS.rglob("*.toml")):
        try:
            found.append(tomllib.loads(path.read_text(encoding="utf-8")))
        except tomllib.TOMLDecodeError:
            continue
    return tuple(found)


def _seeds() -> Iterator[str]:
    chance = Random("corrections")
    for ruling in _rulings():
        rng = ruling.get("start", {}).get("rng")
        start = {key: value for key, value in ruling.get("start", {}).items() if key != "rng"}
        expects = [step["expect"] for step in ruling.get("step", []) if "expect" in step] + [ruling.get("expect", {})]
        yield json.dumps({
            **{key: ruling[key] for key in KEYS if key in ruling},
            "start": {**start, **({"rng": rng} if isinstance(rng, str) else {})},
            "expect": chance.choice(expects),
            "corrections": chance.sample(CORRECTIONS, 3),
        })  # fmt: skip


@cache
def _words() -> tuple[Any, ...]:
    names: list[Any] = [*FACTIONS, *FACTIONS, *CARDS, *LEADERS, *AREAS, *TERRITORIES, "null", "", "ixians", "tleilaxu"]
    return (*names, *(range(-1, 22)), 99, 100, 999, 1000, True, "5", "3+2", "21", "0", "0+6", [], {}, 1.5)


def _vary(chance: Random, text: str, others: Sequence[str]) -> str:
    document, other = json.loads(text), json.loads(chance.choice(others))
    for _ in range(chance.choice((1, 1, 1, 2, 3))):
        match chance.randrange(8):
            case 0:
                said = document.setdefault("corrections", [])
                said.insert(0, vary_words(chance, chance.choice((*CORRECTIONS, *said)), CORRECTIONS))
                del said[5:]
            case 1:
                document["expect"] = varied(
                    chance, document.get("expect", {}), [other.get("expect", {})], words=_words()
                )
            case 2:
                document = varied(chance, document, [other], words=_words())
            case _:
                document["start"] = varied(chance, document.get("start", {}), [other.get("start", {})], words=_words())
        if not isinstance(document, dict) or not isinstance(document.get("corrections", []), list):
            return text
    return json.dumps(document)


def _told(text: str) -> str:
    document = json.loads(text)
    try:
        found = position({key: document[key] for key in KEYS if key in document})
    except PositionError as error:
        return f"wrong: {error}"
    play = found.play()
    said = [*told_state(play.state)]
    said += _expected(play, document.get("expect", {}))
    play.begin_phase(play.state.phase)
    play.advance()
    said += _expected(play, document.get("expect", {}))
    said += (line for each in document.get("corrections", []) for line in _corrected(play, str(each)))
    return "\n".join([*said, *told_watch(play.game)])


def told_state(state: State) -> Iterator[str]:
    """The position, the cards of decks as a few and a digest."""
    built = msgspec.to_builtins(state, str_keys=True)
    for deck in ("treachery_deck", "spice_deck"):
        cards = built[deck]
        digest = sha256(json.dumps(cards).encode()).hexdigest()[:8]
        built[deck] = f"{len(cards)} {digest} {', '.join(cards[:MOST_CARDS])}"
    built["leaders"] = {name: facts for name, facts in built["leaders"].items() if facts != _UNHURT}
    built.pop("draws")
    yield from told_briefly(built)


def _expected(play: Play, expect: Any) -> Iterator[str]:
    if not isinstance(expect, dict):
        return
    try:
        yield from differences(play, expect, [("guild", "shipment"), ("fremen", "nexus")])
    except PositionError as error:
        yield f"wrong: {error}"


def _corrected(play: Play, said: str) -> Iterator[str]:
    try:
        read = log.read_correction(said)
        yield f"{log.write_correction(read)} {log.owners_of_correction(read)} {log.looks_behind_shields(read)}"
        before = list(told_state(play.state))
        log.apply_correction(play.game, read)
        now = list(told_state(play.state))
    except ValueError as error:
        yield f"refused: {error}"
        return
    yield from (f"- {line}" for line in before if line not in now)
    yield from (f"+ {line}" for line in now if line not in before)


def told_watch(game: Game) -> Iterator[str]:
    """What the watch over games finds."""
    try:
        check_invariants(game)
    except InvariantBroken as error:
        yield f"watch: {error}"


SUBJECT = Subject(
    "written-positions", ("rules.positions", "rules.engine.log", "rules.engine.invariants"), _seeds, _vary,
    _told,
)  # fmt: skip
