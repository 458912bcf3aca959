"""Tests that the stand-alone program in docs/tournament-draw.md draws what Mentat draws."""

from __future__ import annotations

import hashlib
import hmac
import re
import subprocess
import sys
from pathlib import Path

from bot.competition.published import DrawRecord, commitment, roster_digest, round_seed
from bot.competition.seating import SeatingWishes, draw_seating, lot
from rules.components import FACTION_FACTS
from rules.components.chance import Chance

PAGE = Path("docs/tournament-draw.md")
PROGRAM = re.compile(r"```python\n(.*?)```\n\n```\n(.*?)```", re.DOTALL)


def test_the_ten_lines_of_the_documentation_print_what_stands_there() -> None:
    found = PROGRAM.search(PAGE.read_text(encoding="utf-8"))
    assert found is not None
    program, printed = found[1], found[2]
    computing = program.partition("\nprint")[0].splitlines()
    assert len([line for line in computing if line and not line.startswith("import")]) == 9
    ran = subprocess.run([sys.executable, "-I", "-c", program], capture_output=True, text=True, check=True)
    assert ran.stdout == printed


def test_the_ten_lines_of_the_documentation_print_what_mentat_computes() -> None:
    found = PROGRAM.search(PAGE.read_text(encoding="utf-8"))
    assert found is not None
    handles = [f"E{number:02d}" for number in range(1, 13)]
    digest = roster_digest(handles)
    seed = round_seed("spice-must-flow", 1, digest, "beacon text 42")
    order = list(handles)
    Chance(seed, {}).shuffle("round 1/0", order)
    lots = [lot(seed, handle) for handle in handles[:3]]
    computed = [commitment("spice-must-flow"), digest, seed, " ".join(order), " ".join(lots)]
    assert found[2].splitlines() == computed


EIGHT = ["atreides", "bene-gesserit", "emperor", "fremen", "guild", "harkonnen", "ixians", "tleilaxu"]
"""In the page's order."""


def shuffled(seed: str, label: str, things: list[str]) -> list[str]:
    """Shuffle with the ten lines of code from the page."""
    order = list(things)
    for count, last in enumerate(range(len(order) - 1, 0, -1)):
        number = int.from_bytes(hmac.digest(seed.encode(), f"{label}#{count}".encode(), "sha256")[:8], "big")
        assert number < 2**64 - 2**64 % (last + 1)
        other = number % (last + 1)
        order[last], order[other] = order[other], order[last]
    return order


def test_eight_factions_are_drawn_as_the_page_says() -> None:
    handles = tuple(f"E{number:03d}" for number in range(1, 13))
    asked = DrawRecord(rounds=(1,), kind="heat", roster=handles, ranked=handles, roster_digest=roster_digest(handles))
    seed = hashlib.sha256(b"eight").hexdigest()
    drawn = draw_seating(asked, seed, SeatingWishes(box=tuple(FACTION_FACTS)))
    assert drawn.candidate == 0
    times = dict.fromkeys(EIGHT, 0)
    for table in drawn.tables:
        order = shuffled(seed, f"round 1/0/table {table.table}/factions", EIGHT)
        order.sort(key=lambda faction: times[faction])
        played = order[:6]
        assert sorted(seat.faction or "" for seat in table.seats) == sorted(played)
        for faction in played:
            times[faction] += 1
    assert sorted(times.values()) == [1, 1, 1, 1, 2, 2, 2, 2]
