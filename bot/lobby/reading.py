"""Read what people write to the lobby as requests: `join arrakeen-7 as guild or emperor`, "count me in for Friday".

A mail is read as a whole, in the same stages as every mail (docs/architecture.md, "How a mail is understood"). A line
is either in its exact form (`bot.lobby.lines`) or in plain words, for which `data/command-words.toml` gives the exact
form.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache, lru_cache

import msgspec
from rapidfuzz.distance import OSA

from bot.effort import Exhausted, limited, understood
from bot.language import command_lines, orders
from bot.language.command_lines import ADDRESS, FILE, Blank, CommandContext
from bot.language.mail_lines import ReadLine, read_commands
from bot.language.moves import agrees, declines
from bot.language.proposals import NOTHING, Memory, options_of
from bot.lobby.lines import (
    ID,
    LONGEST_WISHES,
    VERBS,
    Known,
    days_of,
    faction_of,
    find_table,
    given_name,
    named_in,
    near_id,
    read_filters,
    read_line,
    read_settings,
    read_wishes,
    split_seat,
    words_of,
)
from bot.lobby.matters import (
    ENOUGH,
    MOST_LIKELY,
    SURE,
    is_sure,
    likely_lines,
    move_lines,
    nearest_lines,
    own_line,
    several_lines,
    tables_named,
)
from bot.lobby.requests import (
    Calendar,
    Close,
    Dropped,
    Filters,
    Help,
    Invite,
    Join,
    Leave,
    Line,
    ListTables,
    Meant,
    MyGames,
    NotMe,
    Open,
    Prolong,
    ReadMail,
    Rematch,
    Reply,
    Request,
    Start,
    Talk,
    ToGameMaster,
    Unread,
    UseAddress,
    Wait,
    WaitUntil,
    Wish,
    are_worths,
    line_of,
)
from bot.wording import say
from rules.components.facts import load_toml

MOST_CHARS = 2_000
MOST_LINES = 60
LONGEST_TALK = 12  # in words; longer talk is kept for the game master


def read_mail(written: Sequence[str], known: Known, memory: Memory = NOTHING) -> ReadMail:
    """Parse the lines of a mail into requests. No text makes this function raise an exception."""
    own = [_plain(line) for line in written[:MOST_LINES]]
    position = (known, memory.waiting, memory.done)  # a mail may be read first as a player's, then as a stranger's
    context = _context(known, memory)
    found = understood(
        (tuple(own), position), position, lambda: _with_matters(read_commands(own, context, memory), known, context)
    )
    told = {_shown(line): line.told for line in found if line.told and not line.dropped}
    read = _merged([(_shown(line), _line(line)) for line in found], known)
    offered = [line.result for line in found if isinstance(line.result, orders.Unread)]
    understands = any(not isinstance(line, Talk | Dropped) for _, line in read)
    near = () if understands else nearest_lines(" ".join(text for text, _ in read), known)
    return ReadMail(lines=tuple(read), told=told, options=tuple(options_of(offered)), near=near)


def for_game_master(mail: ReadMail) -> str:
    """Return the talk in a mail if a person should read it, because it asks something or is long. Otherwise return
    ""."""
    words = "\n".join(text for text, line in mail.lines if isinstance(line, Talk))
    return words if "?" in words or len(words.split()) > LONGEST_TALK else ""


def _plain(line: str) -> str:
    text = " ".join(line[:MOST_CHARS].translate(_SIGNS).split())
    text = _SIGNED.sub(r", \1", text)
    return _INSTEAD.sub("", text) if " and " in text else text  # "leave one and join the other instead"


_SIGNED = re.compile(r"[.!]\s+((?:I'm|I am|My name is) [A-Z][\w'-]*(?: [A-Z][\w'-]*)?)(?=[.!]?$)")
_INSTEAD = re.compile(r"\s+instead(?=[\s.!]*$)", re.IGNORECASE)
_SIGNS = str.maketrans("‘’`´“”„«»", '\'\'\'\'"""""')


def _shown(line: ReadLine) -> str:
    return line.result.line if isinstance(line.result, command_lines.Command) and line.told else line.text


def _is_idle(request: Request, text: str, known: Known) -> bool:
    """Return True if a proposed request should be dropped: it makes no sense for this writer, or the text is only talk,
    such as "The start was slow"."""
    return _is_pointless(request, known) or (_ARTICLE.match(text) is not None and not isinstance(request, Join | Wish))


_ARTICLE = re.compile(r"(?:the|my|a) (?!first|second|favou?rite)", re.IGNORECASE)


def _is_pointless(request: Request, known: Known) -> bool:
    if isinstance(request, Leave | Wish | Start | WaitUntil | Invite | Close | Prolong) and not known.mine:
        return True
    if isinstance(request, Reply) and not known.asked and known.answers in ("", *known.mine):
        return True
    return isinstance(request, Rematch) and not (known.games or known.mine)


