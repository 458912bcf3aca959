"""Random games as their players are told of them: letters, pictures, what a sheet can ask for, the caretaker.

No mail is carried: at stops here and there the letters are written that would go out, as ``tests.reports.positions``
makes them. Games begin late, or right before something rare, so that much of a rule set is told of in a few turns.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from bot.lab.scenes import SCENES
from bot.lab.soak import Setting, scene_setting, setting
from bot.lab.soak_sheets import facts_of
from bot.language.facts import FACTS
from bot.language.knowledge import knowledge_of
from bot.language.orders import write
from bot.render import letters
from bot.render.board import Look
from bot.render.material import Rendering
from bot.render.news import changes
from bot.render.picture import svg
from bot.table.deputy import PLAN_QUESTIONS, Battle, defence
from rules import views
from rules.engine.play import Play
from rules.rulesets.options import Value
from tests.reports.every_letter import KINDS
from tests.reports.golden_letters import POSTS
from tests.reports.positions import position_of
from tests.transcripts.letters import page_in_short
from tests.transcripts.scenario import add, scenario
from tests.transcripts.transcript import Piece

EXPANSION: tuple[tuple[str, Value], ...] = (("expansion", "ixians-tleilaxu"),)
MOST_STOPS = 1500
EVERY = 12
PARTS = 5
RULES, SEED = "gf9-advanced", "sand"
GAMES: dict[str, Callable[[], Setting]] = {
    "ah-basic": lambda: setting("ah-basic", SEED, 6, late=True),
    "ah-advanced": lambda: setting("ah-advanced", SEED, 4, late=True),
    "wbc-2018": lambda: setting("wbc-2018", SEED, 6, late=True),
    "vaca-2.0": lambda: setting("vaca-2.0", SEED, 5, late=True),
    "gf9-basic": lambda: setting("gf9-basic", SEED, 6, late=True),
    "expansion": lambda: setting("gf9-advanced", "spice", 6, EXPANSION, late=True),
}
"""Games of each rule set."""
LOOKS = ("", "dark", "names", "names dark")


def rendered_piece(heading: str, rendered: Rendering) -> Piece:
    """A letter that was written and not sent."""
    return Piece(f"{heading}: {rendered.subject}", f"{rendered.text}\n{page_in_short(rendered.html)}")


def stops(game: Setting) -> Iterator[Play]:
    """A game at each of its stops, and when it is over."""
    play, player = game.start(), game.player()
    for _ in range(MOST_STOPS):
        yield play
        if play.over:
            return
        player.act(play)


def scenes_in(names: Sequence[str], folder: Path) -> Iterator[Piece]:
    """Games that begin right before something that seldom comes about."""
    seen: set[str] = set()
    for name in names:
        begun = partial(scene_setting, RULES, SEED, name, EXPANSION)
        for heading, text in letters_of(begun, folder, seen):
            yield Piece(f"{name}: {heading}", text)


def letters_of(game: Callable[[], Setting], folder: Path, seen: set[str] | None = None) -> Iterator[Piece]:
    """The letter to one who is asked something that was not asked before in these words, and all public news."""
    seen = set() if seen is None else seen
    told = 0
    for play in stops(game()):
        for question in play.questions():
            sort = f"{question.kind} {sorted(question.facts)}"
            if sort not in seen:
                seen.add(sort)
                position = position_of(play, question.faction, told)
                yield rendered_piece(f"{question.kind} to {question.faction}", letters.private_report(position))
        if play.over or len(play.events) - told > 40:
            yield from _news(play, told)
            told = len(play.events)


def _news(play: Play, told: int) -> Iterator[Piece]:
    """What everybody, and each player alone, is told of what has happened."""
    public = position_of(play, "public", told)
    yield rendered_piece("to all", letters.public_summary(public))
    yield Piece("the board", page_in_short(svg(public.view, changes(public.news), Look.of(""))))
    for faction in play.state.players:
        position = position_of(play, faction, told)
        own = tuple(news for news in position.news if news.mine)
        if own and not play.over:
            yield Piece(f"to {faction} alone", letters.private_report(replace(position, news=own)).text)
    if play.over:
        yield rendered_piece("the end", letters.end_of_game(position_of(play, next(iter(play.state.players)), told)))


@scenario
def knowledge(folder: Path) -> Iterator[Piece]:
    """What a sheet could be told at stops here and there: every fact that can be asked for and is not nought."""
    for name, game in GAMES.items():
        for heading, text in _knowledge_in(game()):
            yield Piece(f"{name}: {heading}", text)


def _knowledge_in(game: Setting) -> Iterator[Piece]:
    for number, play in enumerate(stops(game)):
        questions = play.questions()
        if number % EVERY or not questions:
            continue
        question = questions[number // EVERY % len(questions)]
        knowledge = knowledge_of(play, question.faction, play.events, question)
        territories = {area.partition("/")[0] for area in play.state.spice}
        known = facts_of(knowledge, list(play.state.players), sorted(territories))
        lines = [f"{FACTS[form].pattern} {args}: {value}" for (form, args), value in known.items() if value]
        yield Piece(f"{question.faction} in {play.stop_name}, asked for {question.kind}", "\n".join(lines))


@scenario
def caretaker(folder: Path) -> Iterator[Piece]:
    """What the caretaker would send into each battle."""
    for name, game in GAMES.items():
        for heading, text in _defences_in(game()):
            yield Piece(f"{name}: {heading}", text)


def _defences_in(game: Setting) -> Iterator[Piece]:
    seen: set[tuple[int, str]] = set()
    for play in stops(game):
        for question in play.questions():
            key = (len(play.events), question.faction)
            if question.kind in PLAN_QUESTIONS and key not in seen:
                seen.add(key)
                battle = Battle.of(question, views.view(play, question.faction))
                plan = defence(question, battle)
                yield Piece(
                    f"{question.faction} in {play.stop_name}", f"{battle}\n{write(plan) if plan else 'nothing'}"
                )


@scenario
def every_kind_of_letter(folder: Path) -> Iterator[Piece]:
    """Letters of positions that were made by hand."""
    for kind, written in KINDS.items():
        yield rendered_piece(kind, written())
    for file, post in POSTS.items():
        yield Piece(file, post())


@scenario
def pictures(folder: Path) -> Iterator[Piece]:
    """The board in each look, as it stands and with what has changed."""
    game = GAMES["expansion"]
    last = 0
    for number, play in enumerate(stops(game())):
        if number % 60 == 30:
            position = position_of(play, "public", last)
            last = len(play.events)
            for look in LOOKS:
                drawn = svg(position.view, changes(position.news), Look.of(look))
                yield Piece(f"{play.stop_name} {look}", page_in_short(drawn))


def _add_all() -> None:
    for name, game in GAMES.items():
        add(f"games-letters-{name}", partial(letters_of, game))
    for number in range(PARTS):
        add(f"games-scenes-{number + 1}", partial(scenes_in, list(SCENES)[number::PARTS]))


_add_all()
