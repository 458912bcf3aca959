"""The faults of a run, drawn from a seed, so that a run that reveals a bug can be repeated."""

from __future__ import annotations

import random
import threading
from collections import Counter
from collections.abc import Sequence
from typing import Literal

Fault = Literal[
    "refused",  # no connection, or a response that asks the client to try again later
    "lost",  # cut before the command reached the server, or before the response reached the client
    "halved",  # cut in the middle of a line
    "done and cut",  # the server carried out the command, but the connection broke before its response
    "doubled",  # it arrives twice
    "swapped",  # it arrives after the line that follows it
    "left out",  # it does not arrive, but the connection stays open
    "late",  # it arrives after a short delay
    "stalled",  # nothing more arrives until the client gives up
]


class Schedule:
    """The faults of one run. `happened` counts those that were drawn."""

    def __init__(self, seed: str, rate: float) -> None:
        self.dice = random.Random(seed)
        self.happened: Counter[str] = Counter()
        self._rate = rate
        self._healed = threading.Event()
        self._drawing = threading.Lock()
        extensions = ("IDLE", "MOVE", "UIDPLUS", "NAMESPACE", "LITERAL+")
        self.missing = frozenset(name for name in extensions if rate and self.dice.random() < 0.3)
        """The extensions that the server lacks in this run."""

    def draw(self, where: str, faults: Sequence[Fault], weight: float = 1.0) -> Fault | None:
        """Draw the fault of the next item that passes, or None. `where` is for the count."""
        with self._drawing:
            if self._healed.is_set() or self.dice.random() >= self._rate * weight:
                return None
            fault = self.dice.choice(faults)
            if fault == "stalled" and self.dice.random() < 0.8:
                fault = "lost"  # waiting in vain takes a long time
            self.happened[f"{where} {fault}"] += 1
            return fault

    def happens(self, what: str, chance: float) -> bool:
        """Draw whether something else goes wrong that is not the connection's fault."""
        with self._drawing:
            if not self._rate or self._healed.is_set() or self.dice.random() >= chance:
                return False
            self.happened[what] += 1
            return True

    def heal(self) -> None:
        """End all faults."""
        self._healed.set()
