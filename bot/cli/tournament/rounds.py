"""`mentat tournament round|finish`: the dates of a round, its last turns, its close, and the end of all."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Annotated, Any

import typer

from bot.cli.session import CONFIG, WRONG_USE, AsJson, Config, answer_json, fail, open_session
from bot.cli.tournament.options import DryRun, Id, If, Why, by, show_lines
from bot.competition.progress import After, Next
from bot.service.system_clock import utc_now
from bot.store.database import reading
from bot.store.tournaments import tournaments
from bot.store.tournaments.rounds import Round
from bot.tournament import progress, rounds
from bot.tournament.desk import By
from bot.tournament.places import written
from bot.tournament.results import in_words

VERBS = ("show", "extend", "notice", "close")


def round_command(
    tournament: Id,
    words: Annotated[
        list[str] | None,
        typer.Argument(metavar="[N] show|extend HOURS|notice [TABLE]|close", help="Which round, and what."),
    ] = None,
    last_turn: Annotated[
        int, typer.Option("--last-turn", metavar="T", min=0, max=15, help="The last turn that is told (notice).")
    ] = 0,
    why: Why = "",
    seen: If = None,
    dry_run: DryRun = False,
    config: Config = CONFIG,
    as_json: AsJson = False,
) -> None:
    """Show a round, give it more time, tell its tables their last turn, or close it. Without N: the one that is played.

    `show` without N shows all that are played; where several are, the others need N or a table.

    Example: `mentat tournament round cup show`, `mentat tournament round cup 2 extend 48`,
    `mentat tournament round cup notice 2.3 --last-turn 8`, `mentat tournament round cup 2 close`
    """
    number, verb, rest = _read(words or [])
    if bool(last_turn) != (verb == "notice"):
        fail("--last-turn T belongs to notice, and notice needs it.", WRONG_USE)
    session = open_session(config)
    open_games, now, who = session.moderator.open_games, utc_now(), by(why, seen)
    if verb == "extend":
        hours = _hours(rest)
        found = rounds.extend(open_games, tournament, number, hours, who, now, dry_run=dry_run)
        if as_json:
            answer_json({"tournament": tournament, "round": found.number, "ends": found.ends, "dry_run": dry_run})
        else:
            show_lines(f"Round {found.number} ends {_at(found.ends)}; its players are told.", dry_run=dry_run)
    elif verb == "notice":
        told = rounds.notice(
            open_games, tournament, number, rest[0] if rest else "", last_turn, who, now, dry_run=dry_run
        )
        named = [written(table) for table in told]
        if as_json:
            answer_json({"tournament": tournament, "tables": named, "last_turn": last_turn, "dry_run": dry_run})
        else:
            said = f"Turn {last_turn} is the last at {', '.join(named)}." if named else "All tables were told already."
            show_lines(said, dry_run=dry_run)
    elif verb == "close":
        _close(rounds.close(open_games, tournament, number, who, now, dry_run=dry_run), tournament, dry_run, as_json)
    else:
        _show(config, tournament, number, as_json)


def finish(
    tournament: Id,
    why: Why = "",
    seen: If = None,
    dry_run: DryRun = False,
    config: Config = CONFIG,
    as_json: AsJson = False,
) -> None:
    """End a tournament whose rounds are closed, such as a ladder; its secret is published, and all get a last letter.

    Example: `mentat tournament finish cup --why "The season is over."`
    """
    session = open_session(config)
    who = By(why=why, seen=seen)
    progress.finish(session.moderator.open_games, tournament, who, utc_now(), dry_run=dry_run)
    if as_json:
        answer_json({"tournament": tournament, "state": "finished", "dry_run": dry_run})
    else:
        show_lines(f"{tournament} is finished, and its secret is published.", dry_run=dry_run)


def _read(words: list[str]) -> tuple[int, str, list[str]]:
    said = list(words)
    number = int(said.pop(0)) if said and said[0].isascii() and said[0].isdecimal() else 0
    verb = said.pop(0) if said else "show"
    most = {"show": 0, "extend": 1, "notice": 1, "close": 0}.get(verb)
    if most is None or len(said) > most or (verb == "extend" and not said):
        fail(
            f"Write `mentat tournament round ID [N] {'|'.join(VERBS)}`: extend with its hours (`extend 48`), "
            "notice with a table or none (`notice 2.3 --last-turn 8`).",
            WRONG_USE,
        )
    return number, verb, said


def _hours(rest: list[str]) -> float:
    try:
        return float(rest[0])
    except ValueError:
        fail(f"HOURS: {rest[0]!r} is no number of hours.", WRONG_USE)


def _close(comes: After | None, tournament: str, dry_run: bool, as_json: bool) -> None:
    if isinstance(comes, Next):
        said = f"Next comes a {comes.kind} for {len(comes.who)}: `mentat tournament draw {tournament}`."
    elif comes == "finished":
        said = "It was the last: the tournament is finished as soon as its results stand."
    elif comes is None:
        said = "It was closed before; nothing was done."
    else:
        waits = ", ".join(map(str, comes.rounds))
        said = f"The next waits for round {waits}." if waits else "The next waits until enough are free."
    if as_json:
        who = comes.who if isinstance(comes, Next) else ()
        kind = comes.kind if isinstance(comes, Next) else None
        answer_json({"tournament": tournament, "next": kind, "who": who, "says": said, "dry_run": dry_run})
    else:
        show_lines(said, dry_run=dry_run)


def _show(config: Path, tournament: str, number: int, as_json: bool) -> None:
    """Without a number all that are played, as rounds of the same time are."""
    session = open_session(config)
    with reading(session.engine) as conn:
        made = tournaments.find(conn, tournament)
        found = [rounds.show(conn, made, each) for each in ([number] if number else rounds.played(conn, made))]
    if as_json:
        told = [{"tournament": tournament, **_as_data(*each)} for each in found]
        answer_json(told[0] if number else {"tournament": tournament, "rounds": told})
        return
    show_lines(*(line for each in found for line in _lines(*each)))


def _as_data(found: Round, tables: list[rounds.TableShown]) -> dict[str, Any]:
    return {
        "round": found.number, "kind": found.kind, "state": found.state, "opens": found.opens, "ends": found.ends,
        "noticed_at": found.noticed_at,
        "tables": [
            {"table": written(each.table), "game": each.table.game_id, "state": each.table.state, "turn": each.turn,
             "last_turn": each.table.last_turn, "stands_still": each.still, "ends": each.ends,
             "result": in_words(each.result.outcome) if each.result else None,
             "result_state": each.result.state if each.result else None} for each in tables],
    }  # fmt: skip


def _lines(found: Round, tables: list[rounds.TableShown]) -> list[str]:
    lines = [f"Round {found.number} ({found.kind}) is {found.state}; it ends {_at(found.ends)}."]
    for each in tables:
        told = f", last turn {each.table.last_turn}" if each.table.last_turn else ""
        still = ", stands still" if each.still else ""
        own = f", ends {_at(each.ends)}" if each.table.deadline else ""
        kept = f": {in_words(each.result.outcome)} ({each.result.state})" if each.result else ""
        turn = f", turn {each.turn}" if each.turn else ""
        lines.append(
            f"  {written(each.table)}  {each.table.game_id or '-'}  {each.table.state}{turn}{told}{still}{own}{kept}"
        )
    return lines


def _at(when: datetime | None) -> str:
    return f"{when:%Y-%m-%d %H:%M}Z" if when else "at no set time"
