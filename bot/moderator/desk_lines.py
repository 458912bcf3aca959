"""The command language of the game master's desk. Each line uses one power, in the same words as `mentat game …`.

The powers and their forms are declared in ``bot.desk.powers``. This module reads a line, carries it out and says what
was done. ``why:``, ``tell:`` and ``if:``, each on a line of its own, apply to all lines below them in the mail. After
``dry run``, Mentat only tries out the whole mail. Words of several lines, as after ``tell:``, end with ``end tell``;
the same holds for ask, rule, note and warn. If a line fits no form, Mentat suggests the nearest one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from difflib import get_close_matches
from functools import cache, lru_cache
from itertools import pairwise
from pkgutil import resolve_name

from bot.config import Settings
from bot.desk import seats
from bot.desk.powers import POWERS, DeskRequest, Form, Power, PowerRefused, Use
from bot.language.command_lines import Command, CommandContext, read_command, taken_back, without_courtesy
from bot.language.lines import LINE_END, LIST_MARK
from bot.language.matters import lacks
from bot.language.moves import said
from bot.language.orders import Unread
from bot.language.vocabulary import vocabulary
from bot.mail.message import Incoming
from bot.moderator import desk_names, desk_words
from bot.moderator.desk_names import EVERYBODY, names_of
from bot.store.acts import RIGHTS_AT_GAMES, Right, rights_of
from bot.store.database import Connection
from bot.table.press import known_players
from bot.table.table import Table
from bot.tournament.organisers import read_command as is_event_command
from bot.wording import say
from rules.components import FACTION_FACTS, Faction, as_faction


@dataclass(frozen=True, slots=True)
class Part:
    parameter: str
    pattern: str
    read: Callable[[str, Settings], object] = lambda said, _: said


def faction_named(said: str) -> Faction:
    word = re.sub(r"\s+", "-", said.strip().lower())
    fits = [faction for faction in FACTION_FACTS if faction == word or (len(word) > 2 and faction.startswith(word))]
    if len(fits) != 1:
        raise PowerRefused(f"{said.strip()!r} is not one of {', '.join(FACTION_FACTS)}.")
    return as_faction(fits[0])


def factions_named(said: str) -> list[Faction]:
    """Return the factions in a list with commas. An empty list means the whole table. Raise PowerRefused if one of the
    names is not that of a faction."""
    return [] if said.strip().lower() in EVERYBODY else [faction_named(word) for word in said.split(",")]


def _right_named(said: str) -> Right:
    right = next((each for each in RIGHTS_AT_GAMES if each == said.lower()), None)
    if right is None:
        raise PowerRefused(f"{said!r} is not one of {', '.join(RIGHTS_AT_GAMES)}.")
    return right


def hours_named(said: str) -> float:
    return float(said.replace(",", "."))


PARTS: Mapping[str, Part] = {
    "SEAT": Part("faction", r"[A-Za-z -]+?", lambda said, _: faction_named(said)),
    "SEATS": Part("factions", r"[A-Za-z, -]+?", lambda said, _: factions_named(said)),
    "HOURS": Part("hours", r"[-+]?\d+(?:[.,]\d+)?", lambda said, _: hours_named(said)),
    "WORDS": Part("words", r".+"),
    "ADDRESS": Part("address", r"\S+@\S+"),
    "OTHER": Part("other", r"\S+@\S+"),
    "QUESTION": Part("kind", r"[a-z-]+", lambda said, _: said.lower()),
    "TURN": Part("turn", r"[0-9]{1,3}", lambda said, _: int(said)),
    "PHASE": Part("phase", r"[a-z-]+"),
    "NUMBER": Part("number", r"[0-9]{1,9}", lambda said, _: int(said)),
    "RIGHT": Part("right", r"[a-z]+", lambda said, _: _right_named(said)),
    "CLAUSE": Part("clause", r"\S*"),
    "ONOFF": Part("on", r"on|off", lambda said, _: said.lower() == "on"),
    "FIRST": Part("first", r"\d{4}-\d{2}-\d{2}", lambda said, _: seats.day_named(said)),
    "DATE": Part("until", r"\d{4}-\d{2}-\d{2}", lambda said, settings: seats.end_of_day(settings, said)),
    "TIME": Part("at", r"\d{1,2}:\d\d"),
    "PRESS": Part("press", r"[a-z0-9=, -]+"),
    "SETTINGS": Part("settings", r"\w+ ?=.+"),
}
_READ = {part.parameter: part.read for part in PARTS.values()}
_AFTER = {"HOURS": r"(?:\s*h(?:ours?)?)?"}


@cache
def pattern_of(shown: str) -> re.Pattern[str]:
    """Return the pattern that matches lines of a form. The form's words in capitals stand for its parts."""
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
    power: Power
    form: Form
    said: Mapping[str, str]

    def carry_out(self, given: DeskRequest) -> str:
        if self.form.answer:
            answer = resolve_name(f"bot.moderator.desk_answers:{self.form.answer}")
            told: str = answer(given, self.said, **self.form.given)
            return told
        settings = given.games.settings
        values = {name: _READ[name](said, settings) for name, said in self.said.items()}
        act = resolve_name(self.form.act or self.power.act)
        result = act(given, **values, **self.form.given)
        facts = {**values, "said": self.said, "result": result, "game": given.game}
        return say(f"desk-done.{self.form.says or self.power.name}", **facts)


