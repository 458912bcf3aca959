"""The letters about a whole turn and about a finished game.

In a letter about a turn, the headline lists the strongholds that changed hands, and two sentences report other
important events (`highlights`). Then come the strongholds as tiles, how near everybody is to victory, the reader's
questions, the board, the battles, each faction's acts, the auction and the rest. All of it comes from the public events
of the turn and from the strongholds held before it. The length of every part is limited, so that no mail program cuts
the letter off; the command `history` gives the rest.

A letter about a finished game explains the victory, reveals who played whom and the hidden information, and says how
anybody can check the game.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from textwrap import shorten
from typing import Any

from msgspec import structs

from bot.render import position as seen
from bot.render.blocks import (
    Ask,
    Block,
    Button,
    Fields,
    Fight,
    Heading,
    Mark,
    Paragraph,
    Race,
    Row,
    Rows,
    Runner,
    Side,
    Story,
    Title,
)
from bot.render.highlights import of_game, of_turn
from bot.render.material import News, Party, Position, Revelation
from bot.render.news import Chapter, act_words, chapters, event_sentence
from bot.wording import find, say
from bot.wording.filters import halves, listed, name, tokens
from rules.components import FACTION_FACTS, Faction, Forces
from rules.components.board import MOBILE_STRONGHOLD, STRONGHOLDS, TerritoryId, territory_of
from rules.components.facts import load_toml

MOST_FIGHTS = 3  # battles with both plans side by side; the others have a line each
MOST_LINES = 12  # lines of a row
MOST_ACTS = 8  # acts of a faction
LONGEST_LINE = 240  # characters

ROUTINE = frozenset(load_toml("moments.toml")["summary"]["routine"])


def first_screen(ended: Position) -> list[Block]:
    opening = say("summary.opening", game=ended.game_id, turn=turn_of(ended), last=ended.view.get("last_turn", 0))
    return [Paragraph(opening, "small"), headline(ended), tiles(ended), *_race(ended.race)]


def board_of_turn(ended: Position) -> list[Block]:
    now = say("summary.now", turn=ended.view["turn"], phase=phase_name(ended.view["phase"]))
    return [Heading(say("heading.board"), now), seen.board(ended)]


def what_happened(ended: Position) -> list[Block]:
    return [
        *_battles(ended.news),
        Heading(say("heading.did")),
        Rows((*_acts(ended), *_rest(ended)), running=True),
    ]


def turn_of(position: Position) -> int:
    return max((event.turn for event in position.news), default=position.view["turn"])


def tiles(position: Position) -> Fields:
    now, before = held_at_end(position), held_before(position)
    there = _forces_in(position.view["forces"], now)
    rows, marks, below = [], [], []
    for place, holders in now.items():
        held = [(faction, there[place].get(faction, "")) for faction in holders]
        was = before.get(place, ()) if before.get(place, ()) != holders else None
        others = [faction for faction in there[place] if not holders]
        rows.append(Row(name(place), (say("tile.said", held=held, was=was, others=others),)))
        marks.append(tuple(Mark(*each) for each in held) or (Mark("", say("tile.nobody")),))
        letters = [FACTION_FACTS[faction].abbreviation for faction in was or ()]
        below.append(say("tile.was", letters=letters) if was is not None else "")
    return Fields(tuple(rows), tuple(marks), tuple(below))


def _forces_in(
    forces: Mapping[str, Mapping[Faction, str]], places: Iterable[TerritoryId]
) -> Mapping[TerritoryId, Mapping[Faction, str]]:
    found: dict[TerritoryId, dict[Faction, str]] = {place: {} for place in places}
    for area, here in forces.items():
        for faction, number in here.items() if (place := TerritoryId(area.partition("/")[0])) in found else ():
            before = Forces.parse(found[place].get(faction, "0"))
            found[place][faction] = str(before + Forces.parse(number))
    return found


def _race(parties: Sequence[Party]) -> Iterable[Race]:
    runners = [
        Runner(listed(map(name, one.factions)), one.holds, one.needs, say("race.of", holds=one.holds, needs=one.needs))
        for one in parties
        if one.holds
    ]
    if runners:
        yield Race(say("race.label"), tuple(runners))


def _battles(news: Sequence[News]) -> Iterable[Block]:
    battles = _gathered(news)
    if not battles:
        return
    yield Heading(say("heading.battles", number=len(battles)))
    order = sorted(range(len(battles)), key=lambda one: (battles[one].betrayed, battles[one].tokens), reverse=True)
    great, others = sorted(order[:MOST_FIGHTS]), sorted(order[MOST_FIGHTS:])
    yield from (_written(battles[one]) for one in great)
    if others:
        yield Rows((Row(say("summary.others"), _bounded([_in_a_line(battles[one]) for one in others])),), running=True)


def _in_a_line(battle: _Battle) -> str:
    return say(
        "fight.line",
        place=battle.begun["territory"],
        sides=[_side(battle, side).told for side in battle.sides],
        lost=battle.tokens,
        betrayed=battle.betrayed,
    )


def _acts(position: Position) -> Iterable[Row]:
    acts: dict[Faction, list[str]] = {}
    spice: dict[Faction, int] = {}
    for event in position.news:
        facts = event.facts
        if event.kind in ("spice-collected", "income"):
            spice[facts["faction"]] = spice.get(facts["faction"], 0) + facts["amount"]
        elif event.kind == "worm-ate":
            for faction, dead in facts["dead"].items():
                acts.setdefault(faction, []).append(say("did.eaten", dead=dead, place=facts["territory"], who=faction))
        elif (did := act_words(event)) and event.phase not in ("battle", "setup"):
            acts.setdefault(did[0], []).append(did[1])
    for faction, amount in spice.items():
        acts.setdefault(faction, []).append(say("did.collected", amount=amount))
    order = seen.order_of_play(position.view)
    for faction in order:
        if done := acts.get(faction):
            more = [say("summary.more", number=len(done) - MOST_ACTS)] if len(done) > MOST_ACTS else []
            yield Row(name(faction), (f"{_begun('; '.join([*done[:MOST_ACTS], *more]))}.",))
    if idle := [faction for faction in order if faction not in acts]:
        yield Row(say("summary.others"), (f"{_begun(say('did.nothing', factions=idle))}.",))


def _rest(position: Position) -> Iterable[Row]:
    news = without_battles(without_bids(position.news))
    sales = [event for event in news if event.phase == "bidding" and event.kind != "bidding-begins"]
    others = [
        event
        for event in news
        if event.phase not in ("bidding", "setup") and event.kind not in ROUTINE and not act_words(event)
    ]
    nexus = _all(position.news, "nexus-over")
    rows = {
        "auction": _told(sales),
        "spice": (_begun(f"{'; '.join(blows)}."),) if (blows := _blows(position.news)) else (),
        "storm": tuple(say("digest.moved", **event.facts) for event in _all(position.news, "storm-moved")),
        "alliances": (f"{_begun(_alliances(position))}.",) if position.view["alliances"] or nexus else (),
        "also": _told(others),
    }
    return [Row(say(f"digest.{label}"), lines) for label, lines in rows.items() if lines]


def _told(news: Iterable[News]) -> tuple[str, ...]:
    return _bounded([sentence for chapter in chapters(news) for sentence in chapter.sentences])


def _bounded(lines: Sequence[str]) -> tuple[str, ...]:
    shown = [shorten(line, LONGEST_LINE, placeholder=" …") for line in lines[:MOST_LINES]]
    return (*shown, *([say("summary.more", number=len(lines) - MOST_LINES)] if len(lines) > MOST_LINES else []))


MOBILE = territory_of(MOBILE_STRONGHOLD)

Holders = Mapping[TerritoryId, tuple[Faction, ...]]

MOST_CHANGES = 3  # changes that a headline names one by one


def headline(position: Position) -> Title:
    changed = _changes(position, held_at_end(position), held_before(position))
    return Title(changed, of_turn(position.news, position.race))


def _changes(position: Position, now: Holders, before: Holders) -> str:
    if won := _all(position.news, "game-won"):
        return _begun(say("summary.won", winners=won[-1].facts["winners"]))
    standing = _standing(position.view["forces"])
    taken: dict[tuple[str, tuple[Faction, ...]], list[TerritoryId]] = {}
    for place, holders in now.items():
        if holders != before.get(place, ()):
            change = "takes" if holders else "nobodys" if standing.get(place) else "left"
            taken.setdefault((change, holders), []).append(place)
    told = [
        say(f"summary.{change}", **({"holders": holders} if holders else {}), places=places)
        for (change, holders), places in sorted(taken.items(), key=lambda taking: taking[0][0] != "takes")
    ]
    if len(told) > MOST_CHANGES:
        told = [say("summary.many", number=sum(map(len, taken.values())))]
    return _begun(say("summary.title", changes=told))


def turn_digest(position: Position) -> Rows:
    news = position.news
    sales = [event for event in without_bids(news) if event.kind == "card-went"]
    rows = {
        "strongholds": [say("digest.held", place=row.label, said=row.lines[0]) for row in tiles(position).rows],
        "battles": [_in_a_line(battle) for battle in _gathered(news)] or [say("digest.none")],
        "cards": [event_sentence(event.kind, event.facts) for event in sales] or [say("digest.none")],
        "spice": _blows(news) or [say("digest.none")],
        "alliances": [_alliances(position)],
    }
    return Rows(tuple(Row(say(f"digest.{label}"), tuple(map(_begun, lines))) for label, lines in rows.items()))


def _begun(line: str) -> str:
    return line[:1].upper() + line[1:]


# --- strongholds -----------------------------------------------------------------------------------------------------


def held_at_end(position: Position) -> Holders:
    return _told_last(position.news) or _standing(position.view["forces"])


def held_before(position: Position) -> Holders:
    if told := _told_last(position.background):
        return told
    forces: dict[str, dict[str, str]] = {}
    for event in _all((*position.background, *position.news), "game-set-up"):
        for faction, area, there in event.facts["forces"]:
            forces.setdefault(area, {})[faction] = there
    return _standing(forces)


def _told_last(news: Iterable[News]) -> Holders:
    told = _all(news, "strongholds")
    if not told:
        return {}
    held: Mapping[Faction, Sequence[TerritoryId]] = told[-1].facts["held"]
    there = (*STRONGHOLDS, *([MOBILE] if any(MOBILE in places for places in held.values()) else []))
    return {place: tuple(faction for faction, places in held.items() if place in places) for place in there}


def _standing(forces: Mapping[str, Mapping[str, Any]]) -> Holders:
    places = (*STRONGHOLDS, *([MOBILE] if forces.get(MOBILE_STRONGHOLD) else []))
    held: dict[TerritoryId, tuple[Faction, ...]] = dict.fromkeys(places, ())
    for area, there in forces.items():
        if (place := TerritoryId(area.partition("/")[0])) in held:
            held[place] += tuple(there)
    return held


def _blows(news: Iterable[News]) -> list[str]:
    blows: list[str] = []
    for event in _all(news, "spice-blow", "worm-ate", "storm-took-spice"):
        facts = event.facts
        if event.kind == "spice-blow" and not facts["in_storm"]:
            blows.append(say("digest.blew", amount=facts["amount"], area=facts["area"]))
        elif event.kind == "worm-ate" and facts["spice"]:
            blows.append(say("digest.eaten", amount=facts["spice"], place=facts["territory"]))
        elif event.kind == "storm-took-spice":
            blows.append(say("digest.storm-took", amount=facts["amount"], area=facts["area"]))
    return blows


def _alliances(position: Position) -> str:
    nexus = _all(position.news, "nexus-over")
    alliances = nexus[-1].facts["alliances"] if nexus else position.view["alliances"]
    told = say("digest.allied", alliances=alliances) if alliances else say("digest.no-alliance")
    if _all(position.news, "alliance-formed", "alliance-broken"):
        return say("digest.changed", told=told)
    return say("digest.as-before", told=told, nexus=bool(nexus))


def _all(news: Iterable[News], *kinds: str) -> list[News]:
    return [event for event in news if event.kind in kinds]


BIDS = ("card-up", "bid", "passed", "card-sold")


@dataclass(slots=True)
class _Battle:
    begun: Mapping[str, Any]
    plans: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    won: Mapping[str, Any] = field(default_factory=dict)
    lost: dict[str, list[str]] = field(default_factory=dict)
    remarks: list[str] = field(default_factory=list)
    asked: int = -1  # the remark about the latest question of prescience
    betrayed: bool = False
    tokens: int = 0  # lost by both sides

    @property
    def sides(self) -> tuple[str, str]:
        return self.begun["aggressor"], self.begun["defender"]


def fights(news: Sequence[News]) -> list[Fight]:
    return [_written(battle) for battle in _gathered(news)]


def without_battles(news: Sequence[News]) -> tuple[News, ...]:
    if not any(event.kind == "battle-begins" for event in news):
        return tuple(news)
    return tuple(event for event in news if event.phase != "battle")


def without_bids(news: Sequence[News]) -> tuple[News, ...]:
    found: list[News] = []
    best: dict[str, int] = {}
    for event in news:
        facts = event.facts
        if event.kind == "card-up":
            best = {}
        elif event.kind == "bid":
            best[facts["faction"]] = facts["amount"] or best.get(facts["faction"], 0)
        if event.kind == "card-sold":
            over = sorted(
                ((other, amount) for other, amount in best.items() if other != facts["buyer"] and amount),
                key=lambda bid: -bid[1],
            )
            told = {
                "number": facts["number"],
                "buyer": facts["buyer"],
                "karama": facts["karama"],
                "price": facts["price"],
                "over": over,
            }
            found.append(structs.replace(event, kind="card-went", facts=told, mine={}))
        elif event.kind not in BIDS:
            found.append(event)
    return tuple(found)


def _gathered(news: Sequence[News]) -> list[_Battle]:
    found: list[_Battle] = []
    before: list[str] = []
    for event in news:
        if event.phase != "battle" or event.kind == "battles-listed":
            continue
        facts = event.facts
        if event.kind == "battle-begins":
            found.append(_Battle(facts, remarks=before))
            before = []
            continue
        if not found:
            before.append(event_sentence(event.kind, facts, event.mine))
            continue
        battle = found[-1]
        match event.kind:
            case "plans-revealed":
                battle.plans = {plan["faction"]: plan for plan in facts["plans"]}
            case "battle-won":
                battle.won = facts
            case "tokens-lost":
                battle.tokens += Forces.parse(facts["forces"]).total
                battle.lost.setdefault(facts["faction"], []).append(tokens(facts["forces"], facts["faction"]))
            case "leader-killed" if facts.get("user") in battle.sides:
                battle.lost.setdefault(facts["user"], []).append(facts["leader"])
            case "cards-discarded" if facts["faction"] in battle.sides:
                battle.lost.setdefault(facts["faction"], []).extend(
                    _cards_lost(battle, facts["faction"], facts["cards"])
                )
            case "captive-drawn":  # a later event reports its fate
                pass
            case _:
                battle.betrayed |= event.kind == "treachery-called"
                if event.kind == "prescience-asked":
                    battle.asked = len(battle.remarks)
                elif event.kind == "prescience-answered" and battle.asked >= 0:
                    del battle.remarks[battle.asked]
                    battle.asked = -1
                battle.remarks.append(event_sentence(event.kind, facts, event.mine))
    return found


def _cards_lost(battle: _Battle, side: str, cards: Sequence[str]) -> Iterable[str]:
    plan = battle.plans.get(side, {})
    played = [card for card in (plan.get("weapon"), plan.get("defense")) if card]
    return (
        [say("fight.cards-played", number=len(played))]
        if played and sorted(played) == sorted(cards)
        else map(name, cards)
    )


def _written(battle: _Battle) -> Fight:
    first, second = battle.sides
    forces, totals = battle.begun["forces"], battle.won.get("totals") or {}
    tie = first if totals and totals[first] == totals[second] else ""
    about = say("fight.about", sides=[(side, forces[side]) for side in battle.sides], aggressor=tie)
    parts = ("dial", "cards") if battle.plans else ()
    rows = [
        (say(f"fight.{part}"), _part_of_plan(battle, first, part), _part_of_plan(battle, second, part))
        for part in parts
    ]
    rows.append((say("fight.losses"), _gone(battle.lost.get(first)), _gone(battle.lost.get(second))))
    mended = [
        say("fight.mended", faction=side, repairs=plan["repairs"])
        for side, plan in battle.plans.items()
        if plan["repairs"]
    ]
    sides = (_side(battle, first), _side(battle, second))
    return Fight(
        name(battle.begun["territory"]), about, sides, tuple(rows), tuple(filter(None, (*mended, *battle.remarks)))
    )


def _side(battle: _Battle, side: str) -> Side:
    totals = battle.won.get("totals") or {}
    score = halves(totals[side]) if side in totals else ""
    result = "no-winner" if not battle.won else "won" if battle.won["winner"] == side else "lost"
    return Side(name(side), score, say(f"fight.{result}"))


def _part_of_plan(battle: _Battle, side: str, part: str) -> str:
    plan = battle.plans.get(side)
    return say(f"fight.plan-{part}", **plan) if plan else ""


def _gone(what: Sequence[str] | None) -> str:
    return say("fight.gone", gone=what or ())


def story(position: Position, most: int = 0) -> Story | None:
    told = _latest(chapters(position.news), most) if most else chapters(position.news)
    several = len({chapter.turn for chapter in told}) > 1
    rows = [
        Row(
            say("news.turn-phase" if several else "news.phase", turn=chapter.turn, phase=phase_name(chapter.phase)),
            chapter.sentences,
        )
        for chapter in told
    ]
    return Story(tuple(rows)) if rows else None


def _latest(told: Sequence[Chapter], most: int) -> Sequence[Chapter]:
    kept, left, cut = list[Chapter](), most, 0
    for chapter in reversed(told):
        fits = 0
        for sentence in reversed(chapter.sentences):
            left -= len(sentence)
            fits += left >= 0 or not (kept or fits)
        cut += len(chapter.sentences) - fits
        if fits:
            kept.insert(0, replace(chapter, sentences=chapter.sentences[-fits:]))
    if cut:
        kept[0] = replace(kept[0], sentences=(say("summary.earlier", number=cut), *kept[0].sentences))
    return kept


def guide(position: Position) -> Rows:
    faction, rules = str(position.reader.viewer), position.rules

    def told(part: str) -> tuple[str, ...]:
        words = find(f"guide.{faction}.{part}")  # none for a faction that somebody has added
        return tuple(filter(None, words.render({"rules": rules}).split(" | "))) if words else ()

    wins = (say("guide.strongholds", alone=rules["alone"], allied=rules["allied"]), *told("win"))
    rows = {"can": told("can"), "ally": told("ally") if rules["allied"] else (), "win": wins}
    return Rows(tuple(Row(say(f"guide.{part}"), lines) for part, lines in rows.items() if lines))


def phase_name(phase: str) -> str:
    return say(f"phase.{phase}")


def why_it_ended(position: Position) -> Title:
    winners, told = position.view["winner"], (*position.background, *position.news)
    places = [place for place, factions in _told_last(told).items() if set(factions) & set(winners)]
    won = [event.facts for event in told if event.kind == "game-won"]
    why = say("end.why", **won[-1], places=places) if won else ""
    return Title(_begun(say("end.title", winners=winners, turn=position.view["turn"])), why)


def who_held_what(position: Position) -> list[Block]:
    turns = {event.turn: _told_last([event]) for event in _all(position.background, "strongholds")}
    if not turns:
        return []
    rows, marks = [], []
    for place in dict.fromkeys(place for held in turns.values() for place in held):
        holders = {turn: held.get(place, ()) for turn, held in turns.items()}
        runs = [(who, [turn for turn, _ in run]) for who, run in groupby(holders.items(), key=lambda each: each[1])]
        rows.append(Row(name(place), (say("strip.said", runs=[run for run in runs if run[0]]),)))
        marks.append(tuple(map(_mark_of, holders.values())))
    return [
        Heading(say("heading.held"), say("strip.after")),
        Fields(tuple(rows), tuple(marks), head=tuple(map(str, turns))),
    ]


def _mark_of(holders: Sequence[Faction]) -> Mark:
    return Mark(holders[0] if holders else "", "".join(FACTION_FACTS[faction].abbreviation for faction in holders))


def moments_of_game(position: Position) -> list[Block]:
    rows = [Row(say("end.turn", turn=moment.turn), (moment.said,)) for moment in of_game(position.background)]
    return [Heading(say("heading.moments")), Rows(tuple(rows), running=True)] if rows else []


def who_played(position: Position) -> tuple[Block, ...]:
    players, winners = position.view["players"], position.view["winner"]
    order = sorted(players, key=lambda faction: (faction not in winners, players[faction]["dot"]))
    rows = [
        Row(name(faction), (say("end.player", player=position.players.get(faction, ""), won=faction in winners),))
        for faction in order
    ]
    return Heading(say("heading.played")), Rows(tuple(rows), running=True)


def play_again(position: Position) -> tuple[Block, ...]:
    if not position.again:
        return ()
    button = Button(say("end.again-button"), position.again, f"rematch {position.game_id}")
    return (Ask(say("end.again"), (say("end.again-how"),), (button,)),)


def what_was_hidden(position: Position) -> tuple[Block, ...]:
    revealed = position.revealed
    if revealed is None:
        return ()
    rows = [_prediction(position, revealed)] if revealed.prediction else []
    rows += [Row(name(faction), tuple(_of_one(revealed, faction))) for faction in revealed.hands]
    called = [
        say("end.betrayal", turn=event.turn, **event.facts)
        for event in position.background
        if event.kind == "treachery-called"
    ]
    rows.append(Row(say("end.treachery"), (say("end.betrayals", called=called),)))
    return Heading(say("heading.hidden")), Rows(tuple(rows), running=True)


def _prediction(position: Position, revealed: Revelation) -> Row:
    news = reversed((*position.background, *position.news))
    won = next((event.facts for event in news if event.kind == "game-won"), {})
    return Row(say("own.prediction"), (what_it_came_to(revealed.prediction or {}, won, position.view["turn"]),))


def what_it_came_to(prediction: Mapping[str, Any], won: Mapping[str, Any], turn: int) -> str:
    """Return a sentence about the prediction and its outcome. `won` has the facts of the victory in this turn. Only a
    victory by strongholds can fulfil a prediction (AH.SHIELD.BG.1-b)."""
    came_true = won.get("how") == "prediction"
    uncounted = turn == prediction["turn"] and prediction["faction"] in won.get("winners", ())
    return say("end.prediction", **prediction, came_true=came_true, uncounted=uncounted)


def _of_one(revealed: Revelation, faction: Faction) -> Iterable[str]:
    told = {"traitors": revealed.traitors, "dancers": revealed.dancers, "captives": revealed.captives}
    yield say("end.hand", cards=revealed.hands[faction])
    for what, leaders in told.items():
        if hidden := leaders.get(faction):
            yield say(f"end.{what}", leaders=[seen.whose(leader) for leader in hidden])


def how_to_check(position: Position) -> tuple[Block, ...]:
    record, game = position.record, position.game_id
    told = [say("end.seed", seed=position.seed, parts=_parts(position.commitment))]
    told.append(say("record.attached", file=record.file, chained=bool(record.head)))
    if record.head:
        facts = {"file": f"{game}.jsonl", "parts": _parts(record.digest), "head": record.short}
        told += [say("record.check", **facts), say("record.so-far", **facts)]
    return Heading(say("heading.verify")), *(Paragraph(line, "small") for line in told)


def _parts(digest: str) -> list[str]:
    return [digest[start : start + 16] for start in range(0, len(digest), 16)]


def winners_of(position: Position) -> str:
    return listed(name(faction) for faction in position.view["winner"])
