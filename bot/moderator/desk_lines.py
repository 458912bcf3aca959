"""The language of the game master's desk: one line, one power, in the same words as `mentat game …`.

The powers and their forms are declared in ``bot.desk.registry``; here a line is read, carried out and answered.
``why:``, ``tell:`` and ``if:`` on lines of their own hold for all lines below them in the mail. ``dry run`` lets Mentat
only try the whole mail. ``end tell`` (or ask, rule, note, warn) ends words of several lines. A line that fits no form
gets the nearest one as a suggestion.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from difflib import get_close_matches
from functools import cache, lru_cache
from itertools import pairwise
from pkgutil import resolve_name
from typing import get_args

from bot.config import Settings, SettingsError
from bot.config.time_zones import write_zone, zone_named
from bot.desk import clocks, ending, people, positions, rights, seats, sight, speech
from bot.desk.powers import DeskRequest, PowerRefused, Use, require_right, within
from bot.desk.registry import POWERS, Form, Power
from bot.games.open_games import OpenGames
from bot.language.command_lines import (
    ADDRESS,
    Blank,
    Command,
    CommandContext,
    days_from,
    spans,
    taken_back,
    without_courtesy,
)
from bot.language.lines import LIST_MARK
from bot.language.moves import said
from bot.language.names import FACTION_NAMES
from bot.language.orders import Unread
from bot.language.vocabulary import vocabulary
from bot.mail.message import Incoming
from bot.moderator import seat_lines
from bot.render.blocks import Block, FormBlock, Paragraph
from bot.render.letters import press_paragraphs
from bot.store.acts import RIGHTS_AT_GAMES, Right
from bot.store.database import Connection
from bot.store.games import require_sight
from bot.table.clock import read_own_settings
from bot.table.press import known_players
from bot.table.table import Table
from bot.wording import now_there, say
from rules.components import FACTION_FACTS, Faction, as_faction, faction_name
from rules.orders import PhaseName

MOST_SHOWN = 60
"""A mail lists at most this many lines that a rollback would undo."""


EVERYBODY = ("all", "table", "everybody", "everyone", "players", "all players")


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a line: the parameter that it is, how it is written, and how it is read."""

    parameter: str
    pattern: str
    read: Callable[[str, Settings], object] = lambda said, _: said


def faction_named(said: str) -> Faction:
    """Return a faction by its name or the beginning of it. Raise PowerRefused for anything else."""
    word = re.sub(r"\s+", "-", said.strip().lower())
    fits = [faction for faction in FACTION_FACTS if faction == word or (len(word) > 2 and faction.startswith(word))]
    if len(fits) != 1:
        raise PowerRefused(f"{said.strip()!r} is not one of {', '.join(FACTION_FACTS)}.")
    return as_faction(fits[0])


def factions_named(said: str) -> list[Faction]:
    """Return factions listed with commas; an empty list stands for the whole table. Raise PowerRefused for a wrong
    name."""
    return [] if said.strip().lower() in EVERYBODY else [faction_named(word) for word in said.split(",")]


def _right_named(said: str) -> Right:
    right = next((each for each in RIGHTS_AT_GAMES if each == said.lower()), None)
    if right is None:
        raise PowerRefused(f"{said!r} is not one of {', '.join(RIGHTS_AT_GAMES)}.")
    return right


def _hours(said: str) -> float:
    return float(said.replace(",", "."))


