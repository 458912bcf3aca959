"""`mentat run`; single passes of the work that it does (`poll`, `tick`, `send`, `deliver`); and the stored mail
(`mentat mail list|show|replay|resend|delete`)."""

from __future__ import annotations

import logging
import sys
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Annotated

import typer

from bot.cli.options import Game, Seat
from bot.cli.session import (
    WRONG_USE,
    Answer,
    Call,
    command,
    fail,
    instant,
    print_line,
    read_bytes,
    refuse_if_held,
    table,
)
from bot.games import retention, silent_players
from bot.games.identity import MailOutcome
from bot.games.proof import check_running_games
from bot.mail.disposition import examine
from bot.mail.message import route_of
from bot.monitoring import logs
from bot.service import loop
from bot.service.machine import utc_now
from bot.service.mail_servers import open_mailbox, open_transport
from bot.service.outbox import Outbox
from bot.store import games, mail
from bot.store import retention as kept_mail
from bot.store.database import is_url
from bot.store.installation import only_one
from bot.store.retention import KeptMessage, MessageFilter
from bot.wording.filters import plural
from rules.components import the_faction


@command("run", without="as_json")
def run(
    call: Call,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Log each message.")] = False,
    workers: Annotated[str, typer.Option(hidden=True, metavar="N", help="No longer supported.")] = "",
) -> None:
    """Run the service until it is stopped: mailbox, deadlines, reminders, outbox. Several processes on one PostgreSQL
    database share the work. Example: `mentat run --config ~/dune/config.toml`"""
    if workers:
        fail(
            "`mentat run` is one process and has no --workers: start several on one PostgreSQL database with the "
            "template unit (`systemctl enable --now mentat@1 mentat@2`) or with `docker compose up --scale mentat=2`, "
            "as docs/operating.md says under “Workers”.",
            WRONG_USE,
        )
    try:
        logs.begin(call.settings.log, verbose=verbose)
    except OSError as error:
        fail(f"[log] file: {call.settings.log.file} cannot be written ({error.strerror}).", WRONG_USE)
    if is_url(call.settings.database_place):
        _run_beside_others(call)
        return
    with only_one(call.engine, "running"):
        _require_ready(call)
        running = loop.Service(call.moderator, open_mailbox(call.settings), open_transport(call.settings))
        running.stop_on_signals()
        _tell_that_it_runs(call)
        running.run()


def _run_beside_others(call: Call) -> None:
    from bot.service import workers

    name = workers.new_name()
    logs.this_process_is(name)
    refuse_if_held(call)
    workers.may_begin(call.engine)
    _check(call)
    _tell_that_it_runs(call)
    workers.work(call.moderator, name)


def _tell_that_it_runs(call: Call) -> None:
    print_line(f"Mentat is running as {call.settings.mentat.address}; stop it with Ctrl-C.")


@command("poll")
def poll(call: Call) -> Answer:
    """Fetch and process new mail. Read the forums, and post what is due in them.

    Example: `mentat poll`, or in a crontab `*/5 * * * * mentat poll && mentat tick && mentat send`
    """
    _require_ready(call)
    mailbox = open_mailbox(call.settings)
    try:
        polled = loop.poll(call.moderator, mailbox)
    finally:
        mailbox.close()
    _look_after_forums(call)
    told = f"{plural(polled.messages, 'message')} processed, {polled.shunted} of them put aside"
    return Answer(told, {"messages": polled.messages, "shunted": polled.shunted})


def _look_after_forums(call: Call) -> None:
    if watch := loop.watch_of(call.moderator):
        loop.look_after_forums(watch, call.engine, utc_now())


@command("tick")
def tick(
    call: Call,
    now: Annotated[str, typer.Option(metavar="ISO", help="The time to use instead of the current time.")] = "",
    game: Annotated[str, typer.Option(metavar="ID", help="Let time pass for this game only.")] = "",
) -> Answer:
    """Apply due defaults, write due reminders, and update the archive.

    Examples: `mentat tick --now 2026-11-24T20:00:00Z`, `mentat tick --now 2026-12-01 --game tryout`
    """
    _require_ready(call)
    moment = instant("--now", now) if now else call.now
    if game:
        with call.reading() as conn:
            games.revision(conn, game)  # raises UnknownGame
    timekeeper = call.moderator.timekeeper
    moved = timekeeper.tick(moment, game) if game or now else timekeeper.tick_now(moment)
    logs.write_counts(call.engine)
    if not game and call.settings.archive.folder is not None:
        from bot.service.publisher import publisher_for  # imports everything that makes pages

        publisher_for(call.settings, call.engine).look(moment)
    if not game and not now:
        _look_after_forums(call)
    return Answer(f"{plural(moved, 'game')} moved on", {"games": moved})


