"""A copy that goes wrong on its way: what is carried into another database is not what was there."""

from __future__ import annotations

from typing import Any

import pytest

from bot.store import copies
from bot.store.database import while_held, writing


def forgets_a_seat(monkeypatch: pytest.MonkeyPatch) -> None:
    """From now on another dot is carried over for the Guild."""
    carry = copies.carry

    def forgets(*words: Any) -> dict[str, copies.Carried]:
        done = carry(*words)
        with writing(while_held(words[1])) as conn:
            conn.exec_driver_sql("UPDATE seat SET dot = 18 WHERE faction = 'guild'")
        return done

    monkeypatch.setattr(copies, "carry", forgets)
