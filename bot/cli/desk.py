"""The game master's desk: `mentat desk` says what waits, and these powers change the course of a game.

- its clocks: `mentat game pause|resume|hold|release|extend|clock`
- one seat: `mentat game remind|bank|excuse|caretaker|process|default`
- its orders and facts: `mentat game order|position|rollback`
- what is sealed: `mentat game blind|break-glass|predict`
- its end: `mentat game end|delete`
"""

from __future__ import annotations

import sys
from dataclasses import asdict
from datetime import datetime
from typing import Annotated, Any

import typer

from bot.cli.options import DryRun, Game, If, Seat, Tell, Why, answer, seat_named, use_of
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
    tell_if_held,
)
from bot.desk import clocks, ending, positions, seats, sight
from bot.desk.desk import Desk, Standing, desk_blocks, desk_now
from bot.desk.game_view import json_view
from bot.desk.people import delete_game
from bot.desk.positions import Preview, entries_at, preview_rollback, undo_rollback
from bot.desk.positions import roll_back as take_back
from bot.desk.powers import PowerRefused
from bot.moderator import outage, seat_lines
from bot.moderator.seat_lines import release_game as release_game
from bot.render.blocks import Document
from bot.render.text import as_text
from bot.service.machine import utc_now
from bot.store import games, record
from bot.store.database import reading
from bot.table.clock import read_own_settings, settings_in_force
from bot.table.table import Table
from bot.wording.filters import plural, span
from rules.components import faction_name


def desk(config: Config = CONFIG, as_json: AsJson = False) -> None:
    """Show what waits for you in all games: who is late, what stands still, mail, the machine. Nothing sealed is shown.

    Example: `mentat desk`, or for a program `mentat desk --json`
    """
    session = open_session(config)
    tell_if_held(session)
    with reading(session.engine) as conn:
        found = desk_now(conn, session.moderator.open_games, utc_now())
    if as_json:
        answer_json(_desk_document(found))
        return
    sys.stdout.write(as_text(Document("", "", desk_blocks(found, session.settings.mentat.timezone))))


def _desk_document(found: Desk) -> dict[str, Any]:
    machine = found.machine
    return {
        "now": _when(found.now),
        "matters": [_without_empty_fields(asdict(matter) | {"part": matter.part}) for matter in found.matters],
        "games": [_game_document(each, found.now) for each in found.games],
        "outbox": {"waiting": found.waiting_letters},
        "machine": {
            "free_bytes": machine.free, "database_bytes": machine.database, "service_at": _when(machine.service),
            "mailbox_failing_since": _when(machine.mailbox_failing),
        },
    }  # fmt: skip


def _without_empty_fields(facts: dict[str, Any]) -> dict[str, Any]:
    """Only what is said of it."""
    told = {name: _when(value) if isinstance(value, datetime) else value for name, value in facts.items()}
    return {name: value for name, value in told.items() if value not in ("", None, 0, ())}


def _game_document(standing: Standing, now: datetime) -> dict[str, Any]:
    game = standing.game
    return {
        "game": game.id, "ruleset": game.ruleset, "status": game.status, "turn": game.turn, "phase": game.phase,
        "stopped_at": _when(game.stopped_at), "on_hold": _when(game.on_hold), "next_due": _when(standing.next_due(now)),
        "waits_for": [
            {"faction": owed.faction, "kind": owed.kind, "since": _when(owed.since), "due": _when(owed.due)}
            for owed in standing.owed
        ],
    }  # fmt: skip


def _when(when: datetime | None) -> str | None:
    return when.isoformat() if when else None


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
    _answer_clock(session, game, f"The clocks of {game} are stopped.", dry_run, as_json)


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
    _answer_clock(session, game, f"{game} is on hold.", dry_run, as_json)


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
    _answer_clock(session, game, f"{game} goes on.", dry_run, as_json)


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
        went_on = outage.start_all_clocks(open_games, utc_now(), why)
        if as_json:
            answer_json({"games": went_on})
        else:
            print_line(f"The clocks of {plural(went_on, 'game')} go on.")
        return
    clocks.resume(open_games, game, utc_now(), use_of(why, tell, at, dry_run))
    _answer_clock(session, game, f"The clocks of {game} go on.", dry_run, as_json)


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
    _answer_clock(session, game, f"What is open in {game} has {hours:g} hours more.", dry_run, as_json)


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
        own = read_own_settings(session.settings.clock, setting)
        clocks.change_clock(session.moderator.open_games, game, own, utc_now(), use_of(why, tell, at, dry_run))
    with reading(session.engine) as conn:
        table = games.open_table(conn, game)
        acts = record.acts_of_game(conn, game)
    force = settings_in_force(session.settings, table.clock)
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


