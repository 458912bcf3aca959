"""Requests to the lobby in people's own words, and talk in which the same words request nothing.

Both sets were written before the parser. A phrasing passes if the parsed request has these facts, or if the parser
proposes the right line. Talk may be answered, but must never change a seat.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest

from bot.lobby.lines import Known
from bot.lobby.reading import read_mail
from bot.lobby.requests import (
    Invite,
    Join,
    Leave,
    ListTables,
    MyGames,
    Open,
    OpenTable,
    ReadMail,
    Rematch,
    Reply,
    Request,
    StandBy,
    Start,
    Stop,
    Unread,
    Wait,
    WaitUntil,
    Wish,
)

TODAY = date(2026, 11, 30)  # a Monday
NOW = datetime(2026, 11, 30, 9, tzinfo=UTC)


def table(id: str, taken: int, ruleset: str = "wbc-2018", tempo: str = "steady", **facts: Any) -> OpenTable:
    times = {"opened": NOW - timedelta(days=2), "until": NOW + timedelta(days=12)}
    return OpenTable(id=id, taken=taken, size=6, ruleset=ruleset, tempo=tempo, **(times | facts))


ARRAKEEN = table("arrakeen-7", 4)
SIETCH = table("sietch-3", 5, "gf9-basic", "swift")
CARTHAG = table(
    "carthag-2", 2, "ah-advanced", title="Friday night", starts="date", starts_at=datetime(2026, 12, 4, 18, tzinfo=UTC)
)
TABR = table("tabr-4", 1, tempo="table", title="Slow and friendly")
FOUR = (ARRAKEEN, SIETCH, CARTHAG, TABR)

NOTHING = Known(tables=FOUR, today=TODAY)
AT_ARRAKEEN = Known(tables=FOUR, today=TODAY, answers="arrakeen-7")
SEATED = Known(tables=FOUR, today=TODAY, mine=("arrakeen-7",), answers="arrakeen-7")
TWO_SEATS = Known(tables=FOUR, today=TODAY, mine=("arrakeen-7", "sietch-3"))
TWO_TABLES = Known(tables=(ARRAKEEN, CARTHAG), today=TODAY)
ASKED = Known(tables=FOUR, today=TODAY, mine=("arrakeen-7",), answers="arrakeen-7", asked=("arrakeen-7",))
OVER = Known(tables=FOUR, today=TODAY, games=("ix-1",), answers="ix-1")

PHRASINGS: Sequence[tuple[Known, str, Sequence[tuple[type, Mapping[str, Any]]]]] = (
    (NOTHING, "Hello, are there any games I could still get into?", [(ListTables, {})]),
    (NOTHING, "Is anything starting this week?", [(ListTables, {"soon": True})]),
    (NOTHING, "which gf9 tables have room", [(ListTables, {"ruleset": "gf9"})]),
    (NOTHING, "I'd love a slow one, what have you got?", [(ListTables, {"tempo": "table"})]),
    (NOTHING, "Do you have a table for me?", [(ListTables, {})]),
    (NOTHING, "what's open?", [(ListTables, {})]),
    (NOTHING, "I'll join arrakeen-7 please", [(Join, {"table": "arrakeen-7"})]),
    (
        NOTHING,
        "Put me down for sietch-3, I'd like to be the Guild",
        [(Join, {"table": "sietch-3", "wishes": "guild"})],
    ),
    (NOTHING, "Could you seat me at the Friday night table?", [(Join, {"table": "carthag-2"})]),
    (NOTHING, "I want to play in the friday one", [(Join, {"table": "carthag-2"})]),
    (AT_ARRAKEEN, "count me in", [(Join, {"table": "arrakeen-7"})]),
    (
        AT_ARRAKEEN,
        "Sounds fun, I'm in! Emperor or Harkonnen for me if possible",
        [(Join, {"table": "arrakeen-7", "wishes": "emperor = harkonnen"})],
    ),
    (NOTHING, "can I have the last seat at sietch", [(Join, {"table": "sietch-3"})]),
    (NOTHING, "jion arakeen-7 as fremen", [(Join, {"table": "arrakeen-7", "wishes": "fremen"})]),
    (NOTHING, "Please add me to the gf9 game. Call me Wes.", [(Join, {"table": "sietch-3", "name": "Wes"})]),
    (SEATED, "I'd play anyone except the Harkonnen", [(Wish, {"wishes": "*, harkonnen"})]),
    (SEATED, "I don't mind which faction I get", [(Wish, {"wishes": "*"})]),
    (SEATED, "Please take me off arrakeen-7, work got busy", [(Leave, {"table": "arrakeen-7"})]),
    (SEATED, "I'm afraid I can't make it after all", [(Leave, {"table": "arrakeen-7"})]),
    (TWO_SEATS, "I need to pull out of both games, sorry", [(Leave, {"every": True})]),
    (TWO_TABLES, "not the Friday game, the other one", [(Join, {"table": "arrakeen-7"})]),
    (
        SEATED,
        "leave arrakeen-7 and put me in sietch-3 instead",
        [(Leave, {"table": "arrakeen-7"}), (Join, {"table": "sietch-3"})],
    ),
    (NOTHING, "If a place opens up at sietch-3 let me know", [(Wait, {"table": "sietch-3"})]),
    (NOTHING, "put me on the reserve list for arrakeen", [(Wait, {"table": "arrakeen-7"})]),
    (NOTHING, "I could jump in for somebody who drops out, any game", [(StandBy, {})]),
    (NOTHING, "happy to sub, but not before 10 January", [(StandBy, {"not_before": date(2027, 1, 10)})]),
    (
        NOTHING,
        "I'd like to start a new table: gf9 basic, five or six players, swift, begins by 20 December",
        [(Open, {"ruleset": "gf9-basic", "fewest": 5, "most": 6, "tempo": "swift", "by": date(2026, 12, 20)})],
    ),
    (
        NOTHING,
        "can we set up another game like arrakeen-7 but with gf9 basic rules",
        [(Open, {"like": "arrakeen-7", "ruleset": "gf9-basic"})],
    ),
    (NOTHING, "open a game, slow, only friends", [(Open, {"tempo": "table", "private": True})]),
    (SEATED, "my friend zoe@example.org would like to play too", [(Invite, {"addresses": ("zoe@example.org",)})]),
    (SEATED, "let's get going, five is enough", [(Start, {})]),
    (SEATED, "please hold the start until next Monday", [(WaitUntil, {"until": date(2026, 12, 7)})]),
    (ASKED, "yep, still here", [(Reply, {"yes": True})]),
    (ASKED, "Ja, bin dabei", [(Reply, {"yes": True})]),
    (OVER, "Shall we do it again with the same group?", [(Rematch, {})]),
    (SEATED, "Which games am I in right now?", [(MyGames, {})]),
    (SEATED, "please stop sending me these", [(Stop, {"letters": "tables"})]),
    (SEATED, "no more weekly mails please", [(Stop, {"letters": "weekly"})]),
    (NOTHING, "Gibt es noch freie Plätze?", [(ListTables, {})]),
    (NOTHING, "je voudrais jouer à arrakeen-7", [(Join, {"table": "arrakeen-7"})]),
)

TALK: Sequence[str] = (
    "I left the game open on the table",
    "My brother joined the army last Friday.",
    "I'll be standing by the window waiting for the post.",
    "We opened a bottle of wine and started dinner.",
    "Last time the Guild left me with nothing.",
    "I would have joined arrakeen-7 if I had seen it earlier.",
    "Do you remember the Friday game we played in 2019?",
    "The open seats at the theatre were cold.",
    "Ann said she might leave, but I hope not.",
    "Who is going to join us is anybody's guess.",
    "I stopped smoking, no more of these for me.",
    "They counted me out after the third round of boxing.",
    "My games collection needs a new shelf.",
    "I waited for the train for an hour.",
    "Same again at the pub tonight?",
    "The start was slow but the ending was great.",
    "I don't want to leave arrakeen-7, don't worry.",
    "It took me out of my comfort zone.",
    "Did you see the film where they leave the sietch?",
    "If I join, will my wife be angry?",
    "Bob told me to join but I have not decided.",
    "I'm still here at the office, so no dice.",
    "Never leave a worm unattended.",
    "Standby power of my TV is too high.",
    "Let's wait and see what the weather does.",
    "I can't make it to the party on Friday.",
    "Sorry, no time to write more today.",
    "Let me know how the game ended.",
    "The calendar on my wall shows a worm.",
    "Join the club!",
    "Should I leave my seat to Bob?",
    "Was I out of the game when the storm hit?",
    "He wants in, she wants out, I want lunch.",
    "Yesterday somebody asked to be put on the list at the restaurant.",
    "I have to drop the kids off at school.",
    "We'd take the last seat on the bus.",
    "I love the Fremen in the film.",
    "Call me later.",
    "The opener of the can is broken, close the door.",
    "I played at a table for six, five of us were late.",
)

CHANGES_A_SEAT = (Join, Leave, Wait, StandBy, Wish, Open, Invite, Start, WaitUntil, Reply, Rematch)


def facts_of(request: Request) -> dict[str, Any]:
    found = {name: getattr(request, name) for name in request.__struct_fields__}
    filters = found.pop("filters", None)
    found |= {name: getattr(filters, name) for name in filters.__struct_fields__} if filters else {}
    return {name: value.table if name in ("table", "like") else value for name, value in found.items()}


def has(mail: ReadMail, wanted: Sequence[tuple[type, Mapping[str, Any]]]) -> bool:
    got = [(type(request), facts_of(request)) for request in mail.requests]
    return [kind for kind, _ in got] == [kind for kind, _ in wanted] and all(
        facts.items() <= found.items() for (_, facts), (_, found) in zip(wanted, got, strict=True)
    )


def asks_rightly(mail: ReadMail, known: Known, wanted: Sequence[tuple[type, Mapping[str, Any]]]) -> bool:
    """Return True if the answer proposes a mail with all wanted requests."""
    return any(has(read_mail(option.split("\n"), known), wanted) for option in mail.options)


def outcome(known: Known, text: str, wanted: Sequence[tuple[type, Mapping[str, Any]]]) -> str:
    mail = read_mail([text], known)
    return "read" if has(mail, wanted) else "asked" if asks_rightly(mail, known, wanted) else f"wrong: {mail}"


def test_most_phrasings_are_acted_on_or_asked_about() -> None:
    found = {text: outcome(known, text, wanted) for known, text, wanted in PHRASINGS}
    wrong = {text: told for text, told in found.items() if told.startswith("wrong")}
    assert len(found) - len(wrong) >= 36, wrong


@pytest.mark.parametrize("known", [NOTHING, SEATED, TWO_SEATS, ASKED], ids=["stranger", "seated", "two", "asked"])
@pytest.mark.parametrize("text", TALK)
def test_talk_changes_no_seat(text: str, known: Known) -> None:
    mail = read_mail([text], known)
    assert [request for request in mail.requests if isinstance(request, CHANGES_A_SEAT)] == []
    assert all(not isinstance(line, Unread) or line.why for _, line in mail.lines)
