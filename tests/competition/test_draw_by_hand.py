"""docs/tournament-draw.md: its program, which needs nothing of Mentat, computes what Mentat computes."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from bot.competition.draws import commitment, roster_digest, round_seed
from bot.competition.seating.lots import lot
from rules.components.chance import Chance

PAGE = Path("docs/tournament-draw.md")
PROGRAM = re.compile(r"```python\n(.*?)```\n\nThey print\n\n```\n(.*?)```", re.DOTALL)


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