def _answer_clock(session: Session, game: str, told: str, dry_run: bool, as_json: bool) -> None:
    document: dict[str, object] = {"game": game}
    if as_json:
        with reading(session.engine) as conn:
            table = games.open_table(conn, game)
        view = json_view(table, "gm")
        deadlines = [question["deadline"] for question in view["questions"] if question["deadline"]]
        document |= {"stopped_at": view["stopped_at"], "deadline": max(deadlines, default=None)}
    answer(told, document, dry_run=dry_run, as_json=as_json)


MOST_HOURS = 1_440


def remind(
    game: Game,
    faction: Seat,
    why: Why = "",
    at: If = "",
    dry_run: DryRun = False,
    config: Config = CONFIG,
    as_json: AsJson = False,
) -> None:
    """Send a seat its reminder now. Nobody else notices, and where the seat owes nothing, nothing is sent.

    Example: `mentat game remind sietch-12 guild`
    """
    session, whose = open_session(config), seat_named(faction)
    seats.remind_seat(session.moderator.open_games, game, whose, utc_now(), use_of(why, "", at, dry_run))
    told = f"If {faction_name(whose)} owes an answer, they are reminded of it."
    answer(told, {"game": game, "faction": whose}, dry_run=dry_run, as_json=as_json)


def bank(
    game: Game,
    faction: Seat,
    hours: Annotated[float, typer.Argument(help="How many hours more; less, with a minus after `--`.")],
    why: Why = "",
    tell: Tell = "",
    at: If = "",
    dry_run: DryRun = False,
    config: Config = CONFIG,
    as_json: AsJson = False,
) -> None:
    """Add hours to the time bank of a seat, or take them off. Its player is told what it holds then.

    Example: `mentat game bank sietch-12 guild 24`, `mentat game bank sietch-12 guild -- -12`
    """
    if not 0 < abs(hours) <= MOST_HOURS:
        fail(f"HOURS: {hours:g} is not between 0 and {MOST_HOURS}, more or less.", WRONG_USE)
    session, whose = open_session(config), seat_named(faction)
    minutes = seats.change_bank(
        session.moderator.open_games, game, whose, hours, utc_now(), use_of(why, tell, at, dry_run)
    )
    told = f"The time bank of {faction_name(whose)} holds {span(minutes)}."
    answer(told, {"game": game, "faction": whose, "minutes": minutes}, dry_run=dry_run, as_json=as_json)


def excuse(
    game: Game,
    faction: Seat,
    why: Why = "",
    tell: Tell = "",
    at: If = "",
    dry_run: DryRun = False,
    config: Config = CONFIG,
    as_json: AsJson = False,
) -> None:
    """Count nothing against a seat that it has missed so far. Its player is told.

    Example: `mentat game excuse sietch-12 guild --why "in hospital"`
    """
    session, whose = open_session(config), seat_named(faction)
    seats.excuse_seat(session.moderator.open_games, game, whose, utc_now(), use_of(why, tell, at, dry_run))
    told = f"Nothing is counted against {faction_name(whose)}."
    answer(told, {"game": game, "faction": whose}, dry_run=dry_run, as_json=as_json)


def caretaker(
    game: Game,
    faction: Seat,
    state: Annotated[str, typer.Argument(metavar="on|off", help="Whether the caretaker plays for the seat.")],
    why: Why = "",
    tell: Tell = "",
    at: If = "",
    dry_run: DryRun = False,
    config: Config = CONFIG,
    as_json: AsJson = False,
) -> None:
    """Let the caretaker play for a seat from now on, or leave it. Everybody is told.

    Example: `mentat game caretaker sietch-12 guild on`
    """
    if state not in ("on", "off"):
        fail(f"{state!r}: write on or off.", WRONG_USE)
    session, whose, on = open_session(config), seat_named(faction), state == "on"
    seats.set_caretaker(session.moderator.open_games, game, whose, on, utc_now(), use_of(why, tell, at, dry_run))
    told = f"The caretaker {'plays' if on else 'plays no longer'} for {faction_name(whose)}."
    answer(told, {"game": game, "faction": whose, "caretaker": on}, dry_run=dry_run, as_json=as_json)


