"""`mentat forum show|paste|repost`: what is posted by hand, what is handed in, and what is tried again."""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any
from zoneinfo import ZoneInfo

import typer

from bot.cli.forum.printing import iso
from bot.cli.powers.options import DryRun, Game, If, Why, answer, seat_named, use_of
from bot.cli.session import CONFIG, NO, WRONG_USE, AsJson, Config, Session, answer_json, fail, open_session, print_line
from bot.forum import by_hand, standing
from bot.forum.by_hand import HandedIn, Pasted, ToPost
from bot.forum.forums import forum_of
from bot.forum.watch import Forum, Watch
from bot.reports.times import clock_of, moment
from bot.service.mail_servers import open_transport
from bot.service.system_clock import utc_now
from bot.store.only_one import AlreadyRunning, only_one
from bot.wording.filters import plural
from rules.components import Faction, faction_name

Number = Annotated[
    int | None, typer.Option(min=1, metavar="N", help="The number that the forum shows beside the post.")
]
RULE = "-" * 72
_KINDS = {"open": "The opening", "post": "A post", "index": "The first post in other words", "title": "A title"}
_BECAME = {
    "accepted": "taken", "held": "kept for later", "done": "done", "refused": "refused, the answer says why",
    "secret": "not taken, it only counts by mail", "unread": "not read as an act", "talk": "talk",
}  # fmt: skip


def show(
    game: Game,
    done: Annotated[int | None, typer.Option(min=1, metavar="BLOCK", help="That block was posted.")] = None,
    number: Number = None,
    url: Annotated[str, typer.Option(help="Where readers find the thread, once it is opened.")] = "",
    now: Annotated[
        bool, typer.Option("--now", help="Tell what has happened so far, before its phase has ended.")
    ] = False,
    raw: Annotated[bool, typer.Option("--raw", help="Only the text of the block, for a program.")] = False,
    config: Config = CONFIG,
    as_json: AsJson = False,
) -> None:
    """Show what is to be posted next by hand, or what waits for the forum; tick a block as posted with --done.

    Examples: `mentat forum show sietch-12`, `mentat forum show sietch-12 --done 3 --number 57`
    """
    if done is None and (number is not None or url):
        fail("--number and --url are about a block that was posted: say which one with --done.", WRONG_USE)
    if url and not url.startswith(("https://", "http://")):
        fail(f"--url: {url!r} is no address of a page; it begins with https://.", WRONG_USE)
    session = open_session(config)
    open_games = session.moderator.open_games
    if done is not None:
        by_hand.posted(open_games, game, done, utc_now(), number=number, url=url)
    shown = by_hand.to_post(open_games, game)
    if shown.by_hand and not shown.thread.closed:
        _post_now(session, shown.thread.forum)
        if now:
            forum = _forum(session, shown.thread.forum)
            by_hand.write_now(open_games, forum.channel(game), game, forum.manner, utc_now())
        shown = by_hand.to_post(open_games, game)
    elif now:
        fail(f"Mentat posts in {shown.thread.forum} by itself; --now is for a forum in which you post by hand.")
    if as_json:
        answer_json(_json(shown))
    elif raw:
        sys.stdout.write(f"{shown.block.text}\n" if shown.block else "")
    elif shown.by_hand:
        phases = session.settings.forums[shown.thread.forum].posts == "phases"
        _show_block(shown, later=phases and not now and not shown.thread.closed)
    else:
        _show_waiting(shown, session.settings.mentat.timezone)


def _forum(session: Session, name: str) -> Forum:
    return forum_of(name, session.settings, session.engine, lambda: open_transport(session.settings))


def _post_now(session: Session, name: str) -> bool:
    """Have a forum posted in now; False where another process is at it."""
    moderator = session.moderator
    watch = Watch(moderator.open_games, {name: _forum(session, name)}, moderator.timekeeper.pass_until)
    try:
        with only_one(session.engine, "looking after forums"):
            watch.post(utc_now(), at_once=True)
    except AlreadyRunning:
        return False
    return True


