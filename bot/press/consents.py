"""What the players of a game themselves have said about its press, kept behind the settings in one text.

>>> said("fake").with_false_readers("guild", agreed=True).after("fake")
'fake;false-readers=guild'
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from bot.press.settings import PressSettings, read
from rules.components import Faction, as_faction

_FALSE_READERS, _PRIVATE = "false-readers", "private"


@dataclass(frozen=True, slots=True)
class Said:
    """Who agrees that letters may name false readers, and whose private press the archive is not to show."""

    false_readers: frozenset[Faction] = frozenset()
    private: frozenset[Faction] = frozenset()

    def with_false_readers(self, faction: Faction, *, agreed: bool) -> Said:
        return replace(self, false_readers=self.false_readers | {faction} if agreed else self.false_readers - {faction})

    def with_archive(self, faction: Faction, *, shown: bool) -> Said:
        return replace(self, private=self.private - {faction} if shown else self.private | {faction})

    def after(self, settings: str) -> str:
        """The one text, with the settings as they are typed before it."""
        parts = [(_FALSE_READERS, self.false_readers), (_PRIVATE, self.private)]
        return ";".join([settings, *(f"{name}={','.join(sorted(who))}" for name, who in parts if who)])


def settings_in(text: str) -> PressSettings:
    """The settings in the one text."""
    return read(text.partition(";")[0])


def said(text: str) -> Said:
    """What players have said, in the one text."""
    found = dict(part.partition("=")[::2] for part in text.split(";")[1:])
    return Said(_factions(found.get(_FALSE_READERS, "")), _factions(found.get(_PRIVATE, "")))


def _factions(names: str) -> frozenset[Faction]:
    return frozenset(map(as_faction, filter(None, names.split(","))))