@command("send")
def send(call: Call) -> Answer:
    """Send the letters in the outbox.

    Example: `mentat send`
    """
    refuse_if_held(call)
    transport = open_transport(call.settings)
    try:
        sent = loop.send(Outbox(call.open_games), transport, call.now)
    finally:
        transport.close()
    told = f"{plural(sent.sent, 'letter')} sent, {sent.deferred} to be tried again, {sent.refused} refused"
    document = {"sent": sent.sent, "deferred": sent.deferred, "refused": sent.refused}
    return Answer(told, document, failed=bool(sent.deferred or sent.refused))


@command("deliver")
def deliver(
    call: Call,
    files: Annotated[list[Path], typer.Argument(metavar="FILE.eml…", help="Message files; - is standard input.")],
) -> Answer:
    """Process message files exactly as if they had been fetched from the mailbox.

    Example: `mentat deliver order.eml`
    """
    _require_ready(call)
    verdicts = []
    for file in files:
        verdicts.append({"file": str(file), **_verdict_json(call.moderator.deliver(read_bytes(file), utc_now()))})
    return Answer([f"{told['file']}: {told['disposition']} ({told['reason']})" for told in verdicts], verdicts)


def _verdict_json(verdict: MailOutcome) -> dict[str, object]:
    return {
        "disposition": verdict.disposition,
        "reason": verdict.reason,
        "game": verdict.game_id,
        "faction": verdict.faction,
        "taken": verdict.taken,
    }


def _require_ready(call: Call) -> None:
    refuse_if_held(call)
    _check(call)


def _check(call: Call) -> None:
    for problem in check_running_games(call.open_games, utc_now()):
        logging.error("%s", problem, extra=logs.about("game.held"))


MessageNumber = Annotated[
    int, typer.Argument(metavar="ID", help="The number of a message, as `mentat mail list` shows it.")
]


@command("mail list")
def list_messages(
    call: Call,
    game: Annotated[str, typer.Option(help="Only messages about this game.")] = "",
    faction: Annotated[str, typer.Option(help="Only messages from this seat.")] = "",
    since: Annotated[str, typer.Option(metavar="ISO", help="Only messages received at this time or later.")] = "",
    disposition: Annotated[str, typer.Option(help="orders, empty, auto-reply, bounce, rejected, fault, …")] = "",
    most: Annotated[int, typer.Option(help="Show at most this many, the newest.")] = 100,
) -> Answer:
    """List the messages that were received, without their text.

    Example: `mentat mail list --game sietch-12 --since 2026-11-24 --disposition rejected`
    """
    wanted = MessageFilter(game, faction, disposition, _read_instant(since) if since else None, most)
    with call.reading() as conn:
        found = kept_mail.list_messages(conn, wanted)
    document = [_message_json(message) for message in found]
    if not found:
        return Answer("There is no such message.", document)
    heads = ("id", "came", "outcome", "from", "subject", "why")
    rows = [
        (each.id, f"{each.received_at:%d %b %H:%M}", each.disposition, each.sender, each.subject, each.reason)
        for each in found
    ]
    return Answer([table(heads, rows)], document)


@command("mail show")
def show_message(
    call: Call,
    number: MessageNumber,
    raw: Annotated[bool, typer.Option("--raw", help="Show the message as it came, byte for byte.")] = False,
) -> Answer | None:
    """Show one message: its outcome, the times at which it was written, received by each server and read here, and the
    lines that Mentat found in it. Do not use this if you are playing in the game yourself.

    Example: `mentat mail show 41`, or `mentat mail show 41 --raw > puzzling.eml`
    """
    with call.reading() as conn:
        message, content = _only_message(kept_mail.kept_message(conn, number), number)
        if message.game:
            games.require_sight(conn, message.game)
        if raw:
            _require_content(content, number)
            sys.stdout.buffer.write(content)
            sys.stdout.buffer.flush()
            return None
        seen = examine(
            content,
            call.settings.mentat.address,
            lambda code: mail.form_lines(conn, code),
            sent_letter=lambda message_id: mail.letter_named(conn, message_id),
        )
    lines = [line for section in seen.reading.sections for line in section.lines] if content else []
    came = f"{message.received_at:%Y-%m-%d %H:%M} UTC"
    told = [
        f"message {message.id}, {came}, from {message.sender or 'nobody'}: {message.subject}",
        f"{message.disposition}: {message.reason}" if message.reason else message.disposition,
    ]
    if message.game:
        told.append(f"{message.game}, {message.faction}")
    way = _way(content, seen.incoming.date if seen.incoming else None, message.received_at) if content else []
    told += [f"{at:%Y-%m-%d %H:%M:%S} UTC: {what}" if at else f"at an unknown time: {what}" for what, at in way]
    told += [f"  {line}" for line in lines] if content else ["It was deleted; Mentat keeps only the fact that it came."]
    notes = list(seen.reading.notes) if content else []
    document = [{"what": what, "at": at.isoformat() if at else None} for what, at in way]
    return Answer(told, {**_message_json(message), "lines": lines, "notes": notes, "way": document})


