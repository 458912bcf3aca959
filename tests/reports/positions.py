"""Positions for tests of reports: some from random games, and one made by hand that does not depend on the rules."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any
from zoneinfo import ZoneInfo

from bot.language.orders import write
from bot.render.material import AnswerWanted, Duty, LineVerdict, News, Position, Reader
from rules import views
from rules.components import FACTIONS, Faction
from rules.decisions.question import Question
from rules.engine.catalogue import load_rule_set
from rules.engine.play import Play
from rules.orders import QuestionKind
from rules.random_players import RandomPlayer, random_seats
from rules.state.events import Event, Viewer

RULE_SETS = ("ah-basic", "wbc-2018")
NOW = datetime(2026, 11, 22, 20, 0, tzinfo=UTC)
DUE = NOW + timedelta(hours=48)
ADDRESS = "mentat+g7k2h9q4@arrakis.example"
CODE = "7qk2m9xa"

Asked = tuple[QuestionKind, Mapping[str, Any], Faction]
"""An open question: its kind, the facts for its wording, and the faction asked."""


def stops(ruleset: str, seed: str) -> Iterator[Play]:
    """Yield a random game at each of its stops, and once more when it is over. It is always the same Play object."""
    play = Play.start(load_rule_set(ruleset), seed, random_seats(seed, FACTIONS))
    player = RandomPlayer(f"player {seed}")
    play.advance()
    for _ in range(20_000):
        yield play
        if play.over:
            return
        player.act(play)


@cache
def games() -> Sequence[tuple[tuple[Event, ...], tuple[Asked, ...], tuple[Position, ...]]]:
    """Return a few random games, each with its events, all questions as they were asked, and some positions."""
    found = []
    for ruleset in RULE_SETS:
        for seed in ("spice", "melange"):
            asked: dict[Any, Asked] = {}
            positions: list[Position] = []
            told = 0
            for number, play in enumerate(stops(ruleset, seed)):
                asked |= {
                    (play.state.turn, number, *question.key): (question.kind, dict(question.facts), question.faction)
                    for question in play.questions()
                }
                if number % 60 == 0 or play.over:
                    readers = [question.faction for question in play.questions()][:1]
                    positions += [position_of(play, viewer, told) for viewer in (*readers, *play.state.players)[:2]]
                    positions.append(position_of(play, "public", told))
                    told = play.state.events
            found.append((tuple(play.events), tuple(asked.values()), tuple(positions)))
    return found


def position_of(play: Play, viewer: Viewer, told: int = 0) -> Position:
    """Return the position that the moderator would pass to a letter to this viewer. Events from ``told`` on are
    news."""
    public = viewer in ("public", "gm")
    reader = Reader(viewer, "" if public else "Ann", ZoneInfo("Europe/Berlin"), "" if public else ADDRESS)
    questions = play.questions()
    return Position(
        game_id="sietch-12",
        ruleset=play.game.rules.name,
        title=play.game.rules.title,
        edition=play.game.rules.edition,
        reader=reader,
        now=NOW,
        view=views.view(play, viewer),
        secrets=views.known(play, viewer),
        news=tuple(
            News(event.turn, event.phase, event.kind, event.facts, event.told_to(viewer))
            for event in play.events
            if event.number >= told and event.visible_to(viewer)
        ),
        wanted=tuple(_wanted(question) for question in questions if question.faction == viewer),
        waiting=tuple(
            dict.fromkeys(
                Duty(None if question.blanket else question.faction, question.kind, DUE)
                for question in questions
                if question.public and question.faction != viewer
            )
        ),
        form_code="" if public else CODE,
        commitment="c5" * 32,
        seed="spice" if play.over else "",
    )


def _wanted(question: Question) -> AnswerWanted:
    choices = tuple(dict.fromkeys(write(order) for order in list(question.samples())[:12]))
    return AnswerWanted(question.kind, question.subject, question.facts, DUE, write(question.default), choices)


# --- by hand ---------------------------------------------------------------------------------------------------------


def _player(dot: int, tanks: str, ally: str, leaders: dict[str, str], **hidden: Any) -> dict[str, Any]:
    unknown = {"spice": None, "hand": None, "hand_count": None, "reserves": None}
    return {"dot": dot, "ally": ally, "tanks": tanks, "leaders": leaders, **unknown, **hidden}


VIEW: dict[str, Any] = {
    "ruleset": "wbc-2018",
    "turn": 4,
    "phase": "movement",
    "storm": 9,
    "shield_wall": True,
    "winner": [],
    "players": {
        "emperor": _player(11, "3", "", {"Bashar": "ready", "Burseg": "dead"}, hand_count=4),
        "guild": _player(2, "2", "atreides", {"Master Bewt": "ready"}, hand_count=4),
        "atreides": _player(5, "4", "guild", {"Lady Jessica": "ready", "Duncan Idaho": "face-down"}, hand_count=3),
        "harkonnen": _player(
            17, "1", "", {"Feyd-Rautha": "ready", "Beast Rabban": "used", "Umman Kudu": "dead"},
            spice=7, hand=["Crysknife", "Karama", "Shield"], hand_count=3, reserves="9",
        ),
    },
    "forces": {
        "arrakeen/10": {"atreides": "9"},
        "carthag/11": {"harkonnen": "10", "emperor": "0+2"},
        "imperial-basin/9": {"emperor": "7"},
        "polar-sink": {"guild": "1"},
    },
    "spice": {"red-chasm/7": 8, "cielago-north/3": 4},
    "coexisting": [],
    "advisors": [],
    "alliances": [["guild", "atreides"]],
    "kwisatz_haderach": "locked",
    "lost_in_battle": 3,
}  # fmt: skip

SHIPMENT = AnswerWanted(
    "shipment", "", {"reserves": "9", "spice": 7, "half_price": False}, DUE, "no shipment",
    ("no shipment", "ship 3 to Imperial Basin/10", "ship 7 to Sietch Tabr"),
)  # fmt: skip
MOVEMENT = AnswerWanted(
    "movement",
    "",
    {"reach": 3, "leave": None, "hajr": False},
    DUE,
    "no move",
    ("no move", "move 3 from Carthag to Arsunt/11"),
)

HARKONNEN = Position(
    game_id="sietch-12",
    ruleset="wbc-2018",
    title="WBC Dune 2018",
    reader=Reader("harkonnen", "Ann", ZoneInfo("Europe/Berlin"), ADDRESS),
    now=NOW,
    view=VIEW,
    secrets={"traitors": ["Gurney Halleck", "Bashar"], "prediction": None, "captured": {}, "next_storm": None},
    news=(
        News(4, "storm", "storm-moved", {"sectors": 4, "start": 5, "storm": 9}, {}),
        News(4, "bidding", "card-up", {"number": 1, "of": 3}, {}),
        News(4, "bidding", "bid", {"faction": "guild", "amount": 2, "number": 1}, {}),
        News(4, "bidding", "passed", {"faction": "emperor", "number": 1}, {}),
        News(4, "bidding", "a-kind-from-tomorrow", {"faction": "guild", "where": "red-chasm/7"}, {}),
    ),
    wanted=(SHIPMENT, MOVEMENT),
    waiting=(Duty("guild", "shipment", DUE), Duty(None, "karama-window", DUE)),
    held=("plan dial 6 spice 5 leader Feyd-Rautha weapon Crysknife defense Shield",),
    form_code=CODE,
    commitment="c5" * 32,
    players={"emperor": "Bob", "guild": "Cid", "atreides": "Dan", "harkonnen": "Ann"},
)

PLANS = (
    {"faction": "guild", "dial": 7.0, "spice": 7, "leader": "Staban Tuek", "cheap_hero": False, "weapon": None,
     "defense": "Snooper", "kwisatz_haderach": False, "repairs": []},
    {"faction": "harkonnen", "dial": 2.5, "spice": 0, "leader": "Umman Kudu", "cheap_hero": False,
     "weapon": "Chaumas", "defense": None, "kwisatz_haderach": False, "repairs": ["dial-lowered"]},
)  # fmt: skip
BEFORE = (
    News(3, "mentat", "strongholds", {"held": {
        "guild": ["tueks-sietch"], "atreides": ["arrakeen"], "harkonnen": ["carthag", "sietch-tabr"]}}, {}),
)  # fmt: skip
TURN = (
    News(4, "storm", "storm-moved", {"sectors": 4, "start": 5, "storm": 9}, {}),
    News(4, "spice", "spice-blow", {"amount": 8, "area": "red-chasm/7", "in_storm": False, "pile": 1}, {}),
    News(4, "spice", "worm-appeared", {"additional": False, "pile": 2, "seen": 1, "territory": "south-mesa"}, {}),
    News(4, "spice", "nexus", {}, {}),
    News(4, "spice", "nexus-over", {"alliances": [["guild", "atreides"]]}, {}),
    News(4, "spice", "worm-ate", {"dead": {}, "sand": True, "spice": 10, "territory": "south-mesa"}, {}),
    News(4, "bidding", "bidding-begins", {"cards": 2, "hands": {"guild": 2, "emperor": 4}}, {}),
    News(4, "bidding", "card-up", {"number": 1, "of": 2}, {}),
    News(4, "bidding", "bid", {"faction": "harkonnen", "amount": 2, "number": 1}, {}),
    News(4, "bidding", "bid", {"faction": "guild", "amount": 3, "number": 1}, {}),
    News(4, "bidding", "passed", {"faction": "harkonnen", "number": 1}, {}),
    News(4, "bidding", "card-sold", {"buyer": "guild", "karama": False, "number": 1, "price": 3, "to_emperor": True},
         {}),
    News(4, "bidding", "card-up", {"number": 2, "of": 2}, {}),
    News(4, "bidding", "bid", {"faction": "guild", "amount": 1, "number": 2}, {}),
    News(4, "bidding", "card-sold", {"buyer": "guild", "karama": False, "number": 2, "price": 1, "to_emperor": True},
         {}),
    News(4, "movement", "shipment", {"faction": "guild", "forces": "7", "paid_to": "bank", "price": 4, "source": None,
                                     "target": "carthag/11"}, {}),
    News(4, "movement", "move", {"faction": "guild", "forces": "1", "hajr": False, "source": "tsimpo/11",
                                 "target": "old-gap/11", "via": []}, {}),
    News(4, "movement", "no-shipment", {"faction": "emperor"}, {}),
    News(4, "movement", "no-move", {"faction": "emperor"}, {}),
    News(4, "battle", "battles-listed", {"battles": [
        {"aggressor": "guild", "defender": "harkonnen", "territory": "carthag"}]}, {}),
    News(4, "battle", "battle-begins", {"aggressor": "guild", "areas": ["carthag/11"], "defender": "harkonnen",
                                        "forces": {"guild": "7", "harkonnen": "5"}, "territory": "carthag"}, {}),
    News(4, "battle", "voice-given", {"target": "guild", "play": False, "card": "lasgun"}, {}),
    News(4, "battle", "plans-revealed", {"plans": PLANS, "territory": "carthag"}, {}),
    News(4, "battle", "battle-won", {"by": "strength", "loser": "harkonnen", "territory": "carthag",
                                     "totals": {"guild": 12.0, "harkonnen": 3.5}, "winner": "guild"}, {}),
    News(4, "battle", "leader-killed", {"leader": "Umman Kudu", "status": "dead", "user": "harkonnen"}, {}),
    News(4, "battle", "tokens-lost", {"faction": "harkonnen", "forces": "5", "territory": "carthag"}, {}),
    News(4, "battle", "cards-discarded", {"cards": ["Chaumas"], "faction": "harkonnen"}, {}),
    News(4, "battle", "tokens-lost", {"faction": "guild", "forces": "7", "territory": "carthag"}, {}),
    News(4, "collection", "income", {"amount": 2, "faction": "atreides", "territory": "arrakeen"}, {}),
    News(4, "mentat", "strongholds", {"held": {
        "guild": ["tueks-sietch", "carthag"], "atreides": ["arrakeen"], "harkonnen": [], "emperor": []}}, {}),
)  # fmt: skip
"""The public events of a turn, and the strongholds before it."""

LINES = (
    LineVerdict(
        "ship 4 to imperial basin/9", "refused", "ship 4 to Imperial Basin/9", "Sector 9 is in storm.", "AH.IX.C.1.c",
        "Nothing is shipped into a sector in storm.", ("ship 3 to Imperial Basin/10",),
    ),
    LineVerdict("mv 3 from carthag to arsunt/11", "accepted", "move 3 from Carthag to Arsunt/11"),
    LineVerdict("plan dial 6 leader feyd", "held", "plan dial 6 leader Feyd-Rautha"),
    LineVerdict("moev 3", "unread", reason="I do not know “moev”.", suggestions=("move 3 from ______ to ______",)),
    LineVerdict("help", "done", reason="bid N\npass"),
)  # fmt: skip
