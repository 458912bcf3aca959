"""Pages with a script: `replay.html`, which steps through a finished game, and `verify.html`, which checks its record.

The stepper is a single page that needs no other file. It holds every viewer's views, stored as changes (``Tracks``),
the sentences (``Sentences``) and the map. Its script only moves from step to step and contains no rules. The file
contains only data that the game's policy publishes.

**Tracks.** A view is a tree of mappings and lists. Each leaf has a path, stored as an index into ``paths``. An entry of
``paths`` gives the parent's path and the leaf's key or index in the parent. An empty mapping or list is also a leaf, so
that the view can be restored exactly. A step of a track is a row of numbers, alternately a path and a value. A value is
an index into ``values``, or ``NOTHING`` if the leaf is gone. The public track is complete in itself. Every other track
contains only the values that differ from the public view, and ``ALIKE`` for a path where the two views agree again.

**Sentences.** The sentences about events are in ``templates/events``. If a decision produced no event, the player who
made it sees a sentence about the decision itself; all others see that a phase has begun, or nothing.

**Boards.** The map is drawn once, in named colours ("sand"); the page's style defines each of them for light and dark
screens. This module computes the positions of tokens and names, as for letters; the script draws them there.

Anybody can check a game in the browser, with `check.py` and Python alone, or against the schema of a record.
"""

from __future__ import annotations

import base64
import gzip
import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from markupsafe import Markup
from msgspec.structs import astuple

from bot import template_source
from bot.archive.games import FinishedGame, Step, View, decided_log, record_head, rules_of
from bot.archive.html import Page, render
from bot.language.orders import write
from bot.record.lines import published_schema
from bot.render.blocks import Link
from bot.render.board import CENTRE, PAGE_LOOK, RADIUS, RIM, SIZE, Shade, geometry, inner_border, sector_place
from bot.render.html import discs
from bot.render.material import News
from bot.render.news import NO_CHANGES, changes, event_sentence
from bot.render.picture import Drawing
from bot.render.placement import Piece, Spot
from bot.render.summary import fights
from bot.wording import environment, phrases, say
from bot.wording.filters import name, order_as_spoken, speaking
from rules.chapters.victory import MAX_TURNS
from rules.components import Faction
from rules.components.board import DOTS, PRINTED_AREAS, SECTORS, TERRITORIES, Area, territory_of
from rules.engine import turn
from rules.engine.log import Corrected, Entry, Expired, LastTurn, Stopped, Submitted
from rules.rulesets.rulebook import CLAUSES
from rules.state.clauses import Clauses
from rules.state.events import Event, Viewer

REPLAY = "replay.html"

OF_A_QUESTION = ("faction", "kind", "subject", "blanket")
"""The parts of a question that the page shows. They do not include the legal answers or the default."""

BATTLE = "battle-begins"
STAGES = {BATTLE: 0, "plans-revealed": 1, "battle-won": 2, "battle-without-winner": 2}
"""The stages of a battle: it has begun (0), its plans are revealed (1), it is decided (2). Losses make stage 3."""


