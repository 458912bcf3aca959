"""What docs/tournament-draw.md says of a draw is so: its ten lines print what stands below them and what is drawn."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from bot.competition.draws import commitment, roster_digest, round_seed
from bot.competition.seating.lots import lot
from rules.components.chance import Chance

PAGE = Path(__file__).parents[3] / "docs" / "tournament-draw.md"
HANDLES = [f"E{number:02d}" for number in range(1, 13)]


def printed() -> tuple[str, str]:
    """What the lines of the page print, and what the page says that they do."""
    _, lines, _, said, _ = PAGE.read_text(encoding="utf-8").split("```")
    code = lines.removeprefix("text\n")
    assert len(code.splitlines()) == 10
    ran = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True, check=True)
    return ran.stdout.strip(), said.strip()


def test_ten_lines_of_the_standard_library_compute_what_the_page_says() -> None:
    found, said = printed()
    assert found == said


def test_the_ten_lines_compute_what_is_drawn() -> None:
    digest = roster_digest(HANDLES)
    seed = round_seed("spice-must-flow", 1, digest, "beacon text 42")
    shuffled = list(HANDLES)
    Chance(seed, {}).shuffle("round 1/0", shuffled)
    lots = " ".join(f"{handle} {lot(seed, handle)}" for handle in HANDLES[:3])
    due = f"{commitment('spice-must-flow')} {digest}\n{seed}\n{lots}\n{' '.join(shuffled)}"
    assert printed()[0] == due
