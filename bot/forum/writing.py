"""What is posted in the thread of a game: its opening, its news, the ends of turns, its end, and where it stands.

Posts are made from the position that everybody sees (`LetterWriter.position` for "public") and from what else all are
told here: the acts that were taken from posts, remarks about posts and accounts, the record's heads. Each begins with a
line that says which game it is and where it stands; then what happened, who is up and until when, and how to act here.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from urllib.parse import quote

from bot.channels.channel import Limits
from bot.forum.about_posts import LONGEST_NAME, Head, Remark, Taken, about_posts, inside
from bot.forum.auction import auction
from bot.forum.battles import fought_and_rest
from bot.forum.fitting import Content, in_posts, unlike_acts
from bot.reports import position as seen
from bot.reports.digest import Holders, digest, headline, held_at_end
from bot.reports.document import Heading, Paragraph, Row, Rows
from bot.reports.ending import what_was_hidden, who_played, why_it_ended
from bot.reports.fights import without_bids
from bot.reports.forum import DIALECTS, Dialect
from bot.reports.forum.plain_text import PlainText
from bot.reports.given import News, Position
from bot.reports.letters import in_its_words
from bot.reports.questions import duty
from bot.reports.story import phase_name, story
from bot.reports.times import clock_of, moment
from bot.wording.filters import name
from bot.wording.sentences import say
from rules.components import Faction

__all__ = ["Head", "Remark", "Taken", "Words", "ended", "news", "opening", "turn_over", "where_we_are"]

BY_POST = ("bid", "shipment", "movement", "nexus")
"""The kinds of question that an act in a post may answer."""

AFTER_BATTLES = ("collection", "mentat", "over")
TOLD_ABOVE = ("strongholds", "game-won")
"""Events that the headline tells, or the five lines."""


@dataclass(frozen=True, slots=True)
class Words:
    """What is posted: the title of the thread as it is now, and posts in order, each within the limits."""

    title: str
    posts: tuple[str, ...]


@in_its_words
def opening(position: Position, limits: Limits, *, plain: bool, acts_by_post: bool, by_hand: bool = False) -> Words:
    """The first post of a thread: what it is, who plays, how an account is linked, which lines count. ``by_hand``: a
    person hands in what is posted there, so no account is linked."""
    contents = _how_it_is_played(position, plain=plain, acts_by_post=acts_by_post, by_hand=by_hand)
    return _written(position, limits, say("forum-first.opening"), contents)


def _how_it_is_played(position: Position, *, plain: bool, acts_by_post: bool, by_hand: bool) -> list[Content]:
    """What the thread is, who plays, which lines count, how an account is linked or who hands posts in, and what proves
    the game."""
    contents: list[Content] = [
        Paragraph(
            say(
                "forum-opening.about", game=position.game_id, title=position.title, ruleset=position.ruleset,
                options=position.options,
            )
        ),
        Heading(say("forum-opening.players")), Rows(tuple(_player(position, faction) for faction in _seats(position))),
        Heading(say("forum-opening.acts")),
    ]  # fmt: skip
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
        if by_hand:
            contents.append(Paragraph(say("forum-opening.by-hand")))
        else:
            linking = say("forum-opening.link", mark=_mark(plain), plain=plain)
            contents += [Heading(say("forum-opening.link-heading")), Paragraph(linking)]
    if position.commitment:
        contents.append(Paragraph(say("forum-opening.seed", commitment=position.commitment)))
    return contents


@in_its_words
def news(
    position: Position, limits: Limits, *, taken: Sequence[Taken] = (), remarks: Sequence[Remark] = (),
    heads: Sequence[Head] = (), picture: str = "", plain: bool = False, acts_by_post: bool = True,
) -> Words:  # fmt: skip
    """What happened since the last post, and who is up now. What stands in ``background`` of the same turn helps to
    tell the end of a battle whose beginning was posted before, and which card is up."""
    contents = [
        *_story(position, position.news), *_picture(limits, picture), *_now(position, plain, acts_by_post),
        *about_posts(taken, remarks, heads),
    ]  # fmt: skip
    return _written(position, limits, _stands(position), contents)


@in_its_words
def turn_over(
    position: Position, limits: Limits, *, taken: Sequence[Taken] = (), remarks: Sequence[Remark] = (),
    heads: Sequence[Head] = (), picture: str = "", plain: bool = False, acts_by_post: bool = True,
) -> Words:  # fmt: skip
    """A whole turn as everybody may know it. The news are those of the turn that ended; where they go on into the next,
    that is told behind it as news are."""
    view = position.view
    turn = min((event.turn for event in position.news), default=view["turn"])
    ended = replace(position, news=tuple(event for event in position.news if event.turn == turn))
    since = tuple(event for event in position.news if event.turn > turn)
    now = say("forum-post.board-now", turn=_turn(position), phase=phase_name(view["phase"]))
    contents: list[Content] = [headline(ended), digest(ended), *_story(ended, _without(without_bids(ended.news)))]
    contents += [Heading(say("forum-post.board"), now), *(_picture(limits, picture) or [seen.board(position)])]
    contents += [
        Heading(say("heading.table"), say("table.order", banks=False)),
        seen.table(replace(position, banks={})),
    ]
    if position.cared_for:
        contents.append(Paragraph(say("table.cared-for", factions=position.cared_for)))
    if bribes := seen.before_shields(position):
        contents.append(Paragraph(bribes))
    if told := _story(position, since):
        contents += [Heading(say("forum-post.since")), *told]
    contents += [*_now(position, plain, acts_by_post), *about_posts(taken, remarks, heads)]
    stands = "" if view["phase"] == "over" else _stands(position)
    return _written(position, limits, say("forum-first.turn-over", turn=turn, stands=stands), contents)


@in_its_words
def ended(
    position: Position, limits: Limits, *, taken: Sequence[Taken] = (), remarks: Sequence[Remark] = (),
    heads: Sequence[Head] = (), picture: str = "", plain: bool = False, acts_by_post: bool = True,
) -> Words:  # fmt: skip
    """The end of the game: who won and why, who played, what was hidden where the position reveals it, the last news.
    Nothing more can be done by post, whatever the thread takes."""
    contents: list[Content] = [
        why_it_ended(position), *_story(position, _without(position.news)), Heading(say("forum-post.board")),
        *(_picture(limits, picture) or [seen.board(position)]), *who_played(_with_short_names(position)),
        *what_was_hidden(position),
    ]  # fmt: skip
    if position.revealed is not None and position.seed:
        contents += [
            Heading(say("heading.verify")),
            Paragraph(say("forum-end.seed", seed=position.seed, commitment=position.commitment)),
            Paragraph(say("forum-end.record")),
        ]
    contents += about_posts(taken, remarks, heads)
    return _written(position, limits, say("forum-first.ended"), contents)


@in_its_words
def where_we_are(
    position: Position, limits: Limits, *, turns: Mapping[int, str], plain: bool = False, acts_by_post: bool = True,
    by_hand: bool = False,
) -> Words:  # fmt: skip
    """The first post of the thread as it is revised each turn: where the game stands, the links to the first post of
    each turn (``turns``), and what it said when it was opened. One post: the oldest turns are left out where not all of
    it fits, and then who plays and how."""
    view = position.view
    rows = [Row(name(place), (say("forum-where.held", holders=held),)) for place, held in _held(position).items()]
    if view["alliances"]:
        rows.append(Row(say("forum-where.allied"), (say("digest.allied", alliances=view["alliances"]),)))
    contents: list[Content] = [*_up(position), Rows(tuple(rows))]
    if view["winner"]:
        contents.insert(0, why_it_ended(position))
    where = say("forum-first.where", stands=_stands(position))
    told = _how_it_is_played(position, plain=plain, acts_by_post=acts_by_post, by_hand=by_hand)
    shown = sorted(turns)
    while True:
        links = [Heading(say("forum-where.turns")), _links(limits, {turn: turns[turn] for turn in shown})]
        words = _written(position, limits, where, [*contents, *(links if shown else ()), *told])
        if len(words.posts) == 1:
            return words
        if not shown and not told:
            return replace(words, posts=words.posts[:1])
        shown, told = (shown[1:], told) if shown else (sorted(turns), [])


# --- a post ----------------------------------------------------------------------------------------------------------


def _written(position: Position, limits: Limits, told: str, contents: Sequence[Content]) -> Words:
    """The posts, each below its first line. ValueError for what is not fit for everybody's eyes."""
    if position.reader.viewer != "public":
        raise ValueError(f"a position for {position.reader.viewer!r} is not for a forum")

    def first(number: int, of: int) -> str:
        return say("forum-first.line", game=position.game_id, told=told, number=number, of=of)

    return Words(_title(position), in_posts(contents, limits, first))