@dataclass(frozen=True, slots=True)
class UnreadDeskLine:
    suggestion: str


def page_line(conn: Connection, request: DeskRequest, incoming: Incoming) -> DeskLine | None:
    """If a mail contains a page of a forum thread, return the line that hands that page in, as if it had been typed.
    Otherwise return None."""
    page = resolve_name("bot.forum.desk:page_in_mail")(conn, request, incoming)
    return DeskLine(POWERS["forum-paste"], Form("page", answer="hand_in_page"), {"words": page}) if page else None


def is_agreed(page: DeskLine) -> bool:
    return bool(resolve_name("bot.forum.desk:head_of_page")(page.said["words"]).agreed)


_USE = re.compile(r"\s*(?P<what>why|tell|if)\s*:\s*(?P<words>.+?)\s*", re.IGNORECASE | re.DOTALL)
_DRY_RUN = re.compile(r"\s*(?:dry[ -]?run|only try)\W*", re.IGNORECASE)
PAGE = re.compile(r"page (?P<mail>[0-9a-f]{64})")
CONFIRM = re.compile(r"\s*(?:i )?confirm(?:ed)?(?:\s+(?P<code>[a-z2-7]{16}))?\W*", re.IGNORECASE)
QUESTIONS = ("waits", "status", "who", "show", "log", "acts", "press", "thread", "help", "let it stand")
_QUESTION_WORDS = {"commands": "help"}
_NO_POWER = {"why": "why: WORDS", "if": "if: TURN/PHASE", "confirm": "confirm CODE"}
"""The forms of lines that use no power."""
SPOKEN = [power.name for power in POWERS.values() if power.spoken]
"""The words of these powers are for people to read, so they keep their last full stop."""
_OPENED = re.compile(rf"\s*(?P<word>{'|'.join(SPOKEN)})\b[^:]{{0,160}}:(?P<words>.*)", re.IGNORECASE | re.DOTALL)
MOST_OFFERED = 5  # forms of a matter
MOST_CANDIDATES = 2
MOST_OF_NAME = 3  # words
MOST_NEAR = 6
"""A line with more words than this is never taken for a command with a misspelt first word."""
LONGEST_MISTAKEN = 12  # words of a line that may be a command with a mistake in it
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
    if word in meant and len(line.split()) <= LONGEST_MISTAKEN:
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


_SPEAKS = re.compile(r"\s*(?:please )?(?:tell|inform|let|ask|announce|say to|write to|warn)\b[^:]*", re.IGNORECASE)


def fold_lines(lines: Sequence[str]) -> list[str]:
    """Join the lines that belong to one command because they hold words to be passed on. Such words end at "end tell".
    Without that line, join those lines that a mail program seems to have wrapped, with LINE_END between them, because
    nobody can be sure where the words end."""
    found: list[str] = []
    place = 0
    while place < len(lines):
        opened = _OPENED.fullmatch(lines[place])
        end = _end_of_words(lines, place + 1, opened["word"]) if opened else None
        if end is None and (opened or _SPEAKS.fullmatch(lines[place])):
            after = place + 1
            while after < len(lines) and _is_wrapped(lines[after - 1], lines[after]):
                after += 1
            found.append(LINE_END.join(map(str.strip, lines[place:after])))
            place = after
            continue
        found.append("\n".join(filter(None, map(str.strip, lines[place : end or place + 1]))))
        place = place + 1 if end is None else end + 1
    return found


