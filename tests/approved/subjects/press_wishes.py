"""What players want to write to each other: may it be written, who reads it, signed or not, and when it goes out; how
press is set up and made stricter, and what of it is shown when a game is over."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from itertools import cycle
from typing import Any

from bot import press
from bot.press import (
    PressRefused,
    PressSettings,
    Scene,
    Wish,
    consents_in,
    decide,
    harsh_word,
    in_hidden_order,
    liberties,
    read_press,
    require_stricter,
    settings_in,
    tells_who,
)
from bot.render.letters import press_paragraphs
from tests.approved.json_inputs import vary_json
from tests.approved.subject import Subject
from tests.transcripts.results import rendered

NOW = datetime(2027, 1, 31, 15, 59, 59, tzinfo=UTC)
SEATS = ("atreides", "bene-gesserit", "emperor", "fremen", "guild", "harkonnen")
MODES = (
    "open", "public", "none", "table", "grey", "mixed", "fake", "open,language,quota=2", "open,gunboat,copies-to-desk",
    "open,yellow", "open,postal", "open,must-order,late", "open,neighbours,archived", "mixed,observers=white",
    "gunboat,names-until=round", "none,gunboat,copies-to-desk", "none,quota=3", "public,neighbours", "grey,yellow",
    "table,yellow,quota=99", "open,grey", "open,quota=100", "quota=0", "observers=all", "hide=late",
    "open,quota=2,quota=3", "open,names-until=round", "nonsense", "",
    "fake,gunboat,postal,late,yellow,must-order,neighbours",
    "none,postal,late", "open,observers=desk", "quota=", "gunboat=1", "open=1", "public,yellow,language",
)  # fmt: skip
WISHES: tuple[dict[str, Any], ...] = (
    {"to": ["fremen"], "words": "Shall we ally?"},
    {"to": [], "words": "To everybody."},
    {"to": [], "but": ["harkonnen"], "words": "Not the Baron."},
    {"to": ["guild"], "words": "To myself."},
    {"to": ["guild", "fremen", "fremen"], "words": "To me and you."},
    {"to": ["choam"], "words": "Not here."},
    {"to": ["fremen"], "words": "  ...  "},
    {"to": ["fremen"], "words": "Who am I?", "signed": False},
    {"to": [], "words": "It is I.", "signed": True},
    {"to": ["fremen"], "words": "False.", "shown": ["atreides"]},
    {"to": ["fremen"], "words": "False to all.", "shown": []},
    {"to": ["fremen"], "words": "Write to edric@guild.example, says Edric.", "signed": False},
    {"to": ["fremen"], "but": ["fremen"], "words": "To nobody."},
    {"to": [*SEATS], "words": "You idiots, the assassin lies."},
)
SCENES: tuple[dict[str, Any], ...] = (
    {},
    {"phase": "bidding", "unmanned": ["fremen"], "near": ["atreides"]},
    {"phase": "battle", "near": ["fremen"], "owes": True, "sent": [1, 59, 60, 61, 1439, 1440], "this_turn": 1},
    {"muted": True}, {"over": True}, {"owes": True, "overdue": True}, {"all_agree": True, "this_turn": 3},
    {"sent": [1] * 19 + [60]}, {"sent": [30] * 20, "this_turn": 2}, {"sent": [90] * 98 + [1440, 30]},
    {"sent": [90] * 100}, {"unmanned": ["fremen", "atreides", "bene-gesserit", "emperor", "harkonnen"]},
)  # fmt: skip


def _seeds() -> Iterator[str]:
    scenes, modes = cycle(SCENES), cycle(MODES)
    for wish in WISHES:
        for _ in range(6):
            yield _input(wish, next(scenes), next(modes), next(modes))
        next(scenes)
        for mode in ("mixed", "fake", "grey", "gunboat"):
            yield _input(wish, {"all_agree": True}, mode, "open")


def _input(wish: dict[str, Any], scene: dict[str, Any], mode: str, after: str) -> str:
    whole: dict[str, Any] = {"but": [], "signed": None, "shown": None, "longer": 0}
    around = {
        "phase": "storm", "over": False, "unmanned": [], "near": ["fremen", "atreides"], "muted": False, "owes": False,
        "overdue": False, "sent": [], "this_turn": 0, "all_agree": False,
    }  # fmt: skip
    return json.dumps({
        "wish": whole | wish, "scene": around | scene, "press": mode, "after": after, "seconds": 0, "blank": 0,
        "agree": {"guild": True, "fremen": False}, "private": {"guild": False, "fremen": True}, "everything": True,
    })  # fmt: skip


def _told(text: str) -> str:
    given = json.loads(text)
    return "\n".join(_tried(told, given) for told in (_settings, _decided, _stricter, _consents, _words, _archived))


def _tried(told: Callable[[dict[str, Any]], object], given: dict[str, Any]) -> str:
    try:
        return rendered(told(given))
    except (PressRefused, ValueError) as refused:
        return f"{type(refused).__name__}: {refused}"


def _press(given: dict[str, Any]) -> PressSettings:
    try:
        return read_press(given["press"])
    except PressRefused:
        return PressSettings()


def _wish(given: dict[str, Any]) -> Wish:
    wish = given["wish"]
    words = wish["words"] + " " * given["blank"] + "x" * min(wish["longer"] * 100, 5000)
    return Wish("guild", wish["to"], words, wish["but"], wish["signed"], wish["shown"])


def _decided(given: dict[str, Any]) -> object:
    facts = dict(given["scene"])
    now = NOW + timedelta(seconds=given["seconds"])
    facts["sent"] = [now - timedelta(minutes=minutes) for minutes in facts["sent"]]
    scene = Scene(_press(given), SEATS, person=("Edric", "Ed", "edric@guild.example"), **facts)
    return repr(decide(_wish(given), scene, now))


def _settings(given: dict[str, Any]) -> object:
    made = read_press(given["press"])
    return made, made.words, made.anonymous, press_paragraphs(made), liberties(made)


def _stricter(given: dict[str, Any]) -> object:
    require_stricter(_press(given), read_press(given["after"]))
    return "stricter"


def _consents(given: dict[str, Any]) -> object:
    found = consents_in("open")
    for faction, agreed in given["agree"].items():
        found = found.with_false_readers(faction, agreed=bool(agreed))
    for faction, shown in given["private"].items():
        found = found.with_archive(faction, shown=bool(shown))
    whole = found.after(_press(given).words)
    again = consents_in(whole).with_archive("fremen", shown=True).with_false_readers("guild", agreed=False)
    return whole, settings_in(whole).words, consents_in(whole), again


def _words(given: dict[str, Any]) -> object:
    words = given["wish"]["words"]
    order = in_hidden_order(b"secret", given["press"], [(words, 1), ("b", 2), (given["after"], 3), ("a", 4)])
    return harsh_word(words), tells_who(words, ("Edric", "Ed", "Dune Messiah")), order


def _archived(given: dict[str, Any]) -> object:
    wish, private = given["wish"], [who for who, shown in given["private"].items() if not shown]
    sent = [
        press.SentPress(turn, writer, tuple(wish["to"]), turn == 2, bool(wish["signed"]), wish["words"])
        for turn, writer in enumerate(("guild", "fremen", "guild", "emperor"))
    ]  # fmt: skip
    return press.press_to_show(sent, private, everything=bool(given["everything"]))


SUBJECT = Subject("press-wishes", ("bot.press",), _seeds, vary_json(("words", "press", "after")), _told)
