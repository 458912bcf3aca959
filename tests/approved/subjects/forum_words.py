"""Where a game stands, what of it is told in its thread, and what the forum takes: the posts, whole."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import timedelta
from functools import cache
from typing import Any, get_args

import msgspec

from bot.channels.channel import Dialect, Limits
from bot.forum import post_texts
from bot.forum.post_texts import Head, Remark, TakenAct, Words
from bot.render.material import Duty, News, Position, Revelation
from bot.store.forum_threads import RemarkKind
from rules.components import FACTIONS, Faction
from rules.orders import QuestionKind
from tests.approved.json_inputs import as_input, vary_json
from tests.approved.subject import Subject
from tests.reports.positions import DUE, position_of, stops

KINDS = ("opening", "news", "turn_over", "ended", "where_we_are")
GAMES = (("ah-basic", "spice"), ("wbc-2018", "spice"), ("wbc-2018", "melange"))


class Asked(msgspec.Struct):
    """What is waited for; ``hours`` until then, none for no deadline."""

    faction: Faction | None
    kind: QuestionKind
    hours: int | None = 0


class Given(msgspec.Struct, omit_defaults=True):
    """A post: of which ``game``, at which stop, with the news since so many stops ``before``; who is called how."""

    kind: str
    game: int
    stop: int
    before: int = 1
    dialect: Dialect = Dialect.MARKDOWN
    characters: int = 30_000
    least: int = 1
    waiting: list[Asked] | None = None
    taken: list[TakenAct] = []
    remarks: list[Remark] = []
    heads: list[Head] = []
    picture: str = ""
    plain: bool = False
    acts_by_post: bool = True
    by_hand: bool = False
    turns: dict[int, str] = {}
    names: str = ""
    stopped: bool = False
    press: list[str] = []
    cared_for: list[Faction] = []
    seed: str = ""
    commitment: str = ""
    revealed: bool = False
    last_turn: int = 0


@cache
def _positions(game: int) -> Sequence[tuple[Position, Revelation]]:
    """A random game as everybody saw it at each of its stops until the third turn, and at its end."""
    found: list[tuple[Position, Revelation]] = []
    for play in stops(*GAMES[game % len(GAMES)]):
        if play.state.turn < 3 or play.over:
            players = play.state.players
            found.append((
                position_of(play, "public"),
                Revelation(
                    hands={faction: player.hand for faction, player in players.items()},
                    traitors={faction: player.traitors for faction, player in players.items()}, captives={},
                    prediction=None,
                ),
            ))  # fmt: skip
    return found


def _seeds() -> Iterator[str]:
    remarks = [Remark(kind, "#41", "edric", "guild", "bid 3", "a reason") for kind in get_args(RemarkKind)]
    remarks.append(Remark("not-linked", author="somebody with a very long name of more than forty letters"))
    taken = [
        TakenAct("#41", "bob (Fremen) “bid 12” · #45 eve", "fremen", "bid 12"),
        TakenAct("", "edric", "guild", "x " * 90),
    ]
    heads = [Head(1, "bidding", "1a2b3c4d5e6f7a8b" * 4), Head(2, "over", "0" * 64)]
    for number, kind in enumerate(KINDS):
        for game in range(len(GAMES)):
            for stop in range(0, 200, 13):
                dialect = list(Dialect)[(number + stop) % 4]
                yield as_input(Given(kind, game, stop + number, 5 + stop % 9, dialect))
        yield as_input(Given(kind, 1, 999, 40, revealed=True, seed="secret", commitment="ab" * 32, heads=heads))
        yield as_input(Given(kind, 1, 30, 30, taken=taken, remarks=remarks[:4], heads=heads, picture="![board](a.png)"))
        yield as_input(Given(kind, 1, 60, 3, remarks=remarks[4:], names="<b>[b]*Ann*[/b] @x" * 4, by_hand=True))
        yield as_input(Given(kind, 1, 40, 20, Dialect.BBCODE, 700, taken=taken, plain=True, names="Ann"))
        yield as_input(Given(kind, 1, 5, 3, Dialect.TEXT, least=900, acts_by_post=False, press=["Press is grey."]))
        yield as_input(Given(kind, 2, 50, 9, turns={1: "https://a.example/1~x", 2: "#12", 3: ""}, cared_for=["guild"]))
        yield as_input(Given(kind, 2, 80, 9, Dialect.TEXT, 900, turns={n: f"https://a.example/{n}" for n in range(30)}))
        yield as_input(Given(kind, 2, 90, 9, stopped=True, last_turn=7, waiting=[
            Asked("fremen", "shipment"), Asked("guild", "shipment"), Asked("guild", "bid", 1),
            Asked(None, "karama-window"),
            Asked("emperor", "nexus", None), Asked(None, "traitor", 3), Asked("harkonnen", "movement"),
        ]))  # fmt: skip
        yield as_input(Given(kind, 2, 90, 9, waiting=[Asked("guild", "bid", None)], picture="p" * 400, characters=800))


def _told(text: str) -> str:
    try:
        given = msgspec.json.decode(text, type=Given)
    except msgspec.MsgspecError:
        return "no post"
    limits = Limits(given.dialect, max(given.characters, 300), 0.0, characters_at_least=min(given.least, 250))
    try:
        words = _written(given, _position(given), limits)
    except Exception as error:
        return f"cannot be written: {type(error).__name__}: {error}"
    return "\n~~~\n".join([words.title, *words.posts])


def _written(given: Given, position: Position, limits: Limits) -> Words:
    about: dict[str, Any] = {
        "taken": given.taken, "remarks": given.remarks, "heads": given.heads, "picture": given.picture,
        "plain": given.plain, "acts_by_post": given.acts_by_post,
    }  # fmt: skip
    opened = {"plain": given.plain, "acts_by_post": given.acts_by_post, "by_hand": given.by_hand}
    make: dict[str, Callable[[], Words]] = {
        "opening": lambda: post_texts.opening_posts(position, limits, **opened),
        "news": lambda: post_texts.news_posts(position, limits, **about),
        "turn_over": lambda: post_texts.end_of_turn(position, limits, **about),
        "ended": lambda: post_texts.end_of_game(position, limits, **about),
        "where_we_are": lambda: post_texts.status_post(position, limits, turns=given.turns, **opened),
    }
    return make[given.kind]()


def _position(given: Given) -> Position:
    known = _positions(given.game)
    stop = min(given.stop, len(known) - 1)
    position, revealed = known[stop]
    told = len(known[max(stop - given.before, 0)][0].news) if given.before < stop else 0
    news = position.news
    if given.names:
        facts = {"parties": ["emperor", "guild"], "text": given.names, "pays": {}}
        news = (*news, News(position.view["turn"], "bidding", "deal-made", facts, {}))
        position = replace(position, players=dict.fromkeys(FACTIONS, given.names))
    if given.waiting is not None:
        position = replace(position, waiting=tuple(map(_waiting, given.waiting)))
    view = {**position.view, "last_turn": given.last_turn} if given.last_turn else position.view
    return replace(
        position, view=view, news=news[told:], background=news[:told], stopped=given.stopped, press=tuple(given.press),
        cared_for=tuple(given.cared_for), seed=given.seed, commitment=given.commitment,
        revealed=revealed if given.revealed else None,
    )  # fmt: skip


def _waiting(asked: Asked) -> Duty:
    return Duty(asked.faction, asked.kind, None if asked.hours is None else DUE + timedelta(hours=asked.hours))


SUBJECT = Subject("forum-words", (
    "bot.forum.post_texts", "bot.forum.post_texts", "bot.forum.post_texts", "bot.forum.post_texts", "bot.forum.post_texts",
    "bot.render.forum_posts",
), _seeds, vary_json(("names", "author", "line", "reason", "in_force", "picture", "press")), _told)  # fmt: skip