class Replay:
    def __init__(self, game: FinishedGame) -> None:
        self.game = game
        self.rules = rules_of(game)
        self._behind = Clauses(self.rules)
        self._entries = decided_log(game)
        seats = sorted(record_head(game).seats.items(), key=lambda seat: seat[1])
        self._seats = dict(seats)
        self.viewers: list[Viewer] = [*self._seats, "gm"] if game.policy.ended == "full" else []
        self._tracks = Tracks(self.viewers)
        self._telling = Sentences(self.viewers)
        self._boards = Boards()
        self._battles: list[list[News]] = []
        self._steps: list[list[Any]] = []
        self._clauses: dict[str, int] = {}
        self._seen: dict[Viewer, tuple[View, dict[str, Any]]] = {}
        self._phases = list(turn.phases(self.rules))

    def see(self, step: Step) -> None:
        with speaking(self.rules.edition):
            entry = self._entries[step.entry] if step.entry >= 0 else None
            told, alone = self._telling.tell(step, entry)
            went = moves_on_board(step.event) if step.event and step.event.audience is None else []
            board = self._boards.number_of(step.views["public"])
        self._tracks.add({viewer: self._shown(viewer, step.views[viewer]) for viewer in ("public", *self.viewers)})
        if step.phase not in self._phases:
            self._phases.append(step.phase)
        self._steps.append(
            [
                step.turn,
                self._phases.index(step.phase),
                step.entry,
                told,
                alone or 0,
                went or 0,
                board,
                self._clause(step.event),
                int(step.event is not None and step.event.kind == BATTLE),
                self._scene(step.event),
            ]
        )

    def files(self) -> dict[str, bytes]:
        return {REPLAY: self.page()}

    def page(self) -> bytes:
        with speaking(self.rules.edition):
            data = self._data()
        text = environment().get_template("archive/replay.html.j2").render(
            game=self.game.id, title=self.rules.title, players=len(self._seats), colours=board_colours(),
            ground=ground_drawing(), style=Markup(template_source("archive/replay.css")),
            script=Markup(template_source("archive/replay.js")), data=Markup(in_script(data)),
        )  # fmt: skip
        return text.encode("utf-8", "replace")

    def _shown(self, viewer: Viewer, view: View) -> dict[str, Any]:
        before, made = self._seen.get(viewer, ({}, {}))
        if view is not before:
            asked = view["questions"]
            same = asked is before.get("questions")
            questions = made["questions"] if same else [{key: one[key] for key in OF_A_QUESTION} for one in asked]
            made = {**view, "questions": questions}
            self._seen[viewer] = view, made
        return made

    def _clause(self, event: Event | None) -> int:
        found = self._behind.of(event) if event else None
        if found is None:
            return 0
        return self._clauses.setdefault(found, len(self._clauses) + 1)

    def _scene(self, event: Event | None) -> Any:
        # the event's part in the auction or battle that the page draws, or 0 if it has none
        if event is None or event.audience is not None:
            return 0
        facts = event.facts
        match event.kind:
            case "card-up":
                return ["card", facts["number"], facts["of"]]
            case "bid":
                return ["bid", facts["faction"], facts["amount"] or 0]
            case "passed":
                return ["pass", facts["faction"]]
            case "card-sold":
                return ["sold", facts["buyer"], 0 if facts["karama"] else facts["price"]]
            case _ if event.phase == "battle" and (event.kind == BATTLE or self._battles):
                if event.kind == BATTLE:
                    self._battles.append([])
                self._battles[-1].append(News(event.turn, event.phase, event.kind, facts, {}))
                return ["battle", len(self._battles) - 1, STAGES.get(event.kind, 0)]
        return 0

    def _fights(self) -> list[Any]:
        # each battle's place, sides (name, score, result), rows (the last: losses), note, and 1 if it is low on the map
        found: list[Any] = []
        for battle in self._battles:
            fight, area = fights(battle)[0], TERRITORIES[battle[0].facts["territory"]].areas[0]
            low = area in PRINTED_AREAS and geometry().middle(area)[1] > CENTRE[1]
            about = fights(battle[:1])[0].about  # as it began
            found.append([fight.place, [astuple(side) for side in fight.sides], fight.rows, about, int(low)])
        return found

    def _data(self) -> dict[str, Any]:
        head, tracks = record_head(self.game), self._tracks
        cast = self.game.cast
        return {
            "game": self.game.id,
            "ruleset": head.ruleset,
            "options": dict(head.options),
            "seats": self._seats,
            "cast": {faction: cast[faction].name for faction in self._seats if faction in cast},
            "most_turns": MAX_TURNS(self.rules),
            "viewers": ["public", *self.viewers],
            "phases": [[phase, say(f"phase.{phase}")] for phase in self._phases],
            "duties": {kind: say(f"duty.{kind}") for kind in phrases("duty") if kind != "own"},
            "names": self._names(),
            "clauses": [[id, CLAUSES[id].rule] for id in self._clauses],
            "sentences": self._telling.sentences,
            "steps": self._steps,
            "paths": tracks.paths,
            "values": tracks.values,
            "tracks": [tracks.tracks[viewer] for viewer in ("public", *self.viewers)],
            "board": board_places(),
            "fights": self._fights(),
            "places": self._boards.places,
            "boards": self._boards.boards,
        }

    def _names(self) -> Mapping[str, str]:
        words = [*(word for _, word in self._tracks.paths), *self._tracks.values]
        named = {word: name(word) for word in words if isinstance(word, str) and len(word) < LONGEST_NAME}
        return {word: printed for word, printed in sorted(named.items()) if word != printed}