def _is_wrapped(line: str, below: str) -> bool:
    full = bool(below.strip()) and len(line.strip()) + len(below.split()[0]) >= _WRAPPED
    return full and not _is_command(below)


def _end_of_words(lines: Sequence[str], first: int, word: str) -> int | None:
    for place in range(first, len(lines)):
        if re.fullmatch(rf"\W{{0,4}}end {word}\W{{0,4}}", lines[place], re.IGNORECASE):
            return place
        if _OPENED.fullmatch(lines[place]):
            return None
    return None


def seems_to_go_on(line: str, below: str) -> bool:
    """Return whether the words of a command seem to continue on the next line. In case of doubt they do, because it
    would be worse to pass on half a letter than none."""
    opened = _OPENED.fullmatch(line)
    if opened is None or "\n" in line or not below or _is_command(below):
        return False
    return not opened["words"].strip() or len(line) + len(below.split()[0]) >= _WRAPPED


def _is_command(line: str) -> bool:
    other = CONFIRM.fullmatch(line) or question_in(line) or changed_use(Use(), line)
    return bool(other) or isinstance(read_line(line), DeskLine)


# --- for the stages that read a mail ---------------------------------------------------------------------------------


OF_GAME = re.compile(r"\s*\[?(?P<game>[a-z0-9][a-z0-9.-]{0,39})\]?\s*:\s*(?P<line>.*)", re.IGNORECASE | re.DOTALL)
OF_TABLE = re.compile(r"(?P<verb>approve|refuse|close)\s+(?:table\s+)?(?P<table>[a-z0-9-]{1,40})\W*", re.IGNORECASE)
_OPPOSITES = {"resume": "pause", "release": "hold", "unmute": "mute", "unban": "ban", "unobserve": "observe"}


@dataclass(frozen=True, slots=True)
class DeskMail:
    """What is known when a mail to the desk is read.

    - ``lines`` are its lines. ``done`` are the lines of the writer's last mail that were carried out.
    - ``about`` is the seat that the answered letter was about.
    - ``own`` are the games in which the writer has a right.
    - ``muted`` are the seats that may not write to others.
    """

    lines: Sequence[str]
    done: Sequence[str] = ()
    about: Faction | None = None
    own: Mapping[str, str] = field(default_factory=dict)
    muted: Collection[Faction] = ()
    tables: Collection[str] = ()  # open tables that the writer looks after
    events: Collection[str] = ()  # tournaments that they may direct
    spoken_of: Faction | None = None  # the only seat of which the answer to their last mail spoke
    put_aside: str = "NUMBER"  # the newest mail for the game that was put aside
    time_back: str = "unextend"  # the line that takes back the time given last
    spoke: Sequence[str] = ()  # the lines of which the answer to their last mail spoke
    seats: Collection[Faction] = ()  # the seats that their last mail named
    subject: str = ""
    text: str = ""  # with what the mail quotes


