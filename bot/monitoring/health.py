"""The answer of `mentat health`: ready (the database can be used), live (the main loop turns), and all checks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from bot.config.sections import Settings
from bot.monitoring import checks
from bot.monitoring.finding import Finding
from bot.store.glance import CannotLook, look


@dataclass(frozen=True, slots=True)
class Health:
    """What was found."""

    findings: Sequence[Finding]

    @property
    def well(self) -> bool:
        """Whether nothing is wrong."""
        return not self._with("wrong")

    @property
    def ready(self) -> bool:
        """Whether the database answers, has the schema of this Mentat, and is not held."""
        return all(found.state != "wrong" for found in self.findings if found.about == "database")

    @property
    def live(self) -> bool:
        """Whether the main loop turns."""
        return any(found.state == "well" for found in self.findings if found.about == "main loop")

    @property
    def line(self) -> str:
        """All that is wrong or to be noted, in one line."""
        wrong, notes = self._with("wrong"), self._with("note")
        if wrong:
            return f"wrong: {_told([*wrong, *notes])}"
        if notes:
            return f"well, but note: {_told(notes)}"
        return f"well: {_told([found for found in self.findings if found.about in ('main loop', 'mailbox', 'outbox')])}"

    def _with(self, state: str) -> list[Finding]:
        return [found for found in self.findings if found.state == state]


def health(settings: Settings, now: datetime) -> Health:
    """How everything is, by one look that changes nothing."""
    try:
        seen = look(settings.database_place, now)
    except CannotLook as problem:
        advice = "" if problem.reachable else "`mentat doctor` says more."
        return Health(
            [Finding("database", "wrong", str(problem), advice), checks.disk(settings.mentat.database.parent)]
        )
    return Health(list(checks.all_checks(seen, settings, now)))


def _told(findings: Sequence[Finding]) -> str:
    return "; ".join(f"{found.about}: {found.told}" for found in findings)
