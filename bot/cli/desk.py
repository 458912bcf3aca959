"""The game master's powers, which change the course of a game. `mentat desk`, which shows what is waiting for the game
master, is in `bot.cli.games`.

- the clocks of a game: `mentat game pause|resume|hold|release|extend|unextend|clock`
- a single seat: `mentat game remind|bank|excuse|absent|caretaker|process|default`
- orders and facts: `mentat game order|position|rollback`
- sealed information: `mentat game blind|break-glass|predict`
- the end of a game: `mentat game end|delete`
"""

from __future__ import annotations

from typing import Annotated

import typer

from bot.cli.options import Game, Power, Seat, iso_or_none, seat_named
from bot.cli.session import WRONG_USE, Answer, Call, Line, Listing, command, fail
from bot.desk import clocks, positions, seats, sight
from bot.desk.game_view import json_view
from bot.desk.people import delete_game
from bot.desk.positions import Preview, entries_at, preview_rollback, undo_rollback
from bot.desk.positions import roll_back as take_back
from bot.desk.powers import PowerRefused
from bot.moderator import outage, seat_lines
from bot.moderator.seat_lines import release_game
from bot.store import games
from bot.store.acts import acts_of
from bot.table.clock import read_own_settings, settings_in_force
from bot.table.table import Table
from bot.wording import now_there
from bot.wording.filters import plural, span
from rules.components import the_faction


@command("game pause")
def pause(call: Power, game: Game) -> Answer:
    """Stop the clocks of a game. No deadline passes until `mentat game resume`. Everybody is told in neutral words.

    Example: `mentat game pause sietch-12 --why "Christmas"`
    """
    clocks.pause(call.request(game))
    return _clock_answer(call, game, f"The clocks of {game} are stopped.")


@command("game hold")
def hold(call: Power, game: Game) -> Answer:
    """Put a game on hold: orders are accepted and answered, but nothing is resolved. Everybody is told, but not why.

    Example: `mentat game hold sietch-12 --why "asked the arbiter"`
    """
    clocks.hold(call.request(game))
    return _clock_answer(call, game, f"{game} is on hold.")


@command("game release")
def release(call: Power, game: Game) -> Answer:
    """Release a game that is on hold. Orders that arrived in the meantime are played in order of arrival.

    Example: `mentat game release sietch-12`
    """
    release_game(call.request(game))
    return _clock_answer(call, game, f"{game} continues.")


@command("game resume")
def resume(
    call: Power,
    game: Annotated[
        str, typer.Argument(help="The game's id; if left out, all games that stopped because nobody wrote.")
    ] = "",
) -> Answer:
    """Resume the clocks of a game. Open questions have as much time left as when the clocks stopped. Everybody is told.

    Example: `mentat game resume sietch-12`, or `mentat game resume` for all games that stopped because nobody wrote
    """
    if not game:
        went_on = outage.start_all_clocks(call.open_games, call.now, call.why)
        return Listing(f"The clocks of {plural(went_on, 'game')} are running again.", {"games": went_on})
    clocks.resume(call.request(game))
    return _clock_answer(call, game, f"The clocks of {game} are running again.")


@command("game extend")
def extend(
    call: Power,
    game: Game,
    hours: Annotated[float, typer.Argument(help="How many more hours.")],
    *,
    seat: Annotated[str, typer.Option(help="Extend only what is due from this faction.")] = "",
) -> Answer:
    """Extend all open deadlines of a game. Everybody learns the new deadline, but not who asked for it.

    Example: `mentat game extend sietch-12 24`
    """
    if not 0 < hours <= clocks.MOST_HOURS:
        fail(f"HOURS: {hours:g} must be above 0 and at most {clocks.MOST_HOURS} (a year).", WRONG_USE)
    faction = seat_named(seat) if seat else None
    clocks.extend(call.request(game), hours, faction)
    what = f"due from {the_faction(faction)}" if faction else "open"
    return _clock_answer(call, game, f"Everything {what} in {game} gets {hours:g} more hours.")


@command("game unextend")
def unextend(call: Power, game: Game) -> Answer:
    """Undo the last extension of a game. The earlier deadlines apply again, except that none falls within the next
    twelve hours.

    Example: `mentat game unextend sietch-12 --why "a mistake"`
    """
    given = clocks.take_extension_back(call.request(game))
    return _clock_answer(call, game, f"The extension of {given.hours:g} hours is withdrawn.")