def desk_context(today: date, games: Mapping[str, str], table: Table | None, mail: DeskMail) -> CommandContext:
    """Return the context in which the lines of a mail to the desk are read. ``games`` are the games that the lines may
    name. ``table`` is the only game that they can be about, or None if there may be several."""
    lines, done, about = mail.lines, mail.done, mail.about
    position = desk_names.Position(today, table, about or mail.spoken_of, mail.muted)
    meant = desk_names.seats_meant(mail.lines, position)
    one = meant[0] if len(meant) == 1 else None
    about_whom = position.about or one or desk_names.quoted_seat(mail.subject, mail.text, position)
    quoted = desk_names.quoted_words(mail.text)
    likely = replace(
        position, about=about_whom, candidates=() if about_whom else meant[:MOST_CANDIDATES], quoted=quoted
    )
    goes_on = {line.strip() for line, below in pairwise([*lines, ""]) if seems_to_go_on(line, below)}

    def exact(line: str) -> Command | None:
        text = _unmarked(line)
        if (of_table := OF_TABLE.fullmatch(text)) and of_table["table"].lower() in mail.tables:
            return Command(text, None, f"table {of_table['table']}".lower())
        found = OF_GAME.fullmatch(text)
        if found and found["game"].lower() in mail.events and is_event_command(found["line"]):
            return Command(text, None, f"event {text}".lower())
        of = f"{found['game']}: " if found and found["game"].lower() in games else ""
        own = found["line"] if found and of else text
        if of and not own:
            return Command(of.strip(), None, shows=True)
        if line.strip() in goes_on or LINE_END in line:
            return None
        own = _with_seat(own, about)
        if changed_use(Use(), own) or CONFIRM.fullmatch(own) or question_in(own):
            return Command(of + own, None, shows=bool(question_in(own)))
        read = read_line(own)
        if isinstance(read, DeskLine) and wrong_part(read):
            own = _with_factions(own, context)
            read = read_line(own)
        if isinstance(read, UnreadDeskLine) or wrong_part(read):
            return None
        power = read.power
        if power.name == "tell" and any(each.startswith("warn ") and lacks(each) for each in mail.spoke):
            return None  # it may be the words that we asked for
        subject = f"{of}{_OPPOSITES.get(power.name, power.name)} {read.said.get('faction', '')}".strip().lower()
        shown = own if power.spoken else own.rstrip(".! ")
        return Command(of + shown, read, subject, power.grave, coded=power.dangerous)

    def wrong_part(read: DeskLine) -> str:
        """Return what is wrong with a part of a line: it does not name a seat of this game, or does not name a right.
        Return "" if no part is wrong."""
        if (why := _wrong_part(read)) and table and "faction" in read.said:
            named = re.sub(r"^the\s+", "", read.said["faction"].strip(), flags=re.IGNORECASE)
            first = named.lower().split()[0]
            if first in _absent(table):
                return say("desk-mail.not-played", game=table.id, seats=_seated(table))
            shared = [each for each, name in known_players(table) if first in names_of(name)]
            named = named.split()[0] if shared else named
            return say("desk-mail.no-seat", said=named, seats=_seated(table, shared), shared=bool(shared))
        if why or table is None or all(seat in table.seats for seat in _seats_said(read)):
            return why
        return say("desk-mail.not-played", game=table.id, seats=_seated(table))

    def wrong(line: str) -> Unread | None:
        if LINE_END in line:
            again = read_command(" ".join(line.split(LINE_END)), context)
            plain = (again.line,) if isinstance(again, Command) else again.suggestions
            word = said(line).words[0]
            shown = [f"“{each}”" for each in plain[:1]]
            told = f"{say('unread.plain', lines=shown)} {say('desk-mail.wrapped', word=word)}"
            return Unread(told, plain[:1]) if plain else context.unread(" ".join(line.split(LINE_END)))
        named = desk_names.games_in(line, mail.own)
        if len(named) > 1 or not {*named} <= {*games.values()}:
            return Unread(say("desk-mail.other-game", games=sorted(named)))
        if found := desk_words.with_words(line, mail.spoke):
            return offered(found)
        if any(map(lacks, mail.spoke)) and (found := desk_words.completed(line, mail.spoke, context, position)):
            return offered(found)
        if line.strip() in goes_on:
            return Unread(say("desk-mail.goes-on", word=line.split()[0].rstrip(":").lower()))
        read = read_line(_with_factions(_unmarked(line), context))
        why = wrong_part(read) if isinstance(read, DeskLine) and read.power.spoken else ""
        aside = isinstance(read, DeskLine) and re.match(r"(?:for|to|on|about)\b", read.said.get("faction") or "", re.I)
        return Unread(say("desk-mail.refused", why=why)) if why and not aside else None

    def unread(line: str) -> Unread:
        text = context.aside(_unmarked(line)) if context.aside else _unmarked(line)
        if said(text).begins("retract") if done else _TAKES_BACK.fullmatch(text):
            back = tuple(filter(None, (taken_back(each, context) for each in reversed(done))))
            told = say("unread.plain", lines=[f"“{each}”" for each in back]) if back else say("desk-mail.not-back")
            return Unread(told, back, together=True)
        read = read_line(without_courtesy(text)[0] or text)
        short = isinstance(read, DeskLine) and len(read.said.get("faction", "").split()) <= MOST_OF_NAME
        if isinstance(read, DeskLine) and short and (why := wrong_part(read)):
            return Unread(say("desk-mail.refused", why=why))
        if isinstance(read, DeskLine) and short:  # it would be one in a line of its own
            return Unread(say("unread.plain", lines=[f"“{line.strip()}”"]))
        if lacks(text) and text in mail.spoke:
            parts = lacks(text)
            return Unread(say("desk-mail.missing", line=text, parts=parts), chatter=True, open=(text,))
        if found := desk_words.other_than(text, mail.spoke, done, mail.seats) or desk_words.completed(
            text, mail.spoke, context, position, whole=True
        ):
            return offered(found)
        if table and any(each in text.lower().split() for each in _absent(table)):
            return Unread(say("desk-mail.not-played", game=table.id, seats=_seated(table)), chatter=True)
        if stranger := desk_names.stranger_in(text, context):
            return Unread(say("desk-mail.no-seat", said=stranger, seats=_seated(table) if table else [], shared=False))
        found = desk_words.offers(text, context, likely)
        word = text.partition(" ")[0].lower()
        begun = any(each.split()[0] == word for each in found.open)  # "last turn 9999999"
        own = isinstance(read, UnreadDeskLine) and read.suggestion.split()[:1] == [word]  # "confirm abc"
        if (found.whole or found.open) and (begun or not own or any(each.startswith(word) for each in found.whole)):
            return replace(offered(found), chatter=not (found.whole or begun))
        suggestion = "" if isinstance(read, DeskLine) else read.suggestion
        return Unread(say("desk-mail.unread", suggestion=suggestion), chatter=not suggestion)

    def offered(found: desk_words.Offers) -> Unread:
        one = found.whole if not found.open else ()
        several = found.ranked or (*found.whole, *found.open) if len(found.whole) + len(found.open) > 1 else found.open
        key = (
            "unread.several-orders"
            if found.together and one
            else "unread.plain"
            if len(one) == 1
            else "desk-mail.choose"
        )
        told = say(key, lines=_quoted(found.whole))
        return Unread(told, found.whole, not found.whole, found.together, guess=True, open=several)

    def talks(text: str, beside: bool) -> bool:
        goes_on = mail.spoke and desk_words.completed(text, mail.spoke, context, position, whole=True)
        return not goes_on and desk_words.is_talk(text, position, beside=beside)

    context = CommandContext(
        language="desk",
        exact=exact,
        wrong=wrong,
        unread=unread,
        blanks=desk_names.blanks(position),
        facts=_facts(table, mail),
        seen=place_of(table),
        idle=lambda line: desk_words.is_so(line, position),
        talks=talks,
        aside=lambda text: desk_names.without_games(text, [table.id]) if table else text,
    )
    return context


