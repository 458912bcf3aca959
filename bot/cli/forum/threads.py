"""`mentat forum link|open|close`: whose account is whose, and which games have a thread."""

from __future__ import annotations

from typing import Annotated

import typer

from bot.cli.powers.options import DryRun, Game, If, Reason, Seat, Tell, Why, answer, seat_named, use_of
from bot.cli.session import CONFIG, WRONG_USE, AsJson, Config, fail, open_session
from bot.forum import by_hand
from bot.service.system_clock import utc_now
from rules.components import faction_name


def link(
    game: Game,
    faction: Seat,
    post: Annotated[int | None, typer.Option(min=1, help="The number of a post that their account wrote.")] = None,
    account: Annotated[str, typer.Option(metavar="ID", help="What the forum calls the account for good.")] = "",
    name: Annotated[str, typer.Option(help="The name that is shown beside its posts.")] = "",
    off: Annotated[bool, typer.Option("--off", help="No account posts for the seat any more.")] = False,
    reason: Reason = "",
    why: Why = "",
    tell: Tell = "",
    at: If = "",
    dry_run: DryRun = False,
    config: Config = CONFIG,
    as_json: AsJson = False,
) -> None:
    """Let an account of the forum post for a seat: the author of a post, or the account with an id. All are told.

    Examples: `mentat forum link sietch-12 fremen --post 7 --reason "their mail does not arrive"`,
    `mentat forum link sietch-12 fremen --off`
    """
    if off and (post is not None or account or name):
        fail("--off cuts the link of the seat, whichever account it is: leave the others out.", WRONG_USE)
    if not off and not reason.strip():
        fail("--reason is missing: everybody reads it in the thread, beside the name of the account.", WRONG_USE)
    if post is not None and account:
        fail("--post and --account both name an account: leave one out.", WRONG_USE)
    session, whose, use = open_session(config), seat_named(faction), use_of(why, tell, at, dry_run)
    open_games, now, said = session.moderator.open_games, utc_now(), reason.strip()
    if off:
        author = by_hand.unlink(open_games, game, whose, now, use, reason=said)
        told = f"{author} posts no longer for {faction_name(whose)} in {game}."
    else:
        wanted = account.strip()
        author = by_hand.link(open_games, game, whose, now, use, post=post, account=wanted, name=name, reason=said)
        told = f"{author} posts for {faction_name(whose)} in {game} from now on."
    document = {"game": game, "faction": whose, "author": author, "linked": not off}
    answer(told, document, dry_run=dry_run, as_json=as_json)


def open_thread(
    game: Game,
    name: Annotated[str, typer.Argument(metavar="NAME", help="The forum, as the settings name it.")],
    new: Annotated[bool, typer.Option("--new", help="A new thread, where the forum has one of the game.")] = False,
    why: Why = "",
    tell: Tell = "",
    at: If = "",
    dry_run: DryRun = False,
    config: Config = CONFIG,
    as_json: AsJson = False,
) -> None:
    """Give a running game a thread in a forum, or go on in the one that was left. All players are told.

    Example: `mentat forum open sietch-12 arrakis`
    """
    session, use = open_session(config), use_of(why, tell, at, dry_run)
    goes_on = by_hand.open_thread(session.moderator.open_games, game, name, utc_now(), use, anew=new)
    told = f"{game} goes on in its thread in {name}." if goes_on else f"{game} gets a thread in {name}."
    answer(told, {"game": game, "forum": name, "goes_on": goes_on}, dry_run=dry_run, as_json=as_json)


def close(
    game: Game,
    why: Why = "",
    tell: Tell = "",
    at: If = "",
    dry_run: DryRun = False,
    config: Config = CONFIG,
    as_json: AsJson = False,
) -> None:
    """Leave the thread of a game: nothing is posted there any more, and nothing there counts. All players are told.

    Example: `mentat forum close sietch-12 --tell "The forum closes at the end of the month."`
    """
    session, use = open_session(config), use_of(why, tell, at, dry_run)
    forum = by_hand.close_thread(session.moderator.open_games, game, utc_now(), use)
    told = f"Mentat leaves the thread of {game} in {forum}; no account is linked any more."
    answer(told, {"game": game, "forum": forum}, dry_run=dry_run, as_json=as_json)
