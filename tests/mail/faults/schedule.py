"""What goes wrong and when: drawn from a seed, so that a schedule that shows a fault can be played again."""

from __future__ import annotations

import random
import threading
from collections import Counter
from collections.abc import Sequence
from typing import Literal

Fault = Literal[
    "refused",  # no connection, or the answer is that it should be tried later
    "lost",  # cut before the command reached the server, or before its answer reached the client
    "halved",  # cut in the middle of a line
    "done and cut",  # the server did it, and the connection breaks before it could say so
    "doubled",  # it comes twice
    "swapped",  # it comes after the line behind it
    "left out",  # it does not come, and the connection stays
    "late",  # it comes after a moment
    "stalled",  # nothing comes any more until the client gives up
]


class Schedule:
    """One run of bad luck. `happened` counts what was drawn."""

    def __init__(self, seed: str, rate: float) -> None:
        self.dice = random.Random(seed)
        self.happened: Counter[str] = Counter()
        self._rate = rate
        self._healed = threading.Event()
        self._drawing = threading.Lock()
        extensions = ("IDLE", "MOVE", "UIDPLUS", "NAMESPACE", "LITERAL+")
        self.missing = frozenset(name for name in extensions if rate and self.dice.random() < 0.3)
        """The extensions that the server does not have this time."""

    def draw(self, where: str, faults: Sequence[Fault], weight: float = 1.0) -> Fault | None:
        """What happens to the next thing that passes, if anything. `where` is for the record."""
        with self._drawing:
            if self._healed.is_set() or self.dice.random() >= self._rate * weight:
                return None
            fault = self.dice.choice(faults)
            if fault == "stalled" and self.dice.random() < 0.8:
                fault = "lost"  # to wait for nothing takes long
            self.happened[f"{where} {fault}"] += 1
            return fault

    def happens(self, what: str, chance: float) -> bool:
        """Whether something else goes wrong that is not the connection's fault."""
        with self._drawing:
            if not self._rate or self._healed.is_set() or self.dice.random() >= chance:
                return False
            self.happened[what] += 1
            return True

    def heal(self) -> None:
        """From now on all goes well."""
        self._healed.set()