def _title(position: Position) -> str:
    view = position.view
    if view["phase"] == "over":
        return say("forum-title.over", game=position.game_id, ruleset=position.ruleset, winners=view["winner"],
                   turn=view["turn"])  # fmt: skip
    return say("forum-title.running", game=position.game_id, ruleset=position.ruleset, turn=_turn(position),
               phase=phase_name(view["phase"]))  # fmt: skip


def _turn(position: Position) -> int:
    """The turn, 0 while the game is set up."""
    return 0 if position.view["phase"] == "setup" else position.view["turn"]


def _stands(position: Position) -> str:
    """Where the game stands: "turn 5 · bidding, card 2 of 4"."""
    view = position.view
    if view["phase"] == "over":
        return say("forum-first.ended")
    up = auction(position)
    return say(
        "forum-first.now", turn=_turn(position), last=view.get("last_turn", 0), phase=phase_name(view["phase"]),
        card=up.card, cards=up.cards,
    )  # fmt: skip


# --- what happened ---------------------------------------------------------------------------------------------------


def _story(position: Position, told: Sequence[News]) -> list[Content]:
    """The news by phase, each battle that is over with both its plans."""
    fought, rest = fought_and_rest(told, position.background)
    before = rest if not fought else tuple(event for event in rest if event.phase not in AFTER_BATTLES)
    after = () if not fought else tuple(event for event in rest if event.phase in AFTER_BATTLES)
    contents: list[Content] = []
    for events in (before, after):
        if events is after and fought:
            contents += [Heading(say("heading.battles", number=len(fought))), *fought]
        if chapter := story(replace(position, news=events)):
            contents.append(chapter)
    return contents