@command("game clock")
def clock(
    call: Power,
    game: Game,
    setting: Annotated[list[str] | None, typer.Argument(metavar="[NAME=VALUE]...", help="What to change.")] = None,
) -> Answer:
    """Show the settings of a game's clock and how they were changed, or change them. Deadlines that have been announced
    do not change, except that they may move to a later time.

    Example: `mentat game clock sietch-12`, `mentat game clock sietch-12 due_at=20:00 days_off=saturday,sunday`
    """
    if setting:
        own = read_own_settings(call.settings.clock, setting)
        clocks.change_clock(call.request(game), own)
    with call.reading() as conn:
        table = games.open_table(conn, game)
        acts = acts_of(conn, game_id=game)
    force = settings_in_force(call.settings, table.clock)
    there = now_there(call.now, call.open_games.clock(table).calendar.zone)
    told = [{"at": act.at.isoformat(), "what": act.what, "words": act.words, "why": act.why} for act in acts]
    document = {
        "game": game,
        "clock": force,
        "own": table.clock,
        "stopped_at": iso_or_none(table.stopped_at),
        "stopped_why": table.stopped_why or None,
        "acts": told,
    }
    stopped = f"stopped since {table.stopped_at:%Y-%m-%d %H:%M}Z: {table.stopped_why}" if table.stopped_at else ""
    lines = [
        *filter(None, [stopped]),
        *(
            f"  {name} = {value}{'  (its own)' if name in table.clock else ''}"
            + (f", where it is now {there}" if name == "timezone" else "")
            for name, value in force.items()
        ),
        *(f"{act.at:%Y-%m-%d %H:%M}Z  {act.what}  {act.told}".rstrip() for act in acts),
    ]
    return Listing(lines, document)


def _clock_answer(call: Call, game: str, told: str) -> Answer:
    document: dict[str, object] = {"game": game}
    if call.as_json:
        with call.reading() as conn:
            table = games.open_table(conn, game)
        view = json_view(table, "gm", call.settings, call.now)
        deadlines = [question["deadline"] for question in view["questions"] if question["deadline"]]
        document |= {"stopped_at": view["stopped_at"], "deadline": max(deadlines, default=None)}
    return Answer(told, document)


MOST_HOURS = 1_440


@command("game remind", without="tell")
def remind(call: Power, game: Game, faction: Seat) -> Answer:
    """Send a seat its reminder now. Nobody else is told. If nothing is due from the seat, no letter is sent.

    Example: `mentat game remind sietch-12 guild`
    """
    seats.remind_seat(call.request(game), faction)
    told = f"If an answer is due from {the_faction(faction)}, we will remind them."
    return Answer(told, {"game": game, "faction": faction})


@command("game bank")
def bank(
    call: Power,
    game: Game,
    faction: Seat,
    hours: Annotated[float, typer.Argument(help="How many hours to add; or, after `--`, a negative number.")],
) -> Answer:
    """Add hours to a seat's time bank, or subtract them. Its player is told the new balance.

    Example: `mentat game bank sietch-12 guild 24`, `mentat game bank sietch-12 guild -- -12`
    """
    if not 0 < abs(hours) <= MOST_HOURS:
        fail(f"HOURS: {hours:g} must be between -{MOST_HOURS} and {MOST_HOURS}, but not 0.", WRONG_USE)
    minutes = seats.change_bank(call.request(game), faction, hours)
    told = f"The time bank of {the_faction(faction)} holds {span(minutes)}."
    return Answer(told, {"game": game, "faction": faction, "minutes": minutes})


@command("game excuse")
def excuse(call: Power, game: Game, faction: Seat) -> Answer:
    """Forgive a seat for the deadlines that it has missed so far. Its player is told.

    Example: `mentat game excuse sietch-12 guild --why "in hospital"`
    """
    seats.excuse_seat(call.request(game), faction)
    told = f"Missed deadlines no longer count against {the_faction(faction)}."
    return Answer(told, {"game": game, "faction": faction})


@command("game absent")
def absent(
    call: Power,
    game: Game,
    faction: Seat,
    first: Annotated[
        str, typer.Argument(help="The first day, like 2027-01-02; or off, if they are not away after all.")
    ],
    last: Annotated[str, typer.Argument(help="The last day.")] = "",
) -> Answer:
    """Announce that a player is away. The others learn that somebody is away, but not who. Decisions that only that
    player can make wait for them.

    Example: `mentat game absent sietch-12 guild 2027-01-02 2027-01-09`
    """
    request = call.request(game)
    if first == "off":
        told = seats.withdraw_absence(request, faction)
    else:
        until = seats.end_of_day(request.games.settings, last or first)
        told = seats.file_absence(request, faction, until, seats.day_named(first))
    return Answer(told.for_game_master, {"game": game, "faction": faction})


@command("game caretaker")
def caretaker(
    call: Power,
    game: Game,
    faction: Seat,
    state: Annotated[
        str, typer.Argument(metavar="on|off", help="on: the caretaker plays for the seat; off: it stops.")
    ],
) -> Answer:
    """Let the caretaker play a seat from now on, or make it stop. Everybody is told.

    Example: `mentat game caretaker sietch-12 guild on`
    """
    if state not in ("on", "off"):
        fail(f"{state!r}: write on or off.", WRONG_USE)
    on = state == "on"
    seats.set_caretaker(call.request(game), faction, on)
    told = f"The caretaker {'now' if on else 'no longer'} plays for {the_faction(faction)}."
    return Answer(told, {"game": game, "faction": faction, "caretaker": on})