PARTS: Mapping[str, Part] = {
    "SEAT": Part("faction", r"[A-Za-z -]+?", lambda said, _: faction_named(said)),
    "SEATS": Part("factions", r"[A-Za-z, -]+?", lambda said, _: factions_named(said)),
    "HOURS": Part("hours", r"[-+]?\d+(?:[.,]\d+)?", lambda said, _: _hours(said)),
    "WORDS": Part("words", r".+"),
    "ADDRESS": Part("address", r"\S+@\S+"),
    "QUESTION": Part("kind", r"[a-z-]+", lambda said, _: said.lower()),
    "TURN": Part("turn", r"[0-9]{1,3}", lambda said, _: int(said)),
    "PHASE": Part("phase", r"[a-z-]+"),
    "RIGHT": Part("right", r"[a-z]+", lambda said, _: _right_named(said)),
    "CLAUSE": Part("clause", r"\S*"),
    "ONOFF": Part("on", r"on|off", lambda said, _: said.lower() == "on"),
    "DATE": Part("until", r"\d{4}-\d{2}-\d{2}", lambda said, settings: seats.end_of_day(settings, said)),
    "PRESS": Part("press", r"[a-z0-9=, -]+"),
    "SETTINGS": Part("settings", r"\w+ ?=.+"),
}
_READ = {part.parameter: part.read for part in PARTS.values()}
_AFTER = {"HOURS": r"(?:\s*h(?:ours?)?)?"}


@cache
def pattern_of(shown: str) -> re.Pattern[str]:
    """Return the pattern of a form: words in capitals stand for its parts."""
    pattern, before = "", ""
    for word in re.findall(r"[A-Z]{4,}|:|[^\s:]+", shown):
        part = PARTS.get(word)
        said = rf"(?P<{part.parameter}>{part.pattern}){_AFTER.get(word, '')}" if part else re.escape(word)
        gap = "" if not before or word == ":" or before == ":" else r"\s+"
        pattern += r"\s*:\s*" if word == ":" else gap + said
        before = word
    return re.compile(pattern, re.IGNORECASE | re.DOTALL)


def shown_forms() -> list[str]:
    return [shown_as(form) for power in POWERS.values() for form in power.forms]


def shown_as(form: Form) -> str:
    return form.shown.replace(" :", ":")


@dataclass(frozen=True, slots=True)
class DeskLine:
    """A line that was read; ``said`` are its parts as they were written."""

    power: Power
    form: Form
    said: Mapping[str, str]

    def carry_out(self, given: DeskRequest) -> str:
        if self.form.answer:
            told: str = resolve_name(f"{__name__}:{self.form.answer}")(given, self.said, **self.form.given)
            return told
        settings = given.games.settings
        values = {name: _READ[name](said, settings) for name, said in self.said.items()}
        act = resolve_name(self.form.act or self.power.act)
        result = act(given, **values, **self.form.given)
        facts = {**values, "said": self.said, "result": result, "game": given.game}
        return say(f"desk-done.{self.form.says or self.power.name}", **facts)


@dataclass(frozen=True, slots=True)
class UnreadDeskLine:
    """A line that was not understood; ``suggestion`` is the nearest form, "" for none."""

    suggestion: str


def extend_deadlines(given: DeskRequest, said: Mapping[str, str]) -> str:
    more = _hours(said["hours"])
    if not 0 < more <= clocks.MOST_HOURS:
        raise PowerRefused(f"{said['hours']} is not above 0 and at most {clocks.MOST_HOURS} hours.")
    clocks.extend(given, more)
    return say("desk-done.extend", hours=said["hours"])


def change_clock(given: DeskRequest, said: Mapping[str, str]) -> str:
    settings = re.findall(r"\w+=.*?(?=[\s,]+\w+=|$)", re.sub(r" *= *", "=", said["settings"].strip()))
    try:
        own = read_own_settings(given.games.settings.clock, settings)
    except SettingsError as wrong:
        raise PowerRefused(str(wrong)) from None
    clocks.change_clock(given, own)
    zone = own.get("timezone", "")
    there = now_there(given.now, zone_named(zone)) if zone else ""
    return say("desk-done.clock", settings=settings, zone=write_zone(zone), there=there)


def order_for_seat(given: DeskRequest, said: Mapping[str, str]) -> str:
    faction, lines = faction_named(said["faction"]), said["words"].split(";")
    taken = seat_lines.order_for_seat(given, faction, lines)
    return "; ".join(f"{line.status} {line.canonical or line.text} {line.reason}".strip() for line in taken)


def add_observer(given: DeskRequest, said: Mapping[str, str]) -> str:
    delay = int(said.get("turn", 0))
    sight.add_observer(given, said["address"], delay)
    return say("desk-done.observe", address=said["address"], delay=delay)