def _says_nothing(line: ReadLine, known: Known) -> bool:
    if line.dropped or not isinstance(line.result, orders.Unread):
        return False
    if line.result.chatter:
        return True
    if not line.result.suggestions:
        return False
    meant = [read_line(each, known) for each in line.result.suggestions]
    return all(request is None or _is_idle(request, line.text, known) for request in meant)


def _with_matters(found: Sequence[ReadLine], known: Known, context: CommandContext) -> list[ReadLine]:
    found = [_without_stray_wish(line, known) for line in found]
    done = any(isinstance(line.result, command_lines.Command) and not line.dropped for line in found)
    with limited():
        return [line if line.dropped else _with_matter(line, known, context, done=done) for line in found]


def _without_stray_wish(line: ReadLine, known: Known) -> ReadLine:
    """If a line in plain words was read as a wish, but its sentence is about another table, treat it as talk: "My hat
    is in for ix, as Guild"."""
    wish = line.result.what if isinstance(line.result, command_lines.Command) and not line.dropped else None
    if not isinstance(wish, Wish) or wish.table.words or tables_named(line.text, known) <= {wish.table.table}:
        return line
    return replace(line, result=orders.Unread("", chatter=True), told="")


def _with_matter(line: ReadLine, known: Known, context: CommandContext, *, done: bool) -> ReadLine:
    read = line.result
    text = line.text.replace("\n", " ")
    if not isinstance(read, orders.Unread) or context.wrong(text):
        return line
    offered = () if _says_nothing(line, known) or _asks_idly(read, known) else read.suggestions
    if not read.together:
        offered = tuple(dict.fromkeys(own_line(each, known) for each in offered))
    if read.together and offered:
        return line
    try:
        several = tuple(several_lines(text, known) or move_lines(text, known))
        likely = [] if several else likely_lines(text, known, SURE if done or offered else ENOUGH)
    except Exhausted:
        return line
    if several:
        told = say("lobby-unread.several" if several[1:] else "lobby-unread.gist", lines=_quoted(several))
        return replace(line, result=orders.Unread(told, several, together=True), told="")
    if likely and not offered and "ADDRESS" in likely[0].line:
        return replace(line, result=orders.Unread(say("lobby-unread.form", form=likely[0].line)), told="")
    lines = _fullest(dict.fromkeys((*(each.line for each in likely), *offered)))[:MOST_LIKELY]
    if lines and lines != read.suggestions:
        told = say("lobby-unread.gist", lines=_quoted(lines))
        return replace(line, result=orders.Unread(told, lines), told="")
    if offered or not _says_nothing(line, known):
        return line
    return replace(line, result=orders.Unread("", chatter=True), told="")


def _fullest(lines: Iterable[str]) -> tuple[str, ...]:
    """Drop each line that another line contains: drop "join" if there is "join arrakeen-7"."""
    every = list(lines)
    longer = [
        (each, other)
        for each in every
        for other in every
        if re.match(rf"{re.escape(each)}(?::| with | as | {ID.pattern})", other)
    ]
    return tuple(each for each in every if each not in dict(longer))


def _asks_idly(read: orders.Unread, known: Known) -> bool:
    meant = [read_line(each, known) for each in read.suggestions]
    return read.together and any(request is None or _is_pointless(request, known) for request in meant)


def _quoted(lines: Sequence[str]) -> list[str]:
    return [f"“{each}”" for each in lines]


def _line(line: ReadLine) -> Line:
    if line.dropped:
        return Dropped(told=line.told)
    match line.result:
        case command_lines.Command():
            return line.result.what  # type: ignore[return-value]  # a request, as its context made it
        case orders.Unread(_, _, chatter=True):
            return Talk()
        case orders.Unread(reason, suggestions):
            return Unread(why=reason, suggestions=suggestions)
    raise TypeError(f"{line.result} is not a line for the lobby")