def process(
    game: Game,
    why: Why = "",
    tell: Tell = "",
    at: If = "",
    dry_run: DryRun = False,
    config: Config = CONFIG,
    as_json: AsJson = False,
) -> None:
    """Let silence answer every duty whose deadline is past, without the grace or time bank that may still run.
    Reactions keep their time. Everybody is told that the game goes on, nobody who had answered.

    Example: `mentat game process sietch-12 --if 4/bidding`
    """
    session = open_session(config)
    clocks.process_overdue(session.moderator.open_games, game, utc_now(), use_of(why, tell, at, dry_run))
    answer(f"What was due in {game} is decided.", {"game": game}, dry_run=dry_run, as_json=as_json)


def default(
    game: Game,
    faction: Seat,
    question: Annotated[str, typer.Argument(metavar="QUESTION", help="The duty, as `mentat game show` names it.")],
    why: Why = "",
    tell: Tell = "",
    at: If = "",
    dry_run: DryRun = False,
    config: Config = CONFIG,
    as_json: AsJson = False,
) -> None:
    """Let silence answer one duty now that all know of. Everybody is told.

    Example: `mentat game default sietch-12 guild bid`
    """
    session, whose = open_session(config), seat_named(faction)
    clocks.apply_default(session.moderator.open_games, game, whose, question, utc_now(), use_of(why, tell, at, dry_run))
    told = f"Silence has answered {question} for {faction_name(whose)}."
    answer(told, {"game": game, "faction": whose, "question": question}, dry_run=dry_run, as_json=as_json)


def order(
    game: Game,
    faction: Seat,
    line: Annotated[list[str], typer.Argument(metavar="LINE...", help="The orders, each in quotes.")],
    why: Why = "",
    tell: Tell = "",
    at: If = "",
    dry_run: DryRun = False,
    config: Config = CONFIG,
    as_json: AsJson = False,
) -> None:
    """Order for a seat as if its player had written it. The player is told at once; everybody at the end of the game.

    Example: `mentat game order sietch-12 guild "ship 4 to carthag" --why "told me on the phone" --if 4/shipment`
    """
    session, whose = open_session(config), seat_named(faction)
    use = use_of(why, tell, at, dry_run)
    taken = seat_lines.order_for_seat(session.moderator.open_games, game, whose, line, utc_now(), use)
    told = "; ".join(f"{each.status} {each.canonical or each.text}{f': {each.reason}' if each.reason else ''}"
                     for each in taken)  # fmt: skip
    lines = [{"line": each.text, "status": each.status, "order": each.canonical, "reason": each.reason}
             for each in taken]  # fmt: skip
    answer(told, {"game": game, "faction": whose, "lines": lines}, dry_run=dry_run, as_json=as_json)