def add_full_observer(given: DeskRequest, said: Mapping[str, str]) -> str:
    delay, agreed = int(said["turn"]), factions_named(said["factions"]) or FACTION_FACTS
    sight.add_full_observer(given, said["address"], delay, agreed)
    return say("desk-done.observe-full", address=said["address"], delay=delay)


def restrict_press(given: DeskRequest, said: Mapping[str, str]) -> str:
    wanted = ",".join(re.split(r"[ ,]+", re.sub(r" *= *", "=", said["press"])))
    settings = speech.restrict_press(given, wanted)
    return "\n".join([say("desk-done.press", press=settings.words), *press_paragraphs(settings)])


def note(given: DeskRequest, said: Mapping[str, str]) -> str:
    speech.note(given, said["words"], about=said["faction"])
    return say("desk-done.note")


def roll_back(given: DeskRequest, said: Mapping[str, str]) -> str:
    entries = positions.entries_at(given.games, given.game, int(said["turn"]), said["phase"].lower())
    agreed = factions_named(said["factions"]) if "factions" in said else []
    table = positions.roll_back(given, entries, agreed)
    return say("desk-done.rollback", turn=table.play.state.turn, phase=table.play.state.phase)


def undo_rollback(given: DeskRequest, _: Mapping[str, str]) -> str:
    table = positions.undo_rollback(given)
    return say("desk-done.rollback", turn=table.play.state.turn, phase=table.play.state.phase)


def preview_rollback(given: DeskRequest, said: Mapping[str, str]) -> str:
    entries = positions.entries_at(given.games, given.game, int(said["turn"]), said["phase"].lower())
    use = replace(given.use, dry_run=False)  # the preview itself is a dry run
    found = positions.preview_rollback(replace(given, use=use), entries)
    lines = [say("desk-done.preview", entries=found.entries, of=found.of, nothing=not found.public), *found.public]
    for faction, learnt in found.private.items():
        lines += [say("desk-done.preview-alone", faction=faction), *learnt]
    more = [say("desk-done.preview-more", more=len(lines) - MOST_SHOWN)] if len(lines) > MOST_SHOWN else []
    return "\n".join([*lines[:MOST_SHOWN], *more])


def correct_facts(given: DeskRequest, said: Mapping[str, str]) -> str:
    positions.correct_facts(given, said["words"].split(";"))
    return say("desk-done.position")


def hand_in_page(given: DeskRequest, said: Mapping[str, str]) -> str:
    told: str = resolve_name("bot.forum.desk:hand_in_page_of_mail")(given, said["words"])
    return told


def page_line(conn: Connection, request: DeskRequest, incoming: Incoming) -> DeskLine | None:
    """Return the line that hands in the page of a thread that a mail brings; nobody types it."""
    page = resolve_name("bot.forum.desk:page_in_mail")(conn, request, incoming)
    return DeskLine(POWERS["forum-paste"], Form("page", answer="hand_in_page"), {"words": page}) if page else None


def is_agreed(page: DeskLine) -> bool:
    return bool(resolve_name("bot.forum.desk:head_of_page")(page.said["words"]).agreed)


def blocks_to_post(games: OpenGames, game_id: str, now: datetime) -> list[Block]:
    """Return what a person is to post next in the thread of a game, to be copied from a letter."""
    found: list[Block] = []
    for block in resolve_name("bot.forum.desk:next_to_post")(games, game_id, now).blocks:
        found.append(Paragraph(say("desk-mail.to-post", title=block.title or ""), "lead"))
        found.append(FormBlock("-" * 72, tuple(block.text.split("\n")), "-" * 72))
    return found or [Paragraph(say("desk-mail.nothing-to-post"))]


def predict_phase(given: DeskRequest, _: Mapping[str, str]) -> str:
    if given.use.dry_run:  # the command itself is a dry run
        with within(given.games) as conn:
            require_right(conn, given, "predict")
            require_sight(conn, given.game)
        return say("desk-done.predict")
    return "\n".join(sight.predict_phase(given))


