"""A game's story, written from its events alone: a headline, a summary, key moments, and a chronicle with boards.

For each turn, the chronicle reports the most important events (``bot.render.highlights``) in chronological order. The
whole story has at most `MOST_WORDS` words. Each chapter ends with one of the most important turns and shows the board.
Hidden information appears only if everything may be shown (``GameStory.open``).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from bot.archive.games import GameStory, Turn, day_in_words, shown_name
from bot.render.blocks import Block, Board, Document, Heading, Paragraph, Row, Rows, Title
from bot.render.highlights import Moment, moments
from bot.render.material import News
from bot.render.summary import held_at_end, held_before, phase_name
from bot.render.text import as_text
from bot.wording import phrases, say
from bot.wording.filters import default_archive_name, name
from rules.components import Faction, Forces, Leader, traitor_owner
from rules.components.board import TerritoryId, territory_of

LEAST_WORDS, MOST_WORDS = 420, 900
MOST_FILLERS = 60
MOST_CHAPTERS = 4
WANTED = ("battle", "treachery", "card", "worm")  # a game's page always shows the top moment of each kind
MOMENTS = 6

Drawn = Callable[[Turn], Board]


@dataclass(slots=True)
class _Battle:
    place: TerritoryId
    forces: Mapping[Faction, str]
    leaders: dict[Faction, str] = field(default_factory=dict)
    lost: Counter[Faction] = field(default_factory=Counter)
    dead: dict[Faction, list[str]] = field(default_factory=dict)
    traitor: Mapping[str, Any] = field(default_factory=dict)
    end: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Telling:
    event: int
    weight: int
    said: str


class Chronicle:
    def __init__(self, told: GameStory) -> None:
        self.told = told
        self.news = [told.news(turn) for turn in told.turns]
        self.numbers = [event.number for turn in told.turns for event in turn.events if event.visible_to("public")]
        self.first = [sum(map(len, self.news[:number])) for number in range(len(self.news))]
        self.all = [event for news in self.news for event in news]
        self.found = moments(self.all)
        self.held = [held_at_end(told.position(turn)) for turn in told.turns]
        self.lost = Counter[Faction]()
        for event in self.all:
            for faction, forces in _losses(event):
                self.lost[faction] += Forces.parse(forces).total
        self.won: Mapping[str, Any] = next((event.facts for event in self.all if event.kind == "game-won"), {})

    # --- the headline, the summary, the moments -----------------------------------------------------------------------

    def headline(self) -> str:
        last = self.told.turns[-1]
        if not self.told.finished:
            phase = phase_name(last.views["public"]["phase"])
            return say("page.now", game=self.told.id, turn=last.number, phase=phase)
        facts = self._of_victory()
        how = self._how("chronicle.headline")
        if how == "strongholds" and not facts["gained"]:
            how = "held-out"
        return _begun(say(f"chronicle.headline.{how}", **facts))

    def summary(self, *, last: str = "") -> str:
        if self.told.finished:
            end = self._victory()
        else:
            end = self._standing(self.told.turns[-1])
        first, *others = [*map(_reminded, self._remembered(2)), *self._richest()] or [say("chronicle.nothing")]
        told = [self._size(), end, first, *self._most_lost(), *others]
        return " ".join(map(_begun, [*told[:4], last] if last else told[:5]))

    def moments(self) -> list[tuple[int, str, int | None]]:
        """Return the key moments of the game. Each comes with its turn, its sentence and, if the game has a replay, the
        number of the step that shows it."""
        found = sorted(self._remembered(MOMENTS), key=lambda moment: moment.event)
        told = [(moment.turn, moment.said, self.told.steps.get(self.numbers[moment.event])) for moment in found]
        if self.told.finished:
            last = self.told.turns[-1]
            decided = self._victory()
            told.append((last.number, _begun(decided), last.step if self.told.steps else None))
        return told

    def _remembered(self, most: int) -> list[Moment]:
        best: dict[str, Moment] = {}
        for moment in sorted(self.found, key=lambda moment: -moment.weight):
            best.setdefault(moment.topic, moment)
        wanted = WANTED if most == MOMENTS else ()
        return sorted(best.values(), key=lambda moment: (moment.topic not in wanted, -moment.weight))[:most]

    def _size(self) -> str:
        over = self.told.finished
        earlier = self.held[:-1] if over and len(self.held) > 1 else self.held
        counts = [Counter(faction for holders in held.values() for faction in holders) for held in earlier]
        most = max((number for count in counts for number in count.values()), default=0)
        leaders = list(dict.fromkeys(faction for count in counts for faction in count if count[faction] == most))
        return say(
            "chronicle.size",
            turns=len(self.told.turns),
            over=over,
            battles=sum(event.kind == "battle-begins" for event in self.all),
            lost=self.lost.total(),
            most=most,
            leaders=leaders,
            when=say(f"chronicle.{'so-far-held' if not over else 'before-last' if len(self.held) > 1 else 'in-one'}"),
        )

    def _victory(self) -> str:
        facts = self._of_victory()
        how = self._how("chronicle.won")
        if how == "strongholds":
            how = "taken" if not facts["kept"] else "kept" if not facts["gained"] else "added"
        return say(f"chronicle.won.{how}", **facts)

    def _how(self, table: str) -> str:
        how = str(self.won.get("how") or "void")
        known = how == "strongholds" or how in phrases(table)
        return how if known and (how == "void" or self.told.winners) else "most-strongholds"

    def _of_victory(self) -> Mapping[str, Any]:
        last = self.told.turns[-1]
        winners = self.told.winners
        before = held_before(self.told.position(last))
        held = [place for place, holders in self.held[-1].items() if set(winners) & set(holders)]
        gained = [place for place in held if not set(winners) & set(before.get(place, ()))]
        instead_of = self.won.get("instead_of", ())
        kept = [place for place in held if place not in gained]
        return {"turn": last.number, "winners": winners, "kept": kept, "gained": gained, "instead_of": instead_of}

    def _most_lost(self) -> Iterator[str]:
        for faction, lost in self.lost.most_common(1):
            forces: Mapping[str, Any] = self.told.turns[-1].views["public"]["forces"]
            gone = not any(faction in here for here in forces.values())
            yield say("chronicle.most-lost", faction=faction, lost=lost, gone=gone, over=self.told.finished)

    def _richest(self) -> Iterator[str]:
        if self.told.open:
            rich = [
                (player["spice"], -turn.number, faction)
                for turn in self.told.turns
                for faction, player in turn.views["gm"]["players"].items()
            ]
            spice, turn, faction = max(rich)
            yield say("chronicle.richest", faction=faction, turn=-turn, spice=spice)

    def prediction(self) -> str:
        if not self.told.open or self._how("chronicle.won") == "prediction":
            return ""
        last = self.told.turns[-1]
        known: Mapping[str, Any] = last.views["gm"]["known"]
        prediction = next((secrets["prediction"] for secrets in known.values() if secrets["prediction"]), None)
        if not prediction:
            return ""
        right = prediction["turn"] == last.number and prediction["faction"] in self.told.winners
        return say("chronicle.foretold", faction=prediction["faction"], turn=prediction["turn"], right=right)

    # --- the chronicle ------------------------------------------------------------------------------------------------

    def document(self, drawn: Drawn) -> Document:
        boards = {end: drawn(self.told.turns[end]) for _, end in self._chapters()}
        turns = [self._tellings(at) for at in range(len(self.told.turns))]
        budget, fillers = MOST_WORDS, 0
        while True:
            made = Document(self.headline(), blocks=list(self._blocks(boards, self._chosen(turns, budget, fillers))))
            words = len(as_text(made).split())
            if words > MOST_WORDS and budget > 0:
                budget -= 30
            elif words < LEAST_WORDS and budget == MOST_WORDS and fillers < MOST_FILLERS:
                fillers += 3
            else:
                return made

    def _blocks(self, boards: Mapping[int, Board], chosen: Sequence[Sequence[_Telling]]) -> Iterator[Block]:
        told = self.told
        ended = day_in_words(told.ended) if told.ended else ""
        below = "chronicle.below" if told.finished else "chronicle.so-far"
        yield Title(self.headline(), say(below, game=told.id, rules=told.rules.title, ended=ended))
        yield Paragraph(self.summary())
        if beginning := " ".join(map(_begun, self._beginning())):
            yield Heading(say("chronicle.beginning"))
            yield Paragraph(beginning)
        titles: set[str] = set()
        for first, last in self._chapters():
            turns = say("chronicle.chapter-turns", first=told.turns[first].number, last=told.turns[last].number)
            yield Heading(self._title(first, last, titles), turns)
            yield from map(Paragraph, self._paragraphs(first, last, chosen))
            yield boards[last]
        if told.finished:
            yield Heading(say("chronicle.ending"))
            yield Paragraph(" ".join(map(_begun, self._ending())))
        if players := tuple(self._players()):
            yield Heading(say("chronicle.players"))
            yield Rows(players)

    def _beginning(self) -> Iterator[str]:
        placed: dict[Faction, list[TerritoryId]] = {}
        for event in self.news[0]:
            facts = event.facts
            if event.kind == "game-set-up":
                for faction, area, _ in facts["forces"]:
                    placed.setdefault(faction, []).append(territory_of(area))
            elif event.kind == "tokens-placed":
                placed.setdefault(facts["faction"], []).extend(territory_of(area) for _, area in facts["groups"])
        if placed:
            yield say("chronicle.starts", starts=list(placed.items()))
        if any(event.kind == "prediction-made" for event in self.news[0]):
            yield say("chronicle.prediction")
        for event in self.news[0]:
            if event.kind == "storm-dialled":
                yield say("chronicle.first-storm", factions=list(event.facts["dials"]), sectors=event.facts["sectors"])

    def _chapters(self) -> list[tuple[int, int]]:
        # the first and last turn of each chapter; the most important turns end a chapter
        turns = range(len(self.told.turns))
        by_turn = Counter[int]()
        for moment in self.found:
            by_turn[moment.turn] += moment.weight
        weights = [by_turn[turn.number] for turn in self.told.turns]
        most = min(MOST_CHAPTERS, max(1, round(len(turns) / 2))) - 1
        ends: list[int] = []
        for at in sorted(turns[:-1], key=lambda at: -weights[at]):
            if weights[at] and len(ends) < most and all(abs(at - other) > 1 for other in (*ends, turns[-1])):
                ends.append(at)
        borders = [-1, *sorted(ends), turns[-1]]
        return [(before + 1, end) for before, end in pairwise(borders)]

    def _title(self, first: int, last: int, used: set[str]) -> str:
        told = self.told
        if last == len(told.turns) - 1 and told.finished:
            return say(f"chronicle.chapter.{'last' if told.winners else 'void'}", winners=told.winners)
        numbers = range(told.turns[first].number, told.turns[last].number + 1)
        for moment in sorted(self.found, key=lambda moment: -moment.weight):
            if moment.turn in numbers and moment.topic in phrases("chronicle.chapter"):
                title = say(f"chronicle.chapter.{moment.topic}", **self.all[moment.event].facts)
                if title not in used:
                    used.add(title)
                    return title
        return say("chronicle.chapter.quiet")

    def _chosen(self, turns: Sequence[Sequence[_Telling]], budget: int, fillers: int) -> list[list[_Telling]]:
        # first the heaviest moment of each turn, then others by weight while there is room, then fillers
        ranked = [sorted(tellings, key=lambda telling: -telling.weight) for tellings in turns]
        left = sorted(
            ((at, telling, rank) for at, row in enumerate(ranked) for rank, telling in enumerate(row)),
            key=lambda found: (found[2] > 0, -found[1].weight),
        )
        chosen: list[list[_Telling]] = [[] for _ in turns]
        for at, telling, _ in left:
            budget -= len(telling.said.split())
            if budget > 0:
                chosen[at].append(telling)
        spare = [(at, filler) for at, news in enumerate(self.news) for filler in _fillers(news, self.first[at])]
        for at, filler in sorted(spare, key=lambda found: -found[1].weight)[:fillers]:
            chosen[at].append(filler)
        return [sorted(row, key=lambda telling: telling.event) for row in chosen]

    def _paragraphs(self, first: int, last: int, chosen: Sequence[Sequence[_Telling]]) -> Iterator[str]:
        quiet: list[int] = []
        for at in range(first, last + 1):
            number = self.told.turns[at].number
            if not chosen[at]:
                quiet.append(number)
            if quiet and (chosen[at] or at == last):
                yield _begun(say("chronicle.quiet", first=quiet[0], last=quiet[-1]))
                quiet = []
            if chosen[at]:
                opening, *others = [telling.said for telling in chosen[at]]
                ways = phrases("chronicle.on")
                began = say(f"chronicle.on.{ways[at % len(ways)]}", turn=number, said=_small(opening))
                yield " ".join(f"{said.rstrip('.')}." for said in (began, *map(_begun, others)))

    def _standing(self, turn: Turn) -> str:
        held: dict[tuple[Faction, ...], list[TerritoryId]] = {}
        for place, holders in self.held[self.told.turns.index(turn)].items():
            if holders:
                held.setdefault(holders, []).append(place)
        return say("chronicle.at-end", turn=turn.number, over=turn.over, held=list(held.items()))

    def _ending(self) -> Iterator[str]:
        kinds = Counter(event.kind for event in self.all)
        sold = [event.facts for event in self.all if event.kind == "card-sold"]
        spice = sum(facts["price"] or 0 for facts in sold if not facts["karama"])
        dead, worms = kinds["leader-killed"], kinds["worm-appeared"]
        yield say("chronicle.tally", cards=len(sold), spice=spice, leaders=dead, worms=worms)
        yield from filter(None, (*self._richest(), self.prediction()))
        if self.told.open:
            called = {event.facts["leader"] for event in self.all if event.kind == "treachery-called"}
            known: Mapping[Faction, Mapping[str, Any]] = self.told.turns[-1].views["gm"]["known"]
            silent = [
                leader
                for faction, secrets in known.items()
                for leader in secrets["traitors"]
                if leader not in called and traitor_owner(Leader(leader)) not in (faction, None)
            ]
            if silent:
                yield say("chronicle.traitors", number=len(silent))

    def _players(self) -> Iterator[Row]:
        cast = self.told.cast
        for faction in sorted(cast, key=lambda faction: (faction not in self.told.winners, cast[faction].dot)):
            if (player := cast[faction].name) != default_archive_name(faction, self.told.id):
                won = faction in self.told.winners
                yield Row(name(faction), (say("chronicle.player", player=shown_name(player), won=won),))

    # --- the events of a turn ---------------------------------------------------------------------------------------

    def _tellings(self, at: int) -> list[_Telling]:
        number, news, start = self.told.turns[at].number, self.news[at], self.first[at]
        best: dict[Any, Moment] = {}
        for moment in self.found:
            if moment.turn == number and moment.topic not in ("battle", "treachery", "explosion"):
                key = moment.event if moment.topic in ("allied", "broken") else moment.topic
                if key not in best or best[key].weight < moment.weight:
                    best[key] = moment
        weighed = {moment.event: moment for moment in self.found}
        told = [_Telling(moment.event, moment.weight, self._most(moment, moment.said)) for moment in best.values()]
        fought: set[TerritoryId] = set()
        for event, battle in _battles(news):
            fought.add(battle.place)
            said = self._battle(at, battle, len(told))
            known = weighed.get(start + event)
            weight = (known.weight if known else 20) + (75 if at == len(self.news) - 1 else 15)
            told.append(_Telling(start + event, weight, self._most(known, said) if known else said))
        told += self._shifts(at, fought)
        return told

    def _most(self, moment: Moment, said: str) -> str:
        alike = [other for other in self.found if other.topic == moment.topic]
        first, second, *_ = *sorted((other.weight for other in alike), reverse=True), 0, 0
        if moment.topic not in phrases("chronicle.most") or len(alike) < 3 or moment.weight < first or first == second:
            return said
        return f"{said.rstrip('.')}: {say(f'chronicle.most.{moment.topic}')}"

    def _battle(self, at: int, battle: _Battle, number: int) -> str:
        facts: dict[str, Any] = {"place": battle.place, "forces": battle.forces, "sides": list(battle.forces)}
        lost = battle.lost.total()
        if "winner" not in battle.end:
            why = battle.end.get("why")
            return say(f"chronicle.battle.{'two-traitors' if why == 'two traitors' else 'explosion'}", **facts)
        winner, loser = battle.end["winner"], battle.end["loser"]
        facts |= {"winner": winner, "loser": loser, "leader": battle.leaders.get(winner, ""), "score": ""}
        holders = self.held[at].get(battle.place)
        facts |= {"holds": winner in (holders or ()), "stronghold": holders is not None}
        facts |= {"dead": battle.dead.get(loser, ())}
        if battle.traitor:
            return say("chronicle.battle.treachery", **{**facts, **battle.traitor}, lost=lost)
        size = {side: Forces.parse(forces).total for side, forces in battle.forces.items()}
        if totals := battle.end["totals"]:
            facts["score"] = say("chronicle.battle.score", totals=[totals[winner], totals[loser]])
        if battle.lost[winner] >= size[winner]:
            return say(f"chronicle.spent.{(at + number) % 3}", **facts)
        if size[winner] * 2 <= size[loser]:
            way = "upset"
        elif size[winner] >= 3 * size[loser]:
            way = "swept"
        elif totals and totals[winner] - totals[loser] <= 1:
            way = "close"
        else:
            way = str((at + number) % 3)
        return say(f"chronicle.battle.{way}", **facts)

    def _shifts(self, at: int, fought: set[TerritoryId]) -> Iterator[_Telling]:
        before = self.held[at - 1] if at else held_before(self.told.position(self.told.turns[0]))
        end = self.first[at] + len(self.news[at])
        entered: dict[tuple[Faction, ...], list[TerritoryId]] = {}
        left = []
        for place, holders in self.held[at].items():
            if place not in fought and holders != before.get(place, ()):
                if holders:
                    entered.setdefault(holders, []).append(place)
                else:
                    left.append(place)
        if entered:
            weight = 24 + (60 if at == len(self.news) - 1 else 6 * len(entered))
            yield _Telling(end, weight, say("chronicle.held.entered", entered=list(entered.items())))
        if left:
            yield _Telling(end, 14 + 3 * len(left), say("chronicle.held.left", places=left))


def _fillers(news: Sequence[News], start: int) -> Iterator[_Telling]:
    for number, event in enumerate(news):
        if event.kind == "shipment" and event.facts["target"]:
            size = Forces.parse(event.facts["forces"]).total
            yield _Telling(start + number, size, say("chronicle.filler.landing", **event.facts))
    sold = [(number, event.facts) for number, event in enumerate(news) if event.kind == "card-sold"]
    spice = sum(facts["price"] or 0 for _, facts in sold if not facts["karama"])
    if spice:
        to_emperor = any(facts["to_emperor"] for _, facts in sold)
        told = say("chronicle.filler.cards", number=len(sold), spice=spice, to_emperor=to_emperor)
        yield _Telling(start + sold[-1][0], 8, told)
    for number, event in enumerate(news):
        if event.kind == "spice-blow" and not event.facts["in_storm"]:
            yield _Telling(start + number, event.facts["amount"] // 2, say("chronicle.filler.blow", **event.facts))


def _losses(event: News) -> Iterable[tuple[Faction, str]]:
    facts = event.facts
    match event.kind:
        case "tokens-lost" | "storm-killed" | "lost-beside-ally" | "landed-in-storm":
            return [(facts["faction"], facts["forces"])]
        case "worm-ate" | "family-atomics":
            return list(facts["dead"].items())
        case "explosion-losses":
            return list(facts["tokens_lost"].items())
    return ()


def _battles(news: Sequence[News]) -> Iterator[tuple[int, _Battle]]:
    battle: _Battle | None = None
    began = 0
    for number, event in enumerate(news):
        facts = event.facts
        if event.kind == "battle-begins":
            if battle is not None and battle.end:
                yield began, battle
            battle, began = _Battle(facts["territory"], facts["forces"]), number
        elif battle is not None and event.phase == "battle":
            match event.kind:
                case "plans-revealed":
                    battle.leaders = {plan["faction"]: plan["leader"] for plan in facts["plans"] if plan["leader"]}
                case "tokens-lost" if facts["territory"] == battle.place:
                    battle.lost[facts["faction"]] += Forces.parse(facts["forces"]).total
                case "leader-killed" if facts.get("user"):
                    battle.dead.setdefault(facts["user"], []).append(facts["leader"])
                case "treachery-called":
                    battle.traitor = {"leader": facts["leader"], "caller": facts["caller"]}
                case "battle-won" | "battle-without-winner":
                    battle.end = facts
    if battle is not None and battle.end:
        yield began, battle


def _reminded(moment: Moment) -> str:
    return say("chronicle.reminder", said=moment.said.rstrip("."), turn=moment.turn)


_ARTICLE = re.compile(r"(The|A|An|No|Nobody) ")


def _small(said: str) -> str:
    return said[0].lower() + said[1:] if _ARTICLE.match(said) else said


def _begun(said: str) -> str:
    return said[:1].upper() + said[1:]
