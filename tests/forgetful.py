"""A faulty transfer: the rows that arrive in the other database are not those that were there before."""

from __future__ import annotations

from typing import Any

import pytest

from bot.store import copies
from bot.store.database import while_held, writing


def forgets_a_seat(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make each transfer give the Guild a different player dot."""
    carry = copies.carry

    def forgets(*words: Any) -> dict[str, copies.Carried]:
        done = carry(*words)
        with writing(while_held(words[1])) as conn:
            conn.exec_driver_sql("UPDATE seat SET dot = 18 WHERE faction = 'guild'")
        return done

    monkeypatch.setattr(copies, "carry", forgets)