@command("game process")
def process(call: Power, game: Game) -> Answer:
    """Apply the default to every duty whose deadline has passed, even if a grace period or time bank is left. Players
    who may still play a reaction keep their time for it. Everybody is told, but not who had answered.

    Example: `mentat game process sietch-12 --if 4/bidding`
    """
    clocks.process_overdue(call.request(game))
    return Answer(f"Everything overdue in {game} has been decided.", {"game": game})


@command("game default")
def default(
    call: Power,
    game: Game,
    faction: Seat,
    question: Annotated[str, typer.Argument(metavar="QUESTION", help="The duty, as `mentat game show` names it.")],
) -> Answer:
    """Apply the default to one duty now. Everybody must know that the game is waiting for it. Everybody is told.

    Example: `mentat game default sietch-12 guild bid`
    """
    clocks.apply_default(call.request(game), faction, question)
    told = f"The default for {question} has been applied to {the_faction(faction)}."
    return Answer(told, {"game": game, "faction": faction, "question": question})


@command("game order")
def order(
    call: Power,
    game: Game,
    faction: Seat,
    line: Annotated[list[str], typer.Argument(metavar="LINE...", help="The orders, each in quotes.")],
) -> Answer:
    """Give orders for a seat as if its player had sent them. The player is told at once, the others when the game ends.

    Example: `mentat game order sietch-12 guild "ship 4 to carthag" --why "told me on the phone" --if 4/shipment`
    """
    taken = seat_lines.order_for_seat(call.request(game), faction, line)
    told = "; ".join(
        f"{each.status} {each.canonical or each.text}{f': {each.reason}' if each.reason else ''}" for each in taken
    )
    lines = [
        {"line": each.text, "status": each.status, "order": each.canonical, "reason": each.reason} for each in taken
    ]
    return Answer(told, {"game": game, "faction": faction, "lines": lines})


@command("game position")
def position(
    call: Power,
    game: Game,
    correction: Annotated[
        list[str], typer.Argument(metavar="CORRECTION...", help="The correct facts, each in quotes.")
    ],
) -> Answer:
    """Correct facts of the position. If one of the corrections is impossible, none is made. Everybody is told the
    public facts; what is in a hand or behind a shield is told only to its owner. The correction is an entry in the log,
    so a replay of the game includes it.

    Write `spice guild +3`, `spice cielago-north = 8`, `forces arrakeen atreides 5`, `tanks guild 2`, `storm 14`,
    `leader Stilgar alive`, `card Lasgun from guild to discard`.

    Example: `mentat game position sietch-12 "spice guild +3" "tanks guild 2" --why "charity was forgotten"`
    """
    positions.correct_facts(call.request(game), correction)
    told = f"Corrected in {game}: {'; '.join(correction)}"
    return Answer(told, {"game": game, "corrections": correction})


@command("game blind")
def blind(call: Power, game: Game) -> Answer:
    """Play a game blind: from now on nobody at the desk can read its sealed orders, hands or decks. Everybody is told.

    Example: `mentat game blind sietch-12`
    """
    sight.play_blind(call.request(game))
    return Answer(f"{game} is now played blind.", {"game": game, "blind": True})


@command("game break-glass")
def break_glass(call: Power, game: Game) -> Answer:
    """Let the desk read the sealed orders, hands and decks of a blind game again. The table is told at once.

    Example: `mentat game break-glass sietch-12 --why "a bid that nobody can explain"`
    """
    sight.break_glass(call.request(game))
    return Answer(f"The desk can read the sealed information in {game} again.", {"game": game, "blind": False})


@command("game predict", without="tell dry_run")
def predict(call: Power, game: Game) -> Answer:
    """Predict the rest of this phase, including the effect of sealed orders, assuming that nobody writes again. Each
    use is recorded in the act log, which everybody may read at the end of the game.

    Example: `mentat game predict sietch-12 --why "is the tie as I think?"`
    """
    told = sight.predict_phase(call.request(game))
    return Answer("\n".join(told) or "Nothing happens.", {"game": game, "events": list(told)})