def position(
    game: Game,
    correction: Annotated[list[str], typer.Argument(metavar="CORRECTION...", help="What is so, each in quotes.")],
    why: Why = "",
    tell: Tell = "",
    at: If = "",
    dry_run: DryRun = False,
    config: Config = CONFIG,
    as_json: AsJson = False,
) -> None:
    """Put facts of the position right, all of them or none. Everybody is told what all may see of it, and the owner of
    a hand or a shield the rest. It is an entry of the log, so the game replays with it.

    Write `spice guild +3`, `spice cielago-north = 8`, `forces arrakeen atreides 5`, `tanks guild 2`,
    `card Lasgun from guild to discard`, `leader Stilgar alive`, `storm 14`.

    Example: `mentat game position sietch-12 "spice guild +3" "tanks guild 2" --why "charity was forgotten"`
    """
    session = open_session(config)
    positions.correct_facts(session.moderator.open_games, game, correction, utc_now(), use_of(why, tell, at, dry_run))
    told = f"Put right in {game}: {'; '.join(correction)}"
    answer(told, {"game": game, "corrections": correction}, dry_run=dry_run, as_json=as_json)


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
    sight.play_blind(open_session(config).moderator.open_games, game, utc_now(), use_of(why, tell, at, dry_run))
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
    sight.break_glass(open_session(config).moderator.open_games, game, utc_now(), use)
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
    told = sight.predict_phase(open_games, game, utc_now(), use_of(why, "", at))
    answer("\n".join(told) or "Nothing happens.", {"game": game, "events": list(told)}, dry_run=False, as_json=as_json)


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
        table = undo_rollback(
            open_session(config).moderator.open_games, game, utc_now(), use_of(why, tell, at, dry_run)
        )
        _answer_rollback(game, table, dry_run, as_json)
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
        _show_preview(preview_rollback(open_games, game, entries, utc_now(), use_of(why, at=at)), as_json)
        return
    try:
        table = take_back(open_games, game, entries, utc_now(), use_of(why, tell, at, dry_run), agreed)
    except PowerRefused:
        raise
    except ValueError as error:
        fail(str(error), WRONG_USE)
    _answer_rollback(game, table, dry_run, as_json)


def _answer_rollback(game: str, table: Table, dry_run: bool, as_json: bool) -> None:
    state = table.play.state
    told = f"{game} stands at turn {state.turn}, {state.phase}, with {plural(table.entries, 'entry')}."
    document = {"game": game, "entries": table.entries, "turn": state.turn, "phase": state.phase}
    answer(told, document, dry_run=dry_run, as_json=as_json)


def _show_preview(found: Preview, as_json: bool) -> None:
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


def end(
    game: Game,
    last_turn: Annotated[int, typer.Option(metavar="N", help="Announce that turn N is the last.")] = 0,
    void: Annotated[bool, typer.Option("--void", help="End it now, without a winner.")] = False,
    agreed: Annotated[
        list[str] | None,
        typer.Option(metavar="FACTION", help="End it now: all seats agreed that this one (or several) won."),
    ] = None,
    adjudicated: Annotated[
        list[str] | None,
        typer.Option(metavar="FACTION", help="End it now: this one (or several) won on the public board."),
    ] = None,
    why: Why = "",
    tell: Tell = "",
    at: If = "",
    dry_run: DryRun = False,
    config: Config = CONFIG,
    as_json: AsJson = False,
) -> None:
    """Let a game end: after a turn that everybody is told of, or at once. What is announced stands in its log.

    Example: `mentat game end sietch-12 --last-turn 9 --why "the round ends in two weeks"`
    """
    chosen = [bool(last_turn), void, bool(agreed), bool(adjudicated)]
    if sum(chosen) != 1:
        fail("Say how the game ends: one of --last-turn N, --void, --agreed FACTION, --adjudicated FACTION.", WRONG_USE)
    session = open_session(config)
    winners = [seat_named(word) for word in (*(agreed or ()), *(adjudicated or ()))]
    how: ending.EndKind = "void" if void else "agreed" if agreed else "adjudicated"
    open_games, now, use = session.moderator.open_games, utc_now(), use_of(why, tell, at, dry_run)
    if last_turn:
        ending.announce_last_turn(open_games, game, last_turn, now, use)
    else:
        ending.end_game(open_games, game, how, winners, now, use)
    told = f"Turn {last_turn} is the last of {game}; its players are told." if last_turn else f"{game} is over ({how})."
    document = {}
    if as_json:
        with reading(session.engine) as conn:
            document = json_view(open_games.table(conn, game), "gm")
    answer(told, document, dry_run=dry_run, as_json=as_json)


def delete(
    game: Game, tell: Tell = "", dry_run: DryRun = False, config: Config = CONFIG, as_json: AsJson = False
) -> None:
    """Delete a game that was set up by mistake and in which nobody has ordered anything. Its players are told. A game
    under way is ended instead: `mentat game end`. Nothing is left that could keep a reason, so it takes no --why.

    Example: `mentat game delete sietch-21 --tell "Dora was to play."`
    """
    delete_game(open_session(config).moderator.open_games, game, utc_now(), use_of(tell=tell, dry_run=dry_run))
    answer(f"{game} is deleted.", {"game": game, "deleted": True}, dry_run=dry_run, as_json=as_json)
