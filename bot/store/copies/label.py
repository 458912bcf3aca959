"""What a copy of a database says of itself: it stands in the copy, so no second file can be lost."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

Kind = Literal["sqlite", "postgresql"]


class CopyFailed(Exception):
    """A copy cannot be made, read or put back. The message says which and what to do."""


@dataclass(frozen=True, slots=True)
class Label:
    """Of which ``kind`` of database a copy is, with which ``schema``, made at ``copied_at`` by a ``version`` of Mentat
    that had this ``address``. The ``installation`` and the last four are empty in copies that were made without
    `mentat backup`."""

    kind: Kind
    schema: str
    installation: str = ""
    address: str = ""
    version: str = ""
    copied_at: datetime | None = None
