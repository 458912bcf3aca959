"""The posts in the thread of a game: its opening, the news, the ends of turns, its end, and its status.

Posts are made from the public position (`LetterWriter.position` for "public") and from other facts: the results of
lines in posts, remarks about posts and accounts, and heads of the record.

Once a battle is over, a post reports all of it, even if an earlier post has reported its beginning. Account names and
players' words are put on one line, truncated if they are long, and lose the characters that would end a quotation.

The blocks are fitted into posts, each of which has a first line of its own. Content too large for any post is divided
into smaller blocks, never cut through its markup. No line begins with the mark of an act, not even in a player's words.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any, Literal
from urllib.parse import quote
from zoneinfo import ZoneInfo

from msgspec import structs

from bot.channels import Limits
from bot.render import position as seen
from bot.render.blocks import (
    Block,
    Board,
    Cell,
    Fight,
    Footer,
    Heading,
    List,
    Paragraph,
    Part,
    Row,
    Rows,
    Story,
    Table,
    Title,
)
from bot.render.forum_posts import DIALECTS, Dialect, PlainText, cut_text, harmless
from bot.render.letters import in_its_words
from bot.render.material import News, Position
from bot.render.questions import duty
from bot.render.summary import (
    Holders,
    fights,
    headline,
    held_at_end,
    phase_name,
    story,
    turn_digest,
    what_was_hidden,
    who_played,
    why_it_ended,
    without_bids,
)
from bot.store.forum_threads import RemarkKind
from bot.wording import clock_of, moment, say
from bot.wording.filters import name
from rules.components import Faction

__all__ = [
    "Head",
    "PostedLine",
    "Remark",
    "Words",
    "end_of_game",
    "end_of_turn",
    "news_posts",
    "opening_posts",
    "status_post",
]

BY_POST = ("charity", "bid", "revival", "shipment", "movement", "nexus")

AFTER_BATTLES = ("collection", "mentat", "over")
TOLD_ABOVE = ("strongholds", "game-won")
"""Kinds of events that the headline or the five lines below it already report."""


@dataclass(frozen=True, slots=True)
class Words:
    title: str
    posts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Acting:
    """How players act in a thread. ``by_post`` means that players may give orders in posts. ``plain`` means that lines
    count even without an exclamation mark in front. ``by_hand`` means that a person passes the posts on to Mentat.
    ``accounts`` are the names of the accounts that post for seats."""

    by_post: bool = True
    plain: bool = False
    by_hand: bool = False
    accounts: Mapping[Faction, str] = field(default_factory=dict[Faction, str])


@dataclass(frozen=True, slots=True)
class Besides:
    posted: Sequence[PostedLine] = ()
    remarks: Sequence[Remark] = ()
    heads: Sequence[Head] = ()  # of the record
    picture: str = ""


@in_its_words
def opening_posts(position: Position, limits: Limits, acting: Acting = Acting()) -> Words:
    board: list[Content] = [Heading(say("forum-post.board")), seen.board(position)]
    return _in_posts(position, limits, say("forum-first.opening"), [*_how_it_is_played(position, acting), *board])


def _how_it_is_played(position: Position, acting: Acting) -> list[Content]:
    plain, acts_by_post = acting.plain, acting.by_post
    contents: list[Content] = [
        Paragraph(
            say(
                "forum-opening.about",
                game=position.game_id,
                title=position.title,
                ruleset=position.ruleset,
                options=position.options,
            )
        ),
        Heading(say("forum-opening.players")),
        Rows(tuple(_player(position, faction) for faction in position.seats)),
        Heading(say("forum-opening.acts")),
    ]
    if acts_by_post:
        contents += [Paragraph(say("forum-opening.lines", plain=plain)), _acts(plain, press=not position.press)]
        contents += [Paragraph(say("forum-opening.once", plain=plain)), Paragraph(say("forum-opening.secrets"))]
    else:
        contents.append(Paragraph(say("forum-opening.by-mail")))
    if position.press:
        contents += [Paragraph(said) for said in (say("forum-opening.talk-press"), *position.press)]
    elif acts_by_post:
        contents.append(Paragraph(say("forum-opening.talk")))
    if acts_by_post:
        if acting.by_hand:
            contents.append(Paragraph(say("forum-opening.by-hand")))
        else:
            linking = say("forum-opening.link", mark=_mark(plain), plain=plain)
            contents += [Heading(say("forum-opening.link-heading")), Paragraph(linking)]
    if position.commitment:
        contents.append(Paragraph(say("forum-opening.seed", commitment=position.commitment)))
    return contents


@in_its_words
def news_posts(position: Position, limits: Limits, acting: Acting = Acting(), besides: Besides = Besides()) -> Words:
    """Report the events since the last post, and whose turn it is now. The ``background`` (earlier events of the turn)
    is needed for a battle whose beginning has already been posted, and for the card that is for sale."""
    moves = position.view["phase"] == "movement" and any(head.phase == "revival" for head in besides.heads)
    contents = [
        *_story(position, position.news),
        *_picture(limits, besides.picture),
        *([Heading(say("forum-post.board")), seen.board(position)] if moves else ()),
        *_now(position, acting),
        *_beside(besides),
    ]
    return _in_posts(position, limits, _status(position), contents)


@in_its_words
def end_of_turn(
    position: Position, limits: Limits, acting: Acting = Acting(), besides: Besides = Besides(), told: int = 0
) -> Words:
    """Write a short public report of a whole turn, followed by any news of the next turn. The first ``told`` events of
    the turn were already posted when they happened."""
    view = position.view
    turn = min((event.turn for event in position.news), default=view["turn"])
    ended = structs.replace(position, news=tuple(event for event in position.news if event.turn == turn))
    since = tuple(event for event in position.news if event.turn > turn)
    now = say("forum-post.board-now", turn=_turn(position), phase=phase_name(view["phase"]))
    fresh = structs.replace(ended, background=(*ended.background, *ended.news[:told]))
    contents: list[Content] = [headline(ended), turn_digest(ended)]
    contents += _story(fresh, _without(without_bids(ended.news[told:])))
    contents += [Heading(say("forum-post.board"), now), *(_picture(limits, besides.picture) or [seen.board(position)])]
    contents += [
        Heading(say("heading.table"), say("table.order", banks=False)),
        seen.table(structs.replace(position, banks={})),
    ]
    if position.cared_for:
        contents.append(Paragraph(say("table.cared-for", factions=position.cared_for)))
    if position.opponents:
        contents.append(Paragraph(seen.opponents_told(position)))
    if bribes := seen.before_shields(position):
        contents.append(Paragraph(bribes))
    if later := _story(position, since):
        contents += [Heading(say("forum-post.since")), *later]
    contents += [*_now(position, acting), *_beside(besides)]
    stands = "" if view["phase"] == "over" else _status(position)
    return _in_posts(position, limits, say("forum-first.turn-over", turn=turn, stands=stands), contents)


@in_its_words
def end_of_game(position: Position, limits: Limits, acting: Acting = Acting(), besides: Besides = Besides()) -> Words:
    """Report the end of the game: who won and why, who played whom, hidden information, and the last news. From then
    on, posts have no effect on the game, even if the forum still accepts them in the thread."""
    contents: list[Content] = [
        why_it_ended(position),
        *_story(position, _without(position.news)),
        Heading(say("forum-post.board")),
        *(_picture(limits, besides.picture) or [seen.board(position)]),
        *who_played(_with_short_names(position)),
        *what_was_hidden(position),
    ]
    if position.revealed is not None and position.seed:
        contents += [
            Heading(say("heading.verify")),
            Paragraph(say("forum-end.seed", seed=position.seed, commitment=position.commitment)),
            Paragraph(say("forum-end.record")),
        ]
    contents += _beside(besides)
    return _in_posts(position, limits, say("forum-first.ended"), contents)


@in_its_words
def status_post(position: Position, limits: Limits, turns: Mapping[int, str], acting: Acting = Acting()) -> Words:
    """Write the new version of the thread's first post: the status, links to each turn, and the opening.

    ``turns`` has the first post of each turn. The result is a single post. If it would be too long, the links to the
    oldest turns are dropped first, then the explanation of who plays and how.
    """
    view = position.view
    rows = [Row(name(place), (say("forum-where.held", holders=held),)) for place, held in _held(position).items()]
    if view["alliances"]:
        rows.append(Row(say("forum-where.allied"), (say("digest.allied", alliances=view["alliances"]),)))
    contents: list[Content] = [*_who_is_up(position, acting), Rows(tuple(rows))]
    if view["winner"]:
        contents.insert(0, why_it_ended(position))
    where = say("forum-first.where", stands=_status(position))
    told = _how_it_is_played(position, acting)
    shown = sorted(turns)
    while True:
        links = [Heading(say("forum-where.turns")), _links(limits, {turn: turns[turn] for turn in shown})]
        words = _in_posts(position, limits, where, [*contents, *(links if shown else ()), *told])
        if len(words.posts) == 1:
            return words
        if not shown and not told:
            return replace(words, posts=words.posts[:1])
        shown, told = (shown[1:], told) if shown else (sorted(turns), [])


# --- a post ----------------------------------------------------------------------------------------------------------


def _in_posts(position: Position, limits: Limits, told: str, contents: Sequence[Content]) -> Words:
    if position.reader.viewer != "public":
        raise ValueError(f"a position for {position.reader.viewer!r} is not for a forum")

    def first(number: int, of: int) -> str:
        return say("forum-first.line", game=position.game_id, told=told, number=number, of=of)

    return Words(_title(position), fit_into_posts(contents, limits, first))


def _title(position: Position) -> str:
    view = position.view
    if view["phase"] == "over":
        return say(
            "forum-title.over",
            game=position.game_id,
            ruleset=position.ruleset,
            winners=view["winner"],
            turn=view["turn"],
        )
    return say(
        "forum-title.running",
        game=position.game_id,
        ruleset=position.ruleset,
        turn=_turn(position),
        phase=phase_name(view["phase"]),
    )


def _turn(position: Position) -> int:
    return 0 if position.view["phase"] == "setup" else position.view["turn"]


def _status(position: Position) -> str:
    view = position.view
    if view["phase"] == "over":
        return say("forum-first.ended")
    up = auction_state(position)
    return say(
        "forum-first.now",
        turn=_turn(position),
        last=view.get("last_turn", 0),
        phase=phase_name(view["phase"]),
        card=up.card,
        cards=up.cards,
    )


# --- events ----------------------------------------------------------------------------------------------------------


def _story(position: Position, told: Sequence[News]) -> list[Content]:
    fought, rest = split_battles(told, position.background)
    before = rest if not fought else tuple(event for event in rest if event.phase not in AFTER_BATTLES)
    after = () if not fought else tuple(event for event in rest if event.phase in AFTER_BATTLES)
    contents: list[Content] = []
    for events in (before, after):
        if events is after and fought:
            contents += [Heading(say("heading.battles", number=len(fought))), *fought]
        if chapter := story(structs.replace(position, news=events)):
            contents.append(chapter)
    return contents


def _without(news: Sequence[News]) -> tuple[News, ...]:
    return tuple(event for event in news if event.kind not in TOLD_ABOVE)


def _picture(limits: Limits, picture: str) -> list[Content]:
    """Return the line with the picture of the board, or an empty list if it does not fit into a post. A name comes
    before the picture, because pictures in Markdown begin with ``!``, just like acts."""
    if not picture or len(picture) > limits.characters // 2:
        return []
    return [f"{_dialect(limits).words(say('forum-post.board'))}: {picture}"]


# --- whose turn it is, and how to act --------------------------------------------------------------------------------


def _now(position: Position, acting: Acting) -> list[Content]:
    contents: list[Content] = [*_who_is_up(position, acting)]
    if not position.waiting:
        return contents
    if not acting.by_post:
        return [*contents, Paragraph(say("forum-now.by-mail"))]
    asked = {waiting.kind for waiting in position.waiting}
    if ways := [say(f"forum-way.{kind}", mark=_mark(acting.plain)) for kind in BY_POST if kind in asked]:
        contents.append(Paragraph(say("forum-now.how", ways=ways)))
    return contents


def _who_is_up(position: Position, acting: Acting) -> list[Content]:
    named: dict[tuple[str, datetime | None], list[Faction]] = {}
    nameless: dict[tuple[str, datetime | None], None] = {}
    for waiting in position.waiting:
        key = (duty(waiting.kind), waiting.due)
        if waiting.faction:
            named.setdefault(key, []).append(waiting.faction)
        else:
            nameless[key] = None
    contents: list[Content] = []
    if named:
        until, each = _due(position, list(named))
        duties = [
            dict[str, object](who=[_account(faction, acting) for faction in who], duty=key[0], until=due)
            for (key, who), due in zip(named.items(), each, strict=True)
        ]
        bidding = any(waiting.kind == "bid" for waiting in position.waiting)
        highest = auction_state(position).highest if bidding else ""
        contents.append(Paragraph(say("forum-now.up", duties=duties, highest=highest, until=until), "lead"))
    if nameless:
        until, each = _due(position, list(nameless))
        duties = [{"duty": key[0], "until": due} for key, due in zip(nameless, each, strict=True)]
        contents.append(Paragraph(say("forum-now.open", duties=duties, until=until)))
    if position.stopped:
        contents.append(Paragraph(say("wanted.stopped")))
    return contents


def _account(faction: Faction, acting: Acting) -> str:
    account = quoted_words(acting.accounts.get(faction, ""), LONGEST_NAME)
    return f"{name(faction)} ({account})" if account and account != faction else name(faction)


def _due(position: Position, keys: Sequence[tuple[str, datetime | None]]) -> tuple[str, list[str]]:
    zone = position.reader.zone
    told = [_moment(due, zone) if due and due > position.now else "" for _, due in keys]
    return (told[0], [""] * len(told)) if len(set(told)) == 1 else ("", told)


def _moment(due: datetime, zone: ZoneInfo) -> str:
    utc = due.astimezone(UTC)
    day = "" if utc.date() == due.astimezone(zone).date() else f"{utc:%a} "
    return say("forum-now.due", moment=moment(due, zone), zone=clock_of(zone), utc=f"{day}{utc:%H:%M}")


def _mark(plain: bool) -> str:
    return "" if plain else "!"


# --- players, links --------------------------------------------------------------------------------------------------


def _player(position: Position, faction: Faction) -> Row:
    player = quoted_words(position.players.get(faction, ""), LONGEST_NAME)
    return Row(name(faction), (say("setup.player", player=player, dot=position.view["players"][faction]["dot"]),))


def _with_short_names(position: Position) -> Position:
    names = {faction: quoted_words(player, LONGEST_NAME) for faction, player in position.players.items()}
    return structs.replace(position, players=names)


def _acts(plain: bool, *, press: bool) -> Rows:
    kinds = (*BY_POST, "press") if press else BY_POST
    rows = (Row(say(f"forum-act.{kind}"), (say(f"forum-act.{kind}-lines", mark=_mark(plain)),)) for kind in kinds)
    return Rows(tuple(rows))


def _held(position: Position) -> Holders:
    return held_at_end(structs.replace(position, news=()))


def _links(limits: Limits, turns: Mapping[int, str]) -> str:
    dialect = _dialect(limits)
    labels = {turn: dialect.words(say("forum-where.turn", turn=turn)) for turn in turns}
    lines = [f"{labels[turn]} {_link(limits, link)}" for turn, link in turns.items()]
    if not isinstance(dialect, PlainText):
        return dialect.items(lines)
    return "\n".join(
        f"- {line}" if _is_address(link) else defuse_acts(dialect.items([line]))
        for line, link in zip(lines, turns.values(), strict=True)
    )


def _link(limits: Limits, address: str) -> str:
    if _is_address(address):
        return quote(address, safe="%/:?#&=+,-._").replace("~", "%7E")
    return _dialect(limits).words(address)


def _is_address(link: str) -> bool:
    return re.fullmatch("https?://[!-~]+", link) is not None


def _dialect(limits: Limits) -> Dialect:
    return DIALECTS[limits.dialect.value]


LONGEST_NAME = 40  # characters of the name of an account or a player; a longer one is cut
LONGEST_LINE = 160  # of an act that is quoted back
SHORT_HEAD = 16  # digits that identify a head
MOST_POSTED = 60  # how many posts with each result are named
BY_SEAT = 8  # with more posts than this, the posts of each account are named together


@dataclass(frozen=True, slots=True)
class PostedLine:
    """A line of a post and its result. ``line`` is the line in canonical words, or "" if these must not be repeated. If
    it does not count, ``why`` is one of the reasons in `[forum-why]`."""

    post: str
    """The number of the post as readers see it, such as "#41"; "" in forums where posts have no numbers."""
    author: str
    faction: Faction
    line: str
    fate: Literal["counts", "waits", "not"] = "counts"
    why: str = ""


@dataclass(frozen=True, slots=True)
class Remark:
    """A public remark about a post or an account. ``in_force`` is the act that still counts or, after a rollback, the
    point to which the game returned."""

    kind: RemarkKind
    post: str = ""
    author: str = ""
    faction: Faction | None = None
    in_force: str = ""
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Head:
    turn: int
    phase: str
    head: str


def _beside(besides: Besides) -> list[Block]:
    contents: list[Block] = []
    for fate in ("counts", "waits", "not"):
        acts: dict[PostedLine, dict[str, None]] = {}
        for line in besides.posted:
            if line.fate == fate:
                acts.setdefault(replace(line, line=""), {})[line.line] = None
        named = list(acts.items())[:MOST_POSTED]
        told = [
            _posted(of, [f"“{quoted_words(words, LONGEST_LINE)}”" for words in lines if words]) for of, lines in named
        ]
        if len(told) > BY_SEAT:
            told = _by_seat(told)
        if told:
            contents.append(Paragraph(say(f"forum-posted.{fate}", lines=told, more=len(acts) - len(named))))
    contents += [Paragraph(_remark(remark)) for remark in besides.remarks]
    if besides.heads:
        heads = [
            {"turn": head.turn, "phase": head.phase, "name": phase_name(head.phase), "head": head.head[:SHORT_HEAD]}
            for head in besides.heads
        ]
        contents.append(Paragraph(say("forum-post.record", heads=heads), "small"))
    return contents


def _posted(of: PostedLine, acts: Sequence[str]) -> dict[str, object]:
    return {
        "post": quoted_words(of.post, LONGEST_NAME),
        "author": quoted_words(of.author, LONGEST_NAME),
        "faction": of.faction,
        "acts": acts,
        "why": of.why and say(f"forum-why.{of.why}"),
    }


def _by_seat(told: Sequence[Mapping[str, Any]]) -> list[dict[str, object]]:
    seats: dict[tuple[str, Faction], list[str]] = {}
    for each in told:
        acts = " ".join(filter(None, (each["post"], ", ".join(each["acts"]))))
        said = f"{acts}: {each['why']}" if each["why"] else acts
        seats.setdefault((each["author"], each["faction"]), []).append(said)
    return [
        {"post": "", "author": author, "faction": faction, "acts": said, "why": ""}
        for (author, faction), said in seats.items()
    ]


def _remark(remark: Remark) -> str:
    who = say("forum-remark.account", author=quoted_words(remark.author, LONGEST_NAME), faction=remark.faction)
    return say(
        f"forum-remark.{remark.kind}",
        post=quoted_words(remark.post, LONGEST_NAME),
        who=who,
        in_force=quoted_words(remark.in_force, LONGEST_LINE),
        reason=quoted_words(remark.reason, LONGEST_LINE),
    )


_QUOTES = str.maketrans({"“": "'", "”": "'", "„": "'", '"': "'", "·": ".", "•": "."})


def quoted_words(text: str, longest: int) -> str:
    """Return other people's words so that they fit into one of Mentat's sentences: on one line, truncated, and without
    the characters that end a quotation."""
    line = " ".join(harmless(text).translate(_QUOTES).split())
    return line if len(line) <= longest else f"{line[: longest - 1]}…"


TELLING = ("card-up", "bid", "passed", "card-sold", "sale-void", "overbid-found")


@dataclass(slots=True)
class Auction:
    """The card for sale: number ``card`` of ``cards``, or 0 if unknown. ``highest`` is a few words about the highest
    bid, or empty if unknown."""

    card: int = 0
    cards: int = 0
    highest: str = ""


def auction_state(position: Position) -> Auction:
    found = Auction()
    if position.view["phase"] != "bidding":
        return found
    for event in (*position.background, *position.news):
        if event.turn != position.view["turn"] or event.kind not in TELLING:
            continue
        facts = event.facts
        match event.kind:
            case "card-up":
                found = Auction(facts["number"], facts["of"], say("forum-now.no-bid"))
            case "bid":
                found.card = facts["number"]
                found.highest = say("forum-now.highest", bidder=facts["faction"], amount=facts["amount"])
            case "passed":
                found.card = facts["number"]
            case _:  # later events will show the present state
                found.card, found.highest = facts["number"], ""
    return found


DECIDED = ("battle-won", "battle-without-winner")


def split_battles(news: Sequence[News], background: Sequence[News]) -> tuple[list[Fight], tuple[News, ...]]:
    """Split the news into decided battles and everything else. The beginning of the first battle may be in the
    ``background``."""
    battles: list[list[News]] = [_under_way(news, background)]
    numbers: list[int] = []  # for each event, its battle, or -1
    for event in news:
        fighting = event.phase == "battle" and event.kind != "battles-listed"
        if event.kind == "battle-begins":
            battles.append([])
        if fighting:
            battles[-1].append(event)
        numbers.append(len(battles) - 1 if fighting else -1)
    whole = [number for number, battle in enumerate(battles) if _is_whole(battle)]
    rest = [event for event, number in zip(news, numbers, strict=True) if number not in whole]
    if all(map(_is_whole, battles[1:])):  # the battles themselves show what was to be fought
        rest = [event for event in rest if event.kind != "battles-listed" or not whole]
    return fights([event for number in whole for event in battles[number]]), tuple(rest)


def _is_whole(battle: Sequence[News]) -> bool:
    return bool(battle) and battle[0].kind == "battle-begins" and any(event.kind in DECIDED for event in battle)


def _under_way(news: Sequence[News], background: Iterable[News]) -> list[News]:
    turn = next((event.turn for event in news if event.phase == "battle"), 0)
    found: list[News] = []
    for event in background:
        if event.turn != turn or event.phase != "battle":
            continue
        if event.kind == "battle-begins":
            found = [event]
        elif event.kind in DECIDED:
            found = []
        elif found:
            found.append(event)
    return found


Content = Block | str

BETWEEN = "\n\n"
LEAST_ROOM = 100

_ACT = re.compile(r"(?m)^(\s*)[!\uff01]")


def fit_into_posts(contents: Sequence[Content], limits: Limits, first: Callable[[int, int], str]) -> tuple[str, ...]:
    """Fit the contents, in order, into as few posts as possible. ``first`` returns a post's first line, given its
    number and the number of posts."""
    dialect = DIALECTS[limits.dialect.value]

    def opened(number: int, of: int) -> str:
        return defuse_acts(dialect.strong(first(number, of)))

    room = max(LEAST_ROOM, limits.characters - len(opened(99, 99)) - len(BETWEEN))
    bodies = _packed(list(_units(dialect, contents, room)), room)
    return tuple(
        _filled(f"{opened(number, len(bodies))}{BETWEEN}{body}".rstrip(), limits)
        for number, body in enumerate(bodies, start=1)
    )


def refit_post(post: str, limits: Limits) -> tuple[str, ...]:
    """Fit a post that was made for other limits into these limits. Cut it between its blocks or, if a block is too
    long, between lines or words."""
    if len(post) <= limits.characters:
        return (_filled(post, limits),)
    units = [defuse_acts(part) for block in post.split(BETWEEN) for part in _cut(block, limits.characters)]
    return tuple(_filled(body, limits) for body in _packed(units, limits.characters))


def _cut(block: str, room: int) -> Iterator[str]:
    if len(block) <= room:
        yield block
        return
    held = ""
    for line in block.split("\n"):
        for part in cut_text(line, room):
            if held and len(held) + 1 + len(part) > room:
                yield held
                held = part
            else:
                held = f"{held}\n{part}" if held else part
    yield held


def _packed(units: Sequence[str], room: int) -> list[str]:
    found: list[str] = []
    for unit in units:
        if found and len(found[-1]) + len(BETWEEN) + len(unit) <= room:
            found[-1] += BETWEEN + unit
        else:
            found.append(unit)
    return found or [""]


def _filled(post: str, limits: Limits) -> str:
    more = BETWEEN + DIALECTS[limits.dialect.value].words(say("forum-post.filler"))
    while len(post) < limits.characters_at_least and len(post) + len(more) <= limits.characters:
        post += more
    return post


def _units(dialect: Dialect, contents: Sequence[Content], room: int) -> Iterator[str]:
    heading = ""
    for content in contents:
        if isinstance(content, Heading):
            heading = BETWEEN.join(_fitted(dialect, content, room // 2)) + BETWEEN
            continue
        units = [content] if isinstance(content, str) else _fitted(dialect, content, room - len(heading))
        for unit in filter(None, units):
            yield heading + unit
            heading = ""


def _fitted(dialect: Dialect, block: Block, room: int) -> list[str]:
    units = [defuse_acts(unit) for unit in dialect.units(block)]
    if all(len(unit) <= room for unit in units):
        return units
    return [unit for part in _smaller(block) for unit in _fitted(dialect, part, room)]


def defuse_acts(text: str) -> str:
    return _ACT.sub(r"\1¡", text)


def _smaller(block: Block) -> Iterator[Block]:
    match block:
        case Paragraph(text, tone):
            yield from (Paragraph(half, tone) for half in _halves(text))
        case Title(text, below):
            yield Paragraph(text, "lead")
            yield Paragraph(below)
        case Heading(text, after):
            yield Paragraph(f"{text} {after}".strip(), "lead")
        case Rows(rows) if len(rows) > 1:
            yield from (Rows((row,)) for row in rows)
        case Rows(rows):
            yield from (Rows((row,)) for row in _smaller_row(rows[0]))
        case Story(chapters) if len(chapters) > 1:
            yield from (Story((chapter,)) for chapter in chapters)
        case Story(chapters):
            yield from (Story((row,)) for row in _smaller_row(chapters[0]))
        case Table(head, rows, numeric, below) if len(rows) > 1:
            half = len(rows) // 2
            yield Table(head, rows[:half], numeric, below[:half])
            yield Table(head, rows[half:], numeric, below[half:])
        case Table(head, rows, _, below):
            yield from (Paragraph(" ".join(filter(None, (*_told(head, row), *below)))) for row in rows)
        case Fight(place, about, sides, parts, remarks):
            yield Paragraph(f"{place}: {about}", "lead")
            yield Table(("", *(side.told for side in sides)), parts)
            yield Rows(tuple(Row(place, (remark,)) for remark in remarks))
        case Board(says, rows):
            yield Paragraph(says)
            yield Table(("", ""), tuple((row.label, ", ".join(row.lines)) for row in rows))
        case Part(title, blocks, _, after):
            yield from (Heading(title, after), *blocks)
        case List(items):
            yield from (Paragraph(str(item)) for item in items)
        case Footer():
            return
        case _:
            raise TypeError(f"{type(block).__name__} is for one reader, not for a forum")


def _told(head: Sequence[str], row: Sequence[Cell]) -> Iterator[str]:
    return (" ".join(filter(None, map(str, pair))) for pair in zip(head, row, strict=True))


def _smaller_row(row: Row) -> Iterator[Row]:
    if len(row.lines) > 1:
        half = len(row.lines) // 2
        yield Row(row.label, row.lines[:half])
        yield Row(row.label, row.lines[half:])
    else:
        yield from (Row(row.label, (half,)) for half in _halves(row.lines[0]))


def _halves(text: str) -> list[str]:
    return cut_text(text, (len(text) + 1) // 2) if len(text) > 1 else []
