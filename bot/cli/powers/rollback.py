"""`mentat game rollback`: a game is taken back."""

from __future__ import annotations

from typing import Annotated

import typer

from bot.cli.powers.options import DryRun, If, Tell, Why, answer, seat_named, use_of
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
from bot.game_master.powers import PowerRefused
from bot.game_master.rollback import Preview, entries_at, preview, undo
from bot.game_master.rollback import rollback as take_back
from bot.service.system_clock import utc_now
from bot.table.table import Table
from bot.wording.filters import plural
from rules.components import faction_name


def rollback(
    game: Annotated[str, typer.Argument(help="The game's id.")],
    entries: Annotated[int, typer.Option(metavar="N", help="Keep the first N entries of the log.")] = -1,
    turn: Annotated[int, typer.Option(metavar="N", help="Or: to the start of a phase of this turn.")] = 0,
    phase: Annotated[str, typer.Option(metavar="PHASE", help="That phase, like battle; storm, if you name none.")] = "",
    look: Annotated[
        bool, typer.Option("--preview", help="Say what players have learnt since, and take nothing back.")
    ] = False,
    put_back: Annotated[bool, typer.Option("--undo", help="Put back what the last rollback has cut.")] = False,
    consent: Annotated[
        list[str] | None,
        typer.Option(metavar="FACTION", help="Who agreed, in a rated game; once for each."),
    ] = None,
    why: Why = "",
    tell: Tell = "",
    at: If = "",
    dry_run: DryRun = False,
    config: Config = CONFIG,
    as_json: AsJson = False,
) -> None:
    """Take a game back; every player is told. `mentat game log` and `game show` say where it stands.

    Example: `mentat game rollback sietch-12 --turn 4 --phase battle --why "wrong dial" --tell "A dial was misread."`
    """
    if put_back:
        given = {"--entries": entries >= 0, "--turn": turn, "--phase": phase, "--preview": look, "--consent": consent}
        if too_much := [option for option, is_given in given.items() if is_given]:
            told = "it puts back all that the last rollback has cut; --dry-run tries it."
            fail(f"--undo takes no {', '.join(too_much)}: {told}", WRONG_USE)
        table = undo(open_session(config).moderator.open_games, game, utc_now(), use_of(why, tell, at, dry_run))
        _answer(game, table, dry_run, as_json)
        return
    if (entries < 0) == (turn < 1):
        fail("Say where to: --turn N --phase PHASE, or --entries N.", WRONG_USE)
    session = open_session(config)
    open_games, agreed = session.moderator.open_games, [seat_named(word) for word in consent or ()]
    if turn:
        try:
            entries = entries_at(open_games, game, turn, phase or "storm")
        except PowerRefused as refused:
            fail(str(refused), WRONG_USE)
    if look:
        _show(preview(open_games, game, entries, utc_now(), use_of(why, at=at)), as_json)
        return
    try:
        table = take_back(open_games, game, entries, utc_now(), use_of(why, tell, at, dry_run), agreed)
    except PowerRefused:
        raise
    except ValueError as error:
        fail(str(error), WRONG_USE)
    _answer(game, table, dry_run, as_json)


def _answer(game: str, table: Table, dry_run: bool, as_json: bool) -> None:
    state = table.play.state
    told = f"{game} stands at turn {state.turn}, {state.phase}, with {plural(table.entries, 'entry')}."
    document = {"game": game, "entries": table.entries, "turn": state.turn, "phase": state.phase}
    answer(told, document, dry_run=dry_run, as_json=as_json)


def _show(found: Preview, as_json: bool) -> None:
    if as_json:
        answer_json({"entries": found.entries, "of": found.of, "public": list(found.public),
                     "private": {faction: list(told) for faction, told in found.private.items()}})  # fmt: skip
        return
    print_line(f"{found.entries} of {found.of} entries would be kept. Since then all have learnt:")
    for line in found.public or ("nothing",):
        print_line(f"  {line}")
    for faction, told in found.private.items():
        print_line(f"and {faction_name(faction)} alone:")
        for line in told:
            print_line(f"  {line}")
