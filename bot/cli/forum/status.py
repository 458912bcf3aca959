"""`mentat forum status`: whether reading and posting work, and the thread of each game."""

from __future__ import annotations

from typing import Any
from zoneinfo import ZoneInfo

from bot.cli.forum.printing import iso
from bot.cli.session import CONFIG, AsJson, Config, answer_json, open_session, print_line
from bot.config import ForumSettings
from bot.forum import standing
from bot.forum.standing import InThread, Standing
from bot.reports.times import clock_of, moment
from bot.store.forum.states import State
from bot.wording.filters import plural
from rules.components import faction_name


def status(config: Config = CONFIG, as_json: AsJson = False) -> None:
    """Show how it stands with each forum: whether reading and posting work, its games, who is linked, what waits.

    Example: `mentat forum status`
    """
    session = open_session(config)
    found = standing.standings(session.moderator.open_games)
    if as_json:
        answer_json([_json(each) for each in found])
        return
    if not found:
        print_line("There is no forum in the settings ([forums.NAME]); config.example.toml shows how one is written.")
    for number, each in enumerate(found):
        if number:
            print_line("")
        for line in _lines(each, session.settings.mentat.timezone):
            print_line(line)


def _lines(each: Standing, zone: ZoneInfo) -> list[str]:
    forum = each.forum
    if forum is None:
        lines = [
            f"{each.name}: not in the settings any more ([forums.{each.name}]), so nothing is read or posted there"
        ]
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


def _work(work: str, state: State, zone: ZoneInfo) -> str:
    wait = f"; left in peace until {moment(state.wait_until, zone)}" if state.wait_until else ""
    if not state.problem:
        return f"  {work:10} works{wait}"
    since = f" since {moment(state.failing_since, zone)} {clock_of(zone)}" if state.failing_since else ""
    return f"  {work:10} FAILS{since}: {state.problem}{wait}"


def _game(game: InThread, forum: ForumSettings | None, zone: ZoneInfo) -> list[str]:
    thread, name = game.thread, game.thread.game_id
    if game.over and thread.closed:
        return [f"  {name}: over, {thread.url or 'all of it was told'}"]
    if thread.closed:
        return [f"  {name}: left; `mentat forum open {name} {thread.forum}` goes on in its thread"]
    by_hand = forum is not None and forum.kind == "paste"
    where = thread.url or (f"thread {thread.thread}" if thread.thread else "no thread yet")
    if by_hand and not thread.thread:
        where += f": `mentat forum show {name}` gives its first post"
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


def _json(each: Standing) -> dict[str, Any]:
    forum = each.forum
    return {
        "forum": each.name, "kind": forum.kind if forum else None, "well": each.well,
        "subscribed": each.subscribed or None, "reading": _state(each.reads), "posting": _state(each.posts),
        "games": [
            {
                "game": game.thread.game_id, "over": game.over, "left": game.thread.closed and not game.over,
                "thread": game.thread.thread or None, "url": game.thread.url or None,
                "read_at": iso(game.thread.read_at),
                "linked": {faction: author for faction, author in game.linked.items() if author is not None},
                "waits": game.waits,
                "problem": game.thread.problem or None, "problem_since": iso(game.thread.problem_since),
            }
            for game in each.games
        ],
    }  # fmt: skip


def _state(state: State) -> dict[str, Any]:
    return {
        "works": not state.problem, "problem": state.problem or None, "failing_since": iso(state.failing_since),
        "wait_until": iso(state.wait_until),
    }  # fmt: skip