LONGEST_NAME = 60


def in_script(data: Mapping[str, Any]) -> str:
    """Encode data as JSON that is safe inside a page's script: nothing in it can end the script."""
    return json.dumps(data, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c").replace(">", "\\u003e")


class Sentences:
    """The sentences of a game, each stored only once. Number 0 means that there is no sentence."""

    def __init__(self, viewers: Sequence[Viewer]) -> None:
        self.viewers = viewers
        self.sentences: list[str] = [""]
        self._number: dict[str, int] = {"": 0}
        self._at: tuple[int, str] | None = None

    def tell(self, step: Step, entry: Entry | None) -> tuple[int, dict[int, int]]:
        at, self._at = self._at, (step.turn, step.phase)
        if step.event is not None:
            return self._told(step.event)
        begins = "" if at == self._at else _phase_begins(step)
        alone: dict[Viewer, str] = {}
        if entry is not None:
            alone = _decision_in_words(entry)
        return self._kept(begins), self._by_viewer(alone)

    def _told(self, event: Event) -> tuple[int, dict[int, int]]:
        facts = event.facts
        public = event_sentence(event.kind, facts) if event.audience is None else ""
        alone: dict[Viewer, str] = {}
        for viewer in self.viewers:
            if viewer == "gm" or not event.visible_to(viewer):
                continue
            mine = event.told_to(viewer)
            if mine or event.audience is not None:
                told = event_sentence(event.kind, facts, mine)
                if told != public:
                    alone[viewer] = told
        return self._kept(public), self._by_viewer(alone)

    def _by_viewer(self, alone: Mapping[Viewer, str]) -> dict[int, int]:
        return {number: self._kept(alone[viewer]) for number, viewer in enumerate(self.viewers) if viewer in alone}

    def _kept(self, told: str) -> int:
        number = self._number.get(told)
        if number is None:
            number = self._number[told] = len(self.sentences)
            self.sentences.append(told)
        return number


def moves_on_board(event: Event) -> list[list[Any]]:
    # faction, from, to, whether shipped
    found = changes([News(event.turn, event.phase, event.kind, event.facts, {})])
    return [[one.faction, one.source, one.target, int(one.shipped)] for one in found.journeys]


class Boards:
    """The layout of the board at each step. Each place and each board is stored only once.

    A board is stored as the size of its discs and the numbers of its places. A place consists of an area, its name and
    the middle of that name, the box of its card, the end of the line from the card, and, for each token, its owner, its
    middle, its width and its height.
    """

    def __init__(self) -> None:
        self.places: list[Any] = []
        self.boards: list[Any] = []
        self._place: dict[str, int] = {}
        self._board: dict[str, int] = {}
        self._before: Mapping[Piece, Spot] = {}
        self._last: tuple[View, int] | None = None

    def number_of(self, view: View) -> int:
        if self._last is None or self._last[0] is not view:
            lies = json.dumps([view.get(what) for what in ("forces", "spice", "coexisting", "hms")])
            if lies not in self._board:
                self._board[lies] = len(self.boards)
                self.boards.append(self._laid_out(view))
            self._last = view, self._board[lies]
        return self._last[1]

    def _laid_out(self, view: View) -> list[int | float]:
        drawing = Drawing(view, NO_CHANGES, PAGE_LOOK, self._before)
        self._before = {drawing.pieces[area]: spot for area, spot in drawing.spots.items()}
        return [drawing.signs.sizes.token, *(self._kept(self._place_of(drawing, area)) for area in drawing.spots)]

    def _place_of(self, drawing: Drawing, area: Area) -> list[Any]:
        spot = drawing.spots[area]
        card = [round(each) for each in (*spot.card, *spot.dot)] if spot.card else 0
        tokens = [
            [token.owner, round(x), round(y), *(round(each) for each in drawing.signs.size(token))]
            for token, (x, y) in drawing.placed_tokens(area)
        ]
        return [area, "\n".join(spot.name.lines), *(round(each) for each in spot.name_at), card, tokens]

    def _kept(self, place: list[Any]) -> int:
        number = self._place.setdefault(json.dumps(place), len(self.places))
        if number == len(self.places):
            self.places.append(place)
        return number


def _phase_begins(step: Step) -> str:
    return say("replay.phase-begins", turn=step.turn, phase=say(f"phase.{step.phase}"))


def _decision_in_words(entry: Entry) -> dict[Viewer, str]:
    if isinstance(entry, Submitted):
        orders = [order_as_spoken(write(order)) for order in entry.orders]
        return {entry.faction: say("replay.decided", faction=entry.faction, orders=orders)}
    if isinstance(entry, Expired):
        silent: list[Faction] = list(dict.fromkeys(faction for faction, *_ in entry.keys))
        return {faction: say("replay.silent", factions=[faction]) for faction in silent}
    if isinstance(entry, LastTurn | Stopped | Corrected):
        return {}  # the events that follow inform everybody
    return {entry.faction: say("replay.withdrawn", faction=entry.faction)}


ROOT = 0
NOTHING = 0
ALIKE = -1

ViewTree = dict[str, Any]


class Tracks:
    """The view of each viewer at each step, stored as changes (see the module). The caller must pass an unchanged view
    as the same object (``bot.archive.games``)."""

    def __init__(self, viewers: Sequence[Viewer]) -> None:
        self.paths: list[tuple[int, str | int]] = [(ROOT, "")]
        self.values: list[Any] = [None]
        self.tracks: dict[Viewer, list[list[int]]] = {viewer: [] for viewer in ["public", *viewers]}
        self._path: dict[tuple[int, str | int], int] = {}
        self._value: dict[str, int] = {}
        self._before: dict[Viewer, ViewTree] = {}
        self._seen: dict[Viewer, dict[int, int]] = {viewer: {} for viewer in self.tracks}
        self._shown: dict[Viewer, dict[int, int]] = {viewer: {} for viewer in self.tracks}

    def add(self, views: Mapping[Viewer, ViewTree]) -> None:
        public = self._changes("public", views["public"])
        self.tracks["public"].append([number for change in public.items() for number in change])
        for viewer, track in self.tracks.items():
            if viewer != "public":
                track.append(list(self._differences(viewer, views[viewer], public)))

    def _differences(self, viewer: Viewer, view: ViewTree, public: Mapping[int, int]) -> Iterator[int]:
        shown, seen, open_to_all = self._shown[viewer], self._seen[viewer], self._seen["public"]
        for path in {**public, **self._changes(viewer, view)}:
            mine = seen.get(path, NOTHING)
            difference = ALIKE if mine == open_to_all.get(path, NOTHING) else mine
            if shown.get(path, ALIKE) != difference:
                shown[path] = difference
                yield path
                yield difference

    def _changes(self, viewer: Viewer, view: ViewTree) -> dict[int, int]:
        found: dict[int, int] = {}
        before = self._before.get(viewer)
        if view is not before:
            self._compare(ROOT, before or {}, view, found)
            self._before[viewer] = view
            self._seen[viewer].update(found)
        return found

    def _compare(self, path: int, old: Any, new: Any, found: dict[int, int]) -> None:
        if old and new and isinstance(old, dict) and isinstance(new, dict):
            for name, value in old.items():
                if name not in new:
                    self._leave(self._at(path, name), value, found)
            for name, value in new.items():
                if name in old:
                    if old[name] is not value:
                        self._compare(self._at(path, name), old[name], value, found)
                else:
                    self._come(self._at(path, name), value, found)
        elif old and new and isinstance(old, list) and isinstance(new, list):
            for number in range(max(len(old), len(new))):
                at = self._at(path, number)
                if number >= len(new):
                    self._leave(at, old[number], found)
                elif number >= len(old):
                    self._come(at, new[number], found)
                elif old[number] is not new[number]:
                    self._compare(at, old[number], new[number], found)
        elif type(old) is not type(new) or old != new:
            self._leave(path, old, found)
            self._come(path, new, found)

    def _leave(self, path: int, value: Any, found: dict[int, int]) -> None:
        for at, _ in self._leaves(path, value):
            found[at] = NOTHING

    def _come(self, path: int, value: Any, found: dict[int, int]) -> None:
        for at, leaf in self._leaves(path, value):
            found[at] = self._kept(leaf)

    def _leaves(self, path: int, value: Any) -> Iterator[tuple[int, Any]]:
        if value and isinstance(value, dict):
            for name, inner in value.items():
                yield from self._leaves(self._at(path, name), inner)
        elif value and isinstance(value, list):
            for number, inner in enumerate(value):
                yield from self._leaves(self._at(path, number), inner)
        else:
            yield path, value

    def _at(self, path: int, name: str | int) -> int:
        number = self._path.get((path, name))
        if number is None:
            number = self._path[path, name] = len(self.paths)
            self.paths.append((path, name))
        return number

    def _kept(self, leaf: Any) -> int:
        key = json.dumps(leaf)
        number = self._value.get(key)
        if number is None:
            number = self._value[key] = len(self.values)
            self.values.append(leaf)
        return number


SHIELD_WALL = "shield-wall"
_DECIMAL = re.compile(r"(\d+)\.(\d)")


@cache
def ground_drawing() -> Markup:
    board = geometry()
    traces: dict[str, list[str]] = {}
    x, y = CENTRE
    parts = [f'<circle class="ring" cx="{x:g}" cy="{y:g}" r="{RIM}"/>']
    for area in PRINTED_AREAS:
        territory = territory_of(area)
        kind = SHIELD_WALL if territory == SHIELD_WALL else TERRITORIES[territory].kind
        parts.append(f'<path class="{kind}" data-area="{area}" d="{_rounded([board.path(area)])}"/>')
        if trace := inner_border(board, area):
            traces.setdefault(kind, []).append(trace)
    parts += [f'<path class="over {kind}" d="{_rounded(traces[kind])}"/>' for kind in traces]
    parts.append(f'<path class="trace" d="{_rounded([path for kind in traces for path in traces[kind]])}"/>')
    parts.append(f'<circle class="rim" cx="{x:g}" cy="{y:g}" r="{RADIUS}"/>')
    for sector in range(1, SECTORS + 1):
        u, v = sector_place(sector)
        parts.append(f'<text class="sector" x="{u:.0f}" y="{v + 9:.0f}">{sector}</text>')
    return Markup("".join(parts))


def board_places() -> dict[str, Any]:
    board = geometry()
    low = board.polar_sink
    return {
        "areas": {area: [*(round(value) for value in board.middle(area)), name(area)] for area in PRINTED_AREAS},
        "storm": [
            _rounded([board.line(((sector, low), (sector, 109), (sector + 1, 109), (sector + 1, low), (sector, low)))])
            for sector in range(1, SECTORS + 1)
        ],
        "dots": {dot: _seat(board.angle(dot + 0.5)) for dot in DOTS},
        "discs": {faction: [disc.letter, disc.ground, disc.ink] for faction, disc in discs().items()},
    }


def board_colours() -> Mapping[Shade, Mapping[str, str]]:
    return geometry().colours


def _seat(angle: float) -> list[int]:
    turn, reach = math.radians(angle), SIZE / 2 - 22
    return [round(CENTRE[0] + reach * math.cos(turn)), round(CENTRE[1] - reach * math.sin(turn))]


def _rounded(paths: Sequence[str]) -> str:
    return _DECIMAL.sub(lambda found: str(round(float(found[0]))), "".join(paths))


VERIFY = "verify.html"


def verify_page(game: FinishedGame) -> bytes:
    """Return the page that checks a record in the browser, offline. If the policy publishes the record of this game,
    the page contains it. The page can also check any other record that the reader chooses."""
    packed = base64.b64encode(gzip.compress(game.record, mtime=0)).decode() if game.policy.ended == "full" else ""
    page = Page(
        title=say("verify.title", game=game.id),
        heading=say("verify.heading"),
        below=say("verify.below", game=game.id, ruleset=rules_of(game).title),
        root="../../",
        way=(Link(say("page.games"), "../../index.html"), Link(game.id, "index.html")),
        scripts="inline",
    )
    return render(
        "archive/verify.html.j2",
        page,
        game=game.id,
        record=packed,
        words=_inline({key: say(f"verify-found.{key}") for key in phrases("verify-found")}),
        script=Markup(template_source("archive/verify.js")),
    )


def _inline(value: Any) -> Markup:
    """Encode a value as JSON for use inside a page; no character in it can end the script that contains it."""
    return Markup(json.dumps(value, ensure_ascii=True, separators=(",", ":")).replace("<", "\\u003c"))


def check_files() -> dict[str, bytes]:
    return {"check.py": template_source("archive/check.py.txt").encode(), "schema/game-1.json": published_schema()}
