"""`mentat mail list|show|replay|resend|delete`: kept mail is looked at, taken again, sent again, and deleted."""

from __future__ import annotations

import sys
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from typing import Annotated

import typer
from rich.markup import escape
from rich.table import Table as RichTable

from bot.cli.session import (
    CONFIG,
    WRONG_USE,
    AsJson,
    Config,
    answer_json,
    console,
    fail,
    open_session,
    print_line,
)
from bot.games.sight import require_sight
from bot.mail.disposition import examine
from bot.service.system_clock import utc_now
from bot.silence import unreachable
from bot.store import kept_mail, mail
from bot.store.database import reading
from bot.store.kept_mail import Kept, Wanted
from bot.timekeeping import retention
from rules.components import FACTION_FACTS, as_faction, faction_name

Number = Annotated[int, typer.Argument(metavar="ID", help="The number of a message, as `mentat mail list` shows it.")]


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
    wanted = Wanted(game, faction, disposition, _instant(since) if since else None, most)
    with reading(session.engine) as conn:
        found = kept_mail.messages(conn, wanted)
    if as_json:
        answer_json([_as_json(message) for message in found])
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


def show(
    number: Number,
    raw: Annotated[bool, typer.Option("--raw", help="The message as it came, byte for byte.")] = False,
    config: Config = CONFIG,
    as_json: AsJson = False,
) -> None:
    """Show one message: what became of it, and the lines that are read in it. Who plays too should not look.

    Example: `mentat mail show 41`, or `mentat mail show 41 --raw > puzzling.eml`
    """
    session = open_session(config)
    with reading(session.engine) as conn:
        message, content = _one(kept_mail.one(conn, number), number)
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
        answer_json({**_as_json(message), "lines": lines, "notes": list(seen.reading.notes) if content else []})
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
    number: Number,
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
        message, content = _one(kept_mail.one(conn, number), number)
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
        count = unreachable.send_again(session.moderator.open_games, game, as_faction(faction), utc_now())
    except KeyError:
        fail(f"{faction_name(as_faction(faction))} is not played in {game}.", WRONG_USE)
    if as_json:
        answer_json({"game": game, "faction": faction, "letters": count})
    else:
        print_line(f"{count} letters go out again with `mentat run` or `mentat send`.")


def delete(
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
        deletion = retention.older_than(utc_now() - timedelta(days=older_than))
    try:
        emptied = retention.try_out(open_games, deletion) if dry_run else retention.carry_out(open_games, deletion)
    except retention.DeletionRefused as refused:
        fail(str(refused))
    if as_json:
        answer_json({"deleted": not dry_run, **asdict(emptied)})
        return
    counts = ", ".join(f"{count} {what}" for what, count in asdict(emptied).items())
    print_line(f"{'It would be' if dry_run else 'Deleted'}: {counts}.")


def _one(found: tuple[Kept, bytes] | None, number: int) -> tuple[Kept, bytes]:
    if found is None:
        fail(f"There is no message {number}; `mentat mail list` shows those that are kept.")
    return found


def _require_content(content: bytes, number: int) -> None:
    if not content:
        fail(f"Message {number} was deleted; only that it came is known.")


def _as_json(message: Kept) -> dict[str, object]:
    return {**asdict(message), "received_at": message.received_at.isoformat()}


def _instant(text: str) -> datetime:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        fail(f"--since: {text!r} is no instant; write it like 2026-11-24 or 2026-11-24T20:00:00Z.", WRONG_USE)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
