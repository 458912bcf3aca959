"""`mentat run`, single passes of the same work (`poll`, `tick`, `send`, `deliver`), and the mail that they keep
(`mentat mail list|show|replay|resend|delete`).
"""

from __future__ import annotations

import logging
import sys
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Annotated

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
    instant,
    open_session,
    print_line,
    refuse_if_held,
)
from bot.config import load_settings
from bot.games import retention, silent_players
from bot.games.proof import check_running_games, require_sight
from bot.mail.disposition import examine
from bot.monitoring import logs
from bot.service import loop
from bot.service.machine import utc_now
from bot.service.mail_servers import open_mailbox, open_transport
from bot.service.outbox import Outbox
from bot.store import games, mail
from bot.store import retention as kept_mail
from bot.store.database import is_url, reading
from bot.store.installation import AlreadyRunning, only_one
from bot.store.retention import KeptMessage, MessageFilter
from bot.wording.filters import plural
from rules.components import FACTION_FACTS, as_faction, faction_name


def run(
    config: Config = CONFIG,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Log each message.")] = False,
    workers: Annotated[str, typer.Option(hidden=True, metavar="N", help="Not understood any more.")] = "",
) -> None:
    """Run the service until it is stopped: mailbox, deadlines, reminders, outbox.

    Several on one PostgreSQL database share the work. Example: `mentat run --config ~/dune/config.toml`
    """
    if workers:
        fail(
            "`mentat run` is one process and has no --workers: start several on one PostgreSQL database with the "
            "template unit (`systemctl enable --now mentat@1 mentat@2`) or with `docker compose up --scale mentat=2`, "
            "as docs/operating.md says under “Workers”.", WRONG_USE,
        )  # fmt: skip
    settings = load_settings(config)
    try:
        logs.begin(settings.log, verbose=verbose)
    except OSError as error:
        fail(f"[log] file: {settings.log.file} cannot be written ({error.strerror}).", WRONG_USE)
    if is_url(settings.database_place):
        _run_beside_others(config)
        return
    session = open_session(config)
    try:
        with only_one(session.engine, "running"):
            refuse_if_held(session)
            _check(session)
            running = loop.Service(session.moderator, open_mailbox(session.settings), open_transport(session.settings))
            running.stop_on_signals()
            _tell_that_it_runs(session)
            running.run()
    except AlreadyRunning as error:
        fail(str(error))


def _run_beside_others(config: Path) -> None:
    """One of several processes on a server."""
    from bot.service import workers

    name = workers.new_name()
    logs.this_process_is(name)
    session = open_session(config)
    refuse_if_held(session)
    try:
        workers.may_begin(session.engine)
        _check(session)
        _tell_that_it_runs(session)
        workers.work(session.moderator, name)
    except workers.MayNotWork as why:
        fail(str(why))


def _tell_that_it_runs(session: Session) -> None:
    print_line(f"Mentat is running as {session.settings.mentat.address}; stop it with Ctrl-C.")


def poll(config: Config = CONFIG, as_json: AsJson = False) -> None:
    """Fetch what is new in the mailbox and process it; read the forums, and post there what is to be told.

    Example: `mentat poll`, or in a crontab `*/5 * * * * mentat poll && mentat tick && mentat send`
    """
    session = _checked_session(config)
    mailbox = open_mailbox(session.settings)
    try:
        polled = loop.poll(session.moderator, mailbox)
    finally:
        mailbox.close()
    _look_after_forums(session)
    if as_json:
        answer_json({"messages": polled.messages, "shunted": polled.shunted})
    else:
        print_line(f"{plural(polled.messages, 'message')} processed, {polled.shunted} of them put aside")


def _look_after_forums(session: Session) -> None:
    if watch := loop.watch_of(session.moderator):
        loop.look_after_forums(watch, session.engine, utc_now())