def _without(news: Sequence[News]) -> tuple[News, ...]:
    """The news without what the headline and the five lines have told."""
    return tuple(event for event in news if event.kind not in TOLD_ABOVE)


def _picture(limits: Limits, picture: str) -> list[Content]:
    """The line that shows the picture of the board. A name stands before the picture, as Markdown for a picture begins
    with ``!``, like an act. Empty where it does not fit into a post."""
    if not picture or len(picture) > limits.characters // 2:
        return []
    return [f"{_dialect(limits).words(say('forum-post.board'))}: {picture}"]


# --- who is up, and how to act ---------------------------------------------------------------------------------------


def _now(position: Position, plain: bool, acts_by_post: bool) -> list[Content]:
    """Who is up, and what they can do about it here."""
    contents: list[Content] = [*_up(position)]
    if not position.waiting:
        return contents
    if not acts_by_post:
        return [*contents, Paragraph(say("forum-now.by-mail"))]
    asked = {waiting.kind for waiting in position.waiting}
    if ways := [say(f"forum-way.{kind}", mark=_mark(plain)) for kind in BY_POST if kind in asked]:
        contents.append(Paragraph(say("forum-now.how", ways=ways)))
    return contents


def _up(position: Position) -> list[Content]:
    """Who has a duty that all may know of, and what stands open to everybody, until when."""
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
            {"who": who, "duty": key[0], "until": due} for (key, who), due in zip(named.items(), each, strict=True)
        ]
        bidding = any(waiting.kind == "bid" for waiting in position.waiting)
        highest = auction(position).highest if bidding else ""
        contents.append(Paragraph(say("forum-now.up", duties=duties, highest=highest, until=until), "lead"))
    if nameless:
        until, each = _due(position, list(nameless))
        duties = [{"duty": key[0], "until": due} for key, due in zip(nameless, each, strict=True)]
        contents.append(Paragraph(say("forum-now.open", duties=duties, until=until)))
    if position.stopped:
        contents.append(Paragraph(say("wanted.stopped")))
    return contents


def _due(position: Position, keys: Sequence[tuple[str, datetime | None]]) -> tuple[str, list[str]]:
    """The deadline that all have in common, else each one's own."""
    zone = position.reader.zone
    told = [
        say("forum-now.due", moment=moment(due, zone), zone=clock_of(zone)) if due else "" for _, due in keys
    ]  # fmt: skip
    return (told[0], [""] * len(told)) if len(set(told)) == 1 else ("", told)


def _mark(plain: bool) -> str:
    return "" if plain else "!"


# --- players, links --------------------------------------------------------------------------------------------------


def _seats(position: Position) -> list[Faction]:
    """The factions as they sit around the board."""
    players = position.view["players"]
    return sorted(players, key=lambda faction: players[faction]["dot"])


def _player(position: Position, faction: Faction) -> Row:
    player = inside(position.players.get(faction, ""), LONGEST_NAME)
    return Row(name(faction), (say("setup.player", player=player, dot=position.view["players"][faction]["dot"]),))


def _with_short_names(position: Position) -> Position:
    names = {faction: inside(player, LONGEST_NAME) for faction, player in position.players.items()}
    return replace(position, players=names)


def _acts(plain: bool, *, press: bool) -> Rows:
    """The lines that count in a post."""
    kinds = (*BY_POST, "press") if press else BY_POST
    rows = (Row(say(f"forum-act.{kind}"), (say(f"forum-act.{kind}-lines", mark=_mark(plain)),)) for kind in kinds)
    return Rows(tuple(rows))


def _held(position: Position) -> Holders:
    return held_at_end(replace(position, news=()))


def _links(limits: Limits, turns: Mapping[int, str]) -> str:
    """A line for each turn. No address is wrapped, however long."""
    dialect = _dialect(limits)
    labels = {turn: dialect.words(say("forum-where.turn", turn=turn)) for turn in turns}
    lines = [f"{labels[turn]} {_link(limits, link)}" for turn, link in turns.items()]
    if not isinstance(dialect, PlainText):
        return dialect.items(lines)
    return "\n".join(
        f"- {line}" if _is_address(link) else unlike_acts(dialect.items([line]))
        for line, link in zip(lines, turns.values(), strict=True)
    )


def _link(limits: Limits, address: str) -> str:
    """An address as forums find it by themselves, with nothing in it that they read as a mark; what is none, as
    words."""
    if _is_address(address):
        return quote(address, safe="%/:?#&=+,-._").replace("~", "%7E")
    return _dialect(limits).words(address)


def _is_address(link: str) -> bool:
    return re.fullmatch("https?://[!-~]+", link) is not None


def _dialect(limits: Limits) -> Dialect:
    return DIALECTS[limits.dialect.value]