def end_game(given: DeskRequest, said: Mapping[str, str], how: ending.EndKind) -> str:
    winners = factions_named(said["factions"]) if "factions" in said else []
    ending.end_game(given, how, winners)
    return say("desk-done.end", winners=[faction_name(each) for each in winners])


def ban(given: DeskRequest, said: Mapping[str, str]) -> str:
    event = people.ban_reach(given, "ban")
    until = seats.end_of_day(given.games.settings, said["until"]) if "until" in said else None
    held = people.ban(given, said["address"], until=until, tournament_id=event)
    seats_held = [f"{game} {faction}" for game, faction in held]
    return say("desk-done.ban", address=said["address"], until=said.get("until", ""), event=event, seats=seats_held)


def unban(given: DeskRequest, said: Mapping[str, str]) -> str:
    event = people.ban_reach(given, "unban")
    people.unban(given, said["address"], tournament_id=event)
    return say("desk-done.unban", address=said["address"])


def warn(given: DeskRequest, said: Mapping[str, str]) -> str:
    with within(given.games) as conn:
        require_right(conn, given, "warn")
    address = rights.checked_address(given.games, said["address"])
    people.require_at_table(given, address)
    people.warn(given, address, said["words"])
    return say("desk-done.warn", address=said["address"])


_USE = re.compile(r"\s*(?P<what>why|tell|if)\s*:\s*(?P<words>.+?)\s*", re.IGNORECASE | re.DOTALL)
_DRY_RUN = re.compile(r"\s*(?:dry[ -]?run|only try)\W*", re.IGNORECASE)
PAGE = re.compile(r"page (?P<mail>[0-9a-f]{64})")
CONFIRM = re.compile(r"\s*(?:i )?confirm(?:ed)?(?:\s+(?P<code>[a-z2-7]{16}))?\W*", re.IGNORECASE)
QUESTIONS = ("waits", "status", "acts", "press", "thread", "help", "let it stand")
_QUESTION_WORDS = {"log": "acts", "commands": "help"}
_NO_POWER = {"why": "why: WORDS", "if": "if: TURN/PHASE", "confirm": "confirm CODE"}
"""The forms of lines that use no power."""
SPOKEN = [power.name for power in POWERS.values() if power.spoken]
"""The words of these powers are for people to read, so they keep their last full stop."""
_OPENED = re.compile(rf"\s*(?P<word>{'|'.join(SPOKEN)})\b[^:]{{0,160}}:(?P<words>.*)", re.IGNORECASE | re.DOTALL)
MOST_NEAR = 6
"""A line with more words than this is never taken for a command with a misspelt first word."""
PHASES: Sequence[str] = get_args(PhaseName)
_WRAPPED = 60
"""A mail program may have wrapped a line of this length."""


@lru_cache(maxsize=512)
def read_line(line: str) -> DeskLine | UnreadDeskLine:
    whole = line.strip()
    single = re.sub(r"(?<=\d)/(?=[a-z])", " ", re.sub(r"\s+", " ", whole).rstrip(".!"))
    for power in POWERS.values():
        for form in power.forms:
            if found := pattern_of(form.shown).fullmatch(whole if power.spoken else single):
                return DeskLine(power, form, found.groupdict())
    return UnreadDeskLine(_nearest_form(single.lower()))


def _nearest_form(line: str) -> str:
    if re.match(r"press (?:to )?[a-z ,-]+:", line):
        return _form_beginning_with("tell")
    word, behind = [*re.split(r"[^a-z-]+", line, maxsplit=2), ""][:2]
    if word == "undo" and not get_close_matches(behind, ["rollback"], 1, 0.7):
        return _form_beginning_with("rollback")
    meant = _QUESTION_WORDS | {other: power.name for power in POWERS.values() for other in power.also.split()}
    if word in meant:
        return _form_beginning_with(meant[word])
    known = {*map(_first_word, shown_forms()), *QUESTIONS, "why", "tell", "if", "confirm"}
    heard = said(line)
    speaks = "?" in line or len(line.split()) > MOST_NEAR or (word in vocabulary().small and word not in known)
    speaks |= any(heard.begins(sort) for sort in ("correct", "condition", "draft"))
    speaks &= word not in known or not re.search(r"[0-9@]|:.", line)
    near = [] if speaks else get_close_matches(word, sorted(known), 1, 0.7)
    return _form_beginning_with(near[0]) if near else ""