def _merged(lines: Sequence[tuple[str, Line]], known: Known) -> list[tuple[str, Line]]:
    """Add wishes or a name that come without a table to the join line in the same mail. If an answer is due, read a
    join as that answer."""
    merged: list[tuple[str, Line]] = []
    for text, line in lines:
        place = next((n for n, (_, each) in enumerate(merged) if isinstance(each, Join)), None)
        if isinstance(line, Wish | Join) and not line.table.words and place is not None:
            beside, join = merged[place]
            assert isinstance(join, Join)
            wishes, name = _both_wishes(join.wishes, line.wishes), line.name or join.name
            unknown = (*join.unknown, *line.unknown)
            merged[place] = (beside, msgspec.structs.replace(join, wishes=wishes, name=name, unknown=unknown))
        elif isinstance(line, Wish) and (sold := _bids_before(line, merged)) is not None:
            before = merged[sold][1]
            assert isinstance(before, Wish)
            wishes, unknown = _both_wishes(before.wishes, line.wishes), (*before.unknown, *line.unknown)
            merged[sold] = (text, msgspec.structs.replace(before, wishes=wishes, unknown=unknown))
        elif isinstance(line, Join | Leave) and (opposite := _opposite(line, merged)) is not None:
            merged[opposite] = (text, line)  # the last line about a table counts
        elif (line := _answer(line, known)) not in [each for _, each in merged] or isinstance(line, Talk):
            merged.append((text, line))
    if any(isinstance(line, Reply) and line.yes for _, line in merged):
        merged = [each for each in merged if not isinstance(each[1], Start)]  # "I'm here, let's go"
    lists = [(text, line) for text, line in merged if isinstance(line, ListTables)]
    plain = [each for each in lists if each[1] == ListTables()] if len(lists) > 1 else []
    return [each for each in merged if each not in plain[: len(lists) - 1]]


def _bids_before(line: Wish, before: Sequence[tuple[str, Line]]) -> int | None:
    if not are_worths(line.wishes):
        return None
    sold = (n for n, (_, each) in enumerate(before) if isinstance(each, Wish) and are_worths(each.wishes))
    return next((n for n in sold if before[n][1].table == line.table), None)  # type: ignore[union-attr]


def _both_wishes(one: str, other: str) -> str:
    """Combine the wishes of two lines. Bids are put together, and the later bid for a faction counts; of two lists of
    preferences, the later one counts.

    >>> _both_wishes("guild 4", "emperor 2, guild 5"), _both_wishes("guild", "emperor"), _both_wishes("guild 4", "")
    ('guild 5, emperor 2', 'emperor', 'guild 4')
    """
    if not (are_worths(one) and are_worths(other)):
        return other or one
    bids = dict(part.rpartition(" ")[::2] for part in f"{one}, {other}".split(", "))
    rest = bids.pop("*", "0")
    every = [*bids.items(), *([("*", rest)] if rest != "0" or not bids else [])]
    return ", ".join(f"{name} {number}" for name, number in every)


def _opposite(line: Join | Leave, before: Sequence[tuple[str, Line]]) -> int | None:
    other = Leave if isinstance(line, Join) else Join
    for number, (_, each) in enumerate(before):
        if isinstance(each, other) and each.table.table and each.table == line.table:
            return number
    return None


def _answer(line: Line, known: Known) -> Line:
    if isinstance(line, Reply) and line.yes and not known.asked and known.answers not in (*known.mine, ""):
        return Join(table=Meant(tables=(known.answers,)))  # "yes" to a letter about a table
    if isinstance(line, Join) and line.table.table in known.asked and not (line.wishes or line.name):
        return Reply(yes=True, table=line.table)
    if isinstance(line, Leave) and line.table.table in known.asked and line.table.table not in known.mine:
        return Reply(yes=False, table=line.table)
    return line


# --- the stages ------------------------------------------------------------------------------------------------------

_SHOWN = {
    line.split()[0]: line
    for line in (
        line_of(Wish()),
        line_of(Invite()),
        "standby not before DATE",
        "rematch ID",
        "confirm CODE",
        "calendar weekly",
        "practice RULESET as FACTION",
    )
}
"""Forms that are shown to people whose line begins with the same verb. Only verbs that are rare in everyday talk are
included."""
_SHOWS = (ListTables, MyGames, Help, Calendar, ToGameMaster)
_GRAVE = (Close, NotMe, UseAddress)
_SEAT = (Join, Leave, Wait, Reply)


