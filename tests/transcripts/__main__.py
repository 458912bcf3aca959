"""Show the kept transcripts and screens, compare them with what the code gives now, and keep new ones.

    python -m tests.transcripts list
    python -m tests.transcripts show NAME          print what is kept
    python -m tests.transcripts diff [NAME…]       print what has changed; without a name, in all transcripts
    python -m tests.transcripts accept [NAME…]     keep what the code gives now

A screen (screen-question) is kept as a list of its blocks and as pictures, in tests/screens/kept. Accept a transcript
only after reading its differences, and only if all of them are intended. For a screen, look at the new pictures too.
"""

from __future__ import annotations

import argparse
import fnmatch
import sys
import time
from itertools import islice

from tests.screens import looks
from tests.screens.gallery import SCREENS
from tests.transcripts.games import GAMES
from tests.transcripts.scenario import play
from tests.transcripts.transcript import KEPT, Piece, as_text, differences, keep, kept_file, read

MOST = 200
SCREEN = "screen-"


def main() -> int:
    """Run the command line. Return 1 if ``diff`` finds a difference."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.transcripts", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("task", choices=("list", "show", "diff", "accept"))
    parser.add_argument("names", nargs="*", metavar="NAME")
    asked = parser.parse_args()
    known = [*GAMES, *(SCREEN + name for name in SCREENS)]
    names = [name for name in known if not asked.names or any(fnmatch.fnmatch(name, one) for one in asked.names)]
    if not names:
        parser.error(f"no transcript has this name: {', '.join(known)}")
    found = False
    screens = [name.removeprefix(SCREEN) for name in names if name.startswith(SCREEN)]
    now = looks.structures(screens) if asked.task == "diff" and screens else {}
    for name in names:
        if asked.task == "list":
            print(name)
        elif asked.task == "show":
            print(as_text(_kept(name) or ()), end="")
        elif asked.task == "diff":
            found |= _diff(name, now.get(name.removeprefix(SCREEN)) or play(name))
        elif name in GAMES:
            _accept(name)
    if asked.task == "accept" and screens:
        looks.accept(screens)
    if asked.task == "accept" and not asked.names:
        for file in set(KEPT.iterdir()) - {kept_file(name) for name in GAMES}:
            file.unlink()
    return int(found)


def _kept(name: str) -> list[Piece] | None:
    return looks.kept(name.removeprefix(SCREEN)) if name.startswith(SCREEN) else read(name)


def _diff(name: str, now: list[Piece]) -> bool:
    told = list(islice(differences(_kept(name) or (), now), MOST + 1))
    print(f"=== {name}: {'nothing has changed' if not told else ''}", *told[:MOST], sep="\n")
    if len(told) > MOST:
        print("and more")
    return bool(told)


def _accept(name: str) -> None:
    began, before, pieces = time.process_time(), read(name), play(name)
    if before is None or as_text(before) != as_text(pieces):
        size = keep(name, pieces)
        print(f"{name}: {len(pieces)} pieces, {size} bytes, {time.process_time() - began:.1f} s", flush=True)


if __name__ == "__main__":
    sys.exit(main())