def _form_beginning_with(word: str) -> str:
    forms = [shown for shown in shown_forms() if _first_word(shown) == word]
    return forms[0] if forms else _NO_POWER.get(word, word)


def _first_word(shown: str) -> str:
    return shown.split()[0].rstrip(":")


def fold_lines(lines: Sequence[str]) -> list[str]:
    found: list[str] = []
    place = 0
    while place < len(lines):
        opened = _OPENED.fullmatch(lines[place])
        end = _end_of_words(lines, place + 1, opened["word"]) if opened else None
        found.append("\n".join(filter(None, map(str.strip, lines[place : end or place + 1]))))
        place = place + 1 if end is None else end + 1
    return found


def _end_of_words(lines: Sequence[str], first: int, word: str) -> int | None:
    for place in range(first, len(lines)):
        if re.fullmatch(rf"\W{{0,4}}end {word}\W{{0,4}}", lines[place], re.IGNORECASE):
            return place
        if _OPENED.fullmatch(lines[place]):
            return None
    return None


def seems_to_go_on(line: str, below: str) -> bool:
    """Return whether the words of a line seem to continue in the line below: half of a letter is worse than none."""
    opened = _OPENED.fullmatch(line)
    if opened is None or "\n" in line or not below or _is_command(below):
        return False
    return not opened["words"].strip() or len(line) + len(below.split()[0]) >= _WRAPPED


def _is_command(line: str) -> bool:
    other = CONFIRM.fullmatch(line) or question_in(line) or changed_use(Use(), line)
    return bool(other) or isinstance(read_line(line), DeskLine)


# --- for the stages that read a mail ---------------------------------------------------------------------------------


OF_GAME = re.compile(r"\s*\[?(?P<game>[a-z0-9][a-z0-9.-]{0,39})\]?\s*:\s*(?P<line>.*)", re.IGNORECASE | re.DOTALL)
_OPPOSITES = {"resume": "pause", "release": "hold", "unmute": "mute", "unban": "ban", "unobserve": "observe"}


def desk_context(
    today: date, games: Mapping[str, str], table: Table | None, lines: Sequence[str], done: Sequence[str]
) -> CommandContext:
    """Return how a mail to the desk is read: ``games`` are those that it may name, ``table`` the only one that it can
    be about, ``done`` what the last mail of its writer did."""
    goes_on = {line.strip() for line, below in pairwise([*lines, ""]) if seems_to_go_on(line, below)}

    def exact(line: str) -> Command | None:
        text = _unmarked(line)
        found = OF_GAME.fullmatch(text)
        of = f"{found['game']}: " if found and found["game"].lower() in games else ""
        own = found["line"] if found and of else text
        if of and not own:
            return Command(of.strip(), None, shows=True)
        if line.strip() in goes_on:
            return None
        if changed_use(Use(), own) or CONFIRM.fullmatch(own) or question_in(own):
            return Command(of + own, None, shows=bool(question_in(own)))
        read = read_line(own)
        if isinstance(read, UnreadDeskLine) or _wrong_part(read):
            return None
        power = read.power
        subject = f"{of}{_OPPOSITES.get(power.name, power.name)} {read.said.get('faction', '')}".strip().lower()
        return Command(of + (own if power.spoken else own.rstrip(".! ")), read, subject)

    def wrong(line: str) -> Unread | None:
        if line.strip() in goes_on:
            return Unread(say("desk-mail.goes-on", word=line.split()[0].rstrip(":").lower()))
        read = read_line(_unmarked(line))
        why = _wrong_part(read) if isinstance(read, DeskLine) and read.power.spoken else ""
        return Unread(say("desk-mail.refused", why=why)) if why else None

    def unread(line: str) -> Unread:
        text = _unmarked(line)
        if done and said(text).begins("retract"):
            back = tuple(filter(None, (taken_back(each, context) for each in reversed(done))))
            told = say("unread.plain", lines=[f"“{each}”" for each in back]) if back else say("desk-mail.not-back")
            return Unread(told, back, together=True)
        read = read_line(without_courtesy(text)[0] or text)
        if isinstance(read, DeskLine):
            return Unread(say("desk-mail.refused", why=_wrong_part(read)))
        return Unread(say("desk-mail.unread", suggestion=read.suggestion), chatter=not read.suggestion)

    context = CommandContext(
        language="desk",
        exact=exact,
        wrong=wrong,
        unread=unread,
        blanks=_blanks(today, table),
        facts=_facts(table),
        seen=place_of(table),
        aside=table.id if table else "",
    )
    return context


