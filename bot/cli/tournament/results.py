"""`mentat tournament adjudicate|amend|void|protests`: the results of tables, and what is changed of them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from bot.cli.session import (
    CONFIG,
    WRONG_USE,
    AsJson,
    Config,
    answer_json,
    fail,
    open_session,
    print_line,
)
from bot.cli.tournament import making
from bot.cli.tournament.options import DryRun, Id, If, Why, by, show_lines
from bot.competition.outcomes import TableOutcome
from bot.service.system_clock import utc_now
from bot.store.database import reading
from bot.store.tournaments import tournaments
from bot.tournament import adjudicating, amending, protests
from bot.tournament.amending import Amended, Changes
from bot.tournament.places import by_number, written
from bot.tournament.results import in_words
from rules.components import FACTION_FACTS, Faction, as_faction

Table = Annotated[str, typer.Argument(metavar="TABLE", help="A table, like 1.3 (the third of round 1).")]
Winners = Annotated[
    list[str] | None, typer.Option("--winners", metavar="FACTION", help="Who has won; once for each, or with commas.")
]
KINDS = ("stronghold", "prediction", "default", "adjudicated", "agreed", "void")


def adjudicate(
    tournament: Id,
    table: Table,
    rule: Annotated[str, typer.Option("--rule", help="stopped (the public board) or agreed (a vote).")] = "",
    winners: Winners = None,
    arbiter: Annotated[
        list[str] | None, typer.Option("--arbiter", metavar="ADDRESS", help="Who decided, without a rule: two of them.")
    ] = None,
    why: Why = "",
    seen: If = None,
    dry_run: DryRun = False,
    config: Config = CONFIG,
    as_json: AsJson = False,
) -> None:
    """Decide a table whose game goes on: on the public board, by a vote of all its seats, or by two arbiters.

    Example: `mentat tournament adjudicate cup 1.3 --rule stopped --why "The round has ended."`
    """
    if rule not in ("", "stopped", "agreed"):
        fail(f"--rule: {rule!r} is neither stopped nor agreed.", WRONG_USE)
    named: adjudicating.Rule = "stopped" if rule == "stopped" else "agreed" if rule else ""
    session = open_session(config)
    done = adjudicating.adjudicate(
        session.moderator.open_games, tournament, table, named, factions(winners), by(why, seen), utc_now(),
        arbiters=arbiter or (), dry_run=dry_run,
    )  # fmt: skip
    where = written(done.table)
    if as_json:
        answer_json(
            {"tournament": tournament, "table": where, "votes_until": done.votes_until,
             "result": _document(done.result.outcome) if done.result else None,
             "board": [_side(side) for side in done.board.sides] if done.board else None, "dry_run": dry_run}
        )  # fmt: skip
        return
    if done.votes_until:
        show_lines(f"All seats of table {where} are asked, until {done.votes_until:%Y-%m-%d %H:%M}Z.", dry_run=dry_run)
        return
    lines = [f"Table {where}: {in_words(done.result.outcome)}."] if done.result else []
    for side in done.board.sides if done.board else ():
        lines.append(
            f"  {' + '.join(side.members)}: {side.held} of {side.needed} strongholds, {side.tokens} tokens there, "
            f"place {side.order} in the order of the storm"
        )
    show_lines(*lines, dry_run=dry_run)


def amend(
    tournament: Id,
    what: Annotated[str, typer.Argument(metavar="TABLE|settings", help="A table, like 1.3, or settings.")],
    file: Annotated[Path | None, typer.Argument(metavar="[FILE]", help="The settings as they shall be.")] = None,
    winners: Winners = None,
    kind: Annotated[str, typer.Option("--kind", help=" ".join(KINDS) + ".")] = "",
    turn: Annotated[int | None, typer.Option("--turn", min=1, max=15, help="The turn in which it ended.")] = None,
    strongholds: Annotated[
        list[str] | None, typer.Option("--strongholds", metavar="FACTION=N", help="What somebody held at the end.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Change tie-breaks or scoring after a draw.")] = False,
    why: Why = "",
    seen: If = None,
    dry_run: DryRun = False,
    config: Config = CONFIG,
    as_json: AsJson = False,
) -> None:
    """Give a table another version of its result, or change the settings; everybody whom it concerns is told why.

    Example: `mentat tournament amend cup 1.3 --winners guild --kind default --why "The last turn was not counted."`

    `mentat tournament amend cup settings cup.toml --why "The rounds are ten days longer."` changes the settings.
    """
    if what == "settings":
        if file is None:
            fail(f"Write `mentat tournament amend {tournament} settings FILE --why …`.", WRONG_USE)
        making.amend_settings(tournament, file, force, why, seen, dry_run, config, as_json)
        return
    if file is not None:
        fail(f"{file}: only `mentat tournament amend {tournament} settings FILE` takes a file.", WRONG_USE)
    if kind and kind not in KINDS:
        fail(f"--kind: {kind!r} is not one of {', '.join(KINDS)}.", WRONG_USE)
    changes = Changes(
        winners=() if kind == "void" and winners is None else factions(winners) if winners is not None else None,
        kind=kind or None,  # type: ignore[arg-type]  # it was looked up above
        turn=turn, strongholds=_numbers(strongholds or ()),
    )  # fmt: skip
    session = open_session(config)
    done = amending.amend(
        session.moderator.open_games, tournament, what, changes, by(why, seen), utc_now(), dry_run=dry_run
    )
    _show(tournament, done, dry_run=dry_run, as_json=as_json)


def void(
    tournament: Id,
    table: Table,
    replay: Annotated[bool, typer.Option("--replay", help="Plan another table with the same seats.")] = False,
    why: Why = "",
    seen: If = None,
    dry_run: DryRun = False,
    config: Config = CONFIG,
    as_json: AsJson = False,
) -> None:
    """Let a table count for nothing; with --replay it is played again, once `mentat tournament start` is given.

    Example: `mentat tournament void cup 1.3 --replay --why "Its first letters were lost."`
    """
    session = open_session(config)
    done = amending.void(
        session.moderator.open_games, tournament, table, by(why, seen), utc_now(), replay=replay, dry_run=dry_run
    )
    _show(tournament, done, dry_run=dry_run, as_json=as_json)


def list_protests(
    tournament: Id,
    number: Annotated[int, typer.Argument(metavar="[NUMBER]", help="The protest that is decided.")] = 0,
    dismiss: Annotated[bool, typer.Option("--dismiss", help="The result stays as it is.")] = False,
    why: Why = "",
    seen: If = None,
    config: Config = CONFIG,
    as_json: AsJson = False,
) -> None:
    """Show the protests that wait, or dismiss one; `amend` and `void` answer those about their table.

    Example: `mentat tournament protests cup`, `mentat tournament protests cup 7 --dismiss --why "The storm was right."`
    """
    session = open_session(config)
    if dismiss != bool(number):
        fail("Write `mentat tournament protests ID NUMBER --dismiss --why …`, or no number to see them.", WRONG_USE)
    if dismiss:
        protests.dismiss(session.moderator.open_games, tournament, number, by(why, seen), utc_now())
        if as_json:
            answer_json({"tournament": tournament, "protest": number, "state": "dismissed"})
        else:
            show_lines(f"Protest {number} is dismissed; who filed it is told why.")
        return
    with reading(session.engine) as conn:
        tournaments.find(conn, tournament)
        waiting = protests.open_now(conn, tournament)
        known = by_number(conn, tournament)
    if as_json:
        answer_json(
            [{"number": paper.id, "table": f"{paper.round}.{paper.table}", "entrant": known[paper.entrant].handle,
              "at": paper.at, "text": paper.words} for paper in waiting]
        )  # fmt: skip
        return
    for paper in waiting:
        line = f"{paper.id:4}  table {paper.round}.{paper.table}  {known[paper.entrant].handle}  {paper.words}"
        print_line(line)
    if not waiting:
        show_lines("No protest waits.")


def factions(said: Sequence[str] | None) -> tuple[Faction, ...]:
    """Factions as they are typed: one after the other, or with commas."""
    names = [name for part in said or () for name in part.replace(",", " ").split()]
    for name in names:
        if name not in FACTION_FACTS:
            fail(f"FACTION: {name!r} is not one of {', '.join(FACTION_FACTS)}.", WRONG_USE)
    return tuple(as_faction(name) for name in names)


def _numbers(said: Sequence[str]) -> dict[Faction, int]:
    held = {}
    for text in said:
        name, _, number = text.partition("=")
        if not (number.isascii() and number.isdecimal() and int(number) <= 6):
            fail(f"--strongholds {text!r}: write it like guild=2.", WRONG_USE)
        held[factions([name])[0]] = int(number)
    return held


def _show(tournament: str, done: Amended, *, dry_run: bool, as_json: bool) -> None:
    outcome = done.result.outcome
    if as_json:
        answer_json(
            {"tournament": tournament, "result": _document(outcome),
             "again": written(done.again) if done.again else None,
             "would_have_differed": [
                 {"round": each.round, "would_have": each.would_have, "would_not": each.would_not,
                  "elsewhere": each.elsewhere} for each in done.differs], "dry_run": dry_run}
        )  # fmt: skip
        return
    lines = [f"Table {outcome.round}.{outcome.table}, version {outcome.version}: {in_words(outcome)}."]
    if done.again:
        lines.append(f"It is played again as table {written(done.again)}: `mentat tournament start {tournament}`.")
    lines += [each.words[:1].upper() + each.words[1:] + "." for each in done.differs]
    show_lines(*lines, dry_run=dry_run)


def _document(outcome: TableOutcome) -> dict[str, Any]:
    return {
        "table": f"{outcome.round}.{outcome.table}", "game": outcome.game, "version": outcome.version,
        "kind": outcome.kind, "winners": outcome.winners, "turn": outcome.turn,
    }  # fmt: skip


def _side(side: Any) -> dict[str, Any]:
    return {
        "members": side.members, "needed": side.needed, "held": side.held, "deficit": side.deficit,
        "tokens": side.tokens, "order": side.order,
    }  # fmt: skip
