"""`mentat game pause|resume|hold|release|extend|clock`: the game master's hand on the clocks of a game."""

from __future__ import annotations

from typing import Annotated

import typer

from bot.cli.powers.options import DryRun, Game, If, Tell, Why, answer, use_of
from bot.cli.session import (
    CONFIG,
    WRONG_USE,
    AsJson,
    Config,
    Session,
    answer_json,
    fail,
    open_session,
    print_line,
)
from bot.clock.settings import in_force, read_own
from bot.game_master import clocks
from bot.games.json_view import json_view
from bot.moderator.directed import release as release_game
from bot.service.system_clock import utc_now
from bot.store import act_log, games
from bot.store.database import reading
from bot.timekeeping import mass_silence
from bot.wording.filters import plural


def pause(
    game: Game,
    why: Why = "",
    tell: Tell = "",
    at: If = "",
    dry_run: DryRun = False,
    config: Config = CONFIG,
    as_json: AsJson = False,
) -> None:
    """Stop the clocks of a game: nothing falls due until `mentat game resume`. Everybody is told, in neutral words.

    Example: `mentat game pause sietch-12 --why "Christmas"`
    """
    session = open_session(config)
    clocks.pause(session.moderator.open_games, game, utc_now(), use_of(why, tell, at, dry_run))
    _answer(session, game, f"The clocks of {game} are stopped.", dry_run, as_json)


def hold(
    game: Game,
    why: Why = "",
    tell: Tell = "",
    at: If = "",
    dry_run: DryRun = False,
    config: Config = CONFIG,
    as_json: AsJson = False,
) -> None:
    """Let a game stand as it is: orders are taken and answered, and nothing is resolved. Everybody is told, not why.

    Example: `mentat game hold sietch-12 --why "asked the arbiter"`
    """
    session = open_session(config)
    clocks.hold(session.moderator.open_games, game, utc_now(), use_of(why, tell, at, dry_run))
    _answer(session, game, f"{game} is on hold.", dry_run, as_json)


def release(
    game: Game,
    why: Why = "",
    tell: Tell = "",
    at: If = "",
    dry_run: DryRun = False,
    config: Config = CONFIG,
    as_json: AsJson = False,
) -> None:
    """Let a game go on that is on hold: what was ordered meanwhile is played, in the order in which it came.

    Example: `mentat game release sietch-12`
    """
    session = open_session(config)
    release_game(session.moderator.open_games, game, utc_now(), use_of(why, tell, at, dry_run))
    _answer(session, game, f"{game} goes on.", dry_run, as_json)


def resume(
    game: Annotated[str, typer.Argument(help="The game's id; left out: all that stopped because nobody wrote.")] = "",
    why: Why = "",
    tell: Tell = "",
    at: If = "",
    dry_run: DryRun = False,
    config: Config = CONFIG,
    as_json: AsJson = False,
) -> None:
    """Let the clocks of a game go on; everything open has as much time left as when they stopped. Everybody is told.

    Example: `mentat game resume sietch-12`, or `mentat game resume` for all games that the silence of all has stopped
    """
    session = open_session(config)
    open_games = session.moderator.open_games
    if not game:
        went_on = mass_silence.start_all(open_games, utc_now(), why)
        if as_json:
            answer_json({"games": went_on})
        else:
            print_line(f"The clocks of {plural(went_on, 'game')} go on.")
        return
    clocks.resume(open_games, game, utc_now(), use_of(why, tell, at, dry_run))
    _answer(session, game, f"The clocks of {game} go on.", dry_run, as_json)


def extend(
    game: Game,
    hours: Annotated[float, typer.Argument(help="How many hours more.")],
    why: Why = "",
    tell: Tell = "",
    at: If = "",
    dry_run: DryRun = False,
    config: Config = CONFIG,
    as_json: AsJson = False,
) -> None:
    """Give everything that is open in a game more time. Everybody is told the new deadline, nobody who asked.

    Example: `mentat game extend sietch-12 24`
    """
    if not 0 < hours <= clocks.MOST_HOURS:
        fail(f"HOURS: {hours:g} is not above 0 and at most {clocks.MOST_HOURS} (a year).", WRONG_USE)
    session = open_session(config)
    clocks.extend(session.moderator.open_games, game, hours, utc_now(), use_of(why, tell, at, dry_run))
    _answer(session, game, f"What is open in {game} has {hours:g} hours more.", dry_run, as_json)


def clock(
    game: Game,
    setting: Annotated[list[str] | None, typer.Argument(metavar="[NAME=VALUE]...", help="What to change.")] = None,
    why: Why = "",
    tell: Tell = "",
    at: If = "",
    dry_run: DryRun = False,
    config: Config = CONFIG,
    as_json: AsJson = False,
) -> None:
    """Show the clock of a game and what was done to it, or change it. Announced deadlines stand, or are later.

    Example: `mentat game clock sietch-12`, `mentat game clock sietch-12 due_at=20:00 days_off=saturday,sunday`
    """
    session = open_session(config)
    if setting:
        own = read_own(session.settings.clock, setting)
        clocks.change(session.moderator.open_games, game, own, utc_now(), use_of(why, tell, at, dry_run))
    with reading(session.engine) as conn:
        table = games.open_table(conn, game)
        acts = act_log.of_game(conn, game)
    force = in_force(session.settings, table.clock)
    if as_json:
        told = [{"at": act.at.isoformat(), "what": act.what, "words": act.words, "why": act.why} for act in acts]
        stopped_at = table.stopped_at.isoformat() if table.stopped_at else None
        answer_json({"game": game, "clock": force, "own": table.clock, "stopped_at": stopped_at,
                     "stopped_why": table.stopped_why or None, "acts": told})  # fmt: skip
        return
    if table.stopped_at:
        print_line(f"stopped since {table.stopped_at:%Y-%m-%d %H:%M}Z: {table.stopped_why}")
    for name, value in force.items():
        own_word = "  (its own)" if name in table.clock else ""
        print_line(f"  {name} = {value}{own_word}")
    for act in acts:
        line = f"{act.at:%Y-%m-%d %H:%M}Z  {act.what}  {act.told}"
        print_line(line.rstrip())


def _answer(session: Session, game: str, told: str, dry_run: bool, as_json: bool) -> None:
    document: dict[str, object] = {"game": game}
    if as_json:
        with reading(session.engine) as conn:
            table = games.open_table(conn, game)
        view = json_view(table, "gm")
        deadlines = [question["deadline"] for question in view["questions"] if question["deadline"]]
        document |= {"stopped_at": view["stopped_at"], "deadline": max(deadlines, default=None)}
    answer(told, document, dry_run=dry_run, as_json=as_json)
