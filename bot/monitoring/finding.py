"""What a look finds: one thing, whether it is well, and what to do if not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

State = Literal["well", "note", "wrong", "skipped"]


@dataclass(frozen=True, slots=True)
class Finding:
    """`about` names the thing, `told` is a clause without a full stop or a whole sentence, `advice` what to do. `facts`
    are for programs, with plain names: `{"days": 12}`."""

    about: str
    state: State
    told: str
    advice: str = ""
    facts: Mapping[str, Any] = field(default_factory=dict)