def tick(
    config: Config = CONFIG,
    now: Annotated[str, typer.Option(metavar="ISO", help="The instant to take for the present.")] = "",
    game: Annotated[str, typer.Option(metavar="ID", help="The one game for which time passes.")] = "",
    as_json: AsJson = False,
) -> None:
    """Let the deadlines that are due pass, write the reminders that are due, and bring the archive up to date.

    Examples: `mentat tick --now 2026-11-24T20:00:00Z`, `mentat tick --now 2026-12-01 --game tryout`
    """
    session = _checked_session(config)
    moment = instant("--now", now) if now else utc_now()
    if game:
        with reading(session.engine) as conn:
            games.revision(conn, game)  # UnknownGame, if there is none
    timekeeper = session.moderator.timekeeper
    moved = timekeeper.tick(moment, game) if game or now else timekeeper.tick_now(moment)
    logs.write_counts(session.engine)
    if not game and session.settings.archive.folder is not None:
        from bot.service.publisher import publisher_for  # it needs all that makes pages

        publisher_for(session.settings, session.engine).look(moment)
    if as_json:
        answer_json({"games": moved})
    else:
        print_line(f"{plural(moved, 'game')} went on")
    if not game and not now:
        _look_after_forums(session)


def send(config: Config = CONFIG, as_json: AsJson = False) -> None:
    """Send what waits in the outbox.

    Example: `mentat send`
    """
    session = open_session(config)
    refuse_if_held(session)
    transport = open_transport(session.settings)
    try:
        sent = loop.send(Outbox(session.moderator.open_games), transport, utc_now())
    finally:
        transport.close()
    if as_json:
        answer_json({"sent": sent.sent, "deferred": sent.deferred, "refused": sent.refused})
    else:
        print_line(f"{plural(sent.sent, 'letter')} sent, {sent.deferred} to be tried again, {sent.refused} refused")
    if sent.deferred or sent.refused:
        raise typer.Exit(1)


def deliver(
    files: Annotated[list[Path], typer.Argument(metavar="FILE.eml…", help="Message files; - is standard input.")],
    config: Config = CONFIG,
    as_json: AsJson = False,
) -> None:
    """Process message files exactly as if they had been fetched.

    Example: `mentat deliver order.eml`
    """
    session = _checked_session(config)
    verdicts = []
    for file in files:
        try:
            raw = sys.stdin.buffer.read() if str(file) == "-" else file.read_bytes()
        except OSError as error:
            fail(f"{file} cannot be read: {error.strerror}.", WRONG_USE)
        verdict = session.moderator.deliver(raw, utc_now())
        verdicts.append({"file": str(file), "disposition": verdict.disposition, "reason": verdict.reason,
                         "game": verdict.game_id, "faction": verdict.faction, "taken": verdict.taken})  # fmt: skip
    if as_json:
        answer_json(verdicts)
        return
    for told in verdicts:
        print_line(f"{told['file']}: {told['disposition']} ({told['reason']})")


def _checked_session(config: Path) -> Session:
    session = open_session(config)
    refuse_if_held(session)
    _check(session)
    return session


def _check(session: Session) -> None:
    """Hold the games that the rules installed now would play differently, before anything happens to them."""
    for problem in check_running_games(session.moderator.open_games, utc_now()):
        logging.error("%s", problem, extra=logs.about("game.held"))


MessageNumber = Annotated[
    int, typer.Argument(metavar="ID", help="The number of a message, as `mentat mail list` shows it.")
]