def _context(known: Known, memory: Memory) -> CommandContext:
    def exact(text: str) -> command_lines.Command | None:
        text = text.strip()
        if memory.waiting and memory.waiting.answered and (agrees(text) or declines(text)):
            return None
        request = read_line(text, known)
        if request is None or ("?" in text and not isinstance(request, _SHOWS)):
            return None
        about = " ".join(request.table.tables) if isinstance(request, _SEAT) else type(request).__name__
        bare = text.lower().strip(" .!") in VERBS
        subject = "" if bare or isinstance(request, _SHOWS) else about
        named = hasattr(request, "table") and request.table.table
        line = line_of(request) if named else text
        return command_lines.Command(line, request, subject, isinstance(request, _GRAVE), isinstance(request, _SHOWS))

    def wrong(text: str) -> orders.Unread | None:
        if not text.isupper() and (blank := re.search(r"(?<![\w-])(?:FACTION|ADDRESS|DATE|ID|NAME)(?![\w-])", text)):
            return orders.Unread(say("lobby-unread.blank", blank=blank[0]))
        named = re.fullmatch(r"(?:join|enter)\s+(?P<table>[\w.-]+)", text.strip(" .!"), re.IGNORECASE)
        if named is None or named["table"].lower() in words_of("not-tables") or read_line(text, known):
            return None
        if near_id(named["table"], [table.id for table in known.tables]):
            return None
        return orders.Unread(say("lobby-unread.no-table", words=named["table"]), ("games",))

    def shows(text: str) -> command_lines.Command | None:
        likely = likely_lines(text, known)
        return exact(likely[0].line) if likely and is_sure(likely) else None

    def unread(text: str) -> orders.Unread:
        if text.strip(" .!?") and (line := _mended(text, context, known)):
            return orders.Unread(say("lobby-unread.near", line=line), (line,))
        verb, _, rest = text.partition(" ")
        if rest and len(rest.split()) <= LONGEST_WISHES and (form := _SHOWN.get(verb.lower().strip(":,"))):
            return orders.Unread(say("lobby-unread.form", form=form))
        return orders.Unread("", chatter=True)

    context = CommandContext(
        language="lobby",
        exact=exact,
        wrong=wrong,
        unread=unread,
        shows=shows,
        blanks=_blanks(known),
        facts={},
        seen=known.seen,
    )
    return context


def _blanks(known: Known) -> Mapping[str, Blank]:
    def table(text: str) -> str:
        meant = find_table(text, known)
        return text.strip() if meant and meant.words else ""

    def chair(text: str) -> str:
        text = re.sub(r"\s+instead$", "", text, flags=re.IGNORECASE)
        return text.strip() if table(split_seat(text)[0]) else ""

    def settings(text: str) -> str:
        wanted, left = read_settings(text, known)
        return "" if left or wanted == Open() else text.strip()

    def game(text: str) -> str:
        wanted = read_line("open " + re.sub(r"\bone\b", "game", text, count=1), known)
        return text.strip() if isinstance(wanted, Open) and not (wanted.form or wanted.mistakes) else ""

    def filters(text: str) -> str:
        read = read_filters(text)
        return "" if read in (None, Filters()) else text.strip()

    words = r"\S(?:[^.!?;:\n]{0,100}?[^.!?;:\s])?"
    return {
        "TABLE": Blank(words, table),
        "CHAIR": Blank(words, chair),
        "WISHES": Blank(words, lambda text: (read_wishes(text) or ("",))[0]),
        "NAME": Blank(r"[^\s,;:.][^,;:\n]{0,60}", given_name),
        "SETTINGS": Blank(r"\S.*", settings),
        "WANTED": Blank(r"\S.*", game),
        "FILTERS": Blank(words, filters),
        "RULESET": Blank(words, lambda text: "".join(named_in(text.lower(), "ruleset")[0][:1])),
        "SIDE": Blank(words, lambda text: faction_of(text.removeprefix("the ")) or ""),
        "ADDRESSES": Blank(rf"{ADDRESS.pattern}(?:(?:\s*,\s*|\s+and\s+|\s+){ADDRESS.pattern})*"),
        "DATE": days_of(known.today),
    }


# --- typing errors ---------------------------------------------------------------------------------------------------

LONGEST_MISTYPED = 12  # words


def _mended(text: str, context: CommandContext, known: Known) -> str:
    words = re.findall(r"[^\s,;:.!?]+|[\s,;:.!?]+", text)
    if len(words) > 2 * LONGEST_MISTYPED:
        return ""
    every = [*(table.id for table in known.tables), *known.mine, *known.games, *known.others]
    spelt = "".join(near_id(word, every) or word if ID.fullmatch(word) else _spelt(word) for word in words)
    if spelt == text:
        return ""
    read = command_lines.read_command(spelt, _without_mending(context))
    lines = (read.line,) if isinstance(read, command_lines.Command) else read.suggestions
    said_yes = isinstance(read, command_lines.Command) and isinstance(read.what, Reply)
    return lines[0] if len(lines) == 1 and not said_yes else ""


def _without_mending(context: CommandContext) -> CommandContext:
    return replace(context, unread=lambda text: orders.Unread("", chatter=True))


@lru_cache(maxsize=4096)
def _spelt(word: str) -> str:
    low = word.lower()
    if len(low) < 4 or not low.isalpha() or low in _vocabulary():
        return word
    near = [each for each in _vocabulary() if abs(len(each) - len(low)) <= 1 and OSA.distance(each, low) == 1]
    return near[0] if len(near) == 1 else word


@cache
def _vocabulary() -> frozenset[str]:
    rows = load_toml(FILE)["lobby"]
    text = " ".join(words for row in rows for words in row["words"])
    return frozenset(re.findall(r"[a-z]{4,}", text)) | {word for verb in VERBS for word in verb.split()}
