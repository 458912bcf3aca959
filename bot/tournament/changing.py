"""The settings of a tournament are changed after they were frozen: everybody is told what was and what is.

Tie-breaks and scoring are not changed any more once a round was drawn, as whoever changes them then may know whom it
helps. Where it must be (``force``), every export says so.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from bot.clock.instants import stamp
from bot.competition.settings import digest
from bot.games.open_games import OpenGames
from bot.store.tournaments import acts, entrants, rounds, tournaments
from bot.tournament import waiting_list
from bot.tournament.desk import DIRECTOR, By, Refused, acting
from bot.tournament.letters import Letter, tell_all
from bot.tournament.making import HERE, checked, legal
from bot.tournament.places import require_right
from bot.wording.sentences import say

AFTER_A_DRAW = ("tie_breaks", "scoring")
NEVER_AFTER_A_DRAW = ("format", "factions.by", "beacon", "beacon_date", "tables.missing", "tables.options.expansion")
"""A table named has all that is in it."""


@dataclass(frozen=True, slots=True)
class Changed:
    """What is different, as "name: before → now"; nothing where the file is the one that is frozen."""

    lines: tuple[str, ...]
    settings_digest: str


def amend_settings(
    open_games: OpenGames, tournament_id: str, text: str, now: datetime, *, force: bool = False, by: By = DIRECTOR,
    dry_run: bool = False,
) -> Changed:  # fmt: skip
    """Take another file as the settings. Refused without a reason, and where what changes may not be changed any more;
    SettingsRefused where the file is none."""
    settings = checked(open_games.settings, text)
    with acting(open_games, tournament_id, dry_run=dry_run, seen=by.seen) as (conn, tournament):
        require_right(conn, tournament_id, by, "director", "deputy")
        if tournament.state in ("finished", "cancelled"):
            raise Refused(f"{tournament_id} is {tournament.state}: its settings stand. {legal(tournament)}")
        if digest(text) == tournament.settings_digest:
            return Changed((), tournament.settings_digest)
        if not by.why and tournament.state != "draft":
            raise Refused("Everybody is told of a change and why it comes: say so with --why TEXT.")
        before, after = _flat(tomllib.loads(tournament.text)), _flat(tomllib.loads(text))
        names = [name for name in {**before, **after} if before.get(name) != after.get(name)]
        lines = tuple(f"{name}: {_said(before.get(name))} → {_said(after.get(name))}" for name in names)
        late = bool([drawn for drawn in rounds.rounds(conn, tournament_id) if drawn.draw])
        if late:
            for name in names:
                if _is_among(name, NEVER_AFTER_A_DRAW):
                    raise Refused(
                        f"{name} cannot be changed any more: a round of {tournament_id} has been drawn by it."
                    )
        scoring = [name for name in names if _is_among(name, AFTER_A_DRAW)]
        if late and scoring and not force:
            raise Refused(
                f"{', '.join(scoring)} cannot be changed after the first draw. If it must be, say --force: it is "
                "announced, and stands in every export for ever."
            )
        tournaments.touch(conn, tournament_id, settings=text, settings_digest=digest(text), title=settings.title)
        command = acts.SCORING_CHANGED if late and scoring else "amend settings"
        words = f"settings {tournament.settings_digest} → {digest(text)}; " + "; ".join(lines)
        acts.add(conn, tournament_id, now, command, words, who=by.address, right=by.right, why=by.why)
        if tournament.state != "draft":
            told = [say("tournament-desk.amended", title=tournament.title, why=by.why, digest=digest(text)), *lines]
            here = [each for each in entrants.of_tournament(conn, tournament_id, HERE) if each.state != "entered"]
            subject = say("tournament-desk.amended-subject", title=tournament.title)
            tell_all(conn, open_games.writer, here, now, Letter(subject, told, f"amended.{digest(text)}.{stamp(now)}"))
        waiting_list.fill(conn, open_games.writer, tournaments.find(conn, tournament_id), now)
        return Changed(lines, digest(text))


def _is_among(name: str, those: tuple[str, ...]) -> bool:
    return any(name == one or name.startswith(f"{one}.") for one in those)


def _flat(table: Mapping[str, Any], before: str = "") -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for name, value in table.items():
        if isinstance(value, dict):
            flat |= _flat(value, f"{before}{name}.")
        else:
            flat[f"{before}{name}"] = value
    return flat


def _said(value: Any) -> str:
    return "(nothing)" if value is None else f"{value}"
