"""`mentat game mute|unmute`: a seat whose press goes to the desk alone."""

from __future__ import annotations

from bot.cli.powers.options import DryRun, Game, If, Seat, Tell, Why, answer, seat_named, use_of
from bot.cli.session import CONFIG, AsJson, Config, open_session
from bot.game_master import muting
from bot.service.system_clock import utc_now
from rules.components import faction_name


def mute(
    game: Game,
    faction: Seat,
    why: Why = "",
    tell: Tell = "",
    at: If = "",
    dry_run: DryRun = False,
    config: Config = CONFIG,
    as_json: AsJson = False,
) -> None:
    """Let a seat write to nobody but the desk. The table is told that it is so, and nobody why.

    Example: `mentat game mute sietch-12 guild --why "threats, after a warning"`
    """
    whose, session = seat_named(faction), open_session(config)
    muting.mute(session.moderator.open_games, game, whose, utc_now(), use_of(why, tell, at, dry_run))
    told = f"{faction_name(whose)} writes to nobody but the desk in {game}; its table is told."
    answer(told, {"game": game, "faction": whose, "muted": True}, dry_run=dry_run, as_json=as_json)


def unmute(
    game: Game,
    faction: Seat,
    why: Why = "",
    tell: Tell = "",
    at: If = "",
    dry_run: DryRun = False,
    config: Config = CONFIG,
    as_json: AsJson = False,
) -> None:
    """Let a seat write to others again; its table is told.

    Example: `mentat game unmute sietch-12 guild`
    """
    whose, session = seat_named(faction), open_session(config)
    muting.unmute(session.moderator.open_games, game, whose, utc_now(), use_of(why, tell, at, dry_run))
    told = f"{faction_name(whose)} writes to others again in {game}; its table is told."
    answer(told, {"game": game, "faction": whose, "muted": False}, dry_run=dry_run, as_json=as_json)
