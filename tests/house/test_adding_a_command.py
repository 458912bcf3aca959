"""Tests that a command with its own option needs only one function."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from shutil import copytree
from subprocess import run

ROOT = Path(__file__).parents[2]
GREETING = '''
@command("game greet")
def greet(call: Power, game: Game, loud: Annotated[bool, typer.Option("--loud", help="Shout.")] = False) -> Answer:
    """Greet the players of a game."""
    return Answer(f"{'HELLO' if loud else 'hello'} {game}", {"game": game, "loud": loud})
'''


def test_a_command_with_an_option_is_added_in_one_place(tmp_path: Path) -> None:
    copytree(ROOT / "bot", tmp_path / "bot")
    for name in ("rules", "data", "templates"):
        (tmp_path / name).symlink_to(ROOT / name)
    with (tmp_path / "bot/cli/people.py").open("a") as people:
        people.write(GREETING)

    def greet(*words: str) -> str:
        command = [sys.executable, "-m", "bot", "game", "greet", *words]
        return run(command, cwd=tmp_path, capture_output=True, text=True, check=True).stdout

    assert greet("g", "--loud") == "HELLO g\n"
    assert json.loads(greet("g", "--json")) == {"game": "g", "loud": False}
    assert greet("g", "--dry-run") == "Nothing was done. It would be: hello g\n"
