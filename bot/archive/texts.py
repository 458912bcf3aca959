"""The report of a game as forum posts: a table of contents, then the public side of the game, turn by turn.

Everything up to the end of the game comes from the public view and the public part of events. If the game's policy
reveals hidden information, this follows the last turn, behind a spoiler. The report of a running game contains only
its public side. The same blocks are written in every dialect of ``bot.render.forum_posts``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

from msgspec.structs import replace

from bot.archive.games import FinishedGame, RunningGame, Step, play_steps, record_head, rules_of
from bot.record.lines import End, digest
from bot.render import position as seen
from bot.render.blocks import Block, Heading, Paragraph, Row, Rows, Story, Title
from bot.render.forum_posts import DIALECTS, Dialect, Format, Post, ReportPart, cut_into_posts
from bot.render.material import News, Position, Reader, Revelation
from bot.render.summary import fights, headline, story, what_was_hidden, without_battles, without_bids
from bot.render.summary import turn_digest as five_lines
from bot.wording import say
from bot.wording.filters import name, speaking
from rules.components import Faction
from rules.engine.catalogue import load_rule_set
from rules.rulesets.ruleset import RuleSet
from rules.state.events import Event

FILES: Mapping[Format, str] = {
    "bbcode": "forum.bbcode.txt",
    "bgg": "forum-bgg.txt",
    "markdown": "forum.md",
    "text": "forum.txt",
}

LONGEST_NAME = 60  # characters of a player's name; Mentat cuts longer ones
AFTER_BATTLES = ("collection", "mentat", "over")
TOLD_ELSEWHERE = ("strongholds",)  # kinds of event that the five-line summary covers
NEVER = datetime(1, 1, 1, tzinfo=UTC)  # no post depends on the hour


class NoSuchTurn(LookupError):
    pass


@dataclass(slots=True)
class _Turn:
    news: list[News] = field(default_factory=list)
    view: Mapping[str, Any] = field(default_factory=dict)


class Texts:
    def __init__(self, game: FinishedGame) -> None:
        self._game = game
        self._turns: dict[int, _Turn] = {}
        self._last: Step | None = None

    def see(self, step: Step) -> None:
        turn = self._turns.setdefault(step.turn, _Turn())
        turn.view = step.views["public"]
        if step.event is not None:
            turn.news += _public([step.event])
        self._last = step

    def files(self) -> dict[str, bytes]:
        report = self._report()
        return {file: posts_as_file(report.posts(DIALECTS[format])) for format, file in FILES.items()}

    def posts(self, format: Format, turn: int | None = None) -> list[str]:
        return self._report().posts(DIALECTS[format], turn)

    def _report(self) -> _Report:
        game = self._game
        rules = rules_of(game)
        if game.policy.ended != "full":
            return _Report(game, rules, self._turns)
        last = game.record.splitlines()[-1]
        proof = say("post.record", commitment=record_head(game).commitment, head=digest(last))
        return _Report(game, rules, self._turns, proof, self._revealed())

    def _revealed(self) -> Revelation | None:
        if self._last is None:
            return None
        everything = self._last.views["gm"]
        return Revelation.of(everything["players"], everything["known"])


def forum_posts(game: FinishedGame | RunningGame, format: Format, turn: int | None = None) -> list[str]:
    if isinstance(game, FinishedGame):
        return _gathered(game).posts(format, turn)
    return _so_far(game).posts(DIALECTS[format], turn)


def _gathered(game: FinishedGame) -> Texts:
    end = game.lines[-1]
    assert isinstance(end, End), "the record of a finished game ends with its end"
    texts = Texts(game)
    for step in play_steps(game, end.seed):
        texts.see(step)
    return texts


def _so_far(game: RunningGame) -> _Report:
    turns: dict[int, _Turn] = {}
    for event in game.events:
        turns.setdefault(event.turn, _Turn()).news += _public([event])
    for number, turn in turns.items():
        turn.view = game.ends_of_turns.get(number, game.view)
    return _Report(game, load_rule_set(game.ruleset).with_options(game.options), turns)


def _public(events: Iterable[Event]) -> list[News]:
    return [
        News(event.turn, event.phase, event.kind, event.facts, {}) for event in events if event.visible_to("public")
    ]


def posts_as_file(written: Sequence[str]) -> bytes:
    parts = [
        f"{say('post.cut', number=number, of=len(written))}\n\n{post}\n" for number, post in enumerate(written, start=1)
    ]
    return "\n".join(parts).encode()


# --- content of the posts ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Report:
    """The report of a game: its players, the public side of each turn, how to check the game, and the hidden
    information. The blocks of a turn are made once and used for all dialects (``told``)."""

    game: FinishedGame | RunningGame
    rules: RuleSet
    turns: Mapping[int, _Turn]
    proof: str = ""
    revealed: Revelation | None = None
    told: dict[int, list[Block]] = field(default_factory=dict)

    def posts(self, dialect: Dialect, turn: int | None = None) -> list[str]:
        with speaking(self.rules.edition):
            if turn is None:
                return self._whole(dialect)
            if turn not in self.turns:
                raise NoSuchTurn(
                    say("post.problem.no-turn", turn=turn, game=self.game.id, last=max(self.turns, default=0))
                )
            return self._numbered(dialect, cut_into_posts([self._part(dialect, turn)], dialect.limit))

    def _whole(self, dialect: Dialect) -> list[str]:
        parts = [self._part(dialect, turn) for turn in sorted(self.turns)]
        if self.revealed:
            parts.append(self._hidden(dialect, self.revealed))
        found = cut_into_posts(parts, dialect.limit)
        contents = Post()
        for unit in self._contents(dialect, found):
            contents.add(unit, -1)
        return self._numbered(dialect, [contents, *found])

    def _numbered(self, dialect: Dialect, found: Sequence[Post]) -> list[str]:
        return [
            f"{dialect.strong(self._first_line(number, len(found), post))}\n\n{post.text}"
            for number, post in enumerate(found, start=1)
        ]

    def _first_line(self, number: int, of: int, post: Post) -> str:
        return say("post.first-line", number=number, of=of, game=self.game.id, told=_told(post))

    # --- the parts ------------------------------------------------------------------------------------------------

    def _contents(self, dialect: Dialect, found: Sequence[Post]) -> list[str]:
        of = len(found) + 1
        about = say(
            "post.about",
            title=self.rules.title,
            players=len(self.game.cast),
            turns=max(self.turns, default=0),
            hidden=self.revealed is not None,
        )
        blocks: list[Block] = [
            Paragraph(about),
            Heading(say("heading.played")),
            Rows(tuple(self._seat(faction) for faction in self._seats())),
            Heading(say("post.parts")),
            Rows(tuple(Row(f"{number}/{of}", (_told(post),)) for number, post in enumerate(found, start=2))),
        ]
        if isinstance(self.game, RunningGame):
            blocks.insert(1, Paragraph(say("post.running")))
        if self.proof:
            blocks += [Heading(say("heading.verify")), Paragraph(self.proof)]
        return [unit for block in blocks for unit in dialect.units(block)]

    def _seats(self) -> list[Faction]:
        return sorted(self.game.cast, key=lambda faction: self.game.cast[faction].dot)

    def _seat(self, faction: Faction) -> Row:
        cast = self.game.cast[faction]
        player = cast.name if len(cast.name) <= LONGEST_NAME else f"{cast.name[: LONGEST_NAME - 1]}…"
        return Row(name(faction), (say("post.seat", player=player, dot=cast.dot, caretaker=cast.caretaker),))

    def _part(self, dialect: Dialect, turn: int) -> ReportPart:
        if turn not in self.told:
            self.told[turn] = self._blocks(turn)
        title, *blocks = self.told[turn]
        again = dialect.title(say("post.again", turn=turn))
        return ReportPart(turn, dialect.written([title]), again, _kept_together(dialect, blocks))

    def _blocks(self, turn: int) -> list[Block]:
        position = self._position(turn)
        opens = headline(position)
        fought = fights(position.news)
        under_way = isinstance(self.game, RunningGame) and turn not in self.game.ends_of_turns
        return [
            Title(say("post.turn", turn=turn, headline=opens.text), opens.below),
            five_lines(position),
            *_story(position, lambda phase: not fought or phase not in AFTER_BATTLES),
            *[Heading(say("heading.battles", number=len(fought)))][: len(fought)],
            *fought,
            *_story(position, lambda phase: bool(fought) and phase in AFTER_BATTLES),
            Heading(say("heading.table"), say("table.order", banks=False)),
            seen.table(position),
            Heading(say("post.board-now") if under_way else say("post.board", turn=turn)),
            seen.board(position),
        ]

    def _hidden(self, dialect: Dialect, revealed: Revelation) -> ReportPart:
        everything = tuple(news for turn in self.turns.values() for news in turn.news)
        position = replace(self._position(max(self.turns)), news=(), background=everything, revealed=revealed)
        heading, *blocks = what_was_hidden(position)
        covered = dialect.covered(say("post.hidden"), dialect.written(blocks))
        opening = dialect.written([heading])
        return ReportPart(0, opening, opening, (covered,))

    def _position(self, turn: int) -> Position:
        before = [news for number in sorted(self.turns) if number < turn for news in self.turns[number].news]
        return Position(
            game_id=self.game.id,
            ruleset=self.rules.name,
            reader=Reader("public", "", ZoneInfo("UTC")),
            now=NEVER,
            view=self.turns[turn].view,
            secrets={},
            news=tuple(self.turns[turn].news),
            background=tuple(before),
            edition=self.rules.edition,
            title=self.rules.title,
        )


def _told(post: Post) -> str:
    turns = [number for number in post.numbers if number > 0]
    hidden = 0 in post.numbers
    if turns:
        return say("post.turns", first=turns[0], last=turns[-1], hidden=hidden)
    return say("post.only-hidden") if hidden else say("post.game")


def _story(position: Position, tells: Callable[[str], bool]) -> list[Story]:
    rest = without_battles(without_bids(position.news))
    news = tuple(event for event in rest if event.kind not in TOLD_ELSEWHERE and tells(event.phase))
    told = story(replace(position, news=news))
    return [told] if told else []


def _kept_together(dialect: Dialect, blocks: Iterable[Block]) -> list[str]:
    found: list[str] = []
    heading = ""
    for block in blocks:
        for unit in dialect.units(block):
            if isinstance(block, Heading):
                heading = f"{unit}\n\n"
            else:
                found.append(heading + unit)
                heading = ""
    return found
