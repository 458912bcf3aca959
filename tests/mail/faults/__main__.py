"""Run many schedules of faults: `python -m tests.mail.faults --schedules 1000 [--first 0] [--rate 0.04]`.

It reports its progress every hundred schedules. It stops at the first schedule whose outcome differs from the outcome
without faults. To repeat that schedule, use `--first N --schedules 1`.
"""

from __future__ import annotations

import argparse
import logging
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from tests.mail.faults.places import servers
from tests.mail.faults.schedule import Schedule
from tests.mail.faults.traffic import carry, record


def main() -> int:
    """Run the schedules. Return 1 if the outcome of one of them differs."""
    logging.disable()
    parser = argparse.ArgumentParser(prog="python -m tests.mail.faults", description=__doc__)
    parser.add_argument("--schedules", type=int, default=1000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--rate", type=float, default=0.04, help="how often something goes wrong, of one")
    asked = parser.parse_args()
    happened: Counter[str] = Counter()
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as place, servers() as world:
        recorded = record(Path(place) / "recorded")
        expected = carry(recorded, world, Schedule("none", 0), Path(place) / "expected")
        for number in range(asked.first, asked.first + asked.schedules):
            with tempfile.TemporaryDirectory(dir=place) as folder:
                got = carry(recorded, world, Schedule(f"faults {number}", asked.rate), Path(folder) / "run")
            happened += got.faults
            if different := got.differences(expected):
                print(f"schedule {number} ended otherwise, with these faults: {dict(got.faults)}", *different, sep="\n")
                return 1
            done = number - asked.first + 1
            if done % 100 == 0 or done == asked.schedules:
                each = (time.monotonic() - started) / done
                print(f"{done} schedules, {happened.total()} faults, {each:.2f} s each", flush=True)
    for what, times in sorted(happened.items()):
        print(f"{times:7}  {what}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