@command("game rollback")
def rollback(
    call: Power,
    game: Annotated[str, typer.Argument(help="The game's id.")],
    entries: Annotated[int, typer.Option(metavar="N", help="Keep the first N entries of the log.")] = -1,
    turn: Annotated[int, typer.Option(metavar="N", help="Or: back to the start of a phase in this turn.")] = 0,
    phase: Annotated[str, typer.Option(metavar="PHASE", help="The phase, like battle; if left out, storm.")] = "",
    look: Annotated[
        bool, typer.Option("--preview", help="Show what players have learnt since; change nothing.")
    ] = False,
    put_back: Annotated[bool, typer.Option("--undo", help="Restore what the last rollback removed.")] = False,
    consent: Annotated[
        list[str] | None, typer.Option(metavar="FACTION", help="In a rated game: who agreed (may be repeated).")
    ] = None,
) -> Answer:
    """Roll a game back. Every player is told. `mentat game log` and `mentat game show` show how far the game has got.

    Example: `mentat game rollback sietch-12 --turn 4 --phase battle --why "wrong dial" --tell "A dial was misread."`
    """
    if put_back:
        given = {"--entries": entries >= 0, "--turn": turn, "--phase": phase, "--preview": look, "--consent": consent}
        if too_much := [option for option, is_given in given.items() if is_given]:
            told = "it restores all that the last rollback removed; --dry-run tries it."
            fail(f"--undo takes no {', '.join(too_much)}: {told}", WRONG_USE)
        table = undo_rollback(call.request(game))
        return _rollback_answer(game, table)
    if (entries < 0) == (turn < 1):
        fail("Say how far to roll back: --turn N --phase PHASE, or --entries N.", WRONG_USE)
    agreed = [seat_named(word) for word in consent or ()]
    if turn:
        try:
            entries = entries_at(call.open_games, game, turn, phase or "storm")
        except PowerRefused as refused:
            fail(str(refused), WRONG_USE)
    if look:
        return _preview_answer(preview_rollback(call.request(game), entries))
    try:
        table = take_back(call.request(game), entries, agreed)
    except PowerRefused:
        raise
    except ValueError as error:
        fail(str(error), WRONG_USE)
    return _rollback_answer(game, table)


def _rollback_answer(game: str, table: Table) -> Answer:
    state = table.play.state
    told = f"{game} is at turn {state.turn}, {state.phase}, with {plural(table.entries, 'entry')}."
    document = {"game": game, "entries": table.entries, "turn": state.turn, "phase": state.phase}
    return Answer(told, document)


def _preview_answer(found: Preview) -> Answer:
    document = {
        "entries": found.entries,
        "of": found.of,
        "public": list(found.public),
        "private": {faction: list(told) for faction, told in found.private.items()},
    }
    lines: list[Line] = [f"{found.entries} of {found.of} entries would be kept. Since then everybody has learnt:"]
    lines += [f"  {line}" for line in found.public or ("nothing",)]
    for faction, told in found.private.items():
        lines += [f"and {the_faction(faction)} alone:", *(f"  {line}" for line in told)]
    return Listing(lines, document)


@command("game end")
def end(
    call: Power,
    game: Game,
    last_turn: Annotated[int, typer.Option(metavar="N", help="Announce that turn N is the last.")] = 0,
    void: Annotated[bool, typer.Option("--void", help="End it now, without a winner.")] = False,
    agreed: Annotated[
        list[str] | None,
        typer.Option(metavar="FACTION", help="End it now: all seats agreed that this faction won (may be repeated)."),
    ] = None,
    adjudicated: Annotated[
        list[str] | None,
        typer.Option(metavar="FACTION", help="End it now: this faction won on the public board (may be repeated)."),
    ] = None,
) -> Answer:
    """End a game, at once or after a turn announced as the last. The announcement is recorded in the game's log.

    Example: `mentat game end sietch-12 --last-turn 9 --why "the round ends in two weeks"`
    """
    chosen = [bool(last_turn), void, bool(agreed), bool(adjudicated)]
    if sum(chosen) != 1:
        fail("Say how the game ends: one of --last-turn N, --void, --agreed FACTION, --adjudicated FACTION.", WRONG_USE)
    winners = [seat_named(word) for word in (*(agreed or ()), *(adjudicated or ()))]
    how: clocks.EndKind = "void" if void else "agreed" if agreed else "adjudicated"
    if last_turn:
        clocks.announce_last_turn(call.request(game), last_turn)
    else:
        clocks.end_game(call.request(game), how, winners)
    told = f"Turn {last_turn} is the last of {game}; its players are told." if last_turn else f"{game} is over ({how})."
    document = {}
    if call.as_json:
        with call.reading() as conn:
            document = json_view(call.open_games.table(conn, game), "gm", call.settings, call.now)
    return Answer(told, document)


@command("game delete", without="why at")
def delete(call: Power, game: Game) -> Answer:
    """Delete a game that was set up by mistake and has no orders. Its players are told. To end a running game, use
    `mentat game end`. There is no option --why, because no record of the game remains.

    Example: `mentat game delete sietch-21 --tell "Dora was to play."`
    """
    delete_game(call.request(game))
    return Answer(f"{game} has been deleted.", {"game": game, "deleted": True})
