"""The last letter of a game: why it was won, who played whom, what was hidden, and how anybody can check it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from bot.reports.document import Block, Heading, Paragraph, Row, Rows, Title
from bot.reports.given import Position, Revealed
from bot.reports.news import sentence
from bot.wording.filters import listed, name
from bot.wording.sentences import say
from rules.components import Faction, Leader, traitor_owner


def why_it_ended(position: Position) -> Title:
    """Who won, and by what."""
    winners = position.view["winner"]
    told = [event for event in (*position.background, *position.news) if event.kind in ("strongholds", "game-won")]
    last = {event.kind: event for event in told}  # the last of each kind
    why = [sentence(event.kind, event.facts) for kind in ("game-won", "strongholds") if (event := last.get(kind))]
    return Title(say("end.title", winners=winners, turn=position.view["turn"]), " ".join(dict.fromkeys(why)))


def who_played(position: Position) -> tuple[Block, ...]:
    """Each faction with its player, the winners first."""
    players, winners = position.view["players"], position.view["winner"]
    order = sorted(players, key=lambda faction: (faction not in winners, players[faction]["dot"]))
    rows = [
        Row(name(faction), (say("end.player", player=position.players.get(faction, ""), won=faction in winners),))
        for faction in order
    ]
    return Heading(say("heading.played")), Rows(tuple(rows))


def what_was_hidden(position: Position) -> tuple[Block, ...]:
    """The prediction, the traitors, and what each hand held in the end."""
    revealed = position.revealed
    if revealed is None:
        return ()
    rows = [_prediction(position, revealed)] if revealed.prediction else []
    rows += [Row(name(faction), tuple(_of_one(revealed, faction))) for faction in revealed.hands]
    called = [sentence(event.kind, event.facts) for event in position.background if event.kind == "treachery-called"]
    return (
        Heading(say("heading.hidden")), Rows(tuple(rows)),
        Paragraph(" ".join(called) or say("end.no-treachery")),
    )  # fmt: skip


def _prediction(position: Position, revealed: Revealed) -> Row:
    news = reversed((*position.background, *position.news))
    won = next((event.facts for event in news if event.kind == "game-won"), {})
    return Row(say("own.prediction"), (what_it_came_to(revealed.prediction or {}, won, position.view["turn"]),))


def what_it_came_to(prediction: Mapping[str, Any], won: Mapping[str, Any], turn: int) -> str:
    """The prediction, and whether it came true: ``won`` has the facts of how the game was won, in this turn. A win that
    is not by strongholds cannot be predicted (AH.SHIELD.BG.1-b)."""
    came_true = won.get("how") == "prediction"
    uncounted = turn == prediction["turn"] and prediction["faction"] in won.get("winners", ())
    return say("end.prediction", **prediction, came_true=came_true, uncounted=uncounted)


def _of_one(revealed: Revealed, faction: Faction) -> Iterable[str]:
    yield say("end.hand", cards=revealed.hands[faction])
    if traitors := revealed.traitors.get(faction):
        yield say("end.traitors", leaders=[_whose(leader) for leader in traitors])
    if dancers := revealed.dancers.get(faction):
        yield say("end.dancers", leaders=[_whose(leader) for leader in dancers])
    if captives := revealed.captives.get(faction):
        yield say("end.captives", leaders=[_whose(leader) for leader in captives])


def _whose(leader: str) -> str:
    return say("own.whose", leader=leader, faction=traitor_owner(Leader(leader)))


def how_to_check(position: Position) -> tuple[Block, ...]:
    """The seed and its commitment, the record that comes with the letter, and three ways to check it."""
    record, game = position.record, position.game_id
    ways = [say("record.verify", file=record.file, chained=bool(record.head))]
    if record.head:
        unchanged = say("record.unchanged", file=f"{game}.jsonl", parts=_parts(record.digest))
        ways = [unchanged, say("record.check", file=f"{game}.jsonl", head=record.short), *ways]
    return (
        Heading(say("heading.verify")),
        Paragraph(say("end.seed", seed=position.seed)),
        Paragraph(say("end.commitment", parts=_parts(position.commitment))),
        Paragraph(say("record.attached", file=record.file, chained=bool(record.head))),
        *(Paragraph(way) for way in ways),
        *([Paragraph(say("record.so-far", head=record.short), "small")] if record.head else []),
    )


def _parts(digest: str) -> list[str]:
    return [digest[start : start + 16] for start in range(0, len(digest), 16)]


def winners_of(position: Position) -> str:
    """The winners in a list, for the subject; empty where there are none."""
    return listed(name(faction) for faction in position.view["winner"])
