"""What somebody wants to write to whom, under which settings and when: whether it goes out, to whom, and what a game
that goes on may change, and what of it everybody may read in the end."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta

import msgspec

from bot.press import (
    FLAGS,
    Permission,
    PressRefused,
    PressSettings,
    Scene,
    SentPress,
    Wish,
    consents_in,
    decide,
    harsh_word,
    in_hidden_order,
    liberties,
    press_to_show,
    read_press,
    require_stricter,
    settings_in,
    tells_who,
)
from rules.components import FACTIONS, Faction
from tests.approved.json_inputs import as_input, vary_json
from tests.approved.subject import Subject

NOW = datetime(2027, 1, 31, 15, 59, 30, tzinfo=UTC)


class Given(msgspec.Struct, omit_defaults=True):
    """A wish in a scene, and what the press of the game was ``before`` and is to be ``after``. ``sent`` are seconds
    since press of the writer went out, each so many ``times``; ``later`` is seconds until now."""

    press: str
    to: list[Faction] = []
    words: str = "Let us talk."
    writer: Faction = "guild"
    but: list[Faction] = []
    signed: bool | None = None
    shown: list[Faction] | None = None
    seats: int = 6
    phase: str = "movement"
    over: bool = False
    unmanned: list[Faction] = []
    near: list[Faction] = []
    muted: bool = False
    owes: bool = False
    overdue: bool = False
    sent: list[int] = []
    times: int = 1
    this_turn: int = 0
    person: list[str] = []
    all_agree: bool = False
    later: int = 0
    long: int = 0
    before: str = "open"
    consents: str = ""
    letters: list[SentPress] = []
    everything: bool = True


SETTINGS = (
    "open", "public", "none", "table", "grey", "mixed", "fake", "open,gunboat", "fake,postal,late", "open,yellow",
    "table,yellow,quota=2", "public,yellow", "grey,yellow", "open,neighbours", "public,neighbours", "none,quota=2",
    "none,gunboat,copies-to-desk", "none,late", "open,must-order", "open,language,archived", "open,archived",
    "quota=3, gunboat", "open,observers=white", "open,observers=desk", "open,observers=x", "quota=0", "quota=99",
    "quota=100", "quota", "gunboat,names-until=round", "names-until=round", "gunboat,names-until=game",
    "names-until=x", "hide", "open,grey", "late,late", "wrong", "", "OPEN , Late", "open=1", "late=1", "copies-to-desk",
    "observers=none",
)  # fmt: skip
WORDS = (
    "Let us talk.", " … ", "", "It is I, Jane   Doe!", "write to jane@home.example", "jane", "Mu\u00adad Dib",
    "ＪＡＮＥ doe", "You idiots, the assassin lies", "a@b.c", "x@y.example", "Al", "Jane_Doe", "STRASSE", "straße",
)  # fmt: skip
PEOPLE: Sequence[list[str]] = (["Jane Doe", "jane@home.example"], ["Al"], ["", "Strasse"], [])
CONSENTS = ("", "false-readers=guild,fremen", "private=guild", "false-readers=guild;private=emperor,fremen", "private=")


def _seeds() -> Iterator[str]:
    letters = [
        SentPress(1, "guild", ("fremen", "emperor"), True, True, "to all"),
        SentPress(1, "guild", ("fremen",), False, True, "one"),
        SentPress(2, "emperor", ("fremen", "guild"), True, False, "unsigned to all"),
        SentPress(2, "emperor", ("fremen",), False, False, "unsigned; write to me@home.example"),
    ]  # fmt: skip
    for number, press in enumerate(SETTINGS):
        before, words = SETTINGS[-number], WORDS[number % len(WORDS)]
        consents = CONSENTS[number % len(CONSENTS)]
        for to in ([], ["fremen"], ["fremen", "emperor"], ["guild"]):
            yield as_input(Given(press, to, before=before, consents=consents, letters=letters, near=["fremen"]))
        yield as_input(Given(
            press, words=words, person=PEOPLE[number % 4], signed=number % 2 == 0,
            shown=[] if number % 3 else ["guild"], all_agree=number % 2 == 0,
            phase=("bidding", "battle", "revival")[number % 3], unmanned=["fremen"],
        ))  # fmt: skip
    for sent, times in (([10], 19), ([10], 20), ([3599], 20), ([3600], 20), ([86399], 100), ([86400], 100), ([9], 21)):
        yield as_input(Given("open,quota=3", ["fremen"], sent=sent, times=times, this_turn=times % 4))
    for long in (3999, 4000, 4001):
        yield as_input(Given("open", long=long, owes=True, later=30))
    for flags in ({"muted": True}, {"over": True}, {"owes": True}, {"overdue": True}):
        yield as_input(msgspec.structs.replace(Given("open,late,must-order,quota=1", this_turn=1), **flags))


def _told(text: str) -> str:
    try:
        given = msgspec.json.decode(text, type=Given)
    except msgspec.MsgspecError:
        return "no press"
    found = [_settings(given), *_consents(given)]
    try:
        settings = settings_in(f"{given.press};{given.consents}")
    except PressRefused as refused:
        settings = PressSettings()
        found.append(str(refused))
    words = given.words + "x" * max(given.long - len(given.words), 0)
    wish = Wish(given.writer, given.to, words, given.but, given.signed, given.shown)
    now = NOW + timedelta(seconds=given.later)
    scene = Scene(
        settings, FACTIONS[: given.seats], given.phase, given.over, given.unmanned, given.near, given.muted, given.owes,
        given.overdue, [now - timedelta(seconds=ago) for ago in given.sent for _ in range(min(given.times, 110))],
        given.this_turn, given.person, given.all_agree,
    )  # fmt: skip
    became = decide(wish, scene, now)
    if isinstance(became, Permission):
        cut = f"{became.words[:200]!r} of {len(became.words)}"
        found.append(
            f"goes {became.goes} {became.due}: to {became.readers}, shown {became.shown}, all {became.to_all}, "
            f"signed {became.signed}, left {became.left}, cut {became.cut}: {cut}"
        )
    else:
        found.append(f"refused: {became.reason} {became.facts}")
    found.append(f"tells who: {tells_who(given.words, given.person)}; harsh: {harsh_word(given.words)!r}")
    shown = press_to_show(given.letters, given.unmanned, everything=given.everything)
    found += [f"shown: {one.turn} {one.faction} {one.readers} {one.words!r}" for one in shown]
    letters = [(each.words, number) for number, each in enumerate(given.letters)]
    found.append(f"order: {in_hidden_order(b'secret', given.phase, letters)}")
    return "\n".join(found)


def _settings(given: Given) -> str:
    try:
        before, after = read_press(given.before), read_press(given.press)
    except PressRefused as refused:
        return str(refused)
    flags = [flag for flag in FLAGS if getattr(after, flag.replace("-", "_"))]
    told = f"{after.words}; {flags}; anonymous {after.anonymous}; allows {sorted(liberties(after))}"
    try:
        require_stricter(before, after)
    except PressRefused as refused:
        return f"{told}\n{refused}"
    return f"{told}\nafter {before.words}"


def _consents(given: Given) -> Iterator[str]:
    have = consents_in(f"{given.press};{given.consents}")
    yield f"agree {sorted(have.false_readers)}, private {sorted(have.private)}"
    for yes in (True, False):
        told = have.with_false_readers(given.writer, agreed=yes).with_archive(given.writer, shown=yes)
        yield told.after(given.press)


SUBJECT = Subject("press", ("bot.press",), _seeds, vary_json(("words", "person")), _told)
