"""`mentat tournament …`, once games have started: rounds, results, substitutes, standings.

- `round|finish`: the dates of a round, the last turns of its tables and its close; the end of the tournament
- `adjudicate|amend|void|protests`: the results of tables, and changes to them
- `substitute|disqualify`: changes of players
- `standings|export|verify`: the standings of a tournament, and whether they follow from its record
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape
from rich.table import Table

from bot.archive.tournaments import tie_break_in_words
from bot.cli.options import Seat, TournamentAct, TournamentCall, TournamentId
from bot.cli.session import WRONG_USE, Answer, Call, Line, Listing, command, fail, print_any, read_bytes
from bot.cli.tournaments import amend_settings
from bot.competition.credits import APART
from bot.competition.outcomes import WAYS_TO_WIN, TableOutcome
from bot.competition.published import Standing, encode_published
from bot.competition.standings import Following, NextRound, stages_reached, standings_of_published
from bot.store import tournaments
from bot.store.publication import published_tournament
from bot.store.tournament_rounds import Round
from bot.tournament import adjudication, entries, progress, results, rounds, substitutes
from bot.tournament.desk import Caller, entrants_by_number, table_name
from bot.tournament.results import Amendment, ResultChanges, result_in_words
from bot.wording import say
from bot.wording.filters import plural
from rules.components import FACTION_FACTS, Faction, as_faction, the_faction

if TYPE_CHECKING:
    from bot.competition.published import Published
    from bot.competition.verification import ProvedEnd


ROUND_VERBS = ("show", "extend", "notice", "close")


@command("tournament round")
def round_command(
    call: TournamentAct,
    tournament: TournamentId,
    words: Annotated[
        list[str] | None,
        typer.Argument(metavar="[N] show|extend HOURS|notice [TABLE]|close", help="Which round, and what to do."),
    ] = None,
    last_turn: Annotated[
        int,
        typer.Option("--last-turn", metavar="T", min=0, max=15, help="For notice: the turn to announce as the last."),
    ] = 0,
) -> Answer:
    """Show a round, give it more time, tell its tables which turn is their last, or close it. Without N, the command
    applies to the round in play.

    `show` without N shows all rounds in play. If several rounds are in play, the other actions need N or a table.

    Example: `mentat tournament round cup show`, `mentat tournament round cup 2 extend 48`,

    `mentat tournament round cup notice 2.3 --last-turn 8`, `mentat tournament round cup 2 close`
    """
    number, verb, rest = _read_words(words or [])
    if bool(last_turn) != (verb == "notice"):
        fail("Only notice takes --last-turn T, and notice requires it.", WRONG_USE)
    if verb == "extend":
        found = rounds.extend_round(call.caller, tournament, number, _hours(rest))
        said = f"Round {found.number} ends {_at(found.ends)}; its players are told."
        return Answer(said, {"tournament": tournament, "round": found.number, "ends": found.ends})
    if verb == "notice":
        told = rounds.announce_last_turn(call.caller, tournament, number, rest[0] if rest else "", last_turn)
        named = [table_name(each) for each in told]
        said = f"Turn {last_turn} is the last at {', '.join(named)}." if named else "All tables have already been told."
        return Answer(said, {"tournament": tournament, "tables": named, "last_turn": last_turn})
    if verb == "close":
        return _closed(tournament, rounds.close_round(call.caller, tournament, number))
    return _round_listing(call, tournament, number)


@command("tournament finish")
def finish(call: TournamentAct, tournament: TournamentId) -> Answer:
    """End a tournament whose rounds are closed, such as a ladder. Its secret is published, and everybody is told.

    Example: `mentat tournament finish cup --why "The season is over."`
    """
    progress.finish_tournament(call.caller, tournament)
    told = f"{tournament} is finished, and its secret is published."
    return Answer(told, {"tournament": tournament, "state": "finished"})


def _read_words(words: list[str]) -> tuple[int, str, list[str]]:
    said = list(words)
    number = int(said.pop(0)) if said and said[0].isascii() and said[0].isdecimal() else 0
    verb = said.pop(0) if said else "show"
    most = {"show": 0, "extend": 1, "notice": 1, "close": 0}.get(verb)
    if most is None or len(said) > most or (verb == "extend" and not said):
        fail(
            f"Write `mentat tournament round ID [N] {'|'.join(ROUND_VERBS)}`: extend with its hours (`extend 48`), "
            "notice with a table or none (`notice 2.3 --last-turn 8`).",
            WRONG_USE,
        )
    return number, verb, said


def _hours(rest: list[str]) -> float:
    try:
        return float(rest[0])
    except ValueError:
        fail(f"HOURS: {rest[0]!r} is not a number of hours.", WRONG_USE)


def _closed(tournament: str, comes: Following | None) -> Answer:
    if isinstance(comes, NextRound):
        said = f"Next comes a {comes.kind} for {len(comes.who)}: `mentat tournament draw {tournament}`."
    elif comes == "finished":
        said = "This was the last round: the tournament is finished as soon as its results are final."
    elif comes is None:
        said = "The round was already closed; nothing was done."
    else:
        waits = ", ".join(map(str, comes.rounds))
        said = f"The next round waits for round {waits}." if waits else "The next round waits for enough free players."
    who = comes.who if isinstance(comes, NextRound) else ()
    kind = comes.kind if isinstance(comes, NextRound) else None
    return Answer(said, {"tournament": tournament, "next": kind, "who": who, "says": said})


def _round_listing(call: Call, tournament: str, number: int) -> Listing:
    with call.reading() as conn:
        made = tournaments.find_tournament(conn, tournament)
        found = [
            rounds.round_status(conn, made, each)
            for each in ([number] if number else rounds.rounds_in_play(conn, made))
        ]
    told = [{"tournament": tournament, **_round_json(*each)} for each in found]
    document = told[0] if number else {"tournament": tournament, "rounds": told}
    return Listing([line for each in found for line in _round_lines(*each)], document)


def _round_json(found: Round, tables: list[rounds.TableStatus]) -> dict[str, Any]:
    return {
        "round": found.number, "kind": found.kind, "state": found.state, "opens": found.opens, "ends": found.ends,
        "noticed_at": found.noticed_at,
        "tables": [
            {"table": table_name(each.table), "game": each.table.game_id, "state": each.table.state, "turn": each.turn,
             "last_turn": each.table.last_turn, "stands_still": each.still, "ends": each.ends,
             "result": result_in_words(each.result.outcome) if each.result else None,
             "result_state": each.result.state if each.result else None} for each in tables],
    }  # fmt: skip


def _round_lines(found: Round, tables: list[rounds.TableStatus]) -> list[str]:
    lines = [f"Round {found.number} ({found.kind}) is {found.state}; it ends {_at(found.ends)}."]
    for each in tables:
        told = f", last turn {each.table.last_turn}" if each.table.last_turn else ""
        still = ", clock stopped" if each.still else ""
        own = f", ends {_at(each.ends)}" if each.table.deadline else ""
        kept = f": {result_in_words(each.result.outcome)} ({each.result.state})" if each.result else ""
        turn = f", turn {each.turn}" if each.turn else ""
        lines.append(
            f"  {table_name(each.table)}  {each.table.game_id or '-'}  {each.table.state}{turn}{told}{still}{own}{kept}"
        )
    return lines


def _at(when: datetime | None) -> str:
    return f"{when:%Y-%m-%d %H:%M}Z" if when else "at no set time"


TableNumber = Annotated[str, typer.Argument(metavar="TABLE", help="A table, like 1.3 (the third of round 1).")]
Winners = Annotated[
    list[str] | None,
    typer.Option("--winners", metavar="FACTION", help="A winner (may be repeated), or several with commas."),
]


@command("tournament adjudicate")
def adjudicate(
    call: TournamentAct,
    tournament: TournamentId,
    table: TableNumber,
    rule: Annotated[str, typer.Option("--rule", help="stopped (the public board) or agreed (a vote).")] = "",
    winners: Winners = None,
) -> Answer:
    """Decide a table whose game is still in play, either by the public board or by a vote of all its seats. If you do
    not name the rule, two arbiters are asked by mail.

    Example: `mentat tournament adjudicate cup 1.3 --rule stopped --why "The round has ended."`
    """
    if rule not in ("", "stopped", "agreed"):
        fail(f"--rule: {rule!r} is neither stopped nor agreed.", WRONG_USE)
    named: adjudication.Rule = "stopped" if rule == "stopped" else "agreed" if rule else ""
    finding = adjudication.Finding(named, read_factions(winners))
    done = adjudication.adjudicate(call.caller, tournament, table, finding)
    where = table_name(done.table)
    document = {
        "tournament": tournament,
        "table": where,
        "votes_until": done.votes_until,
        "asked": done.asked,
        "result": _outcome_json(done.result.outcome) if done.result else None,
        "board": [_side(side) for side in done.board.sides] if done.board else None,
    }
    if done.votes_until:
        told = f"All seats of table {where} can vote until {done.votes_until:%Y-%m-%d %H:%M}Z."
        return Answer(told, document)
    if done.asked:
        return Answer(f"Two arbiters have been asked by mail about table {where}; they decide if they agree.", document)
    lines = [f"Table {where}: {result_in_words(done.result.outcome)}."] if done.result else []
    for side in done.board.sides if done.board else ():
        lines.append(
            f"  {' + '.join(side.members)}: {side.held} of {side.needed} strongholds, {side.tokens} tokens there, "
            f"place {side.order} in the storm order"
        )
    return Answer(lines, document)


@command("tournament amend")
def amend(
    call: TournamentAct,
    tournament: TournamentId,
    what: Annotated[str, typer.Argument(metavar="TABLE|settings", help="A table, like 1.3, or settings.")],
    file: Annotated[Path | None, typer.Argument(metavar="[FILE]", help="The new settings.")] = None,
    winners: Winners = None,
    kind: Annotated[str, typer.Option("--kind", help=" ".join(WAYS_TO_WIN) + ".")] = "",
    turn: Annotated[int | None, typer.Option("--turn", min=1, max=15, help="The turn in which it ended.")] = None,
    strongholds: Annotated[
        list[str] | None, typer.Option("--strongholds", metavar="FACTION=N", help="What a faction held at the end.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Change tie-breaks or scoring after a draw.")] = False,
) -> Answer:
    """Enter a new version of a table's result, or change the settings. Everybody concerned is told why.

    Example: `mentat tournament amend cup 1.3 --winners guild --kind default --why "The last turn was not counted."`

    `mentat tournament amend cup settings cup.toml --why "The rounds are ten days longer."` changes the settings.
    """
    if what == "settings":
        if file is None:
            fail(f"Write `mentat tournament amend {tournament} settings FILE --why …`.", WRONG_USE)
        return amend_settings(call, tournament, file, force=force)
    if file is not None:
        fail(f"{file}: only `mentat tournament amend {tournament} settings FILE` takes a file.", WRONG_USE)
    if kind and kind not in WAYS_TO_WIN:
        fail(f"--kind: {kind!r} is not one of {', '.join(WAYS_TO_WIN)}.", WRONG_USE)
    changes = ResultChanges(
        winners=() if kind == "void" and winners is None else read_factions(winners) if winners is not None else None,
        kind=kind or None,
        turn=turn,
        strongholds=_numbers(strongholds or ()),
    )
    done = results.amend_result(call.caller, tournament, what, changes)
    return _amended(tournament, done)


@command("tournament void")
def void(
    call: TournamentAct,
    tournament: TournamentId,
    table: TableNumber,
    replay: Annotated[bool, typer.Option("--replay", help="Play another game with the same seats.")] = False,
) -> Answer:
    """Void a table, so that its result no longer counts. With --replay, `mentat tournament start` then starts another
    game with the same seats.

    Example: `mentat tournament void cup 1.3 --replay --why "Its first letters were lost."`
    """
    done = results.void_table(call.caller, tournament, table, replay=replay)
    return _amended(tournament, done)


@command("tournament protests")
def list_protests(
    call: TournamentCall,
    tournament: TournamentId,
    number: Annotated[int, typer.Argument(metavar="[NUMBER]", help="The protest to decide.")] = 0,
    dismiss: Annotated[bool, typer.Option("--dismiss", help="Dismiss the protest: the result stays as it is.")] = False,
) -> Answer:
    """Show the protests that are waiting for a decision, or dismiss one. `amend` and `void` also settle the protests
    about their table.

    Example: `mentat tournament protests cup`, `mentat tournament protests cup 7 --dismiss --why "The storm was right."`
    """
    if dismiss != bool(number):
        fail("Write `mentat tournament protests ID NUMBER --dismiss --why …`, or no number to see them.", WRONG_USE)
    if dismiss:
        results.dismiss_protest(Caller(call.open_games, call.now, call.by), tournament, number)
        told = f"Protest {number} is dismissed; the player who filed it is told why."
        return Answer(told, {"tournament": tournament, "protest": number, "state": "dismissed"})
    with call.reading() as conn:
        tournaments.find_tournament(conn, tournament)
        waiting = results.undecided_protests(conn, tournament)
        known = entrants_by_number(conn, tournament)
    document = [
        {
            "number": paper.id,
            "table": f"{paper.round}.{paper.table}",
            "entrant": known[paper.entrant].handle,
            "at": paper.at,
            "text": paper.words,
        }
        for paper in waiting
    ]
    lines = [
        f"{paper.id:4}  table {paper.round}.{paper.table}  {known[paper.entrant].handle}  {paper.words}"
        for paper in waiting
    ]
    return Answer(lines or ["No protests are waiting."], document)


def read_factions(said: Sequence[str] | None) -> tuple[Faction, ...]:
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
        held[read_factions([name])[0]] = int(number)
    return held


def _amended(tournament: str, done: Amendment) -> Answer:
    outcome = done.result.outcome
    document = {
        "tournament": tournament,
        "result": _outcome_json(outcome),
        "again": table_name(done.again) if done.again else None,
        "would_have_differed": [
            {
                "round": each.round,
                "would_have": each.would_have,
                "would_not": each.would_not,
                "elsewhere": each.elsewhere,
            }
            for each in done.differs
        ],
    }
    lines = [f"Table {outcome.round}.{outcome.table}, version {outcome.version}: {result_in_words(outcome)}."]
    if done.again:
        lines.append(f"It will be replayed as table {table_name(done.again)}: `mentat tournament start {tournament}`.")
    lines += [each.words[:1].upper() + each.words[1:] + "." for each in done.differs]
    return Answer(lines, document)


def _outcome_json(outcome: TableOutcome) -> dict[str, Any]:
    return {
        "table": f"{outcome.round}.{outcome.table}",
        "game": outcome.game,
        "version": outcome.version,
        "kind": outcome.kind,
        "winners": outcome.winners,
        "turn": outcome.turn,
    }


def _side(side: Any) -> dict[str, Any]:
    return {
        "members": side.members,
        "needed": side.needed,
        "held": side.held,
        "deficit": side.deficit,
        "tokens": side.tokens,
        "order": side.order,
    }


@command("tournament substitute")
def substitute(
    call: TournamentAct,
    tournament: TournamentId,
    table: TableNumber,
    faction: Seat,
    entrant: Annotated[str, typer.Argument(metavar="[ENTRANT]", help="Who takes the seat, like E050.")] = "",
) -> Answer:
    """Give a seat to a standby. If you do not name one, the next suitable standby is asked, and the caretaker plays
    until one accepts.

    Example: `mentat tournament substitute cup 1.3 guild E050 --why "Nothing was heard of them for a week."`
    """
    filled = substitutes.substitute(call.caller, tournament, table, faction, entrant)
    seated, asked = filled.seated, filled.asked
    document = {
        "tournament": tournament,
        "table": table_name(filled.table),
        "faction": faction,
        "seated": seated.handle if seated else None,
        "asked": asked.handle if asked else None,
        "until": filled.until,
    }
    where = f"{the_faction(filled.faction)} at table {table_name(filled.table)}"
    if seated:
        said = f"{seated.handle} now plays {where}."
    elif asked:
        said = f"{asked.handle} has been asked to take over {where}, by {filled.until:%Y-%m-%d %H:%M}Z."
    else:
        said = f"No standby is suitable; the caretaker plays {where}."
    return Answer(said, document)


@command("tournament disqualify")
def disqualify(
    call: TournamentAct,
    tournament: TournamentId,
    entrant: Annotated[str, typer.Argument(metavar="ENTRANT", help="The entrant, like E012.")],
) -> Answer:
    """Disqualify an entrant. Their results stay in the record but score nothing. The results of their opponents do not
    change.

    Example: `mentat tournament disqualify cup E012 --why "They wrote to another table about its game."`
    """
    out = entries.disqualify(call.caller, tournament, entrant)
    document = {"tournament": tournament, "handle": out.handle, "state": "disqualified"}
    return Answer(f"{out.handle} is out of {tournament}.", document)


EXPORT_VIEWERS = ("everybody", "entrant", "directors")

FORMAT_BY_ENDING = {".csv": "csv", ".md": "markdown", ".bbcode": "bbcode"}


@command("tournament standings")
def standings(
    call: Call,
    tournament: TournamentId,
    after: Annotated[int | None, typer.Option(min=1, metavar="N", help="The standings after round N.")] = None,
    provisional: Annotated[
        bool, typer.Option("--provisional", help="Include results against which somebody may still protest.")
    ] = False,
    why: Annotated[str, typer.Option("--why", metavar="E012", help="Explain each number of this entrant.")] = "",
) -> Answer:
    """Show the standings: how far each entrant has come, and which tie-break separates each entrant from the next.

    Example: `mentat tournament standings cup --after 2 --why E012`
    """
    published = _published(call, tournament)
    if after is not None and after not in {one.number for one in published.rounds}:
        fail(f"{tournament} has no round {after} yet.")
    rows = standings_of_published(published, after=after, confirmed_only=not provisional)
    handle = why.strip().upper()
    if handle and handle not in {row.entrant for row in rows}:
        fail(f"{why.strip()[:20]!r} is not in the standings of {tournament}.")
    left = 0 if provisional else sum(one.state == "provisional" for one in published.results)
    stages = _stages(rows)
    shown = [_standing_json(row, stages.get(row.entrant, "")) for row in rows if handle in ("", row.entrant)]
    document = {
        "tournament": tournament,
        "after": after,
        "provisional": provisional,
        "standings": shown,
        "left_out": left,
        "still_playing": published.still_playing,
    }
    names = {one.handle: one.name for one in published.entrants}
    lines = list(_explanation(rows, handle, names) if handle else _standings_lines(rows, names))
    if published.tie_breaks_changed:
        lines.append(f"After the first draw: {published.tie_breaks_changed}")
    if left:
        are = "result is" if left == 1 else "results are"
        lines.append(f"{left} provisional {are} not counted; --provisional counts them.")
    if published.still_playing:
        lines.append(f"still playing: {published.still_playing}")
    return Answer(lines, document)


@command("tournament export")
def export(
    call: Call,
    tournament: TournamentId,
    file: Annotated[
        Path | None, typer.Argument(metavar="[FILE]", help="Where to write it; if left out, standard output.")
    ] = None,
    format: Annotated[
        str,
        typer.Option(
            "--format",
            metavar="F",
            help="json, csv, results-csv, markdown or bbcode; if left out, by the ending of FILE, or json.",
        ),
    ] = "",
    viewer: Annotated[
        str, typer.Option("--for", metavar="WHO", help="Who may read it: everybody, entrant or directors.")
    ] = "everybody",
) -> Answer | None:
    """Write everything that is published about a tournament: as JSON, which anybody can verify, as CSV (standings or
    results), or as a post for a forum.

    Example: `mentat tournament export cup cup.json`
    """
    from bot.archive.tournaments import FORMATS, export_tournament

    ending = file.suffix.lower() if file else ""
    wanted = format or FORMAT_BY_ENDING.get(ending, "json")
    known = next((one for one in FORMATS if one == wanted), None)
    if known is None:
        fail(f"--format: {format!r} is not one of {', '.join(FORMATS)}.", WRONG_USE)
    published = _published(call, tournament, viewer)
    data = export_tournament(published, known)
    if file is None:
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
        return None
    beside = file.with_name(f".{file.name}.new")
    try:
        beside.write_bytes(data)
        os.replace(beside, file)
    except OSError as error:
        beside.unlink(missing_ok=True)
        fail(f"{file} cannot be written: {error.strerror}.", WRONG_USE)
    told = f"wrote {file}: {len(data)} bytes; its checksum is {published.sum}"
    return Answer(told, {"tournament": tournament, "file": str(file), "format": known, "sum": published.sum})


@command("tournament verify")
def verify(
    call: Call,
    what: Annotated[str, typer.Argument(metavar="ID|FILE", help="A tournament's id, or an export of a tournament.")],
    records: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="A folder with the records of its games, at any depth.")
    ] = None,
    said_sum: Annotated[
        str, typer.Option("--sum", metavar="HEX", help="The checksum from a letter: of a round, or of everything.")
    ] = "",
) -> Answer:
    """Recompute the draws, points, places and ratings of a tournament, and compare its winners with the records of its
    games.

    If anything differs, the command names the first difference and the exit status is 1. Without the records of the
    games (`game.jsonl`, from the archive) it cannot check the winners, and says so.

    Example: `mentat tournament verify cup.json --records archive/game`
    """
    from bot.competition.verification import verify as verified

    data, name = _bytes_to_check(call, what)
    found = verified(data, _ends_by_records(records) if records else {}, said_sum.strip().lower())
    notes = list(found.notes)
    document = {
        "checked": name, "right": not found.difference, "difference": found.difference, "notes": notes,
        "proved": found.proved, "won": found.won, "trust": found.trust,
    }  # fmt: skip
    if found.difference:
        return Answer(notes, document, problems=[found.difference])
    lines = [
        f"Recomputed from {name}: settings, draws, points, places and ratings.",
        f"Proved by records: the winners of {found.proved} of {plural(found.won, 'table')}.",
        f"Taken on trust: {'; '.join(found.trust) or 'nothing'}.",
    ]
    return Answer([*notes, *lines], document)


def _ends_by_records(folder: Path) -> dict[str, ProvedEnd]:
    """Read all records below a folder, replay them, and return how each game ended. The replay is necessary because a
    whole record could be invented."""
    from bot.competition.verification import ProvedEnd
    from bot.record.reader import NotARecord, difference_from_rules, read_record

    if not folder.is_dir():
        fail(f"--records: there is no folder {folder}.", WRONG_USE)
    found = {}
    for path in sorted((*folder.rglob("*.jsonl"), *folder.rglob("*.jsonl.gz"))):
        try:
            record = read_record(read_bytes(path))
        except NotARecord as error:
            fail(f"{path} is not a record: {error}")
        if difference := difference_from_rules(record):
            fail(f"{path} fails verification: {difference}")
        assert record.end is not None, "a complete record has an end"
        found[record.chain_head] = ProvedEnd(record.end.winners, record.end.turn)
    return found


def _published(call: Call, tournament: str, viewer: str = "everybody") -> Published:
    whom = next((one for one in ("everybody", "entrant", "directors") if one == viewer), None)
    if whom is None:
        fail(f"--for: {viewer!r} is not one of {', '.join(EXPORT_VIEWERS)}.", WRONG_USE)
    with call.reading() as conn:
        return published_tournament(conn, tournament, call.now, whom)


def _bytes_to_check(call: Call, what: str) -> tuple[bytes, str]:
    path = Path(what)
    if path.is_file():
        return read_bytes(path), what
    if path.suffix or len(path.parts) > 1:
        fail(f"There is no file {what}.", WRONG_USE)
    return encode_published(_published(call, what)), what


def print_standings(rows: tuple[Standing, ...], names: dict[str, str]) -> None:
    for line in _standings_lines(rows, names):
        print_any(line)


def _standings_lines(rows: tuple[Standing, ...], names: dict[str, str]) -> Iterator[Line]:
    if not rows:
        yield "Nobody is in the standings yet."
        return
    shown = Table(box=None, pad_edge=False)
    stages = _stages(rows)
    for column in ("place", "entrant", *(("stage",) if stages else ()), "points", "before the next by"):
        shown.add_column(column, justify="right" if column in ("place", "points") else "left", overflow="fold")
    for row in rows:
        who = escape(_who(row.entrant, names))
        stage = (stages.get(row.entrant, ""),) if stages else ()
        shown.add_row(
            str(row.rank), who, *stage, row.points, tie_break_in_words(row.parted_by) if row.parted_by else ""
        )
    yield shown
    there = {one.stage for one in stages_reached(rows).values()}
    if apart := " or the ".join(kind for kind in APART if kind in there):
        told = f"Everybody who reached the {apart} is ranked first, by their results there"
        yield f"{told}; points are from the earlier rounds."


def _stages(rows: tuple[Standing, ...]) -> dict[str, str]:
    return {
        handle: say("tournaments.stage", stage=one.stage, place=one.place)
        for handle, one in stages_reached(rows).items()
    }


def _explanation(rows: tuple[Standing, ...], handle: str, names: dict[str, str]) -> Iterator[Line]:
    place = next(number for number, row in enumerate(rows) if row.entrant == handle)
    row = rows[place]
    stage = _stages(rows).get(handle, "")
    yield f"{row.rank}. {_who(handle, names)}: {f'{stage}, ' if stage else ''}{row.points} points"
    yield from (f"  {term.value:>8}  {term.what}" for term in row.made_of)
    yield ", ".join(f"{tie_break_in_words(key)} {value}" for key, value in row.keys if value and key != "lot")
    if place:
        yield _parted(rows[place - 1], row, names)
    if place + 1 < len(rows):
        yield _parted(row, rows[place + 1], names)


def _parted(one: Standing, other: Standing, names: dict[str, str]) -> str:
    key = one.parted_by
    mine, theirs = dict(one.keys).get(key, one.points), dict(other.keys).get(key, other.points)
    said = f"{_who(one.entrant, names)} is ahead of {_who(other.entrant, names)} by {tie_break_in_words(key)}"
    return said if key == "lot" else f"{said}: {mine or '–'} against {theirs or '–'}"


def _who(handle: str, names: dict[str, str]) -> str:
    name = names.get(handle, "")
    return f"{name} ({handle})" if name else handle


def _standing_json(row: Standing, stage: str) -> dict[str, object]:
    return {
        "place": row.rank,
        "entrant": row.entrant,
        "stage": stage,
        "points": row.points,
        "parted_by": row.parted_by,
        "keys": dict(row.keys),
        "made_of": [{"what": term.what, "value": term.value} for term in row.made_of],
    }