def _show_block(shown: ToPost, *, later: bool) -> None:
    block, game, forum = shown.block, shown.thread.game_id, shown.thread.forum
    if block is None:
        print_line(f"Nothing of {game} is to be posted in {forum} now.")
        if later:
            print_line(
                f"What happens is told when its phase has ended; `mentat forum show {game} --now` tells it so far."
            )
        return
    more = shown.blocks - 1
    behind = f"; {more} more {'waits' if more == 1 else 'wait'} behind it" if more else ""
    opens = block.title is not None
    if opens:
        print_line(f"Block {block.number} of {game} opens its thread in {forum}{behind}. The title of the thread:")
        print_line(f"\n{block.title}\n\nIts first post is what stands between these lines:")
    else:
        print_line(
            f"Block {block.number} of {game}, for its thread in {forum}{behind}. Post what stands between these lines:"
        )
    sys.stdout.write(f"{RULE}\n{block.text}\n{RULE}\n")
    print_line(f"Then: mentat forum show {game} --done {block.number} --number N{' --url ADDRESS' if opens else ''}")
    where = ", ADDRESS that of the thread" if opens else ""
    print_line(f"N is the number that the forum shows beside the post{where}; leave out what it does not have.")


def _show_waiting(shown: ToPost, zone: ZoneInfo) -> None:
    thread = shown.thread
    if not shown.waits:
        print_line(f"Nothing waits to be posted in the thread of {thread.game_id} in {thread.forum}.")
        return
    if thread.problem:
        since = f" since {moment(thread.problem_since, zone)} {clock_of(zone)}" if thread.problem_since else ""
        print_line(f"{thread.forum} refuses what is to be posted{since}: {thread.problem}")
    for each in shown.waits:
        tries = f", tried {plural(each.tries, 'time')}" if each.tries else ""
        again = f", again {moment(each.next_try_at, zone)}" if each.tries and each.next_try_at else ""
        print_line(f"{_KINDS[each.kind]} of {moment(each.at, zone)}{tries}{again}:")
        sys.stdout.write(f"{RULE}\n{each.text or each.title}\n{RULE}\n")
    print_line(f"`mentat forum repost {thread.game_id}` tries it at once.")


def _json(shown: ToPost) -> dict[str, Any]:
    block = shown.block
    return {
        "game": shown.thread.game_id, "forum": shown.thread.forum, "by_hand": shown.by_hand,
        "url": shown.thread.url or None, "problem": shown.thread.problem or None,
        "block": {"number": block.number, "title": block.title, "text": block.text} if block else None,
        "blocks": shown.blocks,
        "waits": [
            {"kind": each.kind, "title": each.title or None, "text": each.text, "since": iso(each.at),
             "tries": each.tries, "next_try_at": iso(each.next_try_at)}
            for each in shown.waits
        ],
    }  # fmt: skip


def paste(
    game: Game,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="What they posted; - for the standard input.")],
    seat: Annotated[str, typer.Option("--as", metavar="FACTION", help="Whose post it is.")],
    number: Number = None,
    posted: Annotated[str, typer.Option(metavar="ISO", help="When it was posted, by the forum's clock.")] = "",
    name: Annotated[str, typer.Option(help="The name that is shown beside it.")] = "",
    why: Why = "",
    at: If = "",
    dry_run: DryRun = False,
    config: Config = CONFIG,
    as_json: AsJson = False,
) -> None:
    """Hand in what a player posted where you post by hand. It counts like any post, and they are answered by mail.

    Examples: `mentat forum paste sietch-12 - --as fremen --number 57`,
    `mentat forum paste sietch-12 post.txt --as guild --posted 2026-11-24T19:58`
    """
    session, whose, use = open_session(config), seat_named(seat), use_of(why, "", at, dry_run)
    written = _instant(posted, session.settings.mentat.timezone) if posted else None
    moderator, text = session.moderator, _post_in(file)
    pasted = Pasted(whose, text, name, number, written)
    handed = by_hand.paste(moderator.open_games, moderator.timekeeper.pass_until, game, pasted, utc_now(), use)
    lines = [{"line": line.text, "status": line.status} for line in handed.post.lines]
    document = {"game": game, "faction": whose, "number": number, "state": handed.state, "lines": lines}
    answer(_told_of(handed, whose, number), document, dry_run=dry_run, as_json=as_json)


