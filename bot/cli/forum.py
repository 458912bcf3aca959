"""`mentat forum …`: the status of the forums, and the game master's work with them.

- `status` says whether reading and posting work, and names the thread of each game; `test` tests a forum
- `link|open|close` set which account posts for which seat, and which games have a thread
- `show|paste|repost` show what to post by hand, hand in what players posted, and retry what a forum refused
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any
from zoneinfo import ZoneInfo

import typer

from bot.channels import Limits
from bot.channels.paste import Block
from bot.cli.options import Game, Power, Seat, iso_or_none, seat_named
from bot.cli.session import WRONG_USE, Answer, Call, Line, Verbatim, command, fail, read_bytes, styled
from bot.config import ForumSettings
from bot.desk.powers import DeskRequest
from bot.forum import desk
from bot.forum.access import Trial
from bot.forum.desk import (
    ForumStatus,
    HandInResult,
    PageResult,
    PastedPost,
    PostsToDo,
    ThreadStatus,
    told_of_line,
    told_of_page,
)
from bot.forum.pages import read_page
from bot.forum.watch import Forum, Watch, open_forum
from bot.games.open_games import would_be_written
from bot.mail.mailbox import MailboxUnavailable
from bot.service import loop
from bot.service.machine import utc_now
from bot.service.mail_servers import open_mailbox, open_transport
from bot.store.forum_threads import ForumState
from bot.store.installation import AlreadyRunning, only_one
from bot.wording import clock_of, moment
from bot.wording.filters import plural
from rules.components import Faction, faction_name, the_faction


@command("forum status")
def status(call: Call) -> Answer:
    """Show the status of each forum: whether reading and posting work, which games and linked accounts it has, and what
    is waiting to be posted.

    Example: `mentat forum status`
    """
    found = desk.forum_statuses(call.open_games)
    none = "There is no forum in the settings ([forums.NAME]); config.example.toml shows how to configure one."
    lines = [line for each in found for line in ("", *_status_lines(each, call.settings.mentat.timezone))]
    return Answer(lines[1:] or [none], [_status_json(each) for each in found])


def _status_lines(each: ForumStatus, zone: ZoneInfo) -> list[str]:
    forum = each.forum
    if forum is None:
        lines = [f"{each.name}: no longer in the settings ([forums.{each.name}]), so nothing is read or posted there"]
    else:
        lines = [f"{each.name}: {_place(forum)}"]
        if each.subscribed:
            lines.append(f"  member     as {each.subscribed}")
        if forum.kind != "paste" and (each.games or not each.well):
            lines += [_work("reading", each.reads, zone), _work("posting", each.posts, zone)]
        if not each.games:
            tried = "" if forum.kind == "paste" else f"; `mentat forum test {each.name}` tries it"
            lines.append(f"  no games{tried}")
    for game in each.games:
        lines += _game(game, forum, zone)
    return lines


def _place(forum: ForumSettings) -> str:
    match forum.kind:
        case "list":
            return f"the list {forum.address}"
        case "paste":
            return f"you post by hand ({forum.dialect})"
        case _:
            return f"{forum.kind}, {forum.url}, category {forum.category}, as {forum.username}"


def _work(work: str, state: ForumState, zone: ZoneInfo) -> str:
    wait = f"; no requests until {moment(state.wait_until, zone)}" if state.wait_until else ""
    if not state.problem:
        return f"  {work:10} works{wait}"
    since = f" since {moment(state.failing_since, zone)} {clock_of(zone)}" if state.failing_since else ""
    return f"  {work:10} FAILS{since}: {state.problem}{wait}"


def _game(game: ThreadStatus, forum: ForumSettings | None, zone: ZoneInfo) -> list[str]:
    thread, name = game.thread, game.thread.game_id
    if game.over and thread.closed:
        return [f"  {name}: over, {thread.url or 'everything was posted'}"]
    if thread.closed:
        return [f"  {name}: left; `mentat forum open {name} {thread.forum}` goes on in its thread"]
    by_hand = forum is not None and forum.kind == "paste"
    where = thread.url or (f"thread {thread.thread}" if thread.thread else "no thread yet")
    if by_hand and not thread.thread:
        where += f": `mentat forum show {name}` prints its first post"
    read = f", read {moment(thread.read_at, zone)}" if thread.read_at and not by_hand else ""
    lines = [f"  {name}: {where}{read}"]
    posts = [(faction_name(faction), author) for faction, author in game.linked.items() if author is not None]
    if posts:
        lines.append(f"    linked: {', '.join(f'{whose} {author}'.strip() for whose, author in posts)}")
    if others := [faction_name(faction) for faction, author in game.linked.items() if author is None]:
        lines.append(f"    by mail only: {', '.join(others)}")
    if game.waits and by_hand:
        lines.append(f"    {plural(game.waits, 'block')} to post: `mentat forum show {name}`")
    elif game.waits:
        lines.append(f"    {plural(game.waits, 'post')} waiting: `mentat forum show {name}`")
    if thread.problem:
        since = f" (since {moment(thread.problem_since, zone)})" if thread.problem_since else ""
        lines.append(f"    REFUSED: {thread.problem}{since}")
    return lines


def _status_json(each: ForumStatus) -> dict[str, Any]:
    forum = each.forum
    return {
        "forum": each.name,
        "kind": forum.kind if forum else None,
        "well": each.well,
        "subscribed": each.subscribed or None,
        "reading": _state(each.reads),
        "posting": _state(each.posts),
        "games": [
            {
                "game": game.thread.game_id,
                "over": game.over,
                "left": game.thread.closed and not game.over,
                "thread": game.thread.thread or None,
                "url": game.thread.url or None,
                "read_at": iso_or_none(game.thread.read_at),
                "linked": {faction: author for faction, author in game.linked.items() if author is not None},
                "waits": game.waits,
                "problem": game.thread.problem or None,
                "problem_since": iso_or_none(game.thread.problem_since),
            }
            for game in each.games
        ],
    }


def _state(state: ForumState) -> dict[str, Any]:
    return {
        "works": not state.problem,
        "problem": state.problem or None,
        "failing_since": iso_or_none(state.failing_since),
        "wait_until": iso_or_none(state.wait_until),
    }


_STEP_MARKS = {"well": "ok", "cannot": "none", "wrong": "WRONG", "left": "left"}
_STEP_STYLES = {"wrong": "red", "left": "yellow"}


@command("forum test")
def try_forum(
    call: Call,
    name: Annotated[str, typer.Argument(metavar="NAME", help="The forum, by its name in the settings.")],
    wait: Annotated[float, typer.Option(min=0, metavar="SECONDS", help="How long to wait for a slow forum.")] = 180.0,
) -> Answer:
    """Test a forum: open a thread, post, read and edit. Show the forum's answers, and which permission is missing.

    No game is changed. The thread stays until somebody removes it. The exit status is 1 if anything is wrong.

    Example: `mentat forum test arrakis`
    """
    forum = call.settings.forums.get(name)
    if forum is None:
        known = ", ".join(call.settings.forums) or "none"
        fail(f"There is no forum {name!r} in the settings ([forums.NAME]); the forums are: {known}.", WRONG_USE)
    if forum.kind == "paste":
        told = f"Mentat cannot test {name}, where you post by hand; `mentat forum show GAME` shows what to post."
        return Answer(told, {"forum": name, "well": True, "steps": [], "limits": None})
    channel = open_forum(name, call.settings, call.engine, lambda: open_transport(call.settings)).channel("")
    between = _fetching(call) if forum.kind == "list" else time.sleep
    trial = Trial(channel, forum.kind, secrets.token_hex(3), utc_now, wait, between)
    if forum.kind == "list":
        call.report(f"Mails go to {forum.address} and must come back; this may take some minutes.")
    steps = []
    for step in trial.steps():
        steps.append(asdict(step))
        call.report(styled(f"{_STEP_MARKS[step.state]:6}{step.name}: {step.told}", _STEP_STYLES.get(step.state, "")))
        if step.advice:
            call.report(f"      {step.advice}")
    wrong = sum(step["state"] == "wrong" for step in steps)
    lines = [_limits(channel.limits)]
    if trial.thread is not None and forum.kind != "list":
        lines.append(f"You can now remove the thread {trial.thread.url or trial.thread.id}.")
    lines.append("All is well." if not wrong else f"{plural(wrong, 'problem')} to fix.")
    limits = {**asdict(channel.limits), "dialect": channel.limits.dialect.value}
    return Answer(lines, {"forum": name, "well": not wrong, "steps": steps, "limits": limits}, failed=bool(wrong))


def _fetching(call: Call) -> Callable[[float], None]:
    def between(seconds: float) -> None:
        time.sleep(seconds)
        mailbox = open_mailbox(call.settings)
        try:
            loop.poll(call.moderator, mailbox)
        except (AlreadyRunning, MailboxUnavailable):
            pass
        finally:
            mailbox.close()

    return between


def _limits(limits: Limits) -> str:
    told = [
        f"{limits.characters_at_least} to {limits.characters} characters a post",
        f"{limits.seconds_between_posts:g} seconds between two",
        "any number in a row" if limits.posts_in_a_row is None else f"{limits.posts_in_a_row} in a row",
        "pictures" if limits.pictures else "no pictures",
        f"posts {'can' if limits.revisable else 'cannot'} be changed",
        limits.dialect.value,
    ]
    return f"      limits: {', '.join(told)}"


@command("forum link")
def link(
    call: Power,
    game: Game,
    faction: Seat,
    post: Annotated[int | None, typer.Option(min=1, help="The number of a post by their account.")] = None,
    account: Annotated[str, typer.Option(metavar="ID", help="The forum's permanent id of the account.")] = "",
    name: Annotated[str, typer.Option(help="The name shown with the account's posts.")] = "",
    off: Annotated[bool, typer.Option("--off", help="Unlink the account that posts for the seat.")] = False,
    reason: Annotated[
        str,
        typer.Option(metavar="WORDS", help="The reason, shown in the thread and in the player's letter."),
    ] = "",
) -> Answer:
    """Let a forum account post for a seat. Name it by the number of one of its posts, or by its id. Everybody is told.

    Examples: `mentat forum link sietch-12 fremen --post 7 --reason "their mail does not arrive"`,
    `mentat forum link sietch-12 fremen --off`
    """
    if off and (post is not None or account or name):
        fail("--off unlinks the seat's account: leave out the other options.", WRONG_USE)
    if not off and not reason.strip():
        fail("--reason is missing: everybody reads it in the thread, next to the account's name.", WRONG_USE)
    if post is not None and account:
        fail("--post and --account both name an account: leave one out.", WRONG_USE)
    said = reason.strip()
    if off:
        author = desk.unlink_account(call.request(game), faction, reason=said)
        told = f"{author} no longer posts for {the_faction(faction)} in {game}."
    else:
        author = desk.link_account(
            call.request(game), faction, post=post, account=account.strip(), name=name, reason=said
        )
        told = f"{author} now posts for {the_faction(faction)} in {game}."
    document = {"game": game, "faction": faction, "author": author, "linked": not off}
    return Answer(told, document)


@command("forum open")
def open_thread(
    call: Power,
    game: Game,
    name: Annotated[str, typer.Argument(metavar="NAME", help="The forum, by its name in the settings.")],
    new: Annotated[
        bool, typer.Option("--new", help="Open a new thread even if the forum has one for the game.")
    ] = False,
) -> Answer:
    """Open a thread for a game in play in a forum, or continue the thread that it left there. All players are told.

    Example: `mentat forum open sietch-12 arrakis`
    """
    goes_on = desk.open_thread(call.request(game), name, anew=new)
    told = f"{game} continues in its thread in {name}." if goes_on else f"{game} gets a thread in {name}."
    return Answer(told, {"game": game, "forum": name, "goes_on": goes_on})


@command("forum close")
def close(call: Power, game: Game) -> Answer:
    """Leave the thread of a game. Mentat no longer posts there, and posts there no longer count. All players are told.

    Example: `mentat forum close sietch-12 --tell "The forum closes at the end of the month."`
    """
    forum = desk.close_thread(call.request(game))
    told = f"Mentat leaves the thread of {game} in {forum}; no account remains linked."
    return Answer(told, {"game": game, "forum": forum})


Number = Annotated[int | None, typer.Option(min=1, metavar="N", help="The number shown beside the post in the forum.")]
RULE = "-" * 72
_KINDS = {"open": "The opening", "post": "A post", "index": "A new version of the first post", "title": "A title"}


@command("forum show")
def show(
    call: Call,
    game: Game,
    done: Annotated[int | None, typer.Option(min=1, metavar="BLOCK", help="Mark this block as posted.")] = None,
    number: Number = None,
    url: Annotated[str, typer.Option(help="The address of the thread, once you have opened it.")] = "",
    raw: Annotated[bool, typer.Option("--raw", help="Print only the text of the block, for a program.")] = False,
) -> Answer:
    """Show the next block to post by hand, or the posts that are waiting to be sent. Use --done to mark a block as
    posted.

    Examples: `mentat forum show sietch-12`, `mentat forum show sietch-12 --done 3 --number 57`
    """
    if done is None and (number is not None or url):
        fail("--number and --url describe a posted block: name the block with --done.", WRONG_USE)
    if url and not url.startswith(("https://", "http://")):
        fail(f"--url: {url!r} is not the address of a page, which begins with https://.", WRONG_USE)
    if done is not None:
        desk.note_posted(DeskRequest(call.open_games, game, call.now), done, number=number, url=url)
    shown = desk.next_to_post(call.open_games, game, call.now)
    if raw:
        lines: Iterable[str] = [Verbatim(f"{shown.block.text}\n" if shown.block else "")]
    elif shown.by_hand:
        lines = _block_lines(shown)
    else:
        lines = _waiting_lines(shown, call.settings.mentat.timezone)
    return Answer(lines, _to_post_json(shown))


def _forum(call: Call, name: str) -> Forum:
    return open_forum(name, call.settings, call.engine, lambda: open_transport(call.settings))


def _post_now(call: Call, name: str) -> bool:
    moderator = call.moderator
    watch = Watch(moderator.open_games, {name: _forum(call, name)}, moderator.timekeeper.pass_until)
    try:
        with only_one(call.engine, "looking after forums"):
            watch.post(utc_now(), at_once=True)
    except AlreadyRunning:
        return False
    return True


def _block_lines(shown: PostsToDo) -> Iterator[str]:
    game, forum = shown.thread.game_id, shown.thread.forum
    if shown.block is None:
        yield f"Nothing new to post about {game} in {forum}."
        return
    for block in shown.blocks:
        if block.title is not None:
            yield f"Block {block.number} of {game} opens its thread in {forum}. The title of the thread:"
            yield f"\n{block.title}\n\nIts first post is the text between these lines:"
        else:
            yield f"Block {block.number} of {game}, for its thread in {forum}. Post the text between these lines:"
        yield Verbatim(f"{RULE}\n{block.text}\n{RULE}\n")
    yield from _ticking_lines(shown.block, shown)


def _ticking_lines(first: Block, shown: PostsToDo) -> Iterator[str]:
    game, opens = shown.thread.game_id, first.title is not None
    yield f"The next page that you hand in marks {'it' if len(shown.blocks) == 1 else 'them'} as posted."
    if opens:
        yield f"Say where the thread is: mentat forum show {game} --done {first.number} --url ADDRESS"
    else:
        yield f"Without a page: mentat forum show {game} --done {first.number} --number N (as shown, if any)"


def _waiting_lines(shown: PostsToDo, zone: ZoneInfo) -> Iterator[str]:
    thread = shown.thread
    if not shown.waits:
        yield f"Nothing is waiting to be posted in the thread of {thread.game_id} in {thread.forum}."
        return
    if thread.problem:
        since = f" since {moment(thread.problem_since, zone)} {clock_of(zone)}" if thread.problem_since else ""
        yield f"{thread.forum} refuses the next post{since}: {thread.problem}"
    for each in shown.waits:
        tries = f", tried {plural(each.tries, 'time')}" if each.tries else ""
        again = f", next try {moment(each.next_try_at, zone)}" if each.tries and each.next_try_at else ""
        yield f"{_KINDS[each.kind]} of {moment(each.at, zone)}{tries}{again}:"
        yield Verbatim(f"{RULE}\n{each.text or each.title}\n{RULE}\n")
    yield f"`mentat forum repost {thread.game_id}` retries it at once."


def _to_post_json(shown: PostsToDo) -> dict[str, Any]:
    block = shown.block
    return {
        "game": shown.thread.game_id, "forum": shown.thread.forum, "by_hand": shown.by_hand,
        "url": shown.thread.url or None, "problem": shown.thread.problem or None,
        "block": {"number": block.number, "title": block.title, "text": block.text} if block else None,
        "blocks": [{"number": each.number, "title": each.title, "text": each.text} for each in shown.blocks],
        "waits": [
            {"kind": each.kind, "title": each.title or None, "text": each.text, "since": iso_or_none(each.at),
             "tries": each.tries, "next_try_at": iso_or_none(each.next_try_at)}
            for each in shown.waits
        ],
    }  # fmt: skip


@command("forum paste", without="tell")
def paste(
    call: Power,
    game: Game,
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="What they posted; if left out, or -, standard input.")
    ] = Path("-"),
    faction: Annotated[
        Faction | None,
        typer.Option("--as", metavar="FACTION", help="For one post: the seat that wrote it.", parser=seat_named),
    ] = None,
    number: Number = None,
    posted: Annotated[str, typer.Option(metavar="ISO", help="When it was posted, by the forum's clock.")] = "",
    name: Annotated[str, typer.Option(help="The name shown beside the post.")] = "",
    who: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=FACTION", help="For a page: the seat of a new account (may be repeated)."),
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", help="For a page: accept the posts without asking.")] = False,
) -> Answer:
    """Hand in what players posted in a thread where you post by hand: a page copied from the forum, or a single post
    with --as.

    If you hand in a page, the command shows which posts it would accept and whose they are, and asks once whether to do
    so. With --yes it accepts them without asking. Any of Mentat's blocks that it finds on the page are marked as
    posted, and it shows what you should post next. The posts count like any others, and the players who wrote them are
    answered by mail.

    Examples: `mentat forum paste sietch-7 page.txt --who chani_77=fremen --yes`,
    `mentat forum paste sietch-7 - --as fremen --number 57`
    """
    text = _post_in(file)
    if faction is None:
        if number is not None or posted or name:
            fail("--number, --posted and --name describe one post: add --as with its seat.", WRONG_USE)
        return _paste_page(call, game, text, who or [], yes=yes)
    if who or yes:
        fail("--who and --yes are for a page: leave out --as.", WRONG_USE)
    written = _instant(posted, call.settings.mentat.timezone) if posted else None
    pasted = PastedPost(faction, text, name, number, written)
    handed = desk.hand_in_post(call.request(game), call.moderator.timekeeper.pass_until, pasted)
    lines = [{"line": line.text, "status": line.status} for line in handed.post.lines]
    document = {"game": game, "faction": faction, "number": number, "state": handed.state, "lines": lines}
    return Answer(_told_of(handed, faction, number), document)


def _paste_page(call: Power, game: str, text: str, who: list[str], *, yes: bool) -> Answer:
    page = read_page(text, call.settings.mentat.timezone)
    if not page:
        fail(
            "No posts were found in it: a page must show the author and the time or number of each post. Use --as to "
            "hand in a single post."
        )
    named: dict[str, Faction] = {}
    for each in who:
        name, sign, seat = each.rpartition("=")
        if not (sign and name.strip()):
            fail(f"--who {each!r}: write it like chani_77=fremen.", WRONG_USE)
        named[name] = seat_named(seat)
    request, until = call.request(game), call.moderator.timekeeper.pass_until
    trial = request if yes else replace(request, use=replace(request.use, dry_run=True))
    found = desk.hand_in_page(trial, until, page, named)
    lines: list[Line] = [*told_of_page(found)]
    if not yes:
        would_be_written()  # discard the letters: a preview should stay short
        if not call.dry_run and call.agrees(lines, "Accept all of this?"):
            found, yes = desk.hand_in_page(request, until, page, named), True
            lines = [line for line in told_of_page(found) if line not in lines]
    document = {"game": game, "taken": yes and not call.dry_run, "posts": [_page_json(each) for each in found]}
    if not yes:
        lines.append("Nothing has been accepted yet; the same command with --yes accepts it.")
    elif not call.dry_run:
        lines += ["", *_block_lines(desk.next_to_post(call.open_games, game, call.now))]
    return Answer(lines, document)


def _page_json(found: PageResult) -> dict[str, Any]:
    handed = found.handed
    return {
        "number": found.post.number,
        "author": found.post.author,
        "faction": found.faction,
        "posted": iso_or_none(found.post.written),
        "state": handed.state if handed else "left out",
        "why": found.why,
        "lines": [{"line": line.text, "status": line.status} for line in handed.post.lines] if handed else [],
    }


def _told_of(handed: HandInResult, faction: Faction, number: int | None) -> str:
    post = f"Post {number} by {the_faction(faction)}" if number else f"A post by {the_faction(faction)}"
    lines = "; ".join(f"“{line.text}”: {told_of_line(line.status)}" for line in handed.post.lines)
    if handed.state == "known":
        return f"{post} was handed in before, word for word: {lines or 'nothing in it counts'}."
    if handed.state == "changed":
        return f"{post} was handed in before with other words, and those count: {lines or 'nothing in them'}."
    return f"{post}: {lines}." if lines else f"{post}: it contains no order (a line that begins with “!”)."


def _post_in(file: Path) -> str:
    try:
        text = read_bytes(file).decode("utf-8-sig").replace("\r\n", "\n").strip("\n")
    except UnicodeDecodeError:
        fail(f"{file} is not UTF-8 text: save it as UTF-8.", WRONG_USE)
    if not text.strip():
        fail("Standard input is empty." if str(file) == "-" else f"{file} is empty.", WRONG_USE)
    return text


def _instant(text: str, zone: ZoneInfo) -> datetime:
    try:
        when = datetime.fromisoformat(text)
    except ValueError:
        fail(f"--posted: {text!r} is not a time; write it like 2026-11-24T19:58 or 2026-11-24T19:58:00Z.", WRONG_USE)
    when = when if when.tzinfo else when.replace(tzinfo=zone)
    if when > utc_now():
        fail(f"--posted: {text} is in the future.", WRONG_USE)
    return when.astimezone(UTC)


@command("forum repost", without="tell")
def repost(
    call: Power,
    game: Game,
    skip: Annotated[bool, typer.Option("--skip", help="Give up the first waiting post instead.")] = False,
) -> Answer:
    """Retry the post that the forum refused, or give it up with --skip. The exit status is 1 if it is still waiting.

    Example: `mentat forum repost sietch-12`
    """
    first = desk.retry_posts(call.request(game), skip=skip)
    what = _KINDS[first.kind]
    if call.dry_run:
        told = f"{what} {'has been given up' if skip else 'will be tried again'}."
        return Answer(told, {"game": game, "kind": first.kind})
    forum = desk.next_to_post(call.open_games, game, call.now).thread.forum
    tried = forum in call.settings.forums and _post_now(call, forum)
    after = desk.next_to_post(call.open_games, game, call.now)
    waits, problem = len(after.waits), _problem(call, after)
    document = {
        "game": game,
        "kind": first.kind,
        "skipped": skip,
        "tried": tried,
        "waits": waits,
        "problem": problem or None,
    }
    given_up = f"{what} has been given up. " if skip else ""
    if waits and tried:
        told = f"{given_up}{plural(waits, 'post')} still waiting: {problem or 'the forum wants more time'}"
    elif waits:
        told = f"{given_up}Another `mentat` is handling the forums and will retry it at once."
    else:
        told = f"{given_up}Nothing is waiting any more."
    return Answer(told, document, failed=bool(waits) and tried)


def _problem(call: Call, shown: PostsToDo) -> str:
    if shown.thread.problem:
        return shown.thread.problem
    found = desk.forum_statuses(call.open_games)
    return next((each.posts.problem for each in found if each.name == shown.thread.forum), "")
