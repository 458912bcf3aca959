"""`mentat desk`: what waits for the game master, over all games."""

from __future__ import annotations

import sys
from dataclasses import asdict
from datetime import datetime
from typing import Any

from bot.cli.session import CONFIG, AsJson, Config, answer_json, open_session, tell_if_held
from bot.game_master.desk import Desk, Standing
from bot.game_master.desk_mail import desk_now
from bot.game_master.desk_words import blocks
from bot.reports.document import Document
from bot.reports.plain import as_text
from bot.service.system_clock import utc_now
from bot.store.database import reading


def desk(config: Config = CONFIG, as_json: AsJson = False) -> None:
    """Show what waits for you in all games: who is late, what stands still, mail, the machine. Nothing sealed is shown.

    Example: `mentat desk`, or for a program `mentat desk --json`
    """
    session = open_session(config)
    tell_if_held(session)
    with reading(session.engine) as conn:
        found = desk_now(conn, session.moderator.open_games, utc_now())
    if as_json:
        answer_json(_document(found))
        return
    sys.stdout.write(as_text(Document("", "", blocks(found, session.settings.mentat.timezone))))


def _document(found: Desk) -> dict[str, Any]:
    machine = found.machine
    return {
        "now": _text(found.now),
        "matters": [_matter(asdict(matter) | {"part": matter.part}) for matter in found.matters],
        "games": [_game(each, found.now) for each in found.games],
        "outbox": {"waiting": found.waiting_letters},
        "machine": {
            "free_bytes": machine.free, "database_bytes": machine.database, "service_at": _text(machine.service),
            "mailbox_failing_since": _text(machine.mailbox_failing),
        },
    }  # fmt: skip


def _matter(facts: dict[str, Any]) -> dict[str, Any]:
    """Only what is said of it."""
    told = {name: _text(value) if isinstance(value, datetime) else value for name, value in facts.items()}
    return {name: value for name, value in told.items() if value not in ("", None, 0, ())}


def _game(standing: Standing, now: datetime) -> dict[str, Any]:
    game = standing.game
    return {
        "game": game.id, "ruleset": game.ruleset, "status": game.status, "turn": game.turn, "phase": game.phase,
        "stopped_at": _text(game.stopped_at), "on_hold": _text(game.on_hold), "next_due": _text(standing.next_due(now)),
        "waits_for": [
            {"faction": owed.faction, "kind": owed.kind, "since": _text(owed.since), "due": _text(owed.due)}
            for owed in standing.owed
        ],
    }  # fmt: skip


def _text(when: datetime | None) -> str | None:
    return when.isoformat() if when else None
