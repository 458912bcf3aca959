"""`mentat game tell|ask|rule|note`: what the game master says, and notes."""

from __future__ import annotations

from typing import Annotated

import typer

from bot.cli.powers.options import DryRun, Game, If, Seat, Why, answer, seat_named, use_of
from bot.cli.session import CONFIG, AsJson, Config, answer_json, open_session, print_line
from bot.game_master import words
from bot.service.system_clock import utc_now
from bot.store import games, master_notes
from bot.store.database import reading

Words = Annotated[str, typer.Argument(metavar="WORDS", help="What you want to say.")]


def tell(
    game: Game,
    to: Annotated[str, typer.Argument(metavar="all|FACTION,…", help="To the whole table, or to these seats.")],
    said: Words,
    why: Why = "",
    at: If = "",
    dry_run: DryRun = False,
    config: Config = CONFIG,
    as_json: AsJson = False,
) -> None:
    """Write to the table, or to some of its seats. Each gets a letter of their own, and is told of no other.

    Example: `mentat game tell sietch-12 guild "Your last mail came twice; it was taken once."`
    """
    session = open_session(config)
    wanted = [] if to in ("all", "table") else [seat_named(word) for word in to.split(",")]
    words.tell(session.moderator.open_games, game, wanted, said, utc_now(), use_of(why, "", at, dry_run))
    told = f"{', '.join(wanted) or 'Everybody'} in {game} will be told."
    answer(told, {"game": game, "to": wanted or ["all"]}, dry_run=dry_run, as_json=as_json)


def ask(
    game: Game,
    faction: Seat,
    said: Words,
    why: Why = "",
    at: If = "",
    dry_run: DryRun = False,
    config: Config = CONFIG,
    as_json: AsJson = False,
) -> None:
    """Ask a player something. Their answer comes to the desk, and does nothing in the game.

    Example: `mentat game ask sietch-12 guild "Did you mean Carthag or Arrakeen?"`
    """
    session, whose = open_session(config), seat_named(faction)
    words.ask(session.moderator.open_games, game, whose, said, utc_now(), use_of(why, "", at, dry_run))
    told = f"{whose} in {game} is asked; the answer will come to you by mail."
    answer(told, {"game": game, "faction": whose}, dry_run=dry_run, as_json=as_json)


def rule(
    game: Game,
    said: Words,
    clause: Annotated[str, typer.Option(metavar="ID", help="The clause that it reads.")] = "",
    why: Why = "",
    at: If = "",
    dry_run: DryRun = False,
    config: Config = CONFIG,
    as_json: AsJson = False,
) -> None:
    """Rule where the rules are silent. The table is told, and finds it under `rules rulings`; in a tournament it is a
    precedent, which the other tables see once this game is over.

    Example: `mentat game rule sietch-12 "A worm that rides takes nobody along." --clause WBC.X.32`
    """
    session = open_session(config)
    number = words.rule(session.moderator.open_games, game, said, utc_now(), use_of(why, "", at, dry_run), clause)
    answer(f"Ruled in {game}.", {"game": game, "ruling": number}, dry_run=dry_run, as_json=as_json)


def note(
    game: Game,
    said: Annotated[str, typer.Argument(metavar="[WORDS]", help="The note; left out: show them.")] = "",
    about: Annotated[str, typer.Option(metavar="SEAT|ADDRESS", help="What it is about; the game, if left out.")] = "",
    successor: Annotated[bool, typer.Option("--successor", help="Who takes the game over may read it.")] = False,
    delete: Annotated[int, typer.Option(metavar="N", help="Delete this note.")] = 0,
    why: Why = "",
    at: If = "",
    dry_run: DryRun = False,
    config: Config = CONFIG,
    as_json: AsJson = False,
) -> None:
    """Keep a private note on a game, a seat or a person, or show them. Nobody is told, and no export has it.

    Example: `mentat game note sietch-12 "Asked twice whether the Voice is heard." --about guild`
    """
    session = open_session(config)
    if delete:
        words.forget_note(session.moderator.open_games, game, delete, utc_now(), use_of(why, "", at, dry_run))
        answer(f"Note {delete} is deleted.", {"game": game, "deleted": delete}, dry_run=dry_run, as_json=as_json)
        return
    if said:
        use = use_of(why, "", at, dry_run)
        number = words.note(session.moderator.open_games, game, said, utc_now(), use, about=about, successor=successor)
        answer(f"Noted ({number}).", {"game": game, "note": number}, dry_run=dry_run, as_json=as_json)
        return
    with reading(session.engine) as conn:
        if not games.exists(conn, game):
            raise games.UnknownGame(f"There is no game {game!r} here; `mentat game list` names them.")
        found = master_notes.of_game(conn, game)
    if as_json:
        answer_json([
            {"note": each.number, "at": each.at.isoformat(), "about": each.about, "words": each.words, "who": each.who,
             "successor": each.successor}
            for each in found
        ])  # fmt: skip
        return
    for each in found:
        of = f" ({each.about})" if each.about else ""
        print_line(f"{each.number}  {each.at:%Y-%m-%d}{of}  {each.words}")