def list_messages(
    game: Annotated[str, typer.Option(help="Of this game.")] = "",
    faction: Annotated[str, typer.Option(help="Of this seat.")] = "",
    since: Annotated[str, typer.Option(metavar="ISO", help="That came at this instant or later.")] = "",
    disposition: Annotated[str, typer.Option(help="orders, empty, auto-reply, bounce, rejected, fault, …")] = "",
    most: Annotated[int, typer.Option(help="At most so many, the newest.")] = 100,
    config: Config = CONFIG,
    as_json: AsJson = False,
) -> None:
    """List the messages that came in, without what they say.

    Example: `mentat mail list --game sietch-12 --since 2026-11-24 --disposition rejected`
    """
    session = open_session(config)
    wanted = MessageFilter(game, faction, disposition, _read_instant(since) if since else None, most)
    with reading(session.engine) as conn:
        found = kept_mail.list_messages(conn, wanted)
    if as_json:
        answer_json([_message_json(message) for message in found])
        return
    if not found:
        print_line("There is no such message.")
        return
    listing = RichTable("id", "came", "disposition", "game", "faction", "from", "subject", "why")
    for each in found:
        listing.add_row(
            str(each.id), f"{each.received_at:%Y-%m-%d %H:%M}", each.disposition, each.game or "", each.faction or "",
            escape(each.sender), escape(each.subject[:50]), escape(each.reason),
        )  # fmt: skip
    console.print(listing)


def show_message(
    number: MessageNumber,
    raw: Annotated[bool, typer.Option("--raw", help="The message as it came, byte for byte.")] = False,
    config: Config = CONFIG,
    as_json: AsJson = False,
) -> None:
    """Show one message: what became of it, and the lines that are read in it. Who plays too should not look.

    Example: `mentat mail show 41`, or `mentat mail show 41 --raw > puzzling.eml`
    """
    session = open_session(config)
    with reading(session.engine) as conn:
        message, content = _only_message(kept_mail.kept_message(conn, number), number)
        if message.game:
            require_sight(conn, message.game)
        if raw:
            _require_content(content, number)
            sys.stdout.buffer.write(content)
            sys.stdout.buffer.flush()
            return
        seen = examine(content, session.settings.mentat.address, lambda code: mail.form_lines(conn, code))
    lines = [line for section in seen.reading.sections for line in section.lines] if content else []
    if as_json:
        answer_json({**_message_json(message), "lines": lines, "notes": list(seen.reading.notes) if content else []})
        return
    came = f"{message.received_at:%Y-%m-%d %H:%M} UTC"
    told = [
        f"message {message.id}, {came}, from {message.sender or 'nobody'}: {message.subject}",
        f"{message.disposition}: {message.reason}" if message.reason else message.disposition,
    ]
    if message.game:
        told.append(f"{message.game}, {message.faction}")
    told += [f"  {line}" for line in lines] if content else ["It was deleted; only that it came is known."]
    for line in told:
        print_line(line)


def replay(
    number: MessageNumber,
    believe: Annotated[
        bool, typer.Option("--believe", help="You know that the player of the seat it names wrote it.")
    ] = False,
    config: Config = CONFIG,
    as_json: AsJson = False,
) -> None:
    """Take a message that was put aside as if it had just come: after a fault was mended, or its sender got their seat.

    With `--believe` it counts for the seat that it names (or the only one of its sender), from whatever address it came
    and whether that was proved or not. What was taken once is not taken again.
    Example: `mentat mail replay 41 --believe`
    """
    session = open_session(config)
    with reading(session.engine) as conn:
        message, content = _only_message(kept_mail.kept_message(conn, number), number)
    _require_content(content, number)
    with reading(session.engine) as conn:
        whole = kept_mail.is_whole(conn, number)
    if message.disposition not in mail.PUT_ASIDE:
        fail(f"Message {number} was dealt with ({message.disposition}); a mail is never taken twice.")
    if not whole:
        fail(f"Only the head of message {number} was kept; move it back into the inbox from the mailbox's folder.")
    now = utc_now()
    key = f"replay:{number}:{now.isoformat()}"
    verdict = session.moderator.receive(content, key, now, comes_again=False, believed=believe)
    if as_json:
        answer_json({"id": number, "disposition": verdict.disposition, "reason": verdict.reason,
                     "game": verdict.game_id, "faction": verdict.faction, "taken": verdict.taken})  # fmt: skip
    else:
        told = f"message {number}: {verdict.disposition} ({verdict.reason})"
        if verdict.faction and verdict.disposition == "orders":
            lines = "1 line" if verdict.taken == 1 else f"{verdict.taken} lines"
            told += f"; {lines} of {faction_name(verdict.faction)} in {verdict.game_id} taken"
        print_line(told)
    if verdict.disposition in (*mail.PUT_ASIDE, "duplicate", "waiting"):
        raise typer.Exit(1)


