"""`mentat rating …`: what the rated games of tournaments say of persons, and of factions."""

from __future__ import annotations

from typing import Annotated, Any

import typer
from rich.markup import escape
from rich.table import Table as RichTable

from bot.cli.session import (
    CONFIG,
    WRONG_USE,
    AsJson,
    Config,
    Session,
    answer_json,
    console,
    fail,
    open_session,
    print_line,
)
from bot.competition.ratings import shown, uncertainty
from bot.competition.ratings_published import written
from bot.service.system_clock import utc_now
from bot.store import ratings
from bot.store.database import Connection, reading, writing
from bot.store.ratings import RatedPerson

Person = Annotated[str, typer.Argument(help="An address, a name, or a number like 12.")]


def show(
    person: Annotated[str, typer.Argument(metavar="[PERSON]", help="An address, a name, or a number like 12.")] = "",
    config: Config = CONFIG,
    as_json: AsJson = False,
) -> None:
    """Show the rating of a person, or of everybody in the public list, and what factions are worth.

    Examples: `mentat rating show`, `mentat rating show ann@example.org`
    """
    session = _up_to_date(config)
    with reading(session.engine) as conn:
        if person:
            _show_one(_found(conn, person), as_json)
            return
        everybody = [one for one in ratings.persons(conn) if not one.private]
        worth = ratings.factions(conn)
    ranks = ratings.ranks(everybody)
    if as_json:
        factions = [
            {"ruleset": ruleset, "size": size, "faction": faction, "worth": written(one)}
            for (ruleset, size, faction), one in worth.items()
        ]
        answer_json({"players": [_as_json(one, ranks.get(one.id)) for one in everybody], "factions": factions})
        return
    if not everybody:
        print_line("Nobody has a rating yet; games of tournaments give one, unless `rated = false`.")
        return
    listing = RichTable("rank", "player", "rating", "±", "games")
    for one in everybody:
        rank = str(ranks.get(one.id, ""))
        rated = one.rated
        listing.add_row(rank, escape(one.shown), f"{rated.rating:.0f}", str(uncertainty(rated.games)), str(rated.games))
    console.print(listing)
    factions_table = RichTable("rule set", "table", "faction", "worth")
    for (ruleset, size, faction), one_worth in worth.items():
        factions_table.add_row(ruleset, str(size), faction, f"{one_worth:+.1f}")
    console.print(factions_table)


def history(person: Person, config: Config = CONFIG, as_json: AsJson = False) -> None:
    """Show each rated game of a person: what was expected, and what it did to the rating.

    Example: `mentat rating history ann@example.org --json`
    """
    session = _up_to_date(config)
    with reading(session.engine) as conn:
        one = _found(conn, person)
        games = ratings.history(conn, one.id)
    if as_json:
        fields = ("game_id", "faction", "before", "after", "scored", "expected", "k")
        rows = [{name: getattr(game, name) for name in fields} for game in games]
        answer_json({**_as_json(one, None), "history": rows})
        return
    if not games:
        print_line(f"{one.shown} has no rated game yet.")
        return
    listing = RichTable("game", "faction", "before", "expected", "won", "K", "after")
    for game in games:
        listing.add_row(
            escape(game.game_id), game.faction, f"{float(game.before):.1f}", f"{float(game.expected):.3f}",
            "yes" if game.scored == "1" else "no", game.k, f"{float(game.after):.1f}",
        )  # fmt: skip
    console.print(listing)


def private(
    person: Person,
    off: Annotated[bool, typer.Option("--off", help="Let them stand in the public list again.")] = False,
    config: Config = CONFIG,
    as_json: AsJson = False,
) -> None:
    """Keep a person out of the public list of ratings. Their games count as before.

    Example: `mentat rating private ann@example.org`
    """
    session = _up_to_date(config)
    with writing(session.engine) as conn:
        one = _found(conn, person)
        ratings.set_private(conn, one.id, not off)
    if as_json:
        answer_json({"person": one.id, "private": not off})
    else:
        stands = "stands in the public list" if off else "does not stand in the public list"
        print_line(f"{one.shown} {stands}.")


def _up_to_date(config: Config) -> Session:
    """Mentat, with the ratings as the results are now."""
    session = open_session(config)
    with reading(session.engine) as conn:
        behind = ratings.is_behind(conn)
    if behind:
        with writing(session.engine) as conn:
            ratings.keep_up(conn, utc_now())
    return session


def _found(conn: Connection, person: str) -> RatedPerson:
    one = ratings.find(conn, person)
    if one is None:
        fail(f"No one person is known as {person!r}; `mentat rating show` lists those who have a rating.", WRONG_USE)
    return one


def _show_one(one: RatedPerson, as_json: bool) -> None:
    if as_json:
        answer_json(_as_json(one, None))
    else:
        print_line(f"{one.shown}: {shown(one.rated)}")


def _as_json(one: RatedPerson, rank: int | None) -> dict[str, Any]:
    said: dict[str, Any] = {
        "person": one.id, "name": one.name, "rating": written(one.rated.rating),
        "uncertainty": uncertainty(one.rated.games), "games": one.rated.games,
    }  # fmt: skip
    return said | ({"rank": rank} if rank is not None else {})