def _with_factions(line: str, context: CommandContext) -> str:
    """Replace the names of players in a command with their factions: "caretaker Bob on"."""
    head, colon, words = line.partition(":")
    seat, seats = context.blanks["SEAT"], context.blanks["SEATS"]
    whom = re.fullmatch(rf"(?P<verb>\w+)\s+(?:(?:to|the)\s+)*(?P<whom>{seats.pattern})", head.strip(), re.IGNORECASE)
    if colon and whom and seats.read(whom["whom"]) == "all":
        return f"{whom['verb']} all:{words}"
    return re.sub(seat.pattern, lambda name: seat.read(name[0]) or name[0], head, flags=re.IGNORECASE) + colon + words


def _with_seat(line: str, about: Faction | None) -> str:
    """Add a seat to a command that names none: the one that the answered letter was about. This completes lines such as
    "mute" and "warn: keep to the tone"."""
    if about and re.fullmatch(r"(?:show (?:me )?)?more\W*", line.strip(), re.IGNORECASE):
        return f"more {about}"
    found = re.fullmatch(
        r"(?P<verb>[a-z]+)\s*(?P<rest>:.*|on|off|[-+]\d+)?[.!]*", line.strip(), re.IGNORECASE | re.DOTALL
    )
    if about is None or found is None or not isinstance(read_line(line), UnreadDeskLine):
        return line
    filled = (
        f"{found['verb'].lower()} {about}{'' if (found['rest'] or '').startswith(':') else ' '}{found['rest'] or ''}"
    )
    return filled.strip() if isinstance(read_line(filled), DeskLine) else line


def _quoted(lines: Sequence[str]) -> list[str]:
    return [f"“{line}”" for line in lines]


def _seated(table: Table, but: Collection[Faction] = ()) -> list[str]:
    names = dict(known_players(table))
    seats = [faction for faction in table.seats if not but or faction in but]
    return [say("desk-game.who", faction=faction, player=names.get(faction, "")) for faction in seats]


def _absent(table: Table) -> list[str]:
    return [faction for faction in FACTION_FACTS if faction not in table.seats]