def _unmarked(line: str) -> str:
    text = line.strip()
    return text[mark.end() :] if (mark := LIST_MARK.match(text)) else text


def _facts(table: Table | None) -> Mapping[str, str]:
    if table is None:
        return {}
    before = PHASES.index(table.play.state.phase) < PHASES.index("battle")
    turn = max(1, table.play.state.turn - before)
    return {"battle": f"{turn} battle", "continue": "release" if table.on_hold else "resume"}


def place_of(table: Table | None) -> str:
    return f"{table.play.state.turn}/{table.play.state.phase}" if table else ""


def _wrong_part(read: DeskLine) -> str:
    """Return why a part of a line that names a seat is wrong; "" if none is."""
    readers = {"faction": faction_named, "factions": factions_named, "right": _right_named}
    try:
        for name in readers.keys() & read.said.keys():
            readers[name](read.said[name])
    except PowerRefused as refused:
        return str(refused)
    return ""


def _blanks(today: date, table: Table | None) -> dict[str, Blank]:
    players = (
        [(faction, {name.lower(), name.lower().split()[0]}) for faction, name in known_players(table)] if table else []
    )
    every = Counter(name for _, names in players for name in names)
    seats = {name: faction for faction, names in players for name in names if every[name] == 1 and len(name) > 2}
    for faction, spelt in FACTION_NAMES.spelt():
        seats |= {
            text.lower(): faction for text in (faction, *spelt, *vocabulary().nicknames["faction"].get(faction, ()))
        }
    seat = rf"(?<!\w)(?:{'|'.join(map(re.escape, sorted(seats, key=len, reverse=True)))})(?!\w)"
    everybody = rf"(?:{'|'.join(EVERYBODY)}|them all|group|alle[n]?|todos|tous)(?!\w)"

    def seats_in(text: str) -> str:
        if re.fullmatch(everybody, text, re.IGNORECASE):
            return "all"
        return ", ".join(seats[each.lower()] for each in re.findall(seat, text, re.IGNORECASE))

    return {
        "SEAT": Blank(seat, lambda text: seats.get(text.lower(), "")),
        "SEATS": Blank(rf"(?:{everybody}|{seat}(?:\s*(?:,|and|&)\s*(?:the\s+)?{seat})*)", seats_in),
        "SPAN": spans(),
        "ADDRESS": ADDRESS,
        "DATE": days_from(today),
        "WORDS": Blank(r"\S.*"),
        "TURN": Blank(r"[0-9]{1,3}"),
        "PHASE": Blank(f"(?:{'|'.join(PHASES)})", str.lower),
        "RIGHT": Blank(f"(?:{'|'.join(RIGHTS_AT_GAMES)})", str.lower),
    }


def question_in(line: str) -> str:
    word = line.strip().strip(".!?").lower() or line.strip()
    return {"?": "help", "status": "waits"}.get(word, word) if word in (*QUESTIONS, "?") else ""


def changed_use(use: Use, line: str) -> Use | None:
    """Return how the lines below are used if this line (why, tell, if) changes that; None for any other line."""
    if _DRY_RUN.fullmatch(line):
        return replace(use, dry_run=True)
    if found := _USE.fullmatch(line):
        words = found["words"]
        match found["what"].lower():
            case "why":
                return replace(use, why=words)
            case "tell":
                return replace(use, tell=words)
            case _:
                return replace(use, at=words)
    return None
