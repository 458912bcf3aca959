"""`mentat tournament …`, until the games start: create a tournament, take entries, draw, start, pause, show.

- `new|open|announce|cancel` and `grant|handover`: the tournament, and who directs it
- `enter|withdraw|apart`: who takes part, and which entrants are never seated together
- `freeze|draw|void-draw|start|pause|resume`: the draws, and the tables of a round
- `show|list`: the status of tournaments
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Annotated, Any
from zoneinfo import ZoneInfo

import msgspec
import typer
from rich.text import Text

from bot.cli.options import TournamentAct, TournamentCall, TournamentId
from bot.cli.session import WRONG_USE, Answer, Call, Line, Verbatim, command, fail, table
from bot.competition.published import Cost, DrawRecord, clean_given_name, display_name
from bot.competition.settings import settings_digest
from bot.store import tournaments
from bot.store.acts import RIGHTS
from bot.store.tournament_rounds import RoundTable
from bot.tournament import announcement, desk, drawing, entries, game_starts, preparation, progress, rounds
from bot.tournament.desk import Caller, Refused, table_name
from bot.tournament.letters import own_address
from bot.tournament.mail_lines import Games
from rules.components.facts import data_file

EXAMPLES = ("heats", "wbc", "swiss", "league", "ladder", "knockout")
DATE_FORMS = ("%Y-%m-%d", "%Y-%m-%d %H:%M", "%Y-%m-%dT%H:%M")


@command("tournament new", without="seen")
def new(
    call: TournamentCall,
    tournament: Annotated[str, typer.Argument(metavar="[ID]", help="Its id: lowercase letters, digits, hyphens.")] = "",
    file: Annotated[Path | None, typer.Argument(metavar="[FILE]", help="Its settings, a TOML file.")] = None,
    secret: Annotated[str, typer.Option(help="The secret of its draws, of 128 bits; generated if left out.")] = "",
    example: Annotated[
        str, typer.Option(metavar="FORMAT", help="Write a commented file instead: " + ", ".join(EXAMPLES) + ".")
    ] = "",
) -> Answer:
    """Create a tournament. Its settings are checked and frozen, and the commitment to its secret is printed.

    `mentat tournament new --example heats` writes an example, `heats.toml`, which can be used as it is.
    `mentat tournament new cup heats.toml` creates the tournament `cup` from it.
    """
    if example:
        return _write_example(example, tournament, file, call.now.date())
    if not tournament or file is None:
        fail(
            "Name the tournament and its settings: `mentat tournament new ID FILE.toml`; `--example heats` writes such "
            "a file.",
            WRONG_USE,
        )
    text = read_text(file)
    made = preparation.new_tournament(Caller(call.open_games, call.now, call.by), tournament, text, secret=secret)
    found = made.tournament
    document = {
        "tournament": found.id,
        "title": found.title,
        "state": found.state,
        "commitment": found.commitment,
        "settings_sha256": found.settings_digest,
        "already": made.already,
    }
    lines = [f"{found.id} already exists with these settings; nothing was done."] if made.already else []
    lines += [
        f"{found.id}: {found.title}",
        f"  commitment  {found.commitment}",
        f"  settings    {found.settings_digest}",
        preparation.legal_acts(found),
    ]
    return Answer(lines, document)


_BEACON_DAY = re.compile(r'^beacon_date = "[-0-9]+"', re.MULTILINE)
WEEKS_TO_BEACON = 6


def _write_example(example: str, target: str, file: Path | None, today: date) -> Answer:
    if example not in EXAMPLES:
        fail(f"--example {example!r} is not one of {', '.join(EXAMPLES)}.", WRONG_USE)
    path = file or Path(target or f"{example}.toml")
    if path.suffix != ".toml":
        path = path.with_name(f"{path.name}.toml")
    if path.exists():
        fail(f"{path} already exists and was not changed; name another file.")
    saturday = today + timedelta(days=(5 - today.weekday()) % 7, weeks=WEEKS_TO_BEACON)
    text = data_file(f"tournaments/{example}.toml").read_text(encoding="utf-8")
    text = _BEACON_DAY.sub(f'beacon_date = "{saturday}"', text)
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        fail(f"{path} cannot be written: {error.strerror}.", WRONG_USE)
    lines = [f"wrote {path}", f"Change what you like, then: mentat tournament new ID {path}"]
    return Answer(lines, {"file": str(path), "format": example, "settings_sha256": settings_digest(text)})


@command("tournament open")
def open_entries(
    call: TournamentAct,
    tournament: TournamentId,
    until: Annotated[
        str, typer.Option(metavar="DATE", help="When entries close: 2027-03-01 (the end of that day) or with an hour.")
    ] = "",
) -> Answer:
    """Open a tournament for entries. The date of the draw and its beacon are announced at the same time.

    Example: `mentat tournament open cup --until 2027-03-01`
    """
    closes = read_date(until, call.settings.mentat.timezone) if until else None
    opened = preparation.open_entries(call.caller, tournament, until=closes)
    found = opened.tournament
    address = own_address(call.settings, found)
    document = {
        "tournament": found.id,
        "state": found.state,
        "already": opened.already,
        "until": found.until,
        "commitment": found.commitment,
        "settings_sha256": found.settings_digest,
        "beacon": found.settings.beacon,
        "beacon_date": found.settings.beacon_date,
        "address": address,
    }
    if opened.already:
        return Answer(f"{found.id} is already open; nothing was done.", document, done=False)
    closing = f" until {found.until:%Y-%m-%d %H:%M}Z" if found.until else ""
    lines = [
        f"{found.id} takes entries{closing}: the line `enter {found.id} as NAME`, mailed to {address}.",
        f"  commitment  {found.commitment}",
        f"  settings    {found.settings_digest}",
        f"  {preparation.announced_beacon(found)}",
    ]
    return Answer(lines, document)


@command("tournament announce")
def announce(
    call: Call,
    tournament: TournamentId,
    format: Annotated[str, typer.Option("--format", metavar="F", help="text, markdown or bbcode.")] = "text",
) -> Answer:
    """Print an announcement to post or mail: what is played, when, the points, and how to enter.

    Example: `mentat tournament announce cup --format markdown`
    """
    form = next((one for one in announcement.FORMATS if one == format), None)
    if form is None:
        fail(f"--format: {format!r} is not one of {', '.join(announcement.FORMATS)}.", WRONG_USE)
    with call.reading() as conn:
        found = tournaments.find_tournament(conn, tournament)
    if found.state not in ("draft", "open"):
        raise Refused(f"{tournament} is {found.state}, and no longer takes entries. {preparation.legal_acts(found)}")
    text = announcement.announcement(call.settings, found, call.now, form)
    return Answer([Verbatim(text)], {"tournament": tournament, "format": form, "text": text})


def amend_settings(call: TournamentAct, tournament: str, file: Path, *, force: bool) -> Answer:
    changed = preparation.amend_settings(call.caller, tournament, read_text(file), force=force)
    document = {"tournament": tournament, "changed": changed.lines, "settings_sha256": changed.settings_digest}
    if not changed.lines:
        told = f"{tournament} already has these settings; nothing was done."
        return Answer(told, document, done=False)
    return Answer([*changed.lines, f"  settings    {changed.settings_digest}"], document)


@command("tournament cancel")
def cancel(call: TournamentAct, tournament: TournamentId) -> Answer:
    """Cancel a tournament. Everybody who takes part is told. Games in play may continue as friendly games.

    Example: `mentat tournament cancel cup --why "Too few have entered."`
    """
    done = preparation.cancel_tournament(call.caller, tournament)
    told = f"{tournament} is cancelled." if done else f"{tournament} was already cancelled; nothing was done."
    return Answer(told, {"tournament": tournament, "state": "cancelled", "already": not done}, done=done)


def read_text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except FileNotFoundError:
        fail(f"{file} is missing; `mentat tournament new --example heats` writes one.", WRONG_USE)
    except OSError as error:
        fail(f"{file} cannot be read: {error.strerror}.", WRONG_USE)
    except UnicodeDecodeError:
        fail(f"{file} is not UTF-8 text: save it as UTF-8.", WRONG_USE)


def read_date(said: str, zone: ZoneInfo) -> datetime:
    """Read a date or time as typed on the command line, in Mentat's time zone. A day without an hour means the end of
    that day."""
    for form in DATE_FORMS:
        try:
            read = datetime.strptime(said.strip(), form)  # noqa: DTZ007  # it gets its zone below
        except ValueError:
            continue
        if form == DATE_FORMS[0]:
            read = read.replace(hour=23, minute=59)
        return read.replace(tzinfo=zone)
    raise Refused(f"{said[:40]!r} is not a date; write it like 2027-03-01, or '2027-03-01 18:00'.")


@command("tournament enter", without="seen")
def enter(
    call: TournamentAct,
    tournament: TournamentId,
    address: Annotated[str, typer.Argument(help="The mail address of the person who enters.")],
    name: Annotated[str, typer.Option(help="Their name; others see it once they agree.")] = "",
    standby: Annotated[bool, typer.Option("--standby", help="Enter them only as a substitute.")] = False,
) -> Answer:
    """Enter a person in a tournament. They get a letter with a code, and take part once they have confirmed by mail.

    Example: `mentat tournament enter cup ann@example.org --name Ann`
    """
    if not re.fullmatch(r"""[^\s@<>,;:"()]+@[^\s@<>,;:"()]+""", address):
        fail(f"ADDRESS: {address!r} is not one mail address, like ann@example.org.", WRONG_USE)
    asked = entries.enter_by_director(call.caller, tournament, address, name=clean_given_name(name), standby=standby)
    entrant = asked.entrant
    document = {
        "tournament": tournament,
        "handle": entrant.handle,
        "state": entrant.state,
        "how": asked.how,
        "standby": entrant.standby,
    }
    told = {
        "asked": f"{entrant.handle}: a letter with a code goes to {entrant.address}; they are in once they confirm it.",
        "again": f"{entrant.handle} was entered before and has not confirmed; the letter goes to {entrant.address}.",
        "in": f"{display_name(entrant.handle, entrant.name)} is already in, as {entrant.state}; nothing has changed.",
    }[asked.how]
    return Answer(f"{'It would be: ' if call.dry_run else ''}{told}", document, done=False)


@command("tournament withdraw", without="seen")
def withdraw(
    call: TournamentAct,
    tournament: TournamentId,
    handle: Annotated[str, typer.Argument(metavar="ENTRANT", help="The entrant, like E012.")],
    games: Annotated[
        str, typer.Option("--games", help="Whether they keep or leave their running games: keep or leave.")
    ] = "",
) -> Answer:
    """Withdraw an entrant. Before play begins, this costs them nothing. If they have games in play, say whether they
    will finish them.

    Example: `mentat tournament withdraw cup E012 --games keep --why "They asked by telephone."`
    """
    if games not in ("", "keep", "leave"):
        fail(f"--games: {games!r} is neither keep nor leave.", WRONG_USE)
    said: Games = "keep" if games == "keep" else "leave" if games else ""
    caller = Caller(call.open_games, call.now, call.by, call.dry_run)
    entrant = entries.withdraw_by(caller, tournament, handle, said)
    told = f"{'It would be: ' if call.dry_run else ''}{entrant.handle} no longer takes part in {tournament}."
    return Answer(told, {"tournament": tournament, "handle": entrant.handle, "state": "withdrawn"}, done=False)


OrganiserAddress = Annotated[str, typer.Argument(metavar="ADDRESS", help="The person's mail address.")]


@command("tournament grant")
def grant(
    call: TournamentAct,
    tournament: TournamentId,
    address: OrganiserAddress,
    right: Annotated[str, typer.Argument(metavar="RIGHT", help=", ".join(RIGHTS) + ".")],
) -> Answer:
    """Give a person a right in a tournament, in place of the right that they had before. They are told.

    A director may do everything. An arbiter rules and adjudicates. A clerk looks after the roster, clocks and letters.
    An auditor reads everything after the end. A deputy becomes director if the others do nothing for days.

    Example: `mentat tournament grant cup ann@example.org arbiter`
    """
    if right not in RIGHTS:
        fail(f"{right!r} is not a right; the rights are {', '.join(RIGHTS)}.", WRONG_USE)
    done = desk.grant_right(call.caller, tournament, address, right)
    told = f"{address} is {right} of {tournament}{'' if done else ' already; nothing was done'}."
    document = {"tournament": tournament, "address": address, "right": right, "already": not done}
    return Answer(told, document, done=done)


@command("tournament handover")
def handover(call: TournamentAct, tournament: TournamentId, address: OrganiserAddress) -> Answer:
    """Ask a person to direct a tournament from now on. When they confirm from that address, the rights of the former
    directors end.

    Example: `mentat tournament handover cup bob@example.org`
    """
    done = desk.hand_over(call.caller, tournament, address)
    told = f"{address} is already the director of {tournament}; nothing was done."
    if done:
        told = f"{address} has been asked by mail to direct {tournament}; nothing changes until they confirm."
    return Answer(told, {"tournament": tournament, "address": address, "already": not done}, done=done)


@command("tournament apart")
def apart(
    call: TournamentAct,
    tournament: TournamentId,
    one: Annotated[str, typer.Argument(metavar="E001", help="An entrant, by handle.")],
    other: Annotated[str, typer.Argument(metavar="E002", help="The other entrant.")],
    remove: Annotated[bool, typer.Option("--remove", help="Let them sit together again.")] = False,
) -> Answer:
    """Keep two entrants from being seated together, from the next draw on. Nobody is told, and the record does not say
    who they are.

    Example: `mentat tournament apart cup E001 E002 --why "sisters"`
    """
    done = entries.keep_apart(call.caller, tournament, one, other, remove=remove)
    with call.reading() as conn:
        together = [] if remove else entries.sitting_together(conn, tournament, one, other)
    pair = f"{one.upper()} and {other.upper()}"
    document = {
        "tournament": tournament,
        "pair": [one.upper(), other.upper()],
        "apart": not remove,
        "already": not done,
        "together_at": together,
    }
    told = "may be seated together again" if remove else "will not be seated together in any later draw"
    lines = [f"{pair} {told}." if done else f"That was already so for {pair}; nothing was done."]
    if together:
        lines.append(f"They already sit together at {', '.join(together)}; that draw does not change.")
    return Answer(lines, document, done=done)


DrawRound = Annotated[int, typer.Option("--round", metavar="N", help="The round; if left out, the next.")]
WithoutUnconfirmed = Annotated[
    bool, typer.Option("--without-unconfirmed", help="Leave out entrants who have not confirmed.")
]
SitOut = Annotated[
    list[str] | None, typer.Option(metavar="E012", help="An entrant who volunteers to sit out (may be repeated).")
]
Standby = Annotated[list[str] | None, typer.Option(metavar="E050", help="A substitute who plays (may be repeated).")]
SitOutAgain = Annotated[
    bool, typer.Option("--sit-out-again", help="Let entrants sit out again even while others have not yet.")
]
DespiteApart = Annotated[
    bool, typer.Option("--despite-apart", help="Draw even if entrants who are kept apart must sit together.")
]
Provisional = Annotated[
    bool, typer.Option("--provisional", help="Draw even if the results that it is based on may still change.")
]


@command("tournament freeze")
def freeze(
    call: TournamentAct,
    tournament: TournamentId,
    number: DrawRound = 0,
    without_unconfirmed: WithoutUnconfirmed = False,
    sit_out: SitOut = None,
    standby: Standby = None,
    sit_out_again: SitOutAgain = False,
    provisional: Provisional = False,
    despite_apart: DespiteApart = False,
) -> Answer:
    """Fix who takes part in the next draw, and announce its beacon, whose value nobody can know yet.

    The draw takes place once the value of the beacon is known. If somebody leaves before that, freeze the draw again:
    it then gets a later beacon.

    Example: `mentat tournament freeze cup`
    """
    asked = drawing.DrawRequest(
        number,
        without_unconfirmed=without_unconfirmed,
        despite_apart=despite_apart,
        sit_out=tuple(sit_out or ()),
        sit_out_again=sit_out_again,
        standbys=tuple(standby or ()),
        provisional=provisional,
    )
    found = drawing.freeze(call.caller, tournament, asked)
    frozen = found.frozen
    document = {
        "tournament": tournament,
        "round": frozen.round,
        "already": found.already,
        "roster_sha256": frozen.field,
        "beacon": frozen.source,
        "beacon_at": frozen.at,
        "sit_out": frozen.sit_out,
    }
    done = "was frozen before; nothing was done" if found.already else "is frozen"
    lines = [
        f"The draw of round {frozen.round} of {tournament} {done}.",
        f"  roster      {frozen.field}",
        f"  beacon      {frozen.source}, from {frozen.at:%Y-%m-%d %H:%M}Z on, written {frozen.form}",
        f'Then: `mentat tournament draw {tournament} --beacon "…"`; or two mails send it, each with a line like',
        f"  beacon {tournament} {frozen.round}: {frozen.form}",
    ]
    return Answer(lines, document, done=not found.already)


@command("tournament draw")
def draw(
    call: TournamentAct,
    tournament: TournamentId,
    number: DrawRound = 0,
    beacon: Annotated[str, typer.Option(metavar="TEXT", help="The beacon that was announced.")] = "",
    no_beacon: Annotated[
        bool, typer.Option("--no-beacon", help="Draw without a beacon; the record will always say so.")
    ] = False,
    without_unconfirmed: WithoutUnconfirmed = False,
    sit_out: SitOut = None,
    standby: Standby = None,
    sit_out_again: SitOutAgain = False,
    provisional: Provisional = False,
    despite_apart: DespiteApart = False,
) -> Answer:
    """Close the entries and draw the next round. Rounds that are played at the same time are drawn together.

    Each entrant learns their table by mail. A dry run uses a different seed, so that nobody can try several draws and
    choose one.

    Example: `mentat tournament draw cup --beacon "4 8 15 16 23 42"`
    """
    asked = drawing.DrawRequest(
        number,
        beacon,
        no_beacon,
        without_unconfirmed,
        despite_apart,
        tuple(sit_out or ()),
        sit_out_again,
        tuple(standby or ()),
        provisional,
    )
    drawn = drawing.draw(call.caller, tournament, asked)
    record = drawn.record
    if call.as_json:
        return Answer(
            document={
                "tournament": tournament,
                "rounds": drawn.rounds,
                "already": drawn.already,
                "trial": drawn.trial,
                "draw": None if drawn.trial else msgspec.to_builtins(record),
                "entrants": len(record.roster),
                "tables": len(record.tables),
                "sat_out": record.sat_out,
                "provisional": drawn.provisional,
            }
        )
    if drawn.already:
        told = f"{_round_numbers(drawn.rounds)} of {tournament}: drawn already; nothing was done."
        return Answer(f"{told} Its games start with `mentat tournament start {tournament}`.", done=False)
    lines = _draw_lines(tournament, record, trial=drawn.trial)
    if drawn.provisional:
        lines.append(f"  provisional {', '.join(drawn.provisional)}: these results may change, but the draw will not.")
    return Answer(lines)


@command("tournament void-draw")
def void_draw(call: TournamentAct, tournament: TournamentId, number: DrawRound = 0) -> Answer:
    """Void a draw before its games start, so that it can be drawn again with another beacon. Everybody in it is told
    why.

    Both draws stay in the record. Change who takes part, then use `freeze` and `draw` again.

    Example: `mentat tournament void-draw cup --why "Ann was left out."`
    """
    made = drawing.void_draw(call.caller, tournament, number)
    document = {"tournament": tournament, "rounds": made.rounds, "roster_sha256": made.roster_digest}
    with call.reading() as conn:
        beacon = bool(tournaments.find_tournament(conn, tournament).settings.beacon)
    next_command = "freeze" if beacon else "draw"
    lines = [
        f"The draw of {_round_numbers(made.rounds).lower()} of {tournament} is void; its players were told.",
        f"Then: `mentat tournament {next_command} {tournament}`.",
    ]
    return Answer(lines, document)


def _draw_lines(tournament: str, record: DrawRecord, *, trial: bool) -> list[str]:
    told = [
        f"{_round_numbers(record.rounds)} of {tournament} ({record.kind}): {len(record.roster)} entrants at "
        f"{len(record.tables)} {'table' if len(record.tables) == 1 else 'tables'}."
    ]
    if record.sat_out:
        told.append(f"  sat out     {', '.join(record.sat_out)}")
    told.append(f"  cost        {_cost(record.cost)}")
    if trial:
        return [*told, "The real draw decides who sits where; a dry run uses a different seed."]
    told += [
        f"  roster      {record.roster_digest}",
        f"  beacon      {record.beacon or 'none'}",
        f"  seed        {record.seed}",
        f"  candidate   {record.candidate}",
    ]
    for each in record.tables:
        seats = ", ".join(f"{seat.entrant} {seat.faction or f'dot {seat.dot}'}" for seat in each.seats)
        told.append(f"  table {each.round}.{each.table}  {seats}")
    return told


def _round_numbers(rounds: tuple[int, ...]) -> str:
    return f"Rounds {rounds[0]} to {rounds[-1]}" if len(rounds) > 1 else f"Round {rounds[0]}"


def _cost(cost: Cost) -> str:
    named = {name: getattr(cost, name) for name in cost.__struct_fields__ if getattr(cost, name)}
    return ", ".join(f"{name} {value}" for name, value in named.items()) or "0"


@command("tournament start")
def start(
    call: TournamentAct,
    tournament: TournamentId,
    number: Annotated[int, typer.Option("--round", metavar="N", help="The round; if left out, all drawn rounds.")] = 0,
    only: Annotated[str, typer.Option(metavar="TABLE", help="Only this table, like 1.3.")] = "",
) -> Answer:
    """Start the games of the drawn tables, and mail their players. Games that have already started are not changed.

    Example: `mentat tournament start cup`
    """
    started = game_starts.start_games(call.caller, tournament, number=number, only=only)
    document = {
        "tournament": tournament,
        "started": dict(started.now),
        "already": started.before,
        "waiting": dict(started.waiting),
    }
    lines = [f"table {table} begins as {game}" for table, game in started.now]
    if started.now:
        lines.append("Their letters go out with `mentat run` or `mentat send`.")
    elif not started.waiting:
        of = len(started.before)
        lines.append(f"{f'All {of} tables have' if of > 1 else 'Its table has'} already begun; nothing was done.")
    lines += [f"table {table} waits: {reason}" for table, reason in started.waiting]
    return Answer(lines, document, failed=bool(started.waiting))


RoundNumber = Annotated[
    int, typer.Option("--round", metavar="N", min=0, help="Only this round; if left out, all that are being played.")
]
TellTables = Annotated[str, typer.Option(metavar="WORDS", help="A message to the tables, in your words.")]


@command("tournament pause")
def pause(call: TournamentAct, tournament: TournamentId, number: RoundNumber = 0, tell: TellTables = "") -> Answer:
    """Pause all tables in play. Everybody is told. For a single table, use `mentat game pause`.

    Example: `mentat tournament pause cup --tell "The mail provider is down."`
    """
    said = tell.strip()
    done = rounds.pause_tables(call.caller, tournament, number, tell=said)
    return _clocks_answer(tournament, done, "The clocks are stopped at")


@command("tournament resume")
def resume(call: TournamentAct, tournament: TournamentId, number: RoundNumber = 0, tell: TellTables = "") -> Answer:
    """Resume all paused tables. Open questions have as much time left as when the tables were paused.

    Example: `mentat tournament resume cup --round 2`
    """
    said = tell.strip()
    done = rounds.resume_tables(call.caller, tournament, number, tell=said)
    return _clocks_answer(tournament, done, "The clocks are running again at")


def _clocks_answer(tournament: str, done: Sequence[RoundTable], told: str) -> Answer:
    named = [table_name(each) for each in done]
    return Answer(f"{told} {', '.join(named)}.", {"tournament": tournament, "tables": named})


@command("tournament show")
def show(
    call: Call,
    tournament: TournamentId,
    number: Annotated[int, typer.Option("--round", metavar="N", help="Only this round.")] = 0,
    viewer: Annotated[
        str, typer.Option("--as", metavar="VIEWER", help="director, public, or an entrant by handle.")
    ] = "director",
) -> Answer:
    """Show the status of a tournament: its rounds and tables, what needs attention, and when it may end.

    Example: `mentat tournament show cup --as public`
    """
    with call.reading() as conn:
        found = tournaments.find_tournament(conn, tournament)
        seen = progress.tournament_view(conn, found, call.now, progress.find_viewer(conn, found, viewer), number)
    counted = ", ".join(f"{count} {state}" for state, count in seen["entrants"].items())
    beacon = f"beacon: {found.beacon}" if found.beacon else seen["beacon"]
    lines: list[Line] = [
        Text.assemble((found.title, "bold"), f"  {found.id}, {seen['format']}, {found.state}"),
        f"entrants: {counted or 'none'}",
        f"settings: {seen['settings_sha256']}",
        beacon,
    ]
    if you := seen.get("you"):
        lines.append(f"you: {you['handle']}, {you['state']}")
    for each in seen["rounds"]:
        lines += _round_lines(each)
    lines += [f"waits: {each['what']}{_in_brackets(each['command'])}" for each in seen.get("waits", ())]
    if seen["ends_about"]:
        lines.append(f"ends about {seen['ends_about']:%Y-%m-%d}")
    return Answer(lines, seen)


def _round_lines(each: dict[str, Any]) -> list[str]:
    ends = f", ends {each['ends']:%Y-%m-%d %H:%M}Z" if each["ends"] else ""
    lines = [f"round {each['round']}: {each['kind']}, {each['state']}{ends}"]
    for one in each["tables"]:
        seats = ", ".join(f"{seat['entrant'] or 'nobody'} {seat['faction'] or seat['dot']}" for seat in one["seats"])
        turn = f", turn {one['turn']}" if "turn" in one else ""
        won = f", won by {', '.join(one['winners']) or 'nobody'}" if "winners" in one else ""
        lines.append(f"  {one['table']}  {one['state']}{turn}{won}  {one['game']}  {seats}")
    return lines


def _in_brackets(command: str) -> str:
    return f" ({command})" if command else ""


@command("tournament list")
def list_tournaments(call: Call) -> Answer:
    """List the tournaments. Example: `mentat tournament list --json`"""
    with call.reading() as conn:
        document = [
            {
                "tournament": each.id,
                "title": each.title,
                "format": each.settings.format,
                "state": each.state,
                "entrants": len(tournaments.entrants_of(conn, each.id)),
                "ends_about": progress.forecast_end(conn, each, call.now),
            }
            for each in tournaments.all_tournaments(conn)
        ]
    if not document:
        return Answer("There is no tournament yet; begin with `mentat tournament new --example heats`.", document)
    rows = [
        (*list(row.values())[:-1], f"{row['ends_about']:%Y-%m-%d}" if row["ends_about"] else "") for row in document
    ]
    heads = ("tournament", "title", "format", "state", "entrants", "ends about")
    return Answer([table(heads, rows)], document)