def _way(content: bytes, written: datetime | None, read: datetime) -> list[tuple[str, datetime | None]]:
    stations = [(f"received by {each.server or 'a server'}", each.at) for each in route_of(content)]
    told = [("written, as its sender says", written)] if written else []
    return [*told, *stations, ("read here", read)]


@command("mail replay")
def replay(
    call: Call,
    number: MessageNumber,
    believe: Annotated[
        bool, typer.Option("--believe", help="Accept it as written by the player of the seat that it names.")
    ] = False,
) -> Answer:
    """Process a quarantined message again as if it had just come, after you have fixed the problem or given its sender
    a seat.

    With `--believe` the message counts for the seat that it names (or for its sender's only seat), even if it came from
    a different or unverified address. A message that has been accepted is not accepted a second time.

    Example: `mentat mail replay 41 --believe`
    """
    with call.reading() as conn:
        message, content = _only_message(kept_mail.kept_message(conn, number), number)
    _require_content(content, number)
    with call.reading() as conn:
        whole = kept_mail.is_whole(conn, number)
    if message.disposition not in mail.PUT_ASIDE:
        fail(f"Message {number} was processed before ({message.disposition}); no mail is processed twice.")
    if not whole:
        fail(f"Only the headers of message {number} were kept; move it back into the inbox from the mailbox's folder.")
    key = f"replay:{number}:{call.now.isoformat()}"
    verdict = call.moderator.receive(content, key, call.now, comes_again=False, believed=believe)
    told = f"message {number}: {verdict.disposition} ({verdict.reason})"
    if verdict.faction and verdict.disposition == "orders":
        taken = f"{plural(verdict.taken, 'line')} of {the_faction(verdict.faction)} in {verdict.game_id} taken"
        told = f"{told}; {taken}"
    failed = verdict.disposition in (*mail.PUT_ASIDE, "duplicate", "waiting")
    return Answer(told, {"id": number, **_verdict_json(verdict)}, failed=failed)


@command("mail resend")
def resend(call: Call, game: Game, faction: Seat) -> Answer:
    """Resend the letters that were written to a player since their last mail. The player counts as reachable until one
    of these letters bounces.

    Example: `mentat mail resend sietch-12 harkonnen`
    """
    try:
        count = silent_players.send_letters_again(call.open_games, game, faction, call.now)
    except KeyError:
        fail(f"Nobody plays {the_faction(faction)} in {game}.", WRONG_USE)
    told = f"{count} letters will go out again with `mentat run` or `mentat send`."
    return Answer(told, {"game": game, "faction": faction, "letters": count})


@command("mail delete")
def delete_mail(
    call: Call,
    number: Annotated[int, typer.Argument(metavar="[ID]", help="The message to delete.")] = 0,
    person: Annotated[str, typer.Option(metavar="ADDRESS", help="Or: all messages of a person, and their name.")] = "",
    older_than: Annotated[int, typer.Option(metavar="DAYS", help="Or: everything that is older.")] = 0,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say how much would be deleted.")] = False,
) -> Answer:
    """Delete what people wrote and who they are. The games are kept and can still be verified. This cannot be undone.

    A person who is still playing must be replaced first. Folders on the mail server are not changed. Examples:
    `mentat mail delete 41`, `mentat mail delete --person ann@example.org --dry-run`,
    `mentat mail delete --older-than 365`
    """
    if sum(map(bool, (number, person, older_than))) != 1 or number < 0 or older_than < 0:
        fail("Say what to delete: the ID of a message, or --person ADDRESS, or --older-than DAYS.", WRONG_USE)
    if number:
        deletion = retention.one_message(number)
    elif person:
        deletion = retention.a_person(person)
    else:
        deletion = retention.mail_older_than(call.now - timedelta(days=older_than))
    carry_out = retention.try_out_deletion if dry_run else retention.carry_out_deletion
    emptied = carry_out(call.open_games, deletion)
    counts = ", ".join(f"{count} {what}" for what, count in asdict(emptied).items())
    told = f"{'It would be' if dry_run else 'Deleted'}: {counts}."
    return Answer(told, {"deleted": not dry_run, **asdict(emptied)})


def _only_message(found: tuple[KeptMessage, bytes] | None, number: int) -> tuple[KeptMessage, bytes]:
    if found is None:
        fail(f"There is no message {number}; `mentat mail list` shows those that are kept.")
    return found


def _require_content(content: bytes, number: int) -> None:
    if not content:
        fail(f"Message {number} was deleted; Mentat keeps only the fact that it came.")


def _message_json(message: KeptMessage) -> dict[str, object]:
    return {**asdict(message), "received_at": message.received_at.isoformat()}


def _read_instant(text: str) -> datetime:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        fail(f"--since: {text!r} is not a time; write it like 2026-11-24 or 2026-11-24T20:00:00Z.", WRONG_USE)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