def _seats_said(read: DeskLine) -> list[Faction]:
    said_of = read.said.get("faction") or ""
    several = read.said.get("factions") or ""
    return [*([faction_named(said_of)] if said_of else []), *(factions_named(several) if several else [])]


def _unmarked(line: str) -> str:
    text = line.strip()
    return text[mark.end() :] if (mark := LIST_MARK.match(text)) else text


def _facts(table: Table | None, mail: DeskMail) -> Mapping[str, str]:
    if table is None:
        return {}
    return {
        "time_back": mail.time_back,
        "put_aside": mail.put_aside,
        "continue": "release" if table.on_hold else "resume",
    }


def place_of(table: Table | None) -> str:
    return f"{table.play.state.turn}/{table.play.state.phase}" if table else ""


def _wrong_part(read: DeskLine) -> str:
    readers = {"faction": faction_named, "factions": factions_named, "right": _right_named}
    try:
        for name in readers.keys() & read.said.keys():
            readers[name](read.said[name])
    except PowerRefused as refused:
        return str(refused)
    return ""


_TAKES_BACK = re.compile(
    r"(?:\W|oh|oops|sorry|god|please|can you|no)*(?:undo|cancel|revoke|retract|take back|forget) "
    r"(?:that|it|this|(?:my|the) (?:last )?(?:commands?|mails?|letter|action|act|change|thing)"
    r"|(?:what|the thing|whatever) i (?:just |last )?(?:did|sent|wrote))(?: i (?:just |last )?(?:did|sent|wrote))?"
    r"(?: back| again| please|\W)*",
    re.IGNORECASE,
)


def concerned(conn: Connection, table: Table, read: DeskLine) -> list[str]:
    """Say which people a command concerns: the player of the seat that it names, and anybody who would lose a seat or a
    right by it."""
    told = []
    for faction in _seats_said(read) if not _wrong_part(read) else ():
        seat = table.seats.get(faction)
        if seat and seat.has_player:
            facts = {"faction": faction, "name": seat.name, "address": seat.address, "sitter": seat.sitter}
            told.append(say("desk-mail.concerns", power=read.power.name, **facts))
    if read.power.name in ("handover", "grant"):
        had = {who.address: who.right for who in rights_of(conn, game_id=table.id)}
        losing = [address for address, right in had.items() if right == "director"]
        if read.power.name == "grant":
            losing = []
        told.append(say("desk-mail.concerns-rights", losing=losing, now=had.get(read.said.get("address", ""), "")))
    return list(filter(None, told))


_HELP = re.compile(r"help\s+[\"“‘']?(?P<about>\S.{0,80}?)\W*", re.IGNORECASE)


_MORE = re.compile(r"(?:show (?:me )?)?more (?:of |about )?(?P<seat>[a-z-]+?)\W*", re.IGNORECASE)


_MAIL = re.compile(r"(?:show (?:me )?)?(?:mail|message) (?:number |no\.? ?|#)?(?P<number>\d{1,9})\W*", re.IGNORECASE)


def question_in(line: str) -> str:
    word = line.strip().strip(".!?").lower() or line.strip()
    if found := _MAIL.fullmatch(line.strip()):
        return f"mail {found['number']}"
    if found := _MORE.fullmatch(line.strip()):
        return f"more {found['seat'].lower()}"
    if found := _HELP.fullmatch(line.strip()):
        return f"help {found['about'].lower()}"
    return {"?": "help", "status": "waits"}.get(word, word) if word in (*QUESTIONS, "?") else ""


_ELSEWHERE = re.compile(r"[;:] [^;:.`]*`mentat [^`]+`[^;.]*(?=[;.])|(?<=\.) [^;:.`]*`mentat [^`]+`[^;.]*\.")
_AT_A_SHELL = re.compile(r"`mentat (?:game|person) ([^`]+)`")


def reason_by_mail(refused: Exception, game: str) -> str:
    def by_mail(shell: re.Match[str]) -> str:
        return f"“{' '.join(word.removeprefix('--') for word in shell[1].split() if word != game)}”"

    return _ELSEWHERE.sub("", _AT_A_SHELL.sub(by_mail, str(refused)))


def changed_use(use: Use, line: str) -> Use | None:
    """If a line is ``dry run``, or begins with ``why:``, ``tell:`` or ``if:``, return how the lines below it are to be
    used. Return None for any other line."""
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