def _told_of(handed: HandedIn, faction: Faction, number: int | None) -> str:
    post = f"Post {number} of {faction_name(faction)}" if number else f"A post of {faction_name(faction)}"
    lines = "; ".join(f"“{line.text}”: {_BECAME.get(line.status, line.status)}" for line in handed.post.lines)
    if handed.state == "known":
        return f"{post} was handed in before, word for word: {lines or 'nothing in it counts'}."
    if handed.state == "changed":
        return f"{post} was handed in before with other words, and those count: {lines or 'nothing in them'}."
    return f"{post}: {lines}." if lines else f"{post}: no line of it is an order, which begins with an “!”."


def _post_in(file: Path) -> str:
    try:
        raw = sys.stdin.buffer.read() if str(file) == "-" else file.read_bytes()
        text = raw.decode("utf-8-sig").replace("\r\n", "\n").strip("\n")
    except OSError as error:
        fail(f"{file} cannot be read: {error.strerror}.", WRONG_USE)
    except UnicodeDecodeError:
        fail(f"{file} is no text in UTF-8; save it so.", WRONG_USE)
    if not text.strip():
        fail("There is nothing on the standard input." if str(file) == "-" else f"{file} is empty.", WRONG_USE)
    return text


def _instant(text: str, zone: ZoneInfo) -> datetime:
    try:
        when = datetime.fromisoformat(text)
    except ValueError:
        fail(f"--posted: {text!r} is no instant; write it like 2026-11-24T19:58 or 2026-11-24T19:58:00Z.", WRONG_USE)
    when = when if when.tzinfo else when.replace(tzinfo=zone)
    if when > utc_now():
        fail(f"--posted: {text} has not come yet.", WRONG_USE)
    return when.astimezone(UTC)


def repost(
    game: Game,
    skip: Annotated[bool, typer.Option("--skip", help="Give up the first that waits, instead.")] = False,
    why: Why = "",
    at: If = "",
    dry_run: DryRun = False,
    config: Config = CONFIG,
    as_json: AsJson = False,
) -> None:
    """Try again at once what the forum refused, or give up the first that waits with --skip. Exits 1 if it still waits.

    Example: `mentat forum repost sietch-12`
    """
    session, use = open_session(config), use_of(why, "", at, dry_run)
    open_games = session.moderator.open_games
    first = by_hand.try_again(open_games, game, utc_now(), use, skip=skip)
    what = _KINDS[first.kind]
    if dry_run:
        told = f"{what} is {'given up' if skip else 'tried again'}."
        answer(told, {"game": game, "kind": first.kind}, dry_run=True, as_json=as_json)
        return
    forum = by_hand.to_post(open_games, game).thread.forum
    tried = forum in session.settings.forums and _post_now(session, forum)
    after = by_hand.to_post(open_games, game)
    waits, problem = len(after.waits), _problem(session, after)
    document = {"game": game, "kind": first.kind, "skipped": skip, "tried": tried, "waits": waits,
                "problem": problem or None}  # fmt: skip
    given_up = f"{what} is given up. " if skip else ""
    if waits and tried:
        told = f"{given_up}{plural(waits, 'post')} still waiting: {problem or 'the forum wants more time'}"
    elif waits:
        told = f"{given_up}Another `mentat` looks after the forums just now, and tries it at once."
    else:
        told = f"{given_up}Nothing waits any more."
    answer(told, document, dry_run=False, as_json=as_json)
    if waits and tried:
        raise typer.Exit(NO)


def _problem(session: Session, shown: ToPost) -> str:
    """Why a forum does not take what waits."""
    if shown.thread.problem:
        return shown.thread.problem
    found = standing.standings(session.moderator.open_games)
    return next((each.posts.problem for each in found if each.name == shown.thread.forum), "")
