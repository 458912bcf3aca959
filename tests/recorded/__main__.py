"""Record random games, and replay recorded ones with the code of this checkout.

    python -m tests.recorded record --ruleset wbc-2018 --seed spice --games 2000 wbc.jsonl.gz
    python -m tests.recorded compare wbc.jsonl.gz ah.jsonl.gz --jobs 2
    python -m tests.recorded pick --games 12 --into few.jsonl.xz wbc.jsonl.gz ah.jsonl.gz
    python -m tests.recorded accept
    python -m tests.recorded gather
    python -m tests.recorded rulings

``compare`` reports every game whose events differ, with the entry, the order, and the recorded and actual event at the
first difference. Then it lists the signs of all differences, the most frequent first, under the causes of
``expected.toml``. It exits with status 1 if a difference has no cause there. With ``--silence``, a question that is not
in the record takes its default, so that later events can be compared. ``pick`` copies from each file the few games with
the most kinds of events and orders.

``accept`` reports the differences and records those games again in ``net.jsonl.xz``. ``gather`` chooses new games for
that file. ``rulings`` does the same as ``accept`` for the rulings as their files are now, and adds new ones.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import chain, islice
from pathlib import Path

from tests.recorded import of_rulings
from tests.recorded.causes import EXPECTED, NET, cause_of, expected
from tests.recorded.games import kinds, parse, read, read_lines, record_again, record_many, write
from tests.recorded.gathering import gather
from tests.recorded.replay import Difference, Replayed, replay

CHUNK = 40
EXAMPLES = 5
"""The number of games named for each sign."""


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.recorded", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    tasks = parser.add_subparsers(required=True)
    recording = tasks.add_parser("record", help="play random games and write them")
    recording.add_argument("file", type=Path)
    recording.add_argument("--ruleset", default="wbc-2018")
    recording.add_argument("--seed", default="spice")
    recording.add_argument("--games", type=int, default=100)
    recording.set_defaults(task=_record)
    comparing = tasks.add_parser("compare", help="replay recorded games")
    comparing.add_argument("files", type=Path, nargs="+")
    comparing.add_argument("--jobs", type=int, default=1)
    comparing.add_argument("--expected", type=Path, default=EXPECTED, help="the table of causes")
    comparing.add_argument("--silence", action="store_true", help="let silence answer what the record does not know")
    comparing.add_argument("--quiet", action="store_true", help="only the signs, not each game")
    comparing.set_defaults(task=_compare)
    picking = tasks.add_parser("pick", help="copy a few games with much in them")
    picking.add_argument("files", type=Path, nargs="+")
    picking.add_argument("--games", type=int, default=12, help="of each file")
    picking.add_argument("--into", type=Path, required=True)
    picking.set_defaults(task=_pick)
    accepting = tasks.add_parser("accept", help="record those games of the net again that differ")
    accepting.add_argument("--file", type=Path, default=NET)
    accepting.set_defaults(task=_accept)
    gathering = tasks.add_parser("gather", help="choose the games of the net anew")
    gathering.add_argument("--file", type=Path, default=NET)
    gathering.add_argument("--seed", default="net")
    gathering.add_argument("--looks", type=int, default=7000, help="how often all of them are looked at in all")
    gathering.add_argument("--jobs", type=int, default=2)
    gathering.set_defaults(task=_gather)
    rulings = tasks.add_parser("rulings", help="record all rulings again")
    rulings.add_argument("folder", nargs="*", default=of_rulings.folders(), help="of these folders alone")
    rulings.set_defaults(task=_rulings)
    asked = parser.parse_args()
    return int(asked.task(asked))


def _record(asked: argparse.Namespace) -> int:
    lost: list[str] = []
    began, games = time.monotonic(), record_many(asked.ruleset, asked.seed, asked.games, lost)
    for done, _ in enumerate(write(games, asked.file), 1):
        if done % 100 == 0 or done + len(lost) == asked.games:
            print(f"{done} games, {(time.monotonic() - began) / done:.3f} s each", flush=True)
    print(*lost, sep="\n")
    return 1 if lost else 0


def _compare(asked: argparse.Namespace) -> int:
    games = moved = unasked = 0
    different: list[Difference] = []
    silent: Counter[str] = Counter()
    lines = chain.from_iterable(map(read_lines, asked.files))
    for found in _replayed(lines, asked.jobs, asked.silence):
        silent.update({what.partition(" of ")[0] for what in found.silent})
        games += 1
        moved += found.moved and not found.difference
        unasked += found.unasked
        if found.difference:
            different.append(found.difference)
            if not asked.quiet:
                print(found.difference, flush=True)
    causes = expected(asked.expected)
    explained = [(difference, cause_of(difference, causes)) for difference in different]
    unexplained = [difference for difference, cause in explained if cause is None]
    print(f"{games} games, {games - len(different)} with the same events, {len(different)} with others")
    print(f"{moved} of the same tell some with another entry; {unasked} entries answer what is not asked now")
    if silent:
        told = ", ".join(f"{kind} ({number})" for kind, number in silent.most_common())
        print(f"silence answered what the record does not know, of these kinds (games): {told}")
    for cause in causes:
        _print_signs(cause.why, [difference for difference, why in explained if why is cause])
    _print_signs("NOT EXPECTED", unexplained)
    return 1 if unexplained else 0


def _replayed(lines: Iterator[bytes], jobs: int, silence: bool) -> Iterator[Replayed]:
    again = partial(_replay_line, silence)
    if jobs == 1:
        yield from map(again, lines)
        return
    with ProcessPoolExecutor(jobs) as processes:
        while some := list(islice(lines, CHUNK * jobs)):  # not all at once: a file may hold thousands of games
            yield from processes.map(again, some, chunksize=CHUNK // 4)


def _replay_line(silence: bool, line: bytes) -> Replayed:
    return replay(parse(line), silence)


def _print_signs(title: str, differences: Sequence[Difference]) -> None:
    by_sign: dict[str, list[str]] = {}
    for difference in differences:
        by_sign.setdefault(difference.sign, []).append(f"{difference.game} ({difference.entry})")
    if by_sign:
        print(f"\n{title}: {len(differences)} games")
    for sign, games in sorted(by_sign.items(), key=lambda of: -len(of[1])):
        more = f" and {len(games) - EXAMPLES} more" if len(games) > EXAMPLES else ""
        print(f"{len(games):6}  {sign}\n        {', '.join(games[:EXAMPLES])}{more}")


def _pick(asked: argparse.Namespace) -> int:
    picked: set[str] = set()
    for file in asked.files:
        left = {game.game: kinds(game) for game in read(file)}
        seen: set[str] = set()
        for _ in range(min(asked.games, len(left))):
            best = max(left, key=lambda name: len(left[name] - seen))
            seen |= left.pop(best)
            picked.add(best)
        print(f"{file.name}: {len(seen)} kinds of events and orders")
    games = (game for file in asked.files for game in read(file) if game.game in picked)
    print(f"{sum(1 for _ in write(games, asked.into))} games, {asked.into.stat().st_size} bytes")
    return 0


def _accept(asked: argparse.Namespace) -> int:
    games, differences = list(read(asked.file)), list[Difference]()
    explained = {name for cause in expected() for name in cause.games}
    for number, game in enumerate(games):
        difference = replay(game).difference
        if difference and game.game not in explained:
            print(difference, flush=True)
            differences.append(difference)
            games[number] = record_again(game)
    _print_signs("ACCEPTED", differences)
    print(f"{len(differences)} of {len(games)} games are recorded again")
    if differences:
        for _ in write(games, asked.file):
            pass
    return 0


def _gather(asked: argparse.Namespace) -> int:
    games = gather(asked.seed, asked.looks, asked.jobs)
    print(f"{sum(1 for _ in write(games, asked.file))} games, {asked.file.stat().st_size} bytes")
    return 0


def _rulings(asked: argparse.Namespace) -> int:
    differences, number = list[Difference](), 0
    for folder in asked.folder:
        file = of_rulings.kept_file(folder)
        before = {game.game: game for game in read(file)} if file.exists() else {}
        now = {game.game: game for game in of_rulings.recorded_rulings(folder)}
        found = [found for name, old in before.items() if name in now and (found := replay(old).difference)]
        for each in found:
            print(each, flush=True)
        differences += found
        number += len(now)
        if now != before:
            for _ in write(now.values(), file):
                pass
    _print_signs("ACCEPTED", differences)
    print(f"{number} rulings, {len(differences)} of them differ")
    return 0


if __name__ == "__main__":
    sys.exit(main())
