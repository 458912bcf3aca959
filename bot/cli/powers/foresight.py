"""`mentat game blind|break-glass|predict`: who may look at what is sealed."""

from __future__ import annotations

from bot.cli.powers.options import DryRun, Game, If, Tell, Why, answer, use_of
from bot.cli.session import CONFIG, AsJson, Config, open_session
from bot.game_master import foresight
from bot.service.system_clock import utc_now


def blind(
    game: Game,
    why: Why = "",
    tell: Tell = "",
    at: If = "",
    dry_run: DryRun = False,
    config: Config = CONFIG,
    as_json: AsJson = False,
) -> None:
    """Let nobody at the desk read what is sealed in a game: orders, hands, decks. Everybody is told.

    Example: `mentat game blind sietch-12`
    """
    foresight.blind(open_session(config).moderator.open_games, game, utc_now(), use_of(why, tell, at, dry_run))
    answer(f"{game} is played blind.", {"game": game, "blind": True}, dry_run=dry_run, as_json=as_json)


def break_glass(
    game: Game,
    why: Why = "",
    tell: Tell = "",
    at: If = "",
    dry_run: DryRun = False,
    config: Config = CONFIG,
    as_json: AsJson = False,
) -> None:
    """Let what is sealed be read again in a game that is played blind. The table is told at once that it was done.

    Example: `mentat game break-glass sietch-12 --why "a bid that nobody can explain"`
    """
    use = use_of(why, tell, at, dry_run)
    foresight.break_glass(open_session(config).moderator.open_games, game, utc_now(), use)
    answer(f"What is sealed in {game} can be read.", {"game": game, "blind": False}, dry_run=dry_run, as_json=as_json)


def predict(
    game: Game,
    why: Why = "",
    at: If = "",
    config: Config = CONFIG,
    as_json: AsJson = False,
) -> None:
    """Say what the rest of this phase comes to if nobody writes any more, with what is under seal. Each use stands in
    the act log, which everybody may read at the end of the game.

    Example: `mentat game predict sietch-12 --why "is the tie as I think?"`
    """
    open_games = open_session(config).moderator.open_games
    told = foresight.predict(open_games, game, utc_now(), use_of(why, "", at))
    answer("\n".join(told) or "Nothing happens.", {"game": game, "events": list(told)}, dry_run=False, as_json=as_json)