def resend(
    game: Annotated[str, typer.Argument(help="The game's id.")],
    faction: Annotated[str, typer.Argument(help="The seat.")],
    config: Config = CONFIG,
    as_json: AsJson = False,
) -> None:
    """Send a player once more the letters since their last mail, and take them to be reachable until one comes back
    again.

    Example: `mentat mail resend sietch-12 harkonnen`
    """
    if faction not in FACTION_FACTS:
        fail(f"FACTION: {faction!r} is not one of {', '.join(FACTION_FACTS)}.", WRONG_USE)
    session = open_session(config)
    try:
        count = silent_players.send_letters_again(session.moderator.open_games, game, as_faction(faction), utc_now())
    except KeyError:
        fail(f"{faction_name(as_faction(faction))} is not played in {game}.", WRONG_USE)
    if as_json:
        answer_json({"game": game, "faction": faction, "letters": count})
    else:
        print_line(f"{count} letters go out again with `mentat run` or `mentat send`.")


def delete_mail(
    number: Annotated[int, typer.Argument(metavar="[ID]", help="One message.")] = 0,
    person: Annotated[str, typer.Option(metavar="ADDRESS", help="Or: all of a person, and their name.")] = "",
    older_than: Annotated[int, typer.Option(metavar="DAYS", help="Or: all that is older.")] = 0,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say how much it would be.")] = False,
    config: Config = CONFIG,
    as_json: AsJson = False,
) -> None:
    """Delete what people wrote and who they are. Games stay, and can still be verified. It cannot be undone.

    A person who still plays must be replaced first. Folders of the mail server are not touched. Examples:
    `mentat mail delete 41`, `mentat mail delete --person ann@example.org --dry-run`,
    `mentat mail delete --older-than 365`
    """
    if sum(map(bool, (number, person, older_than))) != 1 or number < 0 or older_than < 0:
        fail("Say what to delete: the ID of a message, or --person ADDRESS, or --older-than DAYS.", WRONG_USE)
    session = open_session(config)
    open_games = session.moderator.open_games
    if number:
        deletion = retention.one_message(number)
    elif person:
        deletion = retention.a_person(person)
    else:
        deletion = retention.mail_older_than(utc_now() - timedelta(days=older_than))
    try:
        emptied = (
            retention.try_out_deletion(open_games, deletion)
            if dry_run
            else retention.carry_out_deletion(open_games, deletion)
        )
    except retention.DeletionRefused as refused:
        fail(str(refused))
    if as_json:
        answer_json({"deleted": not dry_run, **asdict(emptied)})
        return
    counts = ", ".join(f"{count} {what}" for what, count in asdict(emptied).items())
    print_line(f"{'It would be' if dry_run else 'Deleted'}: {counts}.")


def _only_message(found: tuple[KeptMessage, bytes] | None, number: int) -> tuple[KeptMessage, bytes]:
    if found is None:
        fail(f"There is no message {number}; `mentat mail list` shows those that are kept.")
    return found


def _require_content(content: bytes, number: int) -> None:
    if not content:
        fail(f"Message {number} was deleted; only that it came is known.")


def _message_json(message: KeptMessage) -> dict[str, object]:
    return {**asdict(message), "received_at": message.received_at.isoformat()}


def _read_instant(text: str) -> datetime:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        fail(f"--since: {text!r} is no instant; write it like 2026-11-24 or 2026-11-24T20:00:00Z.", WRONG_USE)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
